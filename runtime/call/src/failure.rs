//! The failure of a handler.

use std::fmt;

use crate::outcome::CallError;

/// Why a handler could not answer a request. The caller gets its code and message.
///
/// ```
/// use capgen_call::Failure;
/// let failure = Failure::new("PR_NOT_FOUND", "there is no pull request 7");
/// assert_eq!(failure.to_string(), "PR_NOT_FOUND: there is no pull request 7");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) retryable: bool,
}

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
        Self { code, message: message.into(), retryable: false }
    }

    /// The same request may succeed later. Callers with retries try again if the capability is idempotent.
    #[must_use]
    pub fn retryable(self) -> Self {
        Self { retryable: true, ..self }
    }
}

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
    /// values, and the code unless it is one of [`code`](crate::code).
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

impl std::error::Error for Failure {}
