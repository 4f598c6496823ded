//! The tests that every carrier passes.

use std::sync::Arc;
use std::time::Duration;

use capgen_amp::carrier::PeerError;
use capgen_amp::message::MessageType;
use serde_json::json;
use tokio::task::JoinSet;

use crate::carriers::agents::{code, invoke, invoke_of, message, runner};
use crate::carriers::harness::{Harness, Kind, LONG, MAX, Proxy, peer};
use crate::support::key;

macro_rules! every_carrier {
    ($($test:ident: $($kind:ident)+;)+) => {
        $(mod $test {
            $(#[allow(non_snake_case, reason = "the name of a kind")]
            #[tokio::test(flavor = "multi_thread")]
            async fn $kind() {
                super::$test(super::Kind::$kind).await;
            })+
        })+
    };
}

every_carrier! {
    a_request_has_an_answer: Memory Tcp Tls Http Https;
    many_requests_in_flight_have_their_own_answers: Memory Tcp Tls Http Https;
    messages_have_a_maximum: Memory Tcp Tls Http Https;
    duplicates_have_the_same_answer: Memory Tcp Tls Http Https;
    rejected_messages_are_reported: Memory Tcp Tls Http Https;
    a_message_may_have_no_answer: Memory Tcp Tls Http Https;
    a_panic_is_answered: Memory Tcp Tls Http Https;
    large_answers_arrive: Memory Tcp Tls Http Https;
    a_shutdown_answers_each_request_once: Memory Tcp Tls Http Https;
    work_that_ends_during_a_shutdown_has_its_result: Memory Tcp Tls Http Https;
    a_cut_before_the_answer_is_repaired_by_a_duplicate: Tcp Tls Http Https;
    a_cut_after_the_answer_is_repaired_by_a_new_connection: Tcp Tls Http Https;
    random_cuts_lose_and_repeat_nothing: Tcp Tls Http Https;
}

async fn a_request_has_an_answer(kind: Kind) {
    let (runner, behaviour) = runner();
    let peer = Harness::start(kind, runner).await;
    let (server, peer) = (&peer, peer.peer());
    for _ in 0..3 {
        let request = invoke("fast");
        assert_eq!(code(&peer.call(request.clone(), LONG).await.unwrap(), &request), 0);
    }
    assert_eq!(behaviour.total(), 3);
    let query: bytes::Bytes =
        message(MessageType::CapQuery, json!({"filter": {"capability": "org.agentries.code-review"}}))
            .sign(&key("alice"))
            .into();
    let mut answers = server.peer().request(query.clone(), LONG).await.unwrap();
    assert_eq!(code(&answers.next().await.unwrap().unwrap(), &query), 0);
}

async fn many_requests_in_flight_have_their_own_answers(kind: Kind) {
    let (runner, behaviour) = runner();
    let harness = Harness::start(kind, runner).await;
    let peer = harness.peer();
    let mut calls = JoinSet::new();
    for number in 0..300 {
        let peer = Arc::clone(&peer);
        calls.spawn(async move {
            let request = invoke(&format!("sleep {}", number * 7 % 50));
            code(&peer.call(request.clone(), LONG).await.unwrap(), &request)
        });
    }
    assert_eq!(calls.join_all().await, vec![0; 300]);
    assert_eq!(behaviour.total(), 300);
}

async fn messages_have_a_maximum(kind: Kind) {
    let (runner, behaviour) = runner();
    let harness = Harness::start(kind, runner).await;
    let peer = harness.peer();
    let request = invoke_of(MAX);
    assert_eq!(code(&peer.call(request.clone(), LONG).await.unwrap(), &request), 0);
    match peer.call(invoke_of(MAX + 1), LONG).await.unwrap_err() {
        PeerError::TooLarge { size, max } => assert_eq!((size, max as usize), (MAX + 1, MAX)),
        // The client does not know the maximum of an HTTP server, and may see the end of the connection first.
        PeerError::Refused { code, .. } => assert_eq!(code, 1001),
        PeerError::Disconnected(_) if matches!(kind, Kind::Http | Kind::Https) => {}
        other => panic!("{other}"),
    }
    assert_eq!(behaviour.total(), 1);
    let request = invoke("after");
    assert_eq!(code(&peer.call(request.clone(), LONG).await.unwrap(), &request), 0);
}

