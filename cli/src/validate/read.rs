//! Payloads from a stream, in bounded memory.

use std::io::{self, BufRead, BufReader, Read};

use capgen_diagnostic::Diagnostic;
use capgen_files::{LineBuffer, Unreadable, read_input};

use crate::codes;
use crate::failure::Failure;

/// The maximum length of a payload, in bytes. Usual payloads have at most 1 MiB, the default limit of messages in NATS;
/// an input without line breaks must not fill the memory.
pub(crate) const MAX_PAYLOAD: usize = 64 << 20;

/// The bytes that are read at once: a large file takes few system calls and little memory.
const BUFFER: usize = 64 << 10;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A stream of payloads.
pub(crate) struct Reader {
    input: BufReader<Box<dyn Read>>,
    line: LineBuffer,
    /// The payload, if the whole stream is one.
    whole: Vec<u8>,
    limit: usize,
    /// The name of the stream in messages.
    name: String,
}

/// The next payload of a stream.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Line<'r> {
    /// A payload, without its line end.
    Text(&'r [u8]),
    /// A payload beyond the limit; it was skipped.
    TooLong,
    /// The end of the stream.
    End,
}

impl Reader {
    pub(crate) fn new(input: Box<dyn Read>, name: &str) -> Self {
        let input = BufReader::with_capacity(BUFFER, input);
        Self { input, line: LineBuffer::new(MAX_PAYLOAD), whole: Vec::new(), limit: MAX_PAYLOAD, name: name.to_owned() }
    }

    /// The same stream with another maximum length of payloads, in bytes.
    #[cfg(feature = "registry")]
    pub(crate) fn with_limit(self, limit: usize) -> Self {
        Self { limit, line: LineBuffer::new(limit), ..self }
    }

    /// Whether reading the next line may block.
    pub(crate) fn would_wait(&self) -> bool {
        self.input.buffer().is_empty()
    }

    /// The whole stream as one payload, without a byte order mark (RFC 8259, section 8.1 lets parsers ignore it).
    pub(crate) fn whole(&mut self) -> Result<Line<'_>, Failure> {
        self.whole = match read_input(&mut self.input, self.limit as u64) {
            Ok(whole) => whole,
            Err(Unreadable::TooLong { .. }) => return Ok(Line::TooLong),
            Err(error) => return Err(failed(&self.name, &error.into())),
        };
        Ok(Line::Text(self.whole.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&self.whole)))
    }

    /// The next line. An empty line at the end of the stream is skipped: many programs end their output with one.
    pub(crate) fn next_line(&mut self) -> Result<Line<'_>, Failure> {
        let found = self.fill_line().map_err(|error| failed(&self.name, &error))?;
        Ok(match found {
            Found::Nothing => Line::End,
            Found::TooLong => Line::TooLong,
            Found::Line => {
                let text = self.line.text();
                Line::Text(text.strip_suffix(b"\r").unwrap_or(text))
            }
        })
    }

    fn fill_line(&mut self) -> io::Result<Found> {
        self.line.read(&mut self.input, |_| ())?;
        if self.line.is_too_long() {
            return Ok(Found::TooLong);
        }
        let is_last_empty = matches!(self.line.text(), b"" | b"\r") && self.at_end()?;
        Ok(if self.line.length() == 0 || is_last_empty { Found::Nothing } else { Found::Line })
    }

    fn at_end(&mut self) -> io::Result<bool> {
        loop {
            match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => return Ok(other?.is_empty()),
            }
        }
    }
}

enum Found {
    Line,
    TooLong,
    Nothing,
}

/// The failure to read a stream.
pub(crate) fn failed(name: &str, error: &io::Error) -> Failure {
    Failure::Findings(vec![Diagnostic::new(codes::PAYLOAD_IO, format!("cannot read {name}: {error}"))])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the lines of `text`. `!` represents a line that is too long.
    fn check(text: &str, expected: &[&str]) {
        // Tiny buffers make lines cross their end.
        for capacity in [1, 2, 3, 1024] {
            let input = BufReader::with_capacity(capacity, Box::new(io::Cursor::new(text.to_owned())) as Box<dyn Read>);
            let mut reader =
                Reader { input, line: LineBuffer::new(4), whole: Vec::new(), limit: 4, name: String::new() };
            let mut lines = Vec::new();
            loop {
                match reader.next_line().unwrap() {
                    Line::End => break,
                    Line::TooLong => lines.push("!".to_owned()),
                    Line::Text(text) => lines.push(String::from_utf8(text.to_vec()).unwrap()),
                }
            }
            assert_eq!(lines, expected, "{text:?} by {capacity}");
        }
    }

    #[test]
    fn lines_end_with_lf_or_crlf_or_the_stream() {
        check("", &[]);
        check("1\n2\r\n3", &["1", "2", "3"]);
        check("1\n2\n", &["1", "2"]);
    }

    #[test]
    fn an_empty_line_counts_except_at_the_very_end() {
        check("1\n\n2\n\n", &["1", "", "2"]);
        check("1\r\n\r\n", &["1"]);
        check("\n", &[]);
        check("\n\n", &[""]);
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped_as_a_whole() {
        check("12345\n1234\n123456789\n1", &["!", "1234", "!", "1"]);
    }
}
