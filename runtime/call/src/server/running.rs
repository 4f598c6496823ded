//! A server that runs: it receives requests until it is shut down.

use std::pin::pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use super::control;
use super::serve::Channel;
use super::shared::{Counters, Phase, Shared, reached};
use crate::transport::{Health, Incoming, Subscription, Transport};
use crate::wait::at_once;

/// An agent that receives requests. Dropping it stops it at once; [`shutdown`](Self::shutdown) lets calls finish.
///
/// Each request gets exactly one response, unless its caller cancels it or the process ends first.
///
/// A program that is replaced without losing calls waits for the signal to end, and then shuts its server down, while
/// other instances of the agent receive the new requests:
///
/// ```
/// # async fn example(server: capgen_call::Server) {
/// # #[cfg(feature = "signal")]
/// capgen_call::termination().await;
/// let all_finished = server.shutdown(std::time::Duration::from_secs(20)).await;
/// # }
/// ```
pub struct Server {
    shared: Arc<Shared>,
    listeners: Vec<JoinHandle<()>>,
    /// The receivers of control messages.
    controllers: Vec<JoinHandle<()>>,
    transports: Vec<Arc<dyn Transport>>,
}

/// The numbers of requests since the start.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct ServerStats {
    /// Messages that were received.
    pub received: u64,
    /// Handlers that were started.
    pub handled: u64,
    /// Requests that were answered with an error.
    pub errors: u64,
    /// Responses that could not be sent.
    pub unsent: u64,
    /// The time that handlers ran, in microseconds.
    pub handling_us: u64,
}

/// A view of a [`Server`]. Clones are cheap; it does not keep the server or its transports alive.
#[derive(Clone)]
pub struct ServerMonitor {
    shared: Arc<Shared>,
    transports: Arc<[Weak<dyn Transport>]>,
}

/// How long the end of the subscriptions and the last responses may take. Both take a message to the broker or two,
/// which is ms; a broker that cannot be reached must not keep the program from ending.
const LAST_RESPONSES: Duration = Duration::from_secs(5);

impl Server {
    /// Starts to receive the messages of subscriptions: requests, and control messages.
    pub(super) fn new(shared: Arc<Shared>, requests: Vec<(Channel, Subscription)>, control: Vec<Subscription>) -> Self {
        let transports = requests.iter().map(|(channel, _)| Arc::clone(&channel.transport)).collect();
        let listeners = requests
            .into_iter()
            .map(|(channel, subscription)| tokio::spawn(listen(Arc::clone(&shared), channel, subscription)));
        let listeners = listeners.collect();
        let controllers =
            control.into_iter().map(|subscription| tokio::spawn(control::listen(Arc::clone(&shared), subscription)));
        Self { listeners, controllers: controllers.collect(), transports, shared }
    }

    /// Stops to receive requests, and waits until the received ones are answered, at most for `patience`. Calls that
    /// still run then are answered with `EAGENTRPC_ABANDONED`. Returns whether all calls finished in time.
    ///
    /// From its start, [`is_ready`](Self::is_ready) of a monitor is `false`, and new requests go to the other instances
    /// of the agent. If there is none, their callers learn at once that no one receives them. Requests that have
    /// arrived are served, also those that no handler has started yet, and callers can cancel them.
    pub async fn shutdown(mut self, patience: Duration) -> bool {
        self.shared.phase.send_replace(Phase::Draining);
        let start = Instant::now();
        let stopped = async {
            for listener in &mut self.listeners {
                let _ = listener.await;
            }
        };
        let _ = timeout(LAST_RESPONSES, stopped).await;
        let in_time = timeout(patience.saturating_sub(start.elapsed()), self.shared.idle()).await.is_ok();
        self.shared.phase.send_replace(Phase::Stopped);
        if !in_time {
            // Abandoned calls still send their response.
            let _ = timeout(LAST_RESPONSES, self.shared.idle()).await;
        }
        // The program may end now, with responses in the buffer of a transport.
        let flush = async {
            for transport in &self.transports {
                let _ = transport.flush().await;
            }
        };
        let _ = timeout(LAST_RESPONSES, flush).await;
        in_time
    }

    /// The numbers of requests since the start.
    #[must_use]
    pub fn stats(&self) -> ServerStats {
        self.monitor().stats()
    }

