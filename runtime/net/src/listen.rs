//! Accepting connections, and ending them.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use tokio::task::{AbortHandle, Id, JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};

use crate::{Host, Seat};

/// The time after an error of the listener, such as too many open files, until it is tried again. Without it, the loop
/// would use a whole processor until a file is closed; with a longer one, clients would wait for no reason afterwards.
const PAUSE: Duration = Duration::from_millis(100);

/// How many connections a server has, and whose.
///
/// If all are in use, a new connection takes the place of the one that has been idle for the longest time, of the host
/// that has the most. So connections that do nothing do not lock out anyone. If none of that host is idle, it takes
/// that of a peer that is sending a message, and has not proved who it is. A connection whose message is being handled,
/// or whose answer has not been read, keeps its place; if all do, the new connection waits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Admission {
    /// The number of connections, at least one.
    pub max_connections: usize,
    /// The number of connections of one host. A further one is closed at once. There is no such limit by default: all
    /// clients behind a proxy or a network address translation have one address, and so have those on the machine of
    /// the server.
    pub max_per_host: Option<usize>,
    /// The proxies, whose connections are those of many clients: `max_per_host` does not apply to them.
    pub proxies: Vec<IpAddr>,
}

/// A running server. Dropping it ends all connections at once.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

/// The signal to connections that their server stops.
#[derive(Clone, Debug)]
pub struct Stop(watch::Receiver<bool>);

impl Admission {
    /// So many connections, of any hosts.
    #[must_use]
    pub const fn new(max_connections: usize) -> Self {
        Self { max_connections, max_per_host: None, proxies: Vec::new() }
    }
}

impl Server {
    /// The address that it listens on.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Accepts no new connections and no new work, waits until the messages that are being handled have their answers,
    /// and ends the connections. After `grace`, they end anyway. A runner of handlers behind the server shuts down at
    /// the same time.
    pub async fn shutdown(mut self, grace: Duration) {
        self.stop.send_replace(true);
        // The rest ends when `self` is dropped.
        let _ = timeout(grace, &mut self.task).await;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Stop {
    /// Waits until the server stops, or its handle is dropped. Cancel safe.
    pub async fn stopped(&mut self) {
        let _ = self.0.wait_for(|is_stopped| *is_stopped).await;
    }

    /// Whether the server stops.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        *self.0.borrow()
    }
}

/// Serves the connections of a listener with a function, each in a task of its own.
///
/// # Errors
///
/// The address of the listener is unknown.
///
/// # Panics
///
/// Panics outside of a tokio runtime.
pub fn listen<F, C>(listener: TcpListener, admission: Admission, serve: F) -> io::Result<Server>
where
    F: Fn(TcpStream, Seat, Stop) -> C + Send + Sync + 'static,
    C: Future<Output = ()> + Send + 'static,
{
    let address = listener.local_addr()?;
    let (stop, stopping) = watch::channel(false);
    let stop_of_connections = Stop(stopping.clone());
    let spawn = move |connections: &mut JoinSet<()>, stream: TcpStream, seat: Seat| {
        // It fails only for a connection that has ended.
        let is_open = stream.set_nodelay(true).is_ok();
        let connection = serve(stream, seat, stop_of_connections.clone());
        connections.spawn(async move {
            if is_open {
                connection.await;
            }
        })
    };
    let changed = Arc::new(Notify::new());
    let connections = Connections { admission, spawn, tasks: JoinSet::new(), seats: HashMap::new(), changed };
    let task = tokio::spawn(connections.run(listener, Stop(stopping)));
    Ok(Server { address, stop, task })
}

/// The connections of a server.
struct Connections<S> {
    admission: Admission,
    spawn: S,
    tasks: JoinSet<()>,
    seats: HashMap<Id, (Seat, AbortHandle)>,
    /// A connection has become idle.
    changed: Arc<Notify>,
}

impl<S: Fn(&mut JoinSet<()>, TcpStream, Seat) -> AbortHandle> Connections<S> {
    async fn run(mut self, listener: TcpListener, mut stop: Stop) {
        let changed = Arc::clone(&self.changed);
        // A connection that has been accepted, and for which there is no place yet.
        let mut waiting = None;
        loop {
            while let Some(ended) = self.tasks.try_join_next_with_id() {
                self.forget(ended.map_or_else(|error| error.id(), |(id, ())| id));
            }
            if let Some((stream, address)) = waiting.take() {
                waiting = self.admit(stream, address);
            }
            tokio::select! {
                () = stop.stopped() => break,
                Some(ended) = self.tasks.join_next_with_id() => {
                    self.forget(ended.map_or_else(|error| error.id(), |(id, ())| id));
                }
                () = changed.notified(), if waiting.is_some() => {}
                accepted = listener.accept(), if waiting.is_none() => match accepted {
                    Ok(accepted) => waiting = Some(accepted),
                    Err(_) => sleep(PAUSE).await,
                },
            }
        }
        drop((listener, waiting));
        while self.tasks.join_next().await.is_some() {}
    }

    /// Serves a connection; returns it if there is no place for it.
    fn admit(&mut self, stream: TcpStream, address: SocketAddr) -> Option<(TcpStream, SocketAddr)> {
        let host = Host::of(address.ip());
        let Admission { max_connections, max_per_host, proxies } = &self.admission;
        let is_limited = !proxies.iter().any(|proxy| Host::of(*proxy) == host);
        if is_limited && max_per_host.is_some_and(|max| self.count(host) >= max) {
            return None;
        }
        if self.seats.len() >= *max_connections.max(&1) {
            let Some(id) = self.readiest() else { return Some((stream, address)) };
            if let Some((_, task)) = self.seats.remove(&id) {
                task.abort();
            }
        }
        let seat = Seat::new(host, Arc::clone(&self.changed));
        let task = (self.spawn)(&mut self.tasks, stream, seat.clone());
        self.seats.insert(task.id(), (seat, task));
        None
    }

    fn count(&self, host: Host) -> usize {
        self.seats.values().filter(|(seat, _)| seat.host() == host).count()
    }

    /// The connection that gives its place to a new one.
    fn readiest(&self) -> Option<Id> {
        let mut counts: BTreeMap<Host, usize> = BTreeMap::new();
        for (seat, _) in self.seats.values() {
            *counts.entry(seat.host()).or_default() += 1;
        }
        let ready = self.seats.iter().filter_map(|(id, (seat, _))| Some((id, seat, seat.readiness()?)));
        // Of hosts with equally many connections, the one whose connection has been idle for longer.
        let order = |seat: &Seat, (readiness, since)| {
            (std::cmp::Reverse(counts.get(&seat.host()).copied()), readiness, since, seat.host())
        };
        ready.min_by_key(|(_, seat, readiness)| order(seat, *readiness)).map(|(id, ..)| *id)
    }

    fn forget(&mut self, ended: Id) {
        self.seats.remove(&ended);
    }
}
