//! The log of the capability registry in JetStream.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::time::Duration;

use capgen_nats::{NatsOptions, async_nats};
use capgen_registry::log::{
    AppendOptions, Appended, BrokenReason, JetStreamLog, JetStreamLogOptions, Log, LogError, conformance,
};
use capgen_registry::{Checker, Configuration, Event, EventId};
use capgen_testkit::brokers::{Cut, NatsServer, Proxy};
use serde_json::{Value, json};

/// The time of all events, in Unix ms.
const NOW: u64 = 1_800_000_000_000;
const APPEND: AppendOptions = AppendOptions { now: NOW, import: false };

fn checker() -> Arc<Checker> {
    Arc::new(Checker::new(Configuration::default().into()))
}

fn connect(url: &str, options: JetStreamLogOptions) -> Result<JetStreamLog, LogError> {
    let nats = NatsOptions::new([url]).operation_timeout(Duration::from_secs(2));
    JetStreamLog::connect(nats, options, checker())
}

fn open(server: &NatsServer) -> JetStreamLog {
    connect(&server.url(), JetStreamLogOptions::new()).unwrap()
}

fn event(agent: &str, number: u128, more: Value) -> Event {
    let mut event = json!({
        "spec_version": "1.0",
        "event_id": EventId::at(NOW, number).to_string(),
        "event_type": "agent.heartbeat",
        "event_version": "1.0.0",
        "timestamp": "2027-01-15T08:00:00.000Z",
        "producer": {"agent_id": agent, "agent_type": "t", "runtime_id": "r", "instance_id": "i"},
        "trace": {"trace_id": "t", "span_id": "s", "depth": 0},
        "payload": {},
        "metadata": {},
    });
    event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    Event::new(event)
}

fn append(log: &mut JetStreamLog, event: &Event) -> Result<Appended, LogError> {
    Ok(log.append(std::slice::from_ref(event), &APPEND)?.remove(0).unwrap())
}

fn events(log: &mut JetStreamLog) -> Vec<Event> {
    log.read(0, 10_000).unwrap().into_iter().map(|record| record.event).collect()
}

/// Changes the stream as an administrator does.
fn administer<T>(server: &NatsServer, work: impl AsyncFnOnce(async_nats::jetstream::Context) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = async_nats::connect(server.url()).await.unwrap();
        work(async_nats::jetstream::new(client)).await
    })
}

/// The stream of a log without the protection against deletions.
fn unprotected() -> async_nats::jetstream::stream::Config {
    async_nats::jetstream::stream::Config {
        name: "CAPGEN-REGISTRY".to_owned(),
        subjects: vec!["capgen.registry.events.*".to_owned()],
        ..Default::default()
    }
}

#[test]
fn logs_in_jetstream_pass_the_suite() {
    let Some(server) = NatsServer::start() else { return };
    let report = conformance::run(&|name, checker| {
        let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let options = JetStreamLogOptions::new().prefix(format!("test.{name}")).stream(name);
        Ok(Box::new(JetStreamLog::connect(NatsOptions::new([server.url()]), options, checker)?))
    });
    assert!(report.passed(), "{report}");
}

#[test]
fn any_partition_has_a_subject_of_its_own() {
    let Some(server) = NatsServer::start() else { return };
    let mut log = open(&server);
    let partitions = ["a.b", "a b", "*", ">", "a.>", "ä", "=", "\u{0}", "a\r\nPUB x 0\r\n", &"é".repeat(255)];
    for (number, partition) in (0..).zip(partitions) {
        for offset in 0..2 {
            let event = event("a", number * 2 + u128::from(offset), json!({"partition_key": partition}));
            let appended = append(&mut log, &event).unwrap();
            assert_eq!((appended.partition.as_str(), appended.offset), (partition, offset));
        }
    }
    let verification = open(&server).verify(None).unwrap();
    assert!(verification.ok);
    assert_eq!((verification.rows, verification.heads.len()), (20, partitions.len()));
}

#[test]
fn an_append_whose_confirmation_is_lost_is_reported_once() {
    let Some(server) = NatsServer::start() else { return };
    let proxy = Proxy::start(server.port());
    let mut log = connect(&proxy.url(), JetStreamLogOptions::new()).unwrap();
    let cuts = [Cut::BeforeRequest, Cut::AfterRequest, Cut::BeforeResponse, Cut::AfterResponse];
    for (number, cut) in (0..).zip(cuts.iter().cycle().take(24)) {
        let text = if matches!(cut, Cut::BeforeRequest | Cut::AfterRequest) { "HPUB " } else { "{\"stream\":\"" };
        proxy.cut_at(*cut, text);
        let appended = append(&mut log, &event("a", number, json!({}))).unwrap();
        assert_eq!((appended.duplicate_of, u128::from(appended.offset)), (None, number), "{cut:?}");
    }
    assert!(proxy.cuts() >= 24, "{}", proxy.cuts());
    assert_eq!(events(&mut open(&server)).len(), 24);
    assert!(log.verify(None).unwrap().ok);
}

