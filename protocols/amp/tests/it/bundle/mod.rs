//! Bundles: creating them from manifests, and verifying them (section 5.3, decision 16).
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod created;
mod declared;
mod faults;
mod folder;
mod listed;

use std::fs;
use std::path::Path;

use capgen_amp::bundle::{Creation, INDEX, NewBundle, OpenBundle, Publisher, create, open};
use capgen_amp::cbor::{Limits, Map, Value, decode, encode};
use capgen_amp::message::{Keys, SigningKey};
use capgen_manifest::{AgentId, Capability, Manifest};
use capgen_schema::Schema;
use tempfile::TempDir;

const SIGNER: &str = "did:web:publisher.example";
const CREATED: u64 = 1_700_000_000_000;

/// The consumer has the clock of the publisher.
const TIMES: Creation = Creation::until(CREATED);

fn key() -> SigningKey {
    SigningKey::from_seed(&[7; 32])
}

fn trust() -> Keys {
    let mut keys = Keys::new();
    keys.insert(SIGNER.parse().unwrap(), key().public());
    keys
}

fn manifest(capabilities: Vec<Capability>) -> Manifest {
    Manifest::new(AgentId::new("reviewer").unwrap(), Vec::new(), capabilities)
}

fn capability(name: &str, version: &str) -> Capability {
    Capability { version: Some(version.parse().unwrap()), ..Capability::new(name) }
}

fn schema(text: &str) -> Option<Schema> {
    Some(Schema::parse_text(text).unwrap())
}

/// Two versions of a capability, one with schemas.
fn review() -> Manifest {
    let new = Capability {
        input: schema(r#"{"type": "object", "title": "A review", "required": ["url"]}"#),
        timeout_ms: Some(5000),
        supported_versions: vec![">=2.0.0 <3.0.0".parse().unwrap()],
        ..capability("code-review", "2.1.0")
    };
    manifest(vec![new, capability("code-review", "2.0.0")])
}

fn bundle_of(manifests: &[&Manifest]) -> NewBundle {
    let (namespace, signer, key) = ("org.agentries".parse().unwrap(), SIGNER.parse().unwrap(), key());
    let publisher = Publisher { namespace: &namespace, signer: &signer, key: &key, created: CREATED };
    create(manifests, &publisher).unwrap()
}

fn write(bundle: &NewBundle, folder: &Path) {
    fs::create_dir_all(folder.join("artifacts")).unwrap();
    for (path, bytes) in bundle.files() {
        fs::write(folder.join(path), bytes).unwrap();
    }
}

/// A folder with the bundle of [`review`].
fn written() -> (TempDir, NewBundle) {
    let (folder, bundle) = (TempDir::new().unwrap(), bundle_of(&[&review()]));
    write(&bundle, folder.path());
    (folder, bundle)
}

fn opened(folder: &Path) -> OpenBundle {
    open(folder, &trust(), TIMES).unwrap()
}

/// The faults of a bundle, one per line.
fn faults(folder: &Path) -> String {
    let error = open(folder, &trust(), TIMES).map(|_| ()).unwrap_err();
    error.problems().iter().map(|problem| format!("{problem}\n")).collect()
}

fn map_of(bytes: &[u8]) -> Map {
    let Value::Map(map) = decode(bytes, &Limits::default()).unwrap() else { panic!("not a map") };
    map
}

/// The bytes of `bundle.cbor`, signed as decision 16 specifies: independent of the code that is tested.
fn signed(mut map: Map, key: &SigningKey) -> Vec<u8> {
    map.remove("sig");
    let content = encode(&Value::Map(map.clone()));
    let input = Value::Array(vec!["AMP-bundle-v1".into(), Value::Bytes(Vec::new()), Value::Bytes(content)]);
    map.insert("sig", key.sign(&encode(&input)).as_slice());
    encode(&Value::Map(map))
}

/// Changes the signed file, and signs it again with the trusted key.
fn edit(folder: &Path, change: impl FnOnce(&mut Map)) {
    let path = folder.join(INDEX);
    let mut map = map_of(&fs::read(&path).unwrap());
    change(&mut map);
    fs::write(path, signed(map, &key())).unwrap();
}
