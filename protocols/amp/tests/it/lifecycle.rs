//! The life of an invocation: exactly one terminal result (section 7.3, decisions 12 and 13).
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]

use crate::support;
use crate::support::{Fixture, NOW, answers, body, catalogue, code, invocation, key, kinds, one_answer, started};
use capgen_amp::body::{Body, CapResult};
use capgen_amp::message::MessageType;
use capgen_amp::provider::{CacheLimits, HandlerOutcome, Impossible, Input, Output, Settings, Ticket};
use proptest::prelude::*;
use serde_json::json;

const ALLOW: &str = "{}";

fn fixture() -> Fixture {
    Fixture::new(catalogue(&["org.agentries.code-review:1.0.0"]), ALLOW)
}

fn success() -> HandlerOutcome {
    support::success(&json!({"issues": 2}))
}

#[test]
fn a_result_is_sent_once() {
    let mut fixture = fixture();
    let start = fixture.start(invocation());
    assert_eq!(support::params(&start), json!({"code": "fn main() {}"}));
    assert_eq!(start.rule.to_string(), capgen_amp::negotiate::Rule::Exact.to_string());
    let answer = one_answer(&fixture.finish(&start, success(), NOW + 5));
    assert_eq!((answer.kind, answer.reply_to, answer.ts), (MessageType::CapResult, Some(start.message), NOW + 5));
    let Body::Result(CapResult::Success(result)) = body(&answer) else { panic!("{answer:?}") };
    assert_eq!(result.to_json().unwrap(), json!({"issues": 2}));
    assert!(fixture.finish(&start, success(), NOW + 6).is_empty(), "a second outcome is too late");
}

#[test]
fn every_way_to_end_has_its_code() {
    let failure = |retryable| HandlerOutcome::Failure {
        code: "PR_NOT_FOUND".to_owned(),
        message: "there is no such request".to_owned(),
        retryable,
        details: None,
    };
    for (outcome, expected) in [
        (success(), 0),
        (failure(false), 5001),
        (failure(true), 5002),
        (HandlerOutcome::Panic, 5001),
        (HandlerOutcome::Missing, 5002),
        (support::success(&json!({"issues": "secret"})), 5001),
    ] {
        let mut fixture = fixture();
        let start = fixture.start(invocation());
        let outputs = fixture.finish(&start, outcome.clone(), NOW);
        let answer = one_answer(&outputs);
        assert_eq!((answer.kind, code(&answer)), (MessageType::CapResult, expected), "{outcome:?}");
        let text = format!("{:?}", answer.body);
        assert!(!text.contains("secret"), "{text}");
    }
}

#[test]
fn the_violations_of_a_result_stay_with_the_provider() {
    let mut fixture = fixture();
    let start = fixture.start(invocation());
    let outputs = fixture.finish(&start, support::success(&json!({"issues": "secret"})), NOW);
    let [Output::InvalidResult { id, violations }, Output::Send { .. }] = outputs.as_slice() else {
        panic!("{outputs:?}")
    };
    assert_eq!((id.to_string().as_str(), violations.len()), ("org.agentries.code-review:1.0.0", 1));
    assert_eq!(violations[0].path, "/issues");
    let text = format!("{:?}", one_answer(&outputs).body);
    assert!(!text.contains("issues"), "{text}");
}

#[test]
fn the_shortest_limit_ends_an_invocation() {
    for (timeout, ttl, expected) in [(Some(50), 60_000, 50), (None, 60_000, 60_000), (Some(90_000), 70_000, 70_000)] {
        let mut fixture = fixture();
        let mut invoke = invocation();
        if let Some(timeout) = timeout {
            invoke["timeout_ms"] = timeout.into();
        }
        let mut message = fixture.message("alice", MessageType::CapInvoke, invoke);
        message.ttl = ttl;
        let start = started(&fixture.send(&message, "alice", NOW));
        assert_eq!(start.deadline, NOW + expected);
        assert_eq!(fixture.state.next_deadline(), Some(NOW + expected));
        assert!(fixture.tick(NOW + expected - 1).is_empty());
        let outputs = fixture.tick(NOW + expected);
        assert_eq!((kinds(&outputs)["stop"], code(&one_answer(&outputs))), (1, 5003));
        assert!(fixture.finish(&start, success(), NOW + expected + 1).is_empty());
    }
    let settings = {
        let mut settings = Settings::default();
        settings.max_timeout_ms = 10;
        settings
    };
    let mut fixture = Fixture::with_settings(catalogue(&["org.agentries.code-review:1.0.0"]), ALLOW, settings);
    assert_eq!(fixture.start(invocation()).deadline, NOW + 10);
}

