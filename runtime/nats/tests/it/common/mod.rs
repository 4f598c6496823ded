//! Helpers of the tests of the transport.
#![allow(dead_code, reason = "each test program uses some of them")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use std::time::{Duration, Instant};

use bytes::Bytes;
use capgen_call::{
    Delivery, Health, Incoming, IncomingContent, Outgoing, SubscribeOptions, Subscription, Transport as _,
};
use capgen_nats::{JetStreamOptions, NatsOptions, NatsTransport};
use capgen_testkit::brokers::NatsServer;

pub(crate) const LONG: Duration = Duration::from_secs(20);
pub(crate) const SHORT: Duration = Duration::from_millis(300);

pub(crate) fn options(server: &NatsServer) -> NatsOptions {
    NatsOptions::new([server.url()]).max_reconnect_delay(Duration::from_millis(100))
}

pub(crate) async fn connect(server: &NatsServer) -> NatsTransport {
    NatsTransport::connect(options(server)).await.unwrap()
}

pub(crate) async fn open(server: &NatsServer, jetstream: JetStreamOptions) -> NatsTransport {
    NatsTransport::connect(options(server).jetstream(jetstream)).await.unwrap()
}

pub(crate) fn message(address: &str, payload: impl Into<Bytes>) -> Outgoing {
    static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    Outgoing {
        address: address.to_owned(),
        reply_to: None,
        payload: payload.into(),
        delivery: Delivery::AtMostOnce,
        message_id: format!("{}-{number}", std::process::id()),
    }
}

pub(crate) fn stored(address: &str, payload: impl Into<Bytes>) -> Outgoing {
    Outgoing { delivery: Delivery::AtLeastOnce, ..message(address, payload) }
}

pub(crate) fn group(name: &str) -> SubscribeOptions {
    SubscribeOptions { group: Some(name.to_owned()), ..SubscribeOptions::default() }
}

pub(crate) fn durable(name: &str) -> SubscribeOptions {
    SubscribeOptions { delivery: Delivery::AtLeastOnce, ..group(name) }
}

pub(crate) async fn next(subscription: &mut Subscription) -> Incoming {
    tokio::time::timeout(LONG, subscription.next()).await.expect("a message arrives").expect("the subscription goes on")
}

pub(crate) async fn soon(subscription: &mut Subscription) -> Option<Incoming> {
    tokio::time::timeout(SHORT, subscription.next()).await.ok().flatten()
}

pub(crate) fn text(incoming: &Incoming) -> String {
    match &incoming.content {
        IncomingContent::Message(payload) => String::from_utf8(payload.to_vec()).unwrap(),
        event => panic!("{event:?}"),
    }
}

pub(crate) async fn wait_for(transport: &NatsTransport, health: Health) {
    eventually("the health changes", || transport.health() == health).await;
}

pub(crate) async fn eventually(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < LONG, "{what}: not within {LONG:?}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
