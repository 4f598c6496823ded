//! A text and the name it is shown under.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::{Diagnostic, codes};

/// A file's text with the path that diagnostics show. Cheap to clone.
#[derive(Clone)]
pub struct Source(Arc<Inner>);

struct Inner {
    path: String,
    text: String,
    /// Where each line starts, in bytes.
    lines: Vec<usize>,
    /// For each line whether it may hold a credential; found out when a snippet is wanted.
    hidden: OnceLock<Vec<bool>>,
}

/// A place for people: both count from 1, columns in code points.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    /// The line. Lines end with LF or CRLF.
    pub line: usize,
    /// The column, in Unicode code points. A byte order mark takes none.
    pub column: usize,
}

/// The byte order mark.
const BOM: char = '\u{feff}';

impl Source {
    /// A source; `path` is only shown, never opened.
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        let (path, text) = (path.into(), text.into());
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self(Arc::new(Inner { path, text, lines, hidden: OnceLock::new() }))
    }

    /// A source from a file's bytes.
    ///
    /// # Errors
    ///
    /// One [`codes::NOT_UTF8`] where the bytes are not UTF-8; it says at which byte and line.
    pub fn from_bytes(path: impl Into<String>, bytes: Vec<u8>) -> Result<Self, Vec<Diagnostic>> {
        let path = path.into();
        String::from_utf8(bytes).map(|text| Self::new(path.clone(), text)).map_err(|error| {
            let offset = error.utf8_error().valid_up_to();
            let byte = error.as_bytes().get(offset).copied().unwrap_or_default();
            let utf16 = matches!(error.as_bytes(), [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
            // The lossy text has the same bytes up to the error, so the span and the snippet are right.
            let source = Self::new(path, String::from_utf8_lossy(error.as_bytes()));
            let line = source.position(offset).line;
            vec![
                Diagnostic::new(
                    codes::NOT_UTF8,
                    format!("the text is not UTF-8: byte 0x{byte:02x} at offset {offset}, line {line}"),
                )
                .at(&source, offset..offset + 1, "")
                .help(if utf16 {
                    "this looks like UTF-16: save the file as UTF-8"
                } else {
                    "save the file as UTF-8"
                }),
            ]
        })
    }

    /// The path that diagnostics show.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// The whole text, a byte order mark included.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The line and column of a byte offset. An offset inside a code point is that of the code point, one beyond the
    /// text that of its end. Takes time linear in the line's length.
    pub fn position(&self, offset: usize) -> Position {
        let offset = floor_char_boundary(self.text(), offset);
        let index = self.0.lines.partition_point(|&start| start <= offset).saturating_sub(1);
        let start = self.0.lines.get(index).copied().unwrap_or_default();
        let before = self.text().get(start..offset).unwrap_or_default();
        let before = if index == 0 { before.strip_prefix(BOM).unwrap_or(before) } else { before };
        Position { line: index + 1, column: before.chars().count() + 1 }
    }

    /// The bytes of a line, which counts from 1, without its line end; `None` where there is no such line.
    pub fn line(&self, line: usize) -> Option<Range<usize>> {
        let index = line.checked_sub(1)?;
        let start = *self.0.lines.get(index)?;
        let end = self.0.lines.get(line).map_or(self.text().len(), |next| next - 1);
        let text = self.text().get(start..end)?;
        Some(start..start + text.strip_suffix('\r').unwrap_or(text).len())
    }

    /// Whether a line, which counts from 1, may hold a credential.
    pub(crate) fn hides(&self, line: usize) -> bool {
        let hidden = self.0.hidden.get_or_init(|| crate::render::hidden_lines(self.text()));
        line.checked_sub(1).and_then(|index| hidden.get(index).copied()).unwrap_or(false)
    }
}

impl fmt::Debug for Source {
    /// Without the text, which may be long and may hold credentials.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Source").field(&self.0.path).finish()
    }
}

/// The nearest character boundary at or before `offset`.
pub(crate) fn floor_char_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_code_points_and_lines_end_with_lf_or_crlf() {
        let source = Source::new("f", "\u{feff}é x\r\n😀y\n");
        for (offset, line, column) in [(0, 1, 1), (3, 1, 1), (5, 1, 2), (9, 2, 1), (11, 2, 1), (13, 2, 2), (99, 3, 1)] {
            assert_eq!(source.position(offset), Position { line, column }, "{offset}");
        }
        assert_eq!(
            (source.line(1), source.line(2), source.line(3), source.line(4)),
            (Some(0..7), Some(9..14), Some(15..15), None)
        );
        assert_eq!(source.line(0), None);
    }

    #[test]
    fn bytes_that_are_not_utf8_are_refused_with_their_place() {
        let error = Source::from_bytes("f", b"a: 1\nb: \xff\n".to_vec()).unwrap_err().remove(0);
        assert_eq!(error.code, codes::NOT_UTF8);
        assert_eq!(error.message, "the text is not UTF-8: byte 0xff at offset 8, line 2");
    }
}
