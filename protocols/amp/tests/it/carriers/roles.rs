//! Who may call the handlers of an agent: roles and scopes, rules, and the policy.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use capgen_amp::body::{Body, CapResult};
use capgen_amp::carrier::handlers::HandlerExecutor;
use capgen_amp::carrier::memory::MemoryPeer;
use capgen_amp::carrier::run::Runner;
use capgen_amp::carrier::{Peer as _, Service};
use capgen_amp::descriptor::Publication;
use capgen_amp::message::MessageType;
use capgen_amp::policy::Policy;
use capgen_amp::provider::{CacheLimits, Provider, State};
use capgen_call::{Authorization, Authorize, BoxFuture, Context, Decision, Grants, Handlers, Proof};
use capgen_descriptor::OwnedDescriptor;
use capgen_manifest::{AgentId, Capability, Manifest};
use serde_json::{Value, json};

use crate::carriers::agents::{code, message};
use crate::carriers::harness::LONG;
use crate::support::{self, catalogue, did, key, keys};

/// The published capabilities: `count` has two versions, and `book` and `open` one.
const PUBLISHED: [&str; 4] =
    ["org.agentries.book:1.0.0", "org.agentries.count:1.0.0", "org.agentries.count:2.0.0", "org.agentries.open:1.0.0"];

fn capability(name: &str, version: &str, roles: &[&str]) -> Capability {
    let required_roles = roles.iter().map(|role| (*role).to_owned()).collect();
    Capability { version: Some(version.parse().unwrap()), required_roles, ..Capability::new(name) }
}

/// Handlers that respond with the first number of their version; that of `open` is loose.
fn handlers() -> Handlers {
    let run = |number: u64| move |_: Context, _: Value| async move { Ok(json!({"issues": number})) };
    let book =
        Capability { required_scopes: vec!["trips:write".to_owned()], ..capability("book", "1.0.0", &["booker"]) };
    Handlers::new("reviewer")
        .with_json(&book, run(1))
        .with_json(&capability("count", "1.0.0", &[]), run(1))
        .with_json(&capability("count", "2.0.0", &["booker"]), run(2))
        .with_loose("open", run(7))
}

fn executor() -> HandlerExecutor {
    HandlerExecutor::new(handlers())
}

fn runner(executor: HandlerExecutor, policy: &str) -> Result<Runner, String> {
    let policy = Policy::from_json(policy).unwrap();
    let provider = Provider::new(did("provider"), key("provider"), Arc::new(keys()), policy);
    Runner::new(provider, State::new(catalogue(&PUBLISHED), CacheLimits::default()), Arc::new(executor))
}

fn peer(executor: HandlerExecutor) -> MemoryPeer {
    MemoryPeer::new(Arc::new(runner(executor, "{}").unwrap()) as Arc<dyn Service>)
}

/// The signed message of an agent.
fn signed(kind: MessageType, body: Value, agent: &str) -> Bytes {
    let mut message = message(kind, body);
    message.from = did(agent);
    message.sign(&key(agent)).into()
}

/// The code of the answer to a request, 0 for a result, and its body.
async fn asked(peer: &MemoryPeer, kind: MessageType, body: Value, agent: &str) -> (u64, Body) {
    let request = signed(kind, body, agent);
    let answer = peer.call(request.clone(), LONG).await.unwrap();
    (code(&answer, &request), support::body(&support::read(&answer)))
}

async fn invoked(peer: &MemoryPeer, id: &str, agent: &str) -> (u64, Body) {
    let body = json!({"id": format!("org.agentries.{id}"), "params": {"code": ""}});
    asked(peer, MessageType::CapInvoke, body, agent).await
}

/// The versions of a capability that an agent sees.
async fn seen(peer: &MemoryPeer, name: &str, agent: &str) -> Vec<String> {
    let filter = json!({"filter": {"capability": format!("org.agentries.{name}")}});
    match asked(peer, MessageType::CapQuery, filter, agent).await.1 {
        Body::Declare(declare) => declare.capabilities.iter().map(|descriptor| descriptor.id.to_string()).collect(),
        _ => Vec::new(),
    }
}

/// `alice` has all rights.
fn grants() -> Grants {
    Grants::new().agent(did("alice").as_str(), &["booker"], &["trips:write"]).agent(
        did("limited").as_str(),
        &["booker"],
        &[],
    )
}

