//! Strings in a JSON text ([RFC 8259 section 7](https://www.rfc-editor.org/rfc/rfc8259#section-7)).

use std::borrow::Cow;

/// The highest bit of every byte.
const HIGH: u64 = 0x8080_8080_8080_8080;
/// The lowest bit of every byte.
const LOW: u64 = 0x0101_0101_0101_0101;

/// The index, from `at` on, of the first byte that has a meaning in a string: a quote, a backslash or a control character. The length
/// of `bytes` if there is none. Checks eight bytes at a time.
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

/// A word in which the first special byte has its high bit set, and no byte before it has. The bits of later bytes may be wrong.
fn special(chunk: u64) -> u64 {
    let zero_in = |word: u64| word.wrapping_sub(LOW) & !word;
    let control = chunk.wrapping_sub(LOW * 0x20) & !chunk;
    (control | zero_in(chunk ^ (LOW * 0x22)) | zero_in(chunk ^ (LOW * 0x5C))) & HIGH
}

/// The text of a string, given the raw text between its quotes: resolves the escapes. `None` if an escape is invalid or a lone
/// surrogate.
#[cold]
pub(super) fn unescape(raw: &str) -> Option<Cow<'_, str>> {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((plain, escape)) = rest.split_once('\\') {
        text.push_str(plain);
        let mut chars = escape.chars();
        text.push(match chars.next()? {
            c @ ('"' | '\\' | '/') => c,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let (c, behind) = unicode(chars.as_str())?;
                chars = behind.chars();
                c
            }
            _ => return None,
        });
        rest = chars.as_str();
    }
    text.push_str(rest);
    Some(Cow::Owned(text))
}

/// The character of a `\u` escape, given the text after `\u`, and the rest of that text. A surrogate pair is one character.
fn unicode(text: &str) -> Option<(char, &str)> {
    let (first, rest) = four_digits(text)?;
    if let Some(c) = char::from_u32(first) {
        return Some((c, rest));
    }
    let (second, rest) = four_digits(rest.strip_prefix("\\u")?)?;
    let pair = [u16::try_from(first).ok()?, u16::try_from(second).ok()?];
    let mut decoded = char::decode_utf16(pair);
    match (decoded.next()?, decoded.next()) {
        (Ok(c), None) => Some((c, rest)),
        _ => None,
    }
}

fn four_digits(text: &str) -> Option<(u32, &str)> {
    let (digits, rest) = text.split_at_checked(4)?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    Some((u32::from_str_radix(digits, 16).ok()?, rest))
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
            }
        }
        assert_eq!(plain_end(b"abc", 0), 3);
    }

    #[test]
    fn escapes_are_resolved_by_rfc_8259() {
        let cases = [
            (r#"a\"\\\/\b\f\n\r\tz"#, Some("a\"\\/\u{8}\u{c}\n\r\tz")),
            (r"\u0041\u00e9\uD83D\uDE00", Some("Aé😀")),
            (r"\uD83D", None),
            (r"\uDE00\uD83D", None),
            (r"\uD83D\u0041", None),
            (r"\u+041", None),
            (r"\u00é", None),
            (r"\x", None),
            (r"\", None),
        ];
        for (raw, expected) in cases {
            assert_eq!(unescape(raw).as_deref(), expected, "{raw}");
        }
    }
}
