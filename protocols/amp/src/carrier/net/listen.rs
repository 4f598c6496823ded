//! The limits of servers, and accepting encrypted connections.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

#[cfg(feature = "tls")]
use capgen_net::ServerTls;
use capgen_net::{Admission, Io, Seat, Server, Stop, Timed};
use tokio::net::{TcpListener, TcpStream};
#[cfg(feature = "tls")]
use tokio::time::timeout;

use super::{Stream, pace};
use crate::carrier::BoxFuture;

/// The limits of a server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The number of connections. If all are in use, a new one takes the place of the one that has been idle for the
    /// longest time, of the address that has the most; see [`Admission`].
    pub max_connections: usize,
    /// The number of connections of one address; a further one is closed at once. `None`, the default, sets
    /// no limit, because it would refuse everyone behind one proxy, network address translation or loopback address.
    pub max_per_address: Option<usize>,
    /// The addresses of proxies, to which `max_per_address` does not apply.
    pub proxies: Vec<IpAddr>,
    /// The memory for messages that a sole sender can use, in bytes: for those that arrive, and those that are handled,
    /// with their values and their answers until the peer has read them. All senders together use at most a quarter
    /// more, and one message in addition; those that have not sent a valid signature yet share half of it. While a
    /// sender has its share, no more is read from it. Each connection has 64 KiB for small messages besides.
    pub max_memory: usize,
    /// The time until a peer reads, for small amounts. Larger ones may take longer, at 64 KiB per second.
    pub write_timeout: Duration,
    /// The time of a TLS handshake.
    pub tls_timeout: Duration,
}

impl Default for Limits {
    /// 1024 connections, of any addresses, 256 MiB, 30 s for writes, 10 s for TLS.
    fn default() -> Self {
        Self {
            // Their room for small messages is 64 MiB together.
            max_connections: 1024,
            max_per_address: None,
            proxies: Vec::new(),
            // Two of the largest messages with as many values as they may have, 16 MiB and 2^20 values of 104 bytes
            // each.
            max_memory: 256 << 20,
            // A network may be down for a moment, while an answer that is not read keeps its memory.
            write_timeout: Duration::from_secs(30),
            // As long as for the handshake of `amp://`: a few round trips and signatures.
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
    F: Fn(Stream, Seat, Stop) -> BoxFuture<'static, ()> + Send + Sync + 'static,
{
    let Limits { max_connections, max_per_address, ref proxies, .. } = accept.limits;
    let admission = Admission { max_connections, max_per_host: max_per_address, proxies: proxies.clone() };
    let (accept, serve) = (Arc::new(accept), Arc::new(serve));
    capgen_net::listen(listener, admission, move |stream, seat, stop| {
        let (accept, serve) = (Arc::clone(&accept), Arc::clone(&serve));
        async move {
            if let Ok(stream) = accept.encrypt(stream).await {
                serve(Timed::new(stream, pace(accept.limits.write_timeout)), seat, stop).await;
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
