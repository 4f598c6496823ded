//! A position in a JSON text: the grammar of its tokens ([RFC 8259](https://www.rfc-editor.org/rfc/rfc8259)), for
//! everything that reads JSON text or searches in it.
//!
//! The readers differ in the values that they make of the tokens; `lexer.rs` lists them. Code that reads a text in
//! parts, as it arrives, has no whole text for a cursor, and remembers its state instead.

use std::borrow::Cow;

/// A position in a JSON text.
///
/// The methods read one token each and are as strict as the grammar. The position is in bytes. It may be after the end
/// of the text, where no token is.
///
/// ```
/// use capgen_schema::JsonCursor;
/// let mut cursor = JsonCursor::new(r#" "a\n" : -1.5e3 "#, 0);
/// assert_eq!(cursor.token(), Some(b'"'));
/// assert_eq!(cursor.string().as_deref(), Ok("a\n"));
/// assert_eq!(cursor.token(), Some(b':'));
/// cursor.advance(1);
/// assert_eq!(cursor.token(), Some(b'-'));
/// assert_eq!(cursor.number(), Some("-1.5e3"));
/// assert_eq!(cursor.token(), None);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct JsonCursor<'t> {
    text: &'t str,
    at: usize,
}

/// The reason why a text is not a string of JSON. The cursor is at the byte that is not valid; for an escape, at its
/// backslash.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum InvalidString {
    /// The text ends, or no quotation mark begins the string.
    Unterminated,
    /// This control character is not escaped.
    ControlCharacter(u8),
    /// A backslash before another character than those of the escapes, or at the end of the text.
    Escape,
    /// `\u` without four hexadecimal digits.
    Digits,
    /// A `\u` escape of one half of a surrogate pair.
    LoneSurrogate,
}

impl<'t> JsonCursor<'t> {
    /// A cursor at byte `at` of a text.
    #[inline]
    #[must_use]
    pub const fn new(text: &'t str, at: usize) -> Self {
        Self { text, at }
    }

