//! Lines of a limited length.

use std::io;

use capgen_files::LineBuffer;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// Reads lines. Memory is used only for bytes that have arrived, and at most for the longest line.
pub(crate) struct Lines<R> {
    reader: BufReader<R>,
    line: LineBuffer,
}

/// A line.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Line {
    /// Its bytes without the line feed. The last line may have none.
    Text(Vec<u8>),
    /// It has more bytes than are allowed. Reported as soon as that is known; the rest is skipped.
    TooLong,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(reader: R, max: usize) -> Self {
        Self { reader: BufReader::new(reader), line: LineBuffer::new(max) }
    }

    /// The next line; `None` at the end. Cancel safe.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let bytes = self.reader.fill_buf().await?;
            let is_end = bytes.is_empty();
            let was_too_long = self.line.is_too_long();
            let (used, has_line_feed) = self.line.push(bytes);
            self.reader.consume(used);
            let is_too_long = self.line.is_too_long() && !was_too_long;
            let is_complete = has_line_feed || is_end && self.line.length() > 0;
            let text = if is_complete { self.line.take() } else { None };
            if is_too_long {
                return Ok(Some(Line::TooLong));
            }
            if text.is_some() || is_end {
                return Ok(text.map(Line::Text));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(text: &[u8], max: usize) -> Vec<Line> {
        let mut lines = Lines::new(text, max);
        let mut all = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            all.push(line);
        }
        all
    }

    #[tokio::test]
    async fn lines_end_at_line_feeds_and_at_the_end() {
        let text = |text: &str| Line::Text(text.into());
        assert_eq!(lines(b"a\n\nb", 10).await, [text("a"), text(""), text("b")]);
        assert_eq!(lines(b"", 10).await, []);
    }

    #[tokio::test]
    async fn a_line_that_never_ends_is_reported() {
        let (mut sender, receiver) = tokio::io::duplex(100);
        tokio::io::AsyncWriteExt::write_all(&mut sender, b"0123456789").await.unwrap();
        assert_eq!(Lines::new(receiver, 5).next().await.unwrap(), Some(Line::TooLong));
    }

    #[tokio::test]
    async fn long_lines_are_skipped() {
        let long = format!("a\n{}\nb\n", "x".repeat(100_000));
        assert_eq!(lines(long.as_bytes(), 10).await, [Line::Text("a".into()), Line::TooLong, Line::Text("b".into())]);
        assert_eq!(lines(b"0123456789\n01234567890", 10).await, [Line::Text("0123456789".into()), Line::TooLong]);
    }
}
