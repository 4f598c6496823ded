//! All logs give the same results for the same appends.

use std::sync::Arc;

use capgen_registry::log::{AppendOptions, Log, MemoryLog};
use capgen_registry::{Checker, Configuration, Event, EventId};
use serde_json::{Value, json};

use crate::logs::{FILES, number, records};
use crate::support::START;
use crate::support::random::{Random, SETTINGS, answers, events};

const SECOND: u64 = 1000;
const DAY: u64 = 86_400 * SECOND;

/// An append: the options, and the events.
type Step = (AppendOptions, Vec<Event>);

/// Appends near the limits of every check, under a configuration.
fn steps(random: &mut Random) -> (Value, Vec<Step>) {
    let setting = &SETTINGS[random.below(SETTINGS.len())];
    let mut config = setting.json.clone();
    if random.one_in(2) {
        config["quota"] = random.below(12).into();
    }
    let seeds: Vec<u64> = (0..random.below(40)).map(|_| random.bits()).collect();
    let mut events = events(setting, &seeds);
    events.extend(answers(setting, &events));
    random.shuffle(&mut events);
    let mut now = START;
    let mut steps = Vec::new();
    let mut past: Vec<Event> = Vec::new();
    while !events.is_empty() {
        now += [0, SECOND, 30 * SECOND, 59 * SECOND, 2 * DAY][random.below(5)];
        let options = AppendOptions { now, import: random.one_in(4) };
        let size = (1 + random.below(5)).min(events.len());
        let mut batch: Vec<Event> = events.drain(..size).map(|event| changed(&event, now, random)).collect();
        if let Some(known) = past.get(random.below(past.len() + 1)) {
            batch.push(known.clone());
        }
        past.extend(batch.clone());
        steps.push((options, batch));
    }
    (config, steps)
}

/// An event with another time, partition or idempotency key, most of the time.
fn changed(event: &Event, now: u64, random: &mut Random) -> Event {
    let mut value = event.value().clone();
    if !value.is_object() || random.one_in(4) {
        return event.clone();
    }
    if event.id().is_some_and(|id| !id.is_derived()) {
        let time = random.pick(&[
            now,
            now + 60 * SECOND,
            now + 60 * SECOND + 1,
            now - 60 * SECOND,
            now - 60 * SECOND - 1,
            now - DAY,
            now - DAY - 1,
        ]);
        value["event_id"] = EventId::at(time, u128::from(random.bits() % 4)).to_string().into();
    }
    if random.one_in(3) {
        value["partition_key"] = random.pick(&[json!("p"), json!("a"), json!(""), Value::Null]);
    }
    if random.one_in(3) {
        value["idempotency_key"] = random.pick(&[json!("k"), json!("l"), Value::Null]);
    }
    Event::new(value)
}

/// The long run:
///
/// ```sh
/// CAPGEN_REGISTRY_CASES=20000 cargo test --release -p capgen-registry --test it logs::agreement
/// ```
#[test]
fn logs_agree_with_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for case in 0..number("CAPGEN_REGISTRY_CASES", 40) {
        let mut random = Random::new(u64::try_from(case).unwrap());
        let (config, steps) = steps(&mut random);
        let config: Arc<Configuration> = Configuration::parse(config.to_string().as_bytes()).unwrap().into();
        let checker = Arc::new(Checker::new(config));
        let mut memory = MemoryLog::new(checker.clone());
        let results: Vec<_> = steps.iter().map(|(options, batch)| memory.append(batch, options).unwrap()).collect();
        seen.extend(results.iter().flatten().map(|result| match result {
            Ok(appended) => format!("{} {}", appended.duplicate_of.is_some(), appended.integrity_fault),
            Err(rejection) => rejection.reason().to_owned(),
        }));
        let verification = memory.verify(None).unwrap();
        for (ending, open) in FILES {
            let path = folder.path().join(format!("{case}.{ending}"));
            let mut log = open(&path, checker.clone()).unwrap();
            for ((options, batch), expected) in steps.iter().zip(&results) {
                if random.one_in(6) {
                    // Only the count of invalid events is not in the file, and they are few here.
                    log = open(&path, checker.clone()).unwrap();
                }
                let found = log.append(batch, options).unwrap();
                assert_eq!(found, *expected, "case {case}, {ending}");
            }
            let events = |log: &mut dyn Log| records(log).into_iter().map(|record| record.event).collect::<Vec<_>>();
            assert_eq!(events(&mut *log), events(&mut memory), "case {case}, {ending}");
            assert_eq!(log.verify(Some(&verification.heads)).unwrap(), verification, "case {case}, {ending}");
            drop(log);
            let mut again = open(&path, checker.clone()).unwrap();
            assert_eq!(again.verify(None).unwrap(), verification, "case {case}, {ending}");
        }
    }
    let expected = [
        "envelope",
        "false false",
        "false true",
        "future",
        "idempotency-key",
        "past",
        "quota",
        "signature",
        "true false",
        "true true",
    ];
    assert_eq!(seen.iter().map(String::as_str).collect::<Vec<_>>(), expected);
}
