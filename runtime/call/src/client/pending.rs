//! The calls that wait for a response, and the task that hands messages to them.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::future::poll_fn;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

use bytes::Bytes;
use capgen_payload::Payload as _;
use capgen_time::Clock;
use tokio::time::Instant;

use super::known::Known;
use crate::address::last_token;
use crate::envelope::{Envelope, Keys, MessageKind, SkewDetails, WORKING, header};
use crate::id::Id;
use crate::outcome::{CallError, code};
use crate::transport::{Incoming, IncomingContent, Subscription};

/// What happened to a call that waits.
#[derive(Debug)]
pub(crate) enum News {
    /// The response to one of its messages.
    Answer(Id, Response),
    /// Nothing received one of its messages.
    NoResponders,
    /// The client or the transport is closed.
    Closed,
}

/// A response to a call.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) payload: Bytes,
    /// Whether the payload is the response of the capability, and not an error.
    pub(crate) is_ok: bool,
    /// Whether the provider asks for the caller's contract.
    pub(crate) needs_descriptor: bool,
    /// The provider's contract, if it states one, which it does if the caller's is another one.
    pub(crate) provider: Option<Box<ProviderContract>>,
    /// The contracts, if the provider states that other responses may be invalid for the caller.
    pub(crate) notice: Option<Box<SkewDetails>>,
}

/// The contract of a provider, as its response states it.
#[derive(Debug)]
pub(crate) struct ProviderContract {
    pub(crate) hash: String,
    pub(crate) version: Option<String>,
}

/// The calls that wait, by the last token of their reply address. Tokens are numbers, because short messages are
/// faster; an agent that guesses one does not know the `correlationId`.
pub(crate) struct Pending {
    waiting: Mutex<Waiting>,
    /// The id of this agent.
    agent: String,
    keys: Option<Keys>,
    /// The clock for the ends of keys.
    clock: Arc<dyn Clock>,
    /// Messages that no call waits for: late responses, duplicates and forged ones.
    unexpected: AtomicU64,
}

#[derive(Default, Debug)]
struct Waiting {
    calls: HashMap<u64, Call, BuildHasherDefault<TokenHasher>>,
    /// The token of the next call.
    next: u64,
    is_closed: bool,
}

/// The hash of a token. The client chooses the tokens, in their order, so that no one can make their hashes collide;
/// the usual hash, which prevents that, takes much longer.
#[derive(Default)]
struct TokenHasher(u64);

impl Hasher for TokenHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(self.0 << 8 | u64::from(*byte)));
    }

    fn write_u64(&mut self, token: u64) {
        // A large odd number, here of digits of pi, spreads numbers in a row over all bits.
        self.0 = token.wrapping_mul(0x517C_C1B7_2722_0A95);
    }
}

/// The responses that a call waits for.
#[derive(Debug)]
pub(crate) struct Expected {
    pub(crate) correlation_id: Id,
    pub(crate) peer: Cow<'static, str>,
    pub(crate) capability: Cow<'static, str>,
    /// The facts about the peer that responses add to, if the client has retries.
    pub(crate) known: Option<Arc<Known>>,
}

#[derive(Debug)]
struct Call {
    expected: Expected,
    first: Message,
    /// The further messages of the call. Most calls have none.
    others: Vec<Message>,
    /// The number of reports that nothing received a message.
    unreceived: usize,
    mailbox: Arc<Mailbox>,
    /// Why a message to this call was not accepted as its response.
    rejected: Option<Box<CallError>>,
}

/// A message that was sent for a call.
#[derive(Debug)]
struct Message {
    id: Id,
    is_answered: bool,
    /// When the provider last reported that it works on the message.
    heard: Option<Instant>,
}

/// The news of one call that it has not read yet: at most one answer for each of its messages.
#[derive(Default, Debug)]
struct Mailbox(Mutex<Mail>);

#[derive(Default, Debug)]
struct Mail {
    next: Option<News>,
    /// The news after that. Most calls have none.
    others: VecDeque<News>,
    waker: Option<Waker>,
}

