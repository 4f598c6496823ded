//! Appendix A of the RFC, on bytes: a request is encoded, the provider answers, and the answer is decoded and verified.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::support;
use crate::support::{
    Fixture, INPUT, NOW, OUTPUT, catalogue, code, declared, did, key, keys, one_answer, read, started,
};
use capgen_amp::body::{Body, CapDeclare, CapInvoke, CapQuery, CapResult, Filter, Target};
use capgen_amp::bundle::{self, OpenBundle, Publisher};
use capgen_amp::catalogue::Catalogue;
use capgen_amp::cbor::Value;
use capgen_amp::descriptor::Descriptor;
use capgen_amp::message::{Keys, Message, MessageId, MessageType, Rejection};
use capgen_amp::provider::{CacheLimits, State, Ticket};
use capgen_amp::requester::{Answer, Exchange, ExchangeEvent, Reaction, Requester};
use capgen_manifest::{AgentId, Capability, Manifest};
use capgen_schema::Schema;
use serde_json::json;
use tempfile::TempDir;

const REVIEW: &str = "org.agentries.code-review";

/// A provider of versions of the review.
fn provider(versions: &[&str]) -> Fixture {
    let ids: Vec<_> = versions.iter().map(|version| format!("{REVIEW}:{version}")).collect();
    Fixture::new(catalogue(&ids.iter().map(String::as_str).collect::<Vec<_>>()), "{}")
}

fn params() -> serde_json::Value {
    json!({"code": "fn main() {}"})
}

/// Sends an invocation with hints, lets the handler succeed, and returns the version that was invoked.
#[track_caller]
fn negotiated(fixture: &mut Fixture, hints: serde_json::Value) -> String {
    let start = fixture.start(json!({"capability": REVIEW, "negotiate": hints, "params": params()}));
    let answer = one_answer(&fixture.finish(&start, support::success(&json!({"issues": 0})), NOW));
    assert_eq!(code(&answer), 0);
    start.id.to_string()
}

/// Sends a request, and returns the code of the `ERROR` that answers it.
#[track_caller]
fn refused(fixture: &mut Fixture, kind: MessageType, body: serde_json::Value) -> u64 {
    let answer = fixture.ask("alice", kind, body);
    assert_eq!(answer.kind, MessageType::Error);
    code(&answer)
}

#[track_caller]
fn page(fixture: &mut Fixture, body: serde_json::Value) -> CapDeclare {
    match support::body(&fixture.ask("alice", MessageType::CapQuery, body)) {
        Body::Declare(page) => page,
        body => panic!("{body:?}"),
    }
}

#[test]
fn a_01_cap_declare_positive() {
    let mut fixture = provider(&["2.1.0"]);
    let request = fixture.message("alice", MessageType::CapQuery, json!({"filter": {"capability": REVIEW}}));
    let answer = one_answer(&fixture.send(&request, "alice", NOW));
    assert_eq!((answer.kind, answer.reply_to), (MessageType::CapDeclare, Some(request.id)));
    let Body::Declare(CapDeclare { capabilities, cursor: None }) = support::body(&answer) else { panic!("{answer:?}") };
    let [descriptor] = &capabilities[..] else { panic!("{capabilities:?}") };
    assert_eq!(descriptor.id.to_string(), format!("{REVIEW}:2.1.0"));
    assert!(descriptor.input_schema.matches(INPUT.as_bytes()) && descriptor.output_schema.matches(OUTPUT.as_bytes()));
}

#[test]
fn a_02_negotiation_exact_version_positive() {
    let mut fixture = provider(&["2.0.0", "2.1.0"]);
    assert_eq!(negotiated(&mut fixture, json!({"preferred": "2.1.0"})), format!("{REVIEW}:2.1.0"));
}

#[test]
fn a_03_negotiation_fallback_positive() {
    let mut fixture = provider(&["2.0.0", "2.1.0"]);
    let hints = json!({"preferred": "2.2.0", "acceptable": ["2.1.0", "2.0.0"]});
    assert_eq!(negotiated(&mut fixture, hints), format!("{REVIEW}:2.1.0"));
}

