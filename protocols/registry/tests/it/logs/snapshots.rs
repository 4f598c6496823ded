//! Snapshots (decision 14): a start from one leads to the same state as the whole log, and an invalid one is dropped.

use std::sync::Arc;

use capgen_registry::log::{AppendOptions, JsonlLog, Log, MemoryLog, SqliteLog};
use capgen_registry::{
    Checker, Configuration, Event, EventType, InvalidSnapshot, InvalidState, Restored, Snapshot, canonical, hash_of,
};
use serde_json::{Value, json};

use crate::logs::{NOW, checker, heartbeats, number};
use crate::support::random::{Random, SETTINGS, answers, events};
use crate::support::{Followed, START, completed, event, field, health, registered, requested};

/// Everything that the registry of a restored can answer.
fn report(restored: &mut Restored) -> String {
    capgen_registry::FoldReport::of(restored.registry()).to_json()
}

/// A log of these events.
fn log_of(events: &[Event], checker: &Arc<Checker>) -> MemoryLog {
    let mut log = MemoryLog::new(checker.clone());
    log.append(events, &AppendOptions { import: true, ..NOW }).unwrap();
    log
}

/// The restored of a log, from a snapshot that must be valid.
fn resumed(log: &mut dyn Log, snapshot: &Snapshot, checker: &Arc<Checker>) -> Restored {
    let text = snapshot.to_json();
    let again = Snapshot::parse(text.as_bytes(), checker.config()).unwrap();
    assert_eq!(again.to_json(), text);
    let (restored, dropped) = Restored::start(log, Some(text.as_bytes()), checker.clone()).unwrap();
    assert_eq!(dropped, None);
    restored
}

/// The reason why a start drops a snapshot. The start reads the whole log then.
fn dropped(log: &mut dyn Log, snapshot: &str, checker: &Arc<Checker>) -> InvalidSnapshot {
    let (mut restored, dropped) = Restored::start(log, Some(snapshot.as_bytes()), checker.clone()).unwrap();
    let (mut whole, _) = Restored::start(log, None, checker.clone()).unwrap();
    assert_eq!(report(&mut restored), report(&mut whole));
    dropped.unwrap()
}

#[test]
fn a_start_from_a_snapshot_leads_to_the_state_of_the_whole_log() {
    for case in 0..number("CAPGEN_REGISTRY_CASES", 40) {
        let mut random = Random::new(u64::try_from(case).unwrap());
        let setting = &SETTINGS[case % SETTINGS.len()];
        let seeds: Vec<u64> = (0..1 + random.below(40)).map(|_| random.bits()).collect();
        let mut events = events(setting, &seeds);
        events.extend(answers(setting, &events));
        let checker = Arc::new(Checker::new(setting.config.clone()));
        let split = random.below(events.len() + 1);
        let folder = tempfile::tempdir().unwrap();
        let logs: [Box<dyn Log>; 3] = [
            Box::new(MemoryLog::new(checker.clone())),
            Box::new(JsonlLog::open_or_create(&folder.path().join("a.jsonl"), checker.clone()).unwrap()),
            Box::new(SqliteLog::open_or_create(&folder.path().join("a.db"), checker.clone()).unwrap()),
        ];
        for mut log in logs {
            let options = AppendOptions { now: START, import: true };
            log.append(&events[..split], &options).unwrap();
            let (mut early, _) = Restored::start(&mut *log, None, checker.clone()).unwrap();
            let snapshot = early.snapshot(&mut *log).unwrap();
            log.append(&events[split..], &options).unwrap();
            let mut late = resumed(&mut *log, &snapshot, &checker);
            let (mut whole, _) = Restored::start(&mut *log, None, checker.clone()).unwrap();
            assert_eq!(report(&mut late), report(&mut whole), "case {case}");
            assert_eq!(late.position().sequence, whole.position().sequence);
            assert_eq!(late.position().offsets, whole.position().offsets);
            early.catch_up(&mut *log).unwrap();
            assert_eq!(report(&mut early), report(&mut whole), "case {case}");
            assert_eq!(late.snapshot(&mut *log).unwrap().to_json(), whole.snapshot(&mut *log).unwrap().to_json());
        }
    }
}

