//! Sections 12 to 16: partitions, failures and guarantees.

use std::sync::Arc;

use capgen_registry::log::{AppendOptions, Log as _, MemoryLog};
use capgen_registry::{Checker, Configuration, Event, EventType, FoldReport, Query, Registry, Restored, State};
use serde_json::{Value, json};

use crate::rfc_0005::COUNT;
use crate::support::{
    Followed, START, config, deprecated, event, field, fold_under, found, health, id, registered, registry, requested,
    target, updated, value,
};

/// The events of two data centres that were disconnected from each other.
fn data_centres() -> (Vec<Event>, Vec<Event>) {
    let east = vec![
        registered("a", 1, COUNT, "1.0.0", json!({"priority": 1})),
        health("a", 5, EventType::Heartbeat),
        updated("b", 7, COUNT, "1.0.0", json!({"priority": 9})),
        deprecated("b", 8, COUNT, None),
    ];
    let west = vec![
        registered("b", 2, COUNT, "1.0.0", json!({})),
        registered("b", 9, COUNT, "1.1.0", json!({})),
        health("a", 6, EventType::Unavailable),
        event(
            "a",
            1,
            EventType::Registered,
            json!({"capability_id": COUNT, "version": "1.0.0", "input_schema": {"type": "null"}}),
        ),
    ];
    (east, west)
}

#[test]
fn section_12_merged_partitions_converge() {
    let (east, west) = data_centres();
    let everything = registry(&[&east[..], &west].concat()).state().to_json();
    let (east, west) = (registry(&east), registry(&west));
    let merge = |one: &Registry, other: &Registry| {
        let mut merged = one.clone();
        merged.merge(other.state()).unwrap();
        merged
    };
    let mut merged = merge(&east, &west);
    assert_eq!(merged.state().to_json(), everything);
    assert_eq!(merge(&west, &east).state().to_json(), everything);
    assert_eq!(merge(&merged, &west).state().to_json(), everything);
    let rows = merged.view().find(&Query::All);
    let rows: Vec<_> = rows
        .iter()
        .map(|row| (&*row.agent, &*row.version, row.priority, row.deprecated.is_some(), row.healthy))
        .collect();
    // The update and the deprecation take effect on the registration from the other side, but not on the later version.
    assert_eq!(rows, [("b", "1.1.0", 0, false, true), ("a", "1.0.0", 1, false, false), ("b", "1.0.0", 9, true, true)]);
}

#[test]
fn section_12_states_of_different_configurations_do_not_merge() {
    let states: Vec<Registry> =
        [json!({}), json!({"monitors": ["m"]}), json!({"kernel": "k"}), json!({"priority_cap": {"a": 1}})]
            .iter()
            .map(|json| Registry::new(config(json)))
            .collect();
    for (at, one) in states.iter().enumerate() {
        for (other_at, other) in states.iter().enumerate() {
            assert_eq!(one.clone().merge(other.state()).is_ok(), at == other_at);
        }
    }
    // Grants change no facts.
    let granted = Registry::new(config(&json!({"grants": {"a": {"roles": ["r"]}}, "quota": 5})));
    assert!(states[0].clone().merge(granted.state()).is_ok());
}

#[test]
fn section_13_agent_crash_marks_it_unavailable() {
    let mut followed = Followed::new(&json!({"monitors": ["monitor"]}));
    followed.append(&registered("crashed", 1, COUNT, "1.0.0", json!({"priority": 1})));
    followed.append(&registered("spare", 2, COUNT, "1.0.0", json!({})));
    followed.append(&health("crashed", 3, EventType::Heartbeat));
    let report =
        event("monitor", 90, EventType::Unavailable, json!({"agent_id": "crashed", "reason": "missed heartbeats"}));
    assert_eq!(followed.append(&report), []);
    // Two monitors are harmless.
    followed.append(&event("monitor", 91, EventType::Unavailable, json!({"agent_id": "crashed"})));
    let invoked = followed.answer(&requested("caller", 92, COUNT, "1.0.0", Value::Null));
    assert_eq!(field(&invoked, "target_agent_id"), "spare");
}

#[test]
fn section_13_duplicate_registration_is_idempotent() {
    let once = registered("a", 1, COUNT, "1.0.0", json!({"tags": ["x"]}));
    let expected = registry(std::slice::from_ref(&once)).state().to_json();
    assert_eq!(registry(&[once.clone(), once.clone(), once.clone()]).state().to_json(), expected);
    // The same contract under another id is a duplicate too: the least event counts, and there is no conflict.
    let mut later = value("a", 2, EventType::Registered, once.payload().clone());
    later["payload"]["input_schema"] = json!(true);
    later["payload"]["metadata"]["tags"] = json!(["y"]);
    let mut both = registry(&[Event::new(later), once]);
    assert_eq!(both.state().to_json(), expected);
    assert_eq!(both.view().find(&Query::All)[0].conflicts, []);
}

#[test]
fn section_13_version_conflict_has_a_deterministic_resolution() {
    let with = |time: u64, schema: Value| {
        let payload = json!({"capability_id": COUNT, "version": "1.0.0", "input_schema": schema});
        event("a", time, EventType::Registered, payload)
    };
    let contracts =
        [with(1, json!({"type": "string"})), with(2, json!({"type": "null"})), with(3, json!({"type": "integer"}))];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let mut registry = registry(&order.map(|at: usize| contracts[at].clone()));
        let rows = registry.view().find(&Query::All);
        assert_eq!((rows.len(), &*rows[0].event_id), (1, &*id(1)));
        let conflicts: Vec<&str> = rows[0].conflicts.iter().map(|conflict| &*conflict.event_id).collect();
        assert_eq!(conflicts, [id(2), id(3)]);
        assert_eq!(target(&mut registry, COUNT, "1.0.0", &Default::default()), "a 1.0.0");
    }
}