#[test]
fn a_04_negotiation_mismatch_negative() {
    let mut fixture = provider(&["2.0.0", "2.1.0"]);
    let body = json!({"capability": REVIEW, "negotiate": {"range": ">=3.0.0 <4.0.0"}, "params": params()});
    assert_eq!(refused(&mut fixture, MessageType::CapInvoke, body), 4003);
}

#[test]
fn a_05_invocation_schema_positive() {
    let mut fixture = provider(&["2.1.0"]);
    let body = json!({"id": format!("{REVIEW}:2.1.0"), "params": params()});
    let request = fixture.message("alice", MessageType::CapInvoke, body);
    let start = started(&fixture.send(&request, "alice", NOW));
    assert_eq!(support::params(&start), params());
    let answer = one_answer(&fixture.finish(&start, support::success(&json!({"issues": 3})), NOW));
    assert_eq!((answer.kind, answer.reply_to), (MessageType::CapResult, Some(request.id)));
    let expected = CapResult::Success(Value::from_json(&json!({"issues": 3})));
    assert_eq!(support::body(&answer), Body::Result(expected));
    // There is no second result.
    assert!(fixture.finish(&start, support::success(&json!({"issues": 4})), NOW).is_empty());
    assert!(fixture.tick(NOW + 3_600_000).is_empty());
}

#[test]
fn a_06_invocation_schema_violation_negative() {
    let body = json!({"id": format!("{REVIEW}:2.1.0"), "params": {}});
    assert_eq!(refused(&mut provider(&["2.1.0"]), MessageType::CapInvoke, body), 4004);
}

#[test]
fn a_07_legacy_alias_compatibility() {
    let id = format!("{REVIEW}:2.1.0");
    let policy = json!({"aliases": {"review": REVIEW}}).to_string();
    let mut fixture = Fixture::new(catalogue(&[&id]), &policy);
    for alias in ["review", "code-review"] {
        let answer = fixture.ask("alice", MessageType::CapQuery, json!({"filter": {"type": alias}}));
        assert_eq!(declared(&answer), [id.as_str()]);
    }
}

#[test]
fn a_08_identity_mismatch_negative() {
    let id = format!("{REVIEW}:2.1.0");
    let mut fixture = Fixture::new(catalogue(&[&id, "org.agentries.translate:1.0.0"]), "{}");
    let body = json!({"id": id, "capability": "org.agentries.translate", "version": "1.0.0", "params": params()});
    assert_eq!(refused(&mut fixture, MessageType::CapInvoke, body), 4001);
}

#[test]
fn a_09_unauthorized_capability_probe_negative() {
    let id = format!("{REVIEW}:2.1.0");
    let policy =
        json!({"default": "deny", "rules": [{"caller": did("alice").as_str(), "effect": "allow"}]}).to_string();
    let mut fixture = Fixture::new(catalogue(&[&id]), &policy);
    let probes = [id.as_str(), "org.agentries.code-review:9.0.0", "org.agentries.nonexistent:1.0.0"];
    let bodies = probes.map(|id| {
        let answer = fixture.ask("denied", MessageType::CapInvoke, json!({"id": id, "params": params()}));
        assert_eq!((answer.kind, code(&answer)), (MessageType::Error, 3001));
        capgen_amp::cbor::encode(&answer.body)
    });
    assert!(bodies.iter().all(|body| *body == bodies[0]));
}

/// A folder with a bundle of the provider.
fn bundle_folder() -> (TempDir, Vec<Descriptor>) {
    let capability = Capability {
        version: Some("2.1.0".parse().unwrap()),
        input: Some(Schema::parse_text(INPUT).unwrap()),
        output: Some(Schema::parse_text(OUTPUT).unwrap()),
        ..Capability::new("code-review")
    };
    let agent = AgentId::new("reviewer").unwrap();
    let manifest = Manifest::new(agent, Vec::new(), vec![capability]);
    let (namespace, signer, key) = ("org.agentries".parse().unwrap(), did("provider"), key("provider"));
    let publisher = Publisher { namespace: &namespace, signer: &signer, key: &key, created: NOW };
    let bundle = bundle::create(&[&manifest], &publisher).unwrap();
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("artifacts")).unwrap();
    bundle.files().for_each(|(path, bytes)| fs::write(folder.path().join(path), bytes).unwrap());
    (folder, bundle.descriptors)
}

