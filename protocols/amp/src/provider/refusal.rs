//! Why a request is refused before it runs.

use capgen_schema::{Violation, Violations};

use crate::body::{BodyError, ErrorBody};
use crate::cbor::{Map, Value};
use crate::code::Code;
use crate::version::CapabilityId;

/// The reason for an `ERROR` answer: a code, a message without values of the request, and details.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Refusal {
    pub(crate) code: Code,
    message: String,
    details: Option<Value>,
    /// Whether the same request may succeed later, if that does not follow from the code.
    retry: Option<bool>,
    /// The parts that the requester does not get.
    pub(crate) hidden: Option<Box<Hidden>>,
}

/// The parts of a refusal for the log.
#[derive(Clone, PartialEq, Default, Debug)]
pub(crate) struct Hidden {
    /// Why the requester may not ask, if neither the policy nor its permissions are the reason.
    pub(crate) reason: Option<&'static str>,
    /// The version that was selected.
    pub(crate) id: Option<CapabilityId>,
    /// The violations of `params`.
    pub(crate) violations: Option<Violations>,
}

impl Refusal {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: None, retry: None, hidden: None }
    }

    /// An error that the same request always gets, although others with this code may succeed later.
    pub(crate) fn lasting(code: Code, message: impl Into<String>) -> Self {
        Self { retry: Some(false), ..Self::new(code, message) }
    }

    /// The one answer to everything that the policy denies. It is the same whether or not the capability exists
    /// (decision 10), so it has no parameter.
    pub(crate) fn unauthorized() -> Self {
        Self::new(Code::Unauthorized, "the request is not allowed")
    }

    /// The same answer, for another reason than the policy or the permissions.
    pub(crate) fn unauthorized_because(reason: &'static str) -> Self {
        let hidden = Hidden { reason: Some(reason), ..Hidden::default() };
        Self { hidden: Some(Box::new(hidden)), ..Self::unauthorized() }
    }

    /// The refusal of an invocation of a version.
    pub(crate) fn of_version(self, id: &CapabilityId) -> Self {
        let hidden = Hidden { id: Some(id.clone()), ..self.hidden.map(|hidden| *hidden).unwrap_or_default() };
        Self { hidden: Some(Box::new(hidden)), ..self }
    }

    /// The refusal for these violations of `params`.
    pub(crate) fn for_violations(self, violations: Violations) -> Self {
        let hidden = Hidden { violations: Some(violations), ..Hidden::default() };
        Self { hidden: Some(Box::new(hidden)), ..self }
    }

    /// The body violates its CDDL.
    pub(crate) fn body(errors: &[BodyError]) -> Self {
        let list = errors.iter().map(|error| entry([("path", &error.path), ("message", &error.message)])).collect();
        let details = [("errors", Value::Array(list))].into_iter().collect::<Map>();
        let message = match errors.first() {
            Some(error) if error.path.is_empty() => format!("the body is invalid: {}", error.message),
            Some(error) => format!("the body is invalid at `{}`: {}", error.path, error.message),
            None => "the body is invalid".to_owned(),
        };
        Self { details: Some(details.into()), ..Self::new(Code::BadRequest, message) }
    }

    /// `params` violates the input schema. The violations have no values (section 12). `truncated` marks a report that
    /// has not all of them.
    pub(crate) fn params(violations: Violations) -> Self {
        let list = violations.iter().map(violation).collect();
        let mut details = [("violations", Value::Array(list))].into_iter().collect::<Map>();
        if violations.is_truncated() {
            details.insert("truncated", true);
        }
        let refusal = Self::new(Code::SchemaViolation, "`params` violates the input schema");
        Self { details: Some(details.into()), ..refusal.for_violations(violations) }
    }

    pub(crate) fn to_body(&self) -> ErrorBody {
        let body = ErrorBody::of(self.code, self.message.clone(), self.details.clone());
        ErrorBody { retry: self.retry.or(body.retry), ..body }
    }
}

fn violation(violation: &Violation) -> Value {
    entry([("path", &violation.path), ("keyword", violation.keyword.as_str()), ("message", &violation.message)])
}

fn entry<const N: usize>(members: [(&str, &str); N]) -> Value {
    Value::Map(members.into_iter().collect())
}
