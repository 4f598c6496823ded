//! The requests that run, and the cancels that arrived before their request.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use capgen_schema::Hash;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::callers::Caller;
use crate::envelope::{Envelope, header};

/// Ends requests whose callers do not wait any more.
#[derive(Debug)]
pub(super) struct Cancels {
    state: Mutex<State>,
    /// The most early cancels of one caller.
    most: usize,
    /// The number of early cancels. Most servers have none, and then no request waits for the state.
    early: AtomicUsize,
}

#[derive(Default, Debug)]
struct State {
    /// The requests that run, by the id of their call.
    running: HashMap<String, Vec<Arc<Entry>>>,
    /// The cancels without a request so far, by the id of their call.
    early: HashMap<String, Vec<Cancel>>,
    /// The ids of these calls, by the time at which they are forgotten.
    by_end: BTreeMap<Instant, Vec<String>>,
    /// The number of early cancels, and that of each caller.
    count: usize,
    by_caller: BTreeMap<Caller, usize>,
    /// The number of those with tokens.
    of_tokens: usize,
}

#[derive(Debug)]
struct Entry {
    request: Arc<Envelope>,
    /// The hash of its token, if nothing else proves the request, once a cancel has a token.
    token: OnceLock<Option<Hash>>,
    cancelled: Notify,
}

/// The request that a cancel is for.
#[derive(Debug)]
struct Cancel {
    /// The id that the caller states.
    from: String,
    caller: Caller,
    right: Right,
    tenant: Option<String>,
    capability: String,
    /// The id of the request; `None` for all requests of the call.
    message_id: Option<String>,
    end: Instant,
}

/// Why a cancel comes from the sender of the requests that it is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Right {
    /// The server proves no senders, or proves all of them by signatures.
    Any,
    /// The cancel is signed, so it is for requests that are. The server also accepts others.
    Signature,
    /// The cancel has the token, here its hash, that is all that proves the request. It need not be verified again:
    /// a sender that has it could have sent the request.
    Token(Hash),
}

/// A request that runs, until it is dropped.
pub(super) struct Running<'a> {
    cancels: &'a Cancels,
    entry: Arc<Entry>,
}

/// How long a cancel waits for its request, at most. A broker that delivers them in another order is milliseconds late.
const KEPT: Duration = Duration::from_secs(30);
/// The number of early cancels that are kept, and those of one caller, if the server can prove callers: without a
/// proof, each of them could state any id. One takes at most some 1.5 kB, and usually 300 bytes, so that all of them
/// take a few MB. Further ones are dropped: their requests run, and no caller waits for the answers.
const CAPACITY: (usize, usize) = (4096, 256);
/// The number of those with tokens, which are not verified: anyone can make up any number of them, and half of the room
/// remains for callers that are proved.
const OF_TOKENS: usize = CAPACITY.0 / 2;

impl Cancels {
    pub(super) fn new(has_shares: bool) -> Self {
        let (all, of_caller) = CAPACITY;
        let most = if has_shares { of_caller } else { all };
        Self { state: Mutex::default(), most, early: AtomicUsize::new(0) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a request that runs. It is cancelled at once if a cancel has arrived since it was admitted.
    pub(super) fn run(&self, request: &Arc<Envelope>) -> Running<'_> {
        let mut state = self.lock();
        let entry = Arc::new(Entry { request: Arc::clone(request), token: OnceLock::new(), cancelled: Notify::new() });
        if state.is_cancelled(request) {
            entry.cancelled.notify_one();
        }
        state.running.entry(request.correlation_id().to_owned()).or_default().push(Arc::clone(&entry));
        Running { cancels: self, entry }
    }

    /// Whether a request of a call runs that a message with a right may be about.
    pub(super) fn is_running(&self, call: &str, right: Right) -> bool {
        self.lock().running.get(call).into_iter().flatten().any(|entry| entry.grants(right))
    }

    /// Whether a request was cancelled before it arrived.
    pub(super) fn is_cancelled(&self, request: &Envelope) -> bool {
        if self.early.load(Ordering::Acquire) == 0 {
            return false;
        }
        let mut state = self.lock();
        state.forget(Instant::now());
        self.early.store(state.count, Ordering::Release);
        state.is_cancelled(request)
    }

    /// Cancels the request that a message of a caller is about. If it has not arrived, the cancel waits for it until a
    /// time.
    pub(super) fn cancel(&self, message: &Envelope, caller: &Caller, right: Right, until: Instant) {
        let now = Instant::now();
        let cancel = Cancel {
            from: message.from().to_owned(),
            caller: caller.clone(),
            right,
            tenant: message.tenant().map(str::to_owned),
            capability: message.capability().to_owned(),
            message_id: message.caused_by().map(str::to_owned),
            end: until.min(now + KEPT),
        };
        let mut state = self.lock();
        let running = state.running.get(message.correlation_id()).into_iter().flatten();
        let found: Vec<_> = running.filter(|entry| entry.grants(right) && cancel.is_about(&entry.request)).collect();
        found.iter().for_each(|entry| entry.cancelled.notify_one());
        // A call may have further requests on their way.
        if found.is_empty() || cancel.message_id.is_none() {
            state.forget(now);
            state.keep(message.correlation_id(), cancel, self.most);
            self.early.store(state.count, Ordering::Release);
        }
    }
}

impl State {
    fn is_cancelled(&self, request: &Envelope) -> bool {
        let now = Instant::now();
        let cancels = self.early.get(request.correlation_id()).into_iter().flatten();
        cancels.filter(|cancel| cancel.end > now).any(|cancel| cancel.is_of(request))
    }

