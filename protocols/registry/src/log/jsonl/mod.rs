//! A log in a file of JSON lines.

mod contents;
mod lines;
mod reader;

use std::fmt::Display;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use capgen_files::{Links, Unreadable, open, open_with};
use capgen_schema::Hash;

use super::{AppendOptions, AppendResult, Chains, Heads, Log, LogError, Record, Verification, wait_for};
use crate::{Checker, Event};
use contents::{Contents, Row};
pub use reader::JsonlReader;

/// The bytes that one call of `read` returns at most, apart from those of the first event. It bounds the memory of a
/// caller that asks for many events: 16 of the largest ones.
const MAX_READ: u64 = 16 << 20;

/// A log in a file with one event on each line.
///
/// Blank lines are skipped. Lines that are not JSON are skipped, too, with a [warning](Self::warnings). Every other
/// line is a row, even if an append would have rejected it: other programs may write the file. The file contains no
/// hashes, so [`verify`](Log::verify) computes them and can only compare them with expected heads.
///
/// An append locks the file, so several processes may append one after the other. It returns after `fsync`. A line that
/// a crash has cut off is not JSON, so it is skipped. Memory is about 250 bytes per event; the events stay in the file.
///
/// ```
/// use std::sync::Arc;
/// use capgen_registry::log::{JsonlLog, Log};
/// use capgen_registry::{Checker, Configuration};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("events.jsonl");
/// std::fs::write(&path, "{}\n\nnot JSON\n")?;
/// let mut log = JsonlLog::open(&path, Arc::new(Checker::new(Configuration::default().into())))?;
/// assert_eq!((log.read(0, 10)?.len(), log.warnings()[0].line), (1, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct JsonlLog {
    path: PathBuf,
    file: File,
    checker: Arc<Checker>,
    contents: Contents,
    /// The length of the file at the last look.
    seen: u64,
}

/// A line that was skipped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    /// The number of the line, from 1 on.
    pub line: u64,
    /// A description, which quotes nothing of the line.
    pub message: String,
}

impl JsonlLog {
    /// Opens a file and reads all of it. A file that cannot be written can be read.
    ///
    /// # Errors
    ///
    /// The file does not exist, or cannot be read.
    pub fn open(path: &Path, checker: Arc<Checker>) -> Result<Self, LogError> {
        let writable = open_with(path, Links::Followed, OpenOptions::new().read(true).append(true));
        Self::of(path, writable.or_else(|_| open(path, Links::Followed)), checker)
    }

    /// Like [`open`](Self::open), but creates the file if it does not exist.
    ///
    /// # Errors
    ///
    /// The file cannot be created, read or written.
    pub fn open_or_create(path: &Path, checker: Arc<Checker>) -> Result<Self, LogError> {
        let mut options = OpenOptions::new();
        Self::of(path, open_with(path, Links::Followed, options.read(true).append(true).create(true)), checker)
    }

    fn of(path: &Path, file: Result<(File, Metadata), Unreadable>, checker: Arc<Checker>) -> Result<Self, LogError> {
        let (file, _) = file.map_err(|error| failed(path, &error))?;
        let contents = Contents::new(checker.clone());
        let mut log = Self { path: path.to_owned(), file, checker, contents, seen: 0 };
        log.refresh()?;
        Ok(log)
    }

    /// The lines that were skipped so far, because they are not JSON or are longer than 16 MiB.
    #[must_use]
    pub fn warnings(&self) -> Vec<Warning> {
        self.contents.warnings()
    }

    /// Reads the lines that are new in the file.
    fn refresh(&mut self) -> Result<(), LogError> {
        let length = self.file.metadata().map_err(|error| failed(&self.path, &error))?.len();
        if length < self.contents.end() {
            return Err(LogError::Failed(format!("{}: the file became shorter", self.path.display())));
        }
        if length != self.seen {
            self.contents.read_new(&mut self.file).map_err(|error| failed(&self.path, &error))?;
            self.seen = length;
        }
        self.contents.check()
    }

    /// Appends while the file is locked.
    fn append_locked(&mut self, events: &[Event], options: &AppendOptions) -> Result<Vec<AppendResult>, LogError> {
        self.refresh()?;
        let (results, text) = self.contents.append(events, options, self.seen);
        if text.is_empty() {
            return Ok(results);
        }
        match self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_data()) {
            Ok(()) => {
                self.seen = self.contents.end();
                Ok(results)
            }
            Err(error) => {
                // If this fails, too, a number of the first lines remains, and perhaps a part of one, which is skipped.
                let _ = self.file.set_len(self.seen);
                self.contents = Contents::new(self.checker.clone());
                self.seen = 0;
                Err(failed(&self.path, &error))
            }
        }
    }

    fn event(&mut self, row: Row) -> Result<Event, LogError> {
        let mut line = Vec::new();
        let read = self
            .file
            .seek(SeekFrom::Start(row.start))
            .and_then(|_| Read::by_ref(&mut self.file).take(u64::from(row.length)).read_to_end(&mut line));
        read.map_err(|error| failed(&self.path, &error))?;
        Event::parse(&line).map_err(|_| LogError::Failed(format!("{}: the file was changed", self.path.display())))
    }
}

impl Log for JsonlLog {
    fn append(&mut self, events: &[Event], options: &AppendOptions) -> Result<Vec<AppendResult>, LogError> {
        self.file.lock().map_err(|error| failed(&self.path, &error))?;
        let results = self.append_locked(events, options);
        self.file.unlock().map_err(|error| failed(&self.path, &error))?;
        results
    }

    fn read(&mut self, after: u64, limit: usize) -> Result<Vec<Record>, LogError> {
        self.refresh()?;
        let (mut records, mut bytes) = (Vec::new(), 0);
        let end = after.saturating_add(u64::try_from(limit).unwrap_or(u64::MAX)).min(self.contents.len());
        for sequence in after.saturating_add(1)..=end {
            let Some(row) = self.contents.row(sequence).filter(|_| bytes < MAX_READ) else { break };
            let event = self.event(row)?;
            bytes += u64::from(row.length);
            records.push(Record { sequence, partition: event.partition().to_owned(), offset: row.offset, event });
        }
        Ok(records)
    }

    fn wait(&mut self, after: u64, timeout: Duration) -> Result<bool, LogError> {
        wait_for(timeout, || {
            self.refresh()?;
            Ok(self.contents.len() > after)
        })
    }

    fn verify(&mut self, expect: Option<&Heads>) -> Result<Verification, LogError> {
        self.refresh()?;
        let mut chains = Chains::new(expect);
        for sequence in 1..=self.contents.len() {
            let Some(row) = self.contents.row(sequence) else { break };
            let event = self.event(row)?;
            chains.push(event.partition(), event.text());
        }
        Ok(chains.finish())
    }

    fn row_hash(&mut self, sequence: u64) -> Result<Option<Hash>, LogError> {
        self.refresh()?;
        Ok(self.contents.row(sequence).map(|row| row.hash))
    }
}

fn failed(path: &Path, error: &impl Display) -> LogError {
    LogError::Failed(format!("{}: {error}", path.display()))
}