#[test]
fn a_snapshot_is_a_canonical_document_of_a_known_form() {
    let checker = checker();
    let mut log = log_of(&heartbeats("a", 0..1), &checker);
    let (mut restored, _) = Restored::start(&mut log, None, checker).unwrap();
    let text = restored.snapshot(&mut log).unwrap().to_json();
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(canonical(&document), text);
    assert_eq!(document["format"], "capgen.registry.snapshot/1");
    assert_eq!(document["hash"], hash_of(&document["state"]).to_string());
    assert_eq!(document["registry_hash"], restored.registry().view().registry_hash());
    assert_eq!(document["position"]["sequence"], 1);
    assert_eq!(document["position"]["offsets"], json!({"a": 0}));
    assert_eq!(document["position"]["row_hash"], log.verify(None).unwrap().heads["a"].row_hash);
    assert_eq!(document["pruned"], 0);
}

/// A log with registrations, health and requests of which some have ended, and the number of ended requests.
fn flow() -> (Vec<Event>, usize) {
    let mut followed = Followed::new(&json!({}));
    followed.append(&registered("t", 1, "core.text.count", "1.0.0", json!({"tags": ["x"]})));
    followed.append(&health("t", 2, EventType::Heartbeat));
    for millis in 10..20 {
        let invoked = followed.answer(&requested("c", millis, "core.text.count", "1.0.0", json!({"n": millis})));
        if millis % 2 == 0 {
            followed.append(&completed("t", millis + 100, &invoked.id().unwrap().to_string(), json!({})));
        }
    }
    let unresolved = followed.answer(&requested("c", 30, "core.text.other", "1.0.0", json!(1)));
    assert_eq!(field(&unresolved, "reason"), "not-found");
    (followed.log, 6)
}

#[test]
fn every_edit_of_a_snapshot_is_detected() {
    let checker = checker();
    let mut log = log_of(&flow().0[..6], &checker);
    let (mut restored, _) = Restored::start(&mut log, None, checker.clone()).unwrap();
    let mut snapshot = restored.snapshot(&mut log).unwrap();
    for is_pruned in [false, true] {
        if is_pruned {
            assert_eq!(snapshot.prune(0), 1);
        }
        let text = snapshot.to_json();
        assert!(Snapshot::parse(text.as_bytes(), checker.config()).is_ok());
        for position in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[position] ^= 1 << (position % 7);
            assert!(Snapshot::parse(&bytes, checker.config()).is_err(), "byte {position}");
            assert!(Snapshot::parse(&text.as_bytes()[..position], checker.config()).is_err(), "{position} bytes");
        }
    }
}

#[test]
fn hashes_are_checked_even_if_others_are_adapted() {
    let checker = checker();
    let mut log = log_of(&flow().0, &checker);
    let (mut restored, _) = Restored::start(&mut log, None, checker.clone()).unwrap();
    let text = restored.snapshot(&mut log).unwrap().to_json();
    let edited = |edit: &dyn Fn(&mut Value)| {
        let mut document: Value = serde_json::from_str(&text).unwrap();
        edit(&mut document);
        let mut covered = document.clone();
        covered["state"] = hash_of(&document["state"]).to_string().into();
        covered.as_object_mut().unwrap().remove("digest");
        document["digest"] = hash_of(&covered).to_string().into();
        canonical(&document)
    };
    let unhealthy = |document: &mut Value| document["state"]["health"][0]["value"] = false.into();
    assert_eq!(dropped(&mut log, &edited(&unhealthy), &checker), InvalidSnapshot::Hash("registry_hash"));
    let no_terminal = |document: &mut Value| drop(document["state"]["terminals"].as_array_mut().unwrap().pop());
    assert_eq!(dropped(&mut log, &edited(&no_terminal), &checker), InvalidSnapshot::Hash("hash"));
    let other_row = |document: &mut Value| document["position"]["row_hash"] = "0".repeat(64).into();
    assert_eq!(dropped(&mut log, &edited(&other_row), &checker), InvalidSnapshot::OtherLog);
    let other_event = |document: &mut Value| document["position"]["event_hash"] = "0".repeat(64).into();
    assert_eq!(dropped(&mut log, &edited(&other_event), &checker), InvalidSnapshot::OtherLog);
    let ahead = |document: &mut Value| document["position"]["sequence"] = 1000.into();
    assert_eq!(dropped(&mut log, &edited(&ahead), &checker), InvalidSnapshot::OtherLog);
    let none = |document: &mut Value| document["position"]["sequence"] = 0.into();
    assert_eq!(dropped(&mut log, &edited(&none), &checker), InvalidSnapshot::OtherLog);
    let version = |document: &mut Value| document["format"] = "capgen.registry.snapshot/2".into();
    assert_eq!(dropped(&mut log, &edited(&version), &checker), InvalidSnapshot::Format);
    let more = |document: &mut Value| document["more"] = 1.into();
    assert_eq!(dropped(&mut log, &edited(&more), &checker), InvalidSnapshot::Hash("digest"));
    let state = |document: &mut Value| document["state"]["format"] = 1.into();
    assert_eq!(dropped(&mut log, &edited(&state), &checker), InvalidSnapshot::State(InvalidState::Format));
    for hostile in ["", "null", "[]", "{}", &"[".repeat(1 << 20), &format!("{{\"a\":{}", "{\"a\":".repeat(1 << 20))] {
        assert_eq!(dropped(&mut log, hostile, &checker), InvalidSnapshot::Format);
    }
}