    fn keep(&mut self, call: &str, cancel: Cancel, most: usize) {
        let (all, _) = CAPACITY;
        let count = self.by_caller.get(&cancel.caller).copied().unwrap_or(0);
        let known = self.early.get(call).into_iter().flatten();
        let is_known = known.into_iter().any(|other| other.is_equal(&cancel));
        let is_full = self.count >= all || (cancel.has_token() && self.of_tokens >= OF_TOKENS);
        if is_known || is_full || count >= most {
            return;
        }
        self.count += 1;
        self.of_tokens += usize::from(cancel.has_token());
        self.by_caller.insert(cancel.caller.clone(), count + 1);
        self.by_end.entry(cancel.end).or_default().push(call.to_owned());
        self.early.entry(call.to_owned()).or_default().push(cancel);
    }

    /// Forgets the early cancels whose time has passed.
    fn forget(&mut self, now: Instant) {
        while let Some(entry) = self.by_end.first_entry()
            && *entry.key() <= now
        {
            for call in entry.remove() {
                let Some(cancels) = self.early.get_mut(&call) else { continue };
                for cancel in cancels.extract_if(.., |cancel| cancel.end <= now) {
                    self.count = self.count.saturating_sub(1);
                    self.of_tokens = self.of_tokens.saturating_sub(usize::from(cancel.has_token()));
                    if let Some(count) = self.by_caller.get_mut(&cancel.caller) {
                        *count = count.saturating_sub(1);
                        if *count == 0 {
                            self.by_caller.remove(&cancel.caller);
                        }
                    }
                }
                if cancels.is_empty() {
                    self.early.remove(&call);
                }
            }
        }
    }
}

impl Cancel {
    /// Whether the cancel is for a request with the same id of the call.
    fn is_of(&self, request: &Envelope) -> bool {
        self.is_about(request) && self.right.is_for(request)
    }

    /// The same, whether or not its sender has the right to it.
    fn is_about(&self, request: &Envelope) -> bool {
        self.from == request.from()
            && self.tenant.as_deref() == request.tenant()
            && self.capability == request.capability()
            && self.message_id.as_deref().is_none_or(|id| id == request.message_id())
    }

    fn has_token(&self) -> bool {
        matches!(self.right, Right::Token(_))
    }

    fn is_equal(&self, other: &Self) -> bool {
        (&self.from, &self.tenant, &self.capability, &self.message_id, self.right)
            == (&other.from, &other.tenant, &other.capability, &other.message_id, other.right)
    }
}

impl Right {
    /// The right of a message with a token.
    pub(super) fn of_token(value: &str) -> Self {
        Self::Token(Hash::of(value))
    }

