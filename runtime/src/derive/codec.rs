//! Payloads that serde reads and writes, and the interpreter checks.

use capgen_schema::{Keyword, MAX_PAYLOAD_DEPTH, PayloadError, Violation, parse_payload, pointer};
use serde_json::Value;
use serde_path_to_error::{Path, Segment};

use super::finite::{Finite, NotWritten};
use crate::wire::settle;
use crate::{InvalidPayload, Options, Payload};

/// 2^53: from here on a binary64 may stand for an integer that was rounded.
const ROUNDED: f64 = 9_007_199_254_740_992.0;

/// Reads a payload: a tree, a run of the interpreter, and serde.
///
/// # Errors
///
/// Those of [`Payload::from_json_with`].
pub(super) fn read<T: Payload>(json: &str, options: Options) -> Result<T, InvalidPayload> {
    let syntax = |error: PayloadError| InvalidPayload::Syntax(error.redact(options.redact));
    let tree = parse_payload(json.as_bytes()).map_err(syntax)?;
    let violations = T::schema().violations(&tree, options);
    if !violations.is_empty() {
        return Err(InvalidPayload::Violations(violations));
    }
    let mut deserializer = serde_json::Deserializer::from_str(json);
    deserializer.disable_recursion_limit();
    T::deserialize(&mut deserializer).or_else(|_| read_folded(&tree, options))
}

/// What serde rejects although the schema allows it: an integer that is written with a point, or the type is narrower.
#[cold]
fn read_folded<T: Payload>(tree: &Value, options: Options) -> Result<T, InvalidPayload> {
    // From text, as before: from a tree, serde makes an infinity of what an `f32` does not hold.
    let folded = fold(tree).to_string();
    let mut deserializer = serde_json::Deserializer::from_str(&folded);
    deserializer.disable_recursion_limit();
    serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let reason = error.inner().to_string();
        // The place in a text that nobody has seen.
        let reason = reason.rsplit_once(" at line ").map_or(reason.as_str(), |(reason, _)| reason);
        beyond_rust(to_pointer(error.path()), reason, options)
    })
}

/// The same value, with integers where a number has a point and no fraction: to JSON Schema `1.0` is an integer, not to serde.
fn fold(value: &Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0) {
            #[expect(clippy::cast_possible_truncation, reason = "below 2^53 an integer is exact")]
            Some(float) if float.abs() < ROUNDED => (float as i64).into(),
            _ => value.clone(),
        },
        Value::Array(items) => Value::Array(items.iter().map(fold).collect()),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(name, value)| (name.clone(), fold(value))).collect())
        }
        Value::Null | Value::Bool(_) | Value::String(_) => value.clone(),
    }
}

/// Writes a payload by serde and checks it.
///
/// # Errors
///
/// Those of [`Payload::to_json_with`]; what serde can't write, such as a map whose keys are no strings.
pub(super) fn write<T: Payload>(payload: &T, options: Options) -> Result<Vec<u8>, InvalidPayload> {
    match Finite::write(payload) {
        Ok((text, infinite)) => settle(text, infinite, T::schema(), options),
        Err(NotWritten::TooDeep) => Err(InvalidPayload::Violations(vec![Violation::too_deep(MAX_PAYLOAD_DEPTH)])),
        Err(NotWritten::Refused(error)) => Err(beyond_rust(String::new(), &error.to_string(), options)),
    }
}

/// What is told of a value that the schema allows, or may allow, and Rust does not.
fn beyond_rust(path: String, reason: &str, options: Options) -> InvalidPayload {
    let mut message = "not what the Rust type allows".to_owned();
    // What serde says may quote the payload.
    if !options.redact {
        message.push_str(": ");
        message.extend(reason.chars().take(200));
    }
    InvalidPayload::Violations(vec![Violation { path, message, keyword: Keyword::Type }])
}

fn to_pointer(path: &Path) -> String {
    let mut place = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => pointer::push(&mut place, &index.to_string()),
            Segment::Map { key } => pointer::push(&mut place, key),
            Segment::Enum { variant } => pointer::push(&mut place, variant),
            Segment::Unknown => break,
        }
    }
    place
}
