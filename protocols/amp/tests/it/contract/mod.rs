//! Names, versions, descriptors, bodies, negotiation and policies, through the public functions.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod bodies;
mod descriptors;
mod draft;
mod identity;
mod naive;
mod negotiation;
mod policy;
mod publication;
mod ranges;
mod round_trips;
mod violations;

use capgen_amp::body::BodyError;
use capgen_amp::cbor::{Map, Value};
use serde_json::json;

const REVIEW: &str = "org.agentries.code-review";

/// CBOR from JSON, in which `{"$hex": "00ff"}` is a byte string.
fn cbor(json: &serde_json::Value) -> Value {
    match json {
        serde_json::Value::Object(members) => match members.get("$hex") {
            Some(hex) => Value::Bytes(hex::decode(hex.as_str().unwrap()).unwrap()),
            None => Value::Map(members.iter().map(|(key, value)| (key.as_str(), cbor(value))).collect()),
        },
        serde_json::Value::Array(elements) => Value::Array(elements.iter().map(cbor).collect()),
        scalar => Value::from_json(scalar),
    }
}

/// A value with the value at a path replaced; with `None`, it is removed. The path consists of keys and indexes,
/// separated by slashes.
fn with(value: &Value, path: &str, new: Option<Value>) -> Value {
    let (first, rest) = match path.split_once('/') {
        Some((first, rest)) => (first, Some(rest)),
        None => (path, None),
    };
    match value {
        Value::Map(map) => {
            let mut map: Map = map.clone();
            let new = match rest {
                Some(rest) => Some(with(map.get(first).unwrap(), rest, new)),
                None => new,
            };
            match new {
                Some(new) => map.insert(first, new),
                None => map.remove(first),
            };
            Value::Map(map)
        }
        Value::Array(elements) => {
            let mut elements = elements.clone();
            let index: usize = first.parse().unwrap();
            match (rest, new) {
                (Some(rest), new) => elements[index] = with(&elements[index], rest, new),
                (None, Some(new)) => elements[index] = new,
                (None, None) => drop(elements.remove(index)),
            }
            Value::Array(elements)
        }
        _ => panic!("no part {first}"),
    }
}

/// Errors as lines.
fn lines(errors: &[BodyError]) -> Vec<String> {
    errors.iter().map(ToString::to_string).collect()
}

fn paths(errors: &[BodyError]) -> Vec<&str> {
    errors.iter().map(|error| error.path.as_str()).collect()
}

/// A valid descriptor with every key.
fn descriptor() -> Value {
    cbor(&json!({
        "id": "org.agentries.code-review:2.1.0",
        "name": REVIEW,
        "version": "2.1.0",
        "input_schema": {
            "uri": "https://schemas.example/input.json",
            "bundle_id": "reviews",
            "artifact_key": "input.json",
            "hash_alg": "sha-256",
            "hash": {"$hex": "00".repeat(32)},
            "media_type": "application/schema+json",
            "updated_at": "2026-02-07",
        },
        "output_schema": {
            "bundle_id": "reviews",
            "artifact_key": "output.json",
            "hash_alg": "sha-512",
            "hash": {"$hex": "ff".repeat(64)},
        },
        "supported_ranges": [">=2.0.0  <3.0.0", "1.9.0"],
        "deprecated_ranges": ["<2.0.0"],
        "notes": "reviews code",
    }))
}
