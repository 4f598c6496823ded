//! Accepting connections, and ending them.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};

use super::{Endpoint, HttpOptions};
use crate::server::McpServer;

/// The time after an error of the listener, such as too many open files, until it is tried again.
const PAUSE: Duration = Duration::from_millis(100);

/// A running endpoint. Dropping it ends all connections at once.
#[derive(Debug)]
pub struct HttpService {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl McpServer {
    /// Serves clients on this machine over HTTP, at a port of 127.0.0.1; 0 for any free port. Needs the runtime of tokio.
    ///
    /// # Errors
    ///
    /// The port is not free.
    pub async fn listen(&self, port: u16, options: HttpOptions) -> io::Result<HttpService> {
        self.serve_http(TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?, options)
    }

    /// Serves clients on a listener. For names other than this machine's, set [`HttpOptions::allowed_hosts`]. There is no encryption and
    /// no authentication: put a proxy with both in front of an endpoint that others reach.
    ///
    /// # Errors
    ///
    /// The address of the listener is unknown.
    pub fn serve_http(&self, listener: TcpListener, options: HttpOptions) -> io::Result<HttpService> {
        let address = listener.local_addr()?;
        let (stop, stopping) = watch::channel(false);
        let task = tokio::spawn(run(listener, Arc::new(Endpoint::new(self.clone(), options)), stopping));
        Ok(HttpService { address, stop, task })
    }
}

impl HttpService {
    /// The address that it listens on.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Accepts no new connections, waits until the requests that run have their answers, and ends the connections. After `grace`, they
    /// end anyway.
    pub async fn shutdown(mut self, grace: Duration) {
        self.stop.send_replace(true);
        // The rest ends when `self` is dropped.
        let _ = timeout(grace, &mut self.task).await;
    }
}

impl Drop for HttpService {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn run(listener: TcpListener, endpoint: Arc<Endpoint>, mut stop: watch::Receiver<bool>) {
    let mut connections = JoinSet::new();
    let for_connections = stop.clone();
    loop {
        while connections.try_join_next().is_some() {}
        let is_full = connections.len() >= endpoint.options.max_connections.max(1);
        tokio::select! {
            () = stopped(&mut stop) => break,
            _ = connections.join_next(), if is_full => {}
            accepted = listener.accept(), if !is_full => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(Arc::clone(&endpoint).connection(stream, for_connections.clone()));
                }
                Err(_) => sleep(PAUSE).await,
            },
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

/// Waits until the service stops, or its handle is dropped. Cancel safe.
pub(super) async fn stopped(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|is_stopped| *is_stopped).await;
}
