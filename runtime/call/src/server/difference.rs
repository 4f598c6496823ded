//! Contracts of a caller and a provider that differ, in answers.

use capgen_descriptor::OwnedDescriptor;
use capgen_payload::{Keyword, Violation, Violations};
use capgen_schema::message_text::{MAX_QUOTED, quote};
use capgen_schema::pointer;

use crate::envelope::{Envelope, SkewDetails, header};

/// The versions and hashes of two contracts that differ.
pub(super) struct Difference<'a> {
    caller_version: Option<&'a str>,
    caller_contract: Option<&'a str>,
    provider: &'a OwnedDescriptor,
    /// All versions of the capability that the provider serves, the highest first.
    served: &'a [String],
}

impl<'a> Difference<'a> {
    /// The contracts of a request and of a provider. The caller may have the same, or not state its own.
    pub(super) fn of(request: &'a Envelope, provider: &'a OwnedDescriptor, served: &'a [String]) -> Self {
        Self {
            caller_version: request.header(header::VERSION),
            caller_contract: request.header(header::CONTRACT),
            provider,
            served,
        }
    }

    /// The contracts of a request and of a provider, if the caller states another one.
    pub(super) fn between(request: &'a Envelope, provider: &'a OwnedDescriptor, served: &'a [String]) -> Option<Self> {
        let hash = request.header(header::CONTRACT)?;
        (hash != provider.hash).then(|| Self::of(request, provider, served))
    }

    /// The hash of the caller's contract; empty if it states none.
    pub(super) fn caller(&self) -> &'a str {
        self.caller_contract.unwrap_or_default()
    }

    /// The contract of the provider.
    pub(super) fn provider(&self) -> &'a OwnedDescriptor {
        self.provider
    }

    /// The contracts as data of an error.
    pub(super) fn details(&self, reason: &str) -> SkewDetails {
        SkewDetails {
            caller_version: self.caller_version.map(str::to_owned),
            caller_contract: self.caller_contract.map(str::to_owned),
            served: Some(self.served.to_vec()).filter(|served| !served.is_empty()),
            provider_version: self.provider.version.clone(),
            provider_contract: Some(self.provider.hash.clone()).filter(|hash| !hash.is_empty()),
            reason: Some(reason.to_owned()),
        }
    }

    /// The message about a request that the provider cannot read. It names the side that does not know or accept
    /// something, and never claims that someone removed it: either side may be the older one.
    pub(super) fn unreadable(&self, violations: &Violations) -> String {
        let version = |version: Option<&str>| version.map(|version| format!(" ({version})")).unwrap_or_default();
        let (provider, caller) = (version(self.provider.version.as_deref()), version(self.caller_version));
        let Some(Violation { path, message, keyword }) = violations.first() else {
            return format!("the provider{provider} does not accept the request, which your contract{caller} allows");
        };
        let verbs = match keyword {
            Keyword::AdditionalProperties => Some(("does not know", "may send")),
            Keyword::Required => Some(("requires", "may leave out")),
            _ => None,
        };
        if let Some((provides, calls)) = verbs
            && let Some(name) = pointer::tokens(path).last()
        {
            let name = shown(&name);
            return format!("the provider{provider} {provides} {name}, which your contract{caller} {calls}");
        }
        let place = if path.is_empty() { "the request".to_owned() } else { shown(path) };
        format!("the provider{provider} does not accept {place}, which your contract{caller} allows: {message}")
    }
}

/// A name or a path of a payload, which may be hostile.
fn shown(name: &str) -> String {
    let is_plain =
        name.chars().all(|c| c.is_alphanumeric() || "_-./$".contains(c)) && name.chars().count() <= MAX_QUOTED;
    if is_plain && !name.is_empty() { format!("`{name}`") } else { quote(name, MAX_QUOTED) }
}

#[cfg(test)]
mod tests {
    use capgen_payload::Violations;

    use super::*;

    fn message(versions: [Option<&str>; 2], path: &str, keyword: Keyword) -> String {
        let [caller_version, provider] = versions;
        let mut descriptor = OwnedDescriptor::default();
        descriptor.version = provider.map(str::to_owned);
        let violation = Violation { path: path.to_owned(), message: "too long".to_owned(), keyword };
        Difference { caller_version, caller_contract: None, provider: &descriptor, served: &[] }
            .unreadable(&Violations::from(violation))
    }

    #[test]
    fn messages_name_the_side_that_does_not_know_something() {
        let versions = [Some("1.1.0"), Some("1.0.0")];
        assert_eq!(
            message(versions, "/note", Keyword::AdditionalProperties),
            "the provider (1.0.0) does not know `note`, which your contract (1.1.0) may send"
        );
        assert_eq!(
            message([None, None], "/a/x~1y~0\u{1}", Keyword::AdditionalProperties),
            r#"the provider does not know "x/y~\u0001", which your contract may send"#
        );
        assert_eq!(
            message(versions, "/trip/price", Keyword::Required),
            "the provider (1.0.0) requires `price`, which your contract (1.1.0) may leave out"
        );
        assert_eq!(
            message(versions, "/tags/0", Keyword::MaxLength),
            "the provider (1.0.0) does not accept `/tags/0`, which your contract (1.1.0) allows: too long"
        );
        assert_eq!(
            message(versions, "", Keyword::Type),
            "the provider (1.0.0) does not accept the request, which your contract (1.1.0) allows: too long"
        );
    }
}
