//! Agents from the builder.

use std::sync::Arc;
use std::time::Duration;

use capgen_amp::body::{CapInvoke, CapQuery, Filter, Target};
use capgen_amp::bundle::Rule;
use capgen_amp::carrier::memory::MemoryPeer;
use capgen_amp::carrier::{Agent, AgentBuilder, Client, StartError};
use capgen_amp::cbor::Value;
use capgen_amp::requester::Requester;
use capgen_call::Handlers;
use capgen_manifest::{AgentId, Capability, Manifest};
use serde_json::json;

use crate::support::{did, key, keys};

fn builder() -> AgentBuilder {
    let handlers = Handlers::new("provider").with_loose("echo", async |_, request: serde_json::Value| Ok(request));
    Agent::builder(did("provider"), key("provider"), keys(), handlers)
}

fn manifest(version: Option<&str>) -> Manifest {
    // The name of the handler is not the last segment of the id.
    let capability = Capability {
        id: Some("com.example.repeat".to_owned()),
        version: version.map(|version| version.parse().unwrap()),
        ..Capability::new("echo")
    };
    Manifest::new(AgentId::new("provider").unwrap(), Vec::new(), vec![capability])
}

#[tokio::test]
async fn an_agent_serves_the_capabilities_of_its_manifests() {
    let namespace = "org.example".parse().unwrap();
    let agent = builder().manifest(&manifest(Some("1.0.0")), &namespace).manifest(&manifest(Some("1.1.0")), &namespace);
    let agent = agent.start().unwrap();
    let requester = Requester::new(did("alice"), key("alice"), Arc::new(keys()));
    let peer = MemoryPeer::new(Arc::new(agent.runner().clone()));
    let client = Client::new(requester, did("provider"), Arc::new(peer));
    let filter = Filter { capability: Some("com.example.repeat".parse().unwrap()), type_alias: None, version: None };
    assert_eq!(client.query_all(CapQuery::new(filter), 10).await.unwrap().len(), 2);
    let target = Target::Id("com.example.repeat:1.1.0".parse().unwrap());
    let invoke = CapInvoke { target, params: Value::from_json(&json!({"a": [1]})), timeout_ms: None };
    assert_eq!(client.invoke(&invoke, None).await.unwrap().to_json(), Ok(json!({"a": [1]})));
    agent.shutdown(Duration::ZERO).await;
}

#[tokio::test]
async fn an_agent_that_cannot_start_gives_the_reason() {
    let namespace = "org.example".parse().unwrap();
    let error = builder().start().unwrap_err();
    assert_eq!(error, StartError::NothingPublished);
    assert_eq!(error.to_string(), "the agent publishes nothing: call `manifest` or `bundle` before `start`");
    let error = builder().manifest(&manifest(None), &namespace).start().unwrap_err();
    assert!(matches!(&error, StartError::Manifest(errors) if errors[0].rule == Rule::Version), "{error:?}");
    assert!(error.to_string().starts_with("/capabilities/0"), "{error}");
    let twice = builder().manifest(&manifest(Some("1.0.0")), &namespace).manifest(&manifest(Some("1.0.0")), &namespace);
    assert!(matches!(twice.start().unwrap_err(), StartError::Versions(found) if found.len() == 1));
}
