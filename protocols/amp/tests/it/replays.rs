//! Messages that come again: no invocation runs twice (decision 22).
#![expect(clippy::panic, reason = "a test fails by panicking")]

use crate::support::{self, Fixture, NOW, answers, body, catalogue, code, invocation, key, kinds, one_answer, started};
use capgen_amp::body::Body;
use capgen_amp::cbor::Value;
use capgen_amp::message::{Message, MessageId, MessageType};
use capgen_amp::provider::{CacheLimits, HandlerOutcome, Output, Settings, Ticket};
use serde_json::json;

const HOUR: u64 = 3_600_000;

fn fixture() -> Fixture {
    fixture_with(CacheLimits::default())
}

fn fixture_with(cache: CacheLimits) -> Fixture {
    let mut settings = Settings::default();
    settings.cache = cache;
    Fixture::with_settings(catalogue(&["org.agentries.code-review:1.0.0"]), "{}", settings)
}

fn success() -> HandlerOutcome {
    support::success(&json!({"issues": 2}))
}

/// An invocation with a lifetime.
fn invoke(fixture: &mut Fixture, ttl: u64) -> Message {
    Message { ttl, ..fixture.message("alice", MessageType::CapInvoke, invocation()) }
}

/// Sends an invocation and ends it.
fn run(fixture: &mut Fixture, message: &Message, now: u64) -> Message {
    let start = started(&fixture.send(message, "alice", now));
    one_answer(&fixture.finish(&start, success(), now))
}

fn error(message: &Message) -> capgen_amp::body::ErrorBody {
    let Body::Error(error) = body(message) else { panic!("{message:?}") };
    error
}

#[track_caller]
fn is_refused_for_ever(outputs: &[Output]) {
    let error = error(&one_answer(outputs));
    assert_eq!((error.code, error.retry), (5002, Some(false)));
    let expected = "the invocation was accepted before, and its result is no longer kept; it does not run again";
    assert_eq!((error.message.as_str(), kinds(outputs).contains_key("start")), (expected, false));
}

#[test]
fn decision_22_parts_that_no_signature_covers_do_not_distinguish_messages() {
    let mut fixture = fixture();
    let message = invoke(&mut fixture, 60_000);
    let start = started(&fixture.send(&message, "alice", NOW));
    let hop = |number: u64| {
        let ext = [("hops", number)].into_iter().map(|(key, value)| (key, Value::from(value))).collect();
        Message { ext: Some(ext), ..message.clone() }
    };
    assert!(fixture.send(&hop(1), "alice", NOW).is_empty(), "a duplicate waits");
    let sent = answers(&fixture.finish(&start, success(), NOW));
    assert_eq!((sent.len(), code(&sent[1].1)), (2, 0));
    assert_eq!(one_answer(&fixture.send(&hop(2), "alice", NOW)), sent[0].1);
    // Refusals, too.
    let mut wrong = fixture.message("alice", MessageType::CapInvoke, json!({}));
    let first = one_answer(&fixture.send(&wrong, "alice", NOW));
    wrong.ext = hop(3).ext;
    assert_eq!(one_answer(&fixture.send(&wrong, "alice", NOW + 5)), first);
    // A key that is not part of the protocol.
    let mut bytes = message.sign(&key("alice"));
    bytes[0] += 1;
    bytes.extend([0x6a, b'z', b'z', b'z', b'z', b'z', b'z', b'z', b'z', b'z', b'z', 0x01]);
    assert_eq!(one_answer(&fixture.send_bytes(&bytes, Ticket(0), NOW)), sent[0].1);
}

#[test]
fn decision_22_every_signed_field_distinguishes_messages() {
    let mut fixture = fixture();
    let first = invoke(&mut fixture, 60_000);
    run(&mut fixture, &first, NOW);
    let mut others = vec![first.clone(); 6];
    others[0].ttl += 1;
    others[1].ts += 1;
    others[2].thread_id = Some(vec![1]);
    others[3].reply_to = Some(first.id);
    others[4].to = capgen_amp::message::Recipients::Many(vec![support::did("provider")]);
    others[5].body = Value::from_json(&json!({"id": "org.agentries.code-review:1.0.0", "params": {"code": "rm"}}));
    for other in others {
        assert_eq!(code(&one_answer(&fixture.send(&other, "alice", NOW))), 4001, "{other:?}");
    }
}

#[test]
fn decision_22_a_duplicate_without_its_result_never_runs_again() {
    // The result of the first does not fit beside that of the second.
    let mut fixture = fixture_with(CacheLimits { entries: 1, bytes: 1 << 20 });
    let [first, second] = [(); 2].map(|()| invoke(&mut fixture, 60_000));
    run(&mut fixture, &first, NOW);
    let kept = run(&mut fixture, &second, NOW);
    is_refused_for_ever(&fixture.send(&first, "alice", NOW));
    is_refused_for_ever(&fixture.send(&first, "alice", NOW + 60_000));
    assert_eq!(one_answer(&fixture.send(&second, "alice", NOW)), kept);
    let other = Message { ttl: 50_000, ..first };
    assert_eq!(code(&one_answer(&fixture.send(&other, "alice", NOW))), 4001, "its id is still taken");
}