    /// The whole text.
    #[inline]
    #[must_use]
    pub const fn text(&self) -> &'t str {
        self.text
    }

    /// The position, in bytes.
    #[inline]
    #[must_use]
    pub const fn at(&self) -> usize {
        self.at
    }

    /// The text from `start` to the position; empty if there is none.
    #[inline]
    #[must_use]
    pub fn since(&self, start: usize) -> &'t str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// The text from the position on.
    #[inline]
    #[must_use]
    pub fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The next byte.
    #[inline]
    #[must_use]
    pub fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Moves forward by a number of bytes.
    #[inline]
    pub const fn advance(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Whether a byte is whitespace in JSON.
    #[inline]
    #[must_use]
    pub const fn is_space(byte: u8) -> bool {
        matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
    }

    /// Skips whitespace, and returns the first byte of the next token.
    #[inline]
    pub fn token(&mut self) -> Option<u8> {
        // In most texts, tokens follow each other directly.
        match self.peek() {
            Some(byte) if byte > b' ' => Some(byte),
            _ => {
                self.skip_space();
                self.peek()
            }
        }
    }

    #[inline]
    fn skip_space(&mut self) {
        while self.peek().is_some_and(Self::is_space) {
            self.at += 1;
        }
    }

    /// Skips the next byte if it is this one, and returns whether it is.
    #[inline]
    pub fn eat(&mut self, byte: u8) -> bool {
        let eats = self.peek() == Some(byte);
        self.at += usize::from(eats);
        eats
    }

    /// Skips this text if it is next, and returns whether it is.
    #[inline]
    pub fn literal(&mut self, literal: &str) -> bool {
        let rest = self.text.as_bytes().get(self.at..);
        let eats = rest.is_some_and(|rest| rest.starts_with(literal.as_bytes()));
        if eats {
            self.at += literal.len();
        }
        eats
    }

    /// Skips digits, and returns them.
    #[inline]
    pub fn digits(&mut self) -> &'t str {
        let start = self.at;
        self.skip_digits();
        self.since(start)
    }

    /// Skips digits, and returns whether there is any.
    #[inline]
    fn skip_digits(&mut self) -> bool {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at > start
    }

    /// Skips a number, and returns it. `None` if the text at the position is not one in JSON's grammar, such as
    /// `01`.
    pub fn number(&mut self) -> Option<&'t str> {
        let start = self.at;
        self.eat(b'-');
        let is_whole =
            if self.eat(b'0') { !self.peek().is_some_and(|byte| byte.is_ascii_digit()) } else { self.skip_digits() };
        is_whole.then_some(())?;
        self.fraction()?;
        Some(self.since(start))
    }

    /// Skips the fraction and the exponent of a number, after its integer part. Both may be absent; `None` if one is
    /// not valid.
    #[inline]
    pub fn fraction(&mut self) -> Option<()> {
        if self.eat(b'.') && !self.skip_digits() {
            return None;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _sign = self.eat(b'+') || self.eat(b'-');
            return self.skip_digits().then_some(());
        }
        Some(())
    }

    /// Moves to the first byte that has a meaning in a string; see [`plain_end`].
    #[inline]
    pub fn skip_plain(&mut self) {
        self.at = plain_end(self.text.as_bytes(), self.at);
    }

    /// Skips a string that starts with a quotation mark at the position, and returns its text with the escapes
    /// resolved: it is borrowed if there are none.
    ///
    /// # Errors
    /// The string is not valid.
    #[inline]
    pub fn string(&mut self) -> Result<Cow<'t, str>, InvalidString> {
        if self.eat(b'"') { self.rest_of_string() } else { Err(InvalidString::Unterminated) }
    }

    /// Skips a string whose first quotation mark is before the position, as [`string`](Self::string) does.
    ///
    /// # Errors
    /// The string is not valid.
    #[inline]
    pub fn rest_of_string(&mut self) -> Result<Cow<'t, str>, InvalidString> {
        let start = self.at;
        self.skip_plain();
        if self.peek() == Some(b'"') {
            let text = self.since(start);
            self.at += 1;
            return Ok(Cow::Borrowed(text));
        }
        self.escaped(start).map(Cow::Owned)
    }

    /// The text of a string that starts at `start`, and has its first escape or control character at the position.
    #[cold]
    fn escaped(&mut self, start: usize) -> Result<String, InvalidString> {
        // Its end is found first, so that long strings do not grow piece by piece.
        let mut end = *self;
        end.skip_to_quote();
        let mut string = String::with_capacity(end.at - start);
        let mut plain = start;
        loop {
            string.push_str(self.since(plain));
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(string);
                }
                Some(b'\\') => string.push(self.escape()?),
                Some(control) => return Err(InvalidString::ControlCharacter(control)),
                None => return Err(InvalidString::Unterminated),
            }
            plain = self.at;
            self.skip_plain();
        }
    }

    /// Skips a string that starts at the position, without checking its escapes and control characters. A string
    /// without an end ends with the text.
    pub fn skip_string(&mut self) {
        self.at += 1;
        self.skip_to_quote();
        self.at = self.text.len().min(self.at + 1);
    }

    /// Moves to the quotation mark that ends a string, or to the end of the text.
    fn skip_to_quote(&mut self) {
        loop {
            self.skip_plain();
            match self.peek() {
                Some(b'"') | None => return,
                Some(b'\\') => self.at += 2,
                Some(_) => self.at += 1,
            }
        }
    }

    /// Skips the escape whose backslash is at the position, and returns its character. A surrogate pair is one
    /// character.
    fn escape(&mut self) -> Result<char, InvalidString> {
        let mut after = *self;
        after.at += 2;
        let c = match self.text.as_bytes().get(self.at + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => after.code_point()?,
            _ => return Err(InvalidString::Escape),
        };
        *self = after;
        Ok(c)
    }

    /// Reads the character of a `\u` escape, after the `u`.
    fn code_point(&mut self) -> Result<char, InvalidString> {
        let first = self.unit().ok_or(InvalidString::Digits)?;
        let is_pair = (0xd800..0xdc00).contains(&first) && self.literal("\\u");
        let second = if is_pair { self.unit() } else { None };
        match char::decode_utf16([first].into_iter().chain(second)).next() {
            Some(Ok(c)) => Ok(c),
            _ => Err(InvalidString::LoneSurrogate),
        }
    }

    /// Reads four hexadecimal digits: a code unit of UTF-16.
    fn unit(&mut self) -> Option<u16> {
        let digits = self.text.get(self.at..self.at + 4)?;
        // `from_str_radix` also accepts a sign.
        let unit =
            digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())??;
        self.at += 4;
        Some(unit)
    }
}

