//! Messages that are rejected.

use std::fmt;

use crate::Code;
use crate::cbor::DecodeError;

/// The reason why a message is rejected. The text contains no part of the message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rejection {
    /// The code that a peer receives, if it receives an answer.
    pub code: Code,
    /// One sentence.
    pub message: String,
}

impl Rejection {
    /// A rejection with this code.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

/// The code, its name and the message: `1002 INVALID_SIGNATURE: ...`.
impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

/// 1001: the bytes are not a message.
impl From<DecodeError> for Rejection {
    fn from(error: DecodeError) -> Self {
        Self::new(Code::InvalidMessage, error.to_string())
    }
}

impl std::error::Error for Rejection {}
