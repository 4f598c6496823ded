//! Payloads: requests and responses, checked by the sender and by the receiver.

use capgen_schema::{PayloadError, Validator, parse_payload};
use serde::Serialize;
use serde::de::{DeserializeOwned, Error as _};
use serde_json::Value;

use crate::wire::{self, PayloadSchema, Writer};
use crate::{InvalidPayload, Options};

/// The request or the response of a capability.
///
/// Reading and checking are one pass over the text, as are checking and writing. Only if that pass fails, the
/// [`Validator`] validates the payload, to report the violations.
///
/// ```
/// use capgen::Payload;
/// use serde_json::json;
/// // Without a schema, any JSON value is valid.
/// let payload = serde_json::Value::from_json(br#"{"a": [1, 2.5]}"#)?;
/// assert_eq!(payload, json!({"a": [1, 2.5]}));
/// assert!(serde_json::Value::from_json(br#"{"a": 1, "a": 2}"#).is_err());
/// # Ok::<(), capgen::InvalidPayload>(())
/// ```
///
/// Generated types and types with `#[derive(Capability)]` implement it. [`Checked`](crate::Checked) implements it for
/// other serde types that have a schema.
pub trait Payload: Serialize + DeserializeOwned {
    /// Reads a JSON text ([RFC 8259](https://www.rfc-editor.org/rfc/rfc8259)) in UTF-8.
    ///
    /// A valid text costs one pass. An invalid text also costs a tree and a run of the [`Validator`].
    ///
    /// A thread needs only 32 KiB of stack to read, reject, check or write any payload: if little is left, these
    /// functions continue on a stack of their own. Dropping, comparing or printing a value recurses as deep as the
    /// value, at most 128 levels, on the stack of the thread. 64 KiB are enough to drop it, or 256 KiB in a debug
    /// build.
    ///
    /// # Errors
    ///
    /// [`InvalidPayload::Syntax`] if the text is not valid JSON, or has a duplicate name in an object, a lone
    /// surrogate, a number outside the range of binary64, or more than 128 levels. [`InvalidPayload::Violations`] with
    /// the violations of the schema; otherwise, with the number that the Rust type cannot represent.
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

    /// Reads a tree. It is written as text first, so with a text at hand, [`from_json`](Self::from_json) is faster.
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

    /// Checks the value: a program can construct one that breaks its schema.
    ///
    /// Costs as much as [`to_json`](Self::to_json).
    ///
    /// # Errors
    ///
    /// [`InvalidPayload::Violations`] with the violations of the schema, including numbers that are not finite and more
    /// than 128 levels.
    fn validate(&self) -> Result<(), InvalidPayload> {
        self.to_json().map(drop)
    }

    /// Checks the value and writes it as JSON text without whitespace.
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

    /// The interpreter of the schema, for payloads that stay trees; compiled on first use.
    ///
    /// `None` if the schema does not load. Generated schemas always load.
    fn validator() -> Option<&'static Validator> {
        Self::schema().validator()
    }

    /// The schema in the contract.
    fn schema() -> &'static PayloadSchema;

    /// Reads a text. The other methods that read call this one.
    ///
    /// # Errors
    ///
    /// Those of [`from_json`](Self::from_json), within the limits.
    fn read(json: &str, options: Options) -> Result<Self, InvalidPayload>;

    /// Writes a text. The other methods that write call this one.
    ///
    /// # Errors
    ///
    /// Those of [`validate`](Self::validate), within the limits.
    fn write(&self, options: Options) -> Result<Vec<u8>, InvalidPayload>;
}

/// The payload of a request or a response without a schema: any JSON value.
pub type Loose = Value;

impl Payload for Loose {
    fn schema() -> &'static PayloadSchema {
        static ANY: PayloadSchema = PayloadSchema::new("true");
        &ANY
    }

    fn read(json: &str, options: Options) -> Result<Self, InvalidPayload> {
        wire::read_payload(json, options, Self::schema())
    }

    fn write(&self, options: Options) -> Result<Vec<u8>, InvalidPayload> {
        wire::write_payload(self, options, Self::schema())
    }
}

fn text_of(json: &[u8], options: Options) -> Result<&str, InvalidPayload> {
    match std::str::from_utf8(json) {
        Ok(text) => Ok(text),
        // A syntax error before the first byte that is not UTF-8 comes first, as in every parser that reads bytes.
        Err(error) => match wire::with_room_to_validate(|| parse_payload(json)) {
            Err(error) => Err(InvalidPayload::Syntax(error.redact(options.redact))),
            Ok(_) => Err(InvalidPayload::Syntax(PayloadError::from(serde_json::Error::custom(error)))),
        },
    }
}

fn text_of_tree(value: &Value, schema: &PayloadSchema, options: Options) -> Result<String, InvalidPayload> {
    let mut writer = Writer::unchecked().max_depth(options.max_depth);
    match wire::with_room(|| writer.value(value)) {
        Some(()) => Ok(String::from_utf8_lossy(&writer.into_text()).into_owned()),
        None => Err(InvalidPayload::Violations(schema.violations_of_tree(value, options))),
    }
}
