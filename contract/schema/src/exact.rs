//! Payloads with every digit of their numbers.
//!
//! serde_json rounds a number to binary64 unless it is a 64-bit integer, so a tree alone cannot show that
//! `0.10000000000000000001` is more than `0.1`. Numbers that lose digits are rare. They are kept beside the tree, which
//! stays the same for every other payload.

use std::collections::HashMap;

use serde_json::Value;

use crate::cursor::JsonCursor;
use crate::payload_text::{PayloadError, parse_payload};
use crate::text::parse_payload_text;
use crate::validate::{canonical, to_integer};
use crate::{Json, Number};

/// A parsed payload whose numbers keep all their digits.
///
/// [`Validator::validate_exact`](crate::Validator::validate_exact) compares these digits with those of the schema.
///
/// ```
/// use capgen_schema::{ExactPayload, Schema, Validator};
/// let validator = Validator::new(&Schema::parse_text(r#"{"const": 0.1}"#)?);
/// let payload = ExactPayload::parse(b"0.10000000000000000001")?;
/// assert!(!validator.is_valid_exact(&payload));
/// assert!(validator.is_valid(payload.value()), "the tree is rounded");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ExactPayload {
    /// On the heap, so that the addresses of its numbers stay the same when the payload moves.
    value: Box<Value>,
    rounded: Rounded,
}

/// The numbers that the tree rounds, by their address in the tree.
type Rounded = HashMap<usize, Number>;

/// The exact values of the numbers of a payload, for those that its tree rounds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Digits<'v>(Option<&'v Rounded>);

impl ExactPayload {
    /// Parses one JSON text, as [`parse_payload`] does. Takes time linear in its length.
    ///
    /// # Errors
    /// Those of [`parse_payload`].
    pub fn parse(bytes: &[u8]) -> Result<Self, PayloadError> {
        let value = parse_payload(bytes)?;
        // The parser has checked that the text is UTF-8.
        Ok(Self::new(std::str::from_utf8(bytes).unwrap_or_default(), value))
    }

    /// The payload of a tree that was parsed from `text`. If `text` is another text, the digits of its numbers are not
    /// kept.
    pub fn new(text: &str, value: Value) -> Self {
        let mut payload = Self { value: Box::new(value), rounded: Rounded::new() };
        if has_rounded_number(text)
            && let Ok(exact) = parse_payload_text(text)
        {
            collect(&exact, &payload.value, &mut payload.rounded);
        }
        payload
    }

    /// The payload with the value of a JSON value. The recursion is as deep as `exact`.
    pub(crate) fn of(exact: &Json) -> Self {
        let mut payload = Self { value: Box::new(exact.to_value()), rounded: Rounded::new() };
        collect(exact, &payload.value, &mut payload.rounded);
        payload
    }

    /// The text in canonical form ([RFC 8785](https://www.rfc-editor.org/rfc/rfc8785)), with all digits of its numbers.
    /// Payloads are equal if their canonical forms are.
    ///
    /// ```
    /// use capgen_schema::ExactPayload;
    /// let payload = ExactPayload::parse(br#"{"b": 0.10000000000000000001, "a": 1e2}"#)?;
    /// assert_eq!(payload.canonical(), r#"{"a":100,"b":0.10000000000000000001}"#);
    /// # Ok::<(), capgen_schema::PayloadError>(())
    /// ```
    pub fn canonical(&self) -> String {
        canonical(&self.value, self.digits())
    }

    /// The tree with integers instead of numbers without a fraction, if they have at most 64 bits: for JSON Schema,
    /// `1.0` is an integer; for serde, it is not.
    pub fn with_integers(&self) -> Value {
        with_integers(&self.value, self.digits())
    }

    /// The tree, in which numbers are rounded to binary64 unless they are 64-bit integers.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The tree alone.
    pub fn into_value(self) -> Value {
        *self.value
    }

    /// Whether the tree rounds a number.
    pub fn is_rounded(&self) -> bool {
        !self.rounded.is_empty()
    }

    pub(crate) fn digits(&self) -> Digits<'_> {
        Digits(self.is_rounded().then_some(&self.rounded))
    }
}

impl From<Value> for ExactPayload {
    /// The payload of a tree without a text. Each binary64 counts as the shortest decimal that parses to it.
    fn from(value: Value) -> Self {
        Self { value: Box::new(value), rounded: Rounded::new() }
    }
}

impl<'v> Digits<'v> {
    /// A tree without a text: its numbers are as exact as they are known.
    pub(crate) const OF_TREE: Digits<'static> = Digits(None);

    /// The exact value of a number in the tree, if the tree rounds it.
    #[inline]
    pub(crate) fn of(self, number: &serde_json::Number) -> Option<&'v Number> {
        self.0?.get(&address(number))
    }
}

fn address(number: &serde_json::Number) -> usize {
    std::ptr::from_ref(number).addr()
}

