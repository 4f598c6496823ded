//! Decisions that the tests of the sections do not cover.

use std::sync::Arc;

use capgen_registry::{
    Checker, Configuration, Event, EventId, EventType, FoldReport, Kernel, Query, Requirement, SigningKey,
};
use serde_json::{Value, json};

use crate::rfc_0005::COUNT;
use crate::support::{
    Followed, KERNEL, START, completed, config, deprecated, event, field, fold_under, found, health, id, key,
    registered, registry, requested, target, updated, value, verdict,
};

/// A change of an event.
fn changed(event: &Event, pointer: &str, value: Value) -> Event {
    let mut changed = event.value().clone();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    changed.pointer_mut(parent).unwrap()[name] = value;
    Event::new(changed)
}

#[test]
fn decision_2_the_identity_contains_the_agent_and_two_contents_both_count() {
    let one = registered("a", 1, COUNT, "1.0.0", json!({"priority": 1}));
    let other = changed(&one, "/payload/capability_id", "core.text.sort".into());
    assert_eq!((one.id(), one.agent()), (other.id(), other.agent()));
    let mut registry = registry(&[one.clone(), other]);
    assert_eq!(found(&mut registry, &Query::All), ["a core.text.count 1.0.0", "a core.text.sort 1.0.0"]);
    // Two contents about one subject: the one with the least hash is less.
    let other = changed(&one, "/payload/metadata/priority", 2.into());
    let least = [&one, &other].into_iter().min_by_key(|event| event.hash()).unwrap().clone();
    for events in [[one.clone(), other.clone()], [other, one]] {
        let priority = self::registry(&events).view().find(&Query::All)[0].priority;
        assert_eq!(least.payload()["metadata"]["priority"], priority);
    }
}

#[test]
fn decision_2_nullable_members_and_the_signature_are_not_hashed() {
    let event = health("a", 1, EventType::Heartbeat);
    let names =
        ["causation_id", "correlation_id", "idempotency_key", "partition_key", "ttl_ms", "trace/parent_span_id"];
    for name in names {
        let with_null = changed(&event, &format!("/{name}"), Value::Null);
        assert_eq!(with_null.hash(), event.hash(), "{name}");
        assert_ne!(changed(&event, &format!("/{name}"), "x".into()).hash(), event.hash(), "{name}");
    }
    assert_eq!(key("one").sign(&event).hash(), event.hash());
    for name in ["metadata/x", "payload/reason", "unknown", "trace/x", "producer/x"] {
        assert_ne!(changed(&event, &format!("/{name}"), Value::Null).hash(), event.hash(), "{name}");
    }
}

#[test]
fn decision_3_sixteen_contracts_of_a_version_are_kept() {
    let contract = |number: u64| {
        let schema = json!({"const": number});
        event(
            "a",
            number,
            EventType::Registered,
            json!({"capability_id": COUNT, "version": "1.0.0", "input_schema": schema}),
        )
    };
    let events: Vec<Event> = (0..40).map(contract).collect();
    let first = registry(&events[..16]).state().to_json();
    assert_eq!(registry(&events).state().to_json(), first);
    let reversed: Vec<Event> = events.into_iter().rev().collect();
    assert_eq!(registry(&reversed).state().to_json(), first);
}

#[test]
fn decision_3_the_contract_is_without_annotations_and_lists_are_sets() {
    let with = |payload: Value| {
        let mut all = json!({"capability_id": COUNT, "version": "1.0.0"});
        payload.as_object().unwrap().iter().for_each(|(name, value)| all[name] = value.clone());
        registry(&[event("a", 1, EventType::Registered, all)]).view().find(&Query::All).remove(0).contract_hash
    };
    let plain = with(json!({}));
    for same in [
        json!({"input_schema": true}),
        json!({"metadata": {"required_roles": [], "priority": 3, "tags": ["x"], "latency_class": "fast", "owner": 1}}),
    ] {
        assert_eq!(with(same.clone()), plain, "{same}");
    }
    let string = with(json!({"input_schema": {"type": "string"}}));
    let annotated =
        json!({"type": "string", "title": "T", "description": "D", "default": "x", "examples": ["y"], "$comment": "c"});
    assert_eq!(with(json!({"input_schema": annotated})), string);
    let roles = |roles: Value| with(json!({"metadata": {"required_roles": roles}}));
    assert_eq!(roles(json!(["b", "a"])), roles(json!(["a", "b"])));
    let different = [
        plain,
        string,
        roles(json!(["a"])),
        with(json!({"output_schema": {"type": "string"}})),
        with(json!({"metadata": {"required_scopes": ["a"]}})),
        with(json!({"metadata": {"side_effects": "pure"}})),
        with(json!({"metadata": {"determinism_class": "deterministic"}})),
        with(json!({"version": "1.0.1"})),
    ];
    let distinct: std::collections::BTreeSet<&String> = different.iter().collect();
    assert_eq!(distinct.len(), different.len());
}

