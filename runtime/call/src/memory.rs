//! The transport `memory`: a broker inside the program.

use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use futures_core::Stream;
use tokio::sync::mpsc;

use crate::address::last_token;
use crate::transport::{
    BoxFuture, Health, Incoming, IncomingContent, Outgoing, Receive, Stoppable, SubscribeOptions, Subscription,
    Transport, TransportError,
};

/// The number of messages that wait for a subscriber, unless it chooses another number. A burst of usual calls fits;
/// with the largest messages, a subscriber that stops reading keeps 1 GiB at most.
const CAPACITY: usize = 1024;
/// The largest message in bytes, unless the broker has another limit: the default of NATS servers, so that programs
/// behave alike on both.
const MAX_MESSAGE: usize = 1024 * 1024;

/// A broker that lives in the program. Clones are the same broker.
///
/// Messages to an address without subscribers are answered with [`IncomingContent::NoResponders`]. If a subscriber does
/// not read its messages, [`publish`](Transport::publish) fails with [`TransportError::Overloaded`]; nothing waits
/// without limit.
#[derive(Clone, Default, Debug)]
pub struct MemoryBroker(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// The largest message in bytes.
    max_message: usize,
    subscribers: Mutex<Subscribers>,
    next: AtomicU64,
}

/// The subscriptions of a broker.
#[derive(Default, Debug)]
struct Subscribers {
    by_address: BTreeMap<String, Vec<Subscriber>>,
    /// Those to all addresses with one more token, such as inboxes: by the address without its end `.*`.
    by_prefix: BTreeMap<String, Vec<Subscriber>>,
}

#[derive(Debug)]
struct Subscriber {
    id: u64,
    /// The connection that it belongs to.
    owner: u64,
    group: Option<String>,
    /// Messages that the group received, to take turns.
    served: u64,
    /// Whether it receives the message that is being delivered.
    has_turn: bool,
    receiver: Receiver,
}

/// The receiver of messages. Clones are the same, so that a message is handed over after the lock of the subscribers is
/// released.
#[derive(Clone)]
enum Receiver {
    Queue(Arc<mpsc::Sender<Incoming>>),
    /// The queue takes the messages that the function gives back. Without its sender, the stream of its other end would
    /// end.
    Function(Receive, Arc<mpsc::Sender<Incoming>>),
}

/// The receivers of one message. Most messages have one, which takes the message itself.
#[derive(Default)]
struct Receivers {
    others: Vec<Receiver>,
    last: Option<Receiver>,
}

/// A connection to a [`MemoryBroker`].
#[derive(Debug)]
pub struct MemoryTransport {
    broker: MemoryBroker,
    id: u64,
    closed: AtomicBool,
}

impl Default for Shared {
    fn default() -> Self {
        Self { max_message: MAX_MESSAGE, subscribers: Mutex::default(), next: AtomicU64::new(0) }
    }
}

impl MemoryBroker {
    /// A broker without subscribers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A broker without subscribers, with another limit for messages than 1 MiB.
    #[must_use]
    pub fn with_max_message(bytes: usize) -> Self {
        Self(Arc::new(Shared { max_message: bytes, ..Shared::default() }))
    }

    /// A new connection.
    #[must_use]
    pub fn connect(&self) -> MemoryTransport {
        MemoryTransport { broker: self.clone(), id: self.next(), closed: AtomicBool::new(false) }
    }

    fn next(&self) -> u64 {
        self.0.next.fetch_add(1, Ordering::Relaxed)
    }

    fn subscribers(&self) -> MutexGuard<'_, Subscribers> {
        self.0.subscribers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remove(&self, keep: impl Fn(&Subscriber) -> bool) {
        // Dropped after the lock is released: their functions may own transports, which lock it when they are dropped.
        let mut removed = Vec::new();
        let Subscribers { by_address, by_prefix } = &mut *self.subscribers();
        for all in [by_address, by_prefix] {
            all.retain(|_, list| {
                removed.extend(list.extract_if(.., |subscriber| !keep(subscriber)));
                !list.is_empty()
            });
        }
    }

