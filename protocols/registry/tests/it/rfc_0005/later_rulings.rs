//! Decision 15 and the rulings 11 to 15, as far as they concern the core. `logs::kernel` has those of logs, and
//! `capgen-cli` those of commands.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use capgen_registry::{Checker, Event, EventType, Kernel, canonical, hash_of};
use ed25519_dalek::{Signer as _, SigningKey};
use serde_json::{Value, json};

use crate::rfc_0005::COUNT;
use crate::support::{
    Followed, KERNEL, completed, config, event, field, health, key, registered, requested, value, verdict,
};

#[test]
fn decision_15_a_signature_covers_the_canonical_text_and_not_its_hash() {
    // Computed with Ed25519 alone, as another implementation does.
    let own = SigningKey::from_bytes(&[9; 32]);
    let public = STANDARD.encode(own.verifying_key().as_bytes());
    let config = config(&json!({"keys": {"a": {"k": public}}}));
    let mut unsigned = value("a", 1, EventType::Heartbeat, json!({"reason": "é\n", "n": 1.0}));
    unsigned["unknown"] = json!([null]);
    let text = canonical(&unsigned);
    let signed = |covered: &[u8]| {
        let mut signed = unsigned.clone();
        // Nulls that the text does not have.
        signed["ttl_ms"] = Value::Null;
        signed["trace"]["parent_span_id"] = Value::Null;
        let signature = STANDARD.encode(own.sign(covered).to_bytes());
        signed["signature"] = json!({"algorithm": "Ed25519", "public_key_id": "k", "signature": signature});
        Event::new(signed)
    };
    assert_eq!(verdict(&config, &signed(text.as_bytes())), "valid");
    assert_eq!(signed(text.as_bytes()).content(), text);
    assert_eq!(signed(text.as_bytes()).hash(), hash_of(&unsigned));
    let hash = hash_of(&unsigned);
    for wrong in
        [hash.as_bytes().as_slice(), hash.to_string().as_bytes(), unsigned.to_string().replace(',', ", ").as_bytes()]
    {
        assert_eq!(verdict(&config, &signed(wrong)), "signature /signature");
    }
    // What capgen signs is the same.
    let by_capgen = capgen_registry::SigningKey::from_base64("k", &STANDARD.encode([9; 32])).unwrap();
    let expected = signed(text.as_bytes()).value()["signature"].clone();
    assert_eq!(by_capgen.sign(&Event::new(unsigned.clone())).value()["signature"], expected);
}

/// A kernel under a configuration with its key, and the answer that it gives to a request.
fn signing_kernel() -> (impl Fn() -> Kernel, Event, Event) {
    let key = key("kernel");
    let config = config(&json!({"keys": {KERNEL: {"kernel": key.public_key()}}}));
    let kernel = move || Kernel::new(Checker::new(config.clone()).into(), Some(key.clone()));
    let request = requested("caller", 2, COUNT, "1.0.0", Value::Null);
    let answer = kernel().step(&request).remove(0);
    (kernel, request, answer)
}

#[test]
fn ruling_11_a_derived_id_is_present_only_with_a_valid_signature() {
    let (kernel, request, answer) = signing_kernel();
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut value = answer.value().clone();
        change(&mut value);
        Event::new(value)
    };
    let unsigned = changed(&|value| value["signature"] = Value::Null);
    let forged = changed(&|value| value["signature"]["signature"] = STANDARD.encode([1; 64]).into());
    let of_unknown_type = changed(&|value| {
        value["event_type"] = "kernel.moved".into();
        value["signature"] = Value::Null;
    });
    for absent in [unsigned, forged, of_unknown_type] {
        let mut kernel = kernel();
        kernel.note(&absent);
        assert_eq!(kernel.step(&request), std::slice::from_ref(&answer), "{}", absent.text());
    }
    // With a valid signature, it is, whatever the event says.
    let moved = changed(&|value| value["event_type"] = "kernel.moved".into());
    for present in [answer.clone(), key("kernel").sign(&moved)] {
        let mut kernel = kernel();
        kernel.note(&present);
        assert_eq!(kernel.step(&request), [], "{}", present.text());
    }
}