/// The right to receive the news of a call. Dropping it means that the call no longer waits.
#[derive(Debug)]
pub(crate) struct Slot {
    pending: Arc<Pending>,
    token: u64,
    mailbox: Arc<Mailbox>,
}

impl Pending {
    pub(crate) fn new(agent: String, keys: Option<Keys>, clock: Arc<dyn Clock>) -> Self {
        Self { waiting: Mutex::default(), agent, keys, clock, unexpected: AtomicU64::new(0) }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for responses to a message, given its id; `None` if the client is closed.
    pub(crate) fn wait(self: &Arc<Self>, expected: Expected, id: Id) -> Option<Slot> {
        let mailbox = Arc::new(Mailbox::default());
        let mut waiting = self.lock();
        if waiting.is_closed {
            return None;
        }
        let token = waiting.next;
        waiting.next += 1;
        let call = Call {
            expected,
            first: Message::new(id),
            others: Vec::new(),
            unreceived: 0,
            mailbox: Arc::clone(&mailbox),
            rejected: None,
        };
        waiting.calls.insert(token, call);
        Some(Slot { pending: Arc::clone(self), token, mailbox })
    }

    /// Ends all calls with `EAGENTRPC_ABANDONED`, and accepts no more.
    pub(crate) fn close(&self) {
        let mut waiting = self.lock();
        waiting.is_closed = true;
        for (_, call) in waiting.calls.drain() {
            call.mailbox.put(News::Closed);
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

    /// Hands messages to calls until the transport or the client closes.
    pub(crate) async fn dispatch(self: Arc<Self>, mut replies: Subscription) {
        let pending = Arc::clone(&self);
        replies.hand_to(Arc::new(move |incoming| {
            pending.receive(&incoming);
            Ok(())
        }));
        while let Some(incoming) = replies.next().await {
            self.receive(&incoming);
        }
        self.close();
    }

    fn receive(&self, incoming: &Incoming) {
        // A message that is not the response leaves the call waiting: anyone who can send to the address could end it
        // otherwise.
        let message = match &incoming.content {
            IncomingContent::NoResponders => Ok(None),
            IncomingContent::Message(text) => self.accept(text).map(Some),
        };
        let token = last_token(&incoming.address).and_then(|(_, token)| token.parse().ok());
        if !token.is_some_and(|token| self.hand_over(token, message)) {
            self.unexpected.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Hands a message to a call, if that waits for it: a response, a sign of life, or the report that nothing received
    /// the request. An invalid message ends no call.
    fn hand_over(&self, token: u64, message: Result<Option<Envelope>, CallError>) -> bool {
        let mut waiting = self.lock();
        let Some(call) = waiting.calls.get_mut(&token) else { return false };
        let news = match message {
            Ok(Some(envelope)) if !call.expected.is(&envelope) => return false,
            Ok(Some(envelope)) if envelope.header(header::FRAME).is_some() => return call.frame(&envelope),
            Ok(Some(envelope)) => call.answer(envelope),
            Ok(None) => call.no_responders(),
            Err(error) => {
                call.rejected = Some(Box::new(error));
                None
            }
        };
        let Some(news) = news else { return false };
        let mailbox = Arc::clone(&call.mailbox);
        drop(waiting);
        mailbox.put(news);
        true
    }

    /// A message as a response to this agent.
    fn accept(&self, text: &Bytes) -> Result<Envelope, CallError> {
        let envelope = Envelope::decode(text).map_err(|error| {
            CallError::new(code::INVALID_ENVELOPE, format!("the response is not a valid envelope: {error}"))
        })?;
        if envelope.proof(self.keys.as_ref(), || self.clock.now_ms()).is_none() {
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

impl std::fmt::Debug for Pending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pending").field("agent", &self.agent).field("waiting", &self.waiting).finish_non_exhaustive()
    }
}

impl Expected {
    fn is(&self, envelope: &Envelope) -> bool {
        self.correlation_id == *envelope.correlation_id()
            && envelope.from() == self.peer
            && envelope.capability() == self.capability
    }
}

impl Call {
    fn messages(&mut self) -> impl Iterator<Item = &mut Message> {
        std::iter::once(&mut self.first).chain(&mut self.others)
    }

    /// The message without an answer that a response belongs to. A provider that does not name the message answers the
    /// oldest one.
    fn answered(&mut self, envelope: &Envelope) -> Option<&mut Message> {
        let cause = envelope.caused_by();
        self.messages().find(|message| !message.is_answered && cause.is_none_or(|cause| message.id == *cause))
    }

    /// A response; `None` if the message that it belongs to has one already.
    fn answer(&mut self, envelope: Envelope) -> Option<News> {
        let message = self.answered(&envelope)?;
        message.is_answered = true;
        let id = message.id;
        if let Some(known) = &self.expected.known {
            known.responded(envelope.header(header::FEATURES));
        }
        Some(News::Answer(id, Response::of(envelope)))
    }

    /// A message that is not the response, but shows that the provider works on it. Returns whether it is one.
    fn frame(&mut self, envelope: &Envelope) -> bool {
        let is_working = envelope.header(header::FRAME) == Some(WORKING);
        let Some(message) = self.answered(envelope).filter(|_| is_working) else { return false };
        message.heard = Some(Instant::now());
        true
    }

    /// The report that nothing received a message, once for each of them.
    fn no_responders(&mut self) -> Option<News> {
        if self.unreceived > self.others.len() {
            return None;
        }
        self.unreceived += 1;
        Some(News::NoResponders)
    }
}

impl Message {
    fn new(id: Id) -> Self {
        Self { id, is_answered: false, heard: None }
    }
}

impl Response {
    fn of(envelope: Envelope) -> Self {
        Self {
            is_ok: envelope.header(header::STATUS).unwrap_or("ok") == "ok",
            needs_descriptor: envelope.header(header::NEEDS) == Some("descriptor"),
            // In a box, because the contracts are nearly always equal.
            provider: envelope.header(header::CONTRACT).map(|hash| {
                let version = envelope.header(header::VERSION).map(str::to_owned);
                Box::new(ProviderContract { hash: hash.to_owned(), version })
            }),
            notice: envelope
                .header(header::SKEW)
                .and_then(|text| SkewDetails::from_json(text.as_bytes()).ok().map(Box::new)),
            payload: envelope.payload,
        }
    }
}

impl Mailbox {
    fn put(&self, news: News) {
        let mut mail = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if mail.next.is_none() {
            mail.next = Some(news);
        } else {
            mail.others.push_back(news);
        }
        let waker = mail.waker.take();
        drop(mail);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// The next news, or a promise to wake the task that asks for it.
    fn poll(&self, waker: &Waker) -> Poll<News> {
        let mut mail = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(news) = mail.next.take() {
            mail.next = mail.others.pop_front();
            return Poll::Ready(news);
        }
        match &mut mail.waker {
            Some(known) => known.clone_from(waker),
            none => *none = Some(waker.clone()),
        }
        Poll::Pending
    }
}

impl Slot {
    /// The last token of the reply address.
    pub(crate) fn token(&self) -> u64 {
        self.token
    }

    /// Waits for the responses to another message of the call too.
    pub(crate) fn add(&self, id: Id) {
        if let Some(call) = self.pending.lock().calls.get_mut(&self.token) {
            call.others.push(Message::new(id));
        }
    }

    /// What happens next.
    pub(crate) async fn news(&self) -> News {
        poll_fn(|context| self.poll_news(context.waker())).await
    }

    /// What happens next, or a promise to wake a task then.
    pub(crate) fn poll_news(&self, waker: &Waker) -> Poll<News> {
        self.mailbox.poll(waker)
    }

    /// When the provider last reported that it works on a message.
    pub(crate) fn heard(&self, id: Id) -> Option<Instant> {
        self.pending.lock().calls.get_mut(&self.token)?.messages().find(|message| message.id == id)?.heard
    }

    /// Why the last message to this call was not accepted as its response.
    pub(crate) fn rejected(&self) -> Option<CallError> {
        self.pending.lock().calls.get(&self.token)?.rejected.as_deref().cloned()
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

/// The error of a call whose request nothing received.
pub(crate) fn no_peer() -> CallError {
    CallError::new(code::NO_PEER, "no program receives the requests of the peer")
}
