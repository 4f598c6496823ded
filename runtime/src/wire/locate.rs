//! From a place in a JSON text to its JSON Pointer.

use super::Reader;
use super::reader::Kind;

/// The pointer ([RFC 6901](https://www.rfc-editor.org/rfc/rfc6901)) to the innermost value that starts at or before
/// `offset` and ends behind it. Of a text that is no JSON, as far as it goes.
pub(crate) fn pointer(text: &str, offset: usize) -> String {
    let mut pointer = String::new();
    let mut reader = Reader::trusting(text);
    while let Some(token) = step(&mut reader, offset) {
        capgen_schema::pointer::push(&mut pointer, &token);
    }
    pointer
}

/// A pointer for people.
pub(crate) fn shown(pointer: &str) -> &str {
    if pointer.is_empty() { "the value" } else { pointer }
}

/// Goes into the child that `offset` is in.
fn step(reader: &mut Reader<'_>, offset: usize) -> Option<String> {
    let (open, close) = match reader.kind()? {
        Kind::Array => (b'[', b']'),
        Kind::Object => (b'{', b'}'),
        _ => return None,
    };
    reader.open(open)?;
    let mut index: usize = 0;
    while reader.another(close, index == 0)? {
        let token = if open == b'[' { index.to_string() } else { reader.name()?.into_owned() };
        reader.peek()?;
        if reader.at() > offset {
            return None;
        }
        if reader.ahead(|reader| reader.skip().map(|()| reader.at())).is_none_or(|end| end > offset) {
            return Some(token);
        }
        reader.skip()?;
        index += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_leads_to_the_innermost_value() {
        let text = r#" {"a": [1, {"b/c": 22}], "d": 3 }"#;
        let at = |what: &str| text.find(what).unwrap_or_default();
        for (offset, expected) in [(0, ""), (at("1"), "/a/0"), (at("22"), "/a/1/b~1c"), (at("3"), "/d"), (1, "")] {
            assert_eq!(pointer(text, offset), expected, "{offset}");
        }
    }
}
