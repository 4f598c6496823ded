//! Who may call: required roles and scopes, grants, and rules of the user.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use std::sync::Arc;

use capgen::call::tower::ServeError;
use capgen::call::{
    Audit, AuditRecord, Authorization, Authorize, BoxFuture, BuildError, CapabilityContract, Context, Decision,
    Failure, Grants, Handlers, Keys, MemoryAudit, MemoryBroker, PeerTable, Proof, Server, ServerBuilder,
};
use capgen_descriptor::OwnedDescriptor;
use serde_json::{Value, json};

use crate::fixture::ADDRESS;
use crate::fixture::raw::{Raw, SECRET, agent_key, agent_keys, code, signed, signed_by};

/// A capability that needs the role `booker` and the scope `trips:write`.
fn book() -> CapabilityContract {
    let mut contract = CapabilityContract::new("book");
    contract.required_roles = vec!["booker".to_owned()];
    contract.required_scopes = vec!["trips:write".to_owned()];
    contract
}

/// Handlers that respond with the proof of the caller.
fn handlers() -> Handlers {
    let proof = async |context: Context, _: Value| Ok(json!(format!("{:?}", context.proof())));
    Handlers::new("echo").with_json(&book(), proof).with_loose("open", proof)
}

fn grants() -> Grants {
    Grants::new().agent("alice", &["booker"], &["trips:write"]).agent("bob", &["booker"], &[])
}

async fn start(server: impl FnOnce(ServerBuilder) -> ServerBuilder) -> Raw {
    Raw::with_handlers(handlers(), |built| server(built.keys(agent_keys(&["alice", "bob", "carol"])))).await
}

/// A request of an agent, with its own key or with a shared one.
fn request(raw: &Raw, id: &str, agent: &str, capability: &str, has_own_key: bool) -> String {
    let mut request = raw.request(id);
    (request["from"], request["capability"]) = (json!(format!("agent://{agent}")), json!(capability));
    if has_own_key { signed_by(&request.to_string(), agent, "a1") } else { signed(&request.to_string(), "k1", SECRET) }
}

#[tokio::test]
async fn a_server_with_requirements_and_without_a_decision_does_not_start() {
    let built = || Server::builder(handlers()).listen(MemoryBroker::new().connect(), ADDRESS);
    let error = built().start().await.err().unwrap();
    assert_eq!(error, BuildError::NoAuthorization(vec!["book".to_owned()]));
    let message = error.to_string();
    for part in ["`book`", "`authorize`", "`grants`", "JWKS", "`without_authorization()`"] {
        assert!(message.contains(part), "{message}");
    }
    assert!(built().without_authorization().start().await.is_ok());
    assert!(built().grants(grants()).start().await.is_ok());
    assert!(built().authorize(|_, _| Decision::Allow).start().await.is_ok());
}

#[tokio::test]
async fn a_proved_agent_needs_all_roles_and_all_scopes() {
    let mut raw = start(|server| server.grants(grants())).await;
    for (number, (agent, has_own_key, expected)) in [
        ("alice", true, "ok"),
        ("bob", true, "EAGENTRPC_FORBIDDEN"),
        ("carol", true, "EAGENTRPC_FORBIDDEN"),
        // Every owner of the shared key could state this id.
        ("alice", false, "EAGENTRPC_FORBIDDEN"),
    ]
    .into_iter()
    .enumerate()
    {
        let text = request(&raw, &format!("b{number}"), agent, "book", has_own_key);
        assert_eq!(raw.code(text).await, expected, "{agent}");
        // A capability without requirements is for everyone.
        let text = request(&raw, &format!("o{number}"), agent, "open", has_own_key);
        assert_eq!(raw.code(text).await, "ok", "{agent}");
    }
}

#[tokio::test]
async fn without_authorization_everyone_may_call() {
    let mut raw = start(ServerBuilder::without_authorization).await;
    let text = request(&raw, "1", "carol", "book", false);
    assert_eq!(raw.code(text).await, "ok");
}

/// A response without the ids and the name of the request.
fn neutral(response: &Value) -> String {
    let mut response = response.clone();
    for member in ["messageId", "correlationId", "causedBy", "capability", "auth"] {
        assert!(response.as_object_mut().unwrap().remove(member).is_some());
    }
    response.to_string()
}

