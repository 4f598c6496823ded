//! The members of the top-level object of a JSON text, as spans, without reading their values.

use std::borrow::Cow;
use std::ops::Range;

use capgen_schema::JsonCursor;

/// The spans that matter to an envelope, in bytes.
#[derive(Default, Debug)]
pub(super) struct Spans {
    /// The value of the last `payload`.
    pub(super) payload: Option<Range<usize>>,
    /// The member `auth` and one comma next to it: the comma before it or, if it is the first member, the one after it.
    pub(super) auth: Option<Range<usize>>,
}

/// Finds the members `payload` and `auth`. Values are skipped by their brackets and strings, so a `Some` does not mean
/// that the text is valid JSON: the caller reads both parts strictly. `None` if the text is not an object.
pub(super) fn find(text: &str) -> Option<Spans> {
    let mut cursor = JsonCursor::new(text, 0);
    let mut spans = Spans::default();
    take(&mut cursor, b'{')?;
    if cursor.token()? == b'}' {
        return Some(spans);
    }
    let mut comma = None;
    loop {
        cursor.token()?;
        let start = cursor.at();
        let name = name(text.get(string(&mut cursor)?)?)?;
        take(&mut cursor, b':')?;
        cursor.token()?;
        let value = cursor.at();
        skip(&mut cursor)?;
        let end = cursor.at();
        let last = cursor.token()? == b'}';
        match name.as_ref() {
            "payload" => spans.payload = Some(value..end),
            "auth" => {
                let after = if last || comma.is_some() { end } else { cursor.at() + 1 };
                spans.auth = Some(comma.unwrap_or(start)..after);
            }
            _ => {}
        }
        if last {
            return Some(spans);
        }
        comma = Some(cursor.at());
        take(&mut cursor, b',')?;
    }
}

/// The name of a member, given its text with quotes. Names with escapes are decoded, because `"\u0061uth"` is `auth`
/// too.
fn name(quoted: &str) -> Option<Cow<'_, str>> {
    if quoted.contains('\\') {
        return serde_json::from_str(quoted).ok().map(Cow::Owned);
    }
    quoted.get(1..quoted.len() - 1).map(Cow::Borrowed)
}

/// Consumes a byte; `None` if the next one that is not whitespace is another.
fn take(cursor: &mut JsonCursor<'_>, byte: u8) -> Option<()> {
    (cursor.token()? == byte).then(|| cursor.advance(1))
}

/// Skips a string, and returns its span with quotes. It is not checked, so only its quote is searched for, in larger
/// steps than those of
/// [`JsonCursor::skip_string`]: most of the bytes of a large payload are in its strings.
fn string(cursor: &mut JsonCursor<'_>) -> Option<Range<usize>> {
    take(cursor, b'"')?;
    let start = cursor.at() - 1;
    loop {
        let rest = cursor.text().as_bytes().get(cursor.at()..)?;
        cursor.advance(memchr::memchr2(b'"', b'\\', rest)?);
        if cursor.eat(b'"') {
            return Some(start..cursor.at());
        }
        cursor.advance(2);
    }
}

/// Skips a value.
pub(super) fn skip(cursor: &mut JsonCursor<'_>) -> Option<()> {
    let mut open = 0_usize;
    loop {
        match cursor.token()? {
            b'"' => {
                string(cursor)?;
            }
            b'{' | b'[' => {
                open += 1;
                cursor.advance(1);
            }
            b'}' | b']' => {
                open = open.checked_sub(1)?;
                cursor.advance(1);
            }
            b',' | b':' if open == 0 => return None,
            b',' | b':' => cursor.advance(1),
            _ => word(cursor),
        }
        if open == 0 {
            return Some(());
        }
    }
}

/// Skips a number or a word.
fn word(cursor: &mut JsonCursor<'_>) {
    while let Some(byte) = cursor.peek()
        && !JsonCursor::is_space(byte)
        && !matches!(byte, b',' | b':' | b'}' | b']' | b'{' | b'[' | b'"')
    {
        cursor.advance(1);
    }
}

#[cfg(test)]
#[allow(clippy::string_slice, reason = "the texts are ASCII")]
mod tests {
    use super::*;

    fn cut(text: &str) -> String {
        let spans = find(text).unwrap();
        let auth = spans.auth.unwrap();
        format!("{}{}", &text[..auth.start], &text[auth.end..])
    }

    #[test]
    fn auth_is_cut_out_with_one_comma() {
        assert_eq!(cut(r#"{"a":1,"auth":{"x":[1,"]"]}}"#), r#"{"a":1}"#);
        assert_eq!(cut(r#"{"auth":{},"a":1}"#), r#"{"a":1}"#);
        assert_eq!(cut(r#"{"a":1,"auth":{} , "b":"\""}"#), r#"{"a":1 , "b":"\""}"#);
        assert_eq!(cut(r#"{"auth":null}"#), "{}");
        assert_eq!(cut(r#"{"a":{"auth":1},"\u0061uth":2}"#), r#"{"a":{"auth":1}}"#);
    }

    #[test]
    fn the_payload_is_found_at_the_top_level_only() {
        let text = r#" { "a" : { "payload" : 1 } , "payload" : [ {"payload": 2}, "}" ] }"#;
        let span = find(text).unwrap().payload.unwrap();
        assert_eq!(&text[span], r#"[ {"payload": 2}, "}" ]"#);
    }

    #[test]
    fn texts_that_are_cut_short_have_no_spans() {
        let text = r#"{"a":1,"payload":{"b":[1,2]},"auth":{"k":"\\"}}"#;
        for end in 0..text.len() {
            assert!(find(&text[..end]).is_none(), "{}", &text[..end]);
        }
        for text in ["[]", "1", "{1:2}", r#"{"a" 1}"#, r#"{"a":}"#, r#"{"a":]}"#] {
            assert!(find(text).is_none_or(|spans| spans.payload.is_none()), "{text}");
        }
    }
}
