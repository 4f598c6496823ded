//! Connections that are cut at the worst moments.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::common;
use crate::common::{LONG, durable, eventually, group, message, next, open, soon, stored, text};
use capgen_call::{Health, Outgoing, SubscribeOptions, Transport as _, TransportError};
use capgen_nats::{JetStreamOptions, NatsOptions, NatsTransport};
use capgen_testkit::brokers::{Cut, NatsServer, Proxy};

fn options(proxy: &Proxy) -> NatsOptions {
    NatsOptions::new([proxy.url()]).max_reconnect_delay(Duration::from_millis(50)).jetstream(JetStreamOptions::new())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stored_message_whose_confirmation_is_lost_can_be_repeated() {
    let Some(server) = NatsServer::start() else { return };
    let proxy = Proxy::start(server.port());
    let sender = NatsTransport::connect(options(&proxy)).await.unwrap();
    let receiver = open(&server, JetStreamOptions::new()).await;
    let mut subscription = receiver.subscribe("a", durable("g")).await.unwrap();
    for (cut, content) in [
        (Cut::BeforeRequest, "first"),
        (Cut::AfterRequest, "second"),
        // The confirmation.
        (Cut::BeforeResponse, "\"stream\""),
        (Cut::AfterResponse, "\"stream\""),
    ] {
        proxy.cut_at(cut, content);
        let cuts = proxy.cuts();
        let message = stored("a", content);
        let start = Instant::now();
        let mut attempts = 0;
        // The same message with the same id, until it is confirmed.
        while let Err(error) = sender.publish(message.clone()).await {
            assert!(matches!(error, TransportError::Disconnected(_)), "{cut:?}: {error:?}");
            attempts += 1;
            assert!(start.elapsed() < LONG, "{cut:?}: {attempts} attempts");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        eventually("the connection is cut", || proxy.cuts() > cuts).await;
        let incoming = next(&mut subscription).await;
        assert_eq!(text(&incoming), content);
        incoming.acknowledgement.unwrap().ack().await.unwrap();
        assert!(soon(&mut subscription).await.is_none(), "{cut:?}: the message arrived twice");
        eventually("connected again", || sender.health() == Health::Connected).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_stored_message_is_lost_while_connections_are_cut() {
    let Some(server) = NatsServer::start() else { return };
    let (sending, receiving) = (Proxy::start(server.port()), Proxy::start(server.port()));
    let sender = NatsTransport::connect(options(&sending)).await.unwrap();
    let jetstream = JetStreamOptions::new().ack_wait(Duration::from_secs(1));
    let receiver = NatsTransport::connect(options(&receiving).jetstream(jetstream)).await.unwrap();
    let mut subscription = receiver.subscribe("a", durable("g")).await.unwrap();
    let publishing = tokio::spawn(async move {
        let mut failures = 0;
        for index in 0..300 {
            let message = stored("a", index.to_string());
            while sender.publish(message.clone()).await.is_err() {
                failures += 1;
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            if index % 60 == 30 {
                sending.cut();
            }
        }
        failures
    });
    let mut processed = BTreeSet::new();
    let start = Instant::now();
    let mut deliveries = 0;
    while processed.len() < 300 {
        assert!(start.elapsed() < LONG * 2, "{} of 300 messages are processed", processed.len());
        let Some(incoming) = soon(&mut subscription).await else { continue };
        deliveries += 1;
        let content = text(&incoming);
        if deliveries % 70 == 35 {
            receiving.cut();
        }
        if incoming.acknowledgement.unwrap().ack().await.is_ok() {
            processed.insert(content);
        }
    }
    println!("300 messages, {} failed attempts, {deliveries} deliveries", publishing.await.unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_end_after_a_cut_and_the_next_ones_succeed() {
    let Some(server) = NatsServer::start() else { return };
    let proxy = Proxy::start(server.port());
    let caller = NatsTransport::connect(options(&proxy)).await.unwrap();
    let provider = common::connect(&server).await;
    let mut requests = provider.subscribe("a", group("g")).await.unwrap();
    tokio::spawn(async move {
        while let Some(request) = requests.next().await {
            let answer = format!("answer to {}", text(&request));
            let _ = provider.publish(message(&request.reply_to.unwrap(), answer)).await;
        }
    });
    let inbox = caller.new_inbox();
    let mut replies = caller.subscribe(&format!("{inbox}.*"), SubscribeOptions::default()).await.unwrap();
    for cut in [Cut::BeforeRequest, Cut::AfterRequest, Cut::BeforeResponse, Cut::AfterResponse] {
        let content = format!("{cut:?}");
        let passing = if matches!(cut, Cut::BeforeResponse | Cut::AfterResponse) { "answer" } else { content.as_str() };
        proxy.cut_at(cut, passing);
        let cuts = proxy.cuts();
        let reply_to = Some(format!("{inbox}.1"));
        let request = Outgoing { reply_to, ..message("a", content.clone()) };
        caller.publish(request.clone()).await.unwrap();
        eventually("the connection is cut", || proxy.cuts() > cuts).await;
        // At most once: the answer may be lost, but nothing else arrives.
        while let Some(reply) = soon(&mut replies).await {
            assert_eq!(text(&reply), format!("answer to {content}"));
        }
        eventually("connected again", || caller.health() == Health::Connected).await;
        caller.publish(request).await.unwrap();
        assert_eq!(text(&next(&mut replies).await), format!("answer to {content}"), "{cut:?}");
    }
    assert_eq!(caller.reconnects(), 4);
}
