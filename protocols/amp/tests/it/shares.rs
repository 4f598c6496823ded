//! One sender can take nothing from others (decision 22).
#![expect(clippy::panic, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};

use crate::support::{self, Fixture, NOW, body, catalogue, code, invocation, key, one_answer, started};
use capgen_amp::body::Body;
use capgen_amp::message::{Message, MessageType};
use capgen_amp::provider::{CacheLimits, HandlerOutcome, Output, Settings, Ticket};
use proptest::prelude::*;
use serde_json::json;

fn fixture(change: impl FnOnce(&mut Settings)) -> Fixture {
    let mut settings = Settings::default();
    change(&mut settings);
    Fixture::with_settings(catalogue(&["org.agentries.code-review:1.0.0"]), "{}", settings)
}

/// Runs an invocation whose result has about this many bytes, and returns the message.
fn run(fixture: &mut Fixture, from: &str, size: usize) -> Vec<u8> {
    let message = fixture.message(from, MessageType::CapInvoke, invocation()).sign(&key(from));
    let start = started(&fixture.send_bytes(&message, Ticket(0), NOW));
    fixture.finish(&start, result(size), NOW);
    message
}

fn result(size: usize) -> HandlerOutcome {
    support::success(&json!({"issues": 1, "text": "x".repeat(size)}))
}

/// Whether a duplicate gets the result. It never runs.
fn is_kept(fixture: &mut Fixture, message: &[u8]) -> bool {
    match code(&one_answer(&fixture.send_bytes(message, Ticket(0), NOW))) {
        0 => true,
        5002 => false,
        code => panic!("{code}"),
    }
}

#[test]
fn decision_22_five_large_results_of_one_sender_evict_no_answer_of_another() {
    // A sixty-fourth of the usual memory, and of the largest results.
    let mut fixture = fixture(|settings| settings.cache = CacheLimits { entries: 100_000, bytes: 1 << 20 });
    let others: Vec<_> = (0..50).map(|_| run(&mut fixture, "limited", 100)).collect();
    let large: Vec<_> = (0..5).map(|_| run(&mut fixture, "alice", 240 << 10)).collect();
    assert!(others.iter().all(|message| is_kept(&mut fixture, message)));
    let kept: Vec<_> = large.iter().map(|message| is_kept(&mut fixture, message)).collect();
    assert_eq!(kept, [false, true, true, true, true], "it loses its own oldest result");
}

#[test]
fn decision_22_a_sole_sender_keeps_as_many_results_as_before() {
    let mut fixture = fixture(|settings| settings.cache = CacheLimits { entries: 10, bytes: 100_000 });
    let messages: Vec<_> = (0..12).map(|_| run(&mut fixture, "alice", 10)).collect();
    let kept: Vec<_> = messages.iter().map(|message| is_kept(&mut fixture, message)).collect();
    assert_eq!(kept.iter().position(|is_kept| *is_kept), Some(2));
    assert_eq!(kept.iter().filter(|is_kept| **is_kept).count(), 10);
    let large: Vec<_> = (0..12).map(|_| run(&mut fixture, "alice", 19_000)).collect();
    assert_eq!(large.iter().filter(|message| is_kept(&mut fixture, message)).count(), 5, "100,000 bytes");
}

#[test]
fn decision_22_two_senders_keep_four_ninths_each() {
    let mut fixture = fixture(|settings| settings.cache = CacheLimits { entries: 72, bytes: 1 << 20 });
    let mut messages = BTreeMap::new();
    for _ in 0..200 {
        for sender in ["alice", "limited"] {
            messages.entry(sender).or_insert_with(Vec::new).push(run(&mut fixture, sender, 10));
        }
    }
    for (sender, messages) in messages {
        let kept = messages.iter().filter(|message| is_kept(&mut fixture, message)).count();
        assert!((39..=41).contains(&kept), "{sender} keeps {kept} of a total of 90");
    }
}

#[test]
fn decision_22_a_newcomer_finds_room_for_its_results() {
    let mut fixture = fixture(|settings| settings.cache = CacheLimits { entries: 100, bytes: 100_000 });
    for _ in 0..200 {
        run(&mut fixture, "alice", 2_000);
    }
    let message = run(&mut fixture, "limited", 2_000);
    assert!(is_kept(&mut fixture, &message));
}

#[test]
fn a_result_beyond_the_share_of_its_sender_displaces_nothing() {
    let mut fixture = fixture(|settings| settings.cache = CacheLimits { entries: 10, bytes: 100_000 });
    let small = run(&mut fixture, "alice", 10);
    let large = run(&mut fixture, "alice", 100_001);
    assert_eq!([&small, &large].map(|message| is_kept(&mut fixture, message)), [true, false]);
}