    /// Delivers a message to each subscriber without a group, and to one subscriber of each group. Gives the message
    /// back if there is none.
    fn deliver(&self, message: Incoming) -> Result<Option<Incoming>, TransportError> {
        // Messages are handed over without the lock: that wakes the receiver, which may send at once on another thread.
        let Receivers { others, last } = self.receivers(&message.address);
        let Some(last) = last else { return Ok(Some(message)) };
        let mut has_room = true;
        for receiver in others {
            let Incoming { address, reply_to, content, .. } = &message;
            has_room &= receiver.take(incoming(address.clone(), reply_to.clone(), content.clone()));
        }
        has_room &= last.take(message);
        if has_room { Ok(None) } else { Err(TransportError::Overloaded) }
    }

    /// Those who receive the next message to an address. It counts as received.
    fn receivers(&self, address: &str) -> Receivers {
        let Subscribers { by_address, by_prefix } = &mut *self.subscribers();
        let prefix = last_token(address).map(|(prefix, _)| prefix);
        let lists = [by_address.get_mut(address), prefix.and_then(|prefix| by_prefix.get_mut(prefix))];
        let mut receivers = Receivers::default();
        for list in lists.into_iter().flatten() {
            mark_turns(list);
            for subscriber in list.iter_mut().filter(|subscriber| subscriber.has_turn) {
                subscriber.served += 1;
                receivers.others.extend(receivers.last.replace(subscriber.receiver.clone()));
            }
        }
        receivers
    }
}

/// Decides which subscribers receive the next message: all without a group do and, of each group, the first one of
/// those that received the fewest.
fn mark_turns(list: &mut [Subscriber]) {
    if let [only] = list {
        only.has_turn = true;
        return;
    }
    for index in 0..list.len() {
        let has_turn = has_turn(list, index);
        if let Some(subscriber) = list.get_mut(index) {
            subscriber.has_turn = has_turn;
        }
    }
}

/// Whether a subscriber, given its index, receives the next message.
fn has_turn(list: &[Subscriber], index: usize) -> bool {
    let Some(one) = list.get(index) else { return false };
    let mut others = list.iter().enumerate().filter(|(_, other)| other.group == one.group);
    one.group.is_none() || others.all(|(other, them)| (one.served, index) <= (them.served, other))
}

/// A message that this broker delivers once.
fn incoming(address: String, reply_to: Option<String>, content: IncomingContent) -> Incoming {
    Incoming { address, reply_to, content, redelivered: false, acknowledgement: None }
}

impl Receiver {
    /// Hands a message over. `false` if too many wait. A receiver that is being dropped takes all.
    fn take(&self, message: Incoming) -> bool {
        let (message, queue) = match self {
            Self::Queue(queue) => (message, queue),
            Self::Function(receive, queue) => match receive(message) {
                Ok(()) => return true,
                Err(message) => (message, queue),
            },
        };
        !matches!(queue.try_send(message), Err(mpsc::error::TrySendError::Full(_)))
    }
}

impl fmt::Debug for Receiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Queue(_) => "Queue",
            Self::Function(..) => "Function",
        })
    }
}

impl MemoryTransport {
    fn send(&self, message: Outgoing) -> Result<(), TransportError> {
        if self.closed.load(Ordering::Acquire) {
            return Err(TransportError::Closed);
        }
        let limit = self.broker.0.max_message;
        if message.payload.len() > limit {
            return Err(TransportError::TooLarge { size: message.payload.len(), limit });
        }
        let Outgoing { address, reply_to, payload, .. } = message;
        if let Some(unreceived) = self.broker.deliver(incoming(address, reply_to, IncomingContent::Message(payload)))?
            && let Some(address) = unreceived.reply_to
        {
            self.broker.deliver(incoming(address, None, IncomingContent::NoResponders))?;
        }
        Ok(())
    }

