//! Reading, waiting and verification.

use std::time::Duration;

use super::events::{NOW, heartbeat};
use super::{Check, Harness, equal};
use crate::log::{Broken, BrokenReason, Head, Heads, row_hash};

pub(super) const ALL: [(&str, Check); 7] = [
    ("an-empty-log-is-readable", empty),
    ("records-are-in-the-order-of-appends", order),
    ("another-connection-continues", reopening),
    ("waiting-ends-at-an-append", waiting),
    ("heads-are-those-of-the-formula", heads),
    ("expected-heads-are-rows-of-the-log", expected),
    ("row-hashes-are-known-or-not", row_hashes),
];

fn empty(harness: &Harness<'_>) -> Result<(), String> {
    let mut log = harness.open("{}")?;
    equal("records", log.all()?.len(), 0)?;
    equal("no events", log.append(NOW, &[])?.len(), 0)?;
    let verification = log.0.verify(None).map_err(|error| error.to_string())?;
    equal("verification", (verification.ok, verification.rows, verification.heads.len()), (true, 0, 0))
}

fn order(harness: &Harness<'_>) -> Result<(), String> {
    let mut log = harness.open("{}")?;
    let agents = ["a", "b", "c"].iter().cycle();
    let events: Vec<_> = (0..20).zip(agents).map(|(number, agent)| heartbeat(agent, NOW, number)).collect();
    log.append(NOW, &events)?;
    let records = log.all()?;
    equal("events", records.iter().map(|record| record.event.clone()).collect::<Vec<_>>(), events)?;
    let sequences: Vec<u64> = records.iter().map(|record| record.sequence).collect();
    if !sequences.iter().zip(sequences.iter().skip(1)).all(|(a, b)| a < b) || sequences.first() == Some(&0) {
        return Err(format!("the sequences do not increase from 1 on: {sequences:?}"));
    }
    let last = sequences.last().copied().unwrap_or_default();
    let after_end = log.0.read(last, 10).map_err(|error| error.to_string())?;
    let beyond = log.0.read(u64::MAX, 10).map_err(|error| error.to_string())?;
    equal("after the end", (after_end.len(), beyond.len()), (0, 0))
}

fn reopening(harness: &Harness<'_>) -> Result<(), String> {
    let mut log = harness.open("{}")?;
    for number in 0..6 {
        equal("place", log.one(NOW, &heartbeat("a", NOW, number))?, format!("a/{number}"))?;
        if number % 2 == 1 {
            log = harness.open("{}")?;
        }
    }
    // Two connections at once.
    let mut other = harness.open("{}")?;
    equal("first", log.one(NOW, &heartbeat("a", NOW, 10))?, "a/6".to_owned())?;
    equal("second", other.one(NOW, &heartbeat("a", NOW, 11))?, "a/7".to_owned())?;
    equal("first again", log.one(NOW, &heartbeat("a", NOW, 12))?, "a/8".to_owned())?;
    equal("records", (log.all()?.len(), other.all()?.len()), (9, 9))
}

fn waiting(harness: &Harness<'_>) -> Result<(), String> {
    let mut log = harness.open("{}")?;
    let wait = |log: &mut super::Tested, after, ms| {
        log.0.wait(after, Duration::from_millis(ms)).map_err(|error| error.to_string())
    };
    equal("nothing", wait(&mut log, 0, 10)?, false)?;
    log.one(NOW, &heartbeat("a", NOW, 1))?;
    equal("something", wait(&mut log, 0, 0)?, true)?;
    let last = log.all()?.last().map_or(0, |record| record.sequence);
    let mut other = harness.open("{}")?;
    let waiter = std::thread::spawn(move || log.0.wait(last, Duration::from_secs(60)));
    other.one(NOW, &heartbeat("a", NOW, 2))?;
    let waited = waiter.join().map_err(|_| "the waiter panicked".to_owned())?;
    equal("an append by another", waited.map_err(|error| error.to_string())?, true)
}

fn heads(harness: &Harness<'_>) -> Result<(), String> {
    let mut log = harness.open("{}")?;
    let events = [heartbeat("a", NOW, 1), heartbeat("b", NOW, 2), heartbeat("a", NOW, 3)];
    log.append(NOW, &events)?;
    let texts = events.each_ref().map(|event| event.text());
    let first = row_hash("a", 0, texts[0], None);
    let head = |offset, hash: capgen_schema::Hash| Head { offset, row_hash: hash.to_string() };
    let expected: Heads = [
        ("a".to_owned(), head(1, row_hash("a", 1, texts[2], Some(&first)))),
        ("b".to_owned(), head(0, row_hash("b", 0, texts[1], None))),
    ]
    .into();
    let verification = log.0.verify(None).map_err(|error| error.to_string())?;
    equal("verification", (verification.ok, verification.rows), (true, 3))?;
    equal("heads", verification.heads, expected)
}

fn expected(harness: &Harness<'_>) -> Result<(), String> {
    let mut log = harness.open("{}")?;
    let mut verify = |expect: Option<&Heads>, appended: &[crate::Event]| {
        log.append(NOW, appended)?;
        log.0.verify(expect).map_err(|error| error.to_string())
    };
    let heads = verify(None, &[heartbeat("a", NOW, 1), heartbeat("b", NOW, 2)])?.heads;
    let grown = verify(Some(&heads), &[heartbeat("a", NOW, 3)])?;
    equal("a log that has grown", (grown.ok, grown.rows), (true, 3))?;
    let broken = |partition: &str, offset| {
        Some(Broken { partition: partition.to_owned(), offset, reason: BrokenReason::Expected })
    };
    let mut changed = heads.clone();
    changed.iter_mut().for_each(|(_, head)| head.row_hash = "0".repeat(64));
    equal("another hash", verify(Some(&changed), &[])?.first_broken, broken("a", 0))?;
    let mut longer = heads.clone();
    longer.iter_mut().filter(|(partition, _)| *partition == "b").for_each(|(_, head)| head.offset = 7);
    equal("a truncated log", verify(Some(&longer), &[])?.first_broken, broken("b", 7))?;
    let unknown: Heads = heads.into_values().map(|head| ("c".to_owned(), head)).collect();
    let found = verify(Some(&unknown), &[])?;
    equal("another partition", (found.ok, found.first_broken), (false, broken("c", 0)))
}

fn row_hashes(harness: &Harness<'_>) -> Result<(), String> {
    let mut log = harness.open("{}")?;
    log.append(NOW, &[heartbeat("a", NOW, 1), heartbeat("a", NOW, 2)])?;
    let heads = log.0.verify(None).map_err(|error| error.to_string())?.heads;
    let last = log.all()?.last().map_or(0, |record| record.sequence);
    let found = log.0.row_hash(last).map_err(|error| error.to_string())?;
    if let Some(hash) = found {
        equal("row hash", Some(hash.to_string()), heads.get("a").map(|head| head.row_hash.clone()))?;
    }
    equal("beyond the end", log.0.row_hash(last + 1).map_err(|error| error.to_string())?, None)
}