    /// A view of the server, for programs that report its state and numbers.
    #[must_use]
    pub fn monitor(&self) -> ServerMonitor {
        let transports = self.transports.iter().map(Arc::downgrade).collect();
        ServerMonitor { shared: Arc::clone(&self.shared), transports }
    }

    /// Whether new requests arrive: every transport is connected, and the server does not shut down. A server that was
    /// started has subscribed.
    ///
    /// ```
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use std::time::Duration;
    ///
    /// use capgen_call::{Handlers, MemoryBroker, Server};
    ///
    /// let broker = MemoryBroker::new();
    /// let server = Server::builder(Handlers::new("echo")).listen(broker.connect(), "echo").start().await?;
    /// let monitor = server.monitor();
    /// assert!(server.is_ready() && monitor.is_ready());
    /// server.shutdown(Duration::from_secs(5)).await;
    /// assert!(!monitor.is_ready());
    /// # Ok(())
    /// # }
    /// # tokio::runtime::Runtime::new().unwrap().block_on(example()).unwrap();
    /// ```
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.monitor().is_ready()
    }

    /// The number of requests that wait or run.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.shared.in_flight()
    }

    /// The number of audit records that this server could not hand over to its audit.
    #[must_use]
    pub fn lost_audit_records(&self) -> u64 {
        self.shared.journal.lost()
    }
}

impl ServerMonitor {
    /// See [`Server::is_ready`].
    #[must_use]
    pub fn is_ready(&self) -> bool {
        let is_connected = |transport: &Weak<dyn Transport>| {
            transport.upgrade().is_some_and(|transport| transport.health() == Health::Connected)
        };
        *self.shared.phase.borrow() == Phase::Serving && self.transports.iter().all(is_connected)
    }

    /// The numbers of requests since the start.
    #[must_use]
    pub fn stats(&self) -> ServerStats {
        let Counters { received, handled, errors, unsent, handling_us } = &self.shared.counters;
        let [received, handled, errors, unsent, handling_us] =
            [received, handled, errors, unsent, handling_us].map(|counter| counter.load(Ordering::Relaxed));
        ServerStats { received, handled, errors, unsent, handling_us }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.phase.send_replace(Phase::Stopped);
        self.listeners.iter().chain(&self.controllers).for_each(JoinHandle::abort);
    }
}

/// Receives requests until the server drains or the transport closes.
async fn listen(shared: Arc<Shared>, channel: Channel, mut subscription: Subscription) {
    let direct = (Arc::clone(&shared), channel.clone());
    // The messages that it gives back wait in the subscription, which has a limit, and are turned away below.
    subscription.hand_to(Arc::new(move |incoming| {
        let (shared, channel) = &direct;
        // A server that was dropped may still have its subscription for a moment.
        if *shared.phase.borrow() == Phase::Stopped { Err(incoming) } else { shared.receive(channel, incoming) }
    }));
    let mut phase = shared.phase.subscribe();
    let mut draining = pin!(reached(&mut phase, Phase::Draining));
    loop {
        tokio::select! {
            biased;
            // First, so that a flood of requests does not prevent the end.
            () = &mut draining => break,
            incoming = subscription.next() => {
                let Some(incoming) = incoming else { return };
                receive(&shared, &channel, incoming).await;
            }
        }
    }
    subscription.stop().await;
    // The broker has given these to this server, and no other instance gets them. Their number is limited, because a
    // flood must not prevent the end; if there are more, the server has no room for them.
    for _ in 0..shared.total {
        let Some(Some(incoming)) = at_once(&mut pin!(subscription.next())).await else { return };
        receive(&shared, &channel, incoming).await;
    }
}

/// Starts the work on a message, or waits until it is turned away: a flood of messages costs one task then.
async fn receive(shared: &Arc<Shared>, channel: &Channel, incoming: Incoming) {
    if let Err(incoming) = shared.receive(channel, incoming) {
        // In a box, because the listener should not have its size.
        Box::pin(shared.turn_away(channel, incoming)).await;
    }
}

impl std::fmt::Debug for ServerMonitor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerMonitor")
            .field("is_ready", &self.is_ready())
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server")
            .field("agent", &self.shared.agent)
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}