#[test]
fn section_13_a_stale_state_catches_up_by_replay() {
    let (east, west) = data_centres();
    let log = [east, west].concat();
    let config = Arc::new(Configuration::default());
    let mut expected = fold_under(&config, &log);
    let expected = expected.report();
    for length in 0..=log.len() {
        let stale = fold_under(&config, &log[..length]).into_registry().state().to_json();
        let read = State::parse(&serde_json::from_str(&stale).unwrap(), &config, None).unwrap();
        let mut caught_up = Registry::of(read, config.clone()).unwrap();
        // A replay that starts too early does no harm.
        let tail = fold_under(&config, &log[length.saturating_sub(2)..]).into_registry();
        caught_up.merge(tail.state()).unwrap();
        assert_eq!(FoldReport::of(&mut caught_up).hash, expected.hash);
    }
}

#[test]
fn section_13_a_stale_snapshot_is_caught_up_by_a_replay() {
    let (east, west) = data_centres();
    let events = [east, west].concat();
    let checker = Arc::new(Checker::new(Arc::default()));
    let mut log = MemoryLog::new(checker.clone());
    let options = AppendOptions { now: START, import: true };
    let mut snapshots = Vec::new();
    for event in &events {
        let (mut restored, _) = Restored::start(&mut log, None, checker.clone()).unwrap();
        snapshots.push(restored.snapshot(&mut log).unwrap().to_json());
        assert!(log.append(std::slice::from_ref(event), &options).unwrap()[0].is_ok());
    }
    let expected = fold_under(&Arc::default(), &events).report().hash;
    let start = |log: &mut MemoryLog, snapshot: &str| {
        let (mut restored, dropped) = Restored::start(log, Some(snapshot.as_bytes()), checker.clone()).unwrap();
        assert_eq!(FoldReport::of(restored.registry()).hash, expected);
        dropped
    };
    for snapshot in &snapshots {
        assert_eq!(start(&mut log, snapshot), None);
    }
    // A damaged snapshot is dropped, and the whole log is replayed.
    let damaged = snapshots[5].replace("\"a\"", "\"z\"");
    assert!(start(&mut log, &damaged).is_some());
    assert!(start(&mut log, "{}").is_some());
}

#[test]
fn section_14_other_properties_are_kept_and_do_not_affect_resolution() {
    let future = json!({"cost": {"per_call": 0.25}, "qos": "gold", "sla": {"uptime": 99.9}, "load": 12});
    let events = [registered("b", 1, COUNT, "1.0.0", json!({})), registered("a", 2, COUNT, "1.0.0", future.clone())];
    let mut registry = registry(&events);
    assert_eq!(target(&mut registry, COUNT, "1.0.0", &Default::default()), "b 1.0.0");
    let state: Value = serde_json::from_str(&registry.state().to_json()).unwrap();
    assert_eq!(state["registrations"][0]["value"]["metadata"], future);
    // They are no part of the contract.
    let rows = registry.view().find(&Query::All);
    assert_eq!(rows[0].contract_hash, rows[1].contract_hash);
    // Types of later versions are ignored.
    let mut unknown = value("a", 3, EventType::Heartbeat, json!({}));
    unknown["event_type"] = "capability.priced".into();
    let mut with_unknown = fold_under(&Arc::default(), events.iter().chain([&Event::new(unknown)]));
    assert_eq!(with_unknown.registry().state().to_json(), registry.state().to_json());
    assert_eq!(with_unknown.invalid(), []);
}

#[test]
fn section_15_routing_decisions_are_replayed_from_events_alone() {
    let mut followed = Followed::new(&json!({"grants": {"caller": {"roles": ["r"]}}}));
    for event in [
        registered("a", 1, COUNT, "1.0.0", json!({"priority": 2})),
        requested("caller", 2, COUNT, "1.0.0", Value::Null),
        health("a", 3, EventType::Unavailable),
        requested("caller", 4, COUNT, "1.0.0", Value::Null),
        registered("b", 5, COUNT, "1.3.0", json!({"required_roles": ["r"]})),
        requested("caller", 6, COUNT, "1.0.0", Value::Null),
    ] {
        followed.append(&event);
    }
    let outcome = |event: &Event| {
        let payload = event.payload();
        Some(payload.get("target_agent_id").or(payload.get("reason"))?.as_str()?.to_owned())
    };
    assert_eq!(followed.log.iter().filter_map(outcome).collect::<Vec<_>>(), ["a", "unhealthy", "b"]);
    // Another kernel makes the same decisions from the agents' events.
    let mut replay = Followed::new(&json!({"grants": {"caller": {"roles": ["r"]}}}));
    let of_agents = followed.log.iter().filter(|event| !event.event_type().unwrap().is_of_kernel());
    of_agents.for_each(|event| drop(replay.append(event)));
    assert_eq!(replay.log, followed.log);
}

#[test]
fn section_16_agents_are_replaceable() {
    // The caller names a capability; an agent that registers it replaces another without a change of the caller.
    let request = requested("caller", 9, COUNT, "1.0.0", Value::Null);
    assert!(!request.text().contains("first") && !request.text().contains("second"));
    let first = registered("first", 1, COUNT, "1.0.0", json!({}));
    let second = registered("second", 2, COUNT, "1.4.0", json!({}));
    let mut registry = registry(&[first, second, deprecated("first", 3, COUNT, None)]);
    assert_eq!(target(&mut registry, COUNT, "1.0.0", &Default::default()), "second 1.4.0");
    assert_eq!(found(&mut registry, &Query::Id { id: COUNT, range: None }).len(), 2);
}
