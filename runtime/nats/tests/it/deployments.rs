//! Deployments of a change: instances of one agent with several contracts, in one queue group.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::sync::Arc;
use std::time::Duration;

use capgen_call::{
    AgentId, CallMode, CallOptions, CapabilityContract, Client, Handlers, Manifest, PeerTable, Server, Status,
    TransportSettings,
};
use capgen_nats::NatsTransport;
use capgen_testkit::brokers::NatsServer;
use serde_json::{Value, json};

use crate::common::{connect, options};

const ADDRESS: &str = "agents.trips";
/// The calls of each caller in each step of a deployment.
const CALLS: usize = 20;

/// A contract of `book` whose requests have some optional properties, and no others.
fn contract(version: &str, properties: &[&str]) -> CapabilityContract {
    let properties: Value = properties.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
    let input = json!({"type": "object", "properties": properties, "additionalProperties": false});
    CapabilityContract {
        version: Some(version.parse().unwrap()),
        input: Some(capgen_schema::Schema::parse_text(&input.to_string()).unwrap()),
        ..CapabilityContract::new("book")
    }
}

async fn instance(broker: &NatsServer, contract: &CapabilityContract) -> Server {
    instance_with(connect(broker).await, contract).await
}

async fn instance_with(transport: NatsTransport, contract: &CapabilityContract) -> Server {
    let handlers = Handlers::new("trips").with_json(contract, async |_, payload| Ok(payload));
    Server::builder(handlers).listen(transport, ADDRESS).start().await.unwrap()
}

async fn caller(broker: &NatsServer, contract: &CapabilityContract, is_alone: bool) -> Client {
    let manifest = Manifest::new(
        AgentId::new("trips").unwrap(),
        vec![TransportSettings::nats(&["nats://localhost"], ADDRESS)],
        vec![contract.clone()],
    );
    let peers = PeerTable::new().with_manifest(&manifest);
    let client = Client::builder("desk").transport(Arc::new(connect(broker).await)).peers(peers);
    client.try_other_instances(!is_alone).build().await.unwrap()
}

/// The number of calls that failed.
async fn failures(client: &Client, payload: &Value) -> usize {
    let mut failed = 0;
    for _ in 0..CALLS {
        let options = CallOptions::new().timeout(Duration::from_secs(10));
        let result = client.call_json_with("trips", "book", payload, &options, CallMode::Sync).await;
        let code = result.error.as_ref().map(|error| &*error.code);
        assert!([None, Some("EVERSION_SKEW")].contains(&code), "{result:?}");
        failed += usize::from(result.status != Status::Ok);
    }
    failed
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_call_fails_during_a_rolling_upgrade_and_a_rollback_except_for_its_payload() {
    let Some(broker) = NatsServer::start() else { return };
    let (old, new) = (contract("1.0.0", &["to"]), contract("1.1.0", &["to", "note"]));
    let (plain, noted) = (json!({"to": "Rome"}), json!({"to": "Rome", "note": "a window"}));
    let mut instances =
        vec![instance(&broker, &old).await, instance(&broker, &old).await, instance(&broker, &old).await];
    let (before, after) = (caller(&broker, &old, false).await, caller(&broker, &new, false).await);
    let alone = caller(&broker, &new, true).await;
    let mut failed_alone = 0;
    // Each step replaces one instance: up, and back again. All three have the new contract in the middle.
    for (step, next) in [&new, &new, &new, &old, &old].into_iter().enumerate() {
        let replaced = instances.remove(0);
        instances.push(instance(&broker, next).await);
        assert!(replaced.shutdown(Duration::from_secs(5)).await);
        assert_eq!(failures(&before, &plain).await, 0, "an old caller, step {step}");
        assert_eq!(failures(&after, &plain).await, 0, "a new caller that does not use the property, step {step}");
        assert_eq!(failures(&after, &noted).await, 0, "a new caller that uses it, step {step}");
        failed_alone += failures(&alone, &noted).await;
    }
    assert!(failed_alone > 0, "without other instances, calls fail");
    // The last new instance is gone: no instance can read the payload.
    let replaced = instances.remove(0);
    instances.push(instance(&broker, &old).await);
    assert!(replaced.shutdown(Duration::from_secs(5)).await);
    assert_eq!(failures(&before, &plain).await + failures(&after, &plain).await, 0);
    let result = after.call_json("trips", "book", &noted).await;
    let message = "the provider (1.0.0) does not know `note`, which your contract (1.1.0) may send";
    assert_eq!(result.error.unwrap().message, message);
}

/// Callers that do not wait for each other.
const CALLERS: usize = 32;

/// The results of calls other than success, from callers that call without pauses.
async fn under_load(client: Client) -> Vec<String> {
    let mut failed = Vec::new();
    for _ in 0..CALLS {
        let options = CallOptions::new().timeout(Duration::from_secs(2));
        let result = client.call_json_with("trips", "book", &json!({"to": "Rome"}), &options, CallMode::Sync).await;
        failed.extend(result.error.map(|error| error.code.to_string()));
    }
    failed
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_instance_that_shuts_down_under_load_loses_no_request() {
    let Some(broker) = NatsServer::start() else { return };
    let contract = contract("1.0.0", &["to"]);
    let client = caller(&broker, &contract, false).await;
    let mut remaining = instance(&broker, &contract).await;
    for round in 0..10 {
        // The first capacity is larger than that of the server, and a task bounds the subscription with the second one.
        let options = options(&broker).capacity(if round % 2 == 0 { 8192 } else { 1024 });
        let next = instance_with(NatsTransport::connect(options).await.unwrap(), &contract).await;
        let calls: Vec<_> = (0..CALLERS).map(|_| tokio::spawn(under_load(client.clone()))).collect();
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert!(std::mem::replace(&mut remaining, next).shutdown(Duration::from_secs(5)).await);
        for call in calls {
            assert_eq!(call.await.unwrap(), Vec::<String>::new(), "round {round}");
        }
    }
}
