//! The permissions of the sender of a message: by the policy, and by the program that runs the provider.

use std::fmt;

use semver::Version;

use super::{Provider, Received};
use crate::alias::Aliases;
use crate::body::NameOrType;
use crate::cbor::Value;
use crate::code::Code;
use crate::message::{Did, MessageType};
use crate::name::CapabilityName;
use crate::policy::Policy;
use crate::version::CapabilityId;

/// The permissions of the sender of a message by another rule than the policy, such as the required roles.
/// Both must allow it. Like the policy, it must not depend on the catalogue (decision 10).
pub trait Permissions: fmt::Debug + Send + Sync {
    /// Whether the sender may use a capability in a version or, with `None`, in at least one.
    fn allow(&self, name: &CapabilityName, version: Option<&Version>) -> bool;

    /// Why the sender may use no version of anything that it asks for; `None` if it may use something. For the audit:
    /// the sender does not learn it.
    fn denial(&self) -> Option<String> {
        None
    }
}

/// The permissions of senders that may use nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoPermissions;

impl Permissions for NoPermissions {
    fn allow(&self, _: &CapabilityName, _: Option<&Version>) -> bool {
        false
    }

    fn denial(&self) -> Option<String> {
        Some("nothing decided in time whether the caller may invoke it".to_owned())
    }
}

/// The reason of denials by the policy.
const BY_POLICY: &str = "the policy denies it";

/// The sender of a message with its permissions.
#[derive(Clone, Copy)]
pub(crate) struct Access<'a> {
    policy: &'a Policy,
    caller: &'a Did,
    permissions: Option<&'a dyn Permissions>,
}

impl<'a> Access<'a> {
    pub(crate) fn new(provider: &'a Provider, caller: &'a Did, permissions: Option<&'a dyn Permissions>) -> Self {
        Self { policy: &provider.policy, caller, permissions }
    }

    /// The sender.
    pub(crate) const fn caller(self) -> &'a Did {
        self.caller
    }

    /// Whether the sender may ask for a capability, in a version or without one.
    pub(crate) fn may_ask(self, name: &CapabilityName, requested: Option<&Version>) -> bool {
        // Both, so that the time does not depend on the first answer.
        self.policy.allows(self.caller, name, requested) & self.permissions.is_none_or(|it| it.allow(name, None))
    }

    /// Why a refusal with a code is a denial; `None` if it is not. A capability that the sender may not use is one that
    /// it cannot see, so its `type` does not exist for it.
    pub(crate) fn denial(self, code: Code) -> Option<String> {
        let by_permissions = || self.permissions.and_then(Permissions::denial);
        match code {
            Code::Unauthorized => Some(by_permissions().unwrap_or_else(|| BY_POLICY.to_owned())),
            Code::CapabilityNotFound => by_permissions(),
            _ => None,
        }
    }

    /// Whether the sender may use a version of a capability.
    pub(crate) fn may_use(self, name: &CapabilityName, version: &Version) -> bool {
        self.policy.allows(self.caller, name, Some(version))
            & self.permissions.is_none_or(|it| it.allow(name, Some(version)))
    }
}

impl Provider {
    /// The capability that a query or an invocation asks for: its name, or a `type` for which the configuration has
    /// none. `None` for other messages, and for bodies without it, which are refused with 4001.
    #[must_use]
    pub fn asked(&self, received: &Received) -> Option<NameOrType> {
        let message = &received.message;
        asked(message.kind, &message.body, self.policy.aliases())
    }
}

pub(super) fn asked(kind: MessageType, body: &Value, aliases: &Aliases) -> Option<NameOrType> {
    let body = body.as_map()?;
    let target = match kind {
        MessageType::CapInvoke => body,
        MessageType::CapQuery => body.get("filter")?.as_map()?,
        _ => return None,
    };
    let text = |key: &str| target.get(key).map(Value::as_text);
    if kind == MessageType::CapInvoke
        && let Some(id) = text("id")
    {
        return id?.parse().ok().map(|id: CapabilityId| NameOrType::Name(id.name));
    }
    if let Some(name) = text("capability") {
        return name?.parse().ok().map(NameOrType::Name);
    }
    let alias = text("type")??;
    Some(aliases.resolve(alias).map_or_else(|| NameOrType::Type(alias.to_owned()), NameOrType::Name))
}
