//! The load test: as many calls as possible over some time.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use capgen::call::{
    Audit as _, BoxFuture, CallOptions, Client, Context, Failure, Handlers, Outgoing, PeerTable, Server, Status,
    Transport,
};
use capgen_manifest::{AgentId, TransportSettings};
use serde_json::{Value, json};
use tokio::runtime::Handle;

use crate::counted::{CountedAudit, verified};
use crate::injected::Injected;
use crate::world::End;
use crate::{AGENT, Done, Kind, Work, World};

/// Of this number of calls, four violate a schema: on each side, found by the caller and by the provider.
const SHARE: u64 = 64;
/// The agent that checks nothing.
const LOOSE: &str = "loose-worker";

/// The results of a load test.
#[derive(Debug)]
pub struct Load {
    /// The number of calls.
    pub calls: u64,
    /// The duration.
    pub elapsed: Duration,
    /// Calls whose end was not the expected one.
    pub unexpected: u64,
    /// The violations that the caller and the provider found.
    pub violations: [u64; 2],
    /// The records in their audits.
    pub audited: [u64; 2],
    /// The durations of calls: the median and the 99th percentile, in µs.
    pub latency_us: [u64; 2],
    /// The number of tasks before and after the load.
    pub tasks: [usize; 2],
    /// The resident memory in bytes: the medians of the first and the last quarter of the samples after the first
    /// fifth; zero if the system has no `/proc`.
    pub memory: [u64; 2],
}

impl Load {
    /// Whether the memory is flat: it grew by at most a tenth and 8 MiB.
    #[must_use]
    pub fn is_flat(&self) -> bool {
        self.memory[1] <= self.memory[0] + self.memory[0] / 10 + (8 << 20)
    }

    /// Whether no task is left.
    #[must_use]
    pub fn has_no_task_leak(&self) -> bool {
        self.tasks[0] == self.tasks[1]
    }

    /// Whether each violation was found and audited, and each other call succeeded.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.unexpected == 0 && self.violations == self.audited
    }
}

/// The counters of all callers.
#[derive(Default)]
struct Counters {
    next: AtomicU64,
    unexpected: AtomicU64,
    violations: [AtomicU64; 2],
    latencies: Latencies,
    ends: AtomicBool,
}

/// The number of calls by duration: 16 classes for each power of two, in µs.
struct Latencies(Vec<AtomicU64>);

impl Default for Latencies {
    fn default() -> Self {
        Self((0..64 * 16).map(|_| AtomicU64::new(0)).collect())
    }
}

impl Latencies {
    fn add(&self, latency: Duration) {
        let us = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX).max(1);
        let power = u64::from(us.ilog2());
        let part = if power >= 4 { (us >> (power - 4)) & 15 } else { (us << (4 - power)) & 15 };
        self.0[usize::try_from(power * 16 + part).expect("a small number")].fetch_add(1, Ordering::Relaxed);
    }

    fn percentile(&self, percent: u64) -> u64 {
        let counts: Vec<u64> = self.0.iter().map(|count| count.load(Ordering::Relaxed)).collect();
        let rank = counts.iter().sum::<u64>() * percent / 100;
        let mut sum = 0;
        let class = counts.iter().position(|count| {
            sum += count;
            sum > rank
        });
        let class = u64::try_from(class.unwrap_or_default()).unwrap_or_default();
        let (power, part) = (class / 16, class % 16);
        if power >= 4 { (16 + part) << (power - 4) } else { (16 + part) >> (4 - power) }
    }
}