#[test]
fn decision_3_the_greatest_update_of_each_field_wins() {
    let registration = registered("a", 5, COUNT, "1.0.0", json!({"priority": 1, "weight": 2, "tags": ["x"]}));
    let update = |time: u64, metadata: Value| updated("a", time, COUNT, "1.0.0", metadata);
    let row = |updates: &[Event]| {
        let events = [std::slice::from_ref(&registration), updates].concat();
        let row = registry(&events).view().find(&Query::All).remove(0);
        (row.priority, row.weight.to_string(), row.tags.join(","))
    };
    let as_registered = (1, "2".to_owned(), "x".to_owned());
    assert_eq!(row(&[]), as_registered);
    // An update before the registration is about an earlier one.
    assert_eq!(row(&[update(4, json!({"priority": 9}))]), as_registered);
    let updates = [update(7, json!({"priority": 7, "tags": []})), update(6, json!({"priority": 6, "weight": 0.5}))];
    assert_eq!(row(&updates), (7, "0.5".to_owned(), String::new()));
    for (metadata, path) in [
        (json!({}), "/payload/metadata"),
        (json!({"side_effects": "pure"}), "/payload/metadata/side_effects"),
        (json!({"owner": "x"}), "/payload/metadata/owner"),
        (json!({"priority": 1.5}), "/payload/metadata/priority"),
    ] {
        assert_eq!(verdict(&Arc::default(), &update(6, metadata)), format!("payload {path}"));
    }
}

#[test]
fn decision_3_a_deprecation_is_final_and_of_all_versions_covers_earlier_ones() {
    let events = [
        registered("a", 1, COUNT, "1.0.0", json!({})),
        deprecated("a", 2, COUNT, Some("1.0.0")),
        registered("a", 3, COUNT, "1.1.0", json!({})),
        deprecated("a", 4, COUNT, None),
        registered("a", 5, COUNT, "1.0.0", json!({})),
        registered("a", 6, COUNT, "1.2.0", json!({})),
        deprecated("a", 7, COUNT, Some("1.0.0")),
    ];
    let rows = registry(&events).view().find(&Query::All);
    let marks: Vec<_> = rows
        .into_iter()
        .map(|row| (row.version, row.deprecated.map(|mark| (mark.event_id, format!("{:?}", mark.scope)))))
        .collect();
    let mark = |time: u64, scope: &str| Some((id(time), scope.to_owned()));
    let expected = [("1.2.0", None), ("1.1.0", mark(4, "All")), ("1.0.0", mark(2, "Version"))];
    assert_eq!(marks, expected.map(|(version, mark)| (version.to_owned(), mark)));
}

#[test]
fn decision_4_monitors_speak_for_agents_within_their_window() {
    let config = config(&json!({"monitors": ["always", {"agent": "sometimes", "from": id(10), "until": id(20)}]}));
    let report =
        |agent: &str, time: u64, kind: EventType, payload: Value| verdict(&config, &event(agent, time, kind, payload));
    let another = json!({"agent_id": "a"});
    let refused = "producer /payload/agent_id";
    for (agent, time, expected) in [
        ("always", 1, "valid"),
        ("sometimes", 9, refused),
        ("sometimes", 10, "valid"),
        ("sometimes", 19, "valid"),
        ("sometimes", 20, refused),
        ("a2", 15, refused),
    ] {
        assert_eq!(report(agent, time, EventType::Unavailable, another.clone()), expected, "{agent} {time}");
        assert_eq!(report(agent, time, EventType::Heartbeat, another.clone()), refused, "{agent} {time}");
        let failed = json!({"agent_id": "a", "invocation_id": "x", "reason": "timeout"});
        assert_eq!(report(agent, time, EventType::Failed, failed), expected, "{agent} {time}");
    }
    // An agent may always name itself.
    assert_eq!(report("a", 1, EventType::Unavailable, another), "valid");
}

