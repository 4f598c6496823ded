//! The order of the checks of an invocation (section 7.2): the earliest step that fails decides about the answer.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeSet;

use crate::support;
use crate::support::{Fixture, catalogue, code, did, key, one_answer};
use capgen_amp::cbor::{Map, encode};
use capgen_amp::message::{Message, MessageType};
use serde_json::{Value, json};

/// Ways to fail one step each, in the order of the steps, with the code of the answer.
const FAULTS: [(&str, u64); 6] = [
    ("1: the shape of the body", 4001),
    ("2: the policy for the caller", 3001),
    ("3: the identity", 4002),
    // Denied versions are not candidates, so that step 5 finds none.
    ("4: the policy for the versions", 4003),
    ("5: the version", 4003),
    ("6: the input schema", 4004),
];

const POLICY: &str = r#"{"default": "allow", "rules": [
    {"caller": "did:web:example.com:denied", "capability": "*", "version": "*", "effect": "deny"},
    {"caller": "did:web:example.com:limited", "capability": "*", "version": ">=0.0.0-0", "effect": "deny"}
]}"#;

fn invocation(fixture: &mut Fixture, faults: &BTreeSet<usize>) -> (Message, &'static str) {
    let has = |step: usize| faults.contains(&(step - 1));
    let name = if has(3) { "org.agentries.nonexistent" } else { "org.agentries.code-review" };
    let version = if has(5) { "9.0.0" } else { "1.0.0" };
    let params = if has(6) { json!({}) } else { json!({"code": ""}) };
    let mut body = json!({"capability": name, "params": params});
    // A caller whose versions are all denied may still ask for no version in particular.
    let (key, target) = if has(4) { ("negotiate", json!({"preferred": version})) } else { ("version", version.into()) };
    body[key] = target;
    if has(1) {
        body["timeout_ms"] = 0.into();
    }
    let caller = match (has(2), has(4)) {
        (true, _) => "denied",
        (false, true) => "limited",
        (false, false) => "alice",
    };
    (fixture.message(caller, MessageType::CapInvoke, body), caller)
}

#[test]
fn the_earliest_step_that_fails_decides_for_every_set_of_faults() {
    for set in 1_u32..1 << FAULTS.len() {
        let faults: BTreeSet<usize> = (0..FAULTS.len()).filter(|step| set & (1 << step) != 0).collect();
        let mut fixture = Fixture::new(catalogue(&["org.agentries.code-review:1.0.0"]), POLICY);
        let (message, caller) = invocation(&mut fixture, &faults);
        let answer = one_answer(&fixture.send(&message, caller, support::NOW));
        let (step, expected) = FAULTS[*faults.first().unwrap()];
        assert_eq!((answer.kind, code(&answer)), (MessageType::Error, expected), "{step} of {faults:?}");
    }
}

#[test]
fn a_message_without_faults_is_accepted() {
    let mut fixture = Fixture::new(catalogue(&["org.agentries.code-review:1.0.0"]), POLICY);
    let (message, caller) = invocation(&mut fixture, &BTreeSet::new());
    support::started(&fixture.send(&message, caller, support::NOW));
}

/// The encoding of a message without the parts that differ between any two answers.
fn comparable(message: &Message) -> Vec<u8> {
    let mut map = Map::new();
    map.insert("kind", u64::from(message.kind.code()));
    map.insert("ttl", message.ttl);
    map.insert("to", format!("{:?}", message.to));
    map.insert("body", message.body.clone());
    encode(&map.into())
}

fn probes() -> Vec<Value> {
    let names = ["org.agentries.code-review", "org.agentries.nonexistent"];
    let mut probes = Vec::new();
    for name in names {
        for version in ["1.0.0", "7.7.7"] {
            probes.push(json!({"id": format!("{name}:{version}"), "params": {}}));
            probes.push(json!({"capability": name, "version": version, "params": {"code": ""}}));
            probes.push(json!({"type": name, "version": version, "params": null}));
            probes.push(json!({"capability": name, "negotiate": {"preferred": version}, "params": {}}));
        }
        probes.push(json!({"capability": name, "negotiate": {}, "params": {}}));
    }
    probes
}

