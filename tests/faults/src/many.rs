//! Many calls through a real broker that is killed and restarted, over connections that are cut.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use capgen::call::{Audit as _, CallOptions, Client, Retry, Server, Status, Transport};

use crate::counted::{CountedAudit, verified};
use crate::world::{End, peers};
use crate::{ADDRESS, AGENT, Kind, Work, World, handlers};

/// The timeout of each call.
const TIMEOUT: Duration = Duration::from_secs(30);
/// How much later than its deadline a call may end on a busy machine.
const SLACK: Duration = Duration::from_secs(5);
/// The number of calls at the same time.
const CALLERS: u64 = 32;
/// The number of faults.
const FAULTS: u64 = 12;

/// The results of many calls.
#[derive(Debug, Default)]
pub struct Counts {
    /// The ends of calls, by their kind and status.
    pub ends: BTreeMap<(&'static str, &'static str), u64>,
    /// The faults, by kind.
    pub faults: BTreeMap<&'static str, u64>,
    /// The longest duration of a call.
    pub longest: Duration,
    /// The numbers of messages that were acknowledged, by a response or by the broker.
    acknowledged: Vec<u64>,
}

/// The kind of a call: its number decides.
fn kind(number: u64) -> &'static str {
    match number % 4 {
        0 | 1 => "core NATS, response",
        2 => "JetStream, response",
        _ => "JetStream, no response",
    }
}

fn options(number: u64) -> CallOptions {
    let options = CallOptions::new().peer(AGENT).timeout(TIMEOUT).idempotency_key(format!("key-{number}"));
    if number % 4 < 2 { options } else { options.at_least_once() }
}

/// Makes the calls, prints their counts, and checks them. `None` if the broker is not installed.
///
/// # Panics
///
/// A call has no end in time, an acknowledged message was not processed once, or an acknowledged audit record is lost.
pub async fn run(calls: u64) -> Option<Counts> {
    let mut world = World::start(Kind::JetStream).await?;
    let folder = tempfile::tempdir().expect("a folder");
    let paths = [folder.path().join("caller.db"), folder.path().join("provider.db")];
    let [caller_audit, provider_audit] = [&paths[0], &paths[1]].map(|path| CountedAudit::create(path));
    let provider_end = world.connect(End::Provider).await;
    let server = Server::builder(handlers(&world.runs, Duration::from_millis(1)))
        .listen(Arc::clone(&provider_end), ADDRESS)
        .at_least_once()
        .audit(provider_audit.clone())
        .audit_calls(true)
        .start()
        .await
        .expect("a provider");
    let caller_end = world.connect(End::Caller).await;
    let retry = Retry::attempts(20)
        .backoff(Duration::from_millis(50), Duration::from_millis(500))
        .attempt_timeout(Duration::from_secs(2));
    let client = Client::builder("caller")
        .transport(Arc::clone(&caller_end))
        .peers(peers("nats"))
        .retry(retry)
        .audit(caller_audit.clone())
        .audit_calls(true)
        .build()
        .await
        .expect("a client");
    let counts = Arc::new(Mutex::new(Counts::default()));
    let next = Arc::new(AtomicU64::new(0));
    let callers: Vec<_> =
        (0..CALLERS).map(|_| tokio::spawn(caller(client.clone(), Arc::clone(&next), calls, counts.clone()))).collect();
    faults(&mut world, &next, calls, &counts, [&caller_end, &provider_end]).await;
    for caller in callers {
        caller.await.expect("a caller ends");
    }
    let mut counts = std::mem::take(&mut *counts.lock().unwrap_or_else(PoisonError::into_inner));
    all_are_processed(&world, &counts.acknowledged).await;
    assert!(server.shutdown(Duration::from_secs(30)).await, "the provider ends in time");
    let ends: u64 = counts.ends.values().sum();
    assert_eq!(ends, calls, "each call has one end");
    assert!(counts.longest <= TIMEOUT + SLACK, "a call ended after {:?}", counts.longest);
    for (audit, path) in [(&caller_audit, &paths[0]), (&provider_audit, &paths[1])] {
        audit.flush().await.expect("the records are durable");
        assert_eq!((verified(path), audit.lost()), (audit.accepted(), 0), "acknowledged audit records are lost");
    }
    // Each attempt to send a message without a response is a call of its own.
    assert!(caller_audit.accepted() >= calls && client.lost_audit_records() == 0);
    println!("{calls} calls: {:?}\nfaults: {:?}", counts.ends, counts.faults);
    println!(
        "longest {:?}; acknowledged and processed once: {}; audit records: caller {}, provider {}",
        counts.longest,
        counts.acknowledged.len(),
        caller_audit.accepted(),
        provider_audit.accepted()
    );
    counts.acknowledged.clear();
    Some(counts)
}

