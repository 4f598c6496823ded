//! The lines of a file, with a limit.

use std::io::{self, BufRead};

use capgen_files::LineBuffer;

/// The limit of the bytes of a line, without its line break. An event has at most 1 MiB, but its text need not be
/// canonical. An escape has six bytes for a character of one, so 16 times as much leaves room for escapes everywhere
/// and for white space.
const MAX_LINE: usize = (16 << 20) - 1;

/// A line of a file.
#[derive(Debug)]
pub(super) struct Line {
    /// The text without the line break; `None` if it is too long.
    pub(super) text: Option<Vec<u8>>,
    /// The number of its bytes, with the line break.
    pub(super) length: u64,
    /// Whether it has a line break.
    pub(super) is_terminated: bool,
}

/// Reads the next line; `None` at the end of the file. `note` gets all of its bytes.
pub(super) fn next(file: &mut impl BufRead, note: &mut dyn FnMut(&[u8])) -> io::Result<Option<Line>> {
    let mut line = LineBuffer::new(MAX_LINE);
    let is_terminated = line.read(file, note)?;
    let length = line.length();
    Ok((length > 0).then(|| Line { text: line.take(), length, is_terminated }))
}

pub(super) fn length_of(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}
