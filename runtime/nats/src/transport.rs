//! The transport: a connection to NATS.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::Poll;
use std::time::Duration;

use async_nats::connection::State;
use async_nats::{Client, PublishErrorKind};
use capgen_call::{BoxFuture, Delivery, Health, Outgoing, SubscribeOptions, Subscription, Transport, TransportError};
use futures_core::Stream as _;
use tokio::sync::watch;

use crate::connect::{connect, server_names};
use crate::jetstream::JetStream;
use crate::options::{Handler, NatsOptions};
use crate::{limited, subject, subscription};

/// The smallest capacity that may be rounded up to that of the connection. A subscription with a smaller capacity
/// depends on it, such as one message at a time; a larger one only bounds memory.
const EXACT: usize = 1024;
/// How often a wait for the server checks whether the connection is lost. An operation fails no later than this after
/// the connection is lost, and twenty checks per second cost little.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// A connection to a NATS server or cluster, which is established again if it is lost.
///
/// - [`publish`](Transport::publish) with [`Delivery::AtMostOnce`] ends when the message is in the buffer of the
///   connection. If the connection is lost at this moment, so is the message: callers notice it by their timeout. While
///   the connection is down, it fails with [`TransportError::Disconnected`] instead of sending old messages later.
/// - With [`Delivery::AtLeastOnce`], it ends when JetStream has stored the message.
///   [`JetStreamOptions`](crate::JetStreamOptions) has the details.
/// - [`subscribe`](Transport::subscribe) ends when the server has confirmed the subscription, and fails if the user may
///   not subscribe. Subscriptions outlive lost connections, except for the messages in between.
/// - The capacity of a subscription is exact below 1024. Otherwise, it is rounded up to [`NatsOptions::capacity`].
/// - Clones share the connection. It ends with [`close`](Transport::close), or if all clones are dropped.
#[derive(Clone)]
pub struct NatsTransport {
    pub(crate) link: Arc<Link>,
    jetstream: Option<JetStream>,
    /// Shared by the clones, so that the connection ends with the last of them although tasks still use it.
    _end: Arc<End>,
}

/// Closes the connection when it is dropped.
struct End(Arc<Link>);

/// The connection, shared by everything that uses it.
pub(crate) struct Link {
    pub(crate) client: Client,
    pub(crate) timeout: Duration,
    /// The capacity of subscriptions that choose none.
    pub(crate) capacity: usize,
    /// Whether connections without TLS are refused.
    is_encrypted: bool,
    /// Set at the beginning of `close`.
    closing: Arc<AtomicBool>,
    /// Set at its end.
    closed: watch::Sender<bool>,
    pub(crate) observer: Arc<Observer>,
}

/// Counts and reports events.
#[derive(Default)]
pub(crate) struct Observer {
    /// The hosts and ports of the servers, for logs.
    servers: String,
    dropped: AtomicU64,
    handler: Option<Handler>,
    /// Changes with each new connection.
    pub(crate) connected: watch::Sender<()>,
    /// The latest errors that the server reported, with their number. They arrive apart from the operation that caused
    /// them.
    errors: watch::Sender<VecDeque<(u64, String)>>,
}

/// The number of errors to remember. An operation looks for its error among those that arrive while it waits, of which
/// there are few.
const ERRORS: usize = 32;

/// An event of a connection.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum NatsEvent {
    /// Connected, or connected again.
    Connected,
    /// The connection is lost; the transport tries again.
    Disconnected,
    /// A subscription had no room for a message, which is dropped. A flood of such events is not reported completely.
    SlowConsumer,
    /// The server will end soon.
    ServerEnds,
    /// The server reported an error, such as a missing permission.
    ServerError(String),
    /// An attempt to connect failed.
    ConnectFailed(String),
    /// The connection is closed.
    Closed,
}

