//! The known lines of a file.

use std::fs::File;
use std::io::{self, BufReader, Seek, SeekFrom};
use std::sync::Arc;

use capgen_schema::Hash;

use super::Warning;
use super::lines::{self, Line, length_of};
use crate::log::{AppendOptions, AppendResult, Chains, Decision, Index, LogError};
use crate::{Checker, Event};

/// The rows, the skipped lines, and the index for the checks of appends.
#[derive(Debug)]
pub(super) struct Contents {
    index: Index,
    chains: Chains,
    rows: Vec<Row>,
    warnings: Vec<Warning>,
    /// The last line, if it has no line break and is not JSON: it may become JSON.
    pending: Option<Warning>,
    /// The number of bytes that are known.
    end: u64,
    /// The number of line breaks in them.
    lines: u64,
    /// Whether they end with a line break, or are empty.
    is_terminated: bool,
}

/// An event of the file. Its sequence is its place in the list, from 1 on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// The place of the line, in bytes.
    pub(super) start: u64,
    /// The number of its bytes.
    pub(super) length: u32,
    /// The offset in the partition.
    pub(super) offset: u64,
    pub(super) hash: Hash,
}

impl Contents {
    /// Nothing is known about the file.
    pub(super) fn new(checker: Arc<Checker>) -> Self {
        Self {
            index: Index::new(checker),
            chains: Chains::new(None),
            rows: Vec::new(),
            warnings: Vec::new(),
            pending: None,
            end: 0,
            lines: 0,
            is_terminated: true,
        }
    }

    /// Fails if the log is refused for its first event of the kernel.
    pub(super) fn check(&self) -> Result<(), LogError> {
        self.index.check()
    }

    pub(super) fn end(&self) -> u64 {
        self.end
    }

    pub(super) fn len(&self) -> u64 {
        length_of(self.rows.len())
    }

    pub(super) fn row(&self, sequence: u64) -> Option<Row> {
        self.rows.get(usize::try_from(sequence.checked_sub(1)?).ok()?).copied()
    }

    pub(super) fn warnings(&self) -> Vec<Warning> {
        self.warnings.iter().chain(&self.pending).cloned().collect()
    }

    /// Reads the lines after the known ones.
    pub(super) fn read_new(&mut self, file: &mut File) -> io::Result<()> {
        file.seek(SeekFrom::Start(self.end))?;
        let mut file = BufReader::with_capacity(1 << 16, file);
        self.pending = None;
        while let Some(line) = lines::next(&mut file, &mut |_| ())? {
            if !self.line(&line) {
                break;
            }
        }
        Ok(())
    }

    /// Adds a line; returns whether it is known now.
    fn line(&mut self, line: &Line) -> bool {
        let message = match line.text.as_deref().map(|text| (text, Event::parse(text))) {
            Some((text, _)) if text.trim_ascii().is_empty() => None,
            Some((text, Ok(event))) => {
                let appended = self.index.replay(&event);
                self.add(&event, text.len(), appended.offset);
                None
            }
            Some((_, Err(error))) => Some(error.to_string()),
            None => Some("the line is longer than 16 MiB".to_owned()),
        };
        let warning = message.map(|message| Warning { line: self.lines + 1, message });
        if !line.is_terminated && warning.is_some() {
            self.pending = warning;
            return false;
        }
        self.warnings.extend(warning);
        self.end += line.length;
        self.lines += u64::from(line.is_terminated);
        self.is_terminated = line.is_terminated;
        true
    }

    /// Adds the row of a line that starts at the end of the known bytes.
    fn add(&mut self, event: &Event, length: usize, offset: u64) {
        let hash = self.chains.push(event.partition(), event.text());
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        self.rows.push(Row { start: self.end, length, offset, hash });
    }

    /// Decides about events and returns the text to append to the file, which has this length. The rows are known then.
    pub(super) fn append(
        &mut self,
        events: &[Event],
        options: &AppendOptions,
        length: u64,
    ) -> (Vec<AppendResult>, String) {
        let mut text = String::new();
        let results = events.iter().map(|event| self.append_event(event, options, length, &mut text)).collect();
        (results, text)
    }

    fn append_event(&mut self, event: &Event, options: &AppendOptions, length: u64, text: &mut String) -> AppendResult {
        let admission = match self.index.admit(event, options) {
            Decision::Append(admission) => admission,
            Decision::Duplicate(appended) => return Ok(appended),
            Decision::Reject(rejection) => return Err(rejection),
        };
        if text.is_empty() && (length > self.end || !self.is_terminated) {
            // The last line has no line break. It may have been cut off by a crash.
            text.push('\n');
            self.warnings.extend(self.pending.take());
            self.lines += 1;
            self.end = length + 1;
        }
        let appended = self.index.record(event, &admission);
        self.add(event, event.text().len(), appended.offset);
        text.push_str(event.text());
        text.push('\n');
        self.lines += 1;
        self.end += length_of(event.text().len()) + 1;
        self.is_terminated = true;
        Ok(appended)
    }
}
