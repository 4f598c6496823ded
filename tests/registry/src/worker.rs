//! Programs that use logs: writers, kernels, and links that copy events.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use capgen_registry::log::{AppendOptions, Appended, Log, LogError, Record};
use capgen_registry::{Event, Kernel};
use capgen_testkit::Random;

use crate::store::checker;
use crate::{Connection, Emitter, now};

/// The events that logs have confirmed, with their places.
pub type Acknowledged = Mutex<Vec<(Event, Appended)>>;

/// How long a worker waits for an event before it looks whether it should end.
const WAIT: Duration = Duration::from_millis(50);

/// Appends random events until `ends`, and remembers those that the log confirms. Appends those again whose append
/// failed.
///
/// # Panics
///
/// An event is rejected.
pub fn write(mut log: Box<dyn Log>, agent: &str, ends: &AtomicBool, acknowledged: &Acknowledged) {
    let (mut emitter, mut random) = (Emitter::new(agent), Random::with_random_seed());
    while !ends.load(Ordering::Acquire) {
        let events: Vec<Event> = (0..=random.below(5)).map(|_| emitter.event()).collect();
        let results = loop {
            match log.append(&events, &AppendOptions { now: now(), import: false }) {
                Ok(results) => break results,
                Err(error) => eprintln!("{agent}: {error}"),
            }
        };
        let results = results.into_iter().map(|result| result.expect("no rejection"));
        acknowledged.lock().unwrap().extend(events.into_iter().zip(results));
        std::thread::sleep(Duration::from_millis(5 + random.below(20) as u64));
    }
}

/// A kernel that answers the events of a log until `ends`. Returns how many events it has emitted, and how many of them
/// were appended.
///
/// # Panics
///
/// An event is rejected.
pub fn lead(mut log: Box<dyn Log>, ends: &AtomicBool) -> (usize, usize) {
    let mut kernel = Kernel::new(checker(), None);
    let (mut position, mut emitted, mut appended) = (0, 0, 0);
    loop {
        let is_last = ends.load(Ordering::Acquire);
        let records = retried("kernel", || log.read(position, 1000));
        if records.is_empty() && is_last {
            return (emitted, appended);
        }
        records.iter().for_each(|record| kernel.note(&record.event));
        let answers: Vec<Event> = records.iter().flat_map(|record| kernel.step(&record.event)).collect();
        if !answers.is_empty() {
            let options = AppendOptions { now: now(), import: false };
            let results = retried("kernel", || log.append(&answers, &options));
            let new =
                results.into_iter().filter(|result| result.as_ref().is_ok_and(|place| place.duplicate_of.is_none()));
            (emitted, appended) = (emitted + answers.len(), appended + new.count());
        }
        position = records.last().map_or(position, |record: &Record| record.sequence);
        if records.is_empty() {
            retried("kernel", || log.wait(position, WAIT));
        }
    }
}

/// Copies the events of a log to another node until `ends`. The way to this node may be cut.
///
/// # Panics
///
/// An event is rejected.
pub fn copy(mut from: Box<dyn Log>, to: &Connection, ends: &AtomicBool) {
    let mut position = 0;
    // The way may be cut at first.
    let mut target: Option<Box<dyn Log>> = None;
    while !ends.load(Ordering::Acquire) {
        if !retried("link", || from.wait(position, WAIT)) {
            continue;
        }
        let records = retried("link", || from.read(position, 200));
        let Some(last) = records.last().map(|record| record.sequence) else { continue };
        let events: Vec<Event> = records.into_iter().map(|record| record.event).collect();
        while !ends.load(Ordering::Acquire) {
            if !to.is_open() {
                std::thread::sleep(Duration::from_millis(10));
                continue;
            }
            let result = match &mut target {
                Some(target) => target.append(&events, &AppendOptions { now: now(), import: true }),
                None => to.open().map(|opened| {
                    target = Some(opened);
                    Vec::new()
                }),
            };
            match result {
                Ok(results) if results.is_empty() => {}
                Ok(results) => {
                    results.into_iter().for_each(|result| drop(result.expect("no rejection")));
                    position = last;
                    break;
                }
                Err(_) => std::thread::sleep(Duration::from_millis(10)),
            }
        }
    }
}

/// Repeats an operation until it succeeds.
fn retried<T>(who: &str, mut operation: impl FnMut() -> Result<T, LogError>) -> T {
    loop {
        match operation() {
            Ok(value) => return value,
            Err(error) => eprintln!("{who}: {error}"),
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}
