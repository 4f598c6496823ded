//! Subscriptions with a capacity of their own. The client gives all of its subscriptions the same capacity, so a task
//! moves the messages to a queue with the right one, and drops those for which it has no room.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use capgen_call::{BoxFuture, Incoming, Stoppable};
use futures_core::Stream;
use tokio::sync::mpsc::{self, error::TrySendError};
use tokio::sync::oneshot;

use crate::subscription::Messages;
use crate::transport::{Link, Observer, poll_once};

/// The first `capacity` messages that were not read yet.
pub(crate) fn limited(messages: Messages, capacity: usize, link: &Link) -> Limited {
    let ((sender, received), (stop, stopping)) = (mpsc::channel(capacity), oneshot::channel());
    let mover = Mover { messages, sender, observer: Arc::clone(&link.observer) };
    tokio::spawn(mover.run(stopping));
    Limited { received, stop: Some(stop) }
}

/// The receiving end of the queue.
pub(crate) struct Limited {
    received: mpsc::Receiver<Incoming>,
    /// Taken by the first stop.
    stop: Option<oneshot::Sender<oneshot::Sender<()>>>,
}

impl Stream for Limited {
    type Item = Incoming;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Incoming>> {
        self.received.poll_recv(context)
    }
}

impl Stoppable for Limited {
    fn stop(&mut self) -> BoxFuture<'_, ()> {
        let stop = self.stop.take();
        Box::pin(async move {
            let (done, is_done) = oneshot::channel();
            if stop.is_some_and(|stop| stop.send(done).is_ok()) {
                // An error means that the transport is closed.
                let _ = is_done.await;
            }
        })
    }
}

/// Moves the messages of the client to the queue.
struct Mover {
    messages: Messages,
    sender: mpsc::Sender<Incoming>,
    observer: Arc<Observer>,
}

impl Mover {
    async fn run(mut self, stopping: oneshot::Receiver<oneshot::Sender<()>>) {
        let mut stopping = Some(stopping);
        loop {
            let stop = async {
                match stopping.as_mut() {
                    Some(stopping) => stopping.await.ok(),
                    None => std::future::pending().await,
                }
            };
            let incoming = tokio::select! {
                incoming = self.messages.next() => incoming,
                done = stop => {
                    stopping = None;
                    // An error means that the subscription was dropped.
                    let Some(done) = done else { return };
                    self.stop().await;
                    let _ = done.send(());
                    continue;
                }
                () = self.sender.closed() => None,
            };
            let Some(incoming) = incoming else { return };
            self.push(incoming);
        }
    }

    fn push(&self, incoming: Incoming) {
        if let Err(TrySendError::Full(_)) = self.sender.try_send(incoming) {
            self.observer.count_dropped();
        }
    }

    /// Ends the subscription at the broker, and moves the messages that it has sent.
    async fn stop(&mut self) {
        self.messages.stop().await;
        while let Some(incoming) = self.ready().await {
            self.push(incoming);
        }
    }

    /// The next message, if it has arrived.
    async fn ready(&mut self) -> Option<Incoming> {
        if let Poll::Ready(incoming) = poll_once(pin!(self.messages.next())).await { incoming } else { None }
    }
}
