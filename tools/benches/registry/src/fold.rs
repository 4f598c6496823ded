//! Events per second of the fold.

use std::sync::Arc;
use std::time::Duration;

use capgen_registry::{Checked, Checker, Configuration, Event, Registry, Stamped};

use crate::{events, least, peer, rate, timed};

const EVENTS: u64 = 1_000_000;
const RUNS: usize = 3;

pub fn run() {
    println!("{EVENTS} events of {} agents; million events per second on one core.\n", events::AGENTS);
    println!("| events | text to state | checked and joined | joined | inserted into SQLite |\n|---|---|---|---|---|");
    let heartbeats: Vec<String> = (0..EVENTS).map(events::heartbeat).collect();
    line("heartbeats", &heartbeats, peer::heartbeats(&heartbeats, RUNS));
    drop(heartbeats);
    let registrations: Vec<String> = (0..EVENTS).map(events::registration).collect();
    line("registrations", &registrations, peer::registrations(EVENTS, RUNS));
}

fn line(name: &str, texts: &[String], inserted: Duration) {
    let whole = least(RUNS, || timed(|| fold(texts.iter())).1);
    let events: Vec<Event> = texts.iter().map(|text| Event::parse(text.as_bytes()).unwrap()).collect();
    let checked = least(RUNS, || {
        let checker = checker();
        let mut registry = Registry::new(checker.config().clone());
        timed(|| events.iter().for_each(|event| join(&checker, &mut registry, event))).1
    });
    let checker = checker();
    let facts: Vec<Stamped> = events.iter().flat_map(|event| facts(&checker, event)).collect();
    drop(events);
    let joined = least(RUNS, || {
        let (mut registry, facts) = (Registry::new(checker.config().clone()), facts.clone());
        timed(|| facts.into_iter().for_each(|fact| registry.join(fact))).1
    });
    let [whole, checked, joined, inserted] =
        [whole, checked, joined, inserted].map(|duration| rate(EVENTS, duration) / 1e6);
    println!("| {name} | {whole:.2} | {checked:.2} | {joined:.2} | {inserted:.2} |");
}

/// The registry of canonical texts.
pub fn fold(texts: impl Iterator<Item = impl AsRef<str>>) -> Registry {
    let checker = checker();
    let mut registry = Registry::new(checker.config().clone());
    for text in texts {
        join(&checker, &mut registry, &Event::parse(text.as_ref().as_bytes()).unwrap());
    }
    registry
}

fn join(checker: &Checker, registry: &mut Registry, event: &Event) {
    facts(checker, event).into_iter().for_each(|fact| registry.join(fact));
}

fn facts(checker: &Checker, event: &Event) -> Vec<Stamped> {
    match checker.check(event) {
        Checked::Valid(_, facts) => facts,
        other => panic!("{other:?}"),
    }
}

pub fn checker() -> Arc<Checker> {
    Arc::new(Checker::new(Configuration::default().into()))
}
