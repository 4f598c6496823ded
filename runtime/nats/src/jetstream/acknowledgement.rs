//! Acknowledging a stored message.

use std::sync::Arc;
use std::time::Duration;

use async_nats::{RequestErrorKind, Subject};
use bytes::Bytes;
use capgen_call::{Acknowledgement, BoxFuture, TransportError};
use capgen_time::Backoff;

use crate::transport::Link;

/// The pauses before a message that was rejected is delivered again.
const BACKOFF: Backoff = Backoff::new(Duration::from_millis(50), Duration::from_secs(10));

/// The acknowledgement of one delivery.
pub(super) struct Delivered {
    pub(super) link: Arc<Link>,
    /// The address of the acknowledgement.
    pub(super) subject: Subject,
    /// How often the message was delivered, including this time.
    pub(super) deliveries: u64,
}

impl Delivered {
    /// Ends when the server has stored the acknowledgement, so that the message is not delivered again.
    async fn acknowledge(self) -> Result<(), TransportError> {
        self.link.usable()?;
        let connection = self.link.connection();
        tokio::select! {
            biased;
            answer = self.link.client.request(self.subject.clone(), Bytes::from_static(b"+ACK")) => match answer {
                Ok(_) => Ok(()),
                Err(error) => Err(match error.kind() {
                    RequestErrorKind::NoResponders => {
                        TransportError::Refused("the stream of the message no longer exists".to_owned())
                    }
                    _ => self.link.disconnected("the server has not confirmed the acknowledgement"),
                }),
            },
            reason = self.link.interrupted(connection) => {
                Err(reason.unwrap_or_else(|| self.link.disconnected("the server has not confirmed the acknowledgement")))
            }
        }
    }

    async fn send(&self, payload: impl Into<Bytes>) -> Result<(), TransportError> {
        self.link.usable()?;
        let sent = self.link.client.publish(self.subject.clone(), payload.into()).await;
        sent.map_err(|_| TransportError::Closed)
    }

    /// The growing pause keeps a message that no one can process from being delivered in a tight loop.
    fn pause(&self) -> Duration {
        BACKOFF.pause(u32::try_from(self.deliveries.max(1)).unwrap_or(u32::MAX))
    }
}

impl Acknowledgement for Delivered {
    fn ack(self: Box<Self>) -> BoxFuture<'static, Result<(), TransportError>> {
        Box::pin(self.acknowledge())
    }

    fn nak(self: Box<Self>) -> BoxFuture<'static, Result<(), TransportError>> {
        let payload = format!("-NAK {{\"delay\":{}}}", self.pause().as_nanos());
        Box::pin(async move { self.send(payload).await })
    }

    fn in_progress(&self) -> BoxFuture<'_, Result<(), TransportError>> {
        Box::pin(self.send(Bytes::from_static(b"+WPI")))
    }
}
