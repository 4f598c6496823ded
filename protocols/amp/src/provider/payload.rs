//! The payloads of an invocation: `params` for a handler, and the text of a handler as `result`.
//!
//! Each is checked once by its published schema. The schema of `params` is checked here, because the answer to an
//! invalid invocation is part of the protocol: it is refused with its violations, before anything runs. The schema of
//! `result` is checked here unless the executor has done so.

use capgen_schema::{Hash, Keyword, Violation, Violations, parse_payload};

use super::Adapter;
use super::refusal::Refusal;
use crate::catalogue::Published;
use crate::cbor::{NotJson, Value};
use crate::code::Code;

/// The JSON text of `params`, converted by the adapter if there is one.
///
/// # Errors
///
/// 4004: `params` is not JSON, cannot be converted, or violates the input schema.
pub(super) fn params(published: &Published, adapter: Option<&Adapter>, params: &Value) -> Result<String, Refusal> {
    let tree = params.to_json().map_err(|error| not_json(&error))?;
    let conversion = adapter.and_then(Adapter::request);
    let tree = match conversion {
        Some(convert) => convert(tree).map_err(|message| Refusal::new(Code::SchemaViolation, message))?,
        None => tree,
    };
    let violations = published.input.validate(&tree);
    if !violations.is_empty() {
        return Err(Refusal::params(violations));
    }
    if conversion.is_some() {
        return Ok(tree.to_string());
    }
    // It is as large as the text, and only the check needs it.
    drop(tree);
    params.to_json_text().map_err(|error| not_json(&error))
}

fn not_json(NotJson { path, reason }: &NotJson) -> Refusal {
    let violation = Violation { path: path.clone(), message: format!("not JSON: {reason}"), keyword: Keyword::Type };
    let refusal = Refusal::new(Code::SchemaViolation, format!("`params` is not JSON at `{path}`: {reason}"));
    refusal.for_violations(violation.into())
}

/// The value of the text of a result, converted by the adapter if there is one. `checked` is the hash of the schema by
/// which the text has been checked.
///
/// # Errors
///
/// The violations of the output schema; `None` if the text is not JSON, or cannot be converted.
pub(super) fn result(
    published: &Published,
    adapter: Option<&Adapter>,
    result: &[u8],
    checked: Option<Hash>,
) -> Result<Value, Option<Violations>> {
    let is_checked = checked.is_some_and(|schema| schema == published.output_hash);
    let conversion = adapter.and_then(Adapter::response);
    if is_checked && conversion.is_none() {
        return Value::from_json_text(result).map_err(|_| None);
    }
    // With numbers as the message has them, rounded to binary64: the requester checks these.
    let mut tree = parse_payload(result).map_err(|_| None)?;
    if !is_checked {
        let violations = published.output.validate(&tree);
        if !violations.is_empty() {
            return Err(Some(violations));
        }
    }
    if let Some(convert) = conversion {
        tree = convert(tree).map_err(|_| None)?;
    }
    Ok(Value::from_json(&tree))
}