#[test]
fn ruling_12_a_contract_path_leads_to_the_keyword_the_item_or_the_member() {
    let schema = |schema: Value| {
        let payload = json!({"capability_id": COUNT, "version": "1.0.0", "output_schema": schema});
        verdict(&Arc::default(), &event("a", 1, EventType::Registered, payload))
    };
    for (wrong, path) in [
        // A keyword.
        (json!({"type": "text"}), "/type"),
        (json!({"minLength": -1}), "/minLength"),
        (json!({"pattern": "("}), "/pattern"),
        (json!({"required": "a"}), "/required"),
        (json!({"properties": []}), "/properties"),
        (json!({"enum": {}}), "/enum"),
        (json!({"oneOf": []}), "/oneOf"),
        (json!({"$ref": "#/definitions/missing"}), "/$ref"),
        (json!({"nullable": true}), "/nullable"),
        (json!({"x": {"$id": "y"}}), "/x"),
        (json!({"properties": {"a/b": {"items": {"maximum": "1"}}}}), "/properties/a~1b/items/maximum"),
        (json!({"$ref": "#/definitions/a", "definitions": {"a": {"$ref": "#/definitions/a"}}}), "/definitions/a/$ref"),
        // An item of a list.
        (json!({"type": ["string", "text"]}), "/type/1"),
        (json!({"type": ["string", "string"]}), "/type/1"),
        (json!({"required": ["a", 1]}), "/required/1"),
        (json!({"required": ["a", "b", "a"]}), "/required/2"),
        // A member that is not a schema.
        (json!({"properties": {"a": 5}}), "/properties/a"),
        (json!({"definitions": {"a": []}}), "/definitions/a"),
        (json!({"anyOf": [true, null]}), "/anyOf/1"),
        (json!({"items": "string"}), "/items"),
        (json!({"additionalProperties": 1}), "/additionalProperties"),
        (json!({"propertyNames": []}), "/propertyNames"),
        (json!({"not": null}), "/not"),
        (json!(5), ""),
        (Value::Null, ""),
    ] {
        assert_eq!(schema(wrong.clone()), format!("contract /payload/output_schema{path}"), "{wrong}");
    }
}

#[test]
fn ruling_13_more_than_128_levels_are_not_json() {
    let nested = |levels: usize| {
        // The event and the payload are two of them.
        let inner = format!("{}{}", "[".repeat(levels - 2), "]".repeat(levels - 2));
        let text = value("a", 1, EventType::Heartbeat, json!({"x": "HERE"})).to_string();
        Event::parse(text.replace("\"HERE\"", &inner).as_bytes())
    };
    assert_eq!(nested(128).map(|event| verdict(&Arc::default(), &event)), Ok("valid".to_owned()));
    assert!(nested(129).is_err());
    // Also in canonical form with a member that is not usual, and for a value that is not an object.
    assert!(Event::parse("[".repeat(128).as_bytes()).is_err());
    assert!(Event::parse(format!("{}{}", "[".repeat(128), "]".repeat(128)).as_bytes()).is_ok());
    assert!(Event::parse(format!("{}{}", "[".repeat(129), "]".repeat(129)).as_bytes()).is_err());
}

#[test]
fn ruling_13_emitted_events_have_no_nullable_member_that_is_null() {
    let mut followed = Followed::new(&json!({}));
    followed.append(&registered("a", 1, COUNT, "1.0.0", json!({})));
    let mut request = requested("c", 2, COUNT, "1.0.0", Value::Null).value().clone();
    for name in ["causation_id", "correlation_id", "idempotency_key", "partition_key", "ttl_ms", "signature"] {
        request[name] = Value::Null;
    }
    request["trace"]["parent_span_id"] = Value::Null;
    let invoked = followed.answer(&Event::new(request));
    let unresolved = followed.answer(&requested("c", 3, "core.text.none", "1.0.0", Value::Null));
    let notice = followed.answer(&event("c", 4, EventType::Heartbeat, json!({"reason": 1})));
    let unreadable = followed.answer(&Event::new(json!({"event_id": null, "signature": null})));
    let names = |event: &Event| event.value().as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    let with_cause =
        "causation_id event_id event_type event_version metadata payload producer spec_version timestamp trace";
    for emitted in [&invoked, &unresolved, &notice] {
        let mut sorted: Vec<_> = names(emitted).split(' ').map(str::to_owned).collect();
        sorted.sort();
        assert_eq!(sorted.join(" "), with_cause);
        assert_eq!(emitted.value()["trace"].as_object().unwrap().len(), 4);
    }
    let text = unreadable.text();
    assert!(
        !text.contains("causation_id") && !text.contains("parent_span_id") && !text.contains("signature"),
        "{text}"
    );
}

