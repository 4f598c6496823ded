//! Attacks on the registry: forged and replayed events, and input that is meant to cost much memory or time.
//!
//! The attack by many events of one agent has a long run, in which they are a million:
//!
//! ```sh
//! CAPGEN_REGISTRY_EVENTS=1000000 cargo test --release -p capgen-registry --test it security:: -- --nocapture
//! ```
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

use std::sync::Arc;

use crate::support::{
    Followed, KERNEL, START, config, deprecated, event, field, fold_under, health, id, key, registered, registry,
    requested, target, updated, value, verdict,
};
use allocation_counter::measure;
use capgen_registry::{
    Access, Checked, Checker, Configuration, Event, EventId, EventType, Fold, Kernel, Query, Registry, State, canonical,
};
use serde_json::{Value, json};

const COUNT: &str = "core.text.count";

/// The peak of the memory for reading and checking a text, in bytes, and the verdict.
fn cost(text: &[u8]) -> (u64, String) {
    let config = Arc::new(Configuration::default());
    // The validators are compiled once.
    verdict(&config, &registered("a", 1, COUNT, "1.0.0", json!({})));
    let mut result = String::new();
    let info = measure(|| match Event::parse(text) {
        Ok(event) => result = verdict(&config, &event),
        Err(error) => result = error.to_string(),
    });
    (info.bytes_max, result)
}

/// The text of a heartbeat whose payload contains a value.
fn with_payload(text: &str) -> Vec<u8> {
    let event = value("a", 1, EventType::Heartbeat, json!({"agent_id": "a", "unknown": "HERE"}));
    canonical(&event).replace("\"HERE\"", text).into_bytes()
}

const TEN_MEGABYTES: usize = 10 << 20;

#[test]
fn a_payload_of_10_mb_is_rejected_in_bounded_memory() {
    let members: String = (0..TEN_MEGABYTES / 12).map(|n| format!("\"{n:07}\":1,")).collect();
    for text in [
        format!("\"{}\"", "x".repeat(TEN_MEGABYTES)),
        format!("\"{}\"", "\\u0000".repeat(TEN_MEGABYTES / 6)),
        format!("[{}0]", "[],".repeat(TEN_MEGABYTES / 3)),
        format!("{{{members}\"z\":1}}"),
    ] {
        let text = with_payload(&text);
        let (most, verdict) = cost(&text);
        assert_eq!(verdict, "envelope ");
        // Text in canonical form is read without a tree.
        assert!(most < 4 * text.len() as u64, "{most} bytes");
    }
}

#[test]
fn a_payload_of_10_mb_in_another_form_is_rejected_in_bounded_memory() {
    for text in [format!("\"{}\"", "x".repeat(TEN_MEGABYTES)), format!("[{}0]", "0,".repeat(TEN_MEGABYTES / 2))] {
        // The space makes it another form.
        let text = [b" ", &*with_payload(&text)].concat();
        let (most, verdict) = cost(&text);
        assert_eq!(verdict, "envelope ");
        // A value of serde_json has 32 bytes, or 72 if a crate of the build enables its feature `preserve_order`, and a
        // growing list needs up to three times the memory of its values.
        assert!(most < 128 * text.len() as u64, "{most} bytes");
    }
}

#[test]
fn the_answer_to_a_large_event_is_small() {
    let large = Event::parse(&with_payload(&format!("\"{}\"", "x".repeat(TEN_MEGABYTES)))).unwrap();
    let mut followed = Followed::new(&json!({}));
    let notice = followed.answer(&large);
    assert!(notice.text().len() < 1000, "{}", notice.text());
    assert_eq!(notice.payload()["validation_trace"], json!([""]));
    assert_eq!(followed.kernel.registry().state().to_json(), State::new(Configuration::default().hash()).to_json());
}