#[test]
fn answers_to_denied_probes_are_equal_whether_or_not_the_capability_exists() {
    let mut fixture = Fixture::new(catalogue(&["org.agentries.code-review:1.0.0"]), POLICY);
    let answers: BTreeSet<_> =
        probes().into_iter().map(|probe| comparable(&fixture.ask("denied", MessageType::CapInvoke, probe))).collect();
    assert_eq!(answers.len(), 1);
}

#[test]
fn denied_probes_do_not_examine_published_capabilities() {
    // Nothing is published, so a look at it would be answered with 5002.
    let mut available = Fixture::new(catalogue(&["org.agentries.code-review:1.0.0"]), POLICY);
    let mut unavailable = Fixture::unavailable(POLICY);
    for probe in probes() {
        let expected = available.ask("denied", MessageType::CapInvoke, probe.clone());
        let found = unavailable.ask("denied", MessageType::CapInvoke, probe);
        assert_eq!(code(&found), 3001);
        assert_eq!(comparable(&found), comparable(&expected));
    }
    let allowed = unavailable.ask("alice", MessageType::CapInvoke, support::invocation());
    assert_eq!(code(&allowed), 5002);
}

#[test]
fn queries_for_denied_and_missing_capabilities_have_equal_answers() {
    let mut fixture = Fixture::new(catalogue(&["org.agentries.code-review:1.0.0"]), POLICY);
    let mut answers = BTreeSet::new();
    for caller in ["denied", "limited"] {
        for name in ["org.agentries.code-review", "org.agentries.nonexistent"] {
            for key in ["capability", "type"] {
                for version in ["1.0.0", ">=7.0.0"] {
                    let query = json!({"filter": {key: name, "version": version}});
                    let answer = fixture.ask(caller, MessageType::CapQuery, query);
                    assert_eq!(code(&answer), 4002);
                    answers.insert(encode(&answer.body));
                }
            }
        }
        let query = json!({"filter": {"type": "code-review"}});
        answers.insert(encode(&fixture.ask(caller, MessageType::CapQuery, query).body));
    }
    assert_eq!(answers.len(), 1);
}

#[test]
fn a_short_type_that_is_not_visible_is_not_found() {
    let mut fixture = Fixture::new(catalogue(&["org.agentries.code-review:1.0.0"]), POLICY);
    for text in ["code-review", "nonexistent", ""] {
        for caller in ["denied", "limited"] {
            let body = json!({"type": text, "version": "1.0.0", "params": {"code": ""}});
            assert_eq!(code(&fixture.ask(caller, MessageType::CapInvoke, body)), 4002, "{caller}: {text}");
        }
    }
}

#[test]
fn a_message_for_others_or_of_another_principal_is_unauthorized() {
    let mut fixture = Fixture::new(catalogue(&["org.agentries.code-review:1.0.0"]), POLICY);
    let mut message = fixture.message("alice", MessageType::CapInvoke, json!({"not": "a body"}));
    message.to = capgen_amp::message::Recipients::Many(vec![did("bob"), did("carol")]);
    let other = one_answer(&fixture.send(&message, "alice", support::NOW));
    let denied = fixture.ask("denied", MessageType::CapInvoke, support::invocation());
    assert_eq!(other.body, denied.body);

    let message = fixture.message("alice", MessageType::CapInvoke, support::invocation()).sign(&key("alice"));
    let principal = did("mallory");
    let input = capgen_amp::provider::Input::Message {
        bytes: &message,
        ticket: capgen_amp::provider::Ticket(1),
        principal: Some(&principal),
    };
    let outputs = fixture.provider.step(&mut fixture.state, input, support::NOW).unwrap();
    assert_eq!(one_answer(&outputs).body, denied.body);
}
