//! The failures of handlers, as they leave the provider.

use capgen_payload::{Keyword, Violation, Violations};

use crate::declared_errors::DeclaredErrors;
use crate::failure::{Details, Failure};

/// Why a failure cannot leave the provider: its details violate their schema.
pub(super) struct InvalidDetails {
    pub(super) code: String,
    /// The violations of the error payload, without values.
    pub(super) violations: Violations,
}

impl DeclaredErrors {
    /// The failure as its caller gets it. Only a declared error with a schema has details, and the declaration says
    /// whether a retry helps.
    pub(super) fn outgoing(&self, failure: Failure) -> Result<Failure, InvalidDetails> {
        let Some(declared) = self.get(&failure.code) else { return Ok(failure.without_details()) };
        let mut failure = failure;
        failure.retryable = declared.retryable;
        if declared.schema.is_none() {
            return Ok(failure.without_details());
        }
        let violations = match failure.details.as_deref() {
            Some(Details::Valid(details)) => declared.violations(details),
            Some(Details::Invalid(violations)) => violations.clone(),
            None => Violation {
                path: String::new(),
                message: "missing required property `details`".to_owned(),
                keyword: Keyword::Required,
            }
            .into(),
        };
        if violations.is_empty() {
            return Ok(failure);
        }
        let is_missing = failure.details.is_none();
        Err(InvalidDetails { code: failure.code, violations: if is_missing { violations } else { below(violations) } })
    }
}

/// The violations of details as those of the error payload that contains them.
fn below(violations: Violations) -> Violations {
    let is_truncated = violations.is_truncated();
    let violations = violations.into_iter();
    let list = violations.map(|violation| Violation { path: format!("/details{}", violation.path), ..violation });
    Violations::new(list.collect(), is_truncated)
}

#[cfg(test)]
mod tests {
    use capgen_descriptor::{ErrorDescriptor, OwnedErrorDescriptor};
    use serde_json::json;

    use super::*;

    const ERRORS: &[ErrorDescriptor] = &[
        ErrorDescriptor::new("NO_SEATS")
            .with_details_schema(r#"{"type":"object","properties":{"free":{"type":"integer"}},"required":["free"]}"#),
        ErrorDescriptor::new("CLOSED").with_retryable(true),
    ];

    fn outgoing(failure: Failure) -> Result<Failure, InvalidDetails> {
        DeclaredErrors::of(ERRORS.iter().map(OwnedErrorDescriptor::from)).outgoing(failure)
    }

    #[test]
    fn valid_details_leave_and_the_declaration_decides_about_retries() {
        let failure = Failure::new("NO_SEATS", "none").retryable().with_details(&json!({"free": 0}));
        let sent = outgoing(failure).unwrap_or_else(|invalid| panic!("{:?}", invalid.violations));
        assert_eq!((sent.details(), sent.retryable), (Some(&json!({"free": 0})), false));
        let closed = outgoing(Failure::new("CLOSED", "")).ok();
        assert!(closed.is_some_and(|closed| closed.retryable));
    }

    #[test]
    fn invalid_and_missing_details_are_violations_without_values() {
        let violations = |failure| match outgoing(failure) {
            Ok(failure) => panic!("{failure:?}"),
            Err(invalid) => {
                let lines =
                    invalid.violations.iter().map(|violation| format!("{}: {}", violation.path, violation.message));
                lines.collect::<Vec<_>>().join("; ")
            }
        };
        let invalid = Failure::new("NO_SEATS", "none").with_details(&json!({"free": "secret"}));
        assert_eq!(violations(invalid), "/details/free: expected integer, got string");
        assert_eq!(violations(Failure::new("NO_SEATS", "none")), ": missing required property `details`");
    }

    #[test]
    fn details_without_a_schema_do_not_leave() {
        for code in ["CLOSED", "OTHER"] {
            let sent = outgoing(Failure::new(code, "").with_details(&json!(1)));
            assert!(sent.is_ok_and(|sent| sent.details().is_none()), "{code}");
        }
    }
}
