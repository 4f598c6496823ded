//! The declared errors of a capability, by which details are checked where they leave the provider and where they
//! arrive.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use capgen_descriptor::{ErrorDescriptor, OwnedErrorDescriptor};
use capgen_payload::{Keyword, Validator, Violation, Violations};
use capgen_schema::Schema;
use serde_json::Value;

use crate::failure::{Details, Failure};

/// The errors that a capability declares.
#[derive(Debug)]
pub(crate) struct DeclaredErrors(Vec<DeclaredError>);

#[derive(Debug)]
struct DeclaredError {
    code: String,
    retryable: bool,
    /// The JSON Schema of the details.
    schema: Option<String>,
    /// Compiled with the first error: most programs never get one.
    validator: OnceLock<Option<Validator>>,
}

/// Why a failure cannot leave the provider: its details violate their schema.
pub(crate) struct InvalidDetails {
    pub(crate) code: String,
    /// The violations of the error payload, without values.
    pub(crate) violations: Violations,
}

/// What becomes of details that arrive.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Received {
    /// They conform to the contract of the caller.
    Valid,
    /// The contract of the caller declares no such details.
    Unknown,
    /// The contract of the caller rejects them.
    Invalid,
}

impl DeclaredErrors {
    pub(crate) fn of(errors: impl IntoIterator<Item = OwnedErrorDescriptor>) -> Self {
        let declared = |error: OwnedErrorDescriptor| DeclaredError {
            code: error.code,
            retryable: error.retryable,
            schema: error.details_schema,
            validator: OnceLock::new(),
        };
        Self(errors.into_iter().map(declared).collect())
    }

    /// Whether there is one with a code.
    #[cfg(feature = "otel")]
    pub(crate) fn declare(&self, code: &str) -> bool {
        self.get(code).is_some()
    }

    fn get(&self, code: &str) -> Option<&DeclaredError> {
        self.0.iter().find(|error| error.code == code)
    }

    /// The failure as its caller gets it. Only a declared error with a schema has details, and the declaration says
    /// whether a retry helps.
    pub(crate) fn outgoing(&self, failure: Failure) -> Result<Failure, InvalidDetails> {
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

    /// What becomes of the details of an error that arrives.
    pub(crate) fn received(&self, code: &str, details: &Value) -> Received {
        match self.get(code).filter(|declared| declared.schema.is_some()) {
            None => Received::Unknown,
            Some(declared) if declared.violations(details).is_empty() => Received::Valid,
            Some(_) => Received::Invalid,
        }
    }
}

impl DeclaredError {
    fn violations(&self, details: &Value) -> Violations {
        let validator = self.validator.get_or_init(|| {
            let schema = Schema::parse_text(self.schema.as_deref()?).ok()?;
            Some(Validator::new(&schema).redact(true))
        });
        match validator {
            Some(validator) => validator.validate(details),
            // Loaders and generated code check schemas; a descriptor that a program makes by hand may have any text.
            None => Violation {
                path: String::new(),
                message: "the schema of the details is invalid".to_owned(),
                keyword: Keyword::Schema,
            }
            .into(),
        }
    }
}

/// The violations of details as those of the error payload that contains them.
fn below(violations: Violations) -> Violations {
    let is_truncated = violations.is_truncated();
    let violations = violations.into_iter();
    let list = violations.map(|violation| Violation { path: format!("/details{}", violation.path), ..violation });
    Violations::new(list.collect(), is_truncated)
}

/// The declared errors of typed capabilities that a client has called, by the address of the constant that lists them:
/// constants live as long as the program, so that there are at most as many as capabilities.
#[derive(Default, Debug)]
pub(crate) struct TypedErrors(Mutex<HashMap<usize, Arc<DeclaredErrors>>>);

impl TypedErrors {
    pub(crate) fn of(&self, errors: &'static [ErrorDescriptor]) -> Arc<DeclaredErrors> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let declared = known.entry(errors.as_ptr().addr());
        let new = || Arc::new(DeclaredErrors::of(errors.iter().map(OwnedErrorDescriptor::from)));
        Arc::clone(declared.or_insert_with(new))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ERRORS: &[ErrorDescriptor] = &[
        ErrorDescriptor::new("NO_SEATS")
            .with_details_schema(r#"{"type":"object","properties":{"free":{"type":"integer"}},"required":["free"]}"#),
        ErrorDescriptor::new("CLOSED").with_retryable(true),
    ];

    fn outgoing(failure: Failure) -> Result<Failure, InvalidDetails> {
        TypedErrors::default().of(ERRORS).outgoing(failure)
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

    #[test]
    fn details_that_arrive_are_checked_by_the_contract_of_the_caller() {
        let errors = TypedErrors::default().of(ERRORS);
        assert_eq!(errors.received("NO_SEATS", &json!({"free": 1})), Received::Valid);
        assert_eq!(errors.received("NO_SEATS", &json!({})), Received::Invalid);
        assert_eq!(errors.received("CLOSED", &json!({})), Received::Unknown);
        assert_eq!(errors.received("NEW", &json!({})), Received::Unknown);
    }
}
