//! Sections 4, 5 and 9: how agents declare capabilities.

use std::sync::Arc;

use capgen_registry::{Configuration, EventType, FoldReport, Query, Registry};
use serde_json::{Value, json};

use crate::rfc_0005::COUNT;
use crate::support::{deprecated, event, fold_under, found, registered, registry, updated, value, verdict};

/// The verdict about the payload of a registration.
fn of_registration(change: impl FnOnce(&mut Value)) -> String {
    let mut payload = json!({"capability_id": COUNT, "version": "1.2.0", "metadata": {}});
    change(&mut payload);
    verdict(&Arc::default(), &event("a", 1, EventType::Registered, payload))
}

#[test]
fn section_4_1_a_capability_is_a_typed_contract() {
    let payload = json!({
        "agent_id": "a",
        "capability_id": COUNT,
        "version": "1.2.0",
        "input_schema": {"type": "string"},
        "output_schema": {"type": "integer"},
        "metadata": {"side_effects": "pure", "latency_class": "fast", "determinism_class": "deterministic"},
    });
    let mut registry = registry(&[event("a", 1, EventType::Registered, payload)]);
    let row = serde_json::to_value(&registry.view().find(&Query::All)[0]).unwrap();
    for (name, expected) in [
        ("agent", "a"),
        ("capability", COUNT),
        ("version", "1.2.0"),
        ("side_effects", "pure"),
        ("latency_class", "fast"),
        ("determinism_class", "deterministic"),
    ] {
        assert_eq!(row[name], expected);
    }
    for class in ["deterministic", "nondeterministic"] {
        assert_eq!(of_registration(|payload| payload["metadata"]["determinism_class"] = class.into()), "valid");
    }
    for class in ["pure", "idempotent", "external"] {
        assert_eq!(of_registration(|payload| payload["metadata"]["side_effects"] = class.into()), "valid");
    }
    for (name, invalid) in [("determinism_class", "random"), ("side_effects", "none"), ("latency_class", "")] {
        let expected = format!("payload /payload/metadata/{name}");
        assert_eq!(of_registration(|payload| payload["metadata"][name] = invalid.into()), expected);
    }
    for version in ["1.2", "1.2.0+build", "v1.2.0", "01.2.0", "1.2.0-", "1.2.99999999999999999999"] {
        let verdict = of_registration(|payload| payload["version"] = version.into());
        assert_eq!(verdict, "payload /payload/version", "{version}");
    }
    for (name, schema) in [("input_schema", json!({"type": "text"})), ("output_schema", json!({"$ref": "#/x"}))] {
        let verdict = of_registration(|payload| payload[name] = schema);
        assert!(verdict.starts_with(&format!("contract /payload/{name}")), "{verdict}");
    }
}

#[test]
fn section_4_2_agents_declare_sets_of_capabilities_through_events() {
    let events = [
        registered("a", 1, COUNT, "1.0.0", json!({})),
        registered("a", 2, "core.text.sort", "1.0.0", json!({})),
        registered("b", 3, COUNT, "1.0.0", json!({})),
        updated("a", 4, COUNT, "1.0.0", json!({"tags": ["text"], "priority": 7})),
        deprecated("a", 5, "core.text.sort", None),
    ];
    let mut registry = registry(&events);
    let rows = registry.view().find(&Query::All);
    let summary: Vec<_> =
        rows.iter().map(|row| (&*row.agent, &*row.capability, row.priority, row.deprecated.is_some())).collect();
    assert_eq!(summary, [("a", COUNT, 7, false), ("b", COUNT, 0, false), ("a", "core.text.sort", 0, true)]);
    assert_eq!(found(&mut registry, &Query::Tag("text")), ["a core.text.count 1.0.0"]);
}