#[test]
fn decision_5_versions_of_payloads() {
    let with = |version: &str| {
        verdict(&Arc::default(), &changed(&health("a", 1, EventType::Heartbeat), "/event_version", version.into()))
    };
    for version in ["1.0.0", "1.99.3", "1.0.0-rc.1", "1.0.0+build"] {
        assert_eq!(with(version), "valid");
    }
    for version in ["0.9.0", "2.0.0"] {
        assert_eq!(with(version), "event-version /event_version");
    }
    for version in ["1", "1.0", "x", ""] {
        assert_eq!(with(version), "envelope /event_version");
    }
}

#[test]
fn decision_5_each_invalid_content_is_answered_once_and_notices_never() {
    let mut followed = Followed::new(&json!({}));
    let invalid = event("a", 1, EventType::Registered, json!({"capability_id": "x", "version": 1}));
    let notice = followed.answer(&invalid);
    assert_eq!(notice.event_type(), Some(EventType::ValidationFailed));
    let payload = json!({
        "original_event_id": id(1),
        "original_hash": invalid.hash().to_string(),
        "failure_reason": "payload",
        "validation_trace": ["/payload/capability_id", "/payload/version"],
    });
    assert_eq!(notice.payload(), &payload);
    assert_eq!(followed.append(&invalid), []);
    // Another content of the same identity is another invalid event.
    let other = changed(&invalid, "/payload/version", 2.into());
    assert_ne!(followed.answer(&other).id(), notice.id());
    let invalid_notice = event("a", 2, EventType::ValidationFailed, json!({}));
    assert_eq!(followed.append(&invalid_notice), []);
    assert_eq!(followed.append(&Event::new(json!({"event_type": "system.event.validation_failed"}))), []);
}

#[test]
fn decision_8_ranges_compare_by_precedence() {
    let versions =
        ["2.0.0-rc.1", "2.0.0-alpha.beta", "2.0.0-alpha.1", "2.0.0-alpha", "2.0.0-11", "2.0.0-2", "1.10.0", "1.9.0"];
    let events: Vec<Event> =
        versions.iter().zip(1..).map(|(version, time)| registered("a", time, COUNT, version, json!({}))).collect();
    let mut registry = registry(&events);
    let mut within = |range: &str| {
        let range = range.parse().unwrap();
        let rows = registry.view().find(&Query::Id { id: COUNT, range: Some(&range) });
        rows.into_iter().map(|row| row.version).collect::<Vec<_>>()
    };
    assert_eq!(within(">=0.0.0"), versions);
    assert_eq!(within("<2.0.0"), versions);
    assert_eq!(within(">=2.0.0-2 <2.0.0-alpha"), ["2.0.0-11", "2.0.0-2"]);
    assert_eq!(within("2.0.0-alpha.1"), ["2.0.0-alpha.1"]);
}

#[test]
fn decision_9_weights_are_compared_by_value() {
    // In descending order; some are equal as binary64.
    let weights = [
        json!(1e300),
        json!(18_446_744_073_709_551_616_f64),
        json!(u64::MAX),
        json!(u64::MAX - 1),
        json!(9_007_199_254_740_993_u64),
        json!(9_007_199_254_740_992_u64),
        json!(1.5),
        json!(1),
        json!(0.5),
        json!(0),
        json!(-0.5),
        json!(-1),
        json!(i64::MIN + 1),
        json!(i64::MIN),
        json!(-1e300),
    ];
    let count = weights.len();
    let event = |(at, weight): (usize, &Value)| {
        registered(&format!("{at:02}"), (count - at) as u64, COUNT, "1.0.0", json!({"weight": weight}))
    };
    let events: Vec<Event> = weights.iter().enumerate().map(event).collect();
    let (_, explanation) =
        registry(&events).view().explain(COUNT, &"1.0.0".parse().unwrap(), &Default::default(), None);
    let agents: Vec<String> = explanation.ranking.into_iter().map(|row| row.agent).collect();
    assert_eq!(agents, (0..count).map(|at| format!("{at:02}")).collect::<Vec<_>>());
}

