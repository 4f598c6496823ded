//! The laws of the registry over random sets of events: the state is a join of facts (decision 1), answers do not
//! depend on order, and the kernel repeats itself (decision 10).
//!
//! Each test runs on a sample. The long run, on 50,000 sets of events for each test:
//!
//! ```sh
//! CAPGEN_REGISTRY_CASES=50000 cargo test --release -p capgen-registry --test it laws:: -- --nocapture
//! ```
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::support::random::{
    CAPABILITIES, REQUIREMENTS, Random, SETTINGS, Setting, TAGS, access, answers, events, kernel,
};
use crate::support::{START, fold_under, naive, requirement};
use capgen_registry::log::{AppendOptions, Log as _, MemoryLog};
use capgen_registry::{
    Checked, Checker, Event, EventType, Explanation, Fold, FoldReport, Query, Range, Registry, Restored, Row, State,
    canonical,
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// The number of sets of events for each test.
fn cases() -> u32 {
    std::env::var("CAPGEN_REGISTRY_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(20)
}

/// Runs a test on random sets of events. A failure is reported with the seeds of its least set.
fn for_sets(name: &str, test: impl Fn(&Setting, &[Event], &mut Random)) {
    let config = ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() };
    let seeds = prop::collection::vec(any::<u64>().no_shrink(), 0..48);
    let started = std::time::Instant::now();
    proptest!(config, |(setting in 0..SETTINGS.len(), seeds in seeds, seed in any::<u64>().no_shrink())| {
        let setting = &SETTINGS[setting];
        test(setting, &events(setting, &seeds), &mut Random::new(seed));
    });
    println!("{name}: {} sets of events in {:.0?}", cases(), started.elapsed());
}

/// The same events in another order, some of them repeated.
fn disordered<'e>(events: &'e [Event], random: &mut Random) -> Vec<&'e Event> {
    let mut disordered: Vec<&Event> = events.iter().collect();
    for _ in 0..random.below(6) {
        disordered.extend(events.get(random.below(events.len() + 1)));
    }
    random.shuffle(&mut disordered);
    disordered
}

/// Parts that together contain all events, some of them more than once.
fn parts<'e>(events: &'e [Event], random: &mut Random) -> Vec<Vec<&'e Event>> {
    let mut parts = vec![Vec::new(); 1 + random.below(5)];
    for event in disordered(events, random) {
        let at = random.below(parts.len());
        parts[at].push(event);
    }
    parts
}

fn without_invalid(mut report: FoldReport<'_>) -> String {
    report.invalid = None;
    report.to_json()
}

/// Merges registries in random pairs until one is left.
fn merged(mut registries: Vec<Registry>, random: &mut Random) -> Registry {
    while registries.len() > 1 {
        let other = registries.swap_remove(random.below(registries.len()));
        let at = random.below(registries.len());
        // The hash and the indexes before the merge have no effect on those after it.
        if random.one_in(2) {
            registries[at].settle();
        }
        registries[at].merge(other.state()).unwrap();
    }
    registries.remove(0)
}

#[test]
fn the_fold_has_one_result_for_every_order_and_repetition() {
    for_sets("order and repetition", |setting, events, random| {
        let mut expected = fold_under(&setting.config, events);
        let mut actual = fold_under(&setting.config, disordered(events, random));
        let (expected, actual) = (expected.report(), actual.report());
        assert_eq!(actual.to_json(), expected.to_json());
        assert_eq!((actual.hash, actual.registry_hash), (expected.hash, expected.registry_hash));
    });
}

#[test]
fn the_merge_of_every_partition_is_the_fold_of_all_events() {
    for_sets("partitions", |setting, events, random| {
        let mut expected = fold_under(&setting.config, events);
        let folds: Vec<Fold> =
            parts(events, random).into_iter().map(|part| fold_under(&setting.config, part)).collect();
        let mut invalid: Vec<String> =
            folds.iter().flat_map(Fold::invalid).map(|row| serde_json::to_string(&row).unwrap()).collect();
        invalid.sort();
        invalid.dedup();
        let mut all: Vec<String> = expected.invalid().iter().map(|row| serde_json::to_string(row).unwrap()).collect();
        all.sort();
        assert_eq!(invalid, all);
        let mut merged = merged(folds.into_iter().map(Fold::into_registry).collect(), random);
        assert_eq!(without_invalid(FoldReport::of(&mut merged)), without_invalid(expected.report()));
    });
}

