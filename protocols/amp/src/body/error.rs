//! `ERROR`.

use crate::cbor::{Map, Value};
use crate::code::Code;
use crate::reader::{BodyError, Reader};

/// The body of an `ERROR` (AMP RFC 001, `specs/amp-envelope.md`).
///
/// Later revisions may add codes and categories, so a reader accepts every number and every text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ErrorBody {
    /// The code, usually that of a [`Code`].
    pub code: u64,
    /// The category of the code.
    pub category: String,
    /// A text for humans. It comes from the peer: treat it as untrusted.
    pub message: String,
    /// More about the error, in any form.
    pub details: Option<Value>,
    /// Whether the same request may succeed later.
    pub retry: Option<bool>,
}

impl ErrorBody {
    /// An error with the category of its code, and with `retry`.
    #[must_use]
    pub fn of(code: Code, message: impl Into<String>, details: Option<Value>) -> Self {
        Self {
            code: u64::from(code.number()),
            category: code.category().name().to_owned(),
            message: message.into(),
            details,
            retry: Some(code.is_retryable()),
        }
    }

    /// Reads a body.
    ///
    /// # Errors
    ///
    /// All violations of the CDDL.
    pub fn read(body: &Value) -> Result<Self, Vec<BodyError>> {
        Reader::read(body, |reader, body| {
            let map = reader.map(body)?;
            let code = reader.required(map, "code", Reader::unsigned);
            let category = reader.required(map, "category", Reader::string);
            let message = reader.required(map, "message", Reader::string);
            let details = map.get("details").cloned();
            let retry = reader.optional(map, "retry", Reader::bool);
            Some(Self { code: code?, category: category?, message: message?, details, retry })
        })
    }

    /// The CBOR map.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let Self { code, category, message, details, retry } = self;
        let mut map = Map::new();
        map.insert("code", *code);
        map.insert("category", category.as_str());
        map.insert("message", message.as_str());
        if let Some(details) = details {
            map.insert("details", details.clone());
        }
        if let Some(retry) = retry {
            map.insert("retry", *retry);
        }
        map.into()
    }
}