fn open(folder: &Path) -> Result<OpenBundle, Rejection> {
    let mut signers = Keys::new();
    signers.insert(did("provider"), key("provider").public());
    bundle::open(folder, &signers, bundle::Creation::until(NOW)).map_err(Rejection::from)
}

/// A provider of a bundle. If the bundle cannot be used, neither can anything in it.
fn offline(folder: &Path) -> Fixture {
    let state = match open(folder) {
        Ok(bundle) => {
            let catalogue = Catalogue::new(bundle.contracts().to_vec()).unwrap();
            State::new(Arc::new(catalogue), CacheLimits::default())
        }
        Err(_) => State::unavailable(CacheLimits::default()),
    };
    let mut fixture = provider(&[]);
    fixture.state = state;
    fixture
}

#[test]
fn a_10_offline_registry_positive() {
    let (folder, _) = bundle_folder();
    let mut fixture = offline(folder.path());
    let CapDeclare { capabilities, .. } = page(&mut fixture, json!({"filter": {"capability": REVIEW}}));
    let reference = &capabilities[0].input_schema;
    assert!(reference.uri.is_none() && reference.artifact.is_some());
    // The requester has a copy of the bundle, too.
    let contract = open(folder.path()).unwrap().contract(&capabilities[0]).unwrap();
    assert!(capgen_schema::Validator::new(&contract.input).is_valid(&params()));
    let id = capabilities[0].id.to_string();
    let start = fixture.start(json!({"id": id, "params": params()}));
    let answer = one_answer(&fixture.finish(&start, support::success(&json!({"issues": 0})), NOW));
    assert_eq!(code(&answer), 0);
    assert_eq!(refused(&mut fixture, MessageType::CapInvoke, json!({"id": id, "params": {}})), 4004);
}

#[test]
fn a_11_offline_artifact_missing_negative() {
    let faults: [fn(&Path); 2] = [
        |artifact| fs::remove_file(artifact).unwrap(),
        |artifact| fs::write(artifact, vec![b' '; fs::read(artifact).unwrap().len()]).unwrap(),
    ];
    for fault in faults {
        let (folder, descriptors) = bundle_folder();
        let artifact = descriptors[0].input_schema.artifact.as_ref().unwrap();
        fault(&folder.path().join("artifacts").join(&artifact.artifact_key));
        let mut fixture = offline(folder.path());
        let body = json!({"id": format!("{REVIEW}:2.1.0"), "params": params()});
        assert_eq!(refused(&mut fixture, MessageType::CapInvoke, body), 5002);
        let body = json!({"filter": {"capability": REVIEW}});
        assert_eq!(refused(&mut fixture, MessageType::CapQuery, body), 5002);
    }
    // A declared descriptor refers to an artifact that the bundle of the requester lacks.
    let (folder, mut descriptors) = bundle_folder();
    descriptors[0].input_schema.artifact.as_mut().unwrap().artifact_key = "other.json".to_owned();
    let error = open(folder.path()).unwrap().contract(&descriptors[0]).unwrap_err();
    assert_eq!(Rejection::from(error).code.number(), 5002);
}

fn requester() -> Requester {
    Requester::new(did("alice"), key("alice"), Arc::new(keys()))
}

/// The answer of a provider, with another `reply_to`.
fn other_reply_to(answer: &[u8], reply_to: Option<MessageId>) -> Vec<u8> {
    Message { reply_to, ..read(answer) }.sign(&key("provider"))
}

/// Checks that an answer with a wrong `reply_to` is rejected, and that the exchange still ends with the right one.
#[track_caller]
fn check_correlation(requester: &Requester, mut exchange: Exchange, answer: &[u8]) -> Answer {
    for reply_to in [None, Some(MessageId::new(NOW, [0xff; 8]))] {
        let wrong = other_reply_to(answer, reply_to);
        match requester.step(&mut exchange, ExchangeEvent::Received(&wrong), NOW) {
            Reaction::Invalid { rejection, reply: Some(reply) } => {
                assert_eq!(rejection.code.number(), 4001);
                // The provider gets an `ERROR`, too.
                assert_eq!(code(&read(&reply)), 4001);
            }
            reaction => panic!("{reaction:?}"),
        }
    }
    match requester.step(&mut exchange, ExchangeEvent::Received(answer), NOW) {
        Reaction::Done(answer) => answer,
        reaction => panic!("{reaction:?}"),
    }
}