#[test]
fn deep_nesting_is_rejected_or_survived() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        for depth in [100, 126, 127, 129, 1_000_000] {
            let text = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            // The payload is in two objects.
            let result = cost(&with_payload(&text)).1;
            assert_eq!(result == "valid", depth <= 126, "{depth}: {result}");
            cost(format!("{}{}", open.repeat(depth), close.repeat(depth)).as_bytes());
        }
    }
    // A state is written and read with such a value in it.
    let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
    let registration = registered("a", 1, COUNT, "1.0.0", json!({"deep": deep}));
    let registry = registry(&[registration]);
    let state: Value = serde_json::from_str(&registry.state().to_json()).unwrap();
    assert!(State::parse(&state, registry.config(), None).is_ok());
}

#[test]
fn a_million_events_of_one_agent_change_nothing_for_others() {
    let count: u64 = std::env::var("CAPGEN_REGISTRY_EVENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(10_000);
    let mut fold = Fold::new(Arc::default());
    let others = [
        registered("other", 1, COUNT, "1.0.0", json!({"tags": ["x"]})),
        health("other", 2, EventType::Heartbeat),
        registered("flood", 3, COUNT, "2.0.0", json!({})),
    ];
    others.iter().for_each(|event| fold.event(event));
    let row = |fold: &mut Fold| {
        let rows = fold.registry().view().find(&Query::All);
        rows.into_iter().find(|row| row.agent == "other").unwrap()
    };
    let expected = row(&mut fold);
    let mut sizes = Vec::new();
    for number in 0..count {
        let time = 10 + number;
        fold.event(&match number % 8 {
            0 => updated("flood", time, COUNT, "2.0.0", json!({"priority": number, "weight": number})),
            1 => deprecated("flood", time, COUNT, None),
            2 => deprecated("flood", time, COUNT, Some("2.0.0")),
            3 => {
                let schema = json!({"const": number});
                let payload = json!({"capability_id": COUNT, "version": "2.0.0", "input_schema": schema});
                event("flood", time, EventType::Registered, payload)
            }
            4 => health("flood", time, EventType::Unavailable),
            _ => health("flood", time, EventType::Heartbeat),
        });
        if number + 1 == count / 10 || number + 1 == count {
            sizes.push(fold.registry().state().to_json().len());
        }
    }
    // Only the digits of the numbers grow.
    assert!(sizes[1] < sizes[0] + 100, "{sizes:?}");
    assert_eq!(row(&mut fold), expected);
    assert_eq!(fold.invalid(), []);
    println!("{count} events, a state of {} bytes", sizes[1]);
}

#[test]
fn replayed_events_change_nothing() {
    let key = key("one");
    let json = json!({"keys": {"a": {"one": key.public_key()}}});
    let mut followed = Followed::new(&json);
    let events = [
        key.sign(&registered("a", 1, COUNT, "1.0.0", json!({}))),
        key.sign(&health("a", 2, EventType::Unavailable)),
        key.sign(&health("a", 3, EventType::Recovered)),
        requested("b", 4, COUNT, "1.0.0", Value::Null),
    ];
    events.iter().for_each(|event| drop(followed.append(event)));
    let expected = followed.kernel.registry().state().to_json();
    // An old report of the agent, signed by it, is replayed after it has recovered.
    for event in events.iter().rev().chain(&events) {
        assert_eq!(followed.append(event), []);
    }
    assert_eq!(followed.kernel.registry().state().to_json(), expected);
    // It cannot be given another id or another producer.
    for (pointer, change) in [("/event_id", id(9)), ("/producer/agent_id", "b".into())] {
        let mut changed = events[1].value().clone();
        *changed.pointer_mut(pointer).unwrap() = change.into();
        assert_eq!(verdict(&config(&json), &Event::new(changed)), "signature /signature");
    }
}

#[test]
fn forged_producers_are_rejected() {
    let (own, stolen) = (key("victim"), key("attacker"));
    let json = json!({"keys": {"victim": {"k": own.public_key()}, "attacker": {"attacker": stolen.public_key()}}});
    let config = config(&json);
    let capability = json!({"capability_id": COUNT, "version": "1.0.0", "metadata": {"priority": 1}});
    let call = json!({"capability_id": COUNT, "requirement": "1.0.0", "input": null});
    let end = json!({"invocation_id": id(1), "output": null, "reason": "timeout"});
    for (kind, payload) in [
        (EventType::Registered, &capability),
        (EventType::Updated, &capability),
        (EventType::Deprecated, &capability),
        (EventType::Heartbeat, &json!({})),
        (EventType::Recovered, &json!({})),
        (EventType::Unavailable, &json!({})),
        (EventType::Requested, &call),
        (EventType::Completed, &end),
        (EventType::Failed, &end),
    ] {
        let unsigned = event("victim", 1, kind, payload.clone());
        let mut renamed = stolen.sign(&unsigned).value().clone();
        renamed["signature"]["public_key_id"] = "k".into();
        let own_signature = key("k").sign(&unsigned).value()["signature"].clone();
        let mut foreign = unsigned.value().clone();
        foreign["signature"] = own_signature;
        for forged in [unsigned.clone(), stolen.sign(&unsigned), Event::new(renamed), Event::new(foreign)] {
            let mut fold = fold_under(&config, [&forged]);
            assert_eq!(fold.invalid()[0].reason, "signature", "{kind:?}");
            assert_eq!(fold.registry().state().to_json(), State::new(config.hash()).to_json());
        }
    }
    // The kernel's events, by others.
    let forged = stolen.sign(&event(KERNEL, 1, EventType::ValidationFailed, json!({})));
    assert_eq!(verdict(&config, &forged), "signature /signature");
}

#[test]
fn hostile_schemas_are_rejected_or_cost_little() {
    let nested = |open: &str, inner: &str, close: &str, depth: usize| {
        let text = format!("{}{inner}{}", open.repeat(depth), close.repeat(depth));
        capgen_schema::parse_payload(text.as_bytes()).unwrap_or_default()
    };
    let long = "a".repeat(100_000);
    let schemas = [
        json!({"type": "string", "pattern": "^(a+)+$"}),
        json!({"type": "string", "pattern": "(a|aa|a?)*b"}),
        json!({"type": "string", "pattern": "((a{1000}){1000}){1000}"}),
        json!({"type": "string", "pattern": "(".repeat(50_000)}),
        json!({"type": "string", "pattern": format!("{}{}", "(".repeat(10_000), ")".repeat(10_000))}),
        json!({"type": "string", "pattern": "a".repeat(200_000)}),
        json!({"type": "string", "pattern": "(?=a)\\1"}),
        json!({"enum": (0..20_000).collect::<Vec<u32>>()}),
        json!({"type": "object", "required": (0..10_000).map(|n| format!("k{n}")).collect::<Vec<_>>()}),
        json!({"type": "array", "uniqueItems": true}),
        json!({"definitions": {"a": {"$ref": "#/definitions/a"}}, "$ref": "#/definitions/a"}),
        json!({"definitions": {"a": {"$ref": "#/definitions/b"}, "b": {"$ref": "#/definitions/a"}}, "$ref": "#/definitions/a"}),
        json!({"$ref": "https://example.com/schema.json"}),
        json!({"multipleOf": 1e-300}),
        json!({"minLength": 1e308, "maxItems": -1}),
        nested("{\"items\":", "true", "}", 100),
        nested("{\"oneOf\":[true,", "true", "]}", 60),
        doubling(60),
        branching("anyOf"),
        branching("oneOf"),
        branching("allOf"),
    ];
    let chain = (0..100).fold(json!(7), |inner, _| json!({"a": inner}));
    let inputs = [chain, json!(long), json!(vec![json!([1, 2]); 2_000]), json!({"a": long}), json!(7)];
    let mut followed = Followed::new(&json!({}));
    let config = Arc::new(Configuration::default());
    for (at, schema) in (1..).zip(schemas) {
        let capability = format!("hostile.schema{at}");
        let payload =
            json!({"capability_id": capability, "version": "1.0.0", "input_schema": schema, "output_schema": schema});
        let registration = event("a", at, EventType::Registered, payload);
        let result = verdict(&config, &registration);
        let is_limited = ["valid", "contract", "envelope"].iter().any(|expected| result.starts_with(expected));
        assert!(is_limited && result.len() < 9_000, "{at}: {result}");
        followed.append(&registration);
        for (input, time) in inputs.iter().zip(1..) {
            let answer = followed.answer(&requested("b", 1000 + at * 10 + time, &capability, "1.0.0", input.clone()));
            assert!(answer.event_type().is_some_and(EventType::is_of_kernel));
            assert_eq!(verdict(&config, &answer), "valid");
        }
    }
}

/// A recursive definition whose two branches both apply to each member of a chain: 2^depth ways to fail.
fn branching(keyword: &str) -> Value {
    let branch = |required: Value| json!({"type": "object", "properties": {"a": {"$ref": "#/definitions/d"}, "b": true}, "required": required});
    let definition = json!({keyword: [branch(json!(["a"])), branch(json!([]))]});
    json!({"definitions": {"d": definition}, "$ref": "#/definitions/d"})
}

/// Definitions that each refer to the next one twice: 2^depth paths lead to the last one.
fn doubling(depth: usize) -> Value {
    let reference = |n: usize| json!({"$ref": format!("#/definitions/d{n}")});
    let definition = |n: usize| (format!("d{n}"), json!({"anyOf": [reference(n + 1), reference(n + 1)]}));
    let mut definitions: serde_json::Map<String, Value> = (0..depth).map(definition).collect();
    definitions.insert(format!("d{depth}"), json!({"type": "null"}));
    json!({"definitions": definitions, "$ref": "#/definitions/d0"})
}

#[test]
fn hostile_properties_of_ranks_are_rejected_or_ordered() {
    let with =
        |name: &str, value: Value| verdict(&Arc::default(), &registered("a", 1, COUNT, "1.0.0", json!({name: value})));
    for priority in
        [json!(1e300), json!(9_007_199_254_740_992_u64), json!(1.5), json!("1"), json!(i64::MIN), Value::Null]
    {
        assert_eq!(with("priority", priority), "payload /payload/metadata/priority");
    }
    for weight in [json!("1"), json!([]), Value::Null, json!(true)] {
        assert_eq!(with("weight", weight), "payload /payload/metadata/weight");
    }
    let weights = [json!(1e308), json!(-1e308), json!(-0.0), json!(5e-324), json!(u64::MAX), json!(i64::MIN)];
    let events: Vec<Event> = (1..)
        .zip(weights)
        .map(|(at, weight)| registered(&format!("a{at}"), at, COUNT, "1.0.0", json!({"weight": weight})))
        .collect();
    assert_eq!(target(&mut registry(&events), COUNT, "1.0.0", &Access::default()), "a1 1.0.0");
    // Tokens that JSON does not have, and numbers beyond binary64.
    for token in ["NaN", "Infinity", "1e400", "-1e999", "0x10", "1_000", "+1", ".5"] {
        assert!(Event::parse(&with_payload(token)).is_err(), "{token}");
    }
}

#[test]
fn ids_in_the_far_future_concern_their_own_agent_alone() {
    let far = |mut event: Value| {
        event["event_id"] = EventId::at(u64::MAX, u128::MAX).to_string().into();
        Event::new(event)
    };
    let victim = [registered("victim", 1, COUNT, "1.0.0", json!({})), health("victim", 2, EventType::Heartbeat)];
    let attacks = [
        far(value("attacker", 0, EventType::Unavailable, json!({}))),
        far(value("attacker", 0, EventType::Deprecated, json!({"capability_id": COUNT}))),
        far(value("attacker", 0, EventType::Registered, json!({"capability_id": COUNT, "version": "1.0.0"}))),
    ];
    let mut registry = registry(&[&victim[..], &attacks].concat());
    assert_eq!(target(&mut registry, COUNT, "1.0.0", &Access::default()), "victim 1.0.0");
    // A state with such an id does not come in by a merge.
    let state = serde_json::from_str(&registry.state().to_json()).unwrap();
    assert!(State::parse(&state, registry.config(), None).is_ok());
    assert!(State::parse(&state, registry.config(), Some(START + 60_000)).is_err());
}

/// The answer of a kernel, without the parts that depend on the id of the request and on the name of the capability.
fn shape(answer: &Event, capability: &str) -> String {
    let mut value = answer.value().clone();
    for pointer in ["/event_id", "/causation_id", "/trace/span_id", "/payload/request_id", "/payload/resolution_hash"] {
        *value.pointer_mut(pointer).unwrap() = Value::Null;
    }
    value.to_string().replace(capability, "ID")
}

#[test]
fn callers_without_access_do_not_learn_what_exists() {
    let secret = json!({"required_roles": ["secret"]});
    let json = json!({"grants": {"spy": {"roles": ["reader"], "scopes": ["secret"]}}});
    let mut followed = Followed::new(&json);
    let typed = json!({
        "capability_id": "secret.of.type", "version": "1.0.0", "input_schema": {"type": "null"}, "metadata": secret,
    });
    for event in [
        registered("a", 1, "secret.of.role", "1.0.0", secret.clone()),
        registered("a", 2, "secret.of.scope", "1.0.0", json!({"required_scopes": ["more", "secret"]})),
        registered("b", 3, "secret.of.ill", "1.0.0", secret.clone()),
        health("b", 4, EventType::Unavailable),
        registered("a", 5, "secret.of.old", "1.0.0", secret),
        deprecated("a", 6, "secret.of.old", None),
        event("a", 7, EventType::Registered, typed),
    ] {
        assert_eq!(followed.append(&event), []);
    }
    let mut time = 100;
    for requirement in ["1.0.0", "=1.0.0", "2.0.0", ">=0.0.0"] {
        let mut ask = |capability: &str| {
            time += 1;
            let answer = followed.answer(&requested("spy", time, capability, requirement, json!({"n": 1})));
            assert_eq!(field(&answer, "reason"), "not-found");
            shape(&answer, capability)
        };
        let missing = ask("missing.of.all");
        for capability in ["secret.of.role", "secret.of.scope", "secret.of.ill", "secret.of.old", "secret.of.type"] {
            assert_eq!(ask(capability), missing);
        }
    }
}

#[test]
fn a_kernel_that_reads_arbitrary_values_answers_with_valid_events() {
    let values = [
        Value::Null,
        json!([]),
        json!({"event_type": "capability.requested"}),
        json!({"event_type": {"a": 1}, "event_id": 7, "producer": {"agent_id": [1]}}),
        json!({"event_id": id(1), "producer": {"agent_id": "x".repeat(100_000)}}),
        json!({"event_type": "capability.requested", "timestamp": "x".repeat(1000), "correlation_id": "y".repeat(1000)}),
        json!({"trace": {"trace_id": "z".repeat(1000), "depth": -1}}),
    ];
    let config = config(&json!({}));
    let mut kernel = Kernel::new(Checker::new(config.clone()).into(), None);
    for value in values {
        let answers = kernel.step(&Event::new(value));
        assert_eq!(answers.len(), 1);
        assert!(answers[0].text().len() < 1000);
        assert!(matches!(
            Checker::new(config.clone()).check(&answers[0]),
            Checked::Valid(EventType::ValidationFailed, _)
        ));
    }
    assert_eq!(kernel.registry().state().to_json(), Registry::new(config).state().to_json());
}
