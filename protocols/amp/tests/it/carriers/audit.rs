//! The audit and the log of both ends.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use capgen_amp::body::{CapInvoke, Target};
use capgen_amp::carrier::handlers::HandlerExecutor;
use capgen_amp::carrier::memory::MemoryPeer;
use capgen_amp::carrier::run::Runner;
use capgen_amp::carrier::{Client, Peer as _, Service};
use capgen_amp::message::{MessageType, Recipients};
use capgen_amp::policy::Policy;
use capgen_amp::provider::{CacheLimits, Provider, State};
use capgen_amp::requester::Requester;
use capgen_call::{
    Audit, AuditError, AuditRecord, AuditWriter, BoxFuture, CallRecord, CapabilityContract, Context, Decision,
    DeclaredError, Failure, Handlers, MemoryAudit, Side,
};
use capgen_payload::Descriptor;
use capgen_payload::wire::{Codec, PayloadSchema, Reader, Writer};
use capgen_testkit::is_run_alone;
use capgen_testkit::log::Log;
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::carriers::agents::{code, invoke, message};
use crate::carriers::harness::LONG;
use crate::support::{catalogue, did, key, keys};

const ID: &str = "org.agentries.code-review:1.0.0";

/// A capability whose types check nothing, so that the provider checks its responses by the published schema.
struct Review;

impl capgen_payload::Capability for Review {
    type Request = Value;
    type Response = Value;
    const NAME: &'static str = "code-review";

    fn descriptor() -> &'static Descriptor {
        static REVIEW: Descriptor = Descriptor::new("reviewer", "code-review", "a1b2");
        &REVIEW
    }
}

async fn handle(_: Context, payload: Value) -> Result<Value, Failure> {
    match payload["code"].as_str().unwrap_or_default() {
        "fail" => Err(Failure::new("NOT_FOUND", "there is no such request")),
        "busy" => Err(Failure::new("EAGENTRPC_BUSY", "a handler does not choose such codes")),
        "panic" => panic!("a handler panics"),
        "invalid" => Ok(json!({"issues": "many"})),
        "never" => std::future::pending().await,
        code => Ok(json!({"issues": code.len()})),
    }
}

fn executor() -> HandlerExecutor {
    HandlerExecutor::new(Handlers::new("reviewer").with::<Review, _, _>(handle))
}

fn runner(executor: HandlerExecutor, policy: &str) -> Runner {
    let policy = Policy::from_json(policy).unwrap();
    let provider = Provider::new(did("provider"), key("provider"), Arc::new(keys()), policy);
    let published = catalogue(&[ID, "org.agentries.other:1.0.0"]);
    Runner::new(provider, State::new(published, CacheLimits::default()), Arc::new(executor)).unwrap()
}

fn peer(executor: HandlerExecutor) -> MemoryPeer {
    MemoryPeer::new(Arc::new(runner(executor, "{}")) as Arc<dyn Service>)
}

/// An executor and a client that record everything, and their audits.
fn recorded() -> (Client, Arc<MemoryAudit>, Arc<MemoryAudit>) {
    let (sent, served) = (Arc::new(MemoryAudit::default()), Arc::new(MemoryAudit::default()));
    let peer = peer(executor().audit(served.clone()).audit_calls(true));
    (client(peer).audit(sent.clone()).audit_calls(true), sent, served)
}

fn client(peer: MemoryPeer) -> Client {
    let requester = Requester::new(did("alice"), key("alice"), Arc::new(keys()));
    Client::new(requester, did("provider"), Arc::new(peer)).with_timeout(LONG)
}

fn invocation(id: &str, params: &Value) -> CapInvoke {
    let params = capgen_amp::cbor::Value::from_json(params);
    CapInvoke { target: Target::Id(id.parse().unwrap()), params, timeout_ms: None }
}

/// The records as short texts: calls, and the sides of violations.
fn texts(audit: &MemoryAudit) -> Vec<String> {
    let text = |record: AuditRecord| match record {
        AuditRecord::Violation(it) => format!("{} {} violates", it.capability_name, it.side.name()),
        AuditRecord::Call(it) => {
            let mut text = format!("{} {}", it.capability_name, it.status);
            it.error_code.iter().chain(&it.denied).for_each(|more| write!(text, " {more}").unwrap());
            text
        }
    };
    audit.records().into_iter().map(text).collect()
}