#[test]
fn snapshots_of_another_log_or_configuration_are_dropped() {
    let checker = checker();
    let events = flow().0;
    let mut log = log_of(&events, &checker);
    let (mut restored, _) = Restored::start(&mut log, None, checker.clone()).unwrap();
    let text = restored.snapshot(&mut log).unwrap().to_json();
    let mut truncated = log_of(&events[..events.len() - 1], &checker);
    assert_eq!(dropped(&mut truncated, &text, &checker), InvalidSnapshot::OtherLog);
    let mut reversed: Vec<Event> = events.iter().rev().cloned().collect();
    reversed.rotate_left(1);
    let mut other = log_of(&reversed, &checker);
    assert_eq!(dropped(&mut other, &text, &checker), InvalidSnapshot::OtherLog);
    // The same last event at the same place, but another one before it in its partition.
    let mut changed = events.clone();
    let earlier = changed.iter().position(|event| event.agent() == Some(crate::support::KERNEL)).unwrap();
    changed[earlier] = event(crate::support::KERNEL, 9, EventType::ValidationFailed, json!({}));
    assert_eq!(dropped(&mut log_of(&changed, &checker), &text, &checker), InvalidSnapshot::OtherLog);
    let config = Configuration::parse(br#"{"monitors": ["m"]}"#).unwrap();
    let other = Arc::new(Checker::new(config.into()));
    let reason = dropped(&mut log, &text, &other);
    assert_eq!(reason, InvalidSnapshot::State(InvalidState::Configuration));
}

#[test]
fn pruning_removes_ended_requests_but_no_facts_of_the_registry() {
    let checker = checker();
    let (mut events, ended) = flow();
    let mut log = log_of(&events, &checker);
    let (mut whole, _) = Restored::start(&mut log, None, checker.clone()).unwrap();
    let requests = whole.registry().view().requests().len();
    for keep in [0, 1, ended - 1, ended, ended + 1] {
        let mut snapshot = whole.snapshot(&mut log).unwrap();
        let pruned = usize::try_from(snapshot.prune(keep)).unwrap();
        assert_eq!(pruned, ended.saturating_sub(keep));
        assert_eq!(snapshot.is_pruned(), pruned > 0);
        let mut restored = resumed(&mut log, &snapshot, &checker);
        assert_eq!(restored.is_pruned(), pruned > 0);
        let view = restored.registry().view();
        assert_eq!(view.requests().len(), requests - pruned);
        assert_eq!(view.invocations().iter().filter(|invocation| invocation.terminal.is_none()).count(), 5);
        assert_eq!(view.registry_hash(), whole.registry().view().registry_hash());
        assert_eq!(serde_json::from_str::<Value>(&snapshot.to_json()).unwrap()["hash"].is_null(), pruned > 0);
        // The latest requests remain.
        let kept = restored.registry().view().requests();
        assert!(keep == 0 || kept.iter().any(|request| request.request_id == crate::support::id(30)));
    }
    // A pruned snapshot remains one, and the rest of the log is added to it.
    let mut snapshot = whole.snapshot(&mut log).unwrap();
    snapshot.prune(0);
    events = vec![registered("t", 200, "core.text.count", "1.1.0", json!({}))];
    log.append(&events, &NOW).unwrap();
    let mut restored = resumed(&mut log, &snapshot, &checker);
    whole.catch_up(&mut log).unwrap();
    assert_eq!(restored.registry().view().registry_hash(), whole.registry().view().registry_hash());
    assert!(restored.snapshot(&mut log).unwrap().is_pruned());
}
