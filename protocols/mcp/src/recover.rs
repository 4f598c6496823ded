//! Texts that are not valid JSON: the request to which they belong, and messages with lone surrogates.

use capgen_schema::{Json, JsonCursor};

use crate::message::{RequestId, Shape};

/// The members whose texts are for readers. A replaced character in them changes no data.
const TEXTS: [&str; 5] = ["text", "description", "title", "message", "instructions"];

/// The id and the shape of a message that is not valid JSON, found by a search for its members.
pub(crate) fn outline(text: &str) -> (Option<RequestId>, Shape) {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let mut id: Option<Option<RequestId>> = None;
    let (mut shape, mut depth, mut at) = (Shape::Other, 0_usize, 0);
    if !text.starts_with('{') {
        return (None, shape);
    }
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'"' => {
                let end = string_end(text, at);
                let value = text.get(end..).and_then(|rest| rest.trim_start().strip_prefix(':'));
                if let (1, Some(value), Some(name)) = (depth, value, text.get(at..end)) {
                    match name {
                        "\"method\"" => shape = Shape::Request,
                        "\"result\"" | "\"error\"" if shape == Shape::Other => shape = Shape::Response,
                        // With two ids, neither is certain.
                        "\"id\"" => id = if id.is_none() { Some(id_at(value)) } else { Some(None) },
                        _ => {}
                    }
                }
                at = end;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    (id.flatten(), shape)
}

/// The id at the start of a text.
fn id_at(text: &str) -> Option<RequestId> {
    let text = text.trim_start();
    let end = match text.starts_with('"') {
        true => string_end(text, 0),
        false => text.find([',', '}', ' ', '\t', '\r', '\n']).unwrap_or(text.len()),
    };
    RequestId::of(&text.get(..end)?.parse().ok()?)
}

/// The end of the string that starts at a byte, after its quote.
fn string_end(text: &str, start: usize) -> usize {
    let mut cursor = JsonCursor::new(text, start);
    cursor.skip_string();
    cursor.at()
}

/// Parses a message with U+FFFD instead of each lone surrogate; `None` if it is not valid then, or if a lone surrogate
/// is elsewhere than in a text for readers.
///
/// JavaScript writes a lone surrogate for a string that was cut in the middle of a character, which servers do with
/// long texts.
pub(crate) fn without_lone_surrogates(text: &str) -> Option<Json> {
    let value = replaced(text, "\\ufffd")?.parse().ok()?;
    // A part that is another one now had a lone surrogate.
    let other = replaced(text, "\\ufffe")?.parse().ok()?;
    differ_only_in_texts(&value, &other).then_some(value)
}

/// The text with another escape instead of those of lone surrogates; `None` if there are none.
fn replaced(text: &str, escape: &str) -> Option<String> {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    let mut has_any = false;
    while let Some(at) = rest.find('\\') {
        let (before, tail) = rest.split_at(at);
        out.push_str(before);
        // The characters of the escape, or of a pair of escapes.
        let (length, is_lone) = match (unit(tail), tail.get(6..).and_then(unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => (12, false),
            (Some(0xd800..=0xdfff), _) => (6, true),
            _ => (1 + tail.chars().nth(1).map_or(0, char::len_utf8), false),
        };
        let (old, after) = tail.split_at(length);
        out.push_str(if is_lone { escape } else { old });
        has_any |= is_lone;
        rest = after;
    }
    out.push_str(rest);
    has_any.then_some(out)
}

/// The UTF-16 code unit of the escape at the start of a text.
fn unit(text: &str) -> Option<u16> {
    u16::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()
}

fn differ_only_in_texts(one: &Json, other: &Json) -> bool {
    match (one, other) {
        (Json::Object(one), Json::Object(other)) if one.len() == other.len() => {
            one.iter().zip(other.iter()).all(|((name, one), (other_name, other))| {
                let is_text = TEXTS.contains(&name.as_str()) && one.as_str().is_some();
                let is_data = name == "structuredContent";
                name == other_name && (is_text || one == other || (!is_data && differ_only_in_texts(one, other)))
            })
        }
        (Json::Array(one), Json::Array(other)) if one.len() == other.len() => {
            one.iter().zip(other).all(|(one, other)| differ_only_in_texts(one, other))
        }
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_request_of_an_invalid_text_is_found() {
        for (text, id, shape) in [
            (r#"{"jsonrpc":"2.0","id":7,"result":{"id":8,"a":"\ud83d"}}"#, Some("7"), Shape::Response),
            ("\u{feff} {\"result\":{}, \"id\" : \"a\\\"b\" }", Some(r#""a\"b""#), Shape::Response),
            (r#"{"id":1,"method":"x","params":[1e400]}"#, Some("1"), Shape::Request),
            (r#"{"error":{"a":"\"id\":2"},"b":"id","id":3"#, Some("3"), Shape::Response),
            (r#"{"id":1,"id":2}"#, None, Shape::Other),
            (r#"{"id":1.5,"a":"}"#, None, Shape::Other),
            (r#"{"a":[{"id":1}]"#, None, Shape::Other),
            (r#"[{"id":1},"#, None, Shape::Other),
            ("", None, Shape::Other),
        ] {
            let (found, found_shape) = outline(text);
            assert_eq!((found.as_ref().map(RequestId::as_text), found_shape), (id, shape), "{text}");
        }
    }

    #[test]
    fn lone_surrogates_are_replaced_only_in_texts_for_readers() {
        let read = without_lone_surrogates(r#"{"result":{"content":[{"text":"\\\ud83d\ude00 \uD83D\u0041\udc00"}]}}"#);
        let expected = r#"{"result":{"content":[{"text":"\\😀 �A�"}]}}"#;
        assert_eq!(read, Some(expected.parse().unwrap()));
        for text in [
            r#"{"result":{"structuredContent":{"text":"\ud83d"}}}"#,
            r#"{"result":{"a":["\ud83d"]}}"#,
            r#"{"a\ud83d":1}"#,
            r#"{"text":"\ud83d""#,
            r#"{"text":"\\ud83d"}"#,
            "{}",
        ] {
            assert_eq!(without_lone_surrogates(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_search_panic(text in r#"[\{\}\[\]:,"id\\ uDd8c0é]{0,80}"#) {
            outline(&text);
            outline(&format!("{{\"id\":{text}"));
            without_lone_surrogates(&text);
            without_lone_surrogates(&format!("[\"{text}\"]"));
        }
    }
}
