//! At-least-once delivery: stored messages, acknowledgements, restarts of the server.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::common::{
    LONG, connect, durable, eventually, group, message, next, open, options, soon, stored, text, wait_for,
};
use capgen_call::{Delivery, Health, Outgoing, SubscribeOptions, Transport as _, TransportError};
use capgen_nats::{JetStreamOptions, NatsTransport, Retention, Storage};
use capgen_testkit::brokers::NatsServer;

#[tokio::test]
async fn a_message_waits_for_a_subscription_until_it_is_acknowledged() {
    let Some(server) = NatsServer::start() else { return };
    let (sender, receiver) =
        (open(&server, JetStreamOptions::new()).await, open(&server, JetStreamOptions::new()).await);
    let address = "agents.pr-reviewer.requests";
    let request = Outgoing { reply_to: Some("_INBOX.x.1".to_owned()), ..stored(address, "first") };
    sender.publish(request).await.unwrap();
    let mut subscription = receiver.subscribe(address, durable("g")).await.unwrap();
    let mut incoming = next(&mut subscription).await;
    assert_eq!(text(&incoming), "first");
    assert_eq!(incoming.address, address);
    assert_eq!(incoming.reply_to.as_deref(), Some("_INBOX.x.1"));
    assert!(!incoming.redelivered);
    incoming.acknowledgement.take().unwrap().ack().await.unwrap();
    // The next subscription of the group goes on after it.
    drop(subscription);
    sender.publish(stored(address, "second")).await.unwrap();
    let mut subscription = receiver.subscribe(address, durable("g")).await.unwrap();
    let incoming = next(&mut subscription).await;
    assert_eq!(text(&incoming), "second");
}

