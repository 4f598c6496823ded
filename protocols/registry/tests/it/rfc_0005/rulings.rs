//! The further rulings that concern the core.

use std::sync::Arc;

use capgen_registry::{Configuration, Event, EventType, InvalidState, STATE_FORMAT, State, canonical, hash_of};
use serde_json::{Value, json};

use crate::rfc_0005::COUNT;
use crate::support::{
    Followed, KERNEL, completed, config, event, field, fold_under, id, key, registered, requested, value, verdict,
};

#[test]
fn ruling_1_the_configuration_hash_lists_texts_before_objects() {
    let object = json!({"agent": "b", "until": id(5)});
    let one = json!({"monitors": [object, "z", {"agent": "a", "from": null}, "a", {"agent": "z"}]});
    let covered = json!({"kernel": "capgen.kernel", "keys": {}, "monitors": ["a", "z", object], "priority_cap": {}});
    assert_eq!(config(&one).hash(), hash_of(&covered));
    assert_eq!(
        config(&json!({})).hash(),
        hash_of(&json!({"kernel": KERNEL, "keys": {}, "monitors": [], "priority_cap": {}}))
    );
    let public = key("k").public_key();
    let unbounded = json!({"keys": {"a": {"k": {"key": public, "from": null}}}});
    assert_eq!(config(&unbounded).hash(), config(&json!({"keys": {"a": {"k": public}}})).hash());
    // A kernel's keys have no bounds.
    let bounded = json!({"keys": {KERNEL: {"k": {"key": public, "from": id(1)}}}});
    assert!(Configuration::parse(bounded.to_string().as_bytes()).is_err());
}

#[test]
fn ruling_2_the_policy_hash_covers_grants() {
    let grants = json!({"grants": {"b": {"roles": ["y", "x", "y"]}, "a": {}}, "quota": 7});
    let covered = json!({"a": {"roles": [], "scopes": []}, "b": {"roles": ["x", "y"], "scopes": []}});
    assert_eq!(config(&grants).policy_hash(), hash_of(&covered));
    assert_eq!(config(&grants).hash(), config(&json!({})).hash());
}

#[test]
fn ruling_2_a_hidden_capability_has_the_hash_of_a_missing_one() {
    let mut followed = Followed::new(&json!({}));
    followed.append(&registered("a", 1, COUNT, "1.0.0", json!({"required_roles": ["r"]})));
    let registry_hash = followed.kernel.registry().view().registry_hash();
    for (time, id) in [(2, COUNT), (3, "core.text.missing")] {
        let answer = followed.answer(&requested("b", time, id, "1.0.0", Value::Null));
        let question = json!({"capability": id, "requirement": "1.0.0", "roles": [], "scopes": [], "caller": "b"});
        let reduced = json!({"question": question, "reason": "not-found", "registry_hash": registry_hash});
        assert_eq!(
            (field(&answer, "reason"), field(&answer, "resolution_hash")),
            ("not-found", &*hash_of(&reduced).to_string())
        );
    }
}

/// An event whose canonical text has this many bytes.
fn sized(kind: EventType, payload: Value, bytes: usize) -> Event {
    let mut event = value("a", 1, kind, payload);
    event["metadata"] = json!({"pad": ""});
    let missing = bytes - canonical(&event).len();
    event["metadata"] = json!({"pad": "x".repeat(missing)});
    Event::new(event)
}

#[test]
fn rulings_3_and_8_limit_the_size_of_events() {
    let capability = json!({"capability_id": COUNT, "version": "1.0.0"});
    let request = json!({"capability_id": COUNT, "requirement": "1.0.0", "input": null});
    for (kind, payload, limit) in [
        (EventType::Heartbeat, json!({}), 1 << 20),
        (EventType::Requested, request, 512 << 10),
        (EventType::Registered, capability, 256 << 10),
    ] {
        assert_eq!(verdict(&Arc::default(), &sized(kind, payload.clone(), limit)), "valid", "{kind:?}");
        assert_eq!(verdict(&Arc::default(), &sized(kind, payload, limit + 1)), "envelope ", "{kind:?}");
    }
}

