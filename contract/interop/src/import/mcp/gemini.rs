//! Schemas as Gemini's API defines them: with names of types in capital letters, and with limits as texts, as the JSON
//! form of protocol buffers has 64-bit integers.

use std::convert::Infallible;

use capgen_schema::{Json, Object, Subschemas};

/// The names of types in Gemini's API.
const TYPES: [&str; 7] = ["ARRAY", "BOOLEAN", "INTEGER", "NULL", "NUMBER", "OBJECT", "STRING"];

/// The keywords whose value is a 64-bit integer.
const LIMITS: [&str; 6] = ["maxItems", "maxLength", "maxProperties", "minItems", "minLength", "minProperties"];

/// The schema in the usual form; `None` if its root has no type of Gemini.
pub(super) fn with_usual_types(schema: &Json) -> Option<Json> {
    is_type(schema.get("type")?).then(|| changed(schema))
}

fn is_type(value: &Json) -> bool {
    value.as_str().is_some_and(|name| TYPES.contains(&name))
}

/// The readers of documents bound the depth.
fn changed(schema: &Json) -> Json {
    let Json::Object(members) = schema else { return schema.clone() };
    let member = |(name, value): &(String, Json)| {
        let value = match (name.as_str(), value) {
            ("type", Json::String(text)) if is_type(value) => Json::String(text.to_ascii_lowercase()),
            (name, Json::String(text)) if LIMITS.contains(&name) => {
                let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
                text.parse().ok().filter(|_| is_number).unwrap_or_else(|| value.clone())
            }
            _ => {
                let below = |_: Option<&str>, schema: &Json| Ok::<_, Infallible>(changed(schema));
                Subschemas::try_map(name, value, below).unwrap_or_else(|never| match never {})
            }
        };
        (name.clone(), value)
    };
    Json::Object(members.iter().map(member).collect::<Object>())
}
