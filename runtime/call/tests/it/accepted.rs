//! Accepted findings, and the settings of calls of a fleet.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use capgen::call::{
    AcceptedFindings, Assume, CallResult, Client, Clock, EmbeddedFleet, Handlers, MemoryBroker, PeerTable, Server,
    ServerBuilder, Settings, Skew, Status,
};
use capgen_evolve::{Level, compare};
use capgen_manifest::{AgentId, Capability, Manifest, Side, TransportSettings};
use capgen_schema::Schema;
use serde_json::{Value, json};

const ADDRESS: &str = "index.requests";

/// A clock that tests set.
#[derive(Clone, Default)]
struct Day(Arc<AtomicU64>);

impl Day {
    fn set(&self, day: &str) {
        let ms = format!("{day}T12:00:00Z").parse::<capgen_time::Timestamp>().unwrap().to_ms().unwrap();
        self.0.store(ms, Ordering::SeqCst);
    }
}

impl Clock for Day {
    fn now_ms(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

fn capability(version: &str, input: &str, output: &str) -> Capability {
    let schema = |text: &str| Some(Schema::parse_text(text).unwrap());
    let version = Some(version.parse().unwrap());
    Capability { version, input: schema(input), output: schema(output), ..Capability::new("search") }
}

fn manifest(capability: &Capability) -> Manifest {
    Manifest::new(AgentId::new("index").unwrap(), vec![TransportSettings::memory(ADDRESS)], vec![capability.clone()])
}

/// The fingerprint that `capgen diff` shows for the breaking change of a side.
fn fingerprint(old: &Capability, new: &Capability, side: Side) -> String {
    let findings = compare(&manifest(old), &manifest(new), capgen_evolve::Settings::default()).findings;
    let mut breaking = findings.into_iter().filter(|found| found.level == Level::Breaking && found.side == Some(side));
    let found = breaking.next().unwrap();
    assert!(breaking.next().is_none(), "one change");
    found.fingerprint.to_string()
}

fn accepted(fingerprint: &str, expires: &str) -> AcceptedFindings {
    let text = format!("- {{ fingerprint: \"{fingerprint}\", reason: no caller sends it, expires: {expires} }}");
    AcceptedFindings::from_text(&text).unwrap()
}

/// A client with one contract of a server with another.
struct Pair {
    client: Client,
    _server: Server,
}

impl Pair {
    async fn start(
        caller: &Capability,
        provider: &Capability,
        server: impl FnOnce(ServerBuilder) -> ServerBuilder,
    ) -> Self {
        let broker = MemoryBroker::new();
        let handlers = Handlers::new("index").with_json(provider, async |_, payload| Ok(payload));
        let server = server(Server::builder(handlers).listen(broker.connect(), ADDRESS)).start().await.unwrap();
        let peers = PeerTable::new().with_manifest(&manifest(caller));
        let client = Client::builder("desk").transport(broker.connect()).peers(peers).try_other_instances(false);
        Self { client: client.build().await.unwrap(), _server: server }
    }

    async fn call(&self, payload: Value) -> CallResult {
        self.client.call_json("index", "search", &payload).await
    }
}

/// The contracts and the policy that refuses the old one because of a side.
fn refused(side: Side) -> (Capability, Capability, Skew) {
    match side {
        Side::Request => (
            capability("1.0.0", r#"{"type": "string"}"#, "{}"),
            capability("2.0.0", r#"{"type": "string", "maxLength": 2}"#, "{}"),
            Skew::Strict,
        ),
        Side::Response => {
            (capability("1.0.0", "{}", r#"{"maxLength": 2}"#), capability("2.0.0", "{}", "{}"), Skew::Refuse)
        }
    }
}

#[tokio::test]
async fn an_accepted_finding_refuses_no_caller_until_it_expires() {
    for side in Side::ALL {
        let (old, new, policy) = refused(side);
        let fingerprint = fingerprint(&old, &new, side);
        let without = Pair::start(&old, &new, |server| server.skew(policy)).await;
        let error = without.call(json!("a")).await.error.unwrap();
        let finding = error.finding.unwrap();
        assert_eq!((&*error.code, finding["fingerprint"].as_str()), ("EVERSION_SKEW", Some(&*fingerprint)), "{side:?}");

        let day = Day::default();
        day.set("2027-01-31");
        let (clock, findings) = (Arc::new(day.clone()), accepted(&fingerprint, "2027-01-31"));
        let pair = Pair::start(&old, &new, |server| server.skew(policy).accepted(findings).clock(clock)).await;
        for _ in 0..2 {
            assert_eq!(pair.call(json!("a")).await.status, Status::Ok, "{side:?}");
        }
        // Payloads are validated nevertheless.
        let invalid = pair.call(json!("aaa")).await;
        assert_eq!(invalid.schema_side, Some(side), "{invalid:?}");
        // The same server, one day later.
        day.set("2027-02-01");
        assert_eq!(pair.call(json!("a")).await.error.unwrap().code, "EVERSION_SKEW", "{side:?}");
    }
}

#[tokio::test]
async fn every_breaking_change_of_a_side_must_be_accepted() {
    let old = capability("1.0.0", r#"{"properties": {"a": {"type": "string"}, "b": {"type": "string"}}}"#, "{}");
    let one = r#"{"properties": {"a": {"type": "string", "maxLength": 2}, "b": {"type": "string"}}}"#;
    let both = r#"{"properties": {"a": {"type": "string", "maxLength": 2}, "b": {"type": "string", "maxLength": 2}}}"#;
    let (one, both) = (capability("2.0.0", one, "{}"), capability("2.0.0", both, "{}"));
    let findings = accepted(&fingerprint(&old, &one, Side::Request), "9999-12-31");
    let strict = |server: ServerBuilder| server.skew(Skew::Strict).accepted(findings.clone());
    assert_eq!(Pair::start(&old, &one, strict).await.call(json!({})).await.status, Status::Ok);
    let error = Pair::start(&old, &both, strict).await.call(json!({})).await.error.unwrap();
    let finding = error.finding.unwrap();
    assert_eq!(finding["pointer"], "/inputSchema/properties/b/maxLength");
    // The payload proves the change that is not accepted.
    assert_eq!(finding["witness"]["violations"][0]["path"], "/b");
}

#[tokio::test]
async fn an_entry_of_another_agent_accepts_nothing() {
    let (old, new, policy) = refused(Side::Request);
    let fingerprint = fingerprint(&old, &new, Side::Request);
    for (agent, status) in [("index", Status::Ok), ("other", Status::Error)] {
        let text = format!("[{{fingerprint: '{fingerprint}', reason: x, expires: 9999-12-31, agent: {agent}}}]");
        let findings = AcceptedFindings::from_text(&text).unwrap();
        let pair = Pair::start(&old, &new, |server| server.skew(policy).accepted(findings)).await;
        assert_eq!(pair.call(json!("a")).await.status, status, "{agent}");
    }
}

const FLEET: EmbeddedFleet = capgen::include_fleet!("tests/fleet-with-calls");

/// The fleet with the key `calls`, from the program and from its files.
fn tables() -> [PeerTable; 2] {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fleet-with-calls");
    [PeerTable::new().with_embedded(&FLEET).unwrap(), PeerTable::new().with_fleet(folder).unwrap()]
}

#[tokio::test]
async fn the_settings_of_a_fleet_apply_after_those_of_the_builder_and_the_environment() {
    let (old, new, _) = refused(Side::Request);
    assert_eq!(fingerprint(&old, &new, Side::Request), "edcc8099c59975051609", "the file has it");
    let serve = Settings::from_variables(|name| (name == "CAPGEN_SKEW").then(|| "serve".into())).unwrap();
    let longer = capability("2.0.0", r#"{"type": "string", "maxLength": 1}"#, "{}");
    for table in &tables() {
        // The fleet is strict, and its file accepts the first change.
        let accepting = Pair::start(&old, &new, |server| server.fleet(table)).await;
        assert_eq!(accepting.call(json!("a")).await.status, Status::Ok);
        let strict = Pair::start(&old, &longer, |server| server.fleet(table)).await;
        assert_eq!(strict.call(json!("a")).await.error.unwrap().code, "EVERSION_SKEW");
        let others: [&dyn Fn(ServerBuilder) -> ServerBuilder; 2] =
            [&|server| server.fleet(table).skew(Skew::Serve), &|server| server.settings(&serve).fleet(table)];
        for other in others {
            let served = Pair::start(&old, &longer, other).await;
            assert_eq!(served.call(json!("a")).await.status, Status::Ok);
        }
        let none = Pair::start(&old, &new, |server| server.fleet(table).accepted(AcceptedFindings::default())).await;
        assert_eq!(none.call(json!("a")).await.error.unwrap().code, "EVERSION_SKEW");
    }
}

#[tokio::test]
async fn the_assumed_programs_of_a_fleet_apply() {
    let object = |properties: &str| format!(r#"{{"type": "object", "properties": {{{properties}}}}}"#);
    let old = capability("1.0.0", &object(r#""q": {"type": "string"}"#), "{}");
    let new = capability("1.1.0", &object(r#""q": {"type": "string"}, "limit": {"type": "integer"}"#), "{}");
    for table in &tables() {
        let pair = Pair::start(&old, &new, |server| server.fleet(table)).await;
        assert_eq!(pair.call(json!({"q": "a"})).await.status, Status::Ok);
        let any = Pair::start(&old, &new, |server| server.fleet(table).assume(Assume::AnyPeer)).await;
        assert_eq!(any.call(json!({"q": "a"})).await.error.unwrap().code, "EVERSION_SKEW");
    }
}

#[tokio::test]
async fn a_client_asks_for_the_policy_of_its_fleet() {
    let [table, _] = tables();
    let (_, new, _) = refused(Side::Request);
    let broker = MemoryBroker::new();
    let handlers = Handlers::new("index").with_json(&new, async |_, payload| Ok(payload));
    let _server = Server::builder(handlers).listen(broker.connect(), ADDRESS).start().await.unwrap();
    for (skew, status) in [(None, Status::Error), (Some(Skew::Serve), Status::Ok)] {
        let client = Client::builder("desk").transport(broker.connect()).peers(table.clone());
        let client = skew.into_iter().fold(client.try_other_instances(false), |client, skew| client.skew(skew));
        let client = client.build().await.unwrap();
        assert_eq!(client.call_json("index", "search", &json!("a")).await.status, status);
    }
}