async fn duplicates_have_the_same_answer(kind: Kind) {
    let (runner, behaviour) = runner();
    let harness = Harness::start(kind, runner).await;
    let (one, other) = (harness.peer(), harness.peer());
    let request = invoke("sleep 50");
    // In flight: over the same connection, and over another one.
    let (first, second, third) = tokio::join!(
        one.call(request.clone(), LONG),
        one.call(request.clone(), LONG),
        other.call(request.clone(), LONG)
    );
    // After the answer.
    let last = other.call(request.clone(), LONG).await.unwrap();
    for answer in [first, second, third] {
        assert_eq!(answer.unwrap(), last);
    }
    assert_eq!((code(&last, &request), behaviour.count(&request)), (0, 1));
}

async fn rejected_messages_are_reported(kind: Kind) {
    let (runner, behaviour) = runner();
    let harness = Harness::start(kind, runner).await;
    let peer = harness.peer();
    let forged = message(MessageType::CapInvoke, json!({})).sign(&key("denied"));
    let mut old = message(MessageType::CapInvoke, json!({}));
    old.ts -= 3_600_000;
    old.id = capgen_amp::message::MessageId::new(old.ts, [0; 8]);
    for (message, expected) in [(forged, 1002), (old.sign(&key("alice")), 1003)] {
        match peer.call(message.into(), LONG).await.unwrap_err() {
            PeerError::Refused { code, message } => assert_eq!(code, expected, "{message}"),
            other => panic!("{other}"),
        }
    }
    assert_eq!(behaviour.total(), 0);
    let request = invoke("the connection is still usable");
    assert_eq!(code(&peer.call(request.clone(), LONG).await.unwrap(), &request), 0);
}

async fn a_message_may_have_no_answer(kind: Kind) {
    let (runner, _) = runner();
    let harness = Harness::start(kind, runner).await;
    let message = message(MessageType::Message, json!(null)).sign(&key("alice"));
    let error = harness.peer().call(message.into(), Duration::from_millis(300)).await.unwrap_err();
    // Over a connection, no answer is visible only as time that passes.
    let expected = if matches!(kind, Kind::Tcp | Kind::Tls) { PeerError::Timeout } else { PeerError::NoAnswer };
    assert_eq!(error, expected);
}

async fn a_panic_is_answered(kind: Kind) {
    let (runner, _) = runner();
    let harness = Harness::start(kind, runner).await;
    let peer = harness.peer();
    for (behaviour, expected) in [("panic", 5001), ("fast", 0)] {
        let request = invoke(behaviour);
        assert_eq!(code(&peer.call(request.clone(), LONG).await.unwrap(), &request), expected);
    }
}

async fn large_answers_arrive(kind: Kind) {
    let (runner, _) = runner();
    let harness = Harness::start(kind, runner).await;
    let peer = harness.peer();
    let mut calls = JoinSet::new();
    for _ in 0..4 {
        let peer = Arc::clone(&peer);
        calls.spawn(async move {
            let request = invoke("large 900000");
            let answer = peer.call(request.clone(), LONG).await.unwrap();
            (answer.len() > 900_000, code(&answer, &request))
        });
    }
    assert_eq!(calls.join_all().await, vec![(true, 0); 4]);
}

/// Starts 20 requests whose handlers wait.
async fn waiting(harness: &Harness, behaviour: &crate::carriers::agents::Behaviour) -> JoinSet<Result<u64, PeerError>> {
    let mut calls = JoinSet::new();
    let peer = harness.peer();
    for _ in 0..20 {
        let peer = Arc::clone(&peer);
        calls.spawn(async move {
            let request = invoke("wait");
            let mut answers = peer.request(request.clone(), LONG).await?;
            let first = answers.next().await.unwrap()?;
            let second = tokio::time::timeout(Duration::from_millis(50), answers.next()).await;
            assert!(!matches!(second, Ok(Some(Ok(_)))), "there is a second answer");
            Ok(code(&first, &request))
        });
    }
    while behaviour.total() < 20 {
        tokio::task::yield_now().await;
    }
    calls
}

