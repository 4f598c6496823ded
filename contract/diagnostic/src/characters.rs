//! Characters that must be escaped before they are displayed or written into code.

/// Whether a reader cannot see the character, or a terminal or a viewer may act on it instead of displaying it.
///
/// These are the characters with the Unicode property `Default_Ignorable_Code_Point` (zero-width characters, fillers,
/// variation selectors, tags), those of the categories `Cc` (control), `Cf` (format, with all bidirectional controls),
/// `Zl`, `Zp` (line separators) and `Co` (private use), and the noncharacters.
pub fn is_unsafe(c: char) -> bool {
    // Nearly all characters are ASCII.
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}')
        || is_ignorable(c)
        || is_visible_format(c)
        || matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..)
        || is_noncharacter(c)
}

/// Whether the character looks like a space, but is another one: the category `Zs` without the space itself, and the
/// empty Braille pattern.
pub fn is_other_space(c: char) -> bool {
    matches!(c, '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{2800}' | '\u{3000}')
}

/// `Default_Ignorable_Code_Point`.
fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// `Cf` without the characters that are [ignorable](is_ignorable).
fn is_visible_format(c: char) -> bool {
    matches!(c,
        '\u{600}'..='\u{605}' | '\u{6dd}' | '\u{70f}' | '\u{890}' | '\u{891}' | '\u{8e2}' | '\u{fff9}'..='\u{fffb}'
        | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}')
}

fn is_noncharacter(c: char) -> bool {
    matches!(c, '\u{fdd0}'..='\u{fdef}') || u32::from(c) & 0xfffe == 0xfffe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_characters_have_the_documented_properties() {
        let documented = r"^(?:\p{Default_Ignorable_Code_Point}|\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}|\p{Co})$";
        let documented = regex::Regex::new(documented).unwrap();
        let spaces = regex::Regex::new(r"^[\p{Zs}\x{2800}--\x{20}]$").unwrap();
        let mut text = [0; 4];
        for c in '\0'..=char::MAX {
            let text = c.encode_utf8(&mut text);
            assert_eq!(is_unsafe(c), documented.is_match(text) || is_noncharacter(c), "{c:?}");
            assert_eq!(is_other_space(c), spaces.is_match(text), "{c:?}");
        }
    }
}