impl NatsTransport {
    /// Connects to the first server that answers.
    ///
    /// # Errors
    ///
    /// [`TransportError::Disconnected`] if no server answers; [`TransportError::Refused`] if the server rejects the
    /// credentials, or an option is invalid. Nothing is connected then.
    pub async fn connect(options: NatsOptions) -> Result<Self, TransportError> {
        let (servers, handler) = (server_names(&options), options.on_event.clone());
        let observer = Arc::new(Observer { servers, handler, ..Observer::default() });
        let closing = Arc::new(AtomicBool::new(false));
        let watching = Arc::clone(&observer);
        let client = connect(&options, &closing, move |event| watching.observe(event)).await?;
        let link = Arc::new(Link {
            client,
            timeout: options.operation_timeout,
            capacity: options.capacity,
            is_encrypted: options.require_tls,
            closing,
            closed: watch::Sender::new(false),
            observer,
        });
        let jetstream = options.jetstream.map(|options| JetStream::new(Arc::clone(&link), options));
        Ok(Self { jetstream, _end: Arc::new(End(Arc::clone(&link))), link })
    }

    /// The number of times that the connection was lost and established again.
    #[must_use]
    pub fn reconnects(&self) -> u64 {
        self.link.connection().saturating_sub(1)
    }

    /// The version of the server, such as `2.10.7`.
    #[must_use]
    pub fn server_version(&self) -> String {
        self.link.client.server_info().version
    }

    async fn send(&self, message: Outgoing) -> Result<(), TransportError> {
        self.link.usable()?;
        subject::check(&message.address)?;
        message.reply_to.as_deref().map_or(Ok(()), subject::check)?;
        match message.delivery {
            Delivery::AtMostOnce => self.link.publish(message).await,
            // In a box, because other messages should not have the size of its future.
            Delivery::AtLeastOnce => Box::pin(self.jetstream()?.publish(message)).await,
        }
    }

    async fn listen(&self, address: &str, options: SubscribeOptions) -> Result<Subscription, TransportError> {
        self.link.usable()?;
        subject::check_pattern(address)?;
        let durable = match options.delivery {
            Delivery::AtMostOnce => None,
            Delivery::AtLeastOnce => Some(self.jetstream()?.consume(address, &options).await?),
        };
        let subscriber = self.link.subscribe(address, options.group.as_deref()).await?;
        let messages = subscription::Messages::new(subscriber, &self.link);
        Ok(match durable {
            Some(durable) => Subscription::stoppable(subscription::Both::new(messages, durable)),
            None if self.link.has_capacity(options.capacity) => Subscription::stoppable(messages),
            None => Subscription::stoppable(limited::limited(messages, options.capacity, &self.link)),
        })
    }

    fn jetstream(&self) -> Result<&JetStream, TransportError> {
        self.jetstream.as_ref().ok_or_else(|| {
            TransportError::Unsupported("at-least-once delivery needs `NatsOptions::jetstream`".to_owned())
        })
    }
}

impl Transport for NatsTransport {
    fn kind(&self) -> &'static str {
        "nats"
    }

    fn publish(&self, message: Outgoing) -> BoxFuture<'_, Result<(), TransportError>> {
        Box::pin(self.send(message))
    }

    fn subscribe(
        &self,
        address: &str,
        options: SubscribeOptions,
    ) -> BoxFuture<'_, Result<Subscription, TransportError>> {
        let address = address.to_owned();
        Box::pin(async move { self.listen(&address, options).await })
    }

    fn new_inbox(&self) -> String {
        self.link.client.new_inbox()
    }

    fn max_message(&self) -> usize {
        self.link.client.max_payload()
    }

    /// With [`NatsOptions::require_tls`]: without it, a server decides about TLS.
    fn is_encrypted(&self) -> bool {
        self.link.is_encrypted
    }

    fn health(&self) -> Health {
        match self.link.usable() {
            Ok(()) => Health::Connected,
            Err(TransportError::Closed) => Health::Closed,
            Err(_) => Health::Reconnecting,
        }
    }

    fn dropped(&self) -> u64 {
        self.link.observer.dropped.load(Ordering::Relaxed)
    }

    fn flush(&self) -> BoxFuture<'_, Result<(), TransportError>> {
        Box::pin(async {
            self.link.usable()?;
            // The server handles the messages of a connection in order.
            self.link.round_trip().await
        })
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.link.close())
    }
}

impl Link {
    /// Whether the client's own queue has a capacity that was asked for. To limit a subscription exactly takes a task
    /// and a second queue, so capacities of some size are rounded up.
    fn has_capacity(&self, capacity: usize) -> bool {
        capacity == 0 || (EXACT..=self.capacity).contains(&capacity) || capacity == self.capacity
    }