fn calls(audit: &MemoryAudit) -> Vec<CallRecord> {
    let call = |record| if let AuditRecord::Call(call) = record { Some(call) } else { None };
    audit.records().into_iter().filter_map(call).collect()
}

#[tokio::test]
async fn both_ends_record_each_call_as_ends_of_calls_do() {
    let (client, sent, served) = recorded();
    for code in ["fast", "fail", "panic", "invalid"] {
        let target = Target::Id(ID.parse().unwrap());
        let _ = client.call::<Review>(target, &json!({"code": code})).await;
    }
    let expected = [
        "code-review ok",
        "code-review error NOT_FOUND",
        "code-review error EAGENTRPC_HANDLER_FAILED",
        "code-review response violates",
        "code-review schema-violation EAGENTRPC_SCHEMA_VIOLATION",
    ];
    assert_eq!(texts(&served), expected);
    // The caller learns neither that a response is invalid nor why.
    let expected = ["code-review ok", "code-review error NOT_FOUND"]
        .into_iter()
        .chain(["code-review error EAGENTRPC_HANDLER_FAILED"; 2]);
    assert_eq!(texts(&sent), expected.collect::<Vec<_>>());
    let (sent, served) = (calls(&sent), calls(&served));
    for (sent, served) in sent.iter().zip(&served) {
        assert_eq!((sent.written_by, served.written_by), (Some(AuditWriter::Caller), Some(AuditWriter::Provider)));
        assert_eq!(sent.peer_id, "agent://did:web:example.com:provider");
        assert_eq!(served.peer_id, "agent://did:web:example.com:alice");
        assert_eq!(sent.correlation_id, served.correlation_id);
        assert_eq!((&sent.contract_hash[..], &served.contract_hash[..]), ("a1b2", "a1b2"));
    }
}

#[tokio::test]
async fn refused_invocations_are_recorded_by_both_ends() {
    let (client, sent, served) = recorded();
    for (id, params) in [
        (ID, json!({"code": 7})),
        ("org.agentries.unknown:1.0.0", json!({"code": ""})),
        ("org.agentries.code-review:9.0.0", json!({"code": ""})),
        // Without a handler.
        ("org.agentries.other:1.0.0", json!({"code": ""})),
    ] {
        client.invoke(&invocation(id, &params), None).await.unwrap_err();
    }
    let expected = [
        "code-review request violates",
        "code-review schema-violation EAGENTRPC_SCHEMA_VIOLATION",
        "org.agentries.unknown error EAGENTRPC_NO_CAPABILITY",
        "code-review error EVERSION_SKEW",
        "org.agentries.other error EAGENTRPC_NO_CAPABILITY",
    ];
    assert_eq!(texts(&served), expected);
    let expected = [
        "org.agentries.code-review schema-violation EAGENTRPC_SCHEMA_VIOLATION",
        "org.agentries.unknown error EAGENTRPC_NO_CAPABILITY",
        "org.agentries.code-review error EVERSION_SKEW",
        // The error of the protocol is that of a provider that stops, too.
        "org.agentries.other abandoned EAGENTRPC_ABANDONED",
    ];
    assert_eq!(texts(&sent), expected);
    let ids = |audit| calls(audit).into_iter().map(|call| call.correlation_id).collect::<Vec<_>>();
    assert_eq!(ids(&sent), ids(&served));
}

