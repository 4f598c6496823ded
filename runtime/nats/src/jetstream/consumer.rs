//! Receiving stored messages.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use async_nats::{StatusCode, Subscriber, jetstream};
use bytes::Bytes;
use capgen_call::{Incoming, IncomingContent, TransportError};
use capgen_time::Backoff;
use futures_core::Stream;
use tokio::sync::mpsc;

use super::acknowledgement::Delivered;
use super::{JetStream, REPLY_TO};
use crate::subject;

/// How many messages one request asks for, unless the subscription has a smaller capacity. The server regards all of
/// them as being processed, so with a larger number a slow subscriber would keep messages from others; a smaller one
/// takes more requests.
const BATCH: usize = 64;
/// How long the server keeps a request for messages. A subscriber that ended without notice keeps its request for no
/// more than this time.
const EXPIRES: Duration = Duration::from_secs(5);
/// How often the server shows that it still has the request. The server permits at most half of [`EXPIRES`].
const HEARTBEAT: Duration = Duration::from_secs(2);
/// Without a sign for so long, the request is lost. Longer than [`EXPIRES`] and than three heartbeats, so a slow
/// network does not look like a lost request.
const SILENCE: Duration = Duration::from_secs(7);
/// The pauses before the attempts to find the stream again.
const BACKOFF: Backoff = Backoff::new(Duration::from_millis(50), Duration::from_secs(1));

/// The durable consumer of a group.
pub(super) struct Consumer {
    pub(super) jetstream: JetStream,
    pub(super) filter: String,
    pub(super) name: String,
    /// The capacity of the subscription; `0` for the default.
    pub(super) batch: usize,
}

/// Why receiving ended.
enum End {
    /// The subscription is dropped, or the transport is closed.
    Unsubscribed,
    /// The server no longer has the request.
    Lost,
}

impl Consumer {
    /// Creates the consumer, and receives its messages in a task.
    pub(super) async fn start(self) -> Result<Stored, TransportError> {
        let stream = self.jetstream.create_consumer(&self.name, &self.filter).await?;
        // The other messages of a batch wait in the client.
        let (sender, receiver) = mpsc::channel(1);
        tokio::spawn(self.run(stream, sender));
        Ok(Stored(receiver))
    }

    async fn run(self, mut stream: String, sender: mpsc::Sender<Incoming>) {
        let mut closed = pin!(self.jetstream.link.closed());
        loop {
            let end = tokio::select! {
                end = self.receive(&stream, &sender) => end,
                () = &mut closed => End::Unsubscribed,
            };
            if matches!(end, End::Unsubscribed) {
                return;
            }
            // The server may have restarted without the stream or the consumer.
            let mut attempt = 0;
            stream = loop {
                attempt = u32::saturating_add(attempt, 1);
                tokio::select! {
                    () = tokio::time::sleep(BACKOFF.pause(attempt)) => {}
                    () = sender.closed() => return,
                    () = &mut closed => return,
                }
                match self.jetstream.create_consumer(&self.name, &self.filter).await {
                    Ok(stream) => break stream,
                    Err(error) => tracing::debug!(%error, consumer = self.name, "receiving stored messages"),
                }
            };
        }
    }

    /// Requests batches of messages, and passes them on, until the server loses a request.
    async fn receive(&self, stream: &str, sender: &mpsc::Sender<Incoming>) -> End {
        let client = &self.jetstream.link.client;
        let mut connected = self.jetstream.link.observer.connected.subscribe();
        connected.mark_unchanged();
        let inbox = client.new_inbox();
        let Ok(mut messages) = client.subscribe(inbox.clone()).await else { return End::Lost };
        let domain = self.jetstream.options.stream.domain.as_ref().map(|domain| format!("{domain}."));
        let next = format!("$JS.{}API.CONSUMER.MSG.NEXT.{stream}.{}", domain.unwrap_or_default(), self.name);
        let batch = if self.batch == 0 { BATCH } else { self.batch.min(BATCH) };
        let request = format!(
            "{{\"batch\":{batch},\"expires\":{},\"idle_heartbeat\":{}}}",
            EXPIRES.as_nanos(),
            HEARTBEAT.as_nanos()
        );
        let mut requested = 0_usize;
        loop {
            if requested == 0 {
                let request = Bytes::from(request.clone());
                if client.publish_with_reply(next.clone(), inbox.clone(), request).await.is_err() {
                    return End::Lost;
                }
                requested = batch;
            }
            let message = tokio::select! {
                message = next_of(&mut messages) => message,
                () = sender.closed() => {
                    self.leave(messages, requested).await;
                    return End::Unsubscribed;
                }
                _ = connected.changed() => return self.rest(messages, sender).await,
                () = tokio::time::sleep(SILENCE) => return End::Lost,
            };
            let Some(message) = message else { return End::Unsubscribed };
            match message.status {
                None => {
                    requested = requested.saturating_sub(1);
                    if let Some(incoming) = self.incoming(message)
                        && let Err(returned) = sender.send(incoming).await
                    {
                        give_back(returned.0).await;
                        self.leave(messages, requested).await;
                        return End::Unsubscribed;
                    }
                }
                Some(StatusCode::IDLE_HEARTBEAT) => {}
                // The request has expired.
                Some(StatusCode::NOT_FOUND | StatusCode::TIMEOUT) => requested = 0,
                // The consumer or the stream does not exist any more, or another server leads them.
                Some(_) => return self.rest(messages, sender).await,
            }
        }
    }