#[test]
fn ruling_3_names_have_at_most_255_code_points() {
    let long = |count: usize| Value::from("é".repeat(count));
    let with = |pointer: &str, text: Value| {
        let mut event =
            value("a", 1, EventType::Registered, json!({"capability_id": COUNT, "version": "1.0.0", "metadata": {}}));
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        event.pointer_mut(parent).unwrap()[name] = text;
        verdict(&Arc::default(), &Event::new(event))
    };
    for pointer in [
        "/producer/agent_id",
        "/producer/agent_type",
        "/producer/runtime_id",
        "/producer/instance_id",
        "/trace/trace_id",
        "/trace/span_id",
        "/trace/parent_span_id",
        "/causation_id",
        "/correlation_id",
        "/idempotency_key",
        "/partition_key",
    ] {
        assert_eq!(with(pointer, long(255)), "valid", "{pointer}");
        assert_eq!(with(pointer, long(256)), format!("envelope {pointer}"));
    }
    assert_eq!(with("/payload/metadata/latency_class", long(255)), "valid");
    assert_eq!(with("/payload/metadata/latency_class", long(256)), "payload /payload/metadata/latency_class");
    for list in ["tags", "required_roles", "required_scopes"] {
        let pointer = format!("/payload/metadata/{list}");
        assert_eq!(with(&pointer, json!([long(255)])), "valid");
        assert_eq!(with(&pointer, json!([long(256)])), format!("payload {pointer}/0"));
    }
}

#[test]
fn ruling_4_the_first_32_distinct_paths_are_listed() {
    let invalid: serde_json::Map<String, Value> =
        (0..50).rev().map(|n| (format!("k{n:02}"), json!({"if": true}))).collect();
    let payload =
        json!({"capability_id": COUNT, "version": "1.0.0", "input_schema": {"type": "object", "properties": invalid}});
    let verdict = verdict(&Arc::default(), &event("a", 1, EventType::Registered, payload));
    let paths: Vec<&str> = verdict.split(' ').skip(1).collect();
    assert_eq!((paths.len(), paths[0]), (32, "/payload/input_schema/properties/k00/if"));
    assert_eq!(paths[31], "/payload/input_schema/properties/k31/if");
}

/// Why a changed state is not read.
fn refused(change: impl FnOnce(&mut Value)) -> InvalidState {
    let events = [
        registered("a", 1, COUNT, "1.0.0", json!({})),
        registered("b", 2, COUNT, "1.0.0", json!({})),
        event("a", 3, EventType::Heartbeat, json!({})),
    ];
    let config = Arc::new(Configuration::default());
    let mut state = serde_json::from_str(&fold_under(&config, &events).into_registry().state().to_json()).unwrap();
    assert!(State::parse(&state, &config, None).is_ok());
    change(&mut state);
    State::parse(&state, &config, None).unwrap_err()
}

#[test]
fn ruling_7_a_state_of_the_wrong_shape_is_not_read() {
    let at = |pointer: &str| InvalidState::Entry(pointer.to_owned());
    assert_eq!(refused(|state| state["format"] = "capgen.registry.state/2".into()), InvalidState::Format);
    assert_eq!(refused(|state| state["config_hash"] = "".into()), InvalidState::Configuration);
    assert_eq!(refused(|state| state["extra"] = 1.into()), InvalidState::NotCanonical);
    assert_eq!(refused(|state| state["registrations"].as_array_mut().unwrap().reverse()), InvalidState::NotCanonical);
    assert_eq!(refused(|state| state["registrations"][0]["extra"] = 1.into()), InvalidState::NotCanonical);
    let repeated = |state: &mut Value| {
        let first = state["registrations"][0].clone();
        state["registrations"].as_array_mut().unwrap().insert(0, first);
    };
    assert_eq!(refused(repeated), InvalidState::NotCanonical);
    assert_eq!(refused(|state| state["updates"] = json!({})), at("/updates"));
    // Claims that no event of the producer can state.
    assert_eq!(refused(|state| state["registrations"][1]["producer"] = "a".into()), at("/registrations/1"));
    assert_eq!(
        refused(|state| state["registrations"][0]["contract_hash"] = "0".repeat(64).into()),
        at("/registrations/0")
    );
    assert_eq!(refused(|state| state["registrations"][0]["value"]["version"] = "1.0.1".into()), at("/registrations/0"));
    assert_eq!(refused(|state| state["health"][0]["agent"] = "b".into()), at("/health/0"));
    assert_eq!(refused(|state| state["health"][0]["event_id"] = "x".into()), at("/health/0"));
    assert_eq!(refused(|state| *state = Value::Null), InvalidState::Format);
    assert_eq!(STATE_FORMAT, "capgen.registry.state/1");
}

