//! Characters that must be escaped before they are displayed.

/// Whether a terminal or a viewer may act on the character instead of displaying it: control characters, line
/// separators, and characters that reorder or hide text (bidirectional controls, zero-width and tag characters).
pub fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}
