//! Messages of the client as events of a transport.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use async_nats::{StatusCode, Subscriber};
use capgen_call::{BoxFuture, Incoming, IncomingContent, Stoppable};
use futures_core::Stream;

use crate::transport::Link;

/// The messages of one subscription of the client.
pub(crate) struct Messages {
    subscriber: Subscriber,
    link: Arc<Link>,
    /// A client that is not connected does not end its subscriptions, so the end of the transport is awaited too.
    closed: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl Messages {
    pub(crate) fn new(subscriber: Subscriber, link: &Arc<Link>) -> Self {
        Self { subscriber, link: Arc::clone(link), closed: Box::pin(link.closed()) }
    }

    /// The next message; `None` if the transport is closed.
    pub(crate) async fn next(&mut self) -> Option<Incoming> {
        std::future::poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }
}

impl Stream for Messages {
    type Item = Incoming;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Incoming>> {
        loop {
            match Pin::new(&mut self.subscriber).poll_next(context) {
                Poll::Ready(Some(message)) => {
                    if let Some(incoming) = incoming(message) {
                        return Poll::Ready(Some(incoming));
                    }
                }
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending => return self.closed.as_mut().poll(context).map(|()| None),
            }
        }
    }
}

/// After so many messages, a subscription that stops would end: more than any has. The server reads no number with more
/// than nine digits, and ends the subscription at once, whereas the client still expects messages. When it ends a
/// subscription itself, it drops those that are on their way. A server that reads the number sends messages until the
/// subscription is dropped, which then drops those that are on their way.
const ENDLESS: u64 = 10_000_000_000;

impl Stoppable for Messages {
    fn stop(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            if self.subscriber.unsubscribe_after(ENDLESS).await.is_ok() {
                // The answer arrives after the messages that the server sent before.
                let _ = self.link.round_trip().await;
            }
        })
    }
}

/// A message as an event. `None` for a status that is not about a request.
fn incoming(message: async_nats::Message) -> Option<Incoming> {
    let content = match message.status {
        None => IncomingContent::Message(message.payload),
        Some(StatusCode::NO_RESPONDERS) => IncomingContent::NoResponders,
        Some(_) => return None,
    };
    Some(Incoming {
        address: message.subject.into_string(),
        reply_to: message.reply.map(async_nats::Subject::into_string),
        content,
        redelivered: false,
        acknowledgement: None,
    })
}

/// The messages of both guarantees. They take turns, so that a flood of one kind does not delay the other.
pub(crate) struct Both<S> {
    messages: Messages,
    durable: S,
    durable_first: bool,
}

impl<S: Stream<Item = Incoming> + Unpin> Both<S> {
    pub(crate) fn new(messages: Messages, durable: S) -> Self {
        Self { messages, durable, durable_first: false }
    }
}

impl<S: Stream<Item = Incoming> + Unpin> Stream for Both<S> {
    type Item = Incoming;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Incoming>> {
        self.durable_first = !self.durable_first;
        for durable in [self.durable_first, !self.durable_first] {
            let next = if durable {
                Pin::new(&mut self.durable).poll_next(context)
            } else {
                Pin::new(&mut self.messages).poll_next(context)
            };
            // Both end with the transport, and only then.
            if next.is_ready() {
                return next;
            }
        }
        Poll::Pending
    }
}

impl<S: Stream<Item = Incoming> + Send + Unpin + 'static> Stoppable for Both<S> {
    /// Stored messages that are not read go to other members of the group.
    fn stop(&mut self) -> BoxFuture<'_, ()> {
        self.messages.stop()
    }
}