#[test]
fn the_places_of_running_invocations_are_shared() {
    let mut fixture = fixture(|settings| settings.max_running = 8);
    let mut send = |from: &str| {
        let message = fixture.message(from, MessageType::CapInvoke, invocation());
        fixture.send(&message, from, NOW)
    };
    for _ in 0..8 {
        started(&send("alice"));
    }
    let refused = one_answer(&send("alice"));
    let Body::Error(error) = body(&refused) else { panic!("{refused:?}") };
    assert_eq!((error.code, error.retry), (5004, Some(true)));
    assert_eq!(error.message, "too many invocations of this sender are running");
    let start = started(&send("limited"));
    assert_eq!(code(&one_answer(&send("limited"))), 5004, "its share is 1.6");
    fixture.finish(&start, result(1), NOW);
    let message = fixture.message("limited", MessageType::CapInvoke, invocation());
    started(&fixture.send(&message, "limited", NOW));
}

#[test]
fn decision_22_a_sender_with_too_many_ids_is_refused_and_no_other() {
    // Ten ids for each result.
    let mut fixture = fixture(|settings| settings.cache = CacheLimits { entries: 2, bytes: 1 << 20 });
    for _ in 0..20 {
        run(&mut fixture, "alice", 10);
    }
    let message = fixture.message("alice", MessageType::CapInvoke, invocation());
    let refused = one_answer(&fixture.send(&message, "alice", NOW));
    let Body::Error(error) = body(&refused) else { panic!("{refused:?}") };
    let expected = "too many invocations of this sender are remembered; each is forgotten when its message has expired";
    assert_eq!((error.code, error.message.as_str()), (5004, expected));
    run(&mut fixture, "limited", 10);
    assert_eq!(fixture.state.running(), 0);
    // Its messages have expired, and their group, too.
    let later =
        Message { ts: NOW + 200_000, id: capgen_amp::message::MessageId::new(NOW + 200_000, [1; 8]), ..message };
    started(&fixture.send(&later, "alice", NOW + 200_000));
}

#[test]
fn refusals_of_one_sender_do_not_displace_those_of_another() {
    let mut fixture = fixture(|settings| settings.cache = CacheLimits { entries: 10, bytes: 1 << 20 });
    let wrong = fixture.message("limited", MessageType::CapInvoke, json!({}));
    let first = one_answer(&fixture.send(&wrong, "limited", NOW));
    for _ in 0..50 {
        let other = fixture.message("alice", MessageType::CapInvoke, json!({}));
        fixture.send(&other, "alice", NOW);
    }
    assert_eq!(one_answer(&fixture.send(&wrong, "limited", NOW + 5)), first);
}

/// Something that a sender does: runs an invocation with a result of some size, repeats one of its messages, or sends
/// an invalid one.
#[derive(Clone, Debug)]
enum Act {
    Run(usize),
    Repeat(usize),
    Invalid,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        6 => (0_usize..30_000).prop_map(Act::Run),
        2 => (0_usize..40).prop_map(Act::Repeat),
        1 => Just(Act::Invalid),
    ];
    proptest::collection::vec(act, 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, failure_persistence: None, ..ProptestConfig::default() })]

    /// Another sender has three results within its share. Whatever one sender does, they stay, and none of its own
    /// messages runs twice.
    #[test]
    fn decision_22_whatever_one_sender_sends_others_lose_nothing(acts in acts()) {
        let mut fixture = fixture(|settings| settings.cache = CacheLimits { entries: 20, bytes: 60_000 });
        let others: Vec<_> = (0..3).map(|_| run(&mut fixture, "limited", 500)).collect();
        let mut sent: Vec<Vec<u8>> = Vec::new();
        let mut started_messages = BTreeSet::new();
        for act in acts {
            let bytes = match act {
                Act::Run(_) => fixture.message("alice", MessageType::CapInvoke, invocation()).sign(&key("alice")),
                Act::Repeat(index) => match sent.get(index) { Some(bytes) => bytes.clone(), None => continue },
                Act::Invalid => fixture.message("alice", MessageType::CapInvoke, json!({})).sign(&key("alice")),
            };
            sent.push(bytes.clone());
            for output in fixture.send_bytes(&bytes, Ticket(0), NOW) {
                if let Output::Start(start) = output {
                    prop_assert!(started_messages.insert(start.message), "it runs twice");
                    let size = if let Act::Run(size) = act { size } else { 0 };
                    fixture.finish(&start, result(size), NOW);
                }
            }
            for message in &others {
                prop_assert!(is_kept(&mut fixture, message));
            }
        }
    }
}
