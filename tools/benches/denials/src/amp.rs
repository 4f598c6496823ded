//! Invocations of AMP within the process.

use std::sync::Arc;

use capgen_amp::CapabilityId;
use capgen_amp::body::{CapInvoke, Target};
use capgen_amp::carrier::handlers::HandlerExecutor;
use capgen_amp::carrier::memory::MemoryPeer;
use capgen_amp::carrier::run::Runner;
use capgen_amp::carrier::{Client, ClientError, Service};
use capgen_amp::catalogue::{CapabilityContract, Catalogue};
use capgen_amp::cbor::Value;
use capgen_amp::descriptor::{ArtifactRef, HashAlgorithm, Publication, SchemaRef};
use capgen_amp::message::{Did, Keys, SigningKey};
use capgen_amp::policy::Policy;
use capgen_amp::provider::{CacheLimits, Provider, State};
use capgen_amp::requester::Requester;
use capgen_call::Grants;
use capgen_manifest::{Manifest, Side};
use capgen_schema::Schema;
use serde_json::json;

use crate::calls::handlers;
use crate::{Agent, Probe};

pub(crate) struct Amp {
    client: Client,
}

fn did(agent: &str) -> Did {
    format!("did:web:example.com:{agent}").parse().expect("a DID")
}

/// The capabilities of a manifest, published under a namespace.
fn catalogue(manifest: &Manifest) -> Catalogue {
    let publications = Publication::of_manifest(manifest, "org.example").expect("a namespace");
    let contract = |publication: &Publication<'_>| {
        let schema = |side| publication.schema(side);
        let reference = |side| {
            let artifact = ArtifactRef { bundle_id: "b".to_owned(), artifact_key: "k".to_owned() };
            SchemaRef::to_artifact(artifact, HashAlgorithm::Sha256, schema(side).as_bytes())
        };
        CapabilityContract {
            descriptor: publication.descriptor(reference(Side::Request), reference(Side::Response)),
            input: Schema::parse_text(&schema(Side::Request)).expect("a schema"),
            output: Schema::parse_text(&schema(Side::Response)).expect("a schema"),
            timeout_ms: None,
        }
    };
    Catalogue::new(publications.iter().map(contract).collect()).expect("versions that differ")
}

impl Amp {
    pub(crate) fn start(agent: &Agent) -> Self {
        let [caller, provider] = [[1; 32], [2; 32]].map(|seed| SigningKey::from_seed(&seed));
        let mut keys = Keys::default();
        keys.insert(did("caller"), caller.public());
        keys.insert(did("trips"), provider.public());
        let keys = Arc::new(keys);
        let provider = Provider::new(did("trips"), provider, keys.clone(), Policy::default());
        let state = State::new(Arc::new(catalogue(&agent.manifest)), CacheLimits::default());
        let executor = HandlerExecutor::new(handlers(agent)).grants(Grants::new().agent("did:other", &["reader"], &[]));
        let runner = Runner::new(provider, state, Arc::new(executor)).expect("a runner");
        let peer = MemoryPeer::new(Arc::new(runner) as Arc<dyn Service>);
        Self { client: Client::new(Requester::new(did("caller"), caller, keys), did("trips"), Arc::new(peer)) }
    }
}

impl Probe for Amp {
    async fn call(&mut self, name: &str) {
        let id: CapabilityId = format!("org.example.{name}:1.0.0").parse().expect("an id");
        let params = Value::from_json(&json!({"city": "Oslo"}));
        let invoke = CapInvoke { target: Target::Id(id), params, timeout_ms: None };
        let result = self.client.invoke(&invoke, None).await;
        assert!(matches!(result, Err(ClientError::Refused(error)) if error.code == 3001));
    }
}
