//! The trait of transports: they move whole messages, and know nothing about capabilities.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use futures_core::Stream;

/// A future that a trait object returns.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A broker, or a connection to one.
///
/// Addresses are the channels of the manifest (`topics`, `subjects`, `queues`), without a scheme. All methods are safe
/// to call from several tasks at once.
pub trait Transport: Send + Sync + 'static {
    /// The kind of the transport in the manifest, such as `memory`; also the scheme of `replyTo` in the envelope.
    fn kind(&self) -> &'static str;

    /// Sends a message. The future ends when the transport has taken responsibility for it: for
    /// [`Delivery::AtLeastOnce`], when the broker has acknowledged it.
    ///
    /// # Errors
    ///
    /// The message was not sent, or it is not known whether it was.
    fn publish(&self, message: Outgoing) -> BoxFuture<'_, Result<(), TransportError>>;

    /// Receives the messages to an address from now on. If it ends with `.*`, also the messages to any address with one
    /// more token. The subscription is in effect when the future ends, and ends when it is dropped.
    ///
    /// # Errors
    ///
    /// The broker refused the subscription, or is not connected.
    fn subscribe(
        &self,
        address: &str,
        options: SubscribeOptions,
    ) -> BoxFuture<'_, Result<Subscription, TransportError>>;

    /// A new address that no one else uses. Its owner subscribes to `<address>.*`, and appends a token for each
    /// request.
    fn new_inbox(&self) -> String;

    /// The largest message, in bytes.
    fn max_message(&self) -> usize;

    /// Whether messages can be sent at the moment.
    fn health(&self) -> Health;

    /// The number of messages that arrived and were dropped because their subscription had no room, which means that
    /// its owner reads too slowly. `0` if the transport rejects such messages in [`publish`](Self::publish). At least
    /// this many: a transport that cannot count each message counts some of them.
    fn dropped(&self) -> u64 {
        0
    }

    /// Whether all messages are encrypted on their way, so that no one but the two ends and the broker can read them.
    /// `false` if this is not certain.
    fn is_encrypted(&self) -> bool {
        false
    }

    /// Waits until the broker has received the messages that were published before. Without a buffer, there is nothing
    /// to wait for.
    ///
    /// # Errors
    ///
    /// It is not known whether the broker has received them.
    fn flush(&self) -> BoxFuture<'_, Result<(), TransportError>> {
        Box::pin(async { Ok(()) })
    }

    /// Sends the buffered messages, ends all subscriptions and disconnects. Later calls of [`publish`](Self::publish)
    /// fail.
    fn close(&self) -> BoxFuture<'_, ()>;
}

/// A value that clients and servers take as a transport: a [`Transport`], or an [`Arc`] of one.
///
/// ```
/// use std::sync::Arc;
///
/// use capgen_call::{IntoTransport, MemoryBroker, Transport};
///
/// fn kind(transport: impl IntoTransport) -> &'static str {
///     transport.into_transport().kind()
/// }
///
/// let broker = MemoryBroker::new();
/// let shared: Arc<dyn Transport> = Arc::new(broker.connect());
/// assert_eq!([kind(broker.connect()), kind(Arc::new(broker.connect())), kind(shared)], ["memory"; 3]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a transport",
    note = "give a value whose type implements `Transport`, or an `Arc` of one"
)]
pub trait IntoTransport {
    /// The transport, shared.
    fn into_transport(self) -> Arc<dyn Transport>;
}

impl<T: Transport> IntoTransport for T {
    fn into_transport(self) -> Arc<dyn Transport> {
        Arc::new(self)
    }
}

impl<T: Transport> IntoTransport for Arc<T> {
    fn into_transport(self) -> Arc<dyn Transport> {
        self
    }
}

impl IntoTransport for Arc<dyn Transport> {
    fn into_transport(self) -> Arc<dyn Transport> {
        self
    }
}

/// A message to send.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// Where to.
    pub address: String,
    /// Where replies go to.
    pub reply_to: Option<String>,
    /// The envelope.
    pub payload: Bytes,
    /// The guarantee that the sender asks for.
    pub delivery: Delivery,
    /// With [`Delivery::AtLeastOnce`], the `messageId` of the envelope: the broker drops a second message with the same
    /// id. Otherwise, it may be empty.
    pub message_id: String,
}

impl Outgoing {
    /// A message that arrives at most once, and has no reply.
    pub(crate) fn at_most_once(address: String, payload: Bytes) -> Self {
        Self { address, reply_to: None, payload, delivery: Delivery::AtMostOnce, message_id: String::new() }
    }
}

/// The guarantee that the sender of a message asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Delivery {
    /// The message arrives once or, if something fails, not at all.
    #[default]
    AtMostOnce,
    /// The broker stores the message until a receiver acknowledges it, so it may arrive several times.
    AtLeastOnce,
}

/// The options of a subscription.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SubscribeOptions {
    /// Each message to the address goes to one subscription of each group, and to each subscription without a group.
    pub group: Option<String>,
    /// With [`Delivery::AtLeastOnce`], messages that were published with this guarantee arrive too.
    pub delivery: Delivery,
    /// The number of messages that may wait to be read; `0` for the default of the transport.
    pub capacity: usize,
}

