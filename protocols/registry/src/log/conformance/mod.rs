//! The tests that every [`Log`] passes, for the authors of logs.
//!
//! ```
//! use std::collections::HashMap;
//! use std::sync::Mutex;
//! use capgen_registry::log::{Log, MemoryLog, conformance};
//!
//! let logs: Mutex<HashMap<String, MemoryLog>> = Mutex::default();
//! let report = conformance::run(&|name, checker| {
//!     let mut logs = logs.lock().unwrap();
//!     let log = logs.entry(name.to_owned()).or_insert_with(|| MemoryLog::new(checker));
//!     Ok(Box::new(log.clone()))
//! });
//! assert!(report.passed(), "{report}");
//! ```

mod appends;
mod events;
mod limits;
mod reads;

use std::fmt;
use std::sync::Arc;

use super::{AppendOptions, AppendResult, Log, LogError, Record};
use crate::{Checker, Configuration, Event};

/// Opens the log of a name, which is empty the first time. All logs of a name have the same events.
pub type Open<'a> = &'a dyn Fn(&str, Arc<Checker>) -> Result<Box<dyn Log>, LogError>;

type Check = fn(&Harness<'_>) -> Result<(), String>;

/// Runs every check, one after the other. Each of them uses a log of its own.
#[must_use]
pub fn run(open: Open<'_>) -> ConformanceReport {
    let mut results = Vec::new();
    for (name, check) in appends::ALL.iter().chain(&limits::ALL).chain(&reads::ALL) {
        results.push((*name, check(&Harness { name, open }).err()));
    }
    ConformanceReport { results }
}

/// The result of each check.
#[derive(Clone, Debug)]
pub struct ConformanceReport {
    results: Vec<(&'static str, Option<String>)>,
}

impl ConformanceReport {
    /// Whether all checks passed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.results.iter().all(|(_, error)| error.is_none())
    }
}

impl fmt::Display for ConformanceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, error) in &self.results {
            match error {
                None => writeln!(f, "passed: {name}")?,
                Some(error) => writeln!(f, "FAILED: {name}: {error}")?,
            }
        }
        Ok(())
    }
}

/// The log of a check.
struct Harness<'a> {
    name: &'static str,
    open: Open<'a>,
}

impl Harness<'_> {
    /// The log of the check, under a configuration.
    fn open(&self, config: &str) -> Result<Tested, String> {
        let config = Configuration::parse(config.as_bytes()).map_err(|error| error.to_string())?;
        let log = (self.open)(self.name, Arc::new(Checker::new(config.into()))).map_err(|error| error.to_string())?;
        Ok(Tested(log))
    }
}

/// A log whose results are easy to compare.
struct Tested(Box<dyn Log>);

impl Tested {
    fn append(&mut self, now: u64, events: &[Event]) -> Result<Vec<String>, String> {
        self.append_with(events, &AppendOptions { now, import: false })
    }

    fn append_with(&mut self, events: &[Event], options: &AppendOptions) -> Result<Vec<String>, String> {
        let results = self.0.append(events, options).map_err(|error| error.to_string())?;
        Ok(results.iter().map(text).collect())
    }

    /// Appends one event.
    fn one(&mut self, now: u64, event: &Event) -> Result<String, String> {
        Ok(self.append(now, std::slice::from_ref(event))?.concat())
    }

    /// Every record.
    fn all(&mut self) -> Result<Vec<Record>, String> {
        let mut records: Vec<Record> = Vec::new();
        loop {
            let after = records.last().map_or(0, |record| record.sequence);
            let mut next = self.0.read(after, 7).map_err(|error| error.to_string())?;
            if next.is_empty() {
                return Ok(records);
            }
            records.append(&mut next);
        }
    }
}

/// `partition/offset`, with ` of <id>` for a duplicate and ` fault` for an integrity fault; or the reason of a
/// rejection.
fn text(result: &AppendResult) -> String {
    match result {
        Ok(appended) => {
            let duplicate = appended.duplicate_of.as_ref().map(|id| format!(" of {id}")).unwrap_or_default();
            let fault = if appended.integrity_fault { " fault" } else { "" };
            format!("{}/{}{duplicate}{fault}", appended.partition, appended.offset)
        }
        Err(rejection) => rejection.reason().to_owned(),
    }
}

/// Fails unless the values are equal.
fn equal<T: PartialEq + fmt::Debug>(what: &str, found: T, expected: T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}: expected {expected:?}, found {found:?}")) }
}