/// The highest bit of every byte.
const HIGH: u64 = 0x8080_8080_8080_8080;
/// The lowest bit of every byte.
const LOW: u64 = 0x0101_0101_0101_0101;

/// The index, from `at` on, of the first byte that has a meaning in a JSON string: a quotation mark, a backslash or a
/// control character. The length of `bytes` if there is none. Checks eight bytes at a time, because most of the time of
/// reading a text is spent in its strings.
#[inline]
#[must_use]
pub fn plain_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let found = special(u64::from_le_bytes(*chunk));
        if found != 0 {
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(|byte| *byte >= 0x20 && *byte != b'"' && *byte != b'\\') {
        at += 1;
    }
    at
}

/// Whether a text is written between the quotation marks of a JSON string as it is: it has no byte with a meaning
/// there, as for [`plain_end`].
///
/// ```
/// use capgen_schema::is_plain;
/// assert!(is_plain("naïve".as_bytes()) && is_plain(b""));
/// assert!(!is_plain(b"two\nlines") && !is_plain(b"a \"quote\""));
/// ```
#[inline]
#[must_use]
pub fn is_plain(text: &[u8]) -> bool {
    // The last chunk overlaps with those before, which is faster than to check each byte of the rest.
    if let Some(last) = text.last_chunk::<16>() {
        let (chunks, _) = text.as_chunks::<16>();
        return !has_special(last) && !chunks.iter().any(has_special);
    }
    match (text.first_chunk::<8>(), text.last_chunk::<8>()) {
        (Some(first), Some(last)) => (special(u64::from_le_bytes(*first)) | special(u64::from_le_bytes(*last))) == 0,
        _ => plain_end(text, 0) == text.len(),
    }
}

/// Whether a chunk has a byte with a meaning in a JSON string. Without a branch for each byte, so that the compiler
/// uses instructions for sixteen bytes. [`plain_end`] does not: most strings that are read end in their first chunks,
/// and it would look at those twice.
#[inline]
fn has_special(chunk: &[u8; 16]) -> bool {
    chunk.iter().fold(false, |found, byte| found | (*byte < 0x20) | (*byte == b'"') | (*byte == b'\\'))
}