#[test]
fn duplicates_wait_for_the_result_and_get_it_later_too() {
    let mut fixture = fixture();
    let message = fixture.message("alice", MessageType::CapInvoke, invocation()).sign(&key("alice"));
    let start = started(&fixture.send_bytes(&message, Ticket(1), NOW));
    assert!(fixture.send_bytes(&message, Ticket(2), NOW).is_empty());
    assert!(fixture.send_bytes(&message, Ticket(3), NOW).is_empty());
    let sent = answers(&fixture.finish(&start, success(), NOW + 10));
    assert_eq!(sent.iter().map(|(ticket, _)| ticket.0).collect::<Vec<_>>(), [1, 2, 3]);
    let later = answers(&fixture.send_bytes(&message, Ticket(4), NOW + 60_000));
    assert_eq!(later[0].1, sent[0].1, "the same answer, byte for byte");
    let outputs = fixture.send_bytes(&message, Ticket(5), NOW + 60_001);
    assert_eq!(kinds(&outputs)["rejected"], 1, "the message has expired");
}

#[test]
fn the_same_id_with_different_bytes_is_a_bad_request() {
    let mut fixture = fixture();
    let first = fixture.message("alice", MessageType::CapInvoke, invocation());
    let mut second = first.clone();
    second.ttl += 1;
    let start = started(&fixture.send(&first, "alice", NOW));
    assert_eq!(code(&one_answer(&fixture.send(&second, "alice", NOW))), 4001, "while it runs");
    fixture.finish(&start, success(), NOW);
    assert_eq!(code(&one_answer(&fixture.send(&second, "alice", NOW))), 4001, "after it has ended");
    assert_eq!(code(&one_answer(&fixture.send(&first, "alice", NOW))), 0);
    // Another sender has ids of its own.
    second.from = support::did("limited");
    started(&fixture.send(&second, "limited", NOW));
}

#[test]
fn errors_are_kept_unless_they_may_be_repeated() {
    let settings = {
        let mut settings = Settings::default();
        settings.max_running = 1;
        settings
    };
    let mut fixture = Fixture::with_settings(catalogue(&["org.agentries.code-review:1.0.0"]), ALLOW, settings);
    let wrong = fixture.message(
        "alice",
        MessageType::CapInvoke,
        json!({"id": "org.agentries.code-review:9.0.0", "params": {}}),
    );
    let first = one_answer(&fixture.send(&wrong, "alice", NOW));
    assert_eq!(code(&first), 4003);
    assert_eq!(one_answer(&fixture.send(&wrong, "alice", NOW + 7)), first);

    let running = fixture.start(invocation());
    let second = fixture.message("alice", MessageType::CapInvoke, invocation());
    assert_eq!(code(&one_answer(&fixture.send(&second, "alice", NOW))), 5004);
    fixture.finish(&running, success(), NOW);
    started(&fixture.send(&second, "alice", NOW));
}

#[test]
fn duplicates_beyond_the_limit_are_refused() {
    let settings = {
        let mut settings = Settings::default();
        settings.max_waiting = 1;
        settings
    };
    let mut fixture = Fixture::with_settings(catalogue(&["org.agentries.code-review:1.0.0"]), ALLOW, settings);
    let message = fixture.message("alice", MessageType::CapInvoke, invocation()).sign(&key("alice"));
    started(&fixture.send_bytes(&message, Ticket(1), NOW));
    assert!(fixture.send_bytes(&message, Ticket(2), NOW).is_empty());
    assert_eq!(code(&one_answer(&fixture.send_bytes(&message, Ticket(3), NOW))), 5004);
}

