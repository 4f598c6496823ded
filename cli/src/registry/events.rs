//! The events of a log, one after the other.

use std::path::Path;
use std::sync::Arc;

use capgen_diagnostic::Diagnostic;
use capgen_registry::log::{FirstOfKernel, Log, Record};
use capgen_registry::{Checker, Event};

use super::arguments::Source;
use super::input;
use super::log::{self, Access};
use crate::codes;
use crate::console::{Console, count};
use crate::failure::Failure;
use crate::validate::{Line, Reader, shown_payload as shown};

/// The maximum length of a line in bytes: an event of 1 MiB fits in any notation, as an escape has six bytes for a
/// character of one.
const MAX_LINE: usize = 16 << 20;

/// How many lines that are skipped are reported one by one. They fit on a screen, and one is enough for a file of
/// another kind; the rest is counted.
const MAX_WARNINGS: usize = 20;

/// How many events are read at once. Logs limit the bytes of one read too, so more would save few reads.
pub(super) const BATCH: usize = 1024;

/// A file of events, one per line.
pub(super) struct Lines {
    reader: Reader,
    number: usize,
    is_stdin: bool,
}

/// A line of a file of events.
pub(super) enum Text {
    /// An event.
    Event(Event),
    /// A line that is not JSON or too long, with the reason.
    NotJson(String),
}

impl Lines {
    /// Opens a file; `-` means standard input.
    ///
    /// # Errors
    ///
    /// The file cannot be opened.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let reader = Reader::new(input::open(path)?, &shown(path)).with_limit(MAX_LINE);
        Ok(Self { reader, number: 0, is_stdin: crate::input::is_stdin(path) })
    }

    /// The next line that is not blank, with its number, which starts at 1.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub(super) fn next(&mut self) -> Result<Option<(usize, Text)>, Failure> {
        loop {
            let line = self.reader.next_line()?;
            self.number += 1;
            let text = match line {
                Line::End => return Ok(None),
                Line::TooLong => Text::NotJson(format!("the line has more than {MAX_LINE} bytes")),
                Line::Text(line) if line.trim_ascii().is_empty() => continue,
                Line::Text(line) => {
                    Event::parse(line).map_or_else(|error| Text::NotJson(error.to_string()), Text::Event)
                }
            };
            return Ok(Some((self.number, text)));
        }
    }

    /// Whether a program writes the lines, and may not have written the next one yet.
    pub(super) fn would_wait(&self) -> bool {
        self.is_stdin && self.reader.would_wait()
    }
}

/// Reads the events of a log, in its order. Lines of a JSONL log that are not JSON are skipped with a warning, if there
/// is a console for it.
///
/// # Errors
///
/// The log cannot be read, or those of `each`.
pub(super) fn of(
    source: &Source,
    checker: &Arc<Checker>,
    console: Option<&Console>,
    mut each: impl FnMut(Event) -> Result<(), Failure>,
) -> Result<(), Failure> {
    // In constant memory, also from a pipe.
    if let Some(path) = source.log.as_jsonl() {
        let mut first = FirstOfKernel::new(checker.clone());
        return jsonl(path, console, |event| {
            first.note(&event);
            first.check().map_err(|error| log::failed(&error))?;
            each(event)
        });
    }
    let mut log = source.open(Access::Read, checker.clone())?;
    read(&mut *log, 0, |record| each(record.event)).map(drop)
}

/// Reads the events of a log after a sequence, and returns the last sequence.
///
/// # Errors
///
/// The log cannot be read, or those of `each`.
pub(super) fn read(
    log: &mut dyn Log,
    mut after: u64,
    mut each: impl FnMut(Record) -> Result<(), Failure>,
) -> Result<u64, Failure> {
    loop {
        let records = log.read(after, BATCH).map_err(|error| log::failed(&error))?;
        if records.is_empty() {
            return Ok(after);
        }
        for record in records {
            after = record.sequence;
            each(record)?;
        }
    }
}

fn jsonl(
    path: &Path,
    console: Option<&Console>,
    mut each: impl FnMut(Event) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (mut lines, mut skipped) = (Lines::open(path)?, 0);
    while let Some((number, text)) = lines.next()? {
        skipped += usize::from(matches!(text, Text::NotJson(_)));
        match (text, console) {
            (Text::Event(event), _) => each(event)?,
            (Text::NotJson(reason), Some(console)) if skipped <= MAX_WARNINGS => {
                let message = format!("{}, line {number}: the line is skipped: {reason}", shown(path));
                let warning = Diagnostic::new(codes::REGISTRY_LINE, message);
                console.report(&[warning.help("write one event as JSON on each line")]);
            }
            (Text::NotJson(_), _) => {}
        }
    }
    if let Some(console) = console.filter(|_| skipped > MAX_WARNINGS) {
        let more = count(skipped - MAX_WARNINGS, "more line is skipped", "more lines are skipped");
        console.line(&format!("{}: {more}", shown(path)));
    }
    Ok(())
}
