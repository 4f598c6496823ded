//! The carrier inside the program: messages are handed to a [`Service`].

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, timeout_at};

use super::{Answers, BoxFuture, Handled, Peer, PeerError, Proved, Service};
use crate::message::Did;

/// A client of a service in the same program.
#[derive(Clone)]
pub struct MemoryPeer {
    service: Arc<dyn Service>,
    principal: Option<Did>,
    max_msg_size: u32,
}

impl MemoryPeer {
    /// A client that is not authenticated, and whose messages have 16 MiB at most.
    #[must_use]
    pub fn new(service: Arc<dyn Service>) -> Self {
        Self { service, principal: None, max_msg_size: super::frame::DEFAULT_MAX_SIZE }
    }

    /// The agent that the client is.
    #[must_use]
    pub fn with_principal(self, principal: Did) -> Self {
        Self { principal: Some(principal), ..self }
    }

    /// The largest message, in bytes.
    #[must_use]
    pub fn with_max_msg_size(self, max_msg_size: u32) -> Self {
        Self { max_msg_size, ..self }
    }
}

impl Peer for MemoryPeer {
    fn request(&self, message: Bytes, timeout: Duration) -> BoxFuture<'_, Result<Answers, PeerError>> {
        let deadline = Instant::now() + timeout;
        let size = message.len();
        if u32::try_from(size).map_or(true, |size| size > self.max_msg_size) {
            return Box::pin(async move { Err(PeerError::TooLarge { size, max: self.max_msg_size }) });
        }
        let handled = self.service.handle(message, self.principal.clone(), Proved::channel().0);
        Box::pin(async move {
            match timeout_at(deadline, handled).await {
                Ok(Handled::Answer(answer)) => Ok(Answers::one(Some(answer))),
                Ok(Handled::Nothing) => Ok(Answers::one(None)),
                Ok(Handled::Rejected(rejection)) => Err(PeerError::rejected(&rejection)),
                Err(_) => Err(PeerError::Timeout),
            }
        })
    }
}

impl std::fmt::Debug for MemoryPeer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MemoryPeer").field("principal", &self.principal).finish_non_exhaustive()
    }
}