#[test]
fn ruling_7_ids_ahead_of_the_clock_are_refused() {
    let config = Arc::new(Configuration::default());
    let events = [registered("a", 100, COUNT, "1.0.0", json!({}))];
    let state = serde_json::from_str(&fold_under(&config, &events).into_registry().state().to_json()).unwrap();
    let parse =
        |latest: u64| State::parse(&state, &config, Some(crate::support::START + latest)).map(|state| state.to_json());
    assert!(parse(100).is_ok());
    assert_eq!(parse(99), Err(InvalidState::Ahead("/registrations/0".to_owned())));
}

#[test]
fn ruling_8_an_invocation_pins_the_schema_of_outputs() {
    let mut followed = Followed::new(&json!({}));
    let schema = json!({"type": "string", "description": "a text"});
    let payload = json!({"capability_id": COUNT, "version": "1.0.0", "output_schema": schema});
    followed.append(&event("a", 1, EventType::Registered, payload));
    followed.append(&registered("b", 2, "core.text.any", "1.0.0", json!({})));
    let invoked = followed.answer(&requested("c", 3, COUNT, "1.0.0", Value::Null));
    assert_eq!(invoked.payload()["output_schema"], schema);
    let any = followed.answer(&requested("c", 4, "core.text.any", "1.0.0", Value::Null));
    assert_eq!(any.payload()["output_schema"], true);
    // The state contains the schema, with which a completion is checked, but not the input.
    let state: Value = serde_json::from_str(&followed.kernel.registry().state().to_json()).unwrap();
    let outcome = state["outcomes"].as_array().unwrap().iter().find(|outcome| outcome["request_id"] == id(3)).unwrap();
    assert_eq!(outcome["value"]["payload"]["output_schema"], schema);
    assert_eq!(outcome["value"]["payload"].get("input"), None);
    // A completion in a log that the kernel reads from a state.
    let read = State::parse(&state, &config(&json!({})), None).unwrap();
    let mut resumed = Followed::new(&json!({}));
    resumed.kernel.registry().merge(&read).unwrap();
    let notice = resumed.answer(&completed("a", 5, &invoked.id().unwrap().to_string(), json!(7)));
    assert_eq!(field(&notice, "failure_reason"), "schema-violation");
}

#[test]
fn ruling_9_the_kernel_emits_its_three_types_only() {
    for kind in EventType::ALL.into_iter().filter(|kind| !kind.is_of_kernel()) {
        let payload = json!({
            "capability_id": COUNT, "version": "1.0.0", "metadata": {"priority": 1}, "requirement": "1.0.0",
            "input": null, "output": null, "invocation_id": "x", "reason": "r",
        });
        assert_eq!(
            verdict(&Arc::default(), &event(KERNEL, 1, kind, payload)),
            "producer /producer/agent_id",
            "{kind:?}"
        );
    }
    let mut unknown = value(KERNEL, 1, EventType::Heartbeat, json!({}));
    unknown["event_type"] = "kernel.started".into();
    assert_eq!(verdict(&Arc::default(), &Event::new(unknown)), "ignored");
}