    fn is_for(self, request: &Envelope) -> bool {
        match self {
            Self::Any => true,
            Self::Signature => request.has_auth(),
            Self::Token(token) => token_of(request) == Some(token),
        }
    }
}

/// The hash of the token of a request, if nothing else proves it.
fn token_of(request: &Envelope) -> Option<Hash> {
    request.header(header::AUTHORIZATION).filter(|_| !request.has_auth()).map(Hash::of)
}

impl Entry {
    /// Whether a message with a right may be about the request. The token is hashed once: many requests may belong to
    /// one call.
    fn grants(&self, right: Right) -> bool {
        match right {
            Right::Token(token) => *self.token.get_or_init(|| token_of(&self.request)) == Some(token),
            Right::Any | Right::Signature => right.is_for(&self.request),
        }
    }
}

impl Running<'_> {
    /// Ends when the request is cancelled, once.
    pub(super) async fn cancelled(&self) {
        self.entry.cancelled.notified().await;
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let call = self.entry.request.correlation_id();
        let mut state = self.cancels.lock();
        if let Some(entries) = state.running.get_mut(call) {
            entries.retain(|entry| !Arc::ptr_eq(entry, &self.entry));
            if entries.is_empty() {
                state.running.remove(call);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;

    use super::*;

    fn message(call: &str, id: &str, caller: &str, cause: Option<&str>) -> Arc<Envelope> {
        let cause = cause.map(|cause| format!(r#""causedBy":"{cause}","#)).unwrap_or_default();
        let text = format!(
            r#"{{"version":1,"kind":"request","messageId":"{id}","correlationId":"{call}",{cause}"from":"agent://{caller}",
            "to":"agent://b","capability":"say","payload":null}}"#
        );
        Arc::new(Envelope::decode(&text.into()).unwrap_or_else(|error| panic!("{error}")))
    }

    /// Whether a future has ended.
    fn futures_now(future: impl Future<Output = ()>) -> bool {
        let mut future = std::pin::pin!(future);
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        future.as_mut().poll(&mut context).is_ready()
    }

    #[tokio::test(start_paused = true)]
    async fn a_cancel_before_its_request_is_kept_for_a_time() {
        let (cancels, caller) = (Cancels::new(false), Caller::Unproved);
        cancels.cancel(&message("c", "x", "a", Some("1")), &caller, Right::Any, Instant::now() + KEPT * 2);
        cancels.cancel(&message("d", "y", "a", None), &caller, Right::Any, Instant::now() + Duration::from_secs(1));
        let is_cancelled = |call, id, caller| {
            let request = message(call, id, caller, None);
            let running = cancels.run(&request);
            let is_notified = futures_now(running.cancelled());
            assert_eq!(is_notified, cancels.is_cancelled(&request));
            is_notified
        };
        assert!(is_cancelled("c", "1", "a") && is_cancelled("d", "1", "a") && is_cancelled("d", "2", "a"));
        assert!(!is_cancelled("c", "2", "a") && !is_cancelled("c", "1", "b") && !is_cancelled("e", "1", "a"));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(is_cancelled("c", "1", "a") && !is_cancelled("d", "1", "a"));
        tokio::time::advance(KEPT).await;
        assert!(!is_cancelled("c", "1", "a"));
        let mut state = cancels.lock();
        state.forget(Instant::now());
        assert!(state.count == 0 && state.early.is_empty() && state.by_end.is_empty() && state.by_caller.is_empty());
        assert!(state.running.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn the_number_of_early_cancels_is_bounded() {
        let (all, of_caller) = CAPACITY;
        let unproved = Cancels::new(false);
        let proved = Cancels::new(true);
        for number in 0..all * 2 {
            let id = number.to_string();
            let caller = Caller::Agent(format!("a{}", number % 4).into());
            for cancels in [&unproved, &proved] {
                let caller = if cancels.most == all { &Caller::Unproved } else { &caller };
                cancels.cancel(&message(&id, "x", "a", None), caller, Right::Any, Instant::now() + KEPT);
                // A repeated one takes no room.
                cancels.cancel(&message(&id, "y", "a", None), caller, Right::Any, Instant::now() + KEPT);
            }
        }
        assert_eq!((unproved.lock().count, proved.lock().count), (all, of_caller * 4));
        proved.cancel(&message("c", "x", "b", None), &Caller::Unproved, Right::Any, Instant::now() + KEPT);
        assert_eq!(proved.lock().count, of_caller * 4 + 1);
    }

    #[tokio::test(start_paused = true)]
    async fn tokens_that_are_made_up_leave_room_for_callers_that_are_proved() {
        let cancels = Cancels::new(true);
        for number in 0..CAPACITY.0 * 2 {
            let token = Hash::of(number.to_string());
            let message = message(&number.to_string(), "x", "a", None);
            cancels.cancel(&message, &Caller::Token(token), Right::Token(token), Instant::now() + KEPT);
        }
        assert_eq!(cancels.lock().count, OF_TOKENS);
        let proved = Caller::Agent("b".into());
        cancels.cancel(&message("c", "x", "b", None), &proved, Right::Signature, Instant::now() + KEPT);
        assert_eq!(cancels.lock().count, OF_TOKENS + 1);
        tokio::time::advance(KEPT).await;
        let mut state = cancels.lock();
        state.forget(Instant::now());
        assert_eq!((state.count, state.of_tokens), (0, 0));
    }
}