    /// Passes on the messages that arrived before the server lost the request.
    async fn rest(&self, mut messages: Subscriber, sender: &mpsc::Sender<Incoming>) -> End {
        while let Some(Some(message)) = now(&mut messages) {
            if message.status.is_none()
                && let Some(incoming) = self.incoming(message)
                && let Err(returned) = sender.send(incoming).await
            {
                give_back(returned.0).await;
            }
        }
        End::Lost
    }

    /// Gives back the messages that the server sends until the request ends. If they were ignored, the server would
    /// deliver them again only when it stops waiting for their acknowledgement.
    async fn leave(&self, mut messages: Subscriber, mut requested: usize) {
        let mut expired = pin!(tokio::time::sleep(EXPIRES));
        while requested > 0 {
            let message = tokio::select! {
                message = next_of(&mut messages) => message,
                () = &mut expired => None,
            };
            let Some(message) = message else { return };
            match message.status {
                None => {
                    requested -= 1;
                    if let Some(incoming) = self.incoming(message) {
                        give_back(incoming).await;
                    }
                }
                Some(StatusCode::IDLE_HEARTBEAT) => {}
                Some(_) => return,
            }
        }
    }

    fn incoming(&self, message: async_nats::Message) -> Option<Incoming> {
        let JetStream { link, options, context, seen } = &self.jetstream;
        let message = jetstream::Message { message, context: context.clone() };
        let info = message.info().ok()?;
        let deliveries = u64::try_from(info.delivered).unwrap_or(1);
        let redelivered = seen.insert(&info) || deliveries > 1;
        let message = message.message;
        let address = options.stream.rest_of(&message.subject)?.to_owned();
        let reply_to = message.headers.as_ref().and_then(|headers| headers.get(REPLY_TO));
        // The header comes from the sender.
        let reply_to = reply_to.map(|reply| reply.as_str().to_owned()).filter(|reply| subject::check(reply).is_ok());
        let delivered = Delivered { link: Arc::clone(link), subject: message.reply?, deliveries };
        Some(Incoming {
            address,
            reply_to,
            content: IncomingContent::Message(message.payload),
            redelivered,
            acknowledgement: Some(Box::new(delivered)),
        })
    }
}

async fn next_of(messages: &mut Subscriber) -> Option<async_nats::Message> {
    std::future::poll_fn(|context| Pin::new(&mut *messages).poll_next(context)).await
}

/// The next message if it has arrived.
fn now(messages: &mut Subscriber) -> Option<Option<async_nats::Message>> {
    let mut context = Context::from_waker(std::task::Waker::noop());
    match Pin::new(messages).poll_next(&mut context) {
        Poll::Ready(message) => Some(message),
        Poll::Pending => None,
    }
}

/// Asks the server to deliver a message again, to another member of the group.
async fn give_back(incoming: Incoming) {
    if let Some(acknowledgement) = incoming.acknowledgement {
        let _ = acknowledgement.nak().await;
    }
}

/// The stored messages of a subscription.
pub(super) struct Stored(mpsc::Receiver<Incoming>);

impl Stream for Stored {
    type Item = Incoming;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Incoming>> {
        self.0.poll_recv(context)
    }
}

impl Drop for Stored {
    fn drop(&mut self) {
        self.0.close();
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        while let Ok(incoming) = self.0.try_recv() {
            runtime.spawn(give_back(incoming));
        }
    }
}
