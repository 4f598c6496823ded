//! Lines with a largest length, in memory that does not depend on the length of the lines.

use std::io::{self, BufRead};

/// A line of which the bytes arrive in parts. A line beyond the largest length is skipped.
///
/// ```
/// use capgen_files::LineBuffer;
/// let mut input = "short\nfar too long\nlast".as_bytes();
/// let mut line = LineBuffer::new(5);
/// let mut lines = Vec::new();
/// while line.read(&mut input, |_| ())? || line.length() > 0 {
///     lines.push(line.take().map(String::from_utf8).transpose()?);
/// }
/// assert_eq!(lines, [Some("short".to_owned()), None, Some("last".to_owned())]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct LineBuffer {
    max: usize,
    text: Vec<u8>,
    length: u64,
    is_too_long: bool,
}

impl LineBuffer {
    /// A buffer for lines of at most `max` bytes, without their line feed.
    pub fn new(max: usize) -> Self {
        Self { max, text: Vec::new(), length: 0, is_too_long: false }
    }

    /// Adds the bytes up to the end of the line. Returns how many were used, and whether the last one of these is a
    /// line feed.
    pub fn push(&mut self, bytes: &[u8]) -> (usize, bool) {
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let part = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
        self.is_too_long |= self.text.len().saturating_add(part.len()) > self.max;
        if self.is_too_long {
            self.text.clear();
        } else {
            self.text.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        self.length = self.length.saturating_add(u64::try_from(used).unwrap_or(u64::MAX));
        (used, end.is_some())
    }

    /// Replaces the line by the next one of an input, and returns whether it ends with a line feed. At the end of the
    /// input, its [`length`](Self::length) is 0. `note` gets all of its bytes, also those that are skipped.
    ///
    /// # Errors
    ///
    /// Those of the input.
    pub fn read(&mut self, input: &mut impl BufRead, mut note: impl FnMut(&[u8])) -> io::Result<bool> {
        self.clear();
        loop {
            let bytes = match input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                bytes => bytes?,
            };
            let (used, is_end) = self.push(bytes);
            note(bytes.get(..used).unwrap_or_default());
            input.consume(used);
            if is_end || used == 0 {
                return Ok(is_end);
            }
        }
    }

    /// The number of bytes of the line so far, with its line feed, also if it is too long.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Whether the line is too long, as far as it is known.
    pub fn is_too_long(&self) -> bool {
        self.is_too_long
    }

    /// The text without the line feed; empty if it is too long.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The text without the line feed, or `None` if it is too long. The next line starts.
    pub fn take(&mut self) -> Option<Vec<u8>> {
        let text = (!self.is_too_long).then(|| std::mem::take(&mut self.text));
        self.clear();
        text
    }

    fn clear(&mut self) {
        self.text.clear();
        self.length = 0;
        self.is_too_long = false;
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    /// The lines of a text, each with whether it ends with a line feed. `!` represents a line that is too long.
    fn lines(text: &str, capacity: usize) -> Vec<(String, bool)> {
        let mut input = BufReader::with_capacity(capacity, text.as_bytes());
        let (mut line, mut lines, mut noted) = (LineBuffer::new(4), Vec::new(), Vec::new());
        loop {
            let is_terminated = line.read(&mut input, |bytes| noted.extend_from_slice(bytes)).unwrap();
            if line.length() == 0 {
                assert_eq!(noted, text.as_bytes());
                return lines;
            }
            let text = line.take().map_or_else(|| "!".to_owned(), |text| String::from_utf8(text).unwrap());
            lines.push((text, is_terminated));
        }
    }

    #[test]
    fn lines_end_at_line_feeds_and_at_the_end() {
        // Tiny buffers make lines cross their end.
        for capacity in [1, 2, 3, 1024] {
            let check = |text: &str, expected: &[(&str, bool)]| {
                let found = lines(text, capacity);
                let found: Vec<_> = found.iter().map(|(text, end)| (text.as_str(), *end)).collect();
                assert_eq!(found, expected, "{text:?} by {capacity}");
            };
            check("", &[]);
            check("\n", &[("", true)]);
            check("a\n\r\nb", &[("a", true), ("\r", true), ("b", false)]);
            check("1234\n12345\n123456789\n1", &[("1234", true), ("!", true), ("!", true), ("1", false)]);
            check("1234567", &[("!", false)]);
        }
    }

    #[test]
    fn a_line_is_too_long_before_it_ends() {
        let mut line = LineBuffer::new(2);
        assert_eq!(line.push(b"12"), (2, false));
        assert!(!line.is_too_long());
        assert_eq!(line.push(b"3"), (1, false));
        assert!(line.is_too_long());
        assert_eq!((line.push(b"4\n5"), line.length(), line.text()), ((2, true), 5, &b""[..]));
        assert_eq!(line.take(), None);
        assert_eq!((line.push(b"5\n"), line.take()), ((2, true), Some(b"5".to_vec())));
    }
}