#[tokio::test]
async fn the_answer_does_not_show_whether_a_forbidden_capability_exists() {
    let by_grants = |server: ServerBuilder| server.grants(grants());
    let by_rule = |server: ServerBuilder| server.authorize(|_, _| Decision::deny("no one may call"));
    for server in [by_grants as fn(ServerBuilder) -> ServerBuilder, by_rule] {
        let mut raw = start(|built| server(built).tenant("t")).await;
        // Denied, and refused before that: of another tenant, and too late.
        for (tenant, deadline, expected) in [
            ("t", 5000, "EAGENTRPC_FORBIDDEN"),
            ("u", 5000, "EAGENTRPC_TENANT_MISMATCH"),
            ("t", -1_000_000, "EAGENTRPC_DEADLINE_EXCEEDED"),
        ] {
            let mut answers = Vec::new();
            for capability in ["book", "cook"] {
                let mut request = raw.request(&format!("{capability}{tenant}{deadline}"));
                request["from"] = json!("agent://carol");
                (request["capability"], request["tenantId"]) = (json!(capability), json!(tenant));
                request["deadline"] = json!(request["deadline"].as_i64().unwrap() - 5000 + deadline);
                raw.send(signed_by(&request.to_string(), "carol", "a1")).await;
                let response = raw.response().await.unwrap();
                assert_eq!(code(&response), expected);
                answers.push(response);
            }
            if expected == "EAGENTRPC_FORBIDDEN" {
                let payload = json!({
                    "code": "EAGENTRPC_FORBIDDEN", "message": "the caller may not call this capability", "effect": "none",
                });
                assert_eq!(answers[0]["payload"], payload);
                assert_eq!(neutral(&answers[0]), neutral(&answers[1]));
            } else {
                // The message of a late request states for how long.
                assert_eq!(answers[0]["headers"], answers[1]["headers"], "{expected}");
            }
        }
    }
}

#[tokio::test]
async fn a_caller_that_may_call_everything_learns_that_a_capability_is_unknown() {
    let mut raw = start(|server| server.grants(grants())).await;
    let text = request(&raw, "1", "alice", "cook", true);
    assert_eq!(raw.code(text).await, "EAGENTRPC_NO_CAPABILITY");
    let text = request(&raw, "2", "bob", "cook", true);
    assert_eq!(raw.code(text).await, "EAGENTRPC_FORBIDDEN");
}

#[tokio::test]
async fn the_reason_goes_to_the_audit_and_not_to_the_caller() {
    let audit = Arc::new(MemoryAudit::default());
    let of_server: Arc<dyn Audit> = audit.clone();
    let mut raw = start(|server| server.grants(grants()).audit(of_server)).await;
    let text = request(&raw, "1", "bob", "book", true);
    raw.send(text).await;
    let response = raw.response().await.unwrap().to_string();
    assert!(!response.contains("scope") && !response.contains("trips"), "{response}");
    let records = audit.records();
    let [AuditRecord::Call(record)] = &records[..] else { panic!("{records:?}") };
    assert_eq!((record.peer_id.as_str(), record.capability_name.as_str()), ("agent://bob", "book"));
    assert_eq!(record.error_code.as_deref(), Some("EAGENTRPC_FORBIDDEN"));
    assert_eq!(record.denied.as_deref(), Some("the agent `bob` does not have the scope `trips:write`"));
}

/// A rule that waits, as one that asks another service does.
struct Slow;

impl Authorize for Slow {
    fn authorize<'a>(
        &'a self,
        context: &'a Context,
        capability: Option<&'a OwnedDescriptor>,
    ) -> BoxFuture<'a, Decision> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            let is_known = capability.is_some_and(|contract| contract.name == context.capability());
            match (context.caller(), is_known) {
                ("alice", _) | ("bob", true) => Decision::Allow,
                _ => Decision::deny("not on the list"),
            }
        })
    }
}

#[tokio::test]
async fn a_rule_of_the_user_decides_instead_of_the_requirements() {
    let mut raw = start(|server| server.authorization(Authorization::by(Arc::new(Slow)))).await;
    for (number, (agent, capability, expected)) in [
        ("alice", "book", "ok"),
        ("bob", "open", "ok"),
        ("carol", "open", "EAGENTRPC_FORBIDDEN"),
        ("alice", "cook", "EAGENTRPC_NO_CAPABILITY"),
        ("carol", "cook", "EAGENTRPC_FORBIDDEN"),
    ]
    .into_iter()
    .enumerate()
    {
        let text = request(&raw, &number.to_string(), agent, capability, false);
        assert_eq!(raw.code(text).await, expected, "{agent} {capability}");
    }
}

#[tokio::test]
async fn a_rule_that_panics_denies() {
    let mut raw = start(|server| server.authorize(|_, _| panic!("a secret"))).await;
    let text = request(&raw, "1", "alice", "book", true);
    assert_eq!(raw.code(text).await, "EAGENTRPC_FORBIDDEN");
}

/// An agent with a version that everyone may call, and one that only bookers may.
fn versions() -> Handlers {
    let version = |version: &str, roles: &[&str]| {
        let mut contract = CapabilityContract::new("book");
        contract.version = Some(version.parse().unwrap());
        contract.required_roles = roles.iter().map(|role| (*role).to_owned()).collect();
        contract
    };
    Handlers::new("echo")
        .with_json(&version("1.0.0", &[]), async |_, _| Ok(json!(1)))
        .with_json(&version("2.0.0", &["booker"]), async |_, _| Ok(json!(2)))
}

