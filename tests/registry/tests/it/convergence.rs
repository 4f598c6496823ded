//! Three nodes that are disconnected from each other at random end with one state, and lose nothing that was
//! acknowledged.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use capgen_registry::Hash;
use capgen_test_registry::{Acknowledged, Connection, Store, Survey, copy, duration, lead, records, write};
use capgen_testkit::Random;

/// How long the nodes may take to exchange the remaining events, on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(600);

#[test]
fn three_logs_of_sqlite_converge() {
    converge("SQLite", vec![Store::sqlite(), Store::sqlite(), Store::sqlite()]);
}

#[test]
fn three_brokers_converge() {
    let Some(nodes) = (0..3).map(|_| Store::jetstream()).collect() else { return };
    converge("JetStream", nodes);
}

fn converge(name: &str, nodes: Vec<Store>) {
    // Opening a log creates it.
    let mut logs: Vec<_> = nodes.iter().map(Store::open).collect();
    let acknowledged = Acknowledged::default();
    let (writers_end, all_end) = (AtomicBool::new(false), AtomicBool::new(false));
    // The links from each node to each other one.
    let pairs = (0..nodes.len()).flat_map(|from| (0..nodes.len()).map(move |to| (from, to)));
    let links: Vec<(usize, usize, Connection)> =
        pairs.filter(|(from, to)| from != to).map(|(from, to)| (from, to, nodes[to].connection())).collect();
    let disconnections = std::thread::scope(|scope| {
        let mut writers = Vec::new();
        for (number, node) in nodes.iter().enumerate() {
            for writer in 0..2 {
                let (log, ends, acknowledged) = (node.open(), &writers_end, &acknowledged);
                writers
                    .push(scope.spawn(move || write(log, &format!("node{number}.writer{writer}"), ends, acknowledged)));
            }
        }
        for (from, _, connection) in &links {
            let log = nodes[*from].open();
            scope.spawn(|| copy(log, connection, &all_end));
        }
        // One kernel for all nodes.
        let log = nodes[0].open();
        let kernel = scope.spawn(|| lead(log, &all_end));
        let disconnections = disconnect(&links);
        writers_end.store(true, Ordering::Release);
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        settle(&mut logs, &acknowledged);
        all_end.store(true, Ordering::Release);
        kernel.join().unwrap();
        disconnections
    });
    let acknowledged = acknowledged.into_inner().unwrap();
    let surveys: Vec<Survey> = logs.iter_mut().map(|log| Survey::of(log.as_mut())).collect();
    for (survey, log) in surveys.iter().zip(&mut logs) {
        let lost = acknowledged.iter().filter(|(event, _)| !survey.places.contains_key(&event.hash())).count();
        assert_eq!(lost, 0, "lost events of {}", acknowledged.len());
        assert_eq!((&survey.state, &survey.registry), (&surveys[0].state, &surveys[0].registry));
        assert_eq!(survey.records.len(), surveys[0].records.len());
        assert!(log.verify(None).unwrap().ok);
    }
    let requests = surveys[0].assert_answered();
    assert!(requests > 0 && disconnections > 0);
    println!(
        "{name}: {} acknowledged events, 0 lost; {} events on each of {} nodes, {requests} requests with one answer each; \
         {disconnections} disconnections; one state, {}",
        acknowledged.len(),
        surveys[0].records.len(),
        nodes.len(),
        surveys[0].state
    );
}

/// Disconnects nodes from each other at random for the duration of the test, and connects all of them at the end.
/// Returns how often.
fn disconnect(links: &[(usize, usize, Connection)]) -> usize {
    let (start, mut random, mut count) = (Instant::now(), Random::with_random_seed(), 0);
    while start.elapsed() < duration() {
        let (one, other) = (random.below(3), random.below(3));
        // Half of the time a pair is disconnected; sometimes a node is alone.
        let is_open = random.one_in(2);
        let concerned = links.iter().filter(|(from, to, _)| {
            let ends = [*from, *to];
            ends.contains(&one) && ends.contains(&other)
        });
        concerned.for_each(|(_, _, connection)| connection.set_open(is_open));
        count += usize::from(!is_open);
        std::thread::sleep(Duration::from_millis(50 + random.below(400) as u64));
    }
    links.iter().for_each(|(_, _, connection)| connection.set_open(true));
    count
}

/// Waits until all logs contain the same events, among them an answer to each request.
fn settle(logs: &mut [Box<dyn capgen_registry::log::Log>], acknowledged: &Acknowledged) {
    let start = Instant::now();
    loop {
        let contents: Vec<HashSet<Hash>> = logs
            .iter_mut()
            .map(|log| records(log.as_mut()).into_iter().map(|record| record.event.hash()).collect())
            .collect();
        let has_all = acknowledged.lock().unwrap().iter().all(|(event, _)| contents[0].contains(&event.hash()));
        if has_all && contents.iter().all(|content| *content == contents[0]) && is_answered(logs[0].as_mut()) {
            return;
        }
        assert!(start.elapsed() < PATIENCE, "the nodes do not converge: {:?}", contents.iter().map(HashSet::len));
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Whether the kernel has processed every event.
fn is_answered(log: &mut dyn capgen_registry::log::Log) -> bool {
    let mut kernel = capgen_registry::Kernel::new(capgen_test_registry::checker(), None);
    let records = records(log);
    records.iter().for_each(|record| kernel.note(&record.event));
    records.iter().all(|record| kernel.step(&record.event).is_empty())
}