#[test]
fn merge_is_associative_commutative_and_idempotent() {
    for_sets("merge", |setting, events, random| {
        let mut states: Vec<State> = (0..3)
            .map(|_| {
                let part: Vec<&Event> = events.iter().filter(|_| random.one_in(2)).collect();
                fold_under(&setting.config, part).into_registry().state().clone()
            })
            .collect();
        let join = |one: &State, other: &State| {
            let mut joined = one.clone();
            joined.merge(other).unwrap();
            joined
        };
        let (c, b, a) = (states.pop().unwrap(), states.pop().unwrap(), states.pop().unwrap());
        assert_eq!(join(&join(&a, &b), &c).to_json(), join(&a, &join(&b, &c)).to_json());
        assert_eq!(join(&a, &b).to_json(), join(&b, &a).to_json());
        assert_eq!(join(&a, &a).to_json(), a.to_json());
        assert_eq!(join(&a, &State::new(setting.config.hash())).to_json(), a.to_json());
    });
}

#[test]
fn a_state_is_read_as_it_was_written() {
    for_sets("reading", |setting, events, _| {
        let mut expected = fold_under(&setting.config, events).into_registry();
        let text = expected.state().to_json();
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(canonical(&value), text);
        let read = State::parse(&value, &setting.config, None).unwrap();
        assert_eq!((read.to_json(), read.hash()), (text, expected.state().hash()));
        let mut read = Registry::of(read, setting.config.clone()).unwrap();
        assert_eq!(FoldReport::of(&mut read).to_json(), FoldReport::of(&mut expected).to_json());
    });
}

#[test]
fn a_start_from_a_snapshot_gives_the_fold_of_the_log() {
    for_sets("snapshots", |setting, events, random| {
        let checker = Arc::new(Checker::new(setting.config.clone()));
        let mut log = MemoryLog::new(checker.clone());
        let options = AppendOptions { now: START + 1_000, import: true };
        let (before, after) = events.split_at(random.below(events.len() + 1));
        log.append(before, &options).unwrap();
        let (mut restored, _) = Restored::start(&mut log, None, checker.clone()).unwrap();
        let snapshot = restored.snapshot(&mut log).unwrap().to_json();
        log.append(after, &options).unwrap();
        let (mut restored, dropped) = Restored::start(&mut log, Some(snapshot.as_bytes()), checker).unwrap();
        assert_eq!(dropped, None);
        let records = log.read(0, usize::MAX).unwrap();
        let mut expected = fold_under(&setting.config, records.iter().map(|record| &record.event));
        assert_eq!(FoldReport::of(restored.registry()).to_json(), without_invalid(expected.report()));
    });
}

#[test]
fn the_incremental_registry_hash_is_the_one_of_the_formats() {
    for_sets("registry hash", |setting, events, random| {
        let mut fold = Fold::new(setting.config.clone());
        let check = |registry: &mut Registry| {
            let state: Value = serde_json::from_str(&registry.state().to_json()).unwrap();
            assert_eq!(registry.view().registry_hash(), naive::registry_hash(&state));
        };
        for event in events {
            fold.event(event);
            if random.one_in(6) {
                check(fold.registry());
            }
        }
        check(fold.registry());
    });
}

#[test]
fn answers_are_those_of_a_scan_for_every_order() {
    for_sets("questions", |setting, events, random| {
        // One registry answers questions in between, so that its indexes grow; the other computes them once.
        let mut grown = Fold::new(setting.config.clone());
        for event in disordered(events, random) {
            grown.event(event);
            if random.one_in(4) {
                grown.registry().settle();
            }
        }
        let mut grown = grown.into_registry();
        let mut fresh = fold_under(&setting.config, events).into_registry();
        let state: Value = serde_json::from_str(&fresh.state().to_json()).unwrap();
        let rows = naive::rows(&state, setting);
        for registry in [&mut grown, &mut fresh] {
            queries_equal_scans(registry, &rows);
        }
        for _ in 0..4 {
            let capability = random.pick(&CAPABILITIES);
            let requirement = requirement(random.pick(&REQUIREMENTS));
            let access = access(random);
            let expected = naive::explain(&rows, &setting.config, (capability, &requirement), &access);
            for registry in [&mut grown, &mut fresh] {
                let view = registry.view();
                let resolved = view.resolve(capability, &requirement, &access);
                let (target, explanation) = view.explain(capability, &requirement, &access, None);
                assert_eq!(resolved.ok().and_then(|resolution| resolution.row()), target);
                assert_eq!(resolved.err().map(|reason| reason.as_str()), explanation.reason);
                assert_eq!(resolved.is_ok_and(|resolution| resolution.is_deprecated()), explanation.deprecated);
                let mut expected = expected.clone();
                expected["explanation"]["registry_hash"] = view.registry_hash().into();
                assert_eq!(resolution(target, &explanation), canonical(&expected));
            }
        }
    });
}

fn resolution(target: Option<Row>, explanation: &Explanation) -> String {
    canonical(&json!({"target": target, "explanation": explanation}))
}

