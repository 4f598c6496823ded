//! The transport `memory`: a broker inside the program.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use futures_core::Stream;
use tokio::sync::mpsc;

use crate::transport::{
    BoxFuture, Health, Incoming, IncomingContent, Outgoing, Stoppable, SubscribeOptions, Subscription, Transport,
    TransportError,
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
    /// The subscriptions by address. The address of an inbox ends with `.*`.
    subscribers: Mutex<BTreeMap<String, Vec<Subscriber>>>,
    next: AtomicU64,
}

#[derive(Debug)]
struct Subscriber {
    id: u64,
    /// The connection that it belongs to.
    owner: u64,
    group: Option<String>,
    /// Messages that the group received, to take turns.
    served: u64,
    sender: mpsc::Sender<Incoming>,
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

    fn subscribers(&self) -> MutexGuard<'_, BTreeMap<String, Vec<Subscriber>>> {
        self.0.subscribers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remove(&self, keep: impl Fn(&Subscriber) -> bool) {
        self.subscribers().retain(|_, list| {
            list.retain(&keep);
            !list.is_empty()
        });
    }

    /// Delivers a message to each subscriber without a group, and to one subscriber of each group: the one that
    /// received the fewest. `Ok(false)` if there is none.
    fn deliver(&self, message: &Outgoing, content: &IncomingContent) -> Result<bool, TransportError> {
        let mut all = self.subscribers();
        let wildcard = message.address.rsplit_once('.').map(|(prefix, _)| format!("{prefix}.*"));
        let mut found = false;
        let mut full = false;
        for address in std::iter::once(&message.address).chain(&wildcard) {
            let Some(list) = all.get_mut(address) else { continue };
            let mut turns: BTreeMap<Option<String>, usize> = BTreeMap::new();
            for (index, subscriber) in list.iter().enumerate() {
                let Some(group) = &subscriber.group else { continue };
                let turn = turns.entry(Some(group.clone())).or_insert(index);
                if list.get(*turn).is_some_and(|best| subscriber.served < best.served) {
                    *turn = index;
                }
            }
            for (index, subscriber) in list.iter_mut().enumerate() {
                if subscriber.group.is_some() && turns.get(&subscriber.group) != Some(&index) {
                    continue;
                }
                found = true;
                subscriber.served += 1;
                let incoming = Incoming {
                    address: message.address.clone(),
                    reply_to: message.reply_to.clone(),
                    content: content.clone(),
                    redelivered: false,
                    acknowledgement: None,
                };
                full |= matches!(subscriber.sender.try_send(incoming), Err(mpsc::error::TrySendError::Full(_)));
            }
        }
        if full { Err(TransportError::Overloaded) } else { Ok(found) }
    }
}

impl MemoryTransport {
    fn send(&self, message: &Outgoing) -> Result<(), TransportError> {
        if self.closed.load(Ordering::Acquire) {
            return Err(TransportError::Closed);
        }
        let limit = self.broker.0.max_message;
        if message.payload.len() > limit {
            return Err(TransportError::TooLarge { size: message.payload.len(), limit });
        }
        if self.broker.deliver(message, &IncomingContent::Message(message.payload.clone()))? {
            return Ok(());
        }
        if let Some(address) = &message.reply_to {
            let answer = Outgoing { address: address.clone(), reply_to: None, ..message.clone() };
            self.broker.deliver(&answer, &IncomingContent::NoResponders)?;
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
        let mut all = self.broker.subscribers();
        let list = all.entry(address.to_owned()).or_default();
        // A new member of a group starts with the turns of the others, so that it does not receive everything at first.
        let served = list.iter().filter(|other| other.group == options.group).map(|other| other.served).max();
        list.push(Subscriber { id, owner: self.id, group: options.group, served: served.unwrap_or(0), sender });
        Ok(Subscription::stoppable(Received { broker: self.broker.clone(), id, receiver }))
    }
}

impl Transport for MemoryTransport {
    fn kind(&self) -> &'static str {
        "memory"
    }

    fn publish(&self, message: Outgoing) -> BoxFuture<'_, Result<(), TransportError>> {
        let sent = self.send(&message);
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
        Box::pin(async {})
    }
}

impl Drop for Received {
    fn drop(&mut self) {
        self.unsubscribe();
    }
}
