//! Helpers of the checks: connections, unique addresses, and waiting with a limit.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::Connect;
use crate::transport::{Delivery, Incoming, IncomingContent, Outgoing, SubscribeOptions, Subscription, Transport};

/// Longer than any step takes on a busy machine.
pub(super) const LONG: Duration = Duration::from_secs(5);
/// How long a check waits for messages that must not arrive. Brokers on the same machine deliver in a few ms, and each
/// such check takes this time.
pub(super) const SHORT: Duration = Duration::from_millis(150);

pub(super) struct Harness<'a> {
    check: &'static str,
    connect: Connect<'a>,
    run: String,
}

impl<'a> Harness<'a> {
    pub(super) fn new(check: &'static str, connect: Connect<'a>) -> Self {
        Self { check, connect, run: uuid::Uuid::new_v4().simple().to_string() }
    }

    pub(super) async fn connect(&self) -> Result<Arc<dyn Transport>, String> {
        (self.connect)().await.map_err(|error| format!("cannot connect: {error}"))
    }

    /// An address that no other check and no other run uses.
    pub(super) fn address(&self, name: &str) -> String {
        format!("conformance.{}.{}.{name}", self.check, self.run)
    }
}

pub(super) fn message(address: &str, payload: impl Into<Bytes>) -> Outgoing {
    Outgoing {
        address: address.to_owned(),
        reply_to: None,
        payload: payload.into(),
        delivery: Delivery::AtMostOnce,
        message_id: uuid::Uuid::new_v4().to_string(),
    }
}

pub(super) fn number(address: &str, number: usize) -> Outgoing {
    message(address, number.to_string())
}

pub(super) async fn send(transport: &Arc<dyn Transport>, message: Outgoing) -> Result<(), String> {
    match tokio::time::timeout(LONG, transport.publish(message)).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(format!("publish failed: {error}")),
        Err(_) => Err("publish does not end".to_owned()),
    }
}

pub(super) async fn subscribe(transport: &Arc<dyn Transport>, address: &str) -> Result<Subscription, String> {
    subscribe_with(transport, address, SubscribeOptions::default()).await
}

pub(super) async fn subscribe_with(
    transport: &Arc<dyn Transport>,
    address: &str,
    options: SubscribeOptions,
) -> Result<Subscription, String> {
    match tokio::time::timeout(LONG, transport.subscribe(address, options)).await {
        Ok(Ok(subscription)) => Ok(subscription),
        Ok(Err(error)) => Err(format!("subscribe failed: {error}")),
        Err(_) => Err("subscribe does not end".to_owned()),
    }
}

/// The next event; an error if there is none for a long time.
pub(super) async fn next(subscription: &mut Subscription) -> Result<Incoming, String> {
    match tokio::time::timeout(LONG, subscription.next()).await {
        Ok(Some(incoming)) => Ok(incoming),
        Ok(None) => Err("the subscription ended".to_owned()),
        Err(_) => Err("no message arrived".to_owned()),
    }
}

/// The next event, if there is one soon.
pub(super) async fn soon(subscription: &mut Subscription) -> Option<Incoming> {
    tokio::time::timeout(SHORT, subscription.next()).await.ok().flatten()
}

pub(super) fn payload(incoming: &Incoming) -> Result<&Bytes, String> {
    match &incoming.content {
        IncomingContent::Message(payload) => Ok(payload),
        event => Err(format!("{event:?} instead of a message")),
    }
}

/// The numbers that subscriptions receive together: as many as expected, which may take long, and those that arrive
/// soon after them.
pub(super) async fn numbers(subscriptions: &mut [&mut Subscription], expected: usize) -> Result<Vec<usize>, String> {
    let start = Instant::now();
    let mut numbers = Vec::new();
    while numbers.len() < expected && start.elapsed() < LONG {
        numbers.extend(arrived(subscriptions, Duration::from_millis(5)).await?);
    }
    numbers.extend(arrived(subscriptions, SHORT).await?);
    Ok(numbers)
}

/// The numbers that have arrived, until each subscription has none for some time.
async fn arrived(subscriptions: &mut [&mut Subscription], pause: Duration) -> Result<Vec<usize>, String> {
    let mut numbers = Vec::new();
    for subscription in subscriptions {
        while let Ok(Some(incoming)) = tokio::time::timeout(pause, subscription.next()).await {
            numbers.push(parsed(&incoming)?);
        }
    }
    Ok(numbers)
}

pub(super) fn parsed(incoming: &Incoming) -> Result<usize, String> {
    let text = std::str::from_utf8(payload(incoming)?).map_err(|error| error.to_string())?;
    text.parse().map_err(|_| format!("the payload {text:?} is not the number that was sent"))
}

pub(super) fn ensure(condition: bool, problem: impl FnOnce() -> String) -> Result<(), String> {
    if condition { Ok(()) } else { Err(problem()) }
}
