//! A transport that changes the messages of another one.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use capgen::call::{BoxFuture, Health, Incoming, Outgoing, SubscribeOptions, Subscription, Transport, TransportError};
use futures_core::Stream;
use tokio::sync::watch;

/// Sends a message with a fault. It gets the transport below, and the number of the message, counted from 0.
pub(crate) type Action =
    Arc<dyn Fn(Arc<dyn Transport>, Outgoing, u32) -> BoxFuture<'static, Result<(), TransportError>> + Send + Sync>;

/// A transport that sends its messages with a fault, and may stop to read.
pub(crate) struct Injected {
    inner: Arc<dyn Transport>,
    action: Action,
    sent: AtomicU32,
    /// The capacity of its subscriptions, and whether they are read.
    reading: Option<(usize, watch::Receiver<bool>)>,
}

impl Injected {
    pub(crate) fn new(inner: Arc<dyn Transport>, action: Action) -> Arc<Self> {
        Arc::new(Self { inner, action, sent: AtomicU32::new(0), reading: None })
    }

    /// A transport whose subscriptions have room for a few messages, and are only read while the channel contains
    /// `true`.
    pub(crate) fn stalling(inner: Arc<dyn Transport>, capacity: usize, reading: watch::Receiver<bool>) -> Arc<Self> {
        let action: Action = Arc::new(|inner, message, _| Box::pin(async move { inner.publish(message).await }));
        Arc::new(Self { inner, action, sent: AtomicU32::new(0), reading: Some((capacity, reading)) })
    }
}

/// Applies `change` to the first message; the others are sent as they are.
pub(crate) fn first<F>(change: impl Fn(Arc<dyn Transport>, Outgoing) -> F + Send + Sync + 'static) -> Action
where
    F: Future<Output = Result<(), TransportError>> + Send + 'static,
{
    Arc::new(move |inner, message, number| {
        if number == 0 {
            return Box::pin(change(inner, message));
        }
        Box::pin(async move { inner.publish(message).await })
    })
}

/// The first message is lost.
pub(crate) fn lose() -> Action {
    first(|_, _| async { Ok(()) })
}

/// The first message is sent twice.
pub(crate) fn duplicate() -> Action {
    first(|inner, message| async move {
        inner.publish(message.clone()).await?;
        inner.publish(message).await
    })
}

/// The first message is sent later.
pub(crate) fn delay(by: Duration) -> Action {
    first(move |inner, message| async move {
        tokio::spawn(async move {
            tokio::time::sleep(by).await;
            let _ = inner.publish(message).await;
        });
        Ok(())
    })
}

/// The first message is sent after the second one.
pub(crate) fn swap() -> Action {
    let (sender, receiver) = watch::channel(false);
    let sender = Arc::new(sender);
    Arc::new(move |inner, message, number| {
        let (sender, mut second_is_sent) = (Arc::clone(&sender), receiver.clone());
        Box::pin(async move {
            if number == 0 {
                let _ = second_is_sent.wait_for(|sent| *sent).await;
            }
            let sent = inner.publish(message).await;
            if number == 1 {
                sender.send_replace(true);
            }
            sent
        })
    })
}

/// The text of the first message is changed.
pub(crate) fn rewrite(change: fn(&str) -> String) -> Action {
    first(move |inner, message| async move {
        let payload = Bytes::from(change(std::str::from_utf8(&message.payload).expect("an envelope")));
        inner.publish(Outgoing { payload, ..message }).await
    })
}

/// A message with a changed text is sent before the first message.
pub(crate) fn precede(change: fn(&str) -> String) -> Action {
    first(move |inner, message| async move {
        let payload = Bytes::from(change(std::str::from_utf8(&message.payload).expect("an envelope")));
        inner.publish(Outgoing { payload, ..message.clone() }).await?;
        inner.publish(message).await
    })
}

impl Transport for Injected {
    fn kind(&self) -> &'static str {
        self.inner.kind()
    }

    fn publish(&self, message: Outgoing) -> BoxFuture<'_, Result<(), TransportError>> {
        let number = self.sent.fetch_add(1, Ordering::SeqCst);
        (self.action)(Arc::clone(&self.inner), message, number)
    }

    fn subscribe(
        &self,
        address: &str,
        options: SubscribeOptions,
    ) -> BoxFuture<'_, Result<Subscription, TransportError>> {
        let Some((capacity, reading)) = self.reading.clone() else { return self.inner.subscribe(address, options) };
        let address = address.to_owned();
        Box::pin(async move {
            let inner = self.inner.subscribe(&address, SubscribeOptions { capacity, ..options }).await?;
            let (sender, receiver) = tokio::sync::mpsc::channel(1);
            tokio::spawn(forward(inner, reading, sender));
            Ok(Subscription::new(Received(receiver)))
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

    fn dropped(&self) -> u64 {
        self.inner.dropped()
    }

    fn flush(&self) -> BoxFuture<'_, Result<(), TransportError>> {
        self.inner.flush()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.inner.close()
    }
}

async fn forward(
    mut inner: Subscription,
    mut reading: watch::Receiver<bool>,
    sender: tokio::sync::mpsc::Sender<Incoming>,
) {
    loop {
        if reading.wait_for(|reading| *reading).await.is_err() {
            return;
        }
        let Some(incoming) = inner.next().await else { return };
        if sender.send(incoming).await.is_err() {
            return;
        }
    }
}

struct Received(tokio::sync::mpsc::Receiver<Incoming>);

impl Stream for Received {
    type Item = Incoming;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Incoming>> {
        Poll::Ready(ready!(self.0.poll_recv(context)))
    }
}
