//! Subscriptions with a capacity of their own. The client gives all of its subscriptions the same capacity, so a task
//! moves the messages to a queue with the right one, and drops those for which it has no room.

use std::pin::Pin;
use std::task::{Context, Poll};

use capgen_call::Incoming;
use futures_core::Stream;
use std::sync::Arc;
use tokio::sync::mpsc::{self, error::TrySendError};

use crate::subscription::Messages;
use crate::transport::Link;

/// The first `capacity` messages that were not read yet.
pub(crate) fn limited(mut messages: Messages, capacity: usize, link: &Link) -> impl Stream<Item = Incoming> + use<> {
    let (sender, receiver) = mpsc::channel(capacity);
    let observer = Arc::clone(&link.observer);
    tokio::spawn(async move {
        loop {
            let incoming = tokio::select! {
                incoming = messages.next() => incoming,
                () = sender.closed() => None,
            };
            let Some(incoming) = incoming else { return };
            if let Err(TrySendError::Full(_)) = sender.try_send(incoming) {
                observer.count_dropped();
            }
        }
    });
    Received(receiver)
}

/// The receiving end of a queue as a stream.
pub(crate) struct Received(pub(crate) mpsc::Receiver<Incoming>);

impl Stream for Received {
    type Item = Incoming;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Incoming>> {
        self.0.poll_recv(context)
    }
}