#[test]
fn an_append_that_failed_can_be_repeated() {
    let Some(server) = NatsServer::start() else { return };
    let proxy = Proxy::start(server.port());
    let nats = NatsOptions::new([proxy.url()]).operation_timeout(Duration::from_millis(200));
    let options = JetStreamLogOptions::new().patience(Duration::from_millis(400));
    let mut log = JetStreamLog::connect(nats, options, checker()).unwrap();
    append(&mut log, &event("a", 0, json!({}))).unwrap();
    proxy.stall(true);
    let error = append(&mut log, &event("a", 1, json!({}))).unwrap_err();
    assert!(error.to_string().starts_with("the stream \"CAPGEN-REGISTRY\": "), "{error}");
    assert!(log.read(9, 1).is_err());
    proxy.stall(false);
    let mut appended = append(&mut log, &event("a", 1, json!({})));
    for _ in 0..50 {
        if appended.is_ok() {
            break;
        }
        appended = append(&mut log, &event("a", 1, json!({})));
    }
    assert_eq!(appended.unwrap().offset, 1);
    assert_eq!(events(&mut log).len(), 2);
}

#[test]
fn a_log_can_be_used_on_any_thread_of_an_async_program() {
    let Some(server) = NatsServer::start() else { return };
    let url = server.url();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let mut log = connect(&url, JetStreamLogOptions::new()).unwrap();
        // More operations than a task may do before it must yield.
        for number in 0..200 {
            append(&mut log, &event("a", number, json!({}))).unwrap();
        }
        let blocking = tokio::task::spawn_blocking(move || {
            append(&mut log, &event("a", 200, json!({}))).unwrap();
            log.verify(None).unwrap().rows
        });
        assert_eq!(blocking.await.unwrap(), 201);
    });
}

#[test]
fn a_wait_survives_a_restart_of_the_server() {
    let Some(mut server) = NatsServer::start() else { return };
    let mut log = open(&server);
    append(&mut log, &event("a", 0, json!({}))).unwrap();
    let mut other = open(&server);
    let waiting = std::thread::spawn(move || {
        let waited = log.wait(1, Duration::from_secs(60));
        (waited, log.read(1, 10))
    });
    std::thread::sleep(Duration::from_millis(100));
    server.restart();
    append(&mut other, &event("a", 1, json!({}))).unwrap();
    let (waited, records) = waiting.join().unwrap();
    assert!(waited.unwrap());
    assert_eq!(records.unwrap().len(), 1);
}

#[test]
fn large_reads_arrive_in_parts() {
    let Some(server) = NatsServer::start() else { return };
    let mut log = open(&server);
    let text = "x".repeat(300_000);
    // 24 MB: more than one request returns, and more than one read.
    let all: Vec<Event> = (0..80).map(|number| event("a", number, json!({"metadata": {"x": text}}))).collect();
    log.append(&all, &APPEND).unwrap();
    for mut log in [log, open(&server)] {
        let mut found: Vec<Event> = Vec::new();
        loop {
            let records = log.read(u64::try_from(found.len()).unwrap(), 1000).unwrap();
            if records.is_empty() {
                break;
            }
            found.extend(records.into_iter().map(|record| record.event));
        }
        assert!(found == all);
    }
}

#[test]
fn an_event_that_is_too_large_for_the_server_is_named() {
    let Some(server) = NatsServer::start_with("max_payload: 10000") else { return };
    let mut log = open(&server);
    let error = append(&mut log, &event("a", 0, json!({"metadata": {"x": "x".repeat(10_000)}}))).unwrap_err();
    assert!(error.to_string().contains("max_payload"), "{error}");
    assert_eq!(append(&mut log, &event("a", 1, json!({}))).unwrap().offset, 0);
}

#[test]
fn the_largest_event_fits_with_the_documented_setting() {
    let Some(server) = NatsServer::start_with("max_payload: 2MB") else { return };
    let mut log = open(&server);
    let padded = |length| event("a", 0, json!({"metadata": {"x": "x".repeat(length)}}));
    let largest = padded((1 << 20) - padded(0).text().len());
    assert_eq!(largest.text().len(), 1 << 20);
    append(&mut log, &largest).unwrap();
    assert_eq!(events(&mut open(&server)), [largest]);
}

