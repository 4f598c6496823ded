//! Messages that a broker stored: their deadlines, and their return to the broker.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context as Poller, Poll};
use std::time::Duration;

use capgen::call::{
    Acknowledgement, BoxFuture, Context, Delivery, Handlers, Health, Incoming, IncomingContent, MemoryBroker,
    MemoryTransport, Outgoing, Server, ServerBuilder, SubscribeOptions, Subscription, Transport, TransportError,
};
use futures_core::Stream;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::fixture::raw::{agent_keys, code, now, signed_by};

/// A transport that gives all messages as if a broker had stored them.
struct Storing {
    inner: MemoryTransport,
    returned: Arc<AtomicUsize>,
}

/// Counts the messages that are returned.
struct Stored(Arc<AtomicUsize>);

impl Acknowledgement for Stored {
    fn ack(self: Box<Self>) -> BoxFuture<'static, Result<(), TransportError>> {
        Box::pin(async { Ok(()) })
    }

    fn nak(self: Box<Self>) -> BoxFuture<'static, Result<(), TransportError>> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Box::pin(async { Ok(()) })
    }

    fn in_progress(&self) -> BoxFuture<'_, Result<(), TransportError>> {
        Box::pin(async { Ok(()) })
    }
}

/// The messages of a channel.
struct Messages(mpsc::UnboundedReceiver<Incoming>);

impl Stream for Messages {
    type Item = Incoming;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Poller<'_>) -> Poll<Option<Incoming>> {
        self.0.poll_recv(context)
    }
}

impl Transport for Storing {
    fn kind(&self) -> &'static str {
        self.inner.kind()
    }

    fn publish(&self, message: Outgoing) -> BoxFuture<'_, Result<(), TransportError>> {
        self.inner.publish(message)
    }

    fn subscribe(
        &self,
        address: &str,
        options: SubscribeOptions,
    ) -> BoxFuture<'_, Result<Subscription, TransportError>> {
        let address = address.to_owned();
        Box::pin(async move {
            let mut messages = self.inner.subscribe(&address, options).await?;
            let (sender, receiver) = mpsc::unbounded_channel();
            let returned = Arc::clone(&self.returned);
            tokio::spawn(async move {
                while let Some(incoming) = messages.next().await {
                    let acknowledgement: Box<dyn Acknowledgement> = Box::new(Stored(Arc::clone(&returned)));
                    let _ = sender.send(Incoming { acknowledgement: Some(acknowledgement), ..incoming });
                }
            });
            Ok(Subscription::new(Messages(receiver)))
        })
    }

    fn new_inbox(&self) -> String {
        self.inner.new_inbox()
    }

    fn max_message(&self) -> usize {
        self.inner.max_message()
    }

    fn health(&self) -> Health {
        self.inner.health()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.inner.close()
    }
}

/// A server of stored messages, and a connection to it.
struct Fixture {
    _server: Server,
    sender: MemoryTransport,
    replies: Subscription,
    returned: Arc<AtomicUsize>,
}

impl Fixture {
    async fn start(handlers: Handlers, server: impl FnOnce(ServerBuilder) -> ServerBuilder) -> Self {
        let (broker, returned) = (MemoryBroker::new(), Arc::new(AtomicUsize::new(0)));
        let storing = Arc::new(Storing { inner: broker.connect(), returned: Arc::clone(&returned) });
        let server = server(Server::builder(handlers).listen(storing, "echo.requests")).start().await.unwrap();
        let sender = broker.connect();
        let replies = sender.subscribe("replies.*", SubscribeOptions::default()).await.unwrap();
        Self { _server: server, sender, replies, returned }
    }

    async fn send(&self, id: &str, from: &str, deadline: u64, headers: Value) {
        let request = json!({
            "version": 1, "kind": "request", "messageId": id, "correlationId": format!("c-{id}"),
            "from": format!("agent://{from}"), "to": "agent://echo", "capability": "say",
            "replyTo": format!("memory://replies.{id}"), "deadline": deadline, "headers": headers, "payload": {},
        });
        let text = request.to_string();
        let is_proved = ["slow", "quick"].contains(&from);
        let message = Outgoing {
            address: "echo.requests".to_owned(),
            reply_to: None,
            payload: if is_proved { signed_by(&text, from, "a1") } else { text }.into(),
            delivery: Delivery::AtMostOnce,
            message_id: String::new(),
        };
        self.sender.publish(message).await.unwrap();
    }

    async fn response(&mut self) -> Value {
        let incoming = tokio::time::timeout(Duration::from_secs(5), self.replies.next()).await.unwrap().unwrap();
        let IncomingContent::Message(text) = incoming.content else { panic!("no responders") };
        serde_json::from_slice(&text).unwrap()
    }
}

/// Handlers that respond with the remaining time in s.
fn remaining() -> Handlers {
    Handlers::new("echo").with_loose("say", async |context: Context, _| {
        Ok(json!(context.remaining().map(|rest| rest.as_secs_f64().round())))
    })
}

#[tokio::test]
async fn the_deadline_of_a_stored_message_counts_and_not_the_time_that_remained() {
    let mut fixture = Fixture::start(remaining(), |server| server).await;
    // The message was written long before it is read.
    let headers = json!({"capgen-timeout-ms": "1000"});
    fixture.send("1", "a", now() + 60_000, headers.clone()).await;
    let response = fixture.response().await;
    assert_eq!((&*code(&response), response["payload"].as_f64()), ("ok", Some(60.0)), "{response}");
    // The clocks of the caller and the provider may differ by five minutes.
    fixture.send("2", "a", now() - 4 * 60_000, headers.clone()).await;
    assert_eq!(code(&fixture.response().await), "ok");
    fixture.send("3", "a", now() - 6 * 60_000, headers.clone()).await;
    let response = fixture.response().await;
    assert_eq!(code(&response), "EAGENTRPC_DEADLINE_EXCEEDED");
    assert_eq!(response["payload"]["effect"], "none");
    fixture.send("4", "a", now() + 20 * 60_000, headers).await;
    assert_eq!(code(&fixture.response().await), "EAGENTRPC_INVALID_ENVELOPE");
}

#[tokio::test]
async fn a_stored_message_of_a_caller_above_its_share_returns_to_the_broker() {
    let handlers = Handlers::new("echo").with_loose("say", async |context: Context, _| {
        let is_slow = context.caller() == "slow";
        tokio::time::sleep(Duration::from_secs(if is_slow { 600 } else { 0 })).await;
        Ok(json!("done"))
    });
    let keys = agent_keys(&["slow", "quick"]);
    let limited = |server: ServerBuilder| server.max_concurrent(8).max_waiting(8).at_least_once().keys(keys);
    let mut fixture = Fixture::start(handlers, limited).await;
    for number in 0..18 {
        fixture.send(&format!("s{number}"), "slow", now() + 60_000, json!({})).await;
    }
    fixture.send("q", "quick", now() + 60_000, json!({})).await;
    let response = fixture.response().await;
    assert_eq!((&*code(&response), response["to"].as_str()), ("ok", Some("agent://quick")));
    // Another instance gets the two that are above the share of the first caller.
    assert_eq!(fixture.returned.load(Ordering::SeqCst), 2);
}
