//! Every log passes the suite, and logs agree with each other.
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Mutex;

use capgen_registry::log::{JsonlLog, MemoryLog, SqliteLog, conformance};

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
fn logs_of_json_lines_pass_the_suite() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| -> PathBuf { folder.path().join(format!("{name}.jsonl")) };
    let report = conformance::run(&|name, checker| Ok(Box::new(JsonlLog::open_or_create(&path(name), checker)?)));
    assert!(report.passed(), "{report}");
}

#[test]
fn logs_of_sqlite_pass_the_suite() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| -> PathBuf { folder.path().join(format!("{name}.db")) };
    let report = conformance::run(&|name, checker| Ok(Box::new(SqliteLog::open_or_create(&path(name), checker)?)));
    assert!(report.passed(), "{report}");
}