async fn a_shutdown_answers_each_request_once(kind: Kind) {
    let (runner, behaviour) = runner();
    let mut harness = Harness::start(kind, runner.clone()).await;
    let calls = waiting(&harness, &behaviour).await;
    let server = harness.server.take();
    let port = server.as_ref().map(|server| server.address().port());
    let stop_server = async {
        if let Some(server) = server {
            server.shutdown(LONG).await;
        }
    };
    tokio::join!(runner.shutdown(Duration::from_millis(100)), stop_server);
    assert_eq!(calls.join_all().await, vec![Ok(5002); 20]);
    assert_eq!(runner.running(), 0);
    match port {
        Some(port) => {
            let error = peer(kind, port).call(invoke("late"), LONG).await.unwrap_err();
            assert!(matches!(error, PeerError::Unreachable(_)), "{error}");
        }
        None => {
            let request = invoke("late");
            assert_eq!(code(&harness.peer().call(request.clone(), LONG).await.unwrap(), &request), 5002);
        }
    }
    assert_eq!(behaviour.total(), 20);
}

async fn work_that_ends_during_a_shutdown_has_its_result(kind: Kind) {
    let (runner, behaviour) = runner();
    let mut harness = Harness::start(kind, runner.clone()).await;
    let calls = waiting(&harness, &behaviour).await;
    let server = harness.server.take();
    let stop_server = async {
        if let Some(server) = server {
            server.shutdown(LONG).await;
        }
    };
    let open = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        behaviour.gate.send_replace(true);
    };
    tokio::join!(runner.shutdown(LONG), stop_server, open);
    assert_eq!(calls.join_all().await, vec![Ok(0); 20]);
}

async fn a_cut_before_the_answer_is_repaired_by_a_duplicate(kind: Kind) {
    let (runner, behaviour) = runner();
    let harness = Harness::start(kind, runner).await;
    let proxy = Proxy::start(harness.server.as_ref().unwrap()).await;
    let peer = peer(kind, proxy.port);
    let request = invoke("wait");
    let call = tokio::spawn({
        let (peer, request) = (Arc::clone(&peer), request.clone());
        async move { peer.call(request, LONG).await }
    });
    while behaviour.total() == 0 {
        tokio::task::yield_now().await;
    }
    proxy.cut().await;
    let error = call.await.unwrap().unwrap_err();
    assert!(matches!(error, PeerError::Disconnected(_)), "{error}");
    behaviour.gate.send_replace(true);
    assert_eq!(code(&peer.call(request.clone(), LONG).await.unwrap(), &request), 0);
    assert_eq!(behaviour.count(&request), 1);
}

async fn a_cut_after_the_answer_is_repaired_by_a_new_connection(kind: Kind) {
    let (runner, behaviour) = runner();
    let harness = Harness::start(kind, runner).await;
    let proxy = Proxy::start(harness.server.as_ref().unwrap()).await;
    let peer = peer(kind, proxy.port);
    let request = invoke("fast");
    let answer = peer.call(request.clone(), LONG).await.unwrap();
    proxy.cut().await;
    let repeated = loop {
        // A request that is sent before the client notices the cut fails.
        match peer.call(request.clone(), LONG).await {
            Ok(answer) => break answer,
            Err(error) => assert!(matches!(error, PeerError::Disconnected(_)), "{error}"),
        }
    };
    assert_eq!(answer, repeated);
    assert_eq!(behaviour.count(&request), 1);
}

async fn random_cuts_lose_and_repeat_nothing(kind: Kind) {
    let (runner, behaviour) = runner();
    let harness = Harness::start(kind, runner).await;
    let proxy = Proxy::start(harness.server.as_ref().unwrap()).await;
    let peer = peer(kind, proxy.port);
    let mut calls = JoinSet::new();
    for number in 0..10_u64 {
        let peer = Arc::clone(&peer);
        calls.spawn(async move {
            for round in 0..20 {
                let request = invoke(&format!("sleep {}", (number + round) % 4));
                let answer = loop {
                    match peer.call(request.clone(), LONG).await {
                        Ok(answer) => break answer,
                        Err(PeerError::Disconnected(_) | PeerError::Unreachable(_)) => {}
                        Err(error) => panic!("{error}"),
                    }
                };
                assert_eq!(code(&answer, &request), 0);
            }
        });
    }
    let cuts = async {
        // Longer and longer, so that the test ends on slow machines, too.
        for cut in 1.. {
            tokio::time::sleep(Duration::from_millis(10 * cut)).await;
            proxy.cut().await;
        }
    };
    tokio::select! {
        _ = calls.join_all() => {}
        () = cuts => {}
    }
    assert!(behaviour.executed.lock().unwrap().values().all(|count| *count == 1));
    assert_eq!(behaviour.total(), 200);
}
