//! The limits of servers, and accepting encrypted connections.

use std::io;
use std::sync::Arc;
use std::time::Duration;

#[cfg(feature = "tls")]
use capgen_net::ServerTls;
use capgen_net::{Io, Server, Stop, Timed};
use tokio::net::{TcpListener, TcpStream};
#[cfg(feature = "tls")]
use tokio::time::timeout;

use super::{Stream, pace};
use crate::carrier::BoxFuture;

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

/// How connections are accepted.
pub(in crate::carrier) struct Accept {
    pub(in crate::carrier) limits: Limits,
    #[cfg(feature = "tls")]
    pub(in crate::carrier) tls: Option<ServerTls>,
}

/// Serves the connections of a listener with a function. It should end when the server stops.
pub(in crate::carrier) fn listen<F>(listener: TcpListener, accept: Accept, serve: F) -> io::Result<Server>
where
    F: Fn(Stream, Stop) -> BoxFuture<'static, ()> + Send + Sync + 'static,
{
    let max_connections = accept.limits.max_connections;
    let (accept, serve) = (Arc::new(accept), Arc::new(serve));
    capgen_net::listen(listener, max_connections, move |stream, stop| {
        let (accept, serve) = (Arc::clone(&accept), Arc::clone(&serve));
        async move {
            if let Ok(stream) = accept.encrypt(stream).await {
                serve(Timed::new(stream, pace(accept.limits.write_timeout)), stop).await;
            }
        }
    })
}

impl Accept {
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