#[tokio::test]
async fn messages_of_both_guarantees_arrive_once() {
    let Some(server) = NatsServer::start() else { return };
    let transport = open(&server, JetStreamOptions::new()).await;
    let mut both = transport.subscribe("a.b", durable("g")).await.unwrap();
    let mut core = transport.subscribe("a.b", group("h")).await.unwrap();
    for index in 0..20 {
        transport.publish(message("a.b", format!("core {index}"))).await.unwrap();
        transport.publish(stored("a.b", format!("stored {index}"))).await.unwrap();
    }
    let mut received = Vec::new();
    while let Some(mut incoming) = soon(&mut both).await {
        received.push(text(&incoming));
        let acknowledgement = incoming.acknowledgement.take();
        assert_eq!(acknowledgement.is_some(), text(&incoming).starts_with("stored"));
        if let Some(acknowledgement) = acknowledgement {
            acknowledgement.ack().await.unwrap();
        }
    }
    assert_eq!(received.len(), 40);
    assert_eq!(received.iter().collect::<BTreeSet<_>>().len(), 40);
    let mut only_core = Vec::new();
    while let Some(incoming) = soon(&mut core).await {
        only_core.push(text(&incoming));
    }
    assert_eq!(only_core, (0..20).map(|index| format!("core {index}")).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_message_with_a_known_id_is_dropped() {
    let Some(server) = NatsServer::start() else { return };
    let transport = open(&server, JetStreamOptions::new()).await;
    let message = stored("a", "once");
    for _ in 0..3 {
        transport.publish(message.clone()).await.unwrap();
    }
    let mut subscription = transport.subscribe("a", durable("g")).await.unwrap();
    next(&mut subscription).await.acknowledgement.unwrap().ack().await.unwrap();
    assert!(soon(&mut subscription).await.is_none());
}

#[tokio::test]
async fn messages_without_acknowledgement_are_delivered_again() {
    let Some(server) = NatsServer::start() else { return };
    let transport = open(&server, JetStreamOptions::new().ack_wait(Duration::from_secs(2))).await;
    let mut subscription = transport.subscribe("a", durable("g")).await.unwrap();
    transport.publish(stored("a", "x")).await.unwrap();
    let first = next(&mut subscription).await;
    assert!(!first.redelivered);
    drop(first);
    let second = next(&mut subscription).await;
    assert!(second.redelivered);
    // Progress extends the wait.
    let acknowledgement = second.acknowledgement.unwrap();
    for _ in 0..6 {
        tokio::time::sleep(Duration::from_millis(500)).await;
        acknowledgement.in_progress().await.unwrap();
    }
    assert!(soon(&mut subscription).await.is_none());
    // A rejected message comes again soon.
    let start = Instant::now();
    acknowledgement.nak().await.unwrap();
    let third = next(&mut subscription).await;
    assert!(third.redelivered);
    assert!(start.elapsed() < Duration::from_millis(1500), "{:?}", start.elapsed());
    third.acknowledgement.unwrap().ack().await.unwrap();
    tokio::time::sleep(Duration::from_millis(2100)).await;
    assert!(soon(&mut subscription).await.is_none());
}

#[tokio::test]
async fn the_members_of_a_group_share_the_messages() {
    let Some(server) = NatsServer::start() else { return };
    let (one, two) = (open(&server, JetStreamOptions::new()).await, open(&server, JetStreamOptions::new()).await);
    let small = SubscribeOptions { capacity: 2, ..durable("g") };
    let mut members = [one.subscribe("a", small.clone()).await.unwrap(), two.subscribe("a", small).await.unwrap()];
    for index in 0..50 {
        one.publish(stored("a", index.to_string())).await.unwrap();
    }
    let mut received = Vec::new();
    let mut shares = [0, 0];
    while received.len() < 50 {
        for (member, share) in members.iter_mut().zip(&mut shares) {
            if let Some(incoming) = soon(member).await {
                received.push(text(&incoming).parse::<usize>().unwrap());
                *share += 1;
                incoming.acknowledgement.unwrap().ack().await.unwrap();
            }
        }
    }
    received.sort_unstable();
    assert_eq!(received, (0..50).collect::<Vec<_>>());
    assert!(shares.iter().all(|share| *share > 10), "{shares:?}");
}

#[tokio::test]
async fn a_member_that_leaves_gives_its_messages_back() {
    let Some(server) = NatsServer::start() else { return };
    let transport = open(&server, JetStreamOptions::new()).await;
    let mut leaving = transport.subscribe("a", durable("g")).await.unwrap();
    for index in 0..30 {
        transport.publish(stored("a", index.to_string())).await.unwrap();
    }
    let first = next(&mut leaving).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    drop(leaving);
    first.acknowledgement.unwrap().ack().await.unwrap();
    let mut staying = transport.subscribe("a", durable("g")).await.unwrap();
    let start = Instant::now();
    let mut rest = BTreeSet::new();
    while rest.len() < 29 {
        let incoming = next(&mut staying).await;
        rest.insert(text(&incoming));
        incoming.acknowledgement.unwrap().ack().await.unwrap();
    }
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}; the server waits 30 seconds", start.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acknowledged_messages_survive_a_killed_server() {
    let Some(mut server) = NatsServer::start() else { return };
    let sender = open(&server, JetStreamOptions::new()).await;
    let receiver = open(&server, JetStreamOptions::new().ack_wait(Duration::from_secs(2))).await;
    let mut subscription = receiver.subscribe("a", durable("g")).await.unwrap();
    let (mut published, mut processed) = (BTreeSet::new(), BTreeSet::new());
    let mut failed = 0;
    for round in 0..3 {
        // Some messages are processed before the server is killed, while others are being published.
        let task = tokio::spawn({
            let sender = sender.clone();
            async move {
                let (mut confirmed, mut failed) = (Vec::new(), 0);
                for index in 0..200 {
                    let id = format!("{round}/{index}");
                    match sender.publish(stored("a", id.clone())).await {
                        Ok(()) => confirmed.push(id),
                        Err(TransportError::Disconnected(_)) => failed += 1,
                        Err(error) => panic!("{error}"),
                    }
                }
                (confirmed, failed)
            }
        });
        for _ in 0..20 {
            let incoming = next(&mut subscription).await;
            let id = text(&incoming);
            if incoming.acknowledgement.unwrap().ack().await.is_ok() {
                processed.insert(id);
            }
        }
        server.kill();
        let (confirmed, lost) = task.await.unwrap();
        published.extend(confirmed);
        failed += lost;
        server.restart();
        wait_for(&sender, Health::Connected).await;
        wait_for(&receiver, Health::Connected).await;
    }
    let start = Instant::now();
    while processed.len() < published.len() || !published.is_subset(&processed) {
        let missing = published.difference(&processed).count();
        assert!(start.elapsed() < Duration::from_secs(20), "{missing} of {} messages are lost", published.len());
        let Some(incoming) = soon(&mut subscription).await else { continue };
        let id = text(&incoming);
        if incoming.acknowledgement.unwrap().ack().await.is_ok() {
            processed.insert(id);
        }
    }
    println!("{} messages were confirmed and all processed; {failed} failed", published.len());
    assert!(published.len() > 60, "{}", published.len());
    assert!(receiver.reconnects() >= 3);
}

#[tokio::test]
async fn a_stream_that_is_lost_with_the_server_is_created_again() {
    let Some(mut server) = NatsServer::start() else { return };
    let transport = open(&server, JetStreamOptions::new().storage(Storage::Memory)).await;
    let mut subscription = transport.subscribe("a", durable("g")).await.unwrap();
    transport.publish(stored("a", "first")).await.unwrap();
    next(&mut subscription).await.acknowledgement.unwrap().ack().await.unwrap();
    server.kill();
    wait_for(&transport, Health::Reconnecting).await;
    server.restart();
    wait_for(&transport, Health::Connected).await;
    transport.publish(stored("a", "second")).await.unwrap();
    assert_eq!(text(&next(&mut subscription).await), "second");
}

#[tokio::test]
async fn missing_parts_are_named() {
    let Some(server) = NatsServer::start() else { return };
    let without = connect(&server).await;
    let error = without.publish(stored("a", "x")).await.unwrap_err();
    assert!(
        matches!(&error, TransportError::Unsupported(reason) if reason.contains("NatsOptions::jetstream")),
        "{error}"
    );
    let error = without.subscribe("a", durable("g")).await.map(drop).unwrap_err();
    assert!(
        matches!(&error, TransportError::Unsupported(reason) if reason.contains("NatsOptions::jetstream")),
        "{error}"
    );
    let existing = open(&server, JetStreamOptions::existing()).await;
    for error in [
        existing.publish(stored("a", "x")).await.unwrap_err(),
        existing.subscribe("a", durable("g")).await.map(drop).unwrap_err(),
    ] {
        assert!(matches!(&error, TransportError::Refused(reason) if reason.contains("capgen.durable.>")), "{error}");
    }
    let no_group = SubscribeOptions { delivery: Delivery::AtLeastOnce, ..SubscribeOptions::default() };
    let creating = open(&server, JetStreamOptions::new()).await;
    let error = creating.subscribe("a", no_group).await.map(drop).unwrap_err();
    assert!(matches!(&error, TransportError::Unsupported(reason) if reason.contains("group")), "{error}");
    // The stream of the other connection exists now.
    creating.publish(stored("a", "x")).await.unwrap();
    existing.publish(stored("a", "y")).await.unwrap();
    let large = creating.publish(stored("a", vec![b'x'; creating.max_message() + 1])).await.unwrap_err();
    assert!(matches!(large, TransportError::TooLarge { .. }), "{large}");
}

#[tokio::test]
async fn a_server_without_jetstream_is_reported() {
    let Some(server) = NatsServer::start_with("jetstream: false") else { return };
    let transport = open(&server, JetStreamOptions::new()).await;
    let start = Instant::now();
    for error in [
        transport.publish(stored("a", "x")).await.unwrap_err(),
        transport.subscribe("a", durable("g")).await.map(drop).unwrap_err(),
    ] {
        assert!(matches!(&error, TransportError::Unsupported(reason) if reason.contains("not enabled")), "{error}");
    }
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    transport.publish(message("a", "x")).await.unwrap();
}

#[tokio::test]
async fn a_full_stream_rejects_messages_and_keeps_the_others() {
    let Some(server) = NatsServer::start() else { return };
    let transport = open(&server, JetStreamOptions::new().max_bytes(20_000)).await;
    let mut confirmed = 0;
    let error = loop {
        match transport.publish(stored("a", vec![b'x'; 1000])).await {
            Ok(()) => confirmed += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, TransportError::Refused(_)), "{error}");
    assert!((10..20).contains(&confirmed), "{confirmed}");
    let mut subscription = transport.subscribe("a", durable("g")).await.unwrap();
    for _ in 0..confirmed {
        next(&mut subscription).await.acknowledgement.unwrap().ack().await.unwrap();
    }
    transport.publish(stored("a", "room again")).await.unwrap();
}

#[tokio::test]
async fn each_group_receives_each_message_of_a_stream_with_limits() {
    let Some(server) = NatsServer::start() else { return };
    let transport = open(&server, JetStreamOptions::new().stream("ALL").retention(Retention::Limits)).await;
    let mut one = transport.subscribe("a", durable("one")).await.unwrap();
    let mut two = transport.subscribe("a", durable("two")).await.unwrap();
    transport.publish(stored("a", "x")).await.unwrap();
    for subscription in [&mut one, &mut two] {
        next(subscription).await.acknowledgement.unwrap().ack().await.unwrap();
    }
    // With a work queue, the second group would take messages from the first.
    let queue = open(&server, JetStreamOptions::new().stream("QUEUE").prefix("queue")).await;
    let _first = queue.subscribe("a", durable("one")).await.unwrap();
    let error = queue.subscribe("a", durable("two")).await.map(drop).unwrap_err();
    assert!(matches!(error, TransportError::Refused(_)), "{error}");
}

#[tokio::test]
async fn stored_messages_to_a_wildcard_arrive() {
    let Some(server) = NatsServer::start() else { return };
    let transport = open(&server, JetStreamOptions::new()).await;
    let mut subscription = transport.subscribe("a.*", durable("g")).await.unwrap();
    transport.publish(stored("a.b", "x")).await.unwrap();
    let incoming = next(&mut subscription).await;
    assert_eq!((incoming.address.as_str(), text(&incoming).as_str()), ("a.b", "x"));
}

#[tokio::test]
async fn closing_ends_subscriptions_to_stored_messages() {
    let Some(server) = NatsServer::start() else { return };
    let transport = open(&server, JetStreamOptions::new()).await;
    let mut subscription = transport.subscribe("a", durable("g")).await.unwrap();
    transport.publish(stored("a", "x")).await.unwrap();
    let unread = next(&mut subscription).await;
    transport.close().await;
    assert_eq!(unread.acknowledgement.unwrap().ack().await, Err(TransportError::Closed));
    assert!(tokio::time::timeout(LONG, subscription.next()).await.unwrap().is_none());
    let other = open(&server, JetStreamOptions::new()).await;
    let subscription = other.subscribe("a", durable("g")).await.unwrap();
    let other_health = other.clone();
    drop(subscription);
    eventually("the connection remains", || other_health.health() == Health::Connected).await;
}

#[tokio::test]
async fn the_documented_permissions_are_enough() {
    let configuration = r#"
        authorization {
            users: [{
                user: sender, password: x,
                permissions: {
                    publish: ["capgen.durable.agents.x", "$JS.API.STREAM.NAMES", "$JS.API.STREAM.CREATE.CAPGEN"]
                    subscribe: "_INBOX.>"
                }
            }, {
                user: receiver, password: x,
                permissions: {
                    publish: [
                        "$JS.API.STREAM.NAMES", "$JS.API.STREAM.CREATE.CAPGEN", "$JS.API.CONSUMER.>", "$JS.ACK.>", "_INBOX.>"
                    ]
                    subscribe: ["_INBOX.>", "agents.x", "$SRV.>"]
                }
            }]
        }"#;
    let Some(server) = NatsServer::start_with(configuration) else { return };
    let user = |name: &str| options(&server).user_and_password(name, "x").jetstream(JetStreamOptions::new());
    let sender = NatsTransport::connect(user("sender")).await.unwrap();
    let receiver = NatsTransport::connect(user("receiver")).await.unwrap();
    sender.publish(stored("agents.x", "first")).await.unwrap();
    let mut subscription = receiver.subscribe("agents.x", durable("g")).await.unwrap();
    next(&mut subscription).await.acknowledgement.unwrap().ack().await.unwrap();
    let service = capgen_nats::ServiceInfo {
        name: "x".to_owned(),
        id: String::new(),
        version: "1.0.0".to_owned(),
        description: String::new(),
        metadata: Default::default(),
        endpoints: Vec::new(),
    };
    let _discovery = capgen_nats::Discovery::start(&receiver, service, |_| Default::default()).await.unwrap();
}

#[tokio::test]
async fn a_message_that_a_server_without_its_counters_delivers_again_is_redelivered() {
    let Some(server) = NatsServer::start() else { return };
    let transport = open(&server, JetStreamOptions::new()).await;
    let mut subscription = transport.subscribe("a", durable("g")).await.unwrap();
    transport.publish(stored("a", "x")).await.unwrap();
    assert!(!next(&mut subscription).await.redelivered);
    // A new consumer counts from 1, like one whose state was not on the disk when the server was killed.
    let client = async_nats::connect(server.url()).await.unwrap();
    let stream = async_nats::jetstream::new(client).get_stream("CAPGEN").await.unwrap();
    stream.delete_consumer(&consumer_name(&server).await).await.unwrap();
    let again = next(&mut subscription).await;
    assert_eq!(text(&again), "x");
    assert!(again.redelivered);
    again.acknowledgement.unwrap().ack().await.unwrap();
    // The same content in another message is new.
    transport.publish(stored("a", "x")).await.unwrap();
    assert!(!next(&mut subscription).await.redelivered);
}

/// The only consumer of the stream.
async fn consumer_name(server: &NatsServer) -> String {
    let client = async_nats::connect(server.url()).await.unwrap();
    let answer = client.request("$JS.API.CONSUMER.NAMES.CAPGEN", "".into()).await.unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&answer.payload).unwrap();
    answer.pointer("/consumers/0").and_then(serde_json::Value::as_str).unwrap().to_owned()
}
