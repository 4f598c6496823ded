//! Starting from a snapshot, and replaying the whole log.

use capgen_registry::Event;
use capgen_registry::Restored;
use capgen_registry::log::{AppendOptions, Log, SqliteLog};

use crate::{events, fold, timed};

/// The registrations and heartbeats of the log before the snapshot. The agents have one entry each for their health.
const LOGS: [(u64, u64); 2] = [(5_000, 495_000), (50_000, 450_000)];
/// The events after the snapshot.
const AFTER: u64 = 1_000;

pub fn run() {
    println!("The log has 500,000 events before the snapshot, and {AFTER} after it.\n");
    println!(
        "| registrations | heartbeats | snapshot, MiB | from the snapshot, s | replay, s | ratio |\n|---|---|---|---|---|---|"
    );
    for (registrations, heartbeats) in LOGS {
        line(registrations, heartbeats);
    }
}

fn line(registrations: u64, heartbeats: u64) {
    let folder = tempfile::tempdir().unwrap();
    let checker = fold::checker();
    let mut log = SqliteLog::open_or_create(&folder.path().join("log.db"), checker.clone()).unwrap();
    let end = registrations + heartbeats;
    append(&mut log, end, (0..registrations).map(events::registration));
    append(&mut log, end, (registrations..end).map(events::heartbeat));
    let (mut whole, _) = Restored::start(&mut log, None, checker.clone()).unwrap();
    let snapshot = whole.snapshot(&mut log).unwrap().to_json();
    append(&mut log, end, (end..end + AFTER).map(events::heartbeat));
    let (from_snapshot, short) =
        timed(|| Restored::start(&mut log, Some(snapshot.as_bytes()), checker.clone()).unwrap());
    let (replayed, long) = timed(|| Restored::start(&mut log, None, checker.clone()).unwrap());
    let hash = |(restored, dropped): (Restored, Option<_>)| {
        assert!(dropped.is_none());
        restored.into_registry().state().hash()
    };
    assert_eq!(hash(from_snapshot), hash(replayed));
    let (size, short, long) = (snapshot.len() >> 20, short.as_secs_f64(), long.as_secs_f64());
    println!("| {registrations} | {heartbeats} | {size} | {short:.2} | {long:.2} | {:.2} |", short / long);
}

fn append(log: &mut SqliteLog, end: u64, texts: impl Iterator<Item = String>) {
    let options = AppendOptions { now: 1_750_000_000_000 + end / 100, import: true };
    let events: Vec<Event> = texts.map(|text| Event::parse(text.as_bytes()).unwrap()).collect();
    for batch in events.chunks(10_000) {
        assert!(log.append(batch, &options).unwrap().iter().all(Result::is_ok));
    }
}
