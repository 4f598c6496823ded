//! Reading and writing payloads by serde, with checks by the interpreter.

use capgen_schema::{ExactPayload, Keyword, MAX_PAYLOAD_DEPTH, PayloadError, ReportBudget, Violation, pointer};
use serde_path_to_error::{Path, Segment};

use super::serializer::{Finite, NotWritten};
use crate::wire::{settle, with_room_to_validate};
use crate::{InvalidPayload, Options, Payload};

/// Reads a payload: parses a tree, validates it by the interpreter, and deserializes the text.
///
/// # Errors
///
/// Those of [`Payload::from_json_with`].
pub(super) fn read<T: Payload>(json: &str, options: Options) -> Result<T, InvalidPayload> {
    with_room_to_validate(|| {
        let syntax = |error: PayloadError| InvalidPayload::Syntax(error.redact(options.redact));
        let payload = ExactPayload::parse(json.as_bytes()).map_err(syntax)?;
        let violations = T::schema().violations(&payload, options);
        if !violations.is_empty() {
            return Err(InvalidPayload::Violations(violations));
        }
        let mut deserializer = serde_json::Deserializer::from_str(json);
        deserializer.disable_recursion_limit();
        T::deserialize(&mut deserializer).or_else(|_| read_folded(&payload, options))
    })
}

/// Reads a payload that the schema allows and serde rejected. Either an integer is written with a point, which serde
/// does not accept, or the Rust type is narrower than its schema, which is an error.
#[cold]
fn read_folded<T: Payload>(payload: &ExactPayload, options: Options) -> Result<T, InvalidPayload> {
    // From text again: from a tree, serde would turn a number outside the range of `f32` into an infinity.
    let folded = payload.with_integers().to_string();
    let mut deserializer = serde_json::Deserializer::from_str(&folded);
    deserializer.disable_recursion_limit();
    serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let reason = error.inner().to_string();
        // Drops the line and column, which are those of a text that the caller has not seen.
        let reason = reason.rsplit_once(" at line ").map_or(reason.as_str(), |(reason, _)| reason);
        beyond_rust(to_pointer(error.path(), options.budget), reason, options)
    })
}

/// Writes a payload by serde and checks it.
///
/// # Errors
///
/// Those of [`Payload::to_json_with`], and values that serde cannot write as JSON, such as a map whose keys are not
/// strings.
pub(super) fn write<T: Payload>(payload: &T, options: Options) -> Result<Vec<u8>, InvalidPayload> {
    match with_room_to_validate(|| Finite::write(payload)) {
        Ok((text, infinite)) => settle(text, infinite, T::schema(), options),
        Err(NotWritten::TooDeep) => Err(Violation::too_deep(MAX_PAYLOAD_DEPTH).into()),
        Err(NotWritten::Failed(error)) => Err(beyond_rust(String::new(), &error.to_string(), options)),
    }
}

/// The error of a value that the schema may allow, and that the Rust type does not.
fn beyond_rust(path: String, reason: &str, options: Options) -> InvalidPayload {
    let mut message = "does not fit the Rust type".to_owned();
    // A message of serde may quote the payload.
    if !options.redact {
        message.push_str(": ");
        message.extend(reason.chars().take(200));
    }
    Violation { path, message, keyword: Keyword::Type }.into()
}

fn to_pointer(path: &Path, budget: ReportBudget) -> String {
    let mut place = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => pointer::push(&mut place, &index.to_string()),
            Segment::Map { key } => pointer::push(&mut place, &budget.cut_name(key)),
            Segment::Enum { variant } => pointer::push(&mut place, variant),
            Segment::Unknown => break,
        }
    }
    place
}
