//! The reference: [`ExactPayload`], then [`Validator`].

use capgen_schema::{ExactPayload, Schema, Validator, Violations, parse_payload};
use serde_json::Value;

use super::{Answer, Pair, Place, parse};

/// The interpreter's answer for each payload of a pair.
///
/// # Panics
///
/// If the schema of the pair does not load.
pub fn interpreter(pair: &Pair) -> Vec<Answer> {
    let schema: Schema = parse(&pair.schema).unwrap_or_else(|| panic!("{} is rejected", pair.schema));
    let validator = Validator::new(&schema);
    pair.payloads.iter().map(|payload| check(&validator, payload)).collect()
}

fn check(validator: &Validator, payload: &str) -> Answer {
    let Some(value) = value(payload) else { return Answer::default() };
    let exact = ExactPayload::new(payload, value);
    let violations = validator.validate_exact(&exact);
    let valid = violations.is_empty();
    let trouble =
        (validator.is_valid_exact(&exact) != valid).then(|| "`is_valid` disagrees with `validate`".to_owned());
    let messages = violations.iter().map(|violation| violation.message.clone()).collect();
    let truncated = Some(violations.is_truncated());
    Answer { valid, places: Some(places(violations)), messages: Some(messages), truncated, trouble }
}

/// Parses a payload. A text that is only too deep also gives a value: depth is a violation with a path.
pub(super) fn value(payload: &str) -> Option<Value> {
    parse_payload(payload.as_bytes()).ok().or_else(|| lenient(payload).filter(|value| depth(value) > 128))
}

fn depth(value: &Value) -> usize {
    let mut deepest = 0;
    let mut stack = vec![(value, 0)];
    while let Some((value, depth)) = stack.pop() {
        match value {
            Value::Array(items) => stack.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => stack.extend(members.values().map(|member| (member, depth + 1))),
            _ => {}
        }
        let is_scalar = !value.is_array() && !value.is_object();
        deepest = deepest.max(if is_scalar { depth } else { depth + 1 });
    }
    deepest
}

fn places(violations: Violations) -> Vec<Place> {
    violations.into_iter().map(|violation| (violation.path, violation.keyword.to_string())).collect()
}

fn lenient(payload: &str) -> Option<Value> {
    let mut deserializer = serde_json::Deserializer::from_str(payload);
    deserializer.disable_recursion_limit();
    serde::Deserialize::deserialize(&mut deserializer).ok()
}
