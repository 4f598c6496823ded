//! Core NATS: lost connections, slow receivers, permissions, invalid addresses.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::common::{LONG, connect, eventually, group, message, next, options, soon, stored, text, wait_for};
use capgen_call::{Health, IncomingContent, Outgoing, SubscribeOptions, Transport as _, TransportError};
use capgen_nats::{JetStreamOptions, NatsEvent, NatsOptions, NatsTransport};
use capgen_testkit::brokers::NatsServer;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn subscriptions_survive_restarts_of_the_server() {
    let Some(mut server) = NatsServer::start() else { return };
    let (caller, provider) = (connect(&server).await, connect(&server).await);
    let mut plain = provider.subscribe("a", SubscribeOptions::default()).await.unwrap();
    let mut member = provider.subscribe("a", group("g")).await.unwrap();
    let inbox = caller.new_inbox();
    let mut replies = caller.subscribe(&format!("{inbox}.*"), SubscribeOptions::default()).await.unwrap();
    for round in 0..3 {
        if round == 1 {
            server.kill();
            wait_for(&caller, Health::Reconnecting).await;
            wait_for(&provider, Health::Reconnecting).await;
            server.restart();
        } else if round == 2 {
            server.terminate();
            wait_for(&caller, Health::Reconnecting).await;
            wait_for(&provider, Health::Reconnecting).await;
            server.restart();
        }
        wait_for(&caller, Health::Connected).await;
        wait_for(&provider, Health::Connected).await;
        // The server may answer the caller before the provider has subscribed again.
        tokio::time::sleep(Duration::from_millis(100)).await;
        let reply = format!("{inbox}.{round}");
        let request = Outgoing { reply_to: Some(reply.clone()), ..message("a", round.to_string()) };
        caller.publish(request).await.unwrap();
        assert_eq!(text(&next(&mut plain).await), round.to_string());
        let request = next(&mut member).await;
        provider.publish(message(&request.reply_to.clone().unwrap(), "answer")).await.unwrap();
        let answer = next(&mut replies).await;
        assert_eq!((answer.address.as_str(), text(&answer).as_str()), (reply.as_str(), "answer"));
    }
    assert_eq!(caller.reconnects(), 2);
    assert!(soon(&mut plain).await.is_none());
}

#[tokio::test]
async fn a_program_that_receives_all_messages_disturbs_no_subscription() {
    let Some(server) = NatsServer::start() else { return };
    let observer = async_nats::connect(server.url()).await.unwrap();
    let _all = observer.subscribe(">").await.unwrap();
    observer.flush().await.unwrap();
    let transport = connect(&server).await;
    let mut subscription = transport.subscribe("a", SubscribeOptions::default()).await.unwrap();
    transport.publish(message("a", "b")).await.unwrap();
    transport.flush().await.unwrap();
    assert_eq!(text(&next(&mut subscription).await), "b");
    transport.close().await;
}

#[tokio::test]
async fn operations_without_a_connection_fail_at_once() {
    let Some(mut server) = NatsServer::start() else { return };
    let transport = connect(&server).await;
    let mut subscription = transport.subscribe("a", SubscribeOptions::default()).await.unwrap();
    server.kill();
    wait_for(&transport, Health::Reconnecting).await;
    let start = Instant::now();
    let published = transport.publish(message("a", "lost")).await;
    let expected = format!("127.0.0.1:{}: the connection is lost, and the transport connects again", server.port());
    assert_eq!(published, Err(TransportError::Disconnected(expected)));
    let subscribed = transport.subscribe("b", SubscribeOptions::default()).await.map(drop);
    assert!(matches!(subscribed, Err(TransportError::Disconnected(_))), "{subscribed:?}");
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    // Closing ends subscriptions without a connection, too.
    tokio::time::timeout(Duration::from_secs(3), transport.close()).await.unwrap();
    assert!(tokio::time::timeout(LONG, subscription.next()).await.unwrap().is_none());
    assert_eq!(transport.health(), Health::Closed);
    assert_eq!(transport.publish(message("a", "late")).await, Err(TransportError::Closed));
}

