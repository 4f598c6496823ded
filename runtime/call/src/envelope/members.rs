//! The members of the top-level object of a JSON text, as spans, without reading their values.

use std::borrow::Cow;
use std::ops::Range;

/// The spans that matter to an envelope, in bytes.
#[derive(Default, Debug)]
pub(super) struct Spans {
    /// The value of the last `payload`.
    pub(super) payload: Option<Range<usize>>,
    /// The member `auth` and one comma next to it: the comma before it or, if it is the first member, the one after it.
    pub(super) auth: Option<Range<usize>>,
}

/// Finds the members `payload` and `auth`. Values are skipped by their brackets and strings, so a `Some` does not mean that the text
/// is valid JSON: the caller reads both parts strictly. `None` if the text is not an object.
pub(super) fn find(text: &str) -> Option<Spans> {
    let mut scanner = Scanner { bytes: text.as_bytes(), at: 0 };
    let mut spans = Spans::default();
    scanner.take(b'{')?;
    if scanner.peek()? == b'}' {
        return Some(spans);
    }
    let mut comma = None;
    loop {
        scanner.peek()?;
        let start = scanner.at;
        let name = name(text.get(scanner.string()?)?)?;
        scanner.take(b':')?;
        scanner.peek()?;
        let value = scanner.at;
        scanner.skip()?;
        let end = scanner.at;
        let last = scanner.peek()? == b'}';
        match name.as_ref() {
            "payload" => spans.payload = Some(value..end),
            "auth" => {
                let after = if last || comma.is_some() { end } else { scanner.at + 1 };
                spans.auth = Some(comma.unwrap_or(start)..after);
            }
            _ => {}
        }
        if last {
            return Some(spans);
        }
        comma = Some(scanner.at);
        scanner.take(b',')?;
    }
}

/// The name of a member, given its text with quotes. Names with escapes are decoded, because `"\u0061uth"` is `auth` too.
fn name(quoted: &str) -> Option<Cow<'_, str>> {
    if quoted.contains('\\') {
        return serde_json::from_str(quoted).ok().map(Cow::Owned);
    }
    quoted.get(1..quoted.len() - 1).map(Cow::Borrowed)
}

/// A position in a JSON text.
pub(super) struct Scanner<'t> {
    pub(super) bytes: &'t [u8],
    pub(super) at: usize,
}

impl Scanner<'_> {
    /// The next byte that is not whitespace.
    fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.bytes.get(self.at) {
            self.at += 1;
        }
        self.bytes.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// Skips a string, and returns its span with quotes.
    fn string(&mut self) -> Option<Range<usize>> {
        self.take(b'"')?;
        let start = self.at - 1;
        loop {
            self.at += memchr::memchr2(b'"', b'\\', self.bytes.get(self.at..)?)?;
            if self.bytes.get(self.at) == Some(&b'"') {
                break;
            }
            self.at += 2;
        }
        self.at += 1;
        Some(start..self.at)
    }

    /// Skips a value.
    pub(super) fn skip(&mut self) -> Option<()> {
        let mut open = 0_usize;
        loop {
            match self.peek()? {
                b'"' => {
                    self.string()?;
                }
                b'{' | b'[' => {
                    open += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    open = open.checked_sub(1)?;
                    self.at += 1;
                }
                b',' | b':' if open == 0 => return None,
                b',' | b':' => self.at += 1,
                _ => self.word(),
            }
            if open == 0 {
                return Some(());
            }
        }
    }

    /// Skips a number or a word.
    fn word(&mut self) {
        while let Some(byte) = self.bytes.get(self.at)
            && !matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | b',' | b':' | b'}' | b']' | b'{' | b'[' | b'"')
        {
            self.at += 1;
        }
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
