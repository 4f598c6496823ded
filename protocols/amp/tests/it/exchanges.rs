//! The requester: which message ends an exchange, and which is rejected (sections 7.3 and 9).
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]

use std::sync::Arc;

use crate::support;
use crate::support::{Fixture, NOW, OUTPUT, catalogue, did, key, keys, started};
use capgen_amp::body::{CapInvoke, CapQuery, Filter, Target};
use capgen_amp::cbor::{Limits, Value};
use capgen_amp::message::{Message, MessageId, MessageType, decode_message};
use capgen_amp::provider::{Output, Ticket};
use capgen_amp::requester::{Answer, Exchange, ExchangeEvent, Reaction, Requester};
use capgen_schema::{Schema, Validator};
use serde_json::json;

fn requester() -> Requester {
    Requester::new(did("alice"), key("alice"), Arc::new(keys()))
}

fn fixture() -> Fixture {
    Fixture::new(catalogue(&["org.agentries.code-review:1.0.0"]), "{}")
}

fn invoke(requester: &Requester) -> Exchange {
    let invoke = CapInvoke {
        target: Target::Id("org.agentries.code-review:1.0.0".parse().unwrap()),
        params: Value::from_json(&json!({"code": ""})),
        timeout_ms: None,
    };
    let output = Validator::new(&Schema::parse_text(OUTPUT).unwrap());
    requester.invoke(did("provider"), &invoke, Some(output), 30_000, NOW, [1; 8])
}

fn query(requester: &Requester) -> Exchange {
    let filter = Filter { capability: None, type_alias: Some("code-review".to_owned()), version: None };
    requester.query(did("provider"), &CapQuery::new(filter), 30_000, NOW, [2; 8])
}

/// A message of the provider, changed and signed again.
fn changed(message: &Message, change: impl FnOnce(&mut Message)) -> Vec<u8> {
    let mut message = message.clone();
    change(&mut message);
    message.sign(&key("provider"))
}

fn result(fixture: &mut Fixture, exchange: &Exchange, result: serde_json::Value) -> Message {
    let start = started(&fixture.send_bytes(&exchange.bytes(), Ticket(0), NOW));
    support::one_answer(&fixture.finish(&start, support::success(&result), NOW))
}

#[test]
fn a_result_ends_the_exchange_once() {
    let (requester, mut fixture) = (requester(), fixture());
    let mut exchange = invoke(&requester);
    let answer = result(&mut fixture, &exchange, json!({"issues": 1})).sign(&key("provider"));
    let Reaction::Done(done) = requester.step(&mut exchange, ExchangeEvent::Received(&answer), NOW) else { panic!() };
    assert_eq!(done.to_json(), Some(json!({"issues": 1})));
    assert_eq!(requester.step(&mut exchange, ExchangeEvent::Received(&answer), NOW), Reaction::None);
    assert_eq!(requester.step(&mut exchange, ExchangeEvent::Tick, NOW + 60_000), Reaction::None);
}

#[test]
fn a_query_ends_with_descriptors_or_an_error() {
    let (requester, mut fixture) = (requester(), fixture());
    for (random, name, is_found) in [([3; 8], "code-review", true), ([4; 8], "nothing", false)] {
        let filter = Filter { capability: None, type_alias: Some(name.to_owned()), version: None };
        let mut exchange = requester.query(did("provider"), &CapQuery::new(filter), 30_000, NOW, random);
        let outputs = fixture.send_bytes(&exchange.bytes(), Ticket(0), NOW);
        let [Output::Send { message, .. }] = outputs.as_slice() else { panic!("{outputs:?}") };
        match requester.step(&mut exchange, ExchangeEvent::Received(message), NOW) {
            Reaction::Done(Answer::Declared(declare)) if is_found => assert_eq!(declare.capabilities.len(), 1),
            Reaction::Done(Answer::Refused(error)) if !is_found => {
                assert_eq!((error.code, error.retry), (4002, Some(false)))
            }
            reaction => panic!("{reaction:?}"),
        }
    }
}

