//! Files of JSON lines that are read in order, and snapshots of them.

use std::sync::Arc;

use capgen_registry::log::{JsonlLog, JsonlReader, Log, LogError};
use capgen_registry::{Checker, Event, InvalidSnapshot, Restored};

use super::{NOW, checker, heartbeats, records};
use crate::support::registered;

fn start(log: &mut dyn Log, snapshot: Option<&str>) -> (Restored, Option<InvalidSnapshot>) {
    Restored::start(log, snapshot.map(str::as_bytes), checker()).unwrap()
}

/// A file with events, and lines between them that are skipped.
fn text() -> String {
    let events = heartbeats("a", 0..3);
    let other = registered("b", 1, "core.text.count", "1.0.0", serde_json::json!({}));
    let lines = [events[0].text(), "", other.text(), "not JSON", events[1].text(), "  ", events[2].text()];
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_reader_reads_the_events_of_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    std::fs::write(&path, text() + "{\"cut\":").unwrap();
    let place = |log: &mut dyn Log| {
        records(log)
            .into_iter()
            .map(|record| (record.sequence, record.partition, record.offset, record.event))
            .collect::<Vec<_>>()
    };
    let mut reader = JsonlReader::open(&path, checker()).unwrap();
    let expected = place(&mut JsonlLog::open(&path, checker()).unwrap());
    assert_eq!(expected.len(), 4);
    assert_eq!(place(&mut reader), expected);
    // Again from the start, and from the middle.
    assert_eq!(place(&mut reader), expected);
    let third: Vec<Event> = reader.read(2, 1).unwrap().into_iter().map(|record| record.event).collect();
    assert_eq!(third, [expected[2].3.clone()]);
    assert_eq!(
        reader.verify(None).unwrap().heads,
        JsonlLog::open(&path, checker()).unwrap().verify(None).unwrap().heads
    );
    assert!(matches!(reader.append(&heartbeats("a", 9..10), &NOW), Err(LogError::Failed(_))));
}

#[test]
fn a_line_that_is_not_whole_yet_is_read_later() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    let event = heartbeats("a", 5..6).remove(0);
    let (half, rest) = event.text().split_at(20);
    std::fs::write(&path, text() + half).unwrap();
    let mut log = JsonlReader::open(&path, checker()).unwrap();
    let (mut restored, _) = start(&mut log, None);
    let snapshot = restored.snapshot(&mut log).unwrap().to_json();
    std::fs::write(&path, text() + half + rest).unwrap();
    assert_eq!(restored.catch_up(&mut log).unwrap(), 1);
    let mut again = JsonlReader::open(&path, checker()).unwrap();
    let (later, dropped) = start(&mut again, Some(&snapshot));
    assert_eq!((later.position(), dropped), (restored.position(), None));
}

#[test]
fn a_snapshot_of_a_file_is_dropped_if_any_line_before_it_has_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    std::fs::write(&path, text()).unwrap();
    let open = || JsonlReader::open(&path, checker()).unwrap();
    let mut log = open();
    let snapshot = start(&mut log, None).0.snapshot(&mut log).unwrap().to_json();
    let more = format!("{}\n", heartbeats("c", 7..8)[0].text());
    std::fs::write(&path, text() + &more).unwrap();
    let (mut restored, dropped) = start(&mut open(), Some(&snapshot));
    assert_eq!((dropped, restored.position().sequence), (None, 5));
    let (mut whole, _) = start(&mut open(), None);
    assert_eq!(restored.registry().view().registry_hash(), whole.registry().view().registry_hash());
    assert_eq!(restored.position(), whole.position());
    for changed in [
        text().replacen("not JSON", "not json", 1) + &more,
        text().replacen("beat 0", "beat 9", 1) + &more,
        text()[..text().len() - 5].to_owned(),
        String::new(),
    ] {
        std::fs::write(&path, &changed).unwrap();
        let (mut restored, dropped) = start(&mut open(), Some(&snapshot));
        assert_eq!(dropped, Some(InvalidSnapshot::OtherLog));
        let (mut whole, _) = start(&mut open(), None);
        assert_eq!(restored.registry().view().registry_hash(), whole.registry().view().registry_hash());
    }
}

#[test]
fn a_log_and_a_reader_of_one_file_do_not_share_snapshots() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    std::fs::write(&path, text()).unwrap();
    let checker: Arc<Checker> = checker();
    let mut log = JsonlLog::open(&path, checker.clone()).unwrap();
    let of_log = start(&mut log, None).0.snapshot(&mut log).unwrap().to_json();
    let mut reader = JsonlReader::open(&path, checker).unwrap();
    let (restored, dropped) = start(&mut reader, Some(&of_log));
    assert_eq!((dropped, restored.position().sequence), (Some(InvalidSnapshot::OtherLog), 4));
}
