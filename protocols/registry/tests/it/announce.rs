//! Registration from manifests, monitors, followers and heartbeats, over a log in memory.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use capgen_manifest::{AgentId, Capability, Manifest, TransportSettings};
use capgen_registry::live::{AppendError, Follower, Heartbeats, Writer};
use capgen_registry::log::{AppendOptions, Log, MemoryLog};
use capgen_registry::{
    Access, AnnouncementFault, AnnouncementStep, Checker, Configuration, EventId, EventType, Kernel, MonitorLimits,
    Producer, Query, Requirement, Status, Unresolved, overdue,
};
use capgen_schema::Schema;
use serde_json::json;

fn checker() -> Arc<Checker> {
    let config = Configuration::parse(br#"{"monitors": ["ops.monitor"]}"#).unwrap();
    Arc::new(Checker::new(config.into()))
}

fn manifest(capabilities: Vec<Capability>) -> Manifest {
    let agent = AgentId::new("search").unwrap();
    Manifest::new(agent, vec![TransportSettings::memory("search.requests")], capabilities)
}

fn capability(name: &str, version: &str) -> Capability {
    Capability {
        version: version.parse().ok(),
        tags: vec!["b".to_owned(), "a".to_owned()],
        required_scopes: vec!["search:read".to_owned()],
        input: Some(Schema::parse_text(r#"{"type":"string","title":"Query"}"#).unwrap()),
        ..Capability::new(name)
    }
}

fn writer(log: &MemoryLog, agent: &str) -> Writer {
    Writer::new(Box::new(log.clone()), Producer::new(agent))
}

fn follower(log: &MemoryLog, checker: &Arc<Checker>) -> Follower {
    let mut follower = Follower::new(Box::new(log.clone()), checker.clone());
    follower.catch_up().unwrap();
    follower
}

/// The steps of registering a manifest.
fn register(
    log: &MemoryLog,
    checker: &Arc<Checker>,
    manifest: &Manifest,
) -> Result<Vec<AnnouncementStep>, AppendError> {
    let registry = follower(log, checker).registry();
    let registry = registry.read();
    let view = registry.view();
    let registered = writer(log, "search").register(manifest, &view)?;
    Ok(registered.into_iter().map(|registered| registered.announcement.step).collect())
}

#[test]
fn a_manifest_is_registered_once() {
    let checker = checker();
    let log = MemoryLog::new(checker.clone());
    let mut manifest = manifest(vec![capability("find", "1.0.0"), capability("count", "2.0.0-rc.1")]);
    let steps = register(&log, &checker, &manifest).unwrap();
    assert!(steps.iter().all(|step| matches!(step, AnnouncementStep::Register(_))), "{steps:?}");
    let registry = follower(&log, &checker).registry();
    let row = registry.read().view().find(&Query::Id { id: "search.find", range: None }).remove(0);
    assert_eq!(
        (row.agent.as_str(), row.tags, row.required_scopes),
        ("search", vec!["a".into(), "b".into()], vec!["search:read".to_owned()])
    );

    let again = register(&log, &checker, &manifest).unwrap();
    let id = row.event_id;
    assert_eq!(again[0], AnnouncementStep::AlreadyRegistered { event_id: id.clone() });

    manifest.capabilities[0].tags = vec!["c".to_owned()];
    manifest.capabilities[0].latency = Some("interactive".to_owned());
    let metadata = json!({"tags": ["c"], "latency_class": "interactive"});
    let update = json!({"capability_id": "search.find", "version": "1.0.0", "metadata": metadata});
    assert_eq!(register(&log, &checker, &manifest).unwrap()[0], AnnouncementStep::Update(update));
    assert!(matches!(register(&log, &checker, &manifest).unwrap()[0], AnnouncementStep::AlreadyRegistered { .. }));

    // Annotations are not part of a contract; assertions are.
    manifest.capabilities[0].input = Some(Schema::parse_text(r#"{"type":"string"}"#).unwrap());
    assert!(register(&log, &checker, &manifest).is_ok());
    manifest.capabilities[0].input = None;
    let Err(AppendError::Announcement(errors)) = register(&log, &checker, &manifest) else { panic!("registered") };
    assert_eq!(errors[0].reason, AnnouncementFault::OtherContract { version: "1.0.0".to_owned(), event_id: id });
}

#[test]
fn all_errors_of_a_manifest_are_reported_and_nothing_is_registered() {
    let checker = checker();
    let mut log = MemoryLog::new(checker.clone());
    let odd = Capability { id: Some("single".to_owned()), ..capability("d", "1.0.0") };
    let twin = Capability { id: Some("search.c".to_owned()), ..capability("e", "1.0.0") };
    let capabilities = vec![capability("a", ""), capability("b", "1.0.0+build"), capability("c", "1.0.0"), odd, twin];
    let Err(AppendError::Announcement(errors)) = register(&log, &checker, &manifest(capabilities)) else {
        panic!("registered")
    };
    let faults: Vec<_> = errors.into_iter().map(|error| (error.name, error.reason)).collect();
    let expected = [
        ("a", AnnouncementFault::MissingVersion),
        ("b", AnnouncementFault::BuildMetadata),
        ("d", AnnouncementFault::InvalidId("single".to_owned())),
        ("e", AnnouncementFault::Duplicate("search.c".to_owned())),
    ];
    assert_eq!(faults, expected.map(|(name, fault)| (name.to_owned(), fault)));
    assert!(log.read(0, 10).unwrap().is_empty());

    let names: Vec<String> = (0..7_000).map(|name| format!("\"{name:040}\"")).collect();
    let large = Schema::parse_text(&format!("{{\"enum\":[{}]}}", names.join(","))).unwrap();
    let large = Capability { output: Some(large), ..capability("f", "1.0.0") };
    let both = manifest(vec![capability("c", "1.0.0"), large]);
    let Err(AppendError::Announcement(errors)) = register(&log, &checker, &both) else { panic!("registered") };
    assert!(matches!(errors[0].reason, AnnouncementFault::TooLarge(bytes) if bytes > 280_000), "{errors:?}");
    assert!(log.read(0, 10).unwrap().is_empty());
}

#[test]
fn capabilities_that_the_log_rejects_are_reported_beside_those_that_it_accepts() {
    let checker = Arc::new(Checker::new(Configuration::parse(br#"{"quota": 1}"#).unwrap().into()));
    let log = MemoryLog::new(checker.clone());
    let both = manifest(vec![capability("a", "1.0.0"), capability("b", "1.0.0")]);
    let Err(AppendError::Registration { registered, rejected }) = register(&log, &checker, &both) else {
        panic!("registered")
    };
    let names: Vec<_> = registered.iter().map(|registered| registered.announcement.capability.as_str()).collect();
    assert_eq!((names, rejected[0].1.reason()), (vec!["search.a"], "quota"));
}

/// Appends an event with an id of a time.
fn append(log: &mut MemoryLog, agent: &str, kind: EventType, payload: serde_json::Value, at: u64) -> EventId {
    let id = EventId::at(at, 0);
    let event = Producer::new(agent).event(kind, payload, id, at);
    log.append(&[event], &AppendOptions { now: at, import: false }).unwrap().remove(0).unwrap();
    id
}

#[test]
fn monitors_append_overdue_events_and_two_of_them_do_no_harm() {
    let checker = checker();
    let mut log = MemoryLog::new(checker.clone());
    let start = 1_750_000_000_000;
    append(&mut log, "a", EventType::Registered, json!({"capability_id": "x.y", "version": "1.0.0"}), start);
    append(&mut log, "a", EventType::Heartbeat, json!({}), start + 1);
    append(&mut log, "b", EventType::Heartbeat, json!({}), start + 9_000);
    let payload = json!({"capability_id": "x.y", "requirement": "1.0.0", "input": null});
    append(&mut log, "caller", EventType::Requested, payload, start + 2);
    let mut kernel = Kernel::new(checker.clone(), None);
    let emitted: Vec<_> = log.read(0, 100).unwrap().iter().flat_map(|record| kernel.step(&record.event)).collect();
    log.append(&emitted, &AppendOptions { now: start, import: false }).unwrap();

    let limits = MonitorLimits { heartbeat: Duration::from_secs(5), invocation: Duration::from_secs(8) };
    let due = |now: u64| {
        let registry = follower(&log, &checker).registry();
        let registry = registry.read();
        overdue(&registry.view(), &limits, now)
    };
    assert_eq!(due(start + 5_001), []);
    let late = due(start + 8_003);
    let kinds: Vec<_> = late.iter().map(|overdue| (overdue.kind, overdue.agent.as_str())).collect();
    assert_eq!(kinds, [(EventType::Unavailable, "a"), (EventType::Failed, "a")]);

    let hash = |log: &MemoryLog| {
        let registry = follower(log, &checker).registry();
        let invocations = registry.read().view().invocations();
        assert_eq!((invocations[0].status, invocations[0].reason.as_deref()), (Status::Failed, Some("timeout")));
        let unresolved =
            registry.read().view().resolve("x.y", &"1.0.0".parse::<Requirement>().unwrap(), &Access::default()).err();
        assert_eq!(unresolved, Some(Unresolved::Unhealthy));
    };
    for monitor in 0..2 {
        for (n, overdue) in late.iter().enumerate() {
            let at = start + 8_004 + monitor * 10 + n as u64;
            append(&mut log, "ops.monitor", overdue.kind, overdue.payload.clone(), at);
        }
        hash(&log);
    }
    let registry = follower(&log, &checker).registry();
    assert_eq!(overdue(&registry.read().view(), &limits, start + 8_100), []);
}

#[test]
fn heartbeats_are_sent_until_they_are_dropped() {
    let checker = checker();
    let log = MemoryLog::new(checker.clone());
    let beats = Heartbeats::start(writer(&log, "a"), Duration::from_millis(1), |error| panic!("{error}")).unwrap();
    let mut follower = follower(&log, &checker);
    let deadline = Instant::now() + Duration::from_secs(60);
    while follower.sequence() < 3 {
        follower.follow(Duration::from_secs(1)).unwrap();
        assert!(Instant::now() < deadline, "no heartbeats");
    }
    assert!(follower.registry().read().view().health()["a"].healthy);
    drop(beats);
    follower.catch_up().unwrap();
    assert!(!follower.registry().read().view().health()["a"].healthy);
}

#[test]
fn events_that_a_log_rejects_are_errors_of_the_writer() {
    let log = MemoryLog::new(checker());
    let error = writer(&log, "").append(EventType::Heartbeat, json!({})).unwrap_err();
    assert_eq!(error.to_string(), "the log rejected the event: envelope at /producer/agent_id");
}
