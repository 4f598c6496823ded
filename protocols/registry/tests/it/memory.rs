//! The memory of folds, merges and starts from snapshots, by the number of registrations.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::sync::Arc;

use allocation_counter::measure;
use capgen_registry::log::{AppendOptions, JsonlReader, Log, SqliteLog};
use capgen_registry::{Checker, Event, EventType, Fold, FoldReport, Registry, Restored};
use serde_json::json;

use crate::support::{START, event};

/// The number of registrations of the smaller of two runs. The difference of both does not contain the memory that
/// every run needs.
const FEW: u64 = 1000;
const MANY: u64 = 1800;

/// The goal for each registration, in bytes: everything except the texts of schemas, of which each distinct one is
/// counted once.
const GOAL: u64 = 2000;

/// Registrations with this many distinct contracts, each with a schema of about 200 bytes.
fn registrations(count: u64, contracts: u64) -> Vec<String> {
    let registration = |n: u64| {
        let schema = json!({
            "type": "object",
            "properties": {"text": {"type": "string"}, "limit": {"type": "integer", "minimum": 1, "maximum": n % contracts + 1}},
            "required": ["text"],
        });
        let payload = json!({
            "capability_id": format!("memory.area{}.capability{n}", n % 10), "version": "1.2.0", "input_schema": schema,
            "output_schema": {"type": "string"},
            "metadata": {"priority": n % 5, "tags": ["one", "two"], "determinism_class": "deterministic"},
        });
        event(&format!("agent-{}", n / 4), n, EventType::Registered, payload).text().to_owned()
    };
    (0..count).map(registration).collect()
}

/// The peak of the memory for each registration, in bytes.
fn each(mut peak: impl FnMut(u64) -> u64) -> u64 {
    // Validators are compiled once.
    peak(1);
    (peak(MANY).saturating_sub(peak(FEW))) / (MANY - FEW)
}

/// The bytes of the schemas of each registration, if all of them are distinct.
const SCHEMAS: u64 = 180;

fn fold(texts: &[String]) -> Fold {
    let mut fold = Fold::new(Arc::default());
    texts.iter().for_each(|text| fold.event(&Event::parse(text.as_bytes()).unwrap()));
    fold
}

/// Writes a report as a command does, and returns the number of bytes.
fn written(report: &FoldReport<'_>) -> usize {
    report.parts().map(|part| part.len()).sum()
}

#[test]
fn a_fold_takes_at_most_two_kilobytes_for_each_registration() {
    for (contracts, schemas) in [(10, 0), (u64::MAX, SCHEMAS)] {
        let peak = |count: u64| {
            let texts = registrations(count, contracts);
            measure(|| assert!(written(&fold(&texts).report()) > 0)).bytes_max
        };
        let bytes = each(peak);
        assert!(bytes <= GOAL + schemas, "{bytes} bytes with {contracts} contracts");
    }
}

#[test]
fn a_merge_takes_at_most_two_kilobytes_for_each_registration() {
    for (contracts, schemas) in [(10, 0), (u64::MAX, SCHEMAS)] {
        let peak = |count: u64| {
            let state = fold(&registrations(count, contracts)).report().to_json();
            let merge = || {
                let mut registry = Registry::new(Arc::default());
                registry.read_state(state.as_bytes(), None).unwrap();
                registry.read_state(state.as_bytes(), None).unwrap();
                assert!(written(&FoldReport::of(&mut registry)) > 0);
            };
            measure(merge).bytes_max
        };
        let bytes = each(peak);
        assert!(bytes <= GOAL + schemas, "{bytes} bytes with {contracts} contracts");
    }
}

#[test]
fn a_start_from_a_snapshot_takes_less_memory_and_work_than_reading_the_log() {
    let checker = || Arc::new(Checker::new(Arc::default()));
    for contracts in [10, u64::MAX] {
        let folder = tempfile::tempdir().unwrap();
        let (jsonl, sqlite) = (folder.path().join("log.jsonl"), folder.path().join("log.db"));
        let texts = registrations(MANY, contracts);
        std::fs::write(&jsonl, texts.join("\n") + "\n").unwrap();
        let events: Vec<Event> = texts.iter().map(|text| Event::parse(text.as_bytes()).unwrap()).collect();
        let mut log = SqliteLog::open_or_create(&sqlite, checker()).unwrap();
        log.append(&events, &AppendOptions { now: START + MANY, import: true }).unwrap();
        drop((log, events, texts));
        let open = |name: &str| -> Box<dyn Log> {
            match name {
                "jsonl" => Box::new(JsonlReader::open(&jsonl, checker()).unwrap()),
                _ => Box::new(SqliteLog::open_to_read(&sqlite, checker()).unwrap()),
            }
        };
        for name in ["jsonl", "sqlite"] {
            let start = |snapshot: Option<&[u8]>| {
                let mut log = open(name);
                let mut hash = String::new();
                let info = measure(|| {
                    let (mut restored, dropped) = Restored::start(&mut *log, snapshot, checker()).unwrap();
                    assert_eq!(dropped, None);
                    hash = restored.registry().view().registry_hash();
                });
                (info.bytes_max, info.count_total, hash)
            };
            let mut log = open(name);
            let (mut restored, _) = Restored::start(&mut *log, None, checker()).unwrap();
            let snapshot = restored.snapshot(&mut *log).unwrap().to_json();
            let (replay, replay_count, expected) = start(None);
            let (short, short_count, hash) = start(Some(snapshot.as_bytes()));
            assert_eq!(hash, expected);
            assert!(short < replay, "{name}, {contracts} contracts: {short} bytes, {replay} without the snapshot");
            assert!(short_count < replay_count, "{name}, {contracts} contracts: {short_count}, {replay_count}");
        }
    }
}