    /// An error unless messages can be sent.
    pub(crate) fn usable(&self) -> Result<(), TransportError> {
        if self.closing.load(Ordering::Acquire) {
            return Err(TransportError::Closed);
        }
        match self.client.connection_state() {
            State::Connected => Ok(()),
            State::Pending | State::Disconnected => {
                Err(self.disconnected("the connection is lost, and the transport connects again"))
            }
        }
    }

    /// The servers, for messages.
    pub(crate) fn servers(&self) -> &str {
        &self.observer.servers
    }

    /// The error of an operation that the server has not confirmed.
    pub(crate) fn disconnected(&self, reason: &str) -> TransportError {
        TransportError::Disconnected(format!("{}: {reason}", self.servers()))
    }

    /// Ends when the transport is closed.
    pub(crate) fn closed(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut closed = self.closed.subscribe();
        async move {
            // An error means that the transport is dropped.
            let _ = closed.wait_for(|closed| *closed).await;
        }
    }

    /// The number of the connection; each reconnection increases it.
    pub(crate) fn connection(&self) -> u64 {
        self.client.statistics().connects.load(Ordering::Relaxed)
    }

    async fn publish(&self, message: Outgoing) -> Result<(), TransportError> {
        let (size, limit) = (message.payload.len(), self.client.max_payload());
        if size > limit {
            return Err(TransportError::TooLarge { size, limit });
        }
        let connection = self.connection();
        let mut publish = pin!(async {
            match message.reply_to {
                Some(reply) => self.client.publish_with_reply(message.address, reply, message.payload).await,
                None => self.client.publish(message.address, message.payload).await,
            }
        });
        // The buffer nearly always has room, so the first poll ends, and no timer is needed.
        let first = poll_once(publish.as_mut()).await;
        let sent = match first {
            Poll::Ready(sent) => sent,
            Poll::Pending => tokio::select! {
                biased;
                sent = publish => sent,
                reason = Box::pin(self.interrupted(connection)) => return Err(reason.unwrap_or(TransportError::Overloaded)),
            },
        };
        sent.map_err(|error| match error.kind() {
            PublishErrorKind::MaxPayloadExceeded => TransportError::TooLarge { size, limit: self.client.max_payload() },
            PublishErrorKind::InvalidSubject => TransportError::Refused("the address is invalid".to_owned()),
            PublishErrorKind::Send => TransportError::Closed,
        })
    }

    /// Subscribes, and waits for the server's confirmation.
    pub(crate) async fn subscribe(
        &self,
        address: &str,
        group: Option<&str>,
    ) -> Result<async_nats::Subscriber, TransportError> {
        let connection = self.connection();
        let before = self.observer.last_error();
        let subscribe = async {
            match group {
                Some(group) => self.client.queue_subscribe(address.to_owned(), group.to_owned()).await,
                None => self.client.subscribe(address.to_owned()).await,
            }
        };
        let subscriber = tokio::select! {
            biased;
            subscriber = subscribe => subscriber.map_err(|_| TransportError::Refused("the address or the group is invalid".to_owned()))?,
            reason = self.interrupted(connection) => return Err(reason.unwrap_or(TransportError::Overloaded)),
        };
        // The first answer proves that the server has read the subscription; an error that it reported before is
        // handled by another task, which has run when the second answer arrives.
        for _ in 0..2 {
            self.round_trip().await?;
        }
        let refused = format!("Subscription to \"{address}\"");
        if self.observer.errors.borrow().iter().any(|(number, error)| *number > before && error.contains(&refused)) {
            return Err(TransportError::Refused(format!(
                "{}: the user may not subscribe to {address:?}; add it to the permissions of the user",
                self.servers()
            )));
        }
        Ok(subscriber)
    }