#[test]
fn a_shutdown_lets_invocations_end_and_then_ends_them() {
    let mut fixture = fixture();
    let (one, two) = (fixture.start(invocation()), fixture.start(invocation()));
    let outputs = fixture.provider.step(&mut fixture.state, Input::Shutdown { until: NOW + 100 }, NOW).unwrap();
    assert!(outputs.is_empty());
    assert_eq!(code(&fixture.ask("alice", MessageType::CapInvoke, invocation())), 5002, "no new work");
    assert_eq!(code(&one_answer(&fixture.finish(&one, success(), NOW + 1))), 0);
    let outputs = fixture.tick(NOW + 100);
    assert_eq!(code(&one_answer(&outputs)), 5002);
    assert_eq!((kinds(&outputs)["stop"], kinds(&outputs)["drained"]), (1, 1));
    assert!(fixture.finish(&two, success(), NOW + 101).is_empty());
    assert!(fixture.tick(NOW + 200).is_empty(), "the end is reported once");
}

#[test]
fn an_outcome_of_an_unknown_invocation_is_impossible() {
    let mut running = fixture();
    let start = running.start(invocation());
    let mut other = fixture();
    let input = Input::Finished { invocation: start.invocation, outcome: success() };
    let error = other.provider.step(&mut other.state, input, NOW).unwrap_err();
    assert_eq!(error, Impossible::UnknownInvocation(start.invocation));
    assert_eq!(other.start(invocation()).invocation, start.invocation, "the state has not changed");
}

#[test]
fn messages_without_an_answer_have_none() {
    let mut fixture = fixture();
    for kind in MessageType::ALL {
        if matches!(kind, MessageType::CapQuery | MessageType::CapInvoke) {
            continue;
        }
        let mut message = fixture.message("alice", *kind, json!(null));
        message.to = capgen_amp::message::Recipients::One(support::did("bob"));
        assert_eq!(kinds(&fixture.send(&message, "alice", NOW)).keys().collect::<Vec<_>>(), [&"ignored"]);
    }
    let message = fixture.message("alice", MessageType::CapInvoke, invocation());
    let forged = message.sign(&key("denied"));
    for (bytes, now, expected) in [
        (forged, NOW, 1002),
        (message.sign(&key("alice")), NOW + 60_001, 1003),
        (message.sign(&key("alice")), NOW - 30_001, 1003),
        (b"not CBOR".to_vec(), NOW, 1001),
    ] {
        let outputs = fixture.send_bytes(&bytes, Ticket(0), now);
        let [Output::Rejected { rejection, .. }] = outputs.as_slice() else { panic!("{outputs:?}") };
        assert_eq!(rejection.code.number(), expected);
    }
}

#[test]
fn an_answer_keeps_the_thread_and_goes_to_the_sender() {
    let mut fixture = fixture();
    let mut message = fixture.message("alice", MessageType::CapInvoke, invocation());
    message.thread_id = Some(vec![1, 2, 3]);
    let start = started(&fixture.send(&message, "alice", NOW));
    let answer = one_answer(&fixture.finish(&start, success(), NOW));
    assert_eq!((answer.thread_id, answer.ttl), (Some(vec![1, 2, 3]), 60_000));
    assert!(answer.to.includes(&support::did("alice")));
}

#[test]
fn refusals_do_not_displace_results() {
    let mut settings = Settings::default();
    settings.cache = CacheLimits { entries: 4, bytes: 1 << 20 };
    let mut fixture = Fixture::with_settings(catalogue(&["org.agentries.code-review:1.0.0"]), ALLOW, settings);
    let message = fixture.message("alice", MessageType::CapInvoke, invocation()).sign(&key("alice"));
    let start = started(&fixture.send_bytes(&message, Ticket(0), NOW));
    let first = one_answer(&fixture.finish(&start, success(), NOW));
    for _ in 0..20 {
        let mut wrong = fixture.message("denied", MessageType::CapInvoke, json!({}));
        wrong.ttl = 3_600_000;
        assert_eq!(code(&one_answer(&fixture.send(&wrong, "denied", NOW))), 4001);
    }
    assert_eq!(one_answer(&fixture.send_bytes(&message, Ticket(1), NOW)), first);
}

