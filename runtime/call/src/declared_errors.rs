//! The declared errors of a capability, by which details are checked where they leave the provider and where they
//! arrive.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use capgen_descriptor::{ErrorDescriptor, OwnedErrorDescriptor};
use capgen_payload::{Keyword, Validator, Violation, Violations};
use capgen_schema::Schema;
use serde_json::Value;

/// The errors that a capability declares.
#[derive(Debug)]
pub(crate) struct DeclaredErrors(Vec<DeclaredError>);

#[derive(Debug)]
pub(crate) struct DeclaredError {
    code: String,
    pub(crate) retryable: bool,
    /// The JSON Schema of the details.
    pub(crate) schema: Option<String>,
    /// Compiled with the first error: most programs never get one.
    validator: OnceLock<Option<Validator>>,
}

/// Whether details that arrive reach the caller.
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

    pub(crate) fn get(&self, code: &str) -> Option<&DeclaredError> {
        self.0.iter().find(|error| error.code == code)
    }

    /// Whether the details of an error that arrives reach the caller.
    pub(crate) fn received(&self, code: &str, details: &Value) -> Received {
        match self.get(code).filter(|declared| declared.schema.is_some()) {
            None => Received::Unknown,
            Some(declared) if declared.violations(details).is_empty() => Received::Valid,
            Some(_) => Received::Invalid,
        }
    }
}

impl DeclaredError {
    pub(crate) fn violations(&self, details: &Value) -> Violations {
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
    use serde_json::json;

    use super::*;

    const ERRORS: &[ErrorDescriptor] = &[
        ErrorDescriptor::new("NO_SEATS")
            .with_details_schema(r#"{"type":"object","properties":{"free":{"type":"integer"}},"required":["free"]}"#),
        ErrorDescriptor::new("CLOSED").with_retryable(true),
    ];

    #[test]
    fn details_that_arrive_are_checked_by_the_contract_of_the_caller() {
        let errors = TypedErrors::default().of(ERRORS);
        assert_eq!(errors.received("NO_SEATS", &json!({"free": 1})), Received::Valid);
        assert_eq!(errors.received("NO_SEATS", &json!({})), Received::Invalid);
        assert_eq!(errors.received("CLOSED", &json!({})), Received::Unknown);
        assert_eq!(errors.received("NEW", &json!({})), Received::Unknown);
    }
}
