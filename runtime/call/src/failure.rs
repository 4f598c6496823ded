//! The failure of a handler.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::outcome::CallError;

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
#[derive(Clone, Debug)]
pub struct Failure {
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) retryable: bool,
    cause: Option<Arc<dyn Error + Send + Sync>>,
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
        let is_reserved = code.starts_with("EAGENTRPC_") || code == crate::code::VERSION_SKEW;
        if code.is_empty() || code.chars().count() > 128 || code.contains(char::is_control) || is_reserved {
            crate::code::HANDLER_FAILED.clone_into(&mut code);
        }
        Self { code, message: message.into(), retryable: false, cause: None }
    }

    /// The same request may succeed later. Callers with retries try again if the capability is idempotent.
    #[must_use]
    pub fn retryable(self) -> Self {
        Self { retryable: true, ..self }
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
        (&self.code, &self.message, self.retryable) == (&other.code, &other.message, other.retryable)
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
}

impl From<CallError> for Failure {
    /// The failure of a handler because a call that it made failed. The caller gets the message without violations and
    /// values, and the code unless it is one of [`code`](crate::code). The error is not the cause, because its text
    /// has values of payloads, which logs must not have.
    fn from(error: CallError) -> Self {
        let failure = Self::new(error.code, format!("a call failed: {}", error.message));
        if error.retryable { failure.retryable() } else { failure }
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