#[tokio::test]
async fn handlers_with_requirements_start_only_if_something_decides() {
    let error = runner(executor(), r#"{"mode": "strict"}"#).err().unwrap();
    for part in ["`book`", "`count`", "`authorize`", "`grants`", "`without_authorization()`"] {
        assert!(error.contains(part), "{error}");
    }
    for executor in [
        executor().grants(grants()),
        executor().authorize(|_, _| Decision::Allow),
        executor().without_authorization(),
        HandlerExecutor::new(Handlers::new("reviewer").with_loose("open", async |_, it| Ok(it))),
    ] {
        assert!(runner(executor, "{}").is_ok());
    }
}

#[tokio::test]
async fn with_a_policy_alone_the_policy_decides() {
    let policy = r#"{"default": "deny", "rules": [{"caller": "did:web:example.com:alice", "effect": "allow"}]}"#;
    let peer = MemoryPeer::new(Arc::new(runner(executor(), policy).unwrap()) as Arc<dyn Service>);
    assert_eq!(invoked(&peer, "book:1.0.0", "alice").await.0, 0);
    assert_eq!(invoked(&peer, "book:1.0.0", "limited").await.0, 3001);
    assert!(runner(executor(), r#"{"default": "allow"}"#).is_ok());
}

#[tokio::test]
async fn an_agent_needs_all_roles_and_scopes_that_a_capability_requires() {
    let peer = peer(executor().grants(grants()));
    for (id, agent, expected) in [
        ("book:1.0.0", "alice", 0),
        ("book:1.0.0", "limited", 3001),
        ("book:1.0.0", "denied", 3001),
        ("open:1.0.0", "denied", 0),
        ("count:1.0.0", "denied", 0),
        // Other versions are not candidates.
        ("count:2.0.0", "denied", 4003),
        ("count:2.0.0", "limited", 0),
    ] {
        assert_eq!(invoked(&peer, id, agent).await.0, expected, "{id} {agent}");
    }
    assert_eq!(seen(&peer, "book", "alice").await, ["org.agentries.book:1.0.0"]);
    assert_eq!(seen(&peer, "book", "denied").await, [""; 0]);
    assert_eq!(seen(&peer, "count", "denied").await, ["org.agentries.count:1.0.0"]);
    assert_eq!(seen(&peer, "count", "limited").await.len(), 2);
}

#[tokio::test]
async fn the_handler_of_the_selected_version_runs() {
    let peer = peer(executor().without_authorization());
    for (id, expected) in [("count:1.0.0", 1), ("count:2.0.0", 2), ("open:1.0.0", 7)] {
        let Body::Result(CapResult::Success(result)) = invoked(&peer, id, "alice").await.1 else { panic!("{id}") };
        assert_eq!(result.to_json().unwrap(), json!({"issues": expected}), "{id}");
    }
}

#[tokio::test]
async fn both_the_policy_and_the_rights_must_allow_a_call() {
    let policy = r#"{"default": "allow", "rules": [{"caller": "did:web:example.com:limited", "effect": "deny"}]}"#;
    let executor = executor().grants(grants());
    let peer = MemoryPeer::new(Arc::new(runner(executor, policy).unwrap()) as Arc<dyn Service>);
    for (agent, expected) in [("alice", 0), ("limited", 3001), ("denied", 3001)] {
        assert_eq!(invoked(&peer, "book:1.0.0", agent).await.0, expected, "{agent}");
    }
}

/// Bodies of invocations and queries, with the name of a capability.
fn probes(name: &str) -> Vec<(MessageType, Value)> {
    let name = format!("org.agentries.{name}");
    let mut probes = Vec::new();
    for version in ["1.0.0", "7.7.7"] {
        for params in [json!({}), json!({"code": 1}), json!(null)] {
            for target in [
                json!({"id": format!("{name}:{version}")}),
                json!({"capability": name, "version": version}),
                json!({"type": name, "version": version}),
                json!({"capability": name, "negotiate": {"preferred": version}}),
            ] {
                let mut body = target;
                body["params"] = params.clone();
                probes.push((MessageType::CapInvoke, body));
            }
        }
    }
    probes
}

#[tokio::test]
async fn denials_are_equal_whether_or_not_the_capability_exists() {
    let denials = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&denials);
    let log = move |caller: &_, handler: &str, reason: &str| {
        log.lock().unwrap().push((format!("{caller}"), handler.to_owned(), reason.to_owned()));
    };
    for executor in [executor().grants(grants()), executor().authorize(|_, _| Decision::deny("closed"))] {
        let peer = peer(executor.with_denial_log(log.clone()));
        let mut answers = Vec::new();
        for (kind, body) in probes("book").into_iter().chain(probes("unknown")) {
            answers.push(asked(&peer, kind, body, "denied").await);
        }
        answers.dedup();
        assert_eq!(answers.len(), 1, "{answers:?}");
        assert_eq!(answers[0].0, 3001);
        let mut answers = Vec::new();
        for filter in ["book", "unknown"].map(|name| [format!("org.agentries.{name}"), name.to_owned()]) {
            let [name, short] = filter;
            for filter in [json!({"capability": name}), json!({"type": name}), json!({"type": short})] {
                answers.push(asked(&peer, MessageType::CapQuery, json!({"filter": filter}), "denied").await);
            }
        }
        answers.dedup();
        assert_eq!(answers.len(), 1, "{answers:?}");
        assert_eq!(answers[0].0, 4002);
    }
    let denials = denials.lock().unwrap();
    let expected = [
        "did:web:example.com:denied",
        "book",
        "the agent `did:web:example.com:denied` does not have the role `booker`",
    ];
    assert_eq!(denials[0], expected.map(str::to_owned).into());
    assert!(denials.iter().any(|(_, handler, reason)| handler == "unknown" && reason == "closed"));
}

/// Counts its decisions.
#[derive(Default)]
struct Counted(Mutex<Vec<Option<String>>>);

impl Authorize for Counted {
    fn authorize<'a>(
        &'a self,
        context: &'a Context,
        capability: Option<&'a OwnedDescriptor>,
    ) -> BoxFuture<'a, Decision> {
        Box::pin(async move {
            assert!(matches!(context.proof(), Proof::AgentKey { .. }));
            self.0.lock().unwrap().push(capability.and_then(|it| it.version.clone()));
            tokio::task::yield_now().await;
            if context.caller() == did("alice").as_str() { Decision::Allow } else { Decision::deny("no") }
        })
    }
}

