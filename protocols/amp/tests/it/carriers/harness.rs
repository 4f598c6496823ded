//! Servers and clients of each carrier.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use capgen_amp::carrier::connection::Settings;
use capgen_amp::carrier::memory::MemoryPeer;
use capgen_amp::carrier::net::{Limits, Server};
use capgen_amp::carrier::tls::{ClientTls, ServerTls};
use capgen_amp::carrier::{Peer, Service, http, tcp};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// Longer than any test takes, unless it hangs.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// The largest message of every server here.
pub(crate) const MAX: usize = 1 << 20;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Memory,
    Tcp,
    Tls,
    Http,
    Https,
}

/// A server and a client of it.
pub(crate) struct Harness {
    kind: Kind,
    service: Arc<dyn Service>,
    pub(crate) server: Option<Server>,
}

fn certificate() -> &'static (ServerTls, ClientTls) {
    static TLS: LazyLock<(ServerTls, ClientTls)> = LazyLock::new(|| {
        let rcgen::CertifiedKey { cert, signing_key } =
            rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let (cert, key) = (cert.pem(), signing_key.serialize_pem());
        (ServerTls::from_pem(cert.as_bytes(), key.as_bytes()).unwrap(), ClientTls::from_pem(cert.as_bytes()).unwrap())
    });
    &TLS
}

pub(crate) fn tcp_options() -> tcp::ServerOptions {
    // A busy machine may need longer than the default for the first message of each of many connections.
    let settings = Settings { max_msg_size: u32::try_from(MAX).unwrap(), proof_ms: 60_000, ..Settings::default() };
    tcp::ServerOptions { settings, ..tcp::ServerOptions::default() }
}

pub(crate) fn http_options() -> http::ServerOptions {
    tcp_options()
}

/// A busy machine may need longer than the default for many handshakes at the same time.
fn patient() -> Limits {
    Limits { tls_timeout: LONG, ..Limits::default() }
}

pub(crate) async fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").await.unwrap()
}

impl Harness {
    pub(crate) async fn start(kind: Kind, service: impl Service) -> Self {
        let service: Arc<dyn Service> = Arc::new(service);
        let for_server = Arc::clone(&service);
        let tls = certificate().0.clone();
        let server = match kind {
            Kind::Memory => None,
            Kind::Tcp => Some(tcp::serve(listener().await, for_server, tcp_options())),
            Kind::Tls => {
                let options = tcp::ServerOptions { tls: Some(tls), limits: patient(), ..tcp_options() };
                Some(tcp::serve(listener().await, for_server, options))
            }
            Kind::Http => Some(http::serve(listener().await, for_server, http_options())),
            Kind::Https => {
                let options = http::ServerOptions { tls: Some(tls), limits: patient(), ..http_options() };
                Some(http::serve(listener().await, for_server, options))
            }
        };
        Self { kind, service, server: server.map(Result::unwrap) }
    }

    pub(crate) fn peer(&self) -> Arc<dyn Peer> {
        let port = self.server.as_ref().map_or(0, |server| server.address().port());
        match self.kind {
            Kind::Memory => {
                let peer = MemoryPeer::new(Arc::clone(&self.service));
                Arc::new(peer.with_max_msg_size(u32::try_from(MAX).unwrap()))
            }
            kind => peer(kind, port),
        }
    }
}

/// A client of a port.
pub(crate) fn peer(kind: Kind, port: u16) -> Arc<dyn Peer> {
    let tls = Some(certificate().1.clone());
    match kind {
        Kind::Memory => panic!("it has no port"),
        Kind::Tcp | Kind::Tls => {
            let scheme = if kind == Kind::Tls { "amps" } else { "amp" };
            let options = tcp::ClientOptions { tls, ..tcp::ClientOptions::default() };
            Arc::new(tcp::TcpPeer::new(&format!("{scheme}://localhost:{port}"), options).unwrap())
        }
        Kind::Http | Kind::Https => {
            let scheme = if kind == Kind::Https { "https" } else { "http" };
            let options = http::ClientOptions { tls, ..http::ClientOptions::default() };
            Arc::new(http::HttpPeer::new(&format!("{scheme}://localhost:{port}"), options).unwrap())
        }
    }
}

/// Forwards connections to a server, and cuts them.
pub(crate) struct Proxy {
    pub(crate) port: u16,
    connections: Arc<tokio::sync::Mutex<JoinSet<()>>>,
    _task: tokio::task::JoinHandle<()>,
}

impl Proxy {
    pub(crate) async fn start(server: &Server) -> Self {
        let listener = listener().await;
        let (port, address) = (listener.local_addr().unwrap().port(), server.address());
        let connections = Arc::new(tokio::sync::Mutex::new(JoinSet::new()));
        let accepted = Arc::clone(&connections);
        let task = tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                accepted.lock().await.spawn(async move {
                    let Ok(mut server) = TcpStream::connect(address).await else { return };
                    let _ = copy_bidirectional(&mut client, &mut server).await;
                });
            }
        });
        Self { port, connections, _task: task }
    }

    /// Ends every connection at once.
    pub(crate) async fn cut(&self) {
        self.connections.lock().await.shutdown().await;
    }
}