#[test]
fn ruling_13_a_derived_id_uses_the_string_at_producer_agent_id() {
    let derived = |agent: Value, id: Value, hash: String| {
        let hash = hash_of(&json!([agent, id, "notice", hash])).to_string();
        let variant = u8::from_str_radix(&hash[16..18], 16).unwrap() & 0x3f | 0x80;
        format!("{}-{}-8{}-{variant:02x}{}-{}", &hash[..8], &hash[8..12], &hash[13..16], &hash[18..20], &hash[20..32])
    };
    for (producer, agent) in [
        (json!({"agent_id": "a"}), json!("a")),
        (json!({"agent_id": ""}), json!("")),
        (json!({"agent_id": "x".repeat(300)}), json!("x".repeat(300))),
        (json!({"agent_id": 7}), Value::Null),
        (json!({"agent_id": null}), Value::Null),
        (json!("a"), Value::Null),
        (json!(["a"]), Value::Null),
        (Value::Null, Value::Null),
    ] {
        let mut cause = value("a", 1, EventType::Heartbeat, json!({"reason": 1}));
        cause["producer"] = producer.clone();
        let cause = Event::new(cause);
        let notice = Followed::new(&json!({})).answer(&cause);
        let id = cause.value()["event_id"].clone();
        let expected = derived(agent, id, cause.hash().to_string());
        assert_eq!(notice.value()["event_id"], expected, "{producer}");
    }
}

/// The answer to a request of `caller`, which has the role `r`, for version 2, and the answer of a registry that has
/// only the registrations which the caller may use.
fn answers(hidden: &[Event], usable: &[Event]) -> (Event, Event) {
    let answer = |events: &[&[Event]]| {
        let mut followed = Followed::new(&json!({"grants": {"caller": {"roles": ["r"]}}}));
        events.iter().flat_map(|events| events.iter()).for_each(|event| drop(followed.append(event)));
        let answer = followed.answer(&requested("caller", 50, COUNT, "2.0.0", Value::Null));
        let registry_hash = followed.kernel.registry().view().registry_hash();
        let question =
            json!({"capability": COUNT, "requirement": "2.0.0", "roles": ["r"], "scopes": [], "caller": "caller"});
        let reduced = json!({"question": question, "reason": field(&answer, "reason"), "registry_hash": registry_hash});
        assert_eq!(field(&answer, "resolution_hash"), hash_of(&reduced).to_string());
        answer
    };
    (answer(&[hidden, usable]), answer(&[usable]))
}

#[test]
fn ruling_14_a_failure_depends_only_on_registrations_that_the_caller_may_use() {
    let secret = || json!({"required_roles": ["admin"]});
    let own = || json!({"required_roles": ["r"]});
    let old_hidden = [registered("h", 1, COUNT, "1.0.0", secret())];
    let hidden = [registered("h", 1, COUNT, "2.0.0", secret())];
    let sick_hidden = [registered("h", 1, COUNT, "2.0.0", secret()), health("h", 2, EventType::Unavailable)];
    let old = [registered("u", 3, COUNT, "1.0.0", own())];
    let sick = [registered("u", 3, COUNT, "2.0.0", own()), health("u", 4, EventType::Unavailable)];
    let old_and_sick =
        [&old[..], &[registered("v", 5, COUNT, "2.1.0", own()), health("v", 6, EventType::Unavailable)]].concat();
    for hidden in [&[][..], &old_hidden, &hidden, &sick_hidden] {
        for (usable, reason) in [
            (&[][..], "not-found"),
            (&old[..], "no-compatible-version"),
            (&sick[..], "unhealthy"),
            (&old_and_sick[..], "unhealthy"),
        ] {
            let (with, without) = answers(hidden, usable);
            assert_eq!((field(&with, "reason"), field(&without, "reason")), (reason, reason));
        }
    }
}

#[test]
fn ruling_14_a_target_has_the_hash_of_its_whole_explanation() {
    let mut followed = Followed::new(&json!({}));
    followed.append(&registered("h", 1, COUNT, "1.0.0", json!({"required_roles": ["admin"]})));
    followed.append(&registered("a", 2, COUNT, "1.0.0", json!({})));
    let answer = followed.answer(&requested("c", 3, COUNT, "1.0.0", Value::Null));
    let view = followed.kernel.registry().view();
    let (_, explanation) = view.explain(COUNT, &"1.0.0".parse().unwrap(), &Default::default(), Some("c"));
    assert_eq!(field(&answer, "resolution_hash"), explanation.hash());
    // A valid completion has no answer.
    let invocation = answer.id().unwrap().to_string();
    assert_eq!(followed.append(&completed("a", 4, &invocation, json!(1))), []);
}