/// A message that arrived, or the news that it never will.
pub struct Incoming {
    /// The address that it was sent to.
    pub address: String,
    /// Where replies go to.
    pub reply_to: Option<String>,
    /// The message, or the news.
    pub content: IncomingContent,
    /// Whether the broker delivers the message again. A sender cannot set it.
    pub redelivered: bool,
    /// The acknowledgement that the broker waits for, if the message has [`Delivery::AtLeastOnce`].
    pub acknowledgement: Option<Box<dyn Acknowledgement>>,
}

/// The content of an [`Incoming`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum IncomingContent {
    /// A message.
    Message(Bytes),
    /// No one receives the messages to the address to which a request was sent whose `reply_to` was this address.
    NoResponders,
}

/// The answer to a broker that stores a message until it is acknowledged.
pub trait Acknowledgement: Send + Sync {
    /// The message is processed.
    fn ack(self: Box<Self>) -> BoxFuture<'static, Result<(), TransportError>>;
    /// The message cannot be processed now: deliver it again.
    fn nak(self: Box<Self>) -> BoxFuture<'static, Result<(), TransportError>>;
    /// The message is being processed: wait longer before delivering it again.
    fn in_progress(&self) -> BoxFuture<'_, Result<(), TransportError>>;
}

/// The messages to an address. It ends if the transport closes.
pub struct Subscription(Messages);

enum Messages {
    /// Dropping the stream is the only way to end it.
    Plain(Pin<Box<dyn Stream<Item = Incoming> + Send>>),
    Stoppable(Box<dyn Stoppable>),
}

/// The messages of a subscription that can end without losing those that are on their way. Dropping it must
/// unsubscribe too.
pub trait Stoppable: Stream<Item = Incoming> + Send + Unpin + 'static {
    /// Ends the subscription at the broker. When the future ends, the messages that the broker has sent to it have
    /// arrived, and can be read without waiting.
    fn stop(&mut self) -> BoxFuture<'_, ()>;

    /// Hands the messages that arrive from now on to a function, instead of yielding them. Returns whether it does;
    /// by default not. The stream yields the messages that arrived before and those that the function gives back,
    /// and still ends when the transport closes.
    ///
    /// For transports inside the program: the sender of a message calls the function itself, so that no other task
    /// has to be woken for it. It must hold no lock meanwhile, because the function may wake tasks that send.
    fn hand_to(&mut self, _receive: Receive) -> bool {
        false
    }
}

/// A function that takes messages, and gives back those for which it has no room. It does not wait, and does not send.
pub type Receive = Arc<dyn Fn(Incoming) -> Result<(), Incoming> + Send + Sync>;

impl Subscription {
    /// A subscription that yields the items of a stream. Dropping the stream must unsubscribe.
    pub fn new(stream: impl Stream<Item = Incoming> + Send + 'static) -> Self {
        Self(Messages::Plain(Box::pin(stream)))
    }

    /// A subscription that can be [stopped](Self::stop), so that a server that shuts down loses no request.
    pub fn stoppable(messages: impl Stoppable) -> Self {
        Self(Messages::Stoppable(Box::new(messages)))
    }

    /// The next message; `None` if the transport is closed. Cancel safe: no message is lost if the future is dropped.
    pub async fn next(&mut self) -> Option<Incoming> {
        std::future::poll_fn(|context| match &mut self.0 {
            Messages::Plain(messages) => messages.as_mut().poll_next(context),
            Messages::Stoppable(messages) => Pin::new(messages.as_mut()).poll_next(context),
        })
        .await
    }

    /// Hands the messages that arrive from now on to a function, if the transport can; see [`Stoppable::hand_to`].
    pub(crate) fn hand_to(&mut self, receive: Receive) -> bool {
        match &mut self.0 {
            Messages::Plain(_) => false,
            Messages::Stoppable(messages) => messages.hand_to(receive),
        }
    }

    /// Ends the subscription at the broker, which sends no more messages to it. Those that it has sent can be read
    /// then without waiting. Does nothing if the transport cannot do that.
    pub async fn stop(&mut self) {
        if let Messages::Stoppable(messages) = &mut self.0 {
            messages.stop().await;
        }
    }
}

/// Whether a transport is usable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Health {
    /// Connected.
    Connected,
    /// Not connected at the moment; the transport tries again.
    Reconnecting,
    /// Closed.
    Closed,
}

/// Why a transport failed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TransportError {
    /// The transport is closed.
    Closed,
    /// Not connected, or the connection ended before the broker confirmed the operation.
    Disconnected(String),
    /// The message is larger than [`Transport::max_message`].
    TooLarge {
        /// The size of the message in bytes.
        size: usize,
        /// The largest size in bytes.
        limit: usize,
    },
    /// Messages are produced faster than the transport sends them.
    Overloaded,
    /// The transport does not support the operation; the message states the missing part.
    Unsupported(String),
    /// The broker refused the operation.
    Refused(String),
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("the transport is closed"),
            Self::Disconnected(reason) => write!(f, "not connected: {reason}"),
            Self::TooLarge { size, limit } => write!(f, "the message has {size} bytes; the limit is {limit}"),
            Self::Overloaded => f.write_str("the transport has no room for more messages"),
            Self::Unsupported(reason) => write!(f, "not supported: {reason}"),
            Self::Refused(reason) => write!(f, "the broker refused: {reason}"),
        }
    }
}

impl std::error::Error for TransportError {}

impl fmt::Debug for Incoming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Incoming")
            .field("address", &self.address)
            .field("content", &self.content)
            .finish_non_exhaustive()
    }
}
