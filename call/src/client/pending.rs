//! The calls that wait for a response, and the task that hands responses to them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::oneshot;

use crate::envelope::{Envelope, Keys, MessageKind, id};
use crate::outcome::{CallError, code};
use crate::transport::{Event, Incoming, Subscription};

/// A message for a call that waits: a response, or the reason why none will come.
pub(crate) type Reply = Result<Envelope, CallError>;

/// The calls that wait, by the id of their request, which is also the last token of their reply address.
#[derive(Debug)]
pub(crate) struct Pending {
    waiting: Mutex<Waiting>,
    /// The id of this agent.
    agent: String,
    keys: Option<Keys>,
    /// Messages that no call waits for: late responses, duplicates and forged ones.
    unexpected: AtomicU64,
}

#[derive(Default, Debug)]
struct Waiting {
    calls: HashMap<String, Call>,
    is_closed: bool,
}

/// The response that a call waits for.
#[derive(Clone, Debug)]
pub(crate) struct Expected {
    pub(crate) correlation_id: String,
    pub(crate) peer: String,
    pub(crate) capability: String,
}

#[derive(Debug)]
struct Call {
    expected: Expected,
    sender: oneshot::Sender<Reply>,
    /// Why a message to this call was not accepted as its response.
    rejected: Option<CallError>,
}

/// The right to receive one reply. Dropping it means that the call no longer waits.
#[derive(Debug)]
pub(crate) struct Slot {
    pending: Arc<Pending>,
    token: String,
    receiver: oneshot::Receiver<Reply>,
}

impl Pending {
    pub(crate) fn new(agent: String, keys: Option<Keys>) -> Self {
        Self { waiting: Mutex::default(), agent, keys, unexpected: AtomicU64::new(0) }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the reply to a token; `None` if the client is closed.
    pub(crate) fn wait(self: &Arc<Self>, token: &str, expected: Expected) -> Option<Slot> {
        let (sender, receiver) = oneshot::channel();
        let mut waiting = self.lock();
        if waiting.is_closed {
            return None;
        }
        waiting.calls.insert(token.to_owned(), Call { expected, sender, rejected: None });
        Some(Slot { pending: Arc::clone(self), token: token.to_owned(), receiver })
    }

    /// Ends all calls with `EAGENTRPC_ABANDONED`, and accepts no more.
    pub(crate) fn close(&self) {
        let mut waiting = self.lock();
        waiting.is_closed = true;
        for (_, call) in waiting.calls.drain() {
            let _ = call.sender.send(Err(abandoned()));
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
        // A message that is not the response leaves the call waiting: anyone who can send to the address could end it otherwise.
        let reply = match &incoming.event {
            Event::NoResponders => Ok(None),
            Event::Message(text) => self.accept(text).map(Some),
        };
        let mut waiting = self.lock();
        let is_response = match (&reply, waiting.calls.get_mut(token)) {
            (_, None) => false,
            (Ok(None), Some(_)) => true,
            (Ok(Some(envelope)), Some(call)) => call.expected.is(envelope),
            (Err(error), Some(call)) => {
                call.rejected = Some(error.clone());
                false
            }
        };
        let call = if is_response { waiting.calls.remove(token) } else { None };
        drop(waiting);
        let none = || CallError::new(code::NO_PEER, "no program receives the requests of the peer");
        let reply = reply.and_then(|reply| reply.ok_or_else(none));
        if call.is_none_or(|call| call.sender.send(reply).is_err()) {
            self.unexpected.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A message as a response to this agent.
    fn accept(&self, text: &Bytes) -> Result<Envelope, CallError> {
        let envelope = Envelope::decode(text).map_err(|error| {
            CallError::new(code::INVALID_ENVELOPE, format!("the response is not a valid envelope: {error}"))
        })?;
        if !envelope.is_authentic(self.keys.as_ref()) {
            return Err(CallError::new(code::AUTH_FAILED, "the signature of the response is missing or invalid"));
        }
        if envelope.fields.kind != MessageKind::Response || id(&envelope.fields.to) != self.agent {
            return Err(CallError::new(code::INVALID_ENVELOPE, "the message is not a response to this agent"));
        }
        Ok(envelope)
    }

    /// Whether the client is closed.
    pub(crate) fn is_closed(&self) -> bool {
        self.lock().is_closed
    }
}

impl Expected {
    fn is(&self, envelope: &Envelope) -> bool {
        let fields = &envelope.fields;
        fields.correlation_id == self.correlation_id
            && id(&fields.from) == self.peer
            && fields.capability == self.capability
    }
}

impl Slot {
    /// The reply.
    pub(crate) async fn reply(&mut self) -> Reply {
        match (&mut self.receiver).await {
            Ok(reply) => reply,
            Err(_) => Err(abandoned()),
        }
    }
}

impl Slot {
    /// Why the last message to this call was not accepted as its response.
    pub(crate) fn rejected(&self) -> Option<CallError> {
        self.pending.lock().calls.get(&self.token)?.rejected.clone()
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.pending.lock().calls.remove(&self.token);
    }
}

/// The error of a call whose client is closed. It is not worth repeating.
pub(crate) fn abandoned() -> CallError {
    let error = CallError::new(code::ABANDONED, "the client is closed");
    CallError { retryable: false, ..error }
}
