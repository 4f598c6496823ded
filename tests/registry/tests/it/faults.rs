//! Brokers that are killed, kernels and writers that race.

use std::collections::HashSet;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use capgen_registry::log::{AppendOptions, AppendResult, Heads};
use capgen_registry::{Event, EventType};
use capgen_test_registry::{Acknowledged, Emitter, Store, Survey, connect, duration, lead, now, write};
use capgen_testkit::Random;
use capgen_testkit::brokers::NatsServer;
use serde_json::json;

#[test]
fn a_broker_that_is_killed_under_load_loses_no_acknowledged_event() {
    let Some(mut server) = NatsServer::start() else { return };
    let url = server.url();
    let (acknowledged, ends) = (Acknowledged::default(), AtomicBool::new(false));
    let (mut kills, mut heads) = (0, Vec::<Heads>::new());
    std::thread::scope(|scope| {
        for number in 0..4 {
            let (log, ends, acknowledged) = (connect(&url).unwrap(), &ends, &acknowledged);
            scope.spawn(move || write(log, &format!("writer{number}"), ends, acknowledged));
        }
        let (start, mut random) = (Instant::now(), Random::with_random_seed());
        while start.elapsed() < duration() {
            std::thread::sleep(Duration::from_millis(300 + random.below(700) as u64));
            heads.push(connect(&url).unwrap().verify(None).unwrap().heads);
            server.kill();
            kills += 1;
            std::thread::sleep(Duration::from_millis(random.below(300) as u64));
            server.restart();
        }
        ends.store(true, Ordering::Release);
    });
    let acknowledged = acknowledged.into_inner().unwrap();
    let mut log = connect(&url).unwrap();
    let survey = Survey::of(log.as_mut());
    for (event, appended) in &acknowledged {
        let place = (appended.partition.clone(), appended.offset);
        assert_eq!(survey.places.get(&event.hash()), Some(&place), "{}", event.text());
        // Each event was appended by one call, which was repeated only if it failed.
        assert!(!appended.integrity_fault);
    }
    for heads in &heads {
        let verification = log.verify(Some(heads)).unwrap();
        assert!(verification.ok, "{:?}", verification.first_broken);
    }
    assert_eq!(survey.records.len(), acknowledged.len());
    println!("{kills} kills: {} acknowledged events, all of them once in the log, at their places", acknowledged.len());
}

#[test]
fn two_kernels_emit_each_answer_once() {
    let Some(store) = Store::jetstream() else { return };
    drop(store.open());
    let (acknowledged, writers_end, all_end) =
        (Acknowledged::default(), AtomicBool::new(false), AtomicBool::new(false));
    let kernels = std::thread::scope(|scope| {
        let kernels: Vec<_> = (0..2)
            .map(|_| {
                let log = store.open();
                scope.spawn(|| lead(log, &all_end))
            })
            .collect();
        let writers: Vec<_> = (0..2)
            .map(|number| {
                let (log, ends, acknowledged) = (store.open(), &writers_end, &acknowledged);
                scope.spawn(move || write(log, &format!("writer{number}"), ends, acknowledged))
            })
            .collect();
        std::thread::sleep(duration());
        writers_end.store(true, Ordering::Release);
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        all_end.store(true, Ordering::Release);
        kernels.into_iter().map(|kernel| kernel.join().unwrap()).collect::<Vec<_>>()
    });
    let mut log = store.open();
    let survey = Survey::of(log.as_mut());
    let requests = survey.assert_answered();
    let of_kernel = survey.records.iter().filter(|record| record.event.id().unwrap().is_derived()).count();
    let emitted: usize = kernels.iter().map(|(emitted, _)| emitted).sum();
    let appended: usize = kernels.iter().map(|(_, appended)| appended).sum();
    assert_eq!(of_kernel, appended);
    assert_eq!(survey.records.len(), acknowledged.into_inner().unwrap().len() + appended);
    assert!(emitted > appended, "the kernels never competed");
    let ids: HashSet<_> = survey.records.iter().map(|record| record.event.id()).collect();
    assert_eq!(ids.len(), survey.records.len());
    println!("two kernels emitted {emitted} events for {requests} requests; the log has each of the {appended} once");
}

/// Appends one event at a time; both writers begin each round at the same moment.
fn race(store: &Store, rounds: &[[Event; 2]]) -> Vec<[AppendResult; 2]> {
    let barrier = Barrier::new(2);
    std::thread::scope(|scope| {
        let [one, other] = [0, 1].map(|writer| {
            let (mut log, barrier) = (store.open(), &barrier);
            scope.spawn(move || {
                let options = AppendOptions { now: now(), import: false };
                let append = |events: &[Event; 2]| {
                    barrier.wait();
                    log.append(&events[writer..=writer], &options).unwrap().remove(0)
                };
                rounds.iter().map(append).collect::<Vec<_>>()
            })
        });
        one.join().unwrap().into_iter().zip(other.join().unwrap()).map(|(one, other)| [one, other]).collect()
    })
}

#[test]
fn of_two_writers_of_one_event_one_appends_it() {
    let Some(store) = Store::jetstream() else { return };
    let mut emitter = Emitter::new("a");
    let rounds: Vec<[Event; 2]> =
        (0..300).map(|_| emitter.emit("agent.heartbeat", json!({}))).map(|event| [event.clone(), event]).collect();
    for (results, [event, _]) in race(&store, &rounds).into_iter().zip(&rounds) {
        let results = results.map(Result::unwrap);
        let duplicates: Vec<_> = results.iter().filter_map(|result| result.duplicate_of.clone()).collect();
        assert_eq!(duplicates, [event.id().unwrap().to_string()]);
        assert_eq!(results[0].offset, results[1].offset);
    }
    let survey = Survey::of(store.open().as_mut());
    assert_eq!(survey.of_type(EventType::Heartbeat).count(), 300);
}

#[test]
fn of_two_writers_of_one_idempotency_key_one_succeeds() {
    let Some(store) = Store::jetstream() else { return };
    let mut emitter = Emitter::new("a");
    let mut keyed = |round: u64, kind: &str| {
        let mut event = emitter.emit(kind, json!({})).value().clone();
        event["idempotency_key"] = json!(round.to_string());
        event["partition_key"] = json!("p");
        Event::new(event)
    };
    let rounds: Vec<_> =
        (0..300).map(|round| [keyed(round, "agent.heartbeat"), keyed(round, "agent.recovered")]).collect();
    for results in race(&store, &rounds) {
        let rejected: Vec<_> = results.iter().filter_map(|result| result.as_ref().err()).map(|r| r.reason()).collect();
        assert_eq!(rejected, ["idempotency-key"]);
    }
    assert_eq!(Survey::of(store.open().as_mut()).records.len(), 300);
}