#[test]
fn decision_9_priorities_are_capped_by_the_configuration() {
    let config = config(&json!({"priority_cap": {"greedy": 1, "low": -2}}));
    let events = [
        registered("greedy", 1, COUNT, "1.0.0", json!({"priority": 1_000_000})),
        registered("low", 2, COUNT, "1.0.0", json!({})),
        registered("fair", 3, COUNT, "1.0.0", json!({"priority": 2})),
        updated("greedy", 4, COUNT, "1.0.0", json!({"priority": 9_007_199_254_740_991_i64})),
    ];
    let mut registry = fold_under(&config, &events).into_registry();
    assert_eq!(target(&mut registry, COUNT, "1.0.0", &Default::default()), "fair 1.0.0");
    let priorities: Vec<i64> = registry.view().find(&Query::All).iter().map(|row| row.priority).collect();
    assert_eq!(priorities, [2, 1, -2]);
}

#[test]
fn decision_9_an_explanation_has_the_same_bytes_for_the_same_state_and_question() {
    let events = [
        registered("a", 1, COUNT, "1.0.0", json!({"required_roles": ["r"]})),
        registered("b", 2, COUNT, "1.0.0", json!({})),
        health("b", 3, EventType::Heartbeat),
    ];
    let requirement: Requirement = "1.0.0".parse().unwrap();
    let hash = |events: &[Event]| {
        let mut registry = registry(events);
        registry.view().explain(COUNT, &requirement, &Default::default(), Some("me")).1.hash()
    };
    let [a, b, c] = events.clone();
    assert_eq!(hash(&events), hash(&[c, a, b]));
    // Requests do not change the state that is explained; facts about the registry do.
    let with = |event: Event| hash(&[&events[..], &[event]].concat());
    assert_eq!(with(requested("c", 4, COUNT, "1.0.0", Value::Null)), hash(&events));
    assert_ne!(with(health("b", 4, EventType::Heartbeat)), hash(&events));
}

