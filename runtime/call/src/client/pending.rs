//! The calls that wait for a response, and the task that hands responses to them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::oneshot;

use crate::envelope::{Envelope, Keys, MessageKind, header};
use crate::id::Id;
use crate::outcome::{CallError, code};
use crate::transport::{Event, Incoming, Subscription};

/// A message for a call that waits: a response, or the reason why none will come.
pub(crate) type Reply = Result<Response, Box<CallError>>;

/// A response to a call.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) payload: Bytes,
    /// Whether the payload is the response of the capability, and not an error.
    pub(crate) is_ok: bool,
    /// Whether the provider asks for the caller's contract.
    pub(crate) needs_descriptor: bool,
}

/// The calls that wait, by the last token of their reply address. Tokens are numbers, because short messages are faster; an agent
/// that guesses one does not know the `correlationId`.
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
    calls: HashMap<u64, Call>,
    /// The token of the next call.
    next: u64,
    is_closed: bool,
}

/// The response that a call waits for.
#[derive(Debug)]
pub(crate) struct Expected {
    pub(crate) correlation_id: Id,
    pub(crate) peer: Cow<'static, str>,
    pub(crate) capability: Cow<'static, str>,
}

#[derive(Debug)]
struct Call {
    expected: Expected,
    sender: oneshot::Sender<Reply>,
    /// Why a message to this call was not accepted as its response.
    rejected: Option<Box<CallError>>,
}

/// The right to receive one reply. Dropping it means that the call no longer waits.
#[derive(Debug)]
pub(crate) struct Slot {
    pending: Arc<Pending>,
    token: u64,
    receiver: oneshot::Receiver<Reply>,
    /// Whether the reply was received.
    is_over: bool,
}

impl Pending {
    pub(crate) fn new(agent: String, keys: Option<Keys>) -> Self {
        Self { waiting: Mutex::default(), agent, keys, unexpected: AtomicU64::new(0) }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a reply; `None` if the client is closed.
    pub(crate) fn wait(self: &Arc<Self>, expected: Expected) -> Option<Slot> {
        let (sender, receiver) = oneshot::channel();
        let mut waiting = self.lock();
        if waiting.is_closed {
            return None;
        }
        let token = waiting.next;
        waiting.next += 1;
        waiting.calls.insert(token, Call { expected, sender, rejected: None });
        Some(Slot { pending: Arc::clone(self), token, receiver, is_over: false })
    }

    /// Ends all calls with `EAGENTRPC_ABANDONED`, and accepts no more.
    pub(crate) fn close(&self) {
        let mut waiting = self.lock();
        waiting.is_closed = true;
        for (_, call) in waiting.calls.drain() {
            let _ = call.sender.send(Err(Box::new(abandoned())));
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
        // A message that is not the response leaves the call waiting: anyone who can send to the address could end it otherwise.
        let message = match &incoming.event {
            Event::NoResponders => Ok(None),
            Event::Message(text) => self.accept(text).map(Some),
        };
        let token = incoming.address.rsplit('.').next().and_then(|token| token.parse().ok());
        let call = token.and_then(|token| self.call_of(token, message.as_ref()));
        let none = || CallError::new(code::NO_PEER, "no program receives the requests of the peer");
        let reply = match message {
            Ok(Some(envelope)) => Ok(Response::of(envelope)),
            Ok(None) => Err(Box::new(none())),
            Err(error) => Err(Box::new(error)),
        };
        if call.is_none_or(|call| call.sender.send(reply).is_err()) {
            self.unexpected.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The call that ends with a message: a response, a report that there is none, or an invalid message, which ends no call.
    fn call_of(&self, token: u64, message: Result<&Option<Envelope>, &CallError>) -> Option<Call> {
        let mut waiting = self.lock();
        let call = waiting.calls.get_mut(&token)?;
        let is_response = match message {
            Ok(None) => true,
            Ok(Some(envelope)) => call.expected.is(envelope),
            Err(error) => {
                call.rejected = Some(Box::new(error.clone()));
                false
            }
        };
        if is_response { waiting.calls.remove(&token) } else { None }
    }

    /// A message as a response to this agent.
    fn accept(&self, text: &Bytes) -> Result<Envelope, CallError> {
        let envelope = Envelope::decode(text).map_err(|error| {
            CallError::new(code::INVALID_ENVELOPE, format!("the response is not a valid envelope: {error}"))
        })?;
        if !envelope.is_authentic(self.keys.as_ref()) {
            return Err(CallError::new(code::AUTH_FAILED, "the signature of the response is missing or invalid"));
        }
        if envelope.kind() != MessageKind::Response || envelope.to() != self.agent {
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
        envelope.correlation_id() == self.correlation_id.as_str()
            && envelope.from() == self.peer
            && envelope.capability() == self.capability
    }
}

impl Response {
    fn of(envelope: Envelope) -> Self {
        Self {
            is_ok: envelope.header(header::STATUS).unwrap_or("ok") == "ok",
            needs_descriptor: envelope.header(header::NEEDS) == Some("descriptor"),
            payload: envelope.payload,
        }
    }
}

impl Slot {
    /// The last token of the reply address.
    pub(crate) fn token(&self) -> u64 {
        self.token
    }

    /// The reply.
    pub(crate) async fn reply(&mut self) -> Reply {
        let reply = (&mut self.receiver).await;
        self.is_over = true;
        reply.unwrap_or_else(|_| Err(Box::new(abandoned())))
    }

    /// Why the last message to this call was not accepted as its response.
    pub(crate) fn rejected(&self) -> Option<CallError> {
        self.pending.lock().calls.get(&self.token)?.rejected.as_deref().cloned()
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if !self.is_over {
            self.pending.lock().calls.remove(&self.token);
        }
    }
}

/// The error of a call whose client is closed. It is not worth repeating.
pub(crate) fn abandoned() -> CallError {
    let error = CallError::new(code::ABANDONED, "the client is closed");
    CallError { retryable: false, ..error }
}