#[test]
fn a_message_for_others_takes_its_id() {
    let mut fixture = fixture();
    let mut message = fixture.message("alice", MessageType::CapInvoke, invocation());
    message.to = capgen_amp::message::Recipients::One(support::did("bob"));
    let first = one_answer(&fixture.send(&message, "alice", NOW));
    assert_eq!(code(&first), 3001);
    assert_eq!(one_answer(&fixture.send(&message, "alice", NOW + 50)), first);
    message.to = capgen_amp::message::Recipients::One(support::did("provider"));
    assert_eq!(code(&one_answer(&fixture.send(&message, "alice", NOW + 60))), 4001);
}

/// What happens to a provider in a random test.
#[derive(Clone, Debug)]
enum Event {
    Send(usize),
    Finish(usize),
    Tick,
    Shutdown,
}

fn events() -> impl Strategy<Value = Vec<(Event, u64)>> {
    let event = prop_oneof![
        8 => (0_usize..6).prop_map(Event::Send),
        6 => (0_usize..8).prop_map(Event::Finish),
        2 => Just(Event::Tick),
        1 => Just(Event::Shutdown),
    ];
    proptest::collection::vec((event, 0_u64..40), 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Each ticket gets exactly one answer, and all answers to one message are equal if it was accepted.
    #[test]
    fn every_accepted_invocation_has_exactly_one_result(events in events()) {
        let mut settings = Settings::default();
        settings.max_running = 3;
        settings.cache = CacheLimits { entries: 100, bytes: 1 << 20 };
        let mut fixture = Fixture::with_settings(catalogue(&["org.agentries.code-review:1.0.0"]), ALLOW, settings);
        let messages: Vec<_> = (0_u64..6).map(|index| {
            let mut body = invocation();
            body["timeout_ms"] = (20 + index * 15).into();
            let mut message = fixture.message("alice", MessageType::CapInvoke, body);
            message.ttl = 5_000;
            message.sign(&key("alice"))
        }).collect();
        let (mut now, mut tickets, mut starts) = (NOW, Vec::new(), Vec::new());
        let mut results: Vec<Vec<Vec<u8>>> = vec![Vec::new(); messages.len()];
        let mut outputs = Vec::new();
        for (event, passed) in events {
            now += passed;
            match event {
                Event::Send(index) => {
                    tickets.push(index);
                    outputs.extend(fixture.send_bytes(&messages[index], Ticket(tickets.len() as u64 - 1), now));
                }
                Event::Finish(index) => if let Some(start) = starts.get(index).cloned() {
                    outputs.extend(fixture.finish(&start, success(), now));
                },
                Event::Tick => outputs.extend(fixture.tick(now)),
                Event::Shutdown => {
                    let input = Input::Shutdown { until: now + 30 };
                    outputs.extend(fixture.provider.step(&mut fixture.state, input, now).unwrap());
                }
            }
            starts.extend(outputs.iter().filter_map(|output| match output {
                Output::Start(start) if !starts_contain(&starts, start) => Some((**start).clone()),
                _ => None,
            }).collect::<Vec<_>>());
        }
        outputs.extend(fixture.tick(now + 10_000));
        prop_assert_eq!(fixture.state.running(), 0);
        let mut answered = vec![0; tickets.len()];
        for output in &outputs {
            if let Output::Send { ticket, message } = output {
                answered[ticket.0 as usize] += 1;
                let answer = support::read(message);
                if answer.kind == MessageType::CapResult {
                    results[tickets[ticket.0 as usize]].push(message.to_vec());
                }
            }
        }
        prop_assert!(answered.iter().all(|count| *count == 1), "{answered:?}");
        for results in results {
            prop_assert!(results.windows(2).all(|pair| pair[0] == pair[1]));
        }
    }
}

fn starts_contain(starts: &[capgen_amp::provider::Start], start: &capgen_amp::provider::Start) -> bool {
    starts.iter().any(|other| other.invocation == start.invocation)
}
