//! The error of reading and writing payloads.

use std::fmt;

use capgen_schema::{PayloadError, Violation};

/// Why a payload was rejected.
///
/// [`Display`](fmt::Display) writes one line for each violation: its path, a colon and its message.
///
/// ```
/// use capgen::{InvalidPayload, Payload};
/// let error = serde_json::Value::from_json(br#"{"a": 1, "a": 2}"#).unwrap_err();
/// assert!(matches!(error, InvalidPayload::Syntax(_)));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum InvalidPayload {
    /// The text is not valid JSON, or is one that parsers read differently.
    Syntax(PayloadError),
    /// The payload breaks its schema: every violation, in the order of [`Validator::validate`](crate::Validator::validate).
    Violations(Vec<Violation>),
}

impl InvalidPayload {
    /// Every violation; empty for a syntax error.
    ///
    /// ```
    /// use capgen::Payload;
    /// let error = serde_json::Value::from_json(b"[").unwrap_err();
    /// assert!(error.violations().is_empty());
    /// ```
    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        match self {
            Self::Syntax(_) => &[],
            Self::Violations(violations) => violations,
        }
    }
}

impl fmt::Display for InvalidPayload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => error.fmt(f),
            Self::Violations(violations) => {
                for (index, Violation { path, message, .. }) in violations.iter().enumerate() {
                    let (end, colon) = (if index > 0 { "\n" } else { "" }, if path.is_empty() { "" } else { ": " });
                    write!(f, "{end}{path}{colon}{message}")?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for InvalidPayload {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Syntax(error) => Some(error),
            Self::Violations(_) => None,
        }
    }
}
