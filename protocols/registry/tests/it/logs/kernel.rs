//! Logs under a configuration with a key of the kernel (rulings 11 and 12).

use std::sync::Arc;

use capgen_registry::log::{AppendOptions, FirstOfKernel, JsonlLog, Log, LogError, SqliteLog};
use capgen_registry::{Checker, Event, EventType, Kernel};
use serde_json::{Value, json};

use super::{FILES, NOW, records};
use crate::support::{KERNEL, START, config, event, key, requested};

fn checker(with_key: bool) -> Arc<Checker> {
    let keys = if with_key { json!({KERNEL: {"kernel": key("kernel").public_key()}}) } else { json!({}) };
    Arc::new(Checker::new(config(&json!({"keys": keys}))))
}

fn notice(number: u64) -> Event {
    let payload = json!({
        "original_event_id": null, "original_hash": "0".repeat(64), "failure_reason": "payload", "validation_trace": [],
    });
    event(KERNEL, number, EventType::ValidationFailed, payload)
}

#[test]
fn ruling_11_a_log_whose_first_event_of_the_kernel_is_unsigned_is_refused() {
    let (first, second) = (notice(1), notice(2));
    let beat = event("a", 1, EventType::Heartbeat, json!({}));
    let refused = LogError::UnsignedKernel(first.id().unwrap());
    for (ending, open) in FILES {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("log.{ending}"));
        let mut log = open(&path, checker(false)).unwrap();
        log.append(&[beat.clone(), first.clone(), second.clone()], &NOW).unwrap();
        // A process that reads the log already sees it as soon as it asks for events.
        assert_eq!(open(&path, checker(true)).map(|_| ()).unwrap_err(), refused, "{ending}");
        assert_eq!(records(&mut *open(&path, checker(false)).unwrap()).len(), 3);
    }
}

#[test]
fn ruling_11_every_operation_of_an_open_log_refuses_it() {
    for (ending, open) in FILES {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("log.{ending}"));
        let mut keyed = open(&path, checker(true)).unwrap();
        assert_eq!(keyed.read(0, 1).unwrap().len(), 0);
        open(&path, checker(false)).unwrap().append(&[notice(1)], &NOW).unwrap();
        let refused = || LogError::UnsignedKernel(notice(1).id().unwrap());
        assert_eq!(keyed.read(0, 1).unwrap_err(), refused(), "{ending}");
        let beat = event("a", 1, EventType::Heartbeat, json!({}));
        assert_eq!(keyed.append(&[beat], &NOW).unwrap_err(), refused(), "{ending}");
        assert_eq!(keyed.verify(None).unwrap_err(), refused(), "{ending}");
    }
}

#[test]
fn ruling_11_a_later_unsigned_event_of_the_kernel_is_only_invalid() {
    let signed = key("kernel").sign(&notice(1));
    for (ending, open) in FILES {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("log.{ending}"));
        open(&path, checker(true)).unwrap().append(std::slice::from_ref(&signed), &NOW).unwrap();
        open(&path, checker(false)).unwrap().append(&[notice(2)], &NOW).unwrap();
        let mut log = open(&path, checker(true)).unwrap();
        assert_eq!(records(&mut *log).len(), 2, "{ending}");
        assert!(log.verify(None).unwrap().ok);
    }
    // Neither an event of another agent nor one without a valid envelope is the kernel's first.
    let mut first = FirstOfKernel::new(checker(true));
    let mut invalid = notice(1).value().clone();
    invalid["trace"] = Value::Null;
    first.note(&event("a", 1, EventType::Heartbeat, json!({})));
    first.note(&Event::new(invalid));
    first.note(&signed);
    first.note(&notice(2));
    assert_eq!(first.check(), Ok(()));
}

/// The events of a log after the kernel has processed it, as `step` does. Also returns those that the kernel emitted.
fn step(log: &mut dyn Log, checker: &Arc<Checker>) -> Vec<Event> {
    let mut kernel = Kernel::new(checker.clone(), Some(key("kernel")));
    let events: Vec<Event> = records(log).into_iter().map(|record| record.event).collect();
    events.iter().for_each(|event| kernel.note(event));
    let emitted: Vec<Event> = events.iter().flat_map(|event| kernel.step(event)).collect();
    let results = log.append(&emitted, &NOW).unwrap();
    let is_new = results.iter().map(|result| result.as_ref().unwrap().duplicate_of.is_none());
    emitted.into_iter().zip(is_new).filter(|(_, is_new)| *is_new).map(|(event, _)| event).collect()
}