#[test]
fn section_4_3_the_registry_is_a_fold_that_can_be_replayed() {
    let events = [
        registered("a", 1, COUNT, "1.0.0", json!({})),
        event("a", 2, EventType::Heartbeat, json!({})),
        updated("a", 3, COUNT, "1.0.0", json!({"weight": 2.5})),
    ];
    let config = Arc::new(Configuration::default());
    let once = fold_under(&config, &events).report().to_json();
    assert_eq!(fold_under(&config, events.iter().chain(&events)).report().to_json(), once);
    assert_eq!(fold_under(&config, events.iter().rev()).report().to_json(), once);
    // Nothing but the content of events matters: no time passes in a fold.
    let mut later = value("a", 1, EventType::Registered, events[0].payload().clone());
    later["timestamp"] = "2031-01-01T00:00:00.000Z".into();
    let mut other = fold_under(&config, [&capgen_registry::Event::new(later), &events[1], &events[2]]);
    let rows = |report: &FoldReport<'_>| {
        let row = &report.view().overview().registrations[0];
        (row.weight.clone(), row.event_id.clone(), row.healthy)
    };
    assert_eq!(rows(&other.report()), rows(&fold_under(&config, &events).report()));
    // The empty state is the start of the fold.
    let mut empty = Registry::new(config.clone());
    let mut fold = fold_under(&config, []);
    assert_eq!(fold.report().to_json().replace("\"invalid\":[],", ""), FoldReport::of(&mut empty).to_json());
}

#[test]
fn section_5_1_capability_registered() {
    let payload = json!({
        "agent_id": "agent-X",
        "capability_id": "summarize.text",
        "version": "1.2.0",
        "input_schema": {"type": "object"},
        "output_schema": {"type": "object"},
        "metadata": {"owner": "text team"},
    });
    let valid = event("agent-X", 1, EventType::Registered, payload.clone());
    assert_eq!(valid.value()["event_type"], "capability.registered");
    assert_eq!(verdict(&Arc::default(), &valid), "valid");
    let forged = event("agent-Y", 1, EventType::Registered, payload);
    assert_eq!(verdict(&Arc::default(), &forged), "producer /payload/agent_id");
    for missing in ["capability_id", "version"] {
        let verdict = of_registration(|payload| drop(payload.as_object_mut().unwrap().remove(missing)));
        assert_eq!(verdict, format!("payload /payload/{missing}"));
    }
    let minimal = of_registration(|payload| drop(payload.as_object_mut().unwrap().remove("metadata")));
    assert_eq!(minimal, "valid");
}

#[test]
fn section_5_2_capability_deprecated() {
    let events = [
        registered("a", 1, COUNT, "1.0.0", json!({})),
        registered("a", 2, COUNT, "2.0.0", json!({})),
        registered("b", 3, COUNT, "1.0.0", json!({})),
    ];
    let mark = |extra: Value| {
        let deprecation = event("a", 4, EventType::Deprecated, extra);
        let mut registry = registry(&[&events[..], &[deprecation]].concat());
        let rows = registry.view().find(&Query::All);
        rows.into_iter()
            .filter_map(|row| {
                Some(format!("{} {} {}", row.agent, row.version, row.deprecated?.reason.unwrap_or_default()))
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(mark(json!({"capability_id": COUNT, "reason": "slow"})), ["a 2.0.0 slow", "a 1.0.0 slow"]);
    assert_eq!(mark(json!({"capability_id": COUNT, "version": "1.0.0"})), ["a 1.0.0 "]);
    assert_eq!(mark(json!({"capability_id": COUNT, "version": "3.0.0"})), [""; 0]);
    let forged = event("b", 4, EventType::Deprecated, json!({"agent_id": "a", "capability_id": COUNT}));
    assert_eq!(verdict(&Arc::default(), &forged), "producer /payload/agent_id");
}

#[test]
fn section_9_names_have_namespaces() {
    let of_id = |id: &str| of_registration(|payload| payload["capability_id"] = id.into());
    for id in ["core.memory.snapshot", "analysis.text.summarize", "system.planner.plan", "summarize.text", "a.B-1.c_d"]
    {
        assert_eq!(of_id(id), "valid", "{id}");
    }
    for id in ["snapshot", "", ".a.b", "a..b", "a.b.", "a. b", "-a.b", "a._b", "é.b", "a/b.c"] {
        assert_eq!(of_id(id), "payload /payload/capability_id", "{id}");
    }
    // Names are compared exactly.
    let events = [registered("a", 1, "core.text.count", "1.0.0", json!({}))];
    for other in ["Core.text.count", "core.text", "core.text.count.words", "text.count"] {
        assert_eq!(found(&mut registry(&events), &Query::Id { id: other, range: None }), [""; 0], "{other}");
    }
}
