//! A provider of AMP capabilities for tests: the example `reviewer`, and capabilities that fail in every way.
#![forbid(unsafe_code)]

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use capgen::call::{Failure, Handlers};
use capgen_amp::bundle::{self, Creation, Namespace, OpenBundle, Publisher};
use capgen_amp::message::{Did, Keys, SigningKey};
use capgen_manifest::{Manifest, Source, load};
use serde_json::{Value, json};

/// The namespace of the capabilities without an id.
pub const NAMESPACE: &str = "org.example";

/// The number of versions of the capability `many`.
pub const VERSIONS: u32 = 5;

/// The time at which the bundle is created and opened, in Unix ms.
const CREATED: u64 = 1_770_000_000_000;

/// The DID of an agent.
///
/// # Panics
///
/// Never.
#[must_use]
pub fn did(agent: &str) -> Did {
    format!("did:web:example.com:{agent}").parse().expect("a DID")
}

/// The key of an agent: both processes derive it from the name.
#[must_use]
pub fn key(agent: &str) -> SigningKey {
    let mut seed = [1; 32];
    seed.iter_mut().zip(agent.bytes()).for_each(|(to, from)| *to = from);
    SigningKey::from_seed(&seed)
}

/// The keys of both agents.
#[must_use]
pub fn keys() -> Keys {
    let mut keys = Keys::default();
    for agent in ["provider", "caller"] {
        keys.insert(did(agent), key(agent).public());
    }
    keys
}

/// The manifests of the published capabilities.
///
/// # Panics
///
/// A manifest is invalid.
#[must_use]
pub fn manifests() -> Vec<Manifest> {
    let reviewer = include_str!("../../../examples/reviewer/capabilities.yaml");
    let many = (0..VERSIONS).map(|minor| {
        let schema = "{type: object, properties: {key: {type: integer}}, required: [key]}";
        manifest(&format!("  - {{name: many, version: 1.{minor}.0, inputSchema: {schema}}}\n"))
    });
    let faulty = manifest(concat!(
        "  - {name: count, version: 1.0.0, inputSchema: {type: object, properties: {key: {type: integer}}, required: [key]}}\n",
        "  - {name: invalid-result, version: 1.0.0, outputSchema: {type: string}}\n",
        "  - {name: slow, version: 1.0.0, timeoutMs: 100}\n",
        "  - {name: pause, version: 1.0.0}\n",
        "  - {name: fail, version: 1.0.0}\n",
        "  - {name: panic, version: 1.0.0}\n",
    ));
    let mut manifests = vec![read(reviewer), faulty];
    manifests.extend(many);
    manifests
}

fn manifest(capabilities: &str) -> Manifest {
    let head =
        "version: 1\nagent: agent://faulty\ntransports: [{kind: memory, topics: {requests: q}}]\ncapabilities:\n";
    read(&format!("{head}{capabilities}"))
}

fn read(text: &str) -> Manifest {
    load(&Source::new("capabilities.yaml", text)).expect("a valid manifest").manifest
}

/// The bundle of the manifests, in a folder.
///
/// # Panics
///
/// The bundle cannot be written or opened.
#[must_use]
pub fn bundle(folder: &std::path::Path) -> OpenBundle {
    let manifests = manifests();
    let namespace: Namespace = NAMESPACE.parse().expect("a namespace");
    let (signer, key) = (did("provider"), key("provider"));
    let publisher = Publisher { namespace: &namespace, signer: &signer, key: &key, created: CREATED };
    let bundle = bundle::create(&manifests.iter().collect::<Vec<_>>(), &publisher).expect("a bundle");
    for (path, bytes) in bundle.files() {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, bytes).expect("a file");
    }
    bundle::open(folder, &keys(), Creation::until(CREATED)).expect("the same bundle")
}

/// The handlers: those of the example `reviewer`, and others.
#[must_use]
pub fn handlers() -> Handlers {
    let runs: Arc<Mutex<HashMap<i64, u64>>> = Arc::default();
    reviewer::serve::handlers()
        .with_loose("count", move |_, request: Value| {
            let runs = Arc::clone(&runs);
            async move {
                let key = request["key"].as_i64().unwrap_or_default();
                let mut runs = runs.lock().unwrap_or_else(PoisonError::into_inner);
                let count = runs.entry(key).or_default();
                *count += 1;
                Ok(json!({"runs": *count}))
            }
        })
        .with_loose("many", async |_, request: Value| Ok(request))
        .with_loose("invalid-result", async |_, _| Ok(json!({"secret": "s3cr3t"})))
        .with_loose("slow", async |_, _| {
            tokio::time::sleep(Duration::from_secs(3600)).await;
            Ok(Value::Null)
        })
        .with_loose("pause", async |_, request: Value| {
            tokio::time::sleep(Duration::from_millis(request["ms"].as_u64().unwrap_or(0))).await;
            Ok(json!("done"))
        })
        .with_loose("fail", async |_, _| Err(Failure::new("NO_LUCK", "this capability always fails")))
        .with_loose("panic", async |_, _| panic!("a secret in a panic"))
}