#[tokio::test]
async fn a_denial_is_in_the_audit_also_if_a_layer_answers_something_else() {
    let audit = Arc::new(MemoryAudit::default());
    let of_server: Arc<dyn Audit> = audit.clone();
    let closed = tower::ServiceBuilder::new().map_err(|_: ServeError| Failure::new("CLOSED", "at night"));
    let server = |built: ServerBuilder| built.keys(agent_keys(&["alice", "carol"])).grants(grants()).audit(of_server);
    let mut raw = Raw::with_handlers(versions().layer(closed), server).await;
    let mut request = raw.request("1");
    (request["from"], request["capability"]) = (json!("agent://carol"), json!("book"));
    request["headers"] = json!({"capgen-version": "2.0.0"});
    raw.send(signed_by(&request.to_string(), "carol", "a1")).await;
    assert_eq!(code(&raw.response().await.unwrap()), "CLOSED");
    let records = audit.records();
    let [AuditRecord::Call(record)] = &records[..] else { panic!("{records:?}") };
    assert_eq!(record.denied.as_deref(), Some("the agent `carol` does not have the role `booker`"));
}

#[tokio::test]
async fn a_version_that_is_denied_does_not_run() {
    let server = |built: ServerBuilder| built.keys(agent_keys(&["alice", "carol"])).grants(grants());
    let mut raw = Raw::with_handlers(versions(), server).await;
    for (agent, version, expected) in [
        ("alice", "2.0.0", json!(2)),
        ("alice", "1.0.0", json!(1)),
        ("carol", "1.0.0", json!(1)),
        ("carol", "2.0.0", json!("EAGENTRPC_FORBIDDEN")),
    ] {
        let mut request = raw.request(&format!("{agent}{version}").replace('.', "-"));
        (request["from"], request["capability"]) = (json!(format!("agent://{agent}")), json!("book"));
        request["headers"] = json!({"capgen-version": version});
        raw.send(signed_by(&request.to_string(), agent, "a1")).await;
        let response = raw.response().await.unwrap();
        let got = if code(&response) == "ok" { response["payload"].clone() } else { json!(code(&response)) };
        assert_eq!(got, expected, "{agent} {version}");
    }
}

#[tokio::test]
async fn a_handler_sees_the_proof_of_its_caller() {
    let mut raw = start(ServerBuilder::without_authorization).await;
    for (has_own_key, expected) in [(true, r#"AgentKey { key_id: "a1" }"#), (false, r#"SharedKey { key_id: "k1" }"#)] {
        let text = request(&raw, &has_own_key.to_string(), "alice", "open", has_own_key);
        raw.send(text).await;
        assert_eq!(raw.response().await.unwrap()["payload"], expected);
    }
    let mut raw = Raw::with_handlers(handlers(), ServerBuilder::without_authorization).await;
    // A server without keys verifies nothing.
    let text = request(&raw, "1", "alice", "open", true);
    raw.send(text).await;
    assert_eq!(raw.response().await.unwrap()["payload"], "None");
    assert!(!Proof::None.proves_agent() && !Proof::SharedKey { key_id: "k".into() }.proves_agent());
}

#[tokio::test]
async fn keys_and_grants_come_from_the_fleet() {
    let folder = tempfile::tempdir().unwrap();
    let key = |agent: &str, end: &str| {
        let key = agent_key(agent).public_key().to_base64url();
        format!("  - {{ agent: {agent}, keyId: a1, ed25519: {key}, notAfter: {end} }}\n")
    };
    let fleet = format!(
        "agents: []\nkeys:\n{}{}{}grants:\n  alice: {{ roles: [booker], scopes: [trips:write] }}\n  \
         carol: {{ roles: [booker], scopes: [trips:write] }}\n",
        key("alice", "2999-12-31"),
        key("bob", "2999-12-31"),
        key("carol", "2020-01-01")
    );
    std::fs::write(folder.path().join("fleet.yaml"), fleet).unwrap();
    let agent = folder.path().join("agents/other");
    std::fs::create_dir_all(&agent).unwrap();
    let manifest = "version: 1\nagent: agent://other\ntransports: [{ kind: memory, topics: { requests: other } }]\n\
                    capabilities: [{ name: say }]\n";
    std::fs::write(agent.join("capabilities.yaml"), manifest).unwrap();
    let peers = PeerTable::new().with_fleet(folder.path()).unwrap();
    let keys = Keys::of_agent(agent_key("echo")).and_fleet(&peers).unwrap();
    let mut raw = Raw::with_handlers(handlers(), |built| built.keys(keys).fleet(&peers)).await;
    // The key of `carol` has expired.
    for (agent, expected) in [("alice", "ok"), ("bob", "EAGENTRPC_FORBIDDEN"), ("carol", "EAGENTRPC_AUTH_FAILED")] {
        let text = request(&raw, agent, agent, "book", true);
        assert_eq!(raw.code(text).await, expected, "{agent}");
    }
}