#[test]
fn decision_22_ids_are_remembered_as_long_as_the_message_lives() {
    // Lifetimes at and around the ends of the groups in which ids are kept.
    for ttl in [1, 59_999, 60_000, 60_001, 119_999, 120_000, HOUR - 1, HOUR, HOUR + 1, 24 * HOUR, 25 * HOUR] {
        for at in [NOW, NOW - NOW % 60_000, NOW - NOW % 60_000 + 59_999] {
            // The time in an id may differ from `ts` by a second.
            for skew in [-1000, 0, 1000] {
                let mut fixture = fixture();
                let id = MessageId::new(at.saturating_add_signed(skew), skew.to_be_bytes());
                let message = Message { ts: at, id, ..invoke(&mut fixture, ttl) };
                let answer = run(&mut fixture, &message, at);
                fixture.tick(at + ttl);
                let outputs = fixture.send(&message, "alice", at + ttl);
                if ttl <= HOUR {
                    assert_eq!(one_answer(&outputs), answer);
                } else {
                    is_refused_for_ever(&outputs);
                }
                let outputs = fixture.send(&message, "alice", at + ttl + 1);
                assert_eq!(kinds(&outputs).get("rejected"), Some(&1), "{ttl}: it has expired");
            }
        }
    }
}

/// Decision 13.
#[test]
fn a_result_is_kept_for_an_hour_at_most() {
    let mut fixture = fixture();
    let message = invoke(&mut fixture, 2 * HOUR);
    let answer = run(&mut fixture, &message, NOW);
    assert_eq!(one_answer(&fixture.send(&message, "alice", NOW + HOUR)), answer);
    is_refused_for_ever(&fixture.send(&message, "alice", NOW + HOUR + 1));
}

#[test]
fn decision_22_a_lifetime_beyond_25_hours_is_an_invalid_time() {
    let mut fixture = fixture();
    let longest = invoke(&mut fixture, 25 * HOUR);
    run(&mut fixture, &longest, NOW);
    for kind in [MessageType::CapInvoke, MessageType::CapQuery] {
        for ttl in [25 * HOUR + 1, u64::MAX] {
            let message = Message { kind, ..invoke(&mut fixture, ttl) };
            let outputs = fixture.send(&message, "alice", NOW);
            let [Output::Rejected { rejection, .. }] = outputs.as_slice() else { panic!("{outputs:?}") };
            let expected =
                format!("1003 INVALID_TIMESTAMP: `ttl` is {ttl} ms; this provider accepts at most 90000000 ms");
            assert_eq!(rejection.to_string(), expected);
            // Times are checked before the signature (decision 2).
            let outputs = fixture.send(&message, "denied", NOW);
            let [Output::Rejected { rejection, .. }] = outputs.as_slice() else { panic!("{outputs:?}") };
            assert_eq!(rejection.code.number(), 1003);
        }
    }
}

#[test]
fn decision_22_an_invocation_from_before_the_start_is_refused() {
    let mut fixture = fixture();
    fixture.state = fixture.state.clone().since(NOW + 1500);
    let message = invoke(&mut fixture, HOUR);
    let outputs = fixture.send(&message, "alice", NOW + 2000);
    let refused = error(&one_answer(&outputs));
    let expected = "`ts` is 1500 ms before the start of the provider, which may have run the invocation before; sign it again, with a new `id` and `ts`";
    assert_eq!((refused.code, refused.retry, refused.message.as_str()), (1003, Some(false), expected));
    // Signed again, it runs. A query has no effects.
    let again = Message { ts: NOW + 1500, id: MessageId::new(NOW + 1500, [9; 8]), ..message.clone() };
    run(&mut fixture, &again, NOW + 2000);
    let query = fixture.message("alice", MessageType::CapQuery, json!({"filter": {"type": "code-review"}}));
    assert_eq!(one_answer(&fixture.send(&query, "alice", NOW + 2000)).kind, MessageType::CapDeclare);
}

#[test]
fn decision_22_a_clock_that_is_set_back_lets_no_invocation_run_again() {
    let mut fixture = fixture();
    let [first, second] = [60_000, 2 * HOUR].map(|ttl| invoke(&mut fixture, ttl));
    run(&mut fixture, &first, NOW);
    fixture.tick(NOW + HOUR);
    let refused = error(&one_answer(&fixture.send(&first, "alice", NOW)));
    assert_eq!((refused.code, refused.message.as_str()), (1003, "the message has expired"));
    run(&mut fixture, &second, NOW);
}

#[test]
fn decision_22_a_refused_invocation_may_run_later() {
    let mut settings = Settings::default();
    settings.max_running = 1;
    let mut fixture = Fixture::with_settings(catalogue(&["org.agentries.code-review:1.0.0"]), "{}", settings);
    let [first, second] = [(); 2].map(|()| invoke(&mut fixture, 60_000));
    let start = started(&fixture.send(&first, "alice", NOW));
    assert_eq!(code(&one_answer(&fixture.send(&second, "alice", NOW))), 5004);
    fixture.finish(&start, success(), NOW);
    run(&mut fixture, &second, NOW);
}
