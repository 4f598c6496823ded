//! Logs: the suite that all of them pass, and the properties of those that are files.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

mod agreement;
mod bounds;
mod crashes;
mod files;
mod kernel;
mod reader;
mod snapshots;
mod tampering;

use crate::support;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use capgen_registry::log::{AppendOptions, JsonlLog, Log, LogError, MemoryLog, Record, SqliteLog, conformance};
use capgen_registry::{Checker, Configuration, Event, EventType};
use serde_json::json;

/// A kind of log that is a file.
type Open = fn(&Path, Arc<Checker>) -> Result<Box<dyn Log>, LogError>;

/// Every kind of log that is a file, with the ending of its name.
const FILES: [(&str, Open); 2] = [
    ("db", |path, checker| Ok(Box::new(SqliteLog::open_or_create(path, checker)?))),
    ("jsonl", |path, checker| Ok(Box::new(JsonlLog::open_or_create(path, checker)?))),
];

/// The checker of the default configuration.
fn checker() -> Arc<Checker> {
    Arc::new(Checker::new(Configuration::default().into()))
}

/// The options of an append at the time of the tests.
const NOW: AppendOptions = AppendOptions { now: support::START, import: false };

/// Different events of an agent at the time of the tests.
fn heartbeats(agent: &str, numbers: std::ops::Range<u64>) -> Vec<Event> {
    let event = |number: u64| {
        let mut value = support::value(agent, 0, EventType::Heartbeat, json!({"reason": format!("beat {number}")}));
        value["event_id"] = capgen_registry::EventId::at(support::START, number.into()).to_string().into();
        Event::new(value)
    };
    numbers.map(event).collect()
}

/// Every record of a log.
fn records(log: &mut dyn Log) -> Vec<Record> {
    let mut records: Vec<Record> = Vec::new();
    loop {
        let mut next = log.read(records.last().map_or(0, |record| record.sequence), 100).unwrap();
        if next.is_empty() {
            return records;
        }
        records.append(&mut next);
    }
}

/// The number in an environment variable, or a sample.
fn number(variable: &str, sample: usize) -> usize {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(sample)
}

#[test]
fn logs_in_memory_pass_the_suite() {
    let logs: Mutex<HashMap<String, MemoryLog>> = Mutex::default();
    let report = conformance::run(&|name, checker| {
        let mut logs = logs.lock().unwrap();
        Ok(Box::new(logs.entry(name.to_owned()).or_insert_with(|| MemoryLog::new(checker)).clone()))
    });
    assert!(report.passed(), "{report}");
}

#[test]
fn logs_in_files_pass_the_suite() {
    for (ending, open) in FILES {
        let folder = tempfile::tempdir().unwrap();
        let report = conformance::run(&|name, checker| open(&folder.path().join(format!("{name}.{ending}")), checker));
        assert!(report.passed(), "{ending}\n{report}");
    }
}