/// Adds the numbers that are rounded. The recursion is as deep as the value.
fn collect(exact: &Json, value: &Value, rounded: &mut Rounded) {
    match (exact, value) {
        (Json::Number(exact), Value::Number(number)) if Number::from_payload(number).as_ref() != Some(exact) => {
            rounded.insert(address(number), exact.clone());
        }
        (Json::Array(exact), Value::Array(items)) => {
            exact.iter().zip(items).for_each(|(exact, item)| collect(exact, item, rounded));
        }
        (Json::Object(exact), Value::Object(members)) => {
            for (name, exact) in exact {
                members.get(name).into_iter().for_each(|member| collect(exact, member, rounded));
            }
        }
        _ => {}
    }
}

fn with_integers(value: &Value, digits: Digits<'_>) -> Value {
    match value {
        Value::Number(number) => match to_integer(number, digits).map(|integer| (i64::try_from(integer), integer)) {
            Some((Ok(integer), _)) => integer.into(),
            Some((Err(_), integer)) => u64::try_from(integer).map_or_else(|_| value.clone(), Value::from),
            None => value.clone(),
        },
        Value::Array(items) => Value::Array(items.iter().map(|item| with_integers(item, digits)).collect()),
        Value::Object(members) => {
            let members = members.iter().map(|(name, member)| (name.clone(), with_integers(member, digits)));
            Value::Object(members.collect())
        }
        Value::Null | Value::Bool(_) | Value::String(_) => value.clone(),
    }
}

/// Whether a JSON text contains a number that a `serde_json::Value` rounds.
fn has_rounded_number(text: &str) -> bool {
    let mut cursor = JsonCursor::new(text, 0);
    while let Some(byte) = cursor.peek() {
        match byte {
            b'"' => cursor.skip_string(),
            b'-' | b'0'..=b'9' => {
                if cursor.number().is_some_and(Number::is_rounded_text) {
                    return true;
                }
            }
            _ => cursor.advance(1),
        }
    }
    false
}

impl Number {
    /// Whether a `serde_json::Value` rounds the number of this text: it is not a 64-bit integer, and not the shortest
    /// decimal of its nearest binary64. A number that underflows to zero does not count, and neither does a text that
    /// is not a number.
    ///
    /// ```
    /// use capgen_schema::Number;
    /// assert!(Number::is_rounded_text("0.10000000000000000001"));
    /// assert!(Number::is_rounded_text("9007199254740993.0"));
    /// assert!(!Number::is_rounded_text("0.1") && !Number::is_rounded_text("9007199254740993"));
    /// ```
    pub fn is_rounded_text(text: &str) -> bool {
        // Decimals of few digits are always the shortest ones of their binary64, except in the subnormal range.
        let is_short = text.len() <= f64::DIGITS as usize && !text.contains(['e', 'E']);
        if is_short || text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok() {
            return false;
        }
        let Ok(exact) = text.parse::<Number>() else { return false };
        exact.compare_float(exact.as_f64()).is_ne()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_a_tree_rounds_keep_their_digits() {
        let text =
            r#"{"a\"1.00000000000000000001": [0.1, 1.00000000000000000001, {"b": -9007199254740993.0}], "c": 1e-400}"#;
        let payload = ExactPayload::parse(text.as_bytes()).unwrap();
        let list = &payload.value()["a\"1.00000000000000000001"];
        let digits = |value: &Value| payload.digits().of(value.as_number().unwrap()).map(ToString::to_string);
        assert_eq!(digits(&list[0]), None);
        assert_eq!(digits(&list[1]).as_deref(), Some("1.00000000000000000001"));
        assert_eq!(digits(&list[2]["b"]).as_deref(), Some("-9007199254740993"));
        assert_eq!(digits(&payload.value()["c"]), None, "a number that underflows is zero");
    }

    #[test]
    fn the_root_keeps_its_digits_when_the_payload_moves() {
        let payloads = ["1.00000000000000000001", "2"].map(|text| ExactPayload::parse(text.as_bytes()).unwrap());
        let [rounded, exact] = payloads.map(Box::new);
        assert!(rounded.digits().of(rounded.value().as_number().unwrap()).is_some());
        assert!(rounded.is_rounded() && !exact.is_rounded());
    }

    #[test]
    fn a_number_is_rounded_if_its_tree_prints_another_value() {
        for (text, expected) in [
            ("18446744073709551615", false),
            ("18446744073709551616", true),
            ("18446744073709552000", false),
            ("9223372036854775807.0", true),
            ("1e23", false),
            ("99999999999999991611392", true),
            ("0.30000000000000004", false),
            ("4e-324", true),
            ("5e-324", false),
            ("1.0000000000000000000", false),
        ] {
            assert_eq!(has_rounded_number(text), expected, "{text}");
            assert_eq!(ExactPayload::parse(text.as_bytes()).unwrap().is_rounded(), expected, "{text}");
        }
    }
}
