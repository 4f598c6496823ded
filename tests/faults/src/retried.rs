//! Many calls with retries, while the broker is killed and restarted, and instances of the provider are killed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::child::{Child, Output};
use crate::world::{End, peers, until};
use crate::{AGENT, Kind, Work, World};
use capgen::call::{CallOptions, Client, Health, Retry};

/// The timeout of each call.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The number of calls at the same time.
const CALLERS: u64 = 64;
/// The number of instances that run.
const INSTANCES: usize = 3;
/// The number of faults: by turns, an instance is killed, and the broker.
const FAULTS: u64 = 8;

/// The results of many calls with retries.
#[derive(Debug, Default)]
pub struct Retried {
    /// The number of calls.
    pub calls: u64,
    /// The ends of calls that did not succeed: the codes.
    pub failed: BTreeMap<String, u64>,
    /// The longest duration of a call.
    pub longest: Duration,
    /// The faults: killed instances, and restarts of the broker.
    pub faults: [u64; 2],
    /// The number of runs of the handler.
    pub runs: u64,
    /// Calls that one instance ran more than once.
    pub twice_on_one: u64,
    /// Calls that several instances ran, although none of them was killed before its answer was known.
    pub twice: u64,
    /// Calls that another instance ran again because the first one was killed.
    pub interrupted: u64,
}

/// The runs of all instances.
#[derive(Default)]
struct Log {
    /// The instances that began to run a number, in their order.
    begun: BTreeMap<u64, Vec<usize>>,
    /// The time at which an instance ended the run of a number.
    ended: BTreeMap<(u64, usize), Instant>,
    /// The time at which an instance was killed.
    killed: BTreeMap<usize, Instant>,
}

type Shared<T> = Arc<Mutex<T>>;

/// The time from the end of a run until its answer is stored and sent. If an instance is killed in this time, nothing
/// may know of the run.
const STORED: Duration = Duration::from_millis(500);

impl Log {
    /// Whether a run of an instance had no known answer when it was killed.
    fn is_interrupted(&self, number: u64, instance: usize) -> bool {
        let Some(killed) = self.killed.get(&instance) else { return false };
        self.ended.get(&(number, instance)).is_none_or(|ended| *ended + STORED > *killed)
    }

    fn add(&mut self, line: &str, instance: usize) {
        match line.split_once(' ').map(|(verb, number)| (verb, number.parse())) {
            Some(("begin", Ok(number))) => self.begun.entry(number).or_default().push(instance),
            Some(("end", Ok(number))) => drop(self.ended.insert((number, instance), Instant::now())),
            _ => {}
        }
    }

    fn count(&self, retried: &mut Retried) {
        for (number, instances) in &self.begun {
            retried.runs += instances.len() as u64;
            let distinct: BTreeSet<usize> = instances.iter().copied().collect();
            retried.twice_on_one += u64::from(distinct.len() < instances.len());
            let known = distinct.iter().filter(|instance| !self.is_interrupted(*number, **instance)).count();
            retried.twice += u64::from(known > 1);
            retried.interrupted += u64::from(distinct.len() > 1 && known <= 1);
        }
    }
}

fn lock<T>(shared: &Shared<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes the calls. With `shared`, the instances have one store of idempotency keys. `None` if the broker is not
/// installed.
///
/// # Panics
///
/// The agents do not start.
pub async fn run(calls: u64, shared: bool) -> Option<Retried> {
    let mut world = World::start(Kind::Nats).await?;
    let log = Shared::<Log>::default();
    let mut instances = Vec::new();
    for number in 0..INSTANCES {
        instances.push((number, instance(&world, number, shared, &log).await));
    }
    let transport = world.connect(End::Caller).await;
    let retry = Retry::attempts(50).backoff(Duration::from_millis(50), Duration::from_millis(500));
    let retry = retry.heartbeat(Duration::from_millis(250));
    let client = Client::builder("caller").transport(Arc::clone(&transport)).peers(peers("nats")).retry(retry);
    let client = client.build().await.expect("a client");
    let next = Arc::new(AtomicU64::new(0));
    let ends = Shared::<Retried>::default();
    let callers: Vec<_> = (0..CALLERS)
        .map(|_| tokio::spawn(caller(client.clone(), Arc::clone(&next), calls, Arc::clone(&ends))))
        .collect();
    let mut faults = [0, 0];
    for fault in 1..=FAULTS {
        while next.load(Ordering::SeqCst) < calls * fault / (FAULTS + 1) {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        if fault % 2 == 1 {
            let (number, killed) = instances.remove(0);
            killed.kill().await;
            lock(&log).killed.insert(number, Instant::now());
            let number = INSTANCES + usize::try_from(fault).unwrap_or_default();
            instances.push((number, instance(&world, number, shared, &log).await));
            faults[0] += 1;
        } else {
            tokio::task::block_in_place(|| world.server().restart());
            until(&transport, Health::Connected).await;
            faults[1] += 1;
        }
    }
    for caller in callers {
        caller.await.expect("a caller ends");
    }
    let mut retried = std::mem::take(&mut *lock(&ends));
    retried.faults = faults;
    lock(&log).count(&mut retried);
    Some(retried)
}

async fn instance(world: &World, number: usize, shared: bool, log: &Shared<Log>) -> Child {
    let url = world.proxy(End::Provider).url();
    let arguments: &[&str] = if shared { &[&url, "shared"] } else { &[&url] };
    let mut child = Child::spawn("instance", arguments).await;
    tokio::spawn(read(child.lines(), number, Arc::clone(log)));
    child
}

async fn read(mut lines: Output, instance: usize, log: Shared<Log>) {
    while let Ok(Some(line)) = lines.next_line().await {
        lock(&log).add(&line, instance);
    }
}

/// One caller, which makes a call after another.
async fn caller(client: Client, next: Arc<AtomicU64>, calls: u64, ends: Shared<Retried>) {
    loop {
        let number = next.fetch_add(1, Ordering::SeqCst);
        if number >= calls {
            return;
        }
        let options = CallOptions::new().peer(AGENT).timeout(TIMEOUT).idempotency_key(format!("key-{number}"));
        let start = Instant::now();
        let result = client.call_with::<Work>(&Work::new(number), &options).await;
        let mut ends = lock(&ends);
        ends.calls += 1;
        ends.longest = ends.longest.max(start.elapsed());
        match result {
            Ok(capgen::Checked(done)) => assert_eq!(done.number, number, "the response belongs to another call"),
            Err(error) => *ends.failed.entry(format!("{}: {}", error.code, error.message)).or_default() += 1,
        }
    }
}

impl fmt::Display for Retried {
    /// The cells of a row of a table.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let failed: u64 = self.failed.values().sum();
        let Self { calls, faults: [killed, restarts], runs, twice_on_one, twice, interrupted, longest, .. } = self;
        let longest = longest.as_secs_f64();
        write!(
            f,
            "{calls} | {killed} | {restarts} | {failed} | {runs} | {twice_on_one} | {twice} | {interrupted} | {longest:.1} s"
        )
    }
}
