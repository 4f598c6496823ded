//! A caller and providers over one broker.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use capgen::Checked;
use capgen::call::{
    CallError, CallOptions, Client, ClientBuilder, Clock, Health, MemoryBroker, PeerTable, Server, ServerBuilder,
    Status, SystemClock, Transport,
};
use capgen_manifest::{AgentId, TransportSettings};
use capgen_nats::{JetStreamOptions, NatsOptions, NatsTransport};
use capgen_testkit::brokers::{NatsServer, Proxy};

use crate::Done;
use crate::agent::{ADDRESS, AGENT, Behaviour, Runs, Work, behaving};
use crate::table::{Kind, Observed};

/// The timeout of calls that have no response. Long enough for a request to arrive on a busy machine.
pub(crate) const SHORT: Duration = Duration::from_millis(1500);
/// The timeout of calls that end before it.
pub(crate) const LONG: Duration = Duration::from_secs(30);
/// How long JetStream waits for an acknowledgement here.
pub(crate) const ACK_WAIT: Duration = Duration::from_secs(1);

/// The two ends of a connection between agents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The caller's.
    Caller,
    /// The provider's.
    Provider,
}

/// A broker, with the connections of a caller and of providers.
#[derive(Debug)]
pub struct World {
    /// The transport.
    pub kind: Kind,
    /// The runs of handlers in this process.
    pub runs: Arc<Runs>,
    memory: MemoryBroker,
    nats: Option<Nats>,
}

#[derive(Debug)]
struct Nats {
    server: NatsServer,
    caller: Proxy,
    provider: Proxy,
}

/// Options of connections that come back soon.
#[must_use]
pub fn nats_options(url: String) -> NatsOptions {
    NatsOptions::new([url])
        .max_reconnect_delay(Duration::from_millis(100))
        .operation_timeout(Duration::from_secs(2))
        .jetstream(JetStreamOptions::new().ack_wait(ACK_WAIT))
}

impl World {
    /// Starts a broker. `None` if it is not installed.
    pub async fn start(kind: Kind) -> Option<Self> {
        let nats = match kind {
            Kind::Memory => None,
            Kind::Nats | Kind::JetStream => {
                let server = tokio::task::spawn_blocking(NatsServer::start).await.expect("starting a broker")?;
                let (caller, provider) = (Proxy::start(server.port()), Proxy::start(server.port()));
                Some(Nats { server, caller, provider })
            }
        };
        Some(Self { kind, runs: Arc::default(), memory: MemoryBroker::new(), nats })
    }

    /// The proxy of one end.
    pub(crate) fn proxy(&self, end: End) -> &Proxy {
        let nats = self.nats.as_ref().expect("a broker with connections");
        match end {
            End::Caller => &nats.caller,
            End::Provider => &nats.provider,
        }
    }

    /// Cuts the connections of one end, and new ones too, until [`open`](Self::open) is called.
    pub(crate) fn close(&self, end: End) {
        self.proxy(end).refuse(true);
        self.proxy(end).cut();
    }

    /// Permits connections of one end again.
    pub(crate) fn open(&self, end: End) {
        self.proxy(end).refuse(false);
    }

    /// The broker's process.
    pub(crate) fn server(&mut self) -> &mut NatsServer {
        &mut self.nats.as_mut().expect("a broker with a process").server
    }

    /// A connection of one end.
    pub async fn connect(&self, end: End) -> Arc<dyn Transport> {
        if self.nats.is_none() {
            return Arc::new(self.memory.connect());
        }
        let options = nats_options(self.proxy(end).url());
        Arc::new(NatsTransport::connect(options).await.expect("a connection to the broker"))
    }

    /// Starts a provider.
    pub(crate) async fn provide(&self, behaviour: Behaviour) -> Server {
        self.provide_on(self.connect(End::Provider).await, behaviour, |server| server).await
    }

    /// Starts a provider on a transport.
    pub(crate) async fn provide_on(
        &self,
        transport: Arc<dyn Transport>,
        behaviour: Behaviour,
        configure: impl FnOnce(ServerBuilder) -> ServerBuilder,
    ) -> Server {
        let server = Server::builder(behaving(&self.runs, behaviour)).listen(transport, ADDRESS);
        let server = if self.kind == Kind::JetStream { server.at_least_once() } else { server };
        configure(server).start().await.expect("a provider")
    }

    /// A client.
    pub(crate) async fn client(&self) -> Client {
        self.client_on(self.connect(End::Caller).await, |client| client).await
    }

    /// A client on a transport.
    pub(crate) async fn client_on(
        &self,
        transport: Arc<dyn Transport>,
        configure: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> Client {
        let peers = peers(transport.kind());
        configure(Client::builder("caller").transport(transport).peers(peers)).build().await.expect("a client")
    }

    /// The options of a call.
    pub(crate) fn options(&self, timeout: Duration) -> CallOptions {
        let options = CallOptions::new().peer(AGENT).timeout(timeout);
        if self.kind == Kind::JetStream { options.at_least_once() } else { options }
    }

    /// Calls, and returns the end of the call. The number of runs is read when the call ends.
    pub(crate) async fn call(&self, client: &Client, number: u64, timeout: Duration) -> Observed {
        self.call_with(client, number, self.options(timeout), timeout).await
    }

    /// The same with options.
    pub(crate) async fn call_with(
        &self,
        client: &Client,
        number: u64,
        options: CallOptions,
        timeout: Duration,
    ) -> Observed {
        let start = Instant::now();
        let result = client.call_with::<Work>(&Work::new(number), &options).await;
        let observed = observed(result, number, start.elapsed(), timeout);
        Observed { runs: self.runs.of(number), ..observed }
    }

    /// Waits, and reads the number of runs again: later ones count too.
    pub(crate) async fn settled(&self, observed: Observed, number: u64, wait: Duration) -> Observed {
        tokio::time::sleep(wait).await;
        Observed { runs: self.runs.of(number), ..observed }
    }
}

/// The table of peers.
pub(crate) fn peers(kind: &str) -> PeerTable {
    let transport = match kind {
        "memory" => TransportSettings::memory(ADDRESS),
        _ => TransportSettings::nats(&["nats://127.0.0.1"], ADDRESS),
    };
    PeerTable::new().with_transports(&AgentId::new(AGENT).expect("an id"), vec![transport])
}

/// The end of a call, without its runs.
pub(crate) fn observed(
    result: Result<Checked<Done>, CallError>,
    number: u64,
    latency: Duration,
    timeout: Duration,
) -> Observed {
    let (status, code) = match result {
        Ok(Checked(done)) => {
            assert_eq!(done.number, number, "the response belongs to another call");
            (Status::Ok, None)
        }
        Err(error) => (error.status, Some(error.code)),
    };
    Observed { status, code, runs: 0, latency, timeout }
}

/// Waits until a connection is lost or back.
pub(crate) async fn until(transport: &Arc<dyn Transport>, health: Health) {
    until_true(|| transport.health() == health).await;
}

/// Waits for a condition.
pub(crate) async fn until_true(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < LONG, "the condition is not fulfilled");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// A clock that differs from the system's.
#[derive(Debug)]
pub(crate) struct Shifted(AtomicI64);

impl Shifted {
    /// Seconds ahead of the clock of the system; behind it if negative.
    pub(crate) fn by(seconds: i64) -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(seconds * 1000)))
    }
}

impl Clock for Shifted {
    fn now_ms(&self) -> u64 {
        SystemClock.now_ms().saturating_add_signed(self.0.load(Ordering::SeqCst))
    }
}
