//! A proxy whose connections can be cut.

use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

/// Passes the connections to its port on to another local port.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    shared: Arc<Shared>,
    listener: JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    connections: Mutex<JoinSet<()>>,
    is_open: AtomicBool,
}

impl Proxy {
    /// Starts a proxy.
    ///
    /// # Panics
    ///
    /// All ports are in use.
    pub async fn start(target: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
        let port = listener.local_addr().expect("a local address").port();
        let shared = Arc::new(Shared { connections: Mutex::default(), is_open: AtomicBool::new(true) });
        let accepting = Arc::clone(&shared);
        let listener = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // Nagle's algorithm would delay small messages.
                let _ = stream.set_nodelay(true);
                if accepting.is_open.load(Ordering::SeqCst) {
                    let mut connections = accepting.connections.lock().unwrap_or_else(PoisonError::into_inner);
                    while connections.try_join_next().is_some() {}
                    connections.spawn(pass(stream, target));
                }
            }
        });
        Self { port, shared, listener }
    }

    /// The address, for clients of NATS.
    #[must_use]
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Cuts all connections. New ones are possible.
    pub fn cut(&self) {
        self.shared.connections.lock().unwrap_or_else(PoisonError::into_inner).abort_all();
    }

    /// Cuts all connections, and new ones too, until [`open`](Self::open) is called.
    pub fn close(&self) {
        self.shared.is_open.store(false, Ordering::SeqCst);
        self.cut();
    }

    /// Permits connections again.
    pub fn open(&self) {
        self.shared.is_open.store(true, Ordering::SeqCst);
    }
}

async fn pass(mut stream: TcpStream, target: u16) {
    let Ok(mut other) = TcpStream::connect((Ipv4Addr::LOCALHOST, target)).await else { return };
    let _ = other.set_nodelay(true);
    let _ = copy_bidirectional(&mut stream, &mut other).await;
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.listener.abort();
        self.cut();
    }
}