/// A word in which the first special byte has its high bit set, and no byte before it has. The bits of later bytes may
/// be wrong, because the subtractions borrow from them.
#[inline]
const fn special(chunk: u64) -> u64 {
    const fn below(word: u64, limit: u64) -> u64 {
        word.wrapping_sub(LOW * limit) & !word
    }
    (below(chunk, 0x20) | below(chunk ^ (LOW * 0x22), 1) | below(chunk ^ (LOW * 0x5C), 1)) & HIGH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_plain_text_is_found_at_every_offset() {
        for special in [b'"', b'\\', 0, 0x1F, b'\n'] {
            for length in 0..40 {
                let mut text = "é€😀a~\u{7f}".repeat(7).into_bytes();
                text.truncate(length);
                text.push(special);
                text.extend_from_slice(b"\"\\\x01aaaaaaaaa");
                assert_eq!(plain_end(&text, 0), length, "{special} at {length}");
                assert!(is_plain(text.get(..length).unwrap_or_default()), "{length}");
                for end in length + 1..length + 12 {
                    assert!(!is_plain(text.get(..end).unwrap_or(&text)), "{special} at {length} of {end}");
                }
            }
        }
        assert_eq!(plain_end(b"abc", 0), 3);
    }

    #[test]
    fn strings_are_read_by_rfc_8259() {
        use InvalidString::{ControlCharacter, Digits, Escape, LoneSurrogate, Unterminated};
        let cases = [
            (r#""""#, Ok("")),
            (r#""plain é€😀""#, Ok("plain é€😀")),
            (r#""a\"\\\/\b\f\n\r\tz""#, Ok("a\"\\/\u{8}\u{c}\n\r\tz")),
            (r#""\u0041\u00e9\uD83D\uDE00""#, Ok("Aé😀")),
            (r#""\uD83D""#, Err(LoneSurrogate)),
            (r#""\uDE00\uD83D""#, Err(LoneSurrogate)),
            (r#""\uD83D\u0041""#, Err(LoneSurrogate)),
            (r#""\uD83D\n""#, Err(LoneSurrogate)),
            (r#""\uD83D\u00""#, Err(LoneSurrogate)),
            (r#""\u+041""#, Err(Digits)),
            (r#""\u00é""#, Err(Digits)),
            (r#""\u004"#, Err(Digits)),
            (r#""\x""#, Err(Escape)),
            (r#""\é""#, Err(Escape)),
            (r#""\"#, Err(Escape)),
            (r#""a\n"#, Err(Unterminated)),
            (r#""a"#, Err(Unterminated)),
            ("a", Err(Unterminated)),
            ("", Err(Unterminated)),
            ("\"\\na\u{1}\"", Err(ControlCharacter(1))),
            ("\"a\n\"", Err(ControlCharacter(b'\n'))),
        ];
        for (text, expected) in cases {
            let mut cursor = JsonCursor::new(text, 0);
            assert_eq!(cursor.string().as_deref(), expected.as_ref().copied(), "{text}");
            assert!(expected.is_err() || cursor.at() == text.len(), "{text}");
        }
    }

    #[test]
    fn a_string_that_is_not_valid_is_left_at_its_mistake() {
        for (text, at) in [(r#""ab\x""#, 3), (r#""ab\n\u12""#, 5), (r#""\n\ud800\u0041""#, 3), ("\"a\\n\u{1}", 4)] {
            let mut cursor = JsonCursor::new(text, 0);
            assert!(cursor.string().is_err());
            assert_eq!(cursor.at(), at, "{text}");
        }
    }

    #[test]
    fn skipped_strings_end_where_read_strings_do() {
        for text in [r#""""#, r#""a\"\\""#, r#""\u0041\\\"é""#, "\"\\"] {
            let mut skipped = JsonCursor::new(text, 0);
            skipped.skip_string();
            assert_eq!(skipped.at(), text.len(), "{text}");
        }
        let mut skipped = JsonCursor::new("x\"\u{1}\\é\" \"", 1);
        skipped.skip_string();
        assert_eq!(skipped.rest(), " \"");
    }

    #[test]
    fn numbers_are_read_by_rfc_8259() {
        for text in ["0", "-0", "10", "-1.5e+3", "0.0", "1E5", "1e-05", "12345678901234567890.5"] {
            assert_eq!(JsonCursor::new(text, 0).number(), Some(text), "{text}");
        }
        for text in ["", "-", "+1", "01", "-01", "00", "1.", ".5", "1.e5", "1e", "1e+", "e1", "é"] {
            assert_eq!(JsonCursor::new(text, 0).number(), None, "{text}");
        }
        assert_eq!(JsonCursor::new("[1,2]", 1).number(), Some("1"));
    }

    #[test]
    fn a_cursor_after_the_end_finds_nothing() {
        let mut cursor = JsonCursor::new("é", 9);
        assert_eq!((cursor.peek(), cursor.token(), cursor.rest(), cursor.since(1)), (None, None, "", ""));
        assert!(!cursor.eat(b' ') && !cursor.literal(" ") && cursor.number().is_none());
        assert_eq!(cursor.string(), Err(InvalidString::Unterminated));
        cursor.skip_string();
        cursor.skip_plain();
        assert_eq!(cursor.peek(), None);
    }
}