#[test]
fn deleted_and_forged_messages_are_found() {
    let Some(server) = NatsServer::start() else { return };
    administer(&server, async |jetstream| drop(jetstream.create_stream(unprotected()).await.unwrap()));
    let mut log = open(&server);
    for number in 0..4 {
        append(&mut log, &event("a", number, json!({}))).unwrap();
    }
    let heads = log.verify(None).unwrap().heads;
    // Something else than an event is skipped.
    administer(&server, async |jetstream| {
        jetstream.publish("capgen.registry.events.a", "not JSON".into()).await.unwrap().await.unwrap();
    });
    assert!(log.verify(Some(&heads)).unwrap().ok);
    assert_eq!(append(&mut log, &event("a", 4, json!({}))).unwrap().offset, 4);
    // An event with the id of another one.
    let (genuine, forged) = (event("a", 5, json!({})), event("a", 5, json!({"metadata": {"x": 1}})));
    append(&mut log, &genuine).unwrap();
    administer(&server, async |jetstream| {
        let stream = jetstream.get_stream("CAPGEN-REGISTRY").await.unwrap();
        let id = stream.get_raw_message(7).await.unwrap().headers;
        let id = id.get("Nats-Msg-Id").unwrap().as_str().replace("event-", "event-0");
        let message = async_nats::jetstream::message::PublishMessage::build().message_id(id);
        let message = message.payload(forged.text().to_owned().into());
        jetstream.send_publish("capgen.registry.events.a", message).await.unwrap().await.unwrap();
    });
    let broken = open(&server).verify(None).unwrap().first_broken.unwrap();
    assert_eq!((broken.partition.as_str(), broken.offset, broken.reason), ("a", 6, BrokenReason::Event));
    administer(&server, async |jetstream| {
        let stream = jetstream.get_stream("CAPGEN-REGISTRY").await.unwrap();
        assert!(stream.delete_message(3).await.unwrap());
    });
    let error = open(&server).verify(None).unwrap_err();
    assert!(error.to_string().ends_with("its message 3 is missing"), "{error}");
}

#[test]
fn streams_that_lose_messages_are_not_used() {
    let Some(server) = NatsServer::start() else { return };
    let error = connect(&server.url(), JetStreamLogOptions::existing()).unwrap_err();
    assert!(error.to_string().ends_with("it does not exist"), "{error}");
    let config = async_nats::jetstream::stream::Config { max_age: Duration::from_secs(60), ..unprotected() };
    administer(&server, async |jetstream| drop(jetstream.create_stream(config).await.unwrap()));
    let error = connect(&server.url(), JetStreamLogOptions::new()).unwrap_err();
    assert!(error.to_string().contains("removes messages"), "{error}");
    let error = connect(&server.url(), JetStreamLogOptions::new().prefix("other")).unwrap_err();
    assert!(error.to_string().contains("does not store"), "{error}");
    for options in [JetStreamLogOptions::new().stream("a.b"), JetStreamLogOptions::new().prefix("$JS")] {
        assert!(connect(&server.url(), options).is_err());
    }
    // A stream of a log refuses deletions.
    let options = JetStreamLogOptions::new().stream("PROTECTED").prefix("protected");
    append(&mut connect(&server.url(), options).unwrap(), &event("a", 0, json!({}))).unwrap();
    administer(&server, async |jetstream| {
        let stream = jetstream.get_stream("PROTECTED").await.unwrap();
        assert!(stream.delete_message(1).await.is_err());
        assert!(stream.purge().await.is_err());
    });
}

#[test]
fn the_documented_permissions_are_sufficient_and_necessary() {
    let service = r#"publish: ["capgen.registry.events.*", "$JS.API.STREAM.INFO.CAPGEN-REGISTRY",
        "$JS.API.CONSUMER.CREATE.CAPGEN-REGISTRY", "$JS.API.CONSUMER.CREATE.CAPGEN-REGISTRY.>",
        "$JS.API.CONSUMER.MSG.NEXT.CAPGEN-REGISTRY.>"], subscribe: ["_INBOX.>"]"#;
    let creator = service.replace(r#""capgen"#, r#""$JS.API.STREAM.CREATE.CAPGEN-REGISTRY", "capgen"#);
    let reader = service.replace(r#""capgen.registry.events.*", "#, "");
    let user = |name: &str, permissions: &str| format!("{{user: {name}, password: p, permissions: {{{permissions}}}}}");
    let users = [user("creator", &creator), user("service", service), user("reader", &reader)];
    let Some(server) = NatsServer::start_with(&format!("authorization {{ users: [{}] }}", users.join(", "))) else {
        return;
    };
    let connect = |user: &str| {
        let nats = NatsOptions::new([server.url()]).user_and_password(user, "p");
        let nats = nats.operation_timeout(Duration::from_millis(500));
        JetStreamLog::connect(nats, JetStreamLogOptions::new().patience(Duration::from_millis(500)), checker())
    };
    assert!(connect("service").is_err());
    append(&mut connect("creator").unwrap(), &event("a", 0, json!({}))).unwrap();
    let mut service = connect("service").unwrap();
    append(&mut service, &event("a", 1, json!({}))).unwrap();
    assert!(service.verify(None).unwrap().ok);
    let mut reader = connect("reader").unwrap();
    assert_eq!(events(&mut reader).len(), 2);
    let error = append(&mut reader, &event("a", 2, json!({}))).unwrap_err();
    assert!(error.to_string().contains("Permissions Violation"), "{error}");
}