#[test]
fn a_message_that_does_not_answer_the_request_is_rejected_and_the_exchange_continues() {
    let (requester, mut fixture) = (requester(), fixture());
    let mut exchange = invoke(&requester);
    let valid = result(&mut fixture, &exchange, json!({"issues": 1}));
    let wrong: [(&str, u16, Vec<u8>); 7] = [
        ("another request", 4001, changed(&valid, |m| m.reply_to = Some(MessageId::new(NOW, [9; 8])))),
        ("no request", 4001, changed(&valid, |m| m.reply_to = None)),
        ("a type that answers queries", 4001, changed(&valid, |m| m.kind = MessageType::CapDeclare)),
        ("a body without a result", 4001, changed(&valid, |m| m.body = Value::Null)),
        ("another recipient", 4001, changed(&valid, |m| m.to = capgen_amp::message::Recipients::One(did("bob")))),
        ("another sender", 4001, {
            let mut message = valid.clone();
            message.from = did("limited");
            message.sign(&key("limited"))
        }),
        ("an invalid signature", 1002, valid.sign(&key("limited"))),
    ];
    for (reason, code, message) in wrong {
        let Reaction::Invalid { rejection, reply } =
            requester.step(&mut exchange, ExchangeEvent::Received(&message), NOW)
        else {
            panic!("{reason}")
        };
        assert_eq!(rejection.code.number(), code, "{reason}: {rejection}");
        assert_eq!(reply.is_some(), code == 4001, "{reason}: only a proved sender gets an answer");
        if let Some(reply) = reply {
            let reply = decode_message(&reply, &Limits::default()).unwrap().verify(&keys()).unwrap();
            assert_eq!((reply.kind, support::code(&reply)), (MessageType::Error, u64::from(code)));
        }
    }
    let valid = valid.sign(&key("provider"));
    assert!(matches!(
        requester.step(&mut exchange, ExchangeEvent::Received(&valid), NOW),
        Reaction::Done(Answer::Result(_))
    ));
}

#[test]
fn an_error_that_does_not_answer_the_request_gets_no_error() {
    let requester = requester();
    let mut exchange = query(&requester);
    for kind in [MessageType::Error, MessageType::Ack] {
        let message = Message { kind, from: did("provider"), reply_to: None, ..exchange.request().clone() };
        let message = message.sign(&key("provider"));
        let reaction = requester.step(&mut exchange, ExchangeEvent::Received(&message), NOW);
        assert!(matches!(reaction, Reaction::Invalid { reply: None, .. }), "{reaction:?}");
    }
}

#[test]
fn an_invalid_result_ends_the_exchange_with_its_violations() {
    let requester = requester();
    let loose = support::contract_with("org.agentries.code-review:1.0.0", &[], support::INPUT, "true");
    let catalogue = Arc::new(capgen_amp::catalogue::Catalogue::new(vec![loose]).unwrap());
    let mut exchange = invoke(&requester);
    let answer = result(&mut Fixture::new(catalogue, "{}"), &exchange, json!({"issues": "many"}));
    let with_bytes = changed(&answer, |m| {
        let result = [("issues", Value::from(vec![1_u8]))].into_iter().collect::<capgen_amp::cbor::Map>();
        m.body = [("status", Value::from("success")), ("result", result.into())]
            .into_iter()
            .collect::<capgen_amp::cbor::Map>()
            .into();
    });
    let Reaction::Done(Answer::InvalidResult { violations, .. }) =
        requester.step(&mut exchange, ExchangeEvent::Received(&answer.sign(&key("provider"))), NOW)
    else {
        panic!()
    };
    assert_eq!(violations[0].path, "/issues");
    let mut exchange = invoke(&requester);
    let Reaction::Done(Answer::InvalidResult { violations, .. }) =
        requester.step(&mut exchange, ExchangeEvent::Received(&with_bytes), NOW)
    else {
        panic!()
    };
    assert_eq!((violations[0].path.as_str(), violations.len()), ("/issues", 1));
}

#[test]
fn progress_does_not_end_the_exchange_and_time_does() {
    let requester = requester();
    let mut exchange = invoke(&requester);
    let progress = Message {
        kind: MessageType::Progress,
        from: did("provider"),
        to: capgen_amp::message::Recipients::One(did("alice")),
        reply_to: Some(exchange.request().id),
        body: Value::from_json(&json!({"percent": 50})),
        ..exchange.request().clone()
    };
    let progress = progress.sign(&key("provider"));
    let reaction = requester.step(&mut exchange, ExchangeEvent::Received(&progress), NOW);
    assert!(matches!(reaction, Reaction::Progress(MessageType::Progress, _)), "{reaction:?}");
    let expires = exchange.expires();
    assert_eq!(requester.step(&mut exchange, ExchangeEvent::Tick, expires - 1), Reaction::None);
    assert_eq!(requester.step(&mut exchange, ExchangeEvent::Tick, expires), Reaction::Done(Answer::TimedOut));
}

#[test]
fn a_result_that_is_not_json_is_invalid_even_without_a_schema() {
    let requester = requester();
    let invoke = CapInvoke {
        target: Target::Id("org.agentries.code-review:1.0.0".parse().unwrap()),
        params: Value::from_json(&json!({"code": ""})),
        timeout_ms: None,
    };
    let mut exchange = requester.invoke(did("provider"), &invoke, None, 30_000, NOW, [9; 8]);
    let valid = result(&mut fixture(), &exchange, json!({"issues": 1}));
    let bytes = changed(&valid, |m| {
        let members = [("status", Value::from("success")), ("result", Value::from(vec![0_u8]))];
        m.body = members.into_iter().collect::<capgen_amp::cbor::Map>().into();
    });
    let reaction = requester.step(&mut exchange, ExchangeEvent::Received(&bytes), NOW);
    assert!(matches!(reaction, Reaction::Done(Answer::InvalidResult { .. })), "{reaction:?}");
}
