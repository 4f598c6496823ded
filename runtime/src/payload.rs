//! Payloads: what stands between programs, checked on both sides.

use std::fmt;

use capgen_schema::{PayloadError, Validator, Violation, parse_payload};
use serde::Serialize;
use serde::de::{DeserializeOwned, Error as _};
use serde_json::Value;

use crate::Options;
use crate::wire::{self, PayloadSchema, Writer};

/// The request or the response of a capability.
///
/// Reading and checking are one pass over the text, as are checking and writing. Only when that fails does the
/// [`Validator`] look at the payload, to say everything that is wrong with it.
///
/// ```
/// use capgen::Payload;
/// use serde_json::json;
/// // A side without a schema: any JSON value.
/// let payload = serde_json::Value::from_json(br#"{"a": [1, 2.5]}"#)?;
/// assert_eq!(payload, json!({"a": [1, 2.5]}));
/// assert!(serde_json::Value::from_json(br#"{"a": 1, "a": 2}"#).is_err());
/// # Ok::<(), capgen::InvalidPayload>(())
/// ```
///
/// Generated types implement it, and types with `#[derive(Capability)]`; [`Checked`](crate::Checked) does for other types of
/// serde's that have a schema.
pub trait Payload: Serialize + DeserializeOwned {
    /// Reads a JSON text ([RFC 8259](https://www.rfc-editor.org/rfc/rfc8259)) in UTF-8.
    ///
    /// Costs one pass over a valid text. An invalid one costs a tree and a run of the [`Validator`] more.
    ///
    /// # Errors
    ///
    /// [`InvalidPayload::Syntax`] where it is no JSON text, has a name twice in an object, a lone surrogate, a number
    /// beyond binary64, or more than 128 levels; [`InvalidPayload::Violations`] with everything that the schema rejects,
    /// or else with the number that the Rust type does not hold.
    fn from_json(json: &[u8]) -> Result<Self, InvalidPayload> {
        Self::from_json_with(json, Options::new())
    }

    /// Reads a JSON text within limits.
    ///
    /// # Errors
    ///
    /// Those of [`from_json`](Self::from_json), within the limits.
    fn from_json_with(json: &[u8], options: Options) -> Result<Self, InvalidPayload> {
        Self::read(text_of(json, options)?, options)
    }

    /// Reads a JSON text, like [`from_json`](Self::from_json).
    ///
    /// # Errors
    ///
    /// Those of [`from_json`](Self::from_json).
    fn from_json_str(json: &str) -> Result<Self, InvalidPayload> {
        Self::read(json, Options::new())
    }

    /// Reads a tree. It is written as text first: [`from_json`](Self::from_json) is faster than making the tree.
    ///
    /// # Errors
    ///
    /// [`InvalidPayload::Violations`], as [`from_json`](Self::from_json).
    fn from_value(value: &Value) -> Result<Self, InvalidPayload> {
        Self::from_value_with(value, Options::new())
    }

    /// Reads a tree within limits.
    ///
    /// # Errors
    ///
    /// Those of [`from_value`](Self::from_value), within the limits.
    fn from_value_with(value: &Value, options: Options) -> Result<Self, InvalidPayload> {
        Self::read(&text_of_tree(value, Self::schema(), options)?, options)
    }

    /// Whether the schema allows the value: a program can make one that breaks a bound.
    ///
    /// Costs as much as [`to_json`](Self::to_json).
    ///
    /// # Errors
    ///
    /// [`InvalidPayload::Violations`] with everything that the schema rejects, numbers that are not finite, or more than
    /// 128 levels.
    fn validate(&self) -> Result<(), InvalidPayload> {
        self.to_json().map(drop)
    }

    /// Checks the value and writes it as JSON text, without white space.
    ///
    /// # Errors
    ///
    /// Those of [`validate`](Self::validate).
    fn to_json(&self) -> Result<Vec<u8>, InvalidPayload> {
        self.to_json_with(Options::new())
    }

    /// Checks the value within limits and writes it.
    ///
    /// # Errors
    ///
    /// Those of [`validate`](Self::validate), within the limits.
    fn to_json_with(&self, options: Options) -> Result<Vec<u8>, InvalidPayload> {
        self.write(options)
    }

    /// The interpreter for the schema, for payloads that are trees and stay so; compiled on first use.
    ///
    /// `None` where the program's schema does not load, which no generated one does.
    fn validator() -> Option<&'static Validator> {
        Self::schema().validator()
    }

    /// The schema in the contract.
    fn schema() -> &'static PayloadSchema;

    /// Reads a text: what the other methods are made of.
    ///
    /// # Errors
    ///
    /// Those of [`from_json`](Self::from_json), within the limits.
    fn read(json: &str, options: Options) -> Result<Self, InvalidPayload>;

    /// Writes a text: what the other methods are made of.
    ///
    /// # Errors
    ///
    /// Those of [`validate`](Self::validate), within the limits.
    fn write(&self, options: Options) -> Result<Vec<u8>, InvalidPayload>;

    /// What the type is in a capability, where Rust declares it.
    #[cfg(feature = "derive")]
    #[doc(hidden)]
    const SIDE: Option<crate::derive::Side> = None;
}

/// Why a payload is none.
#[derive(Debug)]
#[non_exhaustive]
pub enum InvalidPayload {
    /// It is no JSON text, or one that parsers read differently.
    Syntax(PayloadError),
    /// It breaks its schema: every violation, in the order of [`Validator::validate`].
    Violations(Vec<Violation>),
}

impl InvalidPayload {
    /// Every violation; none where the syntax is wrong.
    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        match self {
            Self::Syntax(_) => &[],
            Self::Violations(violations) => violations,
        }
    }
}

/// One line for each violation: its path, a colon and its message.
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

/// The payload of a side without a schema: any JSON value.
pub type Loose = Value;

impl Payload for Loose {
    fn schema() -> &'static PayloadSchema {
        static ANY: PayloadSchema = PayloadSchema::of(None);
        &ANY
    }

    fn read(json: &str, options: Options) -> Result<Self, InvalidPayload> {
        wire::read_payload(json, options)
    }

    fn write(&self, options: Options) -> Result<Vec<u8>, InvalidPayload> {
        wire::write_payload(self, options)
    }
}

fn text_of(json: &[u8], options: Options) -> Result<&str, InvalidPayload> {
    match std::str::from_utf8(json) {
        Ok(text) => Ok(text),
        // A parser of JSON stops where the text is wrong, be it before the byte that is no UTF-8.
        Err(error) => match parse_payload(json) {
            Err(error) => Err(InvalidPayload::Syntax(error.redact(options.redact))),
            Ok(_) => Err(InvalidPayload::Syntax(PayloadError::from(serde_json::Error::custom(error)))),
        },
    }
}

fn text_of_tree(value: &Value, schema: &PayloadSchema, options: Options) -> Result<String, InvalidPayload> {
    let mut writer = Writer::unchecked().max_depth(options.max_depth);
    match writer.value(value) {
        Some(()) => Ok(String::from_utf8_lossy(&writer.into_text()).into_owned()),
        None => Err(InvalidPayload::Violations(schema.violations(value, options))),
    }
}