fn queries_equal_scans(registry: &mut Registry, rows: &[Value]) {
    let view = registry.view();
    let check = |query: Query<'_>, filter: &dyn Fn(&Value) -> bool| {
        let found: Vec<Value> = view.find(&query).into_iter().map(|row| serde_json::to_value(row).unwrap()).collect();
        assert_eq!(naive::texts(&found), naive::texts(rows.iter().filter(|row| filter(row))), "{query:?}");
    };
    check(Query::All, &|_| true);
    for id in CAPABILITIES {
        check(Query::Id { id, range: None }, &|row| row["capability"] == id);
        for text in [">=1.0.0 <2.0.0", "=1.2.0-rc.1", "1.2.0"] {
            let range: Range = text.parse().unwrap();
            let is_in = |row: &Value| range.matches(&row["version"].as_str().unwrap().parse().unwrap());
            check(Query::Id { id, range: Some(&range) }, &|row| row["capability"] == id && is_in(row));
        }
    }
    for tag in TAGS {
        check(Query::Tag(tag), &|row| row["tags"].as_array().unwrap().contains(&tag.into()));
    }
    for class in ["deterministic", "nondeterministic"] {
        check(Query::Determinism(class), &|row| row["determinism_class"] == class);
    }
}

#[test]
fn the_kernel_repeats_itself_and_emits_nothing_new_in_a_replay() {
    for_sets("kernel", |setting, events, random| {
        let emitted = answers(setting, events);
        // Another kernel, which answers questions in between, emits the same bytes.
        assert_eq!(answers(setting, events), emitted);
        let checker = Checker::new(setting.config.clone());
        for event in &emitted {
            assert!(matches!(checker.check(event), Checked::Valid(kind, _) if kind.is_of_kernel()), "{}", event.text());
        }
        let log = [events, &*emitted].concat();
        assert_eq!(answers(setting, &log), []);
        // A kernel that stopped before it had appended everything emits the rest.
        let stopped = random.below(emitted.len() + 1);
        let log = [events, &emitted[..stopped]].concat();
        assert_eq!(answers(setting, &log), emitted[stopped..]);
        // Once the log contains them, the answers change nothing more.
        let mut kernel = kernel(setting);
        log.iter().chain(&emitted).for_each(|event| drop(kernel.step(event)));
        let mut fold = fold_under(&setting.config, log.iter().chain(&emitted));
        assert_eq!(FoldReport::of(kernel.registry()).to_json(), without_invalid(fold.report()));
    });
}

#[test]
fn the_sets_contain_every_case() {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut random = Random::new(1);
    for _ in 0..150 {
        let setting = &SETTINGS[random.below(SETTINGS.len())];
        let seeds: Vec<u64> = (0..random.below(48)).map(|_| random.bits()).collect();
        let events = events(setting, &seeds);
        let checker = Checker::new(setting.config.clone());
        let mut contents = BTreeMap::new();
        for event in &events {
            seen.insert(match checker.check(event) {
                Checked::Valid(kind, _) => kind.as_str().to_owned(),
                Checked::Ignored => "ignored".to_owned(),
                Checked::Invalid(invalid) => invalid.reason.to_string(),
            });
            let is_new =
                contents.insert((event.agent(), event.id()), event.hash()).is_none_or(|hash| hash == event.hash());
            seen.extend((!is_new).then(|| "identity collision".to_owned()));
        }
        let overview = fold_under(&setting.config, &events).report().view().overview();
        for row in overview.registrations {
            seen.extend((row.conflicts.len() == 15).then(|| "16 contracts".to_owned()));
            seen.extend((!row.healthy).then(|| "unhealthy agent".to_owned()));
            seen.extend(row.deprecated.map(|mark| format!("deprecated {:?}", mark.scope)));
        }
        seen.extend(overview.requests.into_iter().map(|request| request.reason.unwrap_or_default()));
        seen.extend(
            overview
                .invocations
                .into_iter()
                .map(|invocation| format!("{:?} {:?}", invocation.status, invocation.reason)),
        );
    }
    let reasons = ["envelope", "signature", "event-version", "payload", "contract", "producer", "schema-violation"];
    let kinds = EventType::ALL.map(EventType::as_str);
    let unresolved = ["", "not-found", "no-compatible-version", "unhealthy"];
    let others = [
        "ignored",
        "identity collision",
        "16 contracts",
        "unhealthy agent",
        "deprecated All",
        "deprecated Version",
        "Pending None",
        "Completed None",
        "Failed Some(\"timeout\")",
        "Failed Some(\"schema-violation\")",
    ];
    let missing: Vec<_> =
        reasons.iter().chain(&kinds).chain(&unresolved).chain(&others).filter(|case| !seen.contains(**case)).collect();
    assert_eq!(missing, [&""; 0], "{seen:?}");
}
