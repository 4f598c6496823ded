//! The places in a YAML text of the characters of a string.

/// The notation of a YAML string.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Style {
    Plain,
    Single,
    Double,
}

/// The offset in `raw`, a YAML string with its quotes, of each byte of `text`, its value, and of the end of the value.
/// `None` if they do not correspond. Takes linear time.
pub(super) fn offsets(raw: &str, text: &str) -> Option<Vec<usize>> {
    let (style, mut at) = match raw.as_bytes().first()? {
        b'"' => (Style::Double, 1),
        b'\'' => (Style::Single, 1),
        // The text of a block starts on the next line.
        b'|' | b'>' => (Style::Plain, raw.find('\n')? + 1),
        _ => (Style::Plain, 0),
    };
    let mut offsets = Vec::with_capacity(text.len() + 1);
    for c in text.chars() {
        let start = find(raw, &mut at, style, c)?;
        offsets.resize(offsets.len() + c.len_utf8(), start);
    }
    offsets.push(at);
    Some(offsets)
}

/// The next place of a character of the value.
fn find(raw: &str, at: &mut usize, style: Style, c: char) -> Option<usize> {
    loop {
        let rest = raw.get(*at..)?;
        let start = *at;
        let Some(next) = rest.chars().next() else { return c.is_whitespace().then_some(start) };
        let (decoded, length) = match style {
            Style::Double if next == '\\' => escape(rest)?,
            Style::Single if rest.starts_with("''") => (Some('\''), 2),
            _ => (Some(next), next.len_utf8()),
        };
        // A line break in the text is a space in the value.
        let is_folded = c == ' ' && matches!(decoded, Some('\n' | '\r'));
        if decoded == Some(c) || is_folded {
            *at += length;
            return Some(start);
        }
        match decoded {
            // White space around a line break, and escaped line breaks, are not part of the value.
            Some(other) if !other.is_whitespace() => return c.is_whitespace().then_some(start),
            _ => *at += length,
        }
    }
}

/// The character of an escape in double quotes, `None` for a line break, and the length of the escape.
fn escape(rest: &str) -> Option<(Option<char>, usize)> {
    let name = rest.chars().nth(1)?;
    let digits = match name {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => 0,
    };
    if digits > 0 {
        let code = u32::from_str_radix(rest.get(2..2 + digits)?, 16).ok()?;
        return Some((Some(char::from_u32(code)?), 2 + digits));
    }
    let c = match name {
        '\n' | '\r' => None,
        'n' => Some('\n'),
        't' => Some('\t'),
        'r' => Some('\r'),
        'f' => Some('\x0c'),
        'v' => Some('\x0b'),
        'a' => Some('\x07'),
        'b' => Some('\x08'),
        'e' => Some('\x1b'),
        '0' => Some('\0'),
        '_' => Some('\u{a0}'),
        'N' => Some('\u{85}'),
        'L' => Some('\u{2028}'),
        'P' => Some('\u{2029}'),
        other => Some(other),
    };
    Some((c, 1 + name.len_utf8()))
}

#[cfg(test)]
mod tests {
    use capgen_diagnostic::Source;
    use capgen_manifest::{Data, parse_yaml};

    use super::*;

    /// Reads a YAML document whose key `k` has a string, and returns the text from the place of `x` on, up to its `.`.
    fn found(yaml: &str) -> String {
        let tree = parse_yaml(&Source::new("f", yaml)).unwrap();
        let node = &tree.member("k").unwrap().value;
        let Data::String(text) = &node.data else { panic!("{node:?}") };
        let raw = yaml.get(node.span.clone()).unwrap();
        let offsets = offsets(raw, text).unwrap();
        assert_eq!(offsets.len(), text.len() + 1);
        let place = offsets[text.find('x').unwrap()];
        raw.get(place..).unwrap().split('.').next().unwrap().to_owned()
    }

    #[test]
    fn every_notation_of_strings_has_places() {
        for yaml in [
            "k: a b x1.",
            "k: a\n  b  c\n   x1.\nl: 1",
            "k: 'a '' b x1. '",
            "k: 'a\n\n   b x1.'",
            r#"k: "a \\ \" \u00e9 \x41\t x1.""#,
            "k: \"a \\\n   b\\ \\\n   x1.\"",
            "k: |\n  a\n    b\n  x1.\n",
            "k: >-\n  a\n  b\n\n  c x1.\n",
            "k: |2-\n    a x1.\n",
            "m: 1\nk: é x1.",
            "k: >\r\n  a\r\n  x1.\r\n",
        ] {
            assert_eq!(found(yaml), "x1", "{yaml}");
        }
    }

    #[test]
    fn other_texts_have_no_places() {
        assert_eq!(offsets("abc", "abd"), None);
        assert_eq!(offsets("", "a"), None);
        assert_eq!(offsets("\"\\x4\"", "a"), None);
        assert_eq!(offsets("|", "a"), None);
    }
}
