//! Values in HTTP headers, and the headers that mirror parameters of tools (revision 2026-07-28, streamable HTTP,
//! "Request Metadata").

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use capgen_schema::{Json, Object};

/// The start and the end of a value in base64.
const MARKS: (&str, &str) = ("=?base64?", "?=");

/// The most headers of one tool, and the deepest property with one. Usual tools have a few. A request has other headers
/// too, and servers limit them all: the server of this crate to 64.
const MAX_HEADERS: usize = 32;

/// A parameter of a tool that is mirrored into a header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct MirroredParameter {
    /// The name of the header in lowercase.
    pub(crate) header: String,
    /// The names of the properties that lead to the value.
    path: Vec<String>,
}

/// A value as the text of a header: as it is if that is safe, otherwise in base64.
pub(crate) fn encode(value: &str) -> String {
    let is_plain = value.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~'));
    let has_marks = value.starts_with(MARKS.0) && value.ends_with(MARKS.1);
    if is_plain && !has_marks && value.trim() == value && !value.is_empty() {
        return value.to_owned();
    }
    format!("{}{}{}", MARKS.0, STANDARD.encode(value), MARKS.1)
}

/// The value of a header; `None` if it is not valid base64 of UTF-8.
pub(crate) fn decode(header: &str) -> Option<String> {
    let encoded = header.strip_prefix(MARKS.0).and_then(|rest| rest.strip_suffix(MARKS.1));
    match encoded {
        None => Some(header.to_owned()),
        Some(encoded) => String::from_utf8(STANDARD.decode(encoded).ok()?).ok(),
    }
}

/// The parameters of an input schema with `x-mcp-header`.
///
/// # Errors
///
/// An annotation breaks a rule, so that clients over HTTP must not offer the tool.
pub(crate) fn mirrored(schema: &Json) -> Result<Vec<MirroredParameter>, String> {
    let mut found = Vec::new();
    walk(schema, &mut Vec::new(), true, &mut found)?;
    let mut names: Vec<&str> = found.iter().map(|parameter| parameter.header.as_str()).collect();
    names.sort_unstable();
    if names.windows(2).any(|pair| matches!(pair, [a, b] if a == b)) {
        return Err("two parameters have the same `x-mcp-header`".to_owned());
    }
    Ok(found)
}

/// Finds annotations. `is_reachable` is whether only `properties` lead to this schema. The recursion is as deep as the
/// schema.
fn walk(
    schema: &Json,
    path: &mut Vec<String>,
    is_reachable: bool,
    found: &mut Vec<MirroredParameter>,
) -> Result<(), String> {
    let members = match schema {
        Json::Object(members) => members,
        Json::Array(items) => return items.iter().try_for_each(|item| walk(item, path, false, found)),
        _ => return Ok(()),
    };
    if let Some(name) = members.get("x-mcp-header") {
        found.push(annotated(members, name, path, is_reachable)?);
    }
    if found.len() > MAX_HEADERS {
        return Err(format!("more than {MAX_HEADERS} parameters have `x-mcp-header`"));
    }
    for (keyword, value) in members {
        match (keyword.as_str(), value) {
            ("properties", Json::Object(properties)) => {
                for (name, property) in properties {
                    path.push(name.clone());
                    walk(property, path, is_reachable, found)?;
                    path.pop();
                }
            }
            // These contain values, not schemas.
            ("const" | "default" | "enum" | "examples", _) => {}
            (_, value) => walk(value, path, false, found)?,
        }
    }
    Ok(())
}

fn annotated(schema: &Object, name: &Json, path: &[String], is_reachable: bool) -> Result<MirroredParameter, String> {
    let name = name.as_str().unwrap_or_default();
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || name.len() > 128 || !name.bytes().all(is_token) {
        return Err("an `x-mcp-header` is not the name of a header".to_owned());
    }
    let kind = schema.get("type").and_then(Json::as_str);
    if !is_reachable || path.is_empty() || !matches!(kind, Some("integer" | "string" | "boolean")) {
        return Err(format!("`x-mcp-header: {name}` is not at a property of type integer, string or boolean"));
    }
    Ok(MirroredParameter { header: format!("mcp-param-{}", name.to_ascii_lowercase()), path: path.to_vec() })
}

impl MirroredParameter {
    /// The text of the header for some arguments; `None` if there is no value.
    pub(crate) fn value(&self, arguments: &Json) -> Option<String> {
        let value = self.path.iter().try_fold(arguments, |value, name| value.get(name))?;
        match value {
            Json::String(text) => Some(encode(text)),
            Json::Bool(value) => Some(value.to_string()),
            Json::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_examples_of_the_specification_are_encoded() {
        for (value, encoded) in [
            ("us-west1", "us-west1"),
            ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ] {
            assert_eq!(encode(value), encoded);
        }
        assert_eq!(decode("=?base64?*?="), None);
        assert_eq!(decode("=?base64?/w==?="), None);
    }

    proptest! {
        #[test]
        fn every_value_is_decoded_again(value in any::<String>()) {
            prop_assert_eq!(decode(&encode(&value)), Some(value));
        }
    }

    #[test]
    fn annotations_are_found_and_checked() {
        let schema =
            |properties: &str| format!(r#"{{"type":"object","properties":{{{properties}}}}}"#).parse::<Json>().unwrap();
        let region = r#""region":{"type":"string","x-mcp-header":"Region"}"#;
        let nested = r#""a":{"type":"object","properties":{"b":{"type":"integer","x-mcp-header":"B"}}}"#;
        let all = mirrored(&schema(&format!("{region},{nested}"))).unwrap();
        let arguments = r#"{"region":"é","a":{"b":42}}"#.parse().unwrap();
        let values: Vec<_> =
            all.iter().map(|parameter| (parameter.header.as_str(), parameter.value(&arguments))).collect();
        let expected =
            [("mcp-param-region", Some("=?base64?w6k=?=".to_owned())), ("mcp-param-b", Some("42".to_owned()))];
        assert_eq!(values, expected);
        assert_eq!(all[0].value(&json("{}")), None);
        assert_eq!(all[0].value(&json(r#"{"region":null}"#)), None);
        for invalid in [
            r#""a":{"type":"number","x-mcp-header":"A"}"#,
            r#""a":{"type":"string","x-mcp-header":""}"#,
            r#""a":{"type":"string","x-mcp-header":"a b"}"#,
            r#""a":{"type":"string","x-mcp-header":3}"#,
            r#""a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}"#,
            r#""a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}"#,
        ] {
            assert!(mirrored(&schema(invalid)).is_err(), "{invalid}");
        }
    }

    fn json(text: &str) -> Json {
        text.parse().unwrap()
    }
}
