//! Corrects spans that the parser reports imprecisely.

use std::ops::Range;

use granit_parser::ScalarStyle;

/// The span of a scalar. The parser extends the span of a block scalar to the next token.
pub(super) fn scalar(text: &str, span: Range<usize>, style: ScalarStyle) -> Range<usize> {
    if !matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
        return span;
    }
    let length = text.get(span.clone()).map_or(0, |text| text.trim_end().len());
    span.start..span.start + length
}

/// The start of a sequence in block style. For the parser, one that is not indented starts after its first dash.
pub(super) fn block_sequence_start(text: &str, at: usize) -> usize {
    let mut here = text.get(at..).unwrap_or_default().chars();
    let is_dash = here.next() == Some('-') && here.next().is_none_or(char::is_whitespace);
    let before = text.get(..at).map_or("", str::trim_end);
    if !is_dash && before.ends_with('-') { before.len() - 1 } else { at }
}

/// The position of a missing value: after the colon of its key, or after the text before `at`.
pub(super) fn nothing(text: &str, key_end: Option<usize>, at: usize) -> usize {
    let Some(key_end) = key_end else {
        return text.get(..at).map_or(at, |before| before.trim_end().len());
    };
    let rest = text.get(key_end..).unwrap_or_default();
    let gap = rest.len() - rest.trim_start().len();
    if rest.trim_start().starts_with(':') { key_end + gap + 1 } else { key_end }
}
