//! Starting from a snapshot, and replaying the whole log.

use capgen_registry::Event;
use capgen_registry::Restored;
use capgen_registry::log::{AppendOptions, Log, SqliteLog};

use crate::{events, fold, timed};

/// The registrations and heartbeats of the log. The registrations are half of the events before the snapshot.
const REGISTRATIONS: u64 = 50_000;
const HEARTBEATS: u64 = 450_000;
const AFTER: u64 = 1_000;

pub fn run() {
    let folder = tempfile::tempdir().unwrap();
    let checker = fold::checker();
    let mut log = SqliteLog::open_or_create(&folder.path().join("log.db"), checker.clone()).unwrap();
    append(&mut log, (0..REGISTRATIONS).map(events::registration));
    append(&mut log, (REGISTRATIONS..REGISTRATIONS + HEARTBEATS).map(events::heartbeat));
    let (mut whole, _) = Restored::start(&mut log, None, checker.clone()).unwrap();
    let snapshot = whole.snapshot(&mut log).unwrap().to_json();
    let end = REGISTRATIONS + HEARTBEATS;
    append(&mut log, (end..end + AFTER).map(events::heartbeat));
    let (from_snapshot, short) =
        timed(|| Restored::start(&mut log, Some(snapshot.as_bytes()), checker.clone()).unwrap());
    let (replayed, long) = timed(|| Restored::start(&mut log, None, checker.clone()).unwrap());
    let hash = |(restored, dropped): (Restored, Option<_>)| {
        assert!(dropped.is_none());
        restored.into_registry().state().hash()
    };
    assert_eq!(hash(from_snapshot), hash(replayed));
    println!("{REGISTRATIONS} registrations and {HEARTBEATS} heartbeats in the snapshot, {AFTER} events after it.\n");
    println!("| start | s | ratio |\n|---|---|---|");
    println!(
        "| from the snapshot, {} MiB | {:.2} | {:.3} |",
        snapshot.len() >> 20,
        short.as_secs_f64(),
        short.as_secs_f64() / long.as_secs_f64()
    );
    println!("| replay of the log | {:.2} | 1 |", long.as_secs_f64());
}

fn append(log: &mut SqliteLog, texts: impl Iterator<Item = String>) {
    let options = AppendOptions { now: 1_750_000_000_000 + (REGISTRATIONS + HEARTBEATS) / 100, import: true };
    let events: Vec<Event> = texts.map(|text| Event::parse(text.as_bytes()).unwrap()).collect();
    for batch in events.chunks(10_000) {
        assert!(log.append(batch, &options).unwrap().iter().all(Result::is_ok));
    }
}