#[tokio::test]
async fn messages_are_not_sent_after_the_time_at_which_they_failed() {
    let Some(mut server) = NatsServer::start() else { return };
    let transport = connect(&server).await;
    let mut subscription = transport.subscribe("a", SubscribeOptions::default()).await.unwrap();
    server.kill();
    wait_for(&transport, Health::Reconnecting).await;
    assert!(transport.publish(message("a", "failed")).await.is_err());
    server.restart();
    wait_for(&transport, Health::Connected).await;
    transport.publish(message("a", "second")).await.unwrap();
    assert_eq!(text(&next(&mut subscription).await), "second");
}

#[tokio::test]
async fn dropping_the_transport_ends_its_subscriptions() {
    let Some(server) = NatsServer::start() else { return };
    let transport = connect(&server).await;
    let clone = transport.clone();
    let mut subscription = transport.subscribe("a", SubscribeOptions::default()).await.unwrap();
    drop(transport);
    clone.publish(message("a", "first")).await.unwrap();
    assert_eq!(text(&next(&mut subscription).await), "first");
    drop(clone);
    assert!(tokio::time::timeout(LONG, subscription.next()).await.unwrap().is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_receivers_are_reported_and_bounded() {
    let Some(server) = NatsServer::start() else { return };
    let events = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&events);
    let slow = options(&server).capacity(32).on_event(move |event| seen.lock().unwrap().push(event.clone()));
    let slow = NatsTransport::connect(slow).await.unwrap();
    let sender = connect(&server).await;
    let mut subscription = slow.subscribe("a", SubscribeOptions::default()).await.unwrap();
    for index in 0..2000 {
        sender.publish(message("a", index.to_string())).await.unwrap();
    }
    eventually("the loss is counted", || slow.dropped() > 0).await;
    assert!(events.lock().unwrap().contains(&NatsEvent::SlowConsumer));
    // All messages have passed the subscription then.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let mut received = 0;
    while soon(&mut subscription).await.is_some() {
        received += 1;
    }
    assert_eq!(received, 32);
    assert_eq!(slow.health(), Health::Connected);
    sender.publish(message("a", "next")).await.unwrap();
    assert_eq!(text(&next(&mut subscription).await), "next");
}

#[tokio::test]
async fn missing_receivers_are_reported_at_once() {
    let Some(server) = NatsServer::start() else { return };
    let transport = connect(&server).await;
    let inbox = transport.new_inbox();
    assert!(inbox.starts_with("_INBOX."), "{inbox}");
    let mut replies = transport.subscribe(&format!("{inbox}.*"), SubscribeOptions::default()).await.unwrap();
    let start = Instant::now();
    for index in 0..100 {
        let reply_to = Some(format!("{inbox}.{index}"));
        transport.publish(Outgoing { reply_to, ..message("no.one", "x") }).await.unwrap();
        let event = next(&mut replies).await;
        assert_eq!((event.content, event.address), (IncomingContent::NoResponders, format!("{inbox}.{index}")));
    }
    assert!(start.elapsed() < Duration::from_secs(5), "{:?} for 100 requests", start.elapsed());
}

#[tokio::test]
async fn the_limit_of_the_server_applies() {
    let Some(server) = NatsServer::start_with("max_payload: 1024") else { return };
    let transport = connect(&server).await;
    assert_eq!(transport.max_message(), 1024);
    let result = transport.publish(message("a", vec![b'x'; 1025])).await;
    assert_eq!(result, Err(TransportError::TooLarge { size: 1025, limit: 1024 }));
    assert_eq!(transport.health(), Health::Connected);
}

#[tokio::test]
async fn addresses_of_the_server_itself_and_wildcards_are_rejected() {
    let Some(server) = NatsServer::start() else { return };
    let transport = connect(&server).await;
    let mut everything = transport.subscribe("a", SubscribeOptions::default()).await.unwrap();
    for address in ["$JS.API.STREAM.DELETE.x", "$SYS.REQ", "a.>", "a.*", "", "a b", "a\r\nPUB a 1\r\nx", ".a", "a."] {
        let published = transport.publish(message(address, "x")).await;
        assert!(matches!(published, Err(TransportError::Unsupported(_))), "{address}: {published:?}");
        let reply_to = Some(address.to_owned());
        let published = transport.publish(Outgoing { reply_to, ..message("a", "x") }).await;
        assert!(matches!(published, Err(TransportError::Unsupported(_))), "reply to {address}: {published:?}");
    }
    for address in [">", "*", "a.>", "a.*.b", "$SRV.PING"] {
        let subscribed = transport.subscribe(address, SubscribeOptions::default()).await.map(drop);
        assert!(matches!(subscribed, Err(TransportError::Unsupported(_))), "{address}: {subscribed:?}");
    }
    let subscribed = transport.subscribe("a", group("two words")).await.map(drop);
    assert!(matches!(subscribed, Err(TransportError::Refused(_))), "{subscribed:?}");
    assert!(soon(&mut everything).await.is_none());
}

#[tokio::test]
async fn a_subscription_that_the_user_may_not_make_is_refused() {
    let configuration = r#"
        authorization {
            users: [{
                user: ann, password: s3cret,
                permissions: { publish: "agents.>", subscribe: ["_INBOX.>", "agents.ann.>"] }
            }]
        }"#;
    let Some(server) = NatsServer::start_with(configuration) else { return };
    let url = format!("nats://ann:s3cret@127.0.0.1:{}", server.port());
    let transport = NatsTransport::connect(NatsOptions::new([url])).await.unwrap();
    for _ in 0..2 {
        let start = Instant::now();
        let refused = transport.subscribe("agents.bob.requests", group("bob")).await.map(drop);
        assert!(
            matches!(&refused, Err(TransportError::Refused(reason)) if reason.contains("agents.bob") && reason.contains("permissions") && !reason.contains("s3cret")),
            "{refused:?}"
        );
        assert!(start.elapsed() < Duration::from_secs(4), "{:?}; the limit is 5 seconds", start.elapsed());
    }
    // The user may not publish to an inbox either, with which subscriptions are confirmed.
    let mut allowed = transport.subscribe("agents.ann.requests", group("ann")).await.unwrap();
    transport.publish(message("agents.ann.requests", "x")).await.unwrap();
    assert_eq!(text(&next(&mut allowed).await), "x");
}

#[tokio::test]
async fn credentials_are_checked_and_never_shown() {
    let configuration = "authorization { user: ann, password: \"s3cret\" }";
    let Some(server) = NatsServer::start_with(configuration) else { return };
    let address = server.url();
    let good = NatsOptions::new([&address]).user_and_password("ann", "s3cret");
    let transport = NatsTransport::connect(good).await.unwrap();
    assert!(!format!("{transport:?}").contains("s3cret"));
    let with_password = format!("nats://ann:wr0ng@127.0.0.1:{}", server.port());
    for bad in [
        NatsOptions::new([&address]),
        NatsOptions::new([&address]).user_and_password("ann", "wr0ng"),
        NatsOptions::new([&address]).token("wr0ng"),
        NatsOptions::new([&with_password]),
        NatsOptions::new([&address]).nkey("SUwr0ng"),
        NatsOptions::new([&address]).credentials("wr0ng"),
        NatsOptions::new([&address]).credentials_file("/missing/file"),
    ] {
        let shown = format!("{bad:?}");
        let error = NatsTransport::connect(bad).await.map(drop).unwrap_err();
        assert!(matches!(error, TransportError::Refused(_)), "{shown}: {error:?}");
        assert!(!format!("{error:?} {error} {shown}").contains("wr0ng"), "{shown}: {error:?}");
        let text = error.to_string();
        // The last two are rejected before there is a connection.
        let names_the_server = text.contains(&format!("127.0.0.1:{}: ", server.port()));
        assert!(names_the_server || text.contains("the credentials file") || text.contains("nsc"), "{shown}: {text}");
    }
}

#[tokio::test]
async fn a_user_can_authenticate_with_a_key() {
    let key = nkeys::KeyPair::new_user();
    let configuration = format!("authorization {{ users: [{{ nkey: {} }}] }}", key.public_key());
    let Some(server) = NatsServer::start_with(&configuration) else { return };
    let transport = NatsTransport::connect(options(&server).nkey(key.seed().unwrap())).await.unwrap();
    assert_eq!(transport.health(), Health::Connected);
    let other = options(&server).nkey(nkeys::KeyPair::new_user().seed().unwrap());
    let refused = NatsTransport::connect(other).await.map(drop);
    assert!(matches!(refused, Err(TransportError::Refused(_))), "{refused:?}");
}

#[tokio::test]
async fn connecting_waits_for_the_server_only_on_request() {
    let Some(mut server) = NatsServer::start() else { return };
    server.kill();
    let start = Instant::now();
    let error = NatsTransport::connect(NatsOptions::new([server.url()])).await.map(drop).unwrap_err();
    assert!(matches!(error, TransportError::Disconnected(_)), "{error:?}");
    assert!(start.elapsed() < Duration::from_secs(2));
    let (text, port) = (error.to_string(), server.port());
    assert!(text.starts_with(&format!("not connected: 127.0.0.1:{port}: ")), "{text}");
    assert!(text.contains("check that a server listens there") && text.contains("wait_for_server"), "{text}");
    let waiting = NatsOptions::new([server.url()]).wait_for_server(LONG);
    let waiting = tokio::spawn(NatsTransport::connect(waiting));
    tokio::time::sleep(Duration::from_millis(100)).await;
    server.restart();
    let transport = waiting.await.unwrap().unwrap();
    assert_eq!(transport.health(), Health::Connected);
}

#[tokio::test]
async fn closing_twice_at_the_same_time_ends() {
    let Some(server) = NatsServer::start() else { return };
    let transport = connect(&server).await;
    let clone = transport.clone();
    tokio::time::timeout(LONG, async { tokio::join!(transport.close(), clone.close()) }).await.unwrap();
    // A `close` that is cancelled still closes.
    let transport = connect(&server).await;
    let mut subscription = transport.subscribe("a", SubscribeOptions::default()).await.unwrap();
    let _ = tokio::time::timeout(Duration::from_nanos(1), transport.close()).await;
    tokio::time::timeout(LONG, transport.close()).await.unwrap();
    assert!(tokio::time::timeout(LONG, subscription.next()).await.unwrap().is_none());
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_waits_longer_than_its_limit_for_a_server_that_does_not_answer() {
    let Some(server) = NatsServer::start() else { return };
    let limit = Duration::from_millis(500);
    let options = options(&server).operation_timeout(limit).jetstream(JetStreamOptions::new());
    let transport = NatsTransport::connect(options.clone()).await.unwrap();
    let other = NatsTransport::connect(options).await.unwrap();
    let mut subscription = transport.subscribe("a", SubscribeOptions::default()).await.unwrap();
    server.pause();
    let start = Instant::now();
    let subscribed = transport.subscribe("b", SubscribeOptions::default()).await.map(drop);
    assert!(matches!(subscribed, Err(TransportError::Disconnected(_))), "{subscribed:?}");
    let stored = transport.publish(stored("a", "x")).await;
    assert!(matches!(stored, Err(TransportError::Disconnected(_))), "{stored:?}");
    // Messages wait in buffers, which have an end.
    let overloaded = loop {
        if let Err(error) = transport.publish(message("b", vec![b'x'; 100_000])).await {
            break error;
        }
    };
    assert_eq!(overloaded, TransportError::Overloaded);
    other.close().await;
    assert_eq!(other.health(), Health::Closed);
    assert!(start.elapsed() < limit * 10, "{:?}", start.elapsed());
    server.resume();
    eventually("messages are sent again", || transport.health() == Health::Connected).await;
    let start = Instant::now();
    while transport.publish(message("a", "after")).await.is_err() {
        assert!(start.elapsed() < LONG);
    }
    assert_eq!(text(&next(&mut subscription).await), "after");
}
