//! The events of a log, one after the other.

use std::path::Path;

use capgen_diagnostic::Diagnostic;
use capgen_registry::Event;

use super::log::LogAddress;
use super::{input, log};
use crate::codes;
use crate::console::Console;
use crate::failure::Failure;
use crate::validate::{Line, Reader, shown_payload as shown};

/// The maximum length of a line in bytes: an event of 1 MiB fits in any notation.
pub(super) const MAX_LINE: usize = 16 << 20;

/// A line of a file of events.
pub(super) enum Text {
    /// An event.
    Event(Event),
    /// A line that is not JSON or too long, with the reason.
    NotJson(String),
}

/// Reads a file of events, one per line, in constant memory. Blank lines are skipped; they count for the numbers of lines, which start at 1.
///
/// # Errors
///
/// The file cannot be read, or those of `each`.
pub(super) fn lines(path: &Path, mut each: impl FnMut(usize, Text) -> Result<(), Failure>) -> Result<(), Failure> {
    let mut reader = Reader::new(input::open(path)?, &shown(path)).with_limit(MAX_LINE);
    for number in 1.. {
        let text = match reader.next_line()? {
            Line::End => break,
            Line::TooLong => Text::NotJson(format!("the line has more than {MAX_LINE} bytes")),
            Line::Text(line) if line.trim_ascii().is_empty() => continue,
            Line::Text(line) => Event::parse(line).map_or_else(|error| Text::NotJson(error.to_string()), Text::Event),
        };
        each(number, text)?;
    }
    Ok(())
}

/// Reads the events of a log, in its order. Lines of a JSONL log that are not JSON are skipped with a warning, if there is a console for it.
///
/// # Errors
///
/// The log cannot be read, or those of `each`.
pub(super) fn of(
    log: &LogAddress,
    console: Option<&Console>,
    each: impl FnMut(Event) -> Result<(), Failure>,
) -> Result<(), Failure> {
    match log {
        LogAddress::Jsonl(path) => jsonl(path, console, each),
        LogAddress::Sqlite(_) | LogAddress::Nats(_) => Err(log::unsupported(log)),
    }
}

/// Reads the events of a JSONL log. Lines that are not JSON are skipped with a warning.
///
/// # Errors
///
/// The file cannot be read, or those of `each`.
pub(super) fn jsonl(
    path: &Path,
    console: Option<&Console>,
    mut each: impl FnMut(Event) -> Result<(), Failure>,
) -> Result<(), Failure> {
    lines(path, |number, text| match text {
        Text::Event(event) => each(event),
        Text::NotJson(reason) => {
            let message = format!("{}, line {number}: the line is skipped: {reason}", shown(path));
            let warning = Diagnostic::new(codes::REGISTRY_LINE, message).help("write one event as JSON on each line");
            console.into_iter().for_each(|console| console.report(std::slice::from_ref(&warning)));
            Ok(())
        }
    })
}
