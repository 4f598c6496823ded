//! The failure of a handler.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use capgen_payload::{Options, Payload, Violations};
use serde_json::Value;

use crate::envelope::ErrorPayload;
use crate::outcome::{CallError, code};
use crate::violation::list;

/// Why a handler could not answer a request. The caller gets its code and message, and never its cause.
///
/// A handler ends with `?` on an error of its own, if there is one conversion:
///
/// ```
/// use capgen_call::Failure;
/// use std::io;
///
/// struct Unavailable(io::Error);
///
/// impl From<Unavailable> for Failure {
///     fn from(Unavailable(error): Unavailable) -> Self {
///         Self::new("UNAVAILABLE", "the store cannot be reached").retryable().caused_by(error)
///     }
/// }
///
/// let failure = Failure::from(Unavailable(io::Error::other("connection refused by 10.0.0.7")));
/// assert_eq!(failure.to_string(), "UNAVAILABLE: the store cannot be reached");
/// assert_eq!(std::error::Error::source(&failure).map(ToString::to_string).as_deref(), Some("connection refused by 10.0.0.7"));
/// ```
#[derive(Clone)]
pub struct Failure {
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) retryable: bool,
    /// In a box, because results that are returned by value should be small.
    pub(crate) details: Option<Box<Details>>,
    cause: Option<Arc<dyn Error + Send + Sync>>,
    /// Whether it is the error of a call that this program made, whose code may be one of the protocol.
    is_received: bool,
}

/// The details of a failure.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Details {
    /// They conform to the schema of their own type.
    Valid(Value),
    /// The violations, without values, of details that violate the schema of their own type.
    Invalid(Violations),
}

/// The most errors of a chain of causes in the log. Usual chains have fewer than 5, and one may be a ring.
const MAX_CAUSES: usize = 16;

impl Failure {
    /// A failure. The code is for programs, such as `PR_NOT_FOUND`. A code that is empty, longer than 128 code points,
    /// contains control characters, or is one of [`code`](crate::code), which have meanings of their own, becomes
    /// `EAGENTRPC_HANDLER_FAILED`. Neither text may contain secrets.
    #[must_use]
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        let mut code = code.into();
        let is_invalid = code.is_empty() || code.chars().count() > 128 || code.contains(char::is_control);
        if is_invalid || code::is_of_protocol(&code) {
            crate::code::HANDLER_FAILED.clone_into(&mut code);
        }
        Self { code, message: message.into(), retryable: false, details: None, cause: None, is_received: false }
    }

    /// A failure without a code of its own.
    pub(crate) fn handler_failed(message: String) -> Self {
        Self::new(code::HANDLER_FAILED, message)
    }

    /// The same request may succeed later. Callers with retries try again if the capability is idempotent. If the
    /// capability declares the code, its declaration decides instead.
    #[must_use]
    pub fn retryable(self) -> Self {
        Self { retryable: true, ..self }
    }

    /// The failure with details for programs. They are sent if the capability declares the code with a schema of its
    /// details, and dropped otherwise, except by a handler without a contract. If they violate that schema, or are
    /// missing, the caller gets `EAGENTRPC_HANDLER_FAILED` instead, and the audit a record of the violations.
    ///
    /// ```
    /// use capgen_call::Failure;
    /// let failure = Failure::new("NO_SEATS", "all seats are taken").with_details(&serde_json::json!({"free": 0}));
    /// assert_eq!(failure.details(), Some(&serde_json::json!({"free": 0})));
    /// ```
    #[must_use]
    pub fn with_details<T: Payload>(self, details: &T) -> Self {
        let text = details.to_json_with(Options::new().redact(true));
        let details = text.and_then(|text| Value::from_json_with(&text, Options::new().redact(true)));
        let details = match details {
            Ok(details) => Details::Valid(details),
            Err(error) => Details::Invalid(list(error)),
        };
        Self { details: Some(Box::new(details)), ..self }
    }

    /// The same failure without details, of which the log has a note.
    pub(crate) fn without_details(self) -> Self {
        if self.details.is_some() {
            tracing::warn!(code = self.code, "details are dropped, because the capability declares none for the code");
        }
        Self { details: None, ..self }
    }

    /// The failure of a call as an error of its capability has it: with the code and the details that arrived, also if
    /// the code is one of [`code`](crate::code). If it is the failure of a handler later, its caller gets such a code
    /// as `EAGENTRPC_HANDLER_FAILED`.
    pub(crate) fn received(error: CallError) -> Self {
        let details = error.details().cloned().map(|details| Box::new(Details::Valid(details)));
        Self {
            code: error.code,
            message: error.message,
            retryable: error.retryable,
            details,
            cause: None,
            is_received: true,
        }
    }

    /// The failure as one of a handler.
    pub(crate) fn of_handler(self) -> Self {
        if !self.is_received {
            return self;
        }
        let Self { code, message, retryable, .. } = self;
        Self { retryable, ..Self::new(code, format!("a call failed: {message}")) }
    }

    /// The failure with the error that caused it, for the log of the provider: it never leaves the program, so that it
    /// may name files, addresses and queries, but should have no values of payloads. It is the
    /// [`source`](Error::source) of the failure.
    #[must_use]
    pub fn caused_by(self, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { cause: Some(cause.into().into()), ..self }
    }

    /// Writes the cause, with those below it, to the log.
    pub(crate) fn log(&self) {
        let Some(cause) = &self.cause else { return };
        let first: &(dyn Error + 'static) = &**cause;
        let chain = std::iter::successors(Some(first), |error| (*error).source());
        let causes: Vec<String> = chain.take(MAX_CAUSES).map(ToString::to_string).collect();
        tracing::warn!(code = self.code, cause = causes.join(": "), "the handler failed");
    }
}

/// Whether a caller gets the same.
impl PartialEq for Failure {
    fn eq(&self, other: &Self) -> bool {
        (&self.code, &self.message, self.retryable, &self.details)
            == (&other.code, &other.message, other.retryable, &other.details)
    }
}

impl Eq for Failure {}

impl Failure {
    /// The code.
    #[must_use]
    pub fn code(&self) -> &str {
        &self.code
    }

    /// The message.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Whether the same request may succeed later.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        self.retryable
    }

    /// The details; `None` if there are none, or if they violate the schema of their type.
    #[must_use]
    pub fn details(&self) -> Option<&Value> {
        match self.details.as_deref() {
            Some(Details::Valid(details)) => Some(details),
            Some(Details::Invalid(_)) | None => None,
        }
    }
}

impl From<CallError> for Failure {
    /// The failure of a handler because a call that it made failed. The caller gets the message without violations and
    /// details, and the code unless it is one of [`code`](crate::code). The error is not the cause, because its text
    /// has values of payloads, which logs must not have.
    fn from(error: CallError) -> Self {
        Self::received(error).of_handler()
    }
}

impl From<Failure> for ErrorPayload {
    /// The payload of the answer.
    fn from(failure: Failure) -> Self {
        let details = failure.details().cloned();
        let error = Self::of(&failure.code, failure.message).with_retryable(failure.retryable);
        Self { details, ..error }
    }
}

impl fmt::Debug for Failure {
    /// Leaves out the details, which are values of payloads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut failure = f.debug_struct("Failure");
        failure.field("code", &self.code).field("message", &self.message).field("retryable", &self.retryable);
        failure.field("cause", &self.cause).finish_non_exhaustive()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as &(dyn Error + 'static))
    }
}
