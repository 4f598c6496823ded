//! Appends per second to a log in a file, with `fsync` per event and per batch.

use capgen_registry::Event;
use capgen_registry::log::{AppendOptions, Log, SqliteLog};

use crate::{events, fold, peer, rate, timed};

/// The events of one measurement, and the size of its batches.
const MEASUREMENTS: [(u64, u64); 3] = [(2_000, 1), (50_000, 100), (200_000, 10_000)];

pub fn run() {
    println!("Registrations per second, with a commit, and so an `fsync`, per batch.\n");
    println!("| events per batch | log | SQLite | log / SQLite |\n|---|---|---|---|");
    for (count, batch) in MEASUREMENTS {
        let folder = tempfile::tempdir().unwrap();
        let mut log = SqliteLog::open_or_create(&folder.path().join("log.db"), fold::checker()).unwrap();
        let events: Vec<Event> =
            (0..count).map(|n| Event::parse(events::registration(n).as_bytes()).unwrap()).collect();
        let options = AppendOptions { now: 1_750_000_000_000 + count / 100, import: false };
        let ((), ours) = timed(|| {
            for batch in events.chunks(batch as usize) {
                let results = log.append(batch, &options).unwrap();
                assert!(results.iter().all(Result::is_ok));
            }
        });
        let mut table = peer::table(Some(&folder.path().join("peer.db")));
        let ((), theirs) = timed(|| {
            for from in (0..count).step_by(batch as usize) {
                peer::insert(&mut table, from, (from + batch).min(count));
            }
        });
        let (ours, theirs) = (rate(count, ours), rate(count, theirs));
        println!("| {batch} | {ours:.0} | {theirs:.0} | {:.2} |", ours / theirs);
    }
}