    fn add(&self, address: &str, options: SubscribeOptions) -> Result<Subscription, TransportError> {
        if self.closed.load(Ordering::Acquire) {
            return Err(TransportError::Closed);
        }
        let capacity = if options.capacity == 0 { CAPACITY } else { options.capacity };
        let (sender, receiver) = mpsc::channel(capacity);
        let id = self.broker.next();
        let Subscribers { by_address, by_prefix } = &mut *self.broker.subscribers();
        let list = match address.strip_suffix(".*") {
            Some(prefix) => by_prefix.entry(prefix.to_owned()).or_default(),
            None => by_address.entry(address.to_owned()).or_default(),
        };
        // A new member of a group starts with the turns of the others, so that it does not receive everything at first.
        let served = list.iter().filter(|other| other.group == options.group).map(|other| other.served).max();
        list.push(Subscriber {
            id,
            owner: self.id,
            group: options.group,
            served: served.unwrap_or(0),
            has_turn: false,
            receiver: Receiver::Queue(Arc::new(sender)),
        });
        Ok(Subscription::stoppable(Received { broker: self.broker.clone(), id, receiver }))
    }
}

impl Transport for MemoryTransport {
    fn kind(&self) -> &'static str {
        "memory"
    }

    fn publish(&self, message: Outgoing) -> BoxFuture<'_, Result<(), TransportError>> {
        let sent = self.send(message);
        Box::pin(async { sent })
    }

    fn subscribe(
        &self,
        address: &str,
        options: SubscribeOptions,
    ) -> BoxFuture<'_, Result<Subscription, TransportError>> {
        let added = self.add(address, options);
        Box::pin(async { added })
    }

    fn new_inbox(&self) -> String {
        format!("_inbox.{}", self.broker.next())
    }

    /// The messages do not leave the program.
    fn is_encrypted(&self) -> bool {
        true
    }

    fn max_message(&self) -> usize {
        self.broker.0.max_message
    }

    fn health(&self) -> Health {
        if self.closed.load(Ordering::Acquire) { Health::Closed } else { Health::Connected }
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.closed.store(true, Ordering::Release);
        self.broker.remove(|subscriber| subscriber.owner != self.id);
        Box::pin(async {})
    }
}

impl Drop for MemoryTransport {
    fn drop(&mut self) {
        self.broker.remove(|subscriber| subscriber.owner != self.id);
    }
}

/// The messages of one subscription.
struct Received {
    broker: MemoryBroker,
    id: u64,
    receiver: mpsc::Receiver<Incoming>,
}

impl Stream for Received {
    type Item = Incoming;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Incoming>> {
        self.receiver.poll_recv(context)
    }
}

impl Received {
    fn unsubscribe(&self) {
        self.broker.remove(|subscriber| subscriber.id != self.id);
    }
}

impl Stoppable for Received {
    fn stop(&mut self) -> BoxFuture<'_, ()> {
        self.unsubscribe();
        Box::pin(async {
            // Senders on other threads may hold the receiver still, for as long as handing over one message takes.
            while self.receiver.sender_strong_count() > 0 {
                tokio::task::yield_now().await;
            }
        })
    }

    fn hand_to(&mut self, receive: Receive) -> bool {
        let Subscribers { by_address, by_prefix } = &mut *self.broker.subscribers();
        let mut all = by_address.values_mut().chain(by_prefix.values_mut()).flatten();
        let Some(subscriber) = all.find(|subscriber| subscriber.id == self.id) else { return false };
        let (Receiver::Queue(queue) | Receiver::Function(_, queue)) = &subscriber.receiver;
        subscriber.receiver = Receiver::Function(receive, Arc::clone(queue));
        true
    }
}

impl Drop for Received {
    fn drop(&mut self) {
        self.unsubscribe();
    }
}
