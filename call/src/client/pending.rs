//! The calls that wait for a response, and the task that hands responses to them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::envelope::Envelope;
use crate::outcome::{CallError, code};
use crate::transport::{Event, Incoming, Subscription};

/// A message for a call that waits: a response, or the reason why none will come.
pub(crate) type Reply = Result<Envelope, CallError>;

/// The calls that wait, by the id of their request, which is also the last token of their reply address.
#[derive(Default, Debug)]
pub(crate) struct Pending {
    waiting: Mutex<Waiting>,
    /// Responses that no call waits for: late ones, duplicates and forged ones.
    unexpected: AtomicU64,
}

#[derive(Default, Debug)]
struct Waiting {
    calls: HashMap<String, Call>,
    is_closed: bool,
}

#[derive(Debug)]
struct Call {
    correlation_id: String,
    sender: oneshot::Sender<Reply>,
}

/// The right to receive one reply. Dropping it means that the call no longer waits.
#[derive(Debug)]
pub(crate) struct Slot {
    pending: Arc<Pending>,
    token: String,
    receiver: oneshot::Receiver<Reply>,
}

impl Pending {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the reply to a token; `None` if the client is closed.
    pub(crate) fn wait(self: &Arc<Self>, token: &str, correlation_id: &str) -> Option<Slot> {
        let (sender, receiver) = oneshot::channel();
        let mut waiting = self.lock();
        if waiting.is_closed {
            return None;
        }
        waiting.calls.insert(token.to_owned(), Call { correlation_id: correlation_id.to_owned(), sender });
        Some(Slot { pending: Arc::clone(self), token: token.to_owned(), receiver })
    }

    /// Ends all calls with `EAGENTRPC_ABANDONED`, and accepts no more.
    pub(crate) fn close(&self) {
        let mut waiting = self.lock();
        waiting.is_closed = true;
        for (_, call) in waiting.calls.drain() {
            let _ = call
                .sender
                .send(Err(CallError::new(code::ABANDONED, "the client was closed before the response arrived")));
        }
    }

    /// The number of responses that no call waited for.
    pub(crate) fn unexpected(&self) -> u64 {
        self.unexpected.load(Ordering::Relaxed)
    }

    /// The number of calls that wait.
    pub(crate) fn len(&self) -> usize {
        self.lock().calls.len()
    }

    /// Hands replies to calls until the transport or the client closes.
    pub(crate) async fn dispatch(self: Arc<Self>, mut replies: Subscription) {
        while let Some(incoming) = replies.next().await {
            self.receive(&incoming);
        }
        self.close();
    }

    fn receive(&self, incoming: &Incoming) {
        let token = incoming.address.rsplit('.').next().unwrap_or_default();
        let reply = match &incoming.event {
            Event::NoResponders => Err(CallError::new(code::NO_PEER, "no program receives the requests of the peer")),
            Event::Message(text) => Envelope::decode(text).map_err(|error| {
                CallError::new(code::INVALID_ENVELOPE, format!("the response is not a valid envelope: {error}"))
            }),
        };
        let call = {
            let mut waiting = self.lock();
            // A response to another call leaves this one waiting.
            let is_for = |call: &Call| match &reply {
                Ok(envelope) => envelope.fields.correlation_id == call.correlation_id,
                Err(_) => true,
            };
            if waiting.calls.get(token).is_some_and(is_for) { waiting.calls.remove(token) } else { None }
        };
        if call.is_none_or(|call| call.sender.send(reply).is_err()) {
            self.unexpected.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Slot {
    /// The reply.
    pub(crate) async fn reply(&mut self) -> Reply {
        match (&mut self.receiver).await {
            Ok(reply) => reply,
            Err(_) => Err(CallError::new(code::ABANDONED, "the client was closed before the response arrived")),
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.pending.lock().calls.remove(&self.token);
    }
}
