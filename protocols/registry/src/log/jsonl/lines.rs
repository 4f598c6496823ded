//! The lines of a file, with a limit.

use std::io::{self, BufRead, Read as _};

/// The limit of the bytes of a line. An event has at most 1 MiB, but its text need not be canonical.
const MAX_LINE: u64 = 16 << 20;

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
    let mut text = Vec::new();
    let mut length = length_of(file.by_ref().take(MAX_LINE).read_until(b'\n', &mut text)?);
    if length == 0 {
        return Ok(None);
    }
    note(&text);
    let mut is_terminated = text.ends_with(b"\n");
    let is_too_long = length == MAX_LINE && !is_terminated;
    if is_too_long {
        // Bounded memory, whatever the length of the line.
        loop {
            let bytes = file.fill_buf()?;
            let line_break = bytes.iter().position(|byte| *byte == b'\n');
            let used = line_break.map_or(bytes.len(), |position| position + 1);
            is_terminated = line_break.is_some();
            let is_end = used == 0;
            note(bytes.get(..used).unwrap_or_default());
            file.consume(used);
            length += length_of(used);
            if is_terminated || is_end {
                break;
            }
        }
    } else if is_terminated {
        text.pop();
    }
    Ok(Some(Line { text: (!is_too_long).then_some(text), length, is_terminated }))
}

pub(super) fn length_of(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}
