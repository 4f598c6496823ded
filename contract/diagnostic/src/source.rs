//! A text and the path under which findings show it.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::hidden::Hidden;

/// A file's text with the path that findings show. Cheap to clone.
#[derive(Clone)]
pub struct Source(Arc<Inner>);

struct Inner {
    path: String,
    text: String,
    /// Where each line starts, in bytes.
    lines: Vec<usize>,
    hide: OnceLock<fn(&Source) -> Hidden>,
    /// Computed for the first finding that is displayed: most sources have none.
    hidden: OnceLock<Hidden>,
}

/// A line and a column. Both count from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    /// The line. Lines end with LF or CRLF.
    pub line: usize,
    /// The column, in Unicode code points. A byte order mark does not count.
    pub column: usize,
}

/// The byte order mark.
const BOM: char = '\u{feff}';

impl Source {
    /// Creates a source. `path` is only displayed, never opened.
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        let (path, text) = (path.into(), text.into());
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self(Arc::new(Inner { path, text, lines, hide: OnceLock::new(), hidden: OnceLock::new() }))
    }

    /// The path that findings show.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// The whole text, a byte order mark included.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The line and column of a byte offset. An offset inside a code point has the position of the code point; an
    /// offset beyond the text has the position of its end. Takes time linear in the line's length.
    pub fn position(&self, offset: usize) -> Position {
        let offset = floor_char_boundary(self.text(), offset);
        let index = self.0.lines.partition_point(|&start| start <= offset).saturating_sub(1);
        let start = self.0.lines.get(index).copied().unwrap_or_default();
        let before = self.text().get(start..offset).unwrap_or_default();
        let before = if index == 0 { before.strip_prefix(BOM).unwrap_or(before) } else { before };
        Position { line: index + 1, column: before.chars().count() + 1 }
    }

    /// The byte range of a line, without its line end. Lines count from 1; `None` if there is no such line.
    pub fn line(&self, line: usize) -> Option<Range<usize>> {
        let index = line.checked_sub(1)?;
        let start = *self.0.lines.get(index)?;
        let end = self.0.lines.get(line).map_or(self.text().len(), |next| next - 1);
        let text = self.text().get(start..end)?;
        Some(start..start + text.strip_suffix('\r').unwrap_or(text).len())
    }

    /// Whether both have the same path and text. Two reads of one file are the same source.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || (self.path() == other.path() && self.text() == other.text())
    }

    /// Sets the function that finds the parts that are never displayed, such as credentials. All clones share it. The
    /// first call wins, and without one everything is displayed. The function runs at most once, and only if a finding
    /// in this source is rendered.
    pub fn hide_with(&self, hide: fn(&Source) -> Hidden) {
        // An error means that there is a function already.
        let _ = self.0.hide.set(hide);
    }

    /// The parts that are never displayed.
    pub(crate) fn hidden(&self) -> &Hidden {
        self.0.hidden.get_or_init(|| self.0.hide.get().map(|hide| hide(self)).unwrap_or_default())
    }
}

impl fmt::Debug for Source {
    /// Leaves out the text, which may be long and may contain credentials.
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
}
