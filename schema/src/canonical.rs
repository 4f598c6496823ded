//! Canonical text ([RFC 8785](https://www.rfc-editor.org/rfc/rfc8785)).

use std::fmt::Write as _;

use crate::{Hash, Json, Object, Schema};

/// What a schema may say without asserting anything.
const ANNOTATIONS: [&str; 5] = ["title", "description", "default", "examples", "$comment"];

impl Json {
    /// The canonical text of [RFC 8785](https://www.rfc-editor.org/rfc/rfc8785), except that an integer keeps all its
    /// digits and so does what binary64 cannot hold. Equal values have equal texts, and unequal ones have not.
    ///
    /// ```
    /// use capgen_schema::Json;
    /// let json = Json::try_from(&serde_json::json!({"b": 1.0, "a": "\u{7}"}))?;
    /// assert_eq!(json.canonical(), r#"{"a":"\u0007","b":1}"#);
    /// # Ok::<(), capgen_schema::NumberError>(())
    /// ```
    pub fn canonical(&self) -> String {
        let mut text = String::new();
        write(&mut text, self);
        text
    }
}

impl Schema {
    /// The canonical text of the schema without annotations (`title`, `description`, `default`, `examples`,
    /// `$comment`): schemas that differ in nothing else have the same text. Properties and values of these names stay.
    pub fn canonical(&self) -> String {
        strip(&self.source).canonical()
    }

    /// The hash of the [canonical text](Self::canonical).
    pub fn hash(&self) -> Hash {
        Hash::of(self.canonical())
    }
}

/// Recurses along subschemas, whose depth the loader has bounded.
fn strip(schema: &Json) -> Json {
    let Json::Object(members) = schema else { return schema.clone() };
    let asserting = members.iter().filter(|(name, _)| !ANNOTATIONS.contains(&name.as_str()));
    Json::Object(asserting.map(|(name, value)| (name.clone(), strip_keyword(name, value))).collect())
}

fn strip_keyword(name: &str, value: &Json) -> Json {
    match (name, value) {
        ("properties" | "definitions", Json::Object(members)) => {
            Json::Object(members.iter().map(|(name, schema)| (name.clone(), strip(schema))).collect())
        }
        ("oneOf" | "anyOf" | "allOf", Json::Array(branches)) => Json::Array(branches.iter().map(strip).collect()),
        ("items" | "additionalProperties" | "not", schema) => strip(schema),
        _ => value.clone(),
    }
}

fn write(out: &mut String, value: &Json) {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Json::Number(number) => {
            let _ = write!(out, "{number}");
        }
        Json::String(text) => write_string(out, text),
        Json::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(out, item);
            }
            out.push(']');
        }
        Json::Object(members) => write_object(out, members),
    }
}

fn write_object(out: &mut String, members: &Object) {
    let mut sorted: Vec<_> = members.iter().collect();
    // Code units, not code points: U+10000 is below U+FFFF.
    sorted.sort_unstable_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    out.push('{');
    for (index, (name, value)) in sorted.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_string(out, name);
        out.push(':');
        write(out, value);
    }
    out.push('}');
}

/// [RFC 8785 section 3.2.2.2](https://www.rfc-editor.org/rfc/rfc8785#section-3.2.2.2).
fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