/// Calls for some time. `None` if the broker is not installed.
///
/// # Panics
///
/// The agents do not start.
pub async fn run(kind: Kind, duration: Duration, callers: usize) -> Option<Load> {
    let world = World::start(kind).await?;
    let folder = tempfile::tempdir().expect("a folder");
    let paths = [folder.path().join("caller.db"), folder.path().join("provider.db")];
    let audits = [&paths[0], &paths[1]].map(|path| CountedAudit::create(path));
    let _servers = [
        serve(&world, checked(), audits[1].clone(), "agents.worker.requests").await,
        serve(&world, loose(), audits[1].clone(), "agents.loose.requests").await,
    ];
    let honest = client(world.connect(End::Caller).await, audits[0].clone()).await;
    let corrupting = Injected::new(world.connect(End::Caller).await, Arc::new(corrupt));
    let clients = [honest, client(corrupting, audits[0].clone()).await];
    let counters = Arc::new(Counters::default());
    let tasks = Handle::current().metrics().num_alive_tasks();
    let start = Instant::now();
    let callers: Vec<_> = (0..callers).map(|_| tokio::spawn(caller(clients.clone(), Arc::clone(&counters)))).collect();
    let mut samples = Vec::new();
    while start.elapsed() < duration {
        tokio::time::sleep((duration / 200).max(Duration::from_millis(20))).await;
        samples.extend(resident());
    }
    counters.ends.store(true, Ordering::SeqCst);
    for caller in callers {
        caller.await.expect("a caller ends");
    }
    let elapsed = start.elapsed();
    let mut tasks_after = Handle::current().metrics().num_alive_tasks();
    for _ in 0..200 {
        if tasks_after == tasks {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        tasks_after = Handle::current().metrics().num_alive_tasks();
    }
    let mut audited = [0, 0];
    for ((audit, path), rows) in audits.iter().zip(&paths).zip(&mut audited) {
        audit.flush().await.expect("the records are durable");
        *rows = verified(path);
    }
    Some(Load {
        calls: counters.next.load(Ordering::SeqCst),
        elapsed,
        unexpected: counters.unexpected.load(Ordering::SeqCst),
        violations: [0, 1].map(|party: usize| counters.violations[party].load(Ordering::SeqCst)),
        audited,
        latency_us: [counters.latencies.percentile(50), counters.latencies.percentile(99)],
        tasks: [tasks, tasks_after],
        memory: quarters(&samples),
    })
}

async fn serve(world: &World, handlers: Handlers, audit: Arc<CountedAudit>, address: &str) -> Server {
    let transport = world.connect(End::Provider).await;
    Server::builder(handlers).listen(transport, address).audit(audit).start().await.expect("a provider")
}

/// An agent that answers, with an invalid response to each call whose number requires it.
fn checked() -> Handlers {
    Handlers::new(AGENT).with::<Work, _, _>(async |_: Context, request: Work| {
        let by = if request.number % SHARE == 2 { String::new() } else { AGENT.to_owned() };
        Ok::<_, Failure>(capgen::Checked(Done { number: request.number, by }))
    })
}

/// An agent whose responses are always invalid, and that does not check them.
fn loose() -> Handlers {
    Handlers::new(LOOSE).with_loose("work", async |_: Context, _: Value| Ok(json!({"number": "one", "by": ""})))
}

async fn client(transport: Arc<dyn Transport>, audit: Arc<CountedAudit>) -> Client {
    let settings = |address: &str| match transport.kind() {
        "memory" => TransportSettings::memory(address),
        _ => TransportSettings::nats(&["nats://127.0.0.1"], address),
    };
    let id = |id: &str| AgentId::new(id).expect("an id");
    let peers = PeerTable::new().with_transports(&id(AGENT), vec![settings("agents.worker.requests")]);
    let peers = peers.with_transports(&id(LOOSE), vec![settings("agents.loose.requests")]);
    Client::builder("caller").transport(transport).peers(peers).audit(audit).build().await.expect("a client")
}

/// One caller, which makes a call after another.
async fn caller([client, corrupting]: [Client; 2], counters: Arc<Counters>) {
    let options = [AGENT, LOOSE].map(|agent| CallOptions::new().peer(agent));
    while !counters.ends.load(Ordering::Relaxed) {
        let number = counters.next.fetch_add(1, Ordering::Relaxed) % 1_000_000_000;
        let start = Instant::now();
        let (status, violation) = match number % SHARE {
            // The caller finds the violation in the request, or in the response.
            0 => (call(&client, &Work { number: 2_000_000_000, ..Work::new(0) }, &options[0]).await, Some(0)),
            1 => (call(&client, &Work::new(number), &options[1]).await, Some(0)),
            // The provider finds it.
            2 => (call(&client, &Work::new(number), &options[0]).await, Some(1)),
            3 => (call(&corrupting, &Work::new(number), &options[0]).await, Some(1)),
            _ => (call(&client, &Work::new(number), &options[0]).await, None),
        };
        counters.latencies.add(start.elapsed());
        match violation {
            Some(party) if status == Status::SchemaViolation => {
                counters.violations[party].fetch_add(1, Ordering::Relaxed);
            }
            None if status == Status::Ok => {}
            _ => {
                counters.unexpected.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

/// Sends a request that violates its schema, which the client has not seen.
fn corrupt(
    inner: Arc<dyn Transport>,
    message: Outgoing,
    _: u32,
) -> BoxFuture<'static, Result<(), capgen::call::TransportError>> {
    let text = String::from_utf8_lossy(&message.payload).replace("\"xxxxxxxxxxxxxxxx\"", "1");
    Box::pin(async move { inner.publish(Outgoing { payload: text.into(), ..message }).await })
}

async fn call(client: &Client, request: &Work, options: &CallOptions) -> Status {
    client.call_with::<Work>(request, options).await.map_or_else(|error| error.status, |_| Status::Ok)
}

/// The resident memory in bytes.
fn resident() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    statm.split(' ').nth(1)?.parse::<u64>().ok().map(|pages| pages * 4096)
}

/// The medians of the first and the last quarter of the samples after the first fifth, in which caches fill.
fn quarters(samples: &[u64]) -> [u64; 2] {
    let rest = &samples[samples.len() / 5..];
    let quarter = rest.len() / 4;
    let median = |samples: &[u64]| {
        let mut sorted = samples.to_vec();
        sorted.sort_unstable();
        sorted.get(sorted.len() / 2).copied().unwrap_or(0)
    };
    [median(&rest[..quarter]), median(&rest[rest.len() - quarter..])]
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.elapsed.as_secs_f64();
        #[allow(clippy::cast_precision_loss, reason = "a rough number is enough")]
        let rate = self.calls as f64 / seconds;
        writeln!(f, "{} calls in {seconds:.1} s: {rate:.0} calls/s", self.calls)?;
        writeln!(
            f,
            "p50 {} µs, p99 {} µs; unexpected ends: {}",
            self.latency_us[0], self.latency_us[1], self.unexpected
        )?;
        let [[caller, provider], [caller_rows, provider_rows]] = [self.violations, self.audited];
        writeln!(f, "violations: caller {caller}, provider {provider}; audited: {caller_rows}, {provider_rows}")?;
        writeln!(f, "tasks: {} before, {} after", self.tasks[0], self.tasks[1])?;
        let flat = if self.is_flat() { "flat" } else { "growing" };
        write!(f, "resident memory: {} kB, then {} kB: {flat}", self.memory[0] / 1024, self.memory[1] / 1024)
    }
}
