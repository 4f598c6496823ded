//! Accepting connections, and ending them.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};

use super::{Io, Stream, Timed};
use crate::carrier::BoxFuture;
#[cfg(feature = "tls")]
use crate::carrier::tls::ServerTls;

/// The time after an error of the listener, such as too many open files, until it is tried again.
const PAUSE: Duration = Duration::from_millis(100);

/// The limits of a server. Together with the buffers of connections, 64 KiB each, `max_memory` bounds the memory for received messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The number of connections. Others wait in the queue of the operating system.
    pub max_connections: usize,
    /// The bytes of the messages of more than 64 KiB that all connections are receiving, or that are being handled. While there is no
    /// room, no more of them is read. Answers do not count: a connection keeps as many as it has messages in flight.
    pub max_memory: usize,
    /// The time until a peer reads, for small amounts. Larger ones may take longer, at 64 KiB per second.
    pub write_timeout: Duration,
    /// The time of a TLS handshake.
    pub tls_timeout: Duration,
}

impl Default for Limits {
    /// 1024 connections, 256 MiB, 30 s for writes, 10 s for TLS.
    fn default() -> Self {
        Self {
            max_connections: 1024,
            max_memory: 256 << 20,
            write_timeout: Duration::from_secs(30),
            tls_timeout: Duration::from_secs(10),
        }
    }
}

/// A running server. Dropping it ends all connections at once.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Server {
    /// The address that it listens on.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Accepts no new connections and no new work, waits until the messages that are being handled have their answers, and ends the
    /// connections. After `grace`, they end anyway. Shut down the [runner](crate::carrier::run::Runner) at the same time.
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

/// How connections are accepted.
pub(in crate::carrier) struct Accept {
    pub(in crate::carrier) limits: Limits,
    #[cfg(feature = "tls")]
    pub(in crate::carrier) tls: Option<ServerTls>,
}

/// Serves the connections of a listener with a function. Its second argument becomes true when the server stops.
pub(in crate::carrier) fn listen<F>(listener: TcpListener, accept: Accept, serve: F) -> io::Result<Server>
where
    F: Fn(Stream, watch::Receiver<bool>) -> BoxFuture<'static, ()> + Send + Sync + 'static,
{
    let address = listener.local_addr()?;
    let (stop, stopping) = watch::channel(false);
    let task = tokio::spawn(run(listener, Arc::new(accept), Arc::new(serve), stopping));
    Ok(Server { address, stop, task })
}

async fn run<F>(listener: TcpListener, accept: Arc<Accept>, serve: Arc<F>, mut stop: watch::Receiver<bool>)
where
    F: Fn(Stream, watch::Receiver<bool>) -> BoxFuture<'static, ()> + Send + Sync + 'static,
{
    let mut connections = JoinSet::new();
    let for_connections = stop.clone();
    loop {
        while connections.try_join_next().is_some() {}
        let is_full = connections.len() >= accept.limits.max_connections.max(1);
        tokio::select! {
            () = stopped(&mut stop) => break,
            _ = connections.join_next(), if is_full => {}
            accepted = listener.accept(), if !is_full => match accepted {
                Ok((stream, _)) => {
                    let (accept, serve, stop) = (Arc::clone(&accept), Arc::clone(&serve), for_connections.clone());
                    connections.spawn(async move {
                        if let Ok(stream) = accept.prepare(stream).await {
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

/// Waits until a server stops, or its handle is dropped. Cancel safe.
pub(in crate::carrier) async fn stopped(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|is_stopped| *is_stopped).await;
}

impl Accept {
    async fn prepare(&self, stream: TcpStream) -> io::Result<Stream> {
        stream.set_nodelay(true)?;
        Ok(Timed::new(self.encrypt(stream).await?, self.limits.write_timeout))
    }

    #[cfg(feature = "tls")]
    async fn encrypt(&self, stream: TcpStream) -> io::Result<Box<dyn Io>> {
        match &self.tls {
            Some(tls) => Ok(Box::new(timeout(self.limits.tls_timeout, tls.accept(stream)).await??)),
            None => Ok(Box::new(stream)),
        }
    }

    #[cfg(not(feature = "tls"))]
    async fn encrypt(&self, stream: TcpStream) -> io::Result<Box<dyn Io>> {
        Ok(Box::new(stream))
    }
}
