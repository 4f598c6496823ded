//! `CAP_RESULT`.

use crate::cbor::{Map, Value};
use crate::code::Code;
use crate::reader::{BodyError, Reader};

/// The body of a `CAP_RESULT` (section 7.4): the terminal result of an accepted invocation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CapResult {
    /// `success`, with `result`.
    Success(Value),
    /// `error`, with `error`.
    Error(ResultError),
}

/// The error of an invocation that was accepted and failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResultError {
    /// The code, usually that of a [`Code`].
    pub code: u64,
    /// The name of the code.
    pub name: Option<String>,
    /// A text for humans. It comes from the peer: treat it as untrusted.
    pub message: Option<String>,
    /// More about the error, in any form.
    pub details: Option<Value>,
}

impl ResultError {
    /// An error with the name of its code.
    #[must_use]
    pub fn of(code: Code, message: impl Into<String>) -> Self {
        let (number, name) = (u64::from(code.number()), code.name().to_owned());
        Self { code: number, name: Some(name), message: Some(message.into()), details: None }
    }

    fn read<'v>(reader: &mut Reader<'v>, value: &'v Value) -> Option<Self> {
        let map = reader.map(value)?;
        let code = reader.required(map, "code", Reader::unsigned);
        let name = reader.optional(map, "name", Reader::string);
        let message = reader.optional(map, "message", Reader::string);
        Some(Self { code: code?, name, message, details: map.get("details").cloned() })
    }

    fn to_map(&self) -> Map {
        let Self { code, name, message, details } = self;
        let mut map = Map::new();
        map.insert("code", *code);
        for (key, text) in [("name", name), ("message", message)] {
            if let Some(text) = text {
                map.insert(key, text.as_str());
            }
        }
        if let Some(details) = details {
            map.insert("details", details.clone());
        }
        map
    }
}

impl CapResult {
    /// Reads a body.
    ///
    /// # Errors
    ///
    /// All violations of the CDDL, such as `result` together with `error` (decision 3); of more than 100, the first
    /// 100.
    pub fn read(body: &Value) -> Result<Self, Vec<BodyError>> {
        Reader::read(body, |reader, body| {
            let map = reader.map(body)?;
            let statuses = [("success", true), ("error", false)];
            let is_success = reader.required(map, "status", |reader, value| reader.one_of(value, &statuses));
            let error = reader.optional(map, "error", ResultError::read);
            let (expected, other) = if is_success? { ("result", "error") } else { ("error", "result") };
            if map.get(other).is_some() {
                reader.report_at(other, "not allowed with this `status`");
            }
            let content = reader.required(map, expected, |_, value| Some(value))?;
            if is_success? { Some(Self::Success(content.clone())) } else { error.map(Self::Error) }
        })
    }

    /// The CBOR map.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let (status, key, value) = match self {
            Self::Success(result) => ("success", "result", result.clone()),
            Self::Error(error) => ("error", "error", error.to_map().into()),
        };
        let mut map = Map::new();
        map.insert("status", status);
        map.insert(key, value);
        map.into()
    }
}
