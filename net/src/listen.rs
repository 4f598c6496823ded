//! Accepting connections, and ending them.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};

/// The time after an error of the listener, such as too many open files, until it is tried again.
const PAUSE: Duration = Duration::from_millis(100);

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

impl Server {
    /// The address that it listens on.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Accepts no new connections and no new work, waits until the messages that are being handled have their answers, and ends the
    /// connections. After `grace`, they end anyway. A runner of handlers behind the server shuts down at the same time.
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

/// Serves the connections of a listener with a function, each in a task of its own. At most `max_connections`, and at least one, are
/// served at the same time; others wait in the queue of the operating system.
///
/// # Errors
///
/// The address of the listener is unknown.
///
/// # Panics
///
/// Panics outside of a tokio runtime.
pub fn listen<F, C>(listener: TcpListener, max_connections: usize, serve: F) -> io::Result<Server>
where
    F: Fn(TcpStream, Stop) -> C + Send + Sync + 'static,
    C: Future<Output = ()> + Send + 'static,
{
    let address = listener.local_addr()?;
    let (stop, stopping) = watch::channel(false);
    let task = tokio::spawn(run(listener, max_connections.max(1), Arc::new(serve), Stop(stopping)));
    Ok(Server { address, stop, task })
}

async fn run<F, C>(listener: TcpListener, max_connections: usize, serve: Arc<F>, mut stop: Stop)
where
    F: Fn(TcpStream, Stop) -> C + Send + Sync + 'static,
    C: Future<Output = ()> + Send + 'static,
{
    let mut connections = JoinSet::new();
    let for_connections = stop.clone();
    loop {
        while connections.try_join_next().is_some() {}
        let is_full = connections.len() >= max_connections;
        tokio::select! {
            () = stop.stopped() => break,
            _ = connections.join_next(), if is_full => {}
            accepted = listener.accept(), if !is_full => match accepted {
                Ok((stream, _)) => {
                    let (serve, stop) = (Arc::clone(&serve), for_connections.clone());
                    connections.spawn(async move {
                        // It fails only for a connection that has ended.
                        if stream.set_nodelay(true).is_ok() {
                            serve(stream, stop).await;
                        }
                    });
                }
                Err(_) => sleep(PAUSE).await,
            },
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}