#[test]
fn ruling_11_an_unsigned_copy_of_an_answer_does_not_suppress_it() {
    let request = requested("caller", 2, "core.text.none", "1.0.0", Value::Null);
    for (ending, open) in FILES {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("log.{ending}"));
        let signed = key("kernel").sign(&notice(1));
        open(&path, checker(true)).unwrap().append(&[signed, request.clone()], &NOW).unwrap();
        // Someone runs the kernel without the key.
        let unsigned = Kernel::new(checker(false), None).step(&request).remove(0);
        open(&path, checker(false)).unwrap().append(std::slice::from_ref(&unsigned), &NOW).unwrap();
        let mut log = open(&path, checker(true)).unwrap();
        let emitted = step(&mut *log, &checker(true));
        assert_eq!(emitted[0].hash(), unsigned.hash(), "{ending}");
        assert_eq!(emitted[0].value()["signature"]["public_key_id"], "kernel");
        assert_eq!(step(&mut *log, &checker(true)), [], "{ending}");
        assert!(log.verify(None).unwrap().ok, "{ending}");
    }
}

#[test]
fn ruling_12_another_content_is_reported_whatever_else_the_result_is() {
    let content = |reason: &str, key: Value| {
        let mut value = event("a", 1, EventType::Heartbeat, json!({"reason": reason})).value().clone();
        value["idempotency_key"] = key;
        Event::new(value)
    };
    let later = |number: u64, reason: &str| {
        let mut value = event("a", number, EventType::Heartbeat, json!({"reason": reason})).value().clone();
        value["idempotency_key"] = "k".into();
        Event::new(value)
    };
    let options = AppendOptions { now: START, import: false };
    for (ending, open) in FILES {
        let folder = tempfile::tempdir().unwrap();
        let mut log = open(&folder.path().join(format!("log.{ending}")), checker(false)).unwrap();
        let mut append = |event: &Event| {
            let appended = log.append(std::slice::from_ref(event), &options).unwrap().remove(0).unwrap();
            (appended.duplicate_of.is_some(), appended.integrity_fault)
        };
        assert_eq!(append(&content("one", Value::Null)), (false, false), "{ending}");
        assert_eq!(append(&content("one", Value::Null)), (true, false), "{ending}");
        assert_eq!(append(&later(2, "two")), (false, false), "{ending}");
        // A duplicate by its key, with the identity of another event.
        assert_eq!(append(&content("two", "k".into())), (true, true), "{ending}");
        assert_eq!(append(&later(3, "two")), (true, false), "{ending}");
        assert_eq!(append(&content("three", Value::Null)), (false, true), "{ending}");
        // Known contents, of which there are several now.
        assert_eq!(append(&content("one", Value::Null)), (true, true), "{ending}");
        assert_eq!(append(&content("three", Value::Null)), (true, true), "{ending}");
    }
}

#[test]
fn logs_of_files_open_under_both_configurations_if_they_have_no_event_of_the_kernel() {
    let folder = tempfile::tempdir().unwrap();
    let beat = event("a", 1, EventType::Heartbeat, json!({}));
    let (jsonl, sqlite) = (folder.path().join("log.jsonl"), folder.path().join("log.db"));
    JsonlLog::open_or_create(&jsonl, checker(false)).unwrap().append(std::slice::from_ref(&beat), &NOW).unwrap();
    SqliteLog::open_or_create(&sqlite, checker(false)).unwrap().append(std::slice::from_ref(&beat), &NOW).unwrap();
    assert_eq!(records(&mut JsonlLog::open(&jsonl, checker(true)).unwrap()).len(), 1);
    assert_eq!(records(&mut SqliteLog::open_to_read(&sqlite, checker(true)).unwrap()).len(), 1);
}