#[test]
fn decision_10_two_kernels_emit_the_same_bytes() {
    let key = || SigningKey::from_base64("k", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=").unwrap();
    let config = config(&json!({"keys": {KERNEL: {"k": key().public_key()}}}));
    let log = [
        registered("a", 1, COUNT, "1.0.0", json!({})),
        requested("b", 2, COUNT, "1.0.0", json!({"n": 1})),
        requested("b", 3, "core.text.sort", "1.0.0", Value::Null),
        event("b", 4, EventType::Registered, json!([])),
    ];
    let emitted = || {
        let mut kernel = Kernel::new(Checker::new(config.clone()).into(), Some(key()));
        log.iter().flat_map(|event| kernel.step(event)).collect::<Vec<Event>>()
    };
    let first = emitted();
    assert_eq!(first.len(), 3);
    assert_eq!(emitted(), first);
    for event in &first {
        assert!(event.id().is_some_and(EventId::is_derived));
        assert_eq!(verdict(&config, event), "valid");
    }
}

#[test]
fn decision_10_the_order_of_the_log_determines_the_state_that_a_request_sees() {
    let registration = registered("a", 1, COUNT, "1.0.0", json!({}));
    let request = requested("b", 2, COUNT, "1.0.0", Value::Null);
    let outcome = |log: &[&Event]| {
        let mut followed = Followed::new(&json!({}));
        let answers: Vec<Event> = log.iter().flat_map(|event| followed.append(event)).collect();
        answers.into_iter().map(|answer| (answer.id(), answer.event_type().unwrap())).next().unwrap()
    };
    let (before, after) = (outcome(&[&registration, &request]), outcome(&[&request, &registration]));
    assert_eq!((before.1, after.1), (EventType::Invoked, EventType::Unresolved));
    // Both have one id, so that a log keeps one of them.
    assert_eq!(before.0, after.0);
}

#[test]
fn decision_10_the_least_terminal_of_the_target_counts() {
    let mut followed = Followed::new(&json!({"monitors": ["monitor"]}));
    followed.append(&registered("a", 1, COUNT, "1.0.0", json!({})));
    let invocation = followed.answer(&requested("b", 2, COUNT, "1.0.0", Value::Null)).id().unwrap().to_string();
    let timeout = json!({"invocation_id": invocation, "agent_id": "a", "reason": "timeout"});
    followed.append(&event("monitor", 9, EventType::Failed, timeout));
    followed.append(&completed("a", 8, &invocation, json!(1)));
    followed.append(&completed("a", 10, &invocation, json!(2)));
    let ended = followed.kernel.registry().view().invocations().remove(0);
    assert_eq!((ended.terminal, ended.reason), (Some(id(8)), None));
}

#[test]
fn decision_15_an_event_is_signed_with_a_key_that_is_valid_for_its_id() {
    let (one, two) = (key("one"), key("two"));
    let keys = json!({
        "one": {"key": one.public_key(), "from": id(10), "until": id(20)},
        "two": {"key": two.public_key(), "from": id(15)},
    });
    let config = config(&json!({"keys": {"a": keys}}));
    let check = |event: &Event| verdict(&config, event);
    let at = |time: u64| health("a", time, EventType::Heartbeat);
    let refused = "signature /signature";
    for (time, unsigned, by_one, by_two) in [
        (9, "valid", refused, refused),
        (10, refused, "valid", refused),
        (15, refused, "valid", "valid"),
        (20, refused, refused, "valid"),
    ] {
        assert_eq!(check(&at(time)), unsigned, "{time}");
        assert_eq!(check(&one.sign(&at(time))), by_one, "{time}");
        assert_eq!(check(&two.sign(&at(time))), by_two, "{time}");
    }
    let signed = one.sign(&at(12));
    for (pointer, value) in [
        ("/payload/reason", json!("changed")),
        ("/timestamp", json!("2026-02-02T02:40:00.001Z")),
        ("/signature/public_key_id", json!("two")),
        ("/signature/algorithm", json!("none")),
        ("/signature/signature", json!("AAAA")),
    ] {
        assert_eq!(check(&changed(&signed, pointer, value)), refused, "{pointer}");
    }
    // A null that the hash does not cover, and other spellings of the algorithm.
    assert_eq!(check(&changed(&signed, "/ttl_ms", Value::Null)), "valid");
    assert_eq!(check(&changed(&signed, "/signature/algorithm", "ED25519".into())), "valid");
    // A signature of an agent without keys is invalid.
    assert_eq!(check(&one.sign(&health("b", 12, EventType::Heartbeat))), refused);
}

#[test]
fn decision_3_facts_about_unregistered_subjects_wait_for_the_registration() {
    let waiting = [updated("a", 5, COUNT, "1.0.0", json!({"priority": 4})), deprecated("a", 6, COUNT, Some("1.0.0"))];
    let mut registry = registry(&waiting);
    assert_eq!(found(&mut registry, &Query::All), [""; 0]);
    let config = Arc::new(Configuration::default());
    let late = fold_under(&config, [&registered("a", 1, COUNT, "1.0.0", json!({}))]).into_registry();
    registry.merge(late.state()).unwrap();
    let row = registry.view().find(&Query::All).remove(0);
    assert_eq!((row.priority, row.deprecated.is_some()), (4, true));
    assert_eq!(FoldReport::of(&mut registry).view().overview().registrations, [row]);
}

#[test]
fn decision_2_ids_are_of_version_7_except_those_of_the_kernel() {
    let with = |agent: &str, id: &str| {
        let mut event = value(agent, 1, EventType::Heartbeat, json!({}));
        event["event_id"] = id.into();
        verdict(&Arc::default(), &Event::new(event))
    };
    let seven = EventId::at(START, 5).to_string();
    assert_eq!(with("a", &seven), "valid");
    for id in [
        seven.replacen("-7", "-8", 1),
        seven.replacen("-7", "-4", 1),
        seven.to_uppercase(),
        seven.replace('-', ""),
        format!("{{{seven}}}"),
        format!("urn:uuid:{seven}"),
        String::new(),
    ] {
        assert_eq!(with("a", &id), "envelope /event_id", "{id}");
    }
    assert_eq!(with(KERNEL, &seven), "envelope /event_id");
}

#[test]
fn decision_10_a_kernel_answers_the_input_of_the_chosen_contract_only() {
    // The best target is chosen first; its contract decides, even if another target would accept the input.
    let mut followed = Followed::new(&json!({}));
    let strict = json!({"capability_id": COUNT, "version": "1.0.0", "input_schema": {"type": "null"}, "metadata": {"priority": 1}});
    followed.append(&event("strict", 1, EventType::Registered, strict));
    followed.append(&registered("open", 2, COUNT, "1.0.0", json!({})));
    let answer = followed.answer(&requested("b", 3, COUNT, "1.0.0", json!(7)));
    assert_eq!(field(&answer, "reason"), "schema-violation");
}