/// One caller, which makes a call after another.
async fn caller(client: Client, next: Arc<AtomicU64>, calls: u64, counts: Arc<Mutex<Counts>>) {
    loop {
        let number = next.fetch_add(1, Ordering::SeqCst);
        if number >= calls {
            return;
        }
        let start = Instant::now();
        let status = if number % 4 == 3 { send(&client, number).await } else { call(&client, number).await };
        let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.longest = counts.longest.max(start.elapsed());
        *counts.ends.entry((kind(number), status.as_str())).or_default() += 1;
        if status == Status::Ok {
            counts.acknowledged.push(number);
        }
    }
}

async fn call(client: &Client, number: u64) -> Status {
    match client.call_with::<Work>(&Work::new(number), &options(number)).await {
        Ok(capgen::Checked(done)) => {
            assert_eq!(done.number, number, "the response belongs to another call");
            Status::Ok
        }
        Err(error) => error.status,
    }
}

/// Sends a message without a response, until the broker acknowledges it.
async fn send(client: &Client, number: u64) -> Status {
    let start = Instant::now();
    loop {
        match client.send::<Work>(&Work::new(number), &options(number)).await {
            Ok(()) => return Status::Ok,
            Err(error) if start.elapsed() > TIMEOUT / 2 => return error.status,
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

/// Cuts connections, and kills and restarts the broker, at regular steps of the progress.
async fn faults(
    world: &mut World,
    next: &AtomicU64,
    calls: u64,
    counts: &Mutex<Counts>,
    ends: [&Arc<dyn Transport>; 2],
) {
    for fault in 1..=FAULTS {
        while next.load(Ordering::SeqCst) < calls * fault / (FAULTS + 1) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let name = match fault % 4 {
            1 => {
                world.proxy(End::Caller).cut();
                "caller's connection cut"
            }
            2 => {
                world.proxy(End::Provider).cut();
                "provider's connection cut"
            }
            3 => {
                tokio::task::block_in_place(|| world.server().restart());
                "broker killed and restarted"
            }
            _ => {
                world.proxy(End::Caller).cut();
                world.proxy(End::Provider).cut();
                "both connections cut"
            }
        };
        *counts.lock().unwrap_or_else(PoisonError::into_inner).faults.entry(name).or_default() += 1;
        for end in ends {
            crate::world::until(end, capgen::call::Health::Connected).await;
        }
    }
}

/// Waits until each acknowledged message was processed, and checks that none was processed twice.
async fn all_are_processed(world: &World, acknowledged: &[u64]) {
    let start = Instant::now();
    let missing = || acknowledged.iter().filter(|number| world.runs.of(**number) == 0).count();
    while missing() > 0 {
        assert!(start.elapsed() < TIMEOUT * 2, "{} acknowledged messages were not processed", missing());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    // A second run would follow the redelivery of an unacknowledged message.
    tokio::time::sleep(crate::world::ACK_WAIT * 2).await;
    let twice: Vec<_> = world.runs.all().into_iter().filter(|(_, runs)| *runs > 1).collect();
    assert!(twice.is_empty(), "processed more than once: {twice:?}");
}
