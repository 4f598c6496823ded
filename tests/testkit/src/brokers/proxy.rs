//! A proxy between a client and a broker, which cuts connections at chosen moments.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Forwards TCP connections to a broker. Dropping it cuts them.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    shared: Arc<Shared>,
}

/// When a proxy cuts a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cut {
    /// The text arrived from the client, and is not forwarded.
    BeforeRequest,
    /// The text arrived from the client, and is forwarded first.
    AfterRequest,
    /// The text arrived from the broker, and is not forwarded.
    BeforeResponse,
    /// The text arrived from the broker, and is forwarded first.
    AfterResponse,
}

#[derive(Debug)]
struct Shared {
    target: SocketAddr,
    ends: AtomicBool,
    refuses: AtomicBool,
    stalls: AtomicBool,
    cuts: AtomicU64,
    connections: Mutex<Vec<TcpStream>>,
    rule: Mutex<Option<(Cut, Vec<u8>)>>,
}

impl Proxy {
    /// A proxy for the broker at a port of this machine.
    ///
    /// # Panics
    ///
    /// No port is free.
    #[must_use]
    pub fn start(target: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = listener.local_addr().expect("a local address").port();
        let shared = Arc::new(Shared {
            target: (Ipv4Addr::LOCALHOST, target).into(),
            ends: AtomicBool::new(false),
            refuses: AtomicBool::new(false),
            stalls: AtomicBool::new(false),
            cuts: AtomicU64::new(0),
            connections: Mutex::default(),
            rule: Mutex::default(),
        });
        let accepting = Arc::clone(&shared);
        std::thread::spawn(move || {
            for client in listener.incoming() {
                if accepting.ends.load(Ordering::Acquire) {
                    return;
                }
                if let Ok(client) = client {
                    accepting.forward(client);
                }
            }
        });
        Self { port, shared }
    }

    /// The address of the proxy, with the scheme of NATS.
    #[must_use]
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// The port of the proxy on this machine.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Cuts all connections. New ones are accepted.
    pub fn cut(&self) {
        self.shared.count();
        self.shared.cut();
    }

    /// Whether new connections are closed at once.
    pub fn refuse(&self, refuses: bool) {
        self.shared.refuses.store(refuses, Ordering::Release);
    }

    /// Whether nothing is forwarded, as if the network lost every packet.
    pub fn stall(&self, stalls: bool) {
        self.shared.stalls.store(stalls, Ordering::Release);
    }

    /// Cuts all connections once, when a text passes the proxy. The text must arrive in one piece.
    pub fn cut_at(&self, cut: Cut, text: impl Into<Vec<u8>>) {
        *self.shared.rule() = Some((cut, text.into()));
    }

    /// The number of times that connections were cut. A cut at a text counts before the text is forwarded, so that a
    /// caller that has its response finds it counted.
    #[must_use]
    pub fn cuts(&self) -> u64 {
        self.shared.cuts.load(Ordering::Acquire)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.ends.store(true, Ordering::Release);
        self.shared.cut();
        // Wakes the thread that accepts connections.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
    }
}

impl Shared {
    fn rule(&self) -> std::sync::MutexGuard<'_, Option<(Cut, Vec<u8>)>> {
        self.rule.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self) {
        self.cuts.fetch_add(1, Ordering::AcqRel);
    }

    fn cut(&self) {
        for stream in self.connections.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn forward(self: &Arc<Self>, client: TcpStream) {
        let broker = TcpStream::connect(self.target);
        let (false, Ok(broker)) = (self.refuses.load(Ordering::Acquire), broker) else { return };
        let _ = (client.set_nodelay(true), broker.set_nodelay(true));
        let clones = [client.try_clone(), broker.try_clone(), client.try_clone(), broker.try_clone()];
        let [Ok(from_client), Ok(from_broker), Ok(one), Ok(two)] = clones else { return };
        self.connections.lock().unwrap_or_else(PoisonError::into_inner).extend([one, two]);
        let (requests, responses) = (Arc::clone(self), Arc::clone(self));
        std::thread::spawn(move || requests.copy(from_client, broker, [Cut::BeforeRequest, Cut::AfterRequest]));
        std::thread::spawn(move || responses.copy(from_broker, client, [Cut::BeforeResponse, Cut::AfterResponse]));
    }

    fn copy(&self, mut from: TcpStream, mut to: TcpStream, [before, after]: [Cut; 2]) {
        let mut buffer = vec![0; 1 << 16];
        while let Ok(length @ 1..) = from.read(&mut buffer) {
            while self.stalls.load(Ordering::Acquire) {
                std::thread::sleep(Duration::from_millis(5));
            }
            let bytes = &buffer[..length];
            let cut = self.rule().take_if(|(cut, text)| {
                [before, after].contains(cut)
                    && bytes.windows(text.len().max(1)).any(|window| window == text.as_slice())
            });
            let cut = cut.map(|(cut, _)| cut);
            if cut.is_some() {
                self.count();
            }
            if cut != Some(before) && to.write_all(bytes).is_err() {
                break;
            }
            if cut.is_some() {
                self.cut();
                break;
            }
        }
        let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
    }
}