#[tokio::test]
async fn a_rule_is_asked_as_often_for_a_capability_that_does_not_exist() {
    let rule = Arc::new(Counted::default());
    let peer = peer(executor().authorization(Authorization::by(rule.clone())));
    for name in ["book", "count", "open", "unknown"] {
        for (kind, body) in [
            (MessageType::CapInvoke, json!({"id": format!("org.agentries.{name}:1.0.0"), "params": {}})),
            (MessageType::CapInvoke, json!({"type": name, "version": "1.0.0", "params": {}})),
            (MessageType::CapQuery, json!({"filter": {"capability": format!("org.agentries.{name}")}})),
        ] {
            assert!(asked(&peer, kind, body, "denied").await.0 > 3000);
            assert_eq!(rule.0.lock().unwrap().drain(..).count(), 2, "{name}");
        }
    }
    // A replay is answered without asking again.
    let request =
        signed(MessageType::CapInvoke, json!({"id": "org.agentries.book:1.0.0", "params": {"code": ""}}), "alice");
    let first = peer.call(request.clone(), LONG).await.unwrap();
    assert_eq!(peer.call(request.clone(), LONG).await.unwrap(), first);
    assert_eq!((code(&first, &request), rule.0.lock().unwrap().len()), (0, 1));
}

#[tokio::test]
async fn a_rule_is_asked_as_often_for_a_short_type_that_means_nothing() {
    let rule = Arc::new(Counted::default());
    let mut capability = capability("book", "1.0.0", &[]);
    capability.id = Some("org.agentries.order".to_owned());
    let (agent, transports) = (AgentId::new("reviewer").unwrap(), Vec::new());
    let manifest = Manifest::new(agent, transports, vec![capability]);
    let publications = Publication::of_manifest(&manifest, "org.agentries").unwrap();
    let peer = peer(executor().with_publications(&publications).authorization(Authorization::by(rule.clone())));
    // The handler of `order` is `book`.
    for name in ["order", "book", "unknown"] {
        let body = json!({"type": name, "version": "1.0.0", "params": {}});
        assert_eq!(asked(&peer, MessageType::CapInvoke, body, "denied").await.0, 4002);
        assert_eq!(rule.0.lock().unwrap().drain(..).count(), 4, "{name}");
    }
}

/// A rule that never decides.
struct Endless;

impl Authorize for Endless {
    fn authorize<'a>(&'a self, _: &'a Context, _: Option<&'a OwnedDescriptor>) -> BoxFuture<'a, Decision> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn a_rule_that_does_not_decide_denies() {
    let mut request =
        message(MessageType::CapInvoke, json!({"id": "org.agentries.open:1.0.0", "params": {"code": ""}}));
    // The message expires soon, so that the test is short. The answer comes nevertheless.
    request.ttl = 300;
    let request: Bytes = request.sign(&key("alice")).into();
    let peer = peer(executor().authorization(Authorization::by(Arc::new(Endless))));
    let answer = peer.call(request.clone(), LONG).await.unwrap();
    assert!([3001, 1003].contains(&code(&answer, &request)));
}
