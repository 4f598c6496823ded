//! Reading a file of JSON lines from its start to its end.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Seek as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use capgen_files::Links;
use capgen_schema::HashBuilder;

use super::lines::{self, length_of};
use super::{MAX_READ, failed};
use crate::log::{
    AppendOptions, AppendResult, Chains, FirstOfKernel, Heads, Log, LogError, Record, Verification, wait_for,
};
use crate::{Checker, Event, FilePlace, Position};

/// A log in a file of JSON lines that is only read, in order and in constant memory. It skips the lines that
/// [`JsonlLog`](super::JsonlLog) skips.
///
/// A snapshot of it remembers the hash of the bytes that it covers. A start from the snapshot compares the hash and
/// reads only the lines after it; so a changed line is found without parsing any.
///
/// ```
/// use std::sync::Arc;
/// use capgen_registry::log::{JsonlReader, Log};
/// use capgen_registry::{Checker, Configuration};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("events.jsonl");
/// std::fs::write(&path, "{}\n\nnot JSON\n[]\n")?;
/// let mut log = JsonlReader::open(&path, Arc::new(Checker::new(Configuration::default().into())))?;
/// assert_eq!(log.read(0, 10)?.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct JsonlReader {
    path: PathBuf,
    file: BufReader<File>,
    checker: Arc<Checker>,
    first_of_kernel: FirstOfKernel,
    /// Over the bytes that were read.
    hash: HashBuilder,
    bytes: u64,
    /// The sequence of the last event that was read.
    sequence: u64,
    /// The offset of the next event of each partition.
    next: BTreeMap<String, u64>,
}

impl JsonlReader {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// The file does not exist, or cannot be read.
    pub fn open(path: &Path, checker: Arc<Checker>) -> Result<Self, LogError> {
        let (file, _) = capgen_files::open(path, Links::Followed).map_err(|error| failed(path, &error))?;
        Ok(Self {
            path: path.to_owned(),
            file: BufReader::with_capacity(1 << 16, file),
            first_of_kernel: FirstOfKernel::new(checker.clone()),
            checker,
            hash: HashBuilder::new(),
            bytes: 0,
            sequence: 0,
            next: BTreeMap::new(),
        })
    }

    /// Goes back to the start.
    fn rewind(&mut self) -> Result<(), LogError> {
        self.file.rewind().map_err(|error| failed(&self.path, &error))?;
        self.first_of_kernel = FirstOfKernel::new(self.checker.clone());
        (self.hash, self.bytes, self.sequence) = (HashBuilder::new(), 0, 0);
        self.next.clear();
        Ok(())
    }

    /// The next event; none at the end of the file.
    fn next(&mut self) -> Result<Option<Record>, LogError> {
        loop {
            let before = self.hash.clone();
            let line = lines::next(&mut self.file, &mut |bytes| self.hash.add(bytes));
            let Some(line) = line.map_err(|error| failed(&self.path, &error))? else { return Ok(None) };
            let event = line.text.as_deref().and_then(|line| Event::parse(line).ok());
            if !line.is_terminated && event.is_none() {
                // It may become an event. It is not part of the position, so that a later start reads it.
                let back = i64::try_from(line.length).unwrap_or(i64::MAX);
                self.file.seek_relative(-back).map_err(|error| failed(&self.path, &error))?;
                self.hash = before;
                return Ok(None);
            }
            self.bytes += line.length;
            if let Some(event) = event {
                return self.record(event).map(Some);
            }
        }
    }

    fn record(&mut self, event: Event) -> Result<Record, LogError> {
        self.first_of_kernel.note(&event);
        self.first_of_kernel.check()?;
        self.sequence += 1;
        let partition = event.partition().to_owned();
        let next = self.next.entry(partition.clone()).or_default();
        let offset = *next;
        *next += 1;
        Ok(Record { sequence: self.sequence, partition, offset, event })
    }

    /// Reads up to a place in the file, and compares the hash of the bytes before it.
    fn has(&mut self, place: &FilePlace) -> Result<bool, LogError> {
        self.rewind()?;
        let mut left = place.bytes;
        while left > 0 {
            let buffer = self.file.fill_buf().map_err(|error| failed(&self.path, &error))?;
            let used = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
            if used == 0 {
                return Ok(false);
            }
            self.hash.add(buffer.get(..used).unwrap_or_default());
            self.file.consume(used);
            left -= length_of(used);
        }
        self.bytes = place.bytes;
        Ok(self.hash.clone().finish() == place.hash)
    }
}

impl Log for JsonlReader {
    fn append(&mut self, _: &[Event], _: &AppendOptions) -> Result<Vec<AppendResult>, LogError> {
        Err(LogError::Failed(format!("{}: the file is only read", self.path.display())))
    }

    fn read(&mut self, after: u64, limit: usize) -> Result<Vec<Record>, LogError> {
        if after < self.sequence {
            self.rewind()?;
        }
        let (mut records, mut bytes) = (Vec::new(), 0);
        while records.len() < limit && bytes < MAX_READ {
            let Some(record) = self.next()? else { break };
            if record.sequence > after {
                bytes += length_of(record.event.text().len());
                records.push(record);
            }
        }
        Ok(records)
    }

    fn wait(&mut self, after: u64, timeout: Duration) -> Result<bool, LogError> {
        wait_for(timeout, || Ok(self.sequence > after || !self.read(after, 1)?.is_empty()))
    }

    fn verify(&mut self, expect: Option<&Heads>) -> Result<Verification, LogError> {
        self.rewind()?;
        let mut chains = Chains::new(expect);
        while let Some(record) = self.next()? {
            chains.push(&record.partition, record.event.text());
        }
        Ok(chains.finish())
    }

    fn resume(&mut self, position: &Position) -> Result<bool, LogError> {
        let Some(place) = &position.file else { return Ok(*position == Position::default()) };
        let has_place = self.has(place)?;
        if has_place {
            self.first_of_kernel = FirstOfKernel::resumed(self.checker.clone(), place.kernel_accepted);
            self.sequence = position.sequence;
            let next = |(partition, offset): (&String, &u64)| (partition.clone(), offset.saturating_add(1));
            self.next = position.offsets.iter().map(next).collect();
        } else {
            self.rewind()?;
        }
        Ok(has_place)
    }

    fn file_place(&self) -> Option<FilePlace> {
        let hash = self.hash.clone().finish();
        Some(FilePlace { bytes: self.bytes, hash, kernel_accepted: self.first_of_kernel.is_known() })
    }
}