#[tokio::test]
async fn violations_of_the_contract_of_the_handler_itself_are_recorded() {
    let schema = |text: &str| Some(capgen_schema::Schema::parse_text(text).unwrap());
    let mut contract = CapabilityContract::new("code-review");
    contract.input = schema(r#"{"properties": {"code": {"maxLength": 7}}}"#);
    contract.output = schema(r#"{"properties": {"issues": {"type": "integer"}}}"#);
    let mut declared = DeclaredError::new("NO_SEATS");
    declared.details = schema(r#"{"properties": {"free": {"maximum": 9}}}"#);
    contract.errors.push(declared);
    let handlers = Handlers::new("reviewer").with_json(&contract, async |_, payload: Value| {
        match payload["code"].as_str().unwrap_or_default() {
            "details" => Err(Failure::new("NO_SEATS", "full").with_details(&json!({"free": 10}))),
            _ => Ok(json!({"issues": "many"})),
        }
    });
    let audit = Arc::new(MemoryAudit::default());
    let peer = peer(HandlerExecutor::new(handlers).audit(audit.clone()).audit_calls(true));
    for code in ["too long", "invalid", "details"] {
        let _ = peer.call(invoke(code), LONG).await;
    }
    let expected = [
        "code-review request violates",
        "code-review schema-violation EAGENTRPC_SCHEMA_VIOLATION",
        "code-review response violates",
        "code-review schema-violation EAGENTRPC_SCHEMA_VIOLATION",
        "code-review response violates",
        "code-review error EAGENTRPC_HANDLER_FAILED",
    ];
    assert_eq!(texts(&audit), expected);
}

/// A payload that accepts no result of the handler.
struct Small;

static SMALL: PayloadSchema = PayloadSchema::new(r#"{"properties": {"issues": {"maximum": 1}}}"#);

impl Codec for Small {
    fn read(_: &mut Reader<'_>) -> Option<Self> {
        None
    }

    fn write(&self, writer: &mut Writer) -> Option<()> {
        writer.write(&1_i64)
    }
}

capgen_payload::payload!(Small, SMALL);

#[tokio::test]
async fn payloads_of_typed_calls_that_are_invalid_are_recorded_without_values() {
    struct Strict;
    impl capgen_payload::Capability for Strict {
        type Request = Value;
        type Response = Small;
        const NAME: &'static str = "code-review";
        fn descriptor() -> &'static Descriptor {
            static STRICT: Descriptor = Descriptor::new("reviewer", "code-review", "c3d4");
            &STRICT
        }
    }
    let audit = Arc::new(MemoryAudit::default());
    let client = client(peer(executor())).audit(audit.clone());
    // Its response has the number 4321.
    let request = json!({"code": "x".repeat(4321)});
    let target = Target::Id(ID.parse().unwrap());
    let error = client.call::<Strict>(target.clone(), &request).await.err().unwrap();
    assert!(error.to_string().contains("4321"), "{error}");
    let schema = capgen_schema::Schema::parse_text(r#"{"properties": {"issues": {"maximum": 1}}}"#).unwrap();
    client.invoke(&invocation(ID, &request), Some(capgen_schema::Validator::new(&schema))).await.unwrap_err();
    assert_eq!(texts(&audit), ["code-review response violates", "org.agentries.code-review response violates"]);
    assert!(!format!("{:?}", audit.records()).contains("4321"), "{:?}", audit.records());
}

#[tokio::test]
async fn without_calls_the_audit_has_violations_and_denials() {
    let audit = Arc::new(MemoryAudit::default());
    let executor = executor().audit(audit.clone());
    let denied = executor.clone().authorize(|_, _| Decision::deny("it is Sunday"));
    let by_policy = runner(executor.clone(), r#"{"default": "deny"}"#);
    for peer in [peer(executor), peer(denied), MemoryPeer::new(Arc::new(by_policy) as Arc<dyn Service>)] {
        for behaviour in ["fast", "fail", "invalid"] {
            let _ = peer.call(invoke(behaviour), LONG).await;
        }
    }
    let mut expected = vec!["code-review response violates"];
    expected.extend(["code-review error EAGENTRPC_FORBIDDEN it is Sunday"; 3]);
    expected.extend(["code-review error EAGENTRPC_FORBIDDEN the policy denies it"; 3]);
    assert_eq!(texts(&audit), expected);
}

#[tokio::test]
async fn denials_of_unknown_capabilities_and_other_recipients_are_recorded() {
    let audit = Arc::new(MemoryAudit::default());
    let executor = executor().audit(audit.clone()).authorize(|_, _| Decision::deny("no"));
    let peer = peer(executor);
    for body in [
        json!({"id": "org.agentries.unknown:1.0.0", "params": {}}),
        json!({"type": "code-review", "version": "1.0.0", "params": {}}),
        json!({"params": {}}),
    ] {
        let request: Bytes = message(MessageType::CapInvoke, body).sign(&key("alice")).into();
        let _ = peer.call(request, LONG).await;
    }
    let mut other = message(MessageType::CapInvoke, json!({"id": ID, "params": {"code": ""}}));
    other.to = Recipients::One(did("limited"));
    let _ = peer.call(other.sign(&key("alice")).into(), LONG).await;
    // A query is not a call.
    let query = message(MessageType::CapQuery, json!({"filter": {"capability": "org.agentries.code-review"}}));
    let _ = peer.call(query.sign(&key("alice")).into(), LONG).await;
    let expected = [
        "org.agentries.unknown error EAGENTRPC_FORBIDDEN no",
        "code-review error EAGENTRPC_FORBIDDEN no",
        "code-review error EAGENTRPC_FORBIDDEN the message is only for other recipients",
    ];
    assert_eq!(texts(&audit), expected);
}

#[tokio::test]
async fn a_message_has_one_record_however_often_it_arrives() {
    let audit = Arc::new(MemoryAudit::default());
    let peer = peer(executor().audit(audit.clone()).audit_calls(true));
    for behaviour in ["fast", "fail"] {
        let request = invoke(behaviour);
        for _ in 0..3 {
            peer.call(request.clone(), LONG).await.unwrap();
        }
    }
    assert_eq!(texts(&audit), ["code-review ok", "code-review error NOT_FOUND"]);
    // Nothing proves who sent it.
    let stranger: Bytes = message(MessageType::CapInvoke, json!({"id": ID, "params": {}})).sign(&key("denied")).into();
    peer.call(stranger, LONG).await.unwrap_err();
    assert_eq!(audit.records().len(), 2);
}

#[tokio::test]
async fn invocations_that_do_not_end_by_themselves_are_recorded() {
    let audit = Arc::new(MemoryAudit::default());
    let runner = runner(executor().audit(audit.clone()).audit_calls(true), "{}");
    let peer = MemoryPeer::new(Arc::new(runner.clone()) as Arc<dyn Service>);
    let body = json!({"id": ID, "params": {"code": "never"}, "timeout_ms": 50});
    let request: Bytes = message(MessageType::CapInvoke, body).sign(&key("alice")).into();
    assert_eq!(code(&peer.call(request.clone(), LONG).await.unwrap(), &request), 5003);
    assert_eq!(texts(&audit), ["code-review timeout EAGENTRPC_TIMEOUT"]);

    let request = invoke("never");
    let waiting = tokio::spawn(async move { peer.call(request, LONG).await });
    while runner.running() == 0 {
        tokio::task::yield_now().await;
    }
    // Every result is recorded when the provider has stopped.
    runner.shutdown(Duration::ZERO).await;
    assert_eq!(texts(&audit)[1..], ["code-review abandoned EAGENTRPC_ABANDONED"]);
    waiting.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_call_whose_future_is_dropped_is_recorded_as_abandoned() {
    let (client, sent, _) = recorded();
    let invoke = invocation(ID, &json!({"code": "never"}));
    tokio::select! {
        biased;
        _ = client.invoke(&invoke, None) => panic!("the handler never ends"),
        () = tokio::task::yield_now() => {}
    }
    while sent.records().is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(texts(&sent), ["org.agentries.code-review abandoned EAGENTRPC_ABANDONED"]);
}

/// An audit that accepts no record: it panics, fails or never ends.
struct Broken(&'static str, AtomicU64);

impl Audit for Broken {
    fn record(&self, _: AuditRecord) -> BoxFuture<'_, Result<(), AuditError>> {
        self.1.fetch_add(1, Ordering::Relaxed);
        match self.0 {
            "panic" => panic!("an audit panics"),
            "fail" => Box::pin(async { Err(AuditError::Full) }),
            _ => Box::pin(std::future::pending()),
        }
    }

    fn flush(&self) -> BoxFuture<'_, Result<(), AuditError>> {
        Box::pin(async { Ok(()) })
    }

    fn lost(&self) -> u64 {
        0
    }
}

#[tokio::test]
async fn an_audit_that_accepts_nothing_changes_no_answer() {
    for fault in ["panic", "fail", "never"] {
        let audit = Arc::new(Broken(fault, AtomicU64::new(0)));
        let executor = executor().audit(audit.clone()).audit_calls(true);
        let peer = peer(executor.clone());
        for (behaviour, expected) in [("fast", 0), ("fail", 5001)] {
            let mut request = message(MessageType::CapInvoke, json!({"id": ID, "params": {"code": behaviour}}));
            // The audit may use half of it.
            request.ttl = if fault == "never" { 400 } else { request.ttl };
            let request: Bytes = request.sign(&key("alice")).into();
            assert_eq!(code(&peer.call(request.clone(), LONG).await.unwrap(), &request), expected, "{fault}");
        }
        assert_eq!((audit.1.load(Ordering::Relaxed), executor.lost_audit_records()), (2, 2), "{fault}");
    }
}

/// Waits with each record until it may go on.
#[derive(Default)]
struct Slow {
    arrived: Notify,
    goes_on: Notify,
    memory: MemoryAudit,
}

impl Audit for Slow {
    fn record(&self, record: AuditRecord) -> BoxFuture<'_, Result<(), AuditError>> {
        Box::pin(async {
            self.arrived.notify_one();
            self.goes_on.notified().await;
            self.memory.record(record).await
        })
    }

    fn flush(&self) -> BoxFuture<'_, Result<(), AuditError>> {
        Box::pin(async { Ok(()) })
    }

    fn lost(&self) -> u64 {
        0
    }
}

#[tokio::test]
async fn an_answer_waits_for_its_record_and_others_do_not() {
    let audit = Arc::new(Slow::default());
    let peer = Arc::new(peer(executor().audit(audit.clone()).audit_calls(true)));
    let request = invoke("fast");
    let (asked, sent) = (Arc::clone(&peer), request.clone());
    let answer = tokio::spawn(async move { asked.call(sent, LONG).await });
    audit.arrived.notified().await;
    assert!(!answer.is_finished());
    // A duplicate of an invocation that has ended gets its answer.
    assert_eq!(code(&peer.call(request.clone(), LONG).await.unwrap(), &request), 0);
    assert!(audit.memory.records().is_empty());
    audit.goes_on.notify_one();
    assert_eq!(code(&answer.await.unwrap().unwrap(), &request), 0);
    assert_eq!(texts(&audit.memory), ["code-review ok"]);
}

#[tokio::test]
async fn spans_and_events_have_the_names_and_fields_of_calls() {
    if is_run_alone("carriers::audit::spans_and_events_have_the_names_and_fields_of_calls") {
        return;
    }
    let log = Log::default();
    let _guard = tracing::subscriber::set_default(log.clone());
    let audit = Arc::new(MemoryAudit::default());
    // Without an audit of the provider.
    let client = client(peer(executor())).audit(audit.clone()).audit_calls(true);
    for code in ["fast", "invalid"] {
        let target = Target::Id(ID.parse().unwrap());
        let _ = client.call::<Review>(target, &json!({"code": code})).await;
    }
    let denied = peer(executor().authorize(|_, _| Decision::deny("no")));
    let _ = denied.call(invoke("fast"), LONG).await;
    let id = |number: usize| calls(&audit)[number].correlation_id.clone();
    let (alice, provider) = ("did:web:example.com:alice", "did:web:example.com:provider");
    let span = |name: &str, peer: &str, id: &str| {
        format!(r#"INFO {name} capability="code-review" peer="{peer}" correlation_id="{id}" contract="a1b2""#)
    };
    let lines = log.lines();
    for number in [0, 1] {
        let expected = [span("capgen.call", provider, &id(number)), span("capgen.serve", alice, &id(number))];
        assert!(expected.iter().all(|line| lines.contains(line)), "{expected:#?} in {lines:#?}");
    }
    let violation = format!(
        r#"WARN event message=a payload violates its schema capability="code-review" peer="{alice}" correlation_id="{}" side="{}" violations=1"#,
        id(1),
        Side::Response.name(),
    );
    assert!(lines.contains(&violation), "{violation} in {lines:#?}");
    let has = |parts: &[&str]| lines.iter().any(|line| parts.iter().all(|part| line.contains(part)));
    assert!(has(&["DEBUG event", "the call ended", r#"status="ok""#, "latency_ms="]), "{lines:#?}");
    assert!(has(&["WARN event", "a call was denied", r#"capability="code-review""#, r#"reason="no""#]), "{lines:#?}");
}