    /// Ends when the server has processed everything that was sent before.
    ///
    /// The server sends a message of this connection back to it. If the user may not send or receive it, the server
    /// reports this, with its subject. A request that no one receives would not do: other programs may receive all
    /// messages.
    pub(crate) async fn round_trip(&self) -> Result<(), TransportError> {
        let connection = self.connection();
        let own = self.client.new_inbox();
        let mut errors = self.observer.errors.subscribe();
        let forbidden = errors.wait_for(|all| all.iter().any(|(_, error)| error.contains(&own)));
        let echo = async {
            let mut subscriber = self.client.subscribe(own.clone()).await.ok()?;
            self.client.publish(own.clone(), bytes::Bytes::new()).await.ok()?;
            poll_fn(|task| Pin::new(&mut subscriber).poll_next(task)).await
        };
        tokio::select! {
            biased;
            // The client ended if there is none.
            Some(_) = echo => Ok(()),
            _ = forbidden => Ok(()),
            reason = self.interrupted(connection) => {
                Err(reason.unwrap_or_else(|| self.disconnected("the server does not answer")))
            }
        }
    }

    /// Ends when a connection is lost, with the reason; or after the limit for operations, without one.
    pub(crate) async fn interrupted(&self, connection: u64) -> Option<TransportError> {
        let limit = tokio::time::Instant::now() + self.timeout;
        while tokio::time::Instant::now() < limit {
            tokio::time::sleep(CHECK_INTERVAL).await;
            if self.client.connection_state() != State::Connected || self.connection() != connection {
                return Some(self.disconnected("the connection was lost before the server confirmed the operation"));
            }
        }
        None
    }

    async fn close(&self) {
        if !self.closing.swap(true, Ordering::AcqRel) {
            // Even if this future is dropped, no one waits forever.
            let _ended = Ended(&self.closed);
            if self.client.connection_state() == State::Connected && self.round_trip().await.is_ok() {
                let _ = self.client.drain().await;
                // The client ends by itself; its last event is not awaited for long, because events can be lost.
                let _ = tokio::time::timeout(self.timeout, self.client_ends()).await;
            }
        } else {
            self.closed().await;
        }
    }

    /// Ends when the client no longer accepts commands.
    async fn client_ends(&self) {
        while self.client.flush().await.is_ok() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

/// Reports the end of the connection when it is dropped.
struct Ended<'a>(&'a watch::Sender<bool>);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.send_replace(true);
    }
}

/// The state of a future after one poll, without waiting for it.
pub(crate) async fn poll_once<F: Future>(mut future: Pin<&mut F>) -> Poll<F::Output> {
    poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await
}

impl Drop for End {
    fn drop(&mut self) {
        self.0.closing.store(true, Ordering::Release);
        self.0.closed.send_replace(true);
    }
}

impl Observer {
    /// The number of the latest error; `0` before the first.
    fn last_error(&self) -> u64 {
        self.errors.borrow().back().map_or(0, |(number, _)| *number)
    }

    pub(crate) fn count_dropped(&self) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
        self.report(&NatsEvent::SlowConsumer);
    }

    fn observe(&self, event: async_nats::Event) {
        use async_nats::{Event, ServerError};
        let event = match event {
            Event::Connected => {
                self.connected.send_replace(());
                NatsEvent::Connected
            }
            Event::Disconnected => NatsEvent::Disconnected,
            Event::LameDuckMode => NatsEvent::ServerEnds,
            Event::SlowConsumer(_) | Event::ServerError(ServerError::SlowConsumer(_)) => return self.count_dropped(),
            Event::ServerError(error) => {
                let text = error.to_string();
                let number = self.last_error() + 1;
                self.errors.send_modify(|errors| {
                    if errors.len() == ERRORS {
                        errors.pop_front();
                    }
                    errors.push_back((number, text.clone()));
                });
                NatsEvent::ServerError(text)
            }
            Event::ClientError(error) => NatsEvent::ConnectFailed(error.to_string()),
            Event::Closed => NatsEvent::Closed,
            Event::Draining => return,
        };
        self.report(&event);
    }

    fn report(&self, event: &NatsEvent) {
        match event {
            NatsEvent::SlowConsumer | NatsEvent::Disconnected | NatsEvent::ServerError(_) => {
                tracing::warn!(?event, servers = self.servers, "NATS");
            }
            _ => tracing::debug!(?event, servers = self.servers, "NATS"),
        }
        if let Some(handler) = &self.handler {
            handler(event);
        }
    }
}

impl std::fmt::Debug for NatsTransport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NatsTransport").field("health", &self.health()).finish_non_exhaustive()
    }
}
