//! Schemas as raw string literals: JSON over several lines, as a person would write it.
//!
//! A raw string has no escapes, so JSON's escapes make sure that it contains only printable ASCII characters and cannot
//! end early.

use std::fmt::Write as _;

use capgen_schema::{Json, Object};

/// The width of a line in bytes, about that of the code around the text. Only a single text or number may be longer.
const WIDTH: usize = 100;

/// The indentation of one level.
const INDENT: usize = 2;

/// The maximum indentation, which bounds the whitespace of deeply nested schemas. It leaves half of the line for the
/// text.
const MAX_INDENT: usize = 48;

/// A raw string literal with the JSON text of a schema.
pub(super) fn raw_literal(schema: &Json) -> String {
    let mut layout = Layout { text: String::new(), column: 0 };
    layout.value(schema, 0);
    // The text contains no `"##`.
    let hashes = if layout.text.contains("\"#") { "##" } else { "#" };
    format!("r{hashes}\"{}\"{hashes}", layout.text)
}

struct Layout {
    text: String,
    /// The number of bytes on the current line.
    column: usize,
}

impl Layout {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.column += text.len();
    }

    fn new_line(&mut self, level: usize) {
        self.column = (level * INDENT).min(MAX_INDENT);
        self.text.push('\n');
        self.text.extend(std::iter::repeat_n(' ', self.column));
    }

    fn value(&mut self, value: &Json, level: usize) {
        if has_one_line(value) {
            let mut flat = String::new();
            write_flat(&mut flat, value);
            // One byte is left for a comma.
            if self.column + flat.len() < WIDTH || !matches!(value, Json::Array(_) | Json::Object(_)) {
                return self.push(&flat);
            }
        }
        match value {
            Json::Array(items) => self.array(items, level),
            Json::Object(members) => self.object(members, level),
            // Scalars have one line.
            _ => {}
        }
    }

    fn object(&mut self, members: &Object, level: usize) {
        self.push("{");
        for (index, (name, value)) in members.iter().enumerate() {
            if index > 0 {
                self.push(",");
            }
            self.new_line(level + 1);
            let mut key = String::new();
            write_string(&mut key, name);
            self.push(&key);
            self.push(": ");
            self.value(value, level + 1);
        }
        self.new_line(level);
        self.push("}");
    }

    /// Items that have one line share lines. The others, such as branches, each start a line.
    fn array(&mut self, items: &[Json], level: usize) {
        self.push("[");
        let mut shares = false;
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.push(",");
            }
            let scalar = (!matches!(item, Json::Array(_) | Json::Object(_))).then(|| {
                let mut scalar = String::new();
                write_flat(&mut scalar, item);
                scalar
            });
            match scalar {
                Some(scalar) if shares && self.column + scalar.len() + 1 < WIDTH => {
                    self.push(" ");
                    self.push(&scalar);
                }
                _ => {
                    self.new_line(level + 1);
                    self.value(item, level + 1);
                }
            }
            shares = !matches!(item, Json::Array(_) | Json::Object(_));
        }
        self.new_line(level);
        self.push("]");
    }
}

/// Whether a value is on one line if it fits: a scalar, or a container of scalars and of arrays of scalars.
fn has_one_line(value: &Json) -> bool {
    let is_scalar = |value: &Json| !matches!(value, Json::Array(_) | Json::Object(_));
    match value {
        Json::Array(items) => items.iter().all(is_scalar),
        Json::Object(members) => members.iter().all(|(_, value)| match value {
            Json::Array(items) => items.iter().all(is_scalar),
            Json::Object(members) => members.is_empty(),
            _ => true,
        }),
        _ => true,
    }
}

/// Writes a value on one line.
fn write_flat(out: &mut String, value: &Json) {
    match value {
        Json::String(text) => write_string(out, text),
        Json::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                write_flat(out, item);
            }
            out.push(']');
        }
        Json::Object(members) => {
            out.push('{');
            for (index, (name, value)) in members.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                write_string(out, name);
                out.push_str(": ");
                write_flat(out, value);
            }
            out.push('}');
        }
        scalar => out.push_str(&scalar.canonical()),
    }
}

/// Writes a JSON string of printable ASCII characters without `"##`.
fn write_string(out: &mut String, text: &str) {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\' | b'#')) {
        // Most texts need no escapes.
        out.push('"');
        out.push_str(text);
        out.push('"');
        return;
    }
    let mut escaped = String::new();
    for c in Json::String(text.to_owned()).canonical().chars() {
        let ends_literal = c == '#' && escaped.ends_with("\"#");
        if matches!(c, ' '..='~') && !ends_literal {
            escaped.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(escaped, "\\u{unit:04x}");
        }
    }
    out.push_str(&escaped);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal_of(schema: &str) -> String {
        raw_literal(&capgen_schema::Schema::parse_text(schema).unwrap().canonical_json())
    }

    #[test]
    fn schemas_are_indented_json() {
        let schema = r##"{"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#/definitions/A"}, "b": true},
            "definitions": {"A": {"oneOf": [{"type": "string", "maxLength": 9}, {"type": "array", "items": {}}]}}}"##;
        let expected = r###"r##"{
  "definitions": {
    "A": {
      "oneOf": [
        {"maxLength": 9, "type": "string"},
        {"items": {}, "type": "array"}
      ]
    }
  },
  "properties": {
    "a": {"$ref": "#/definitions/A"},
    "b": true
  },
  "required": ["a"],
  "type": "object"
}"##"###;
        assert_eq!(literal_of(schema), expected);
    }

    #[test]
    fn long_lists_share_lines() {
        let values: Vec<String> = (0..60).map(|n| format!("\"value-{n}\"")).collect();
        let literal = literal_of(&format!("{{\"enum\": [{}]}}", values.join(",")));
        assert!(literal.lines().all(|line| line.len() <= WIDTH));
        assert_eq!(literal.lines().count(), 12);
    }

    #[test]
    fn any_text_is_printable_and_does_not_end_the_literal() {
        for text in [
            "\"#",
            "\"##",
            "#####",
            "\"#\"##\"###",
            "\u{0}\n\r\t\u{7f}",
            "größe 🦀\u{2028}\u{202e}\u{e0041}\u{3164}",
            "\\",
        ] {
            let json = Json::Object([("const".to_owned(), Json::String(text.to_owned()))].into_iter().collect());
            let literal = raw_literal(&json);
            assert!(literal.bytes().all(|b| matches!(b, b' '..=b'~' | b'\n')), "{literal}");
            let (start, _) = literal.split_once('"').unwrap();
            let end = format!("\"{}", start.trim_start_matches('r'));
            let value = literal.strip_prefix(&format!("{start}\"")).unwrap().strip_suffix(&end).unwrap();
            assert!(!value.contains(&end), "{literal}");
            let schema = capgen_schema::Schema::parse_text(value).unwrap();
            assert_eq!(schema.source().canonical(), json.canonical());
        }
    }
}