#[test]
fn a_12_cap_result_correlation_negative() {
    let (requester, mut fixture) = (requester(), provider(&["2.1.0"]));
    let target = Target::Id(format!("{REVIEW}:2.1.0").parse().unwrap());
    let invoke = CapInvoke { target, params: Value::from_json(&params()), timeout_ms: None };
    let exchange = requester.invoke(did("provider"), &invoke, None, 60_000, NOW, [1; 8]);
    let start = started(&fixture.send_bytes(&exchange.bytes(), Ticket(0), NOW));
    let answer = one_answer(&fixture.finish(&start, support::success(&json!({"issues": 0})), NOW));
    let answer = check_correlation(&requester, exchange, &answer.sign(&key("provider")));
    assert_eq!(answer.to_json(), Some(json!({"issues": 0})));
}

#[test]
fn a_13_cap_declare_correlation_negative() {
    let (requester, mut fixture) = (requester(), provider(&["2.1.0"]));
    let filter = Filter { capability: Some(REVIEW.parse().unwrap()), type_alias: None, version: None };
    let exchange = requester.query(did("provider"), &CapQuery::new(filter), 60_000, NOW, [1; 8]);
    let answer = one_answer(&fixture.send_bytes(&exchange.bytes(), Ticket(0), NOW));
    let answer = check_correlation(&requester, exchange, &answer.sign(&key("provider")));
    assert!(matches!(answer, Answer::Declared(CapDeclare { capabilities, .. }) if capabilities.len() == 1));
}

#[test]
fn a_14_cap_query_pagination_stability_positive() {
    let mut fixture = provider(&["1.0.0", "2.0.0-rc.1", "2.0.0", "2.1.0", "10.0.0"]);
    let (mut pages, mut cursor) = (Vec::new(), None);
    loop {
        let mut body = json!({"filter": {"capability": REVIEW}, "limit": 2, "order": "newest-first"});
        if let Some(cursor) = cursor.take() {
            body["cursor"] = json!(cursor);
        }
        let page = page(&mut fixture, body);
        pages.push(page.capabilities.iter().map(|found| found.id.version.to_string()).collect::<Vec<_>>());
        cursor = page.cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(pages, [vec!["10.0.0", "2.1.0"], vec!["2.0.0", "2.0.0-rc.1"], vec!["1.0.0"]]);
}

#[test]
fn a_15_cap_query_invalid_cursor_negative() {
    let mut fixture = provider(&["1.0.0", "2.0.0"]);
    let query = json!({"filter": {"capability": REVIEW}, "limit": 1});
    let with = |cursor: &str| {
        let mut body = query.clone();
        body["cursor"] = json!(cursor);
        body
    };
    for malformed in ["", "zz", "00"] {
        assert_eq!(refused(&mut fixture, MessageType::CapQuery, with(malformed)), 4001);
    }
    let cursor = page(&mut fixture, query.clone()).cursor.unwrap();
    assert_eq!(page(&mut fixture, with(&cursor)).capabilities.len(), 1);
    let mut other_order = with(&cursor);
    other_order["order"] = json!("oldest-first");
    assert_eq!(refused(&mut fixture, MessageType::CapQuery, other_order), 4001);
    // It expires.
    let later = NOW + 15 * 60_000 + 1;
    let late = Message {
        ts: later,
        id: MessageId::new(later, [1; 8]),
        ..fixture.message("alice", MessageType::CapQuery, with(&cursor))
    };
    assert_eq!(code(&one_answer(&fixture.send(&late, "alice", later))), 4001);
}

#[test]
fn a_16_cap_invoke_identity_form_conflict_negative() {
    let body = json!({"id": format!("{REVIEW}:2.1.0"), "negotiate": {"preferred": "2.1.0"}, "params": params()});
    assert_eq!(refused(&mut provider(&["2.1.0"]), MessageType::CapInvoke, body), 4001);
}

#[test]
fn a_17_cap_query_no_match_mapping_negative() {
    let body = json!({"filter": {"capability": "org.agentries.nonexistent"}});
    assert_eq!(refused(&mut provider(&["2.1.0"]), MessageType::CapQuery, body), 4002);
}
