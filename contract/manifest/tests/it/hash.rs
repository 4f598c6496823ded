//! The hash of a contract depends on names, versions and schemas without annotations, and on nothing else.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_manifest::{Manifest, Source, load};
use capgen_schema::Hash;

fn manifest(capabilities: &str) -> Manifest {
    let text = format!(
        "version: 1\nagent: agent://a\ntransports: [{{kind: memory, topics: {{requests: r}}}}]\ncapabilities: [{capabilities}]\n"
    );
    load(&Source::new("capabilities.yaml", text)).unwrap().manifest
}

const BASE: &str = "{name: x, version: 1.2.0, inputSchema: {type: object, properties: {a: {type: string}, b: {}}}}";

#[test]
fn hash_is_sha_256_of_the_canonical_text() {
    let x =
        r#"{"inputSchema":{"properties":{"a":{"type":"string"},"b":{}},"type":"object"},"name":"x","version":"1.2.0"}"#;
    let y = r#"{"name":"y","outputSchema":false}"#;
    let both = manifest(&format!("{{name: y, outputSchema: false}}, {BASE}"));
    assert_eq!(both.hash(), Hash::of(format!("[{x},{y}]")));
    assert_eq!(both.capability("y").unwrap().hash(), Hash::of(format!("[{y}]")));
}

#[test]
fn order_and_descriptions_do_not_affect_the_hash() {
    for same in [
        "{inputSchema: {properties: {b: {}, a: {type: string}}, type: object}, version: 1.2.0, name: x}",
        "{name: x, version: 1.2.0, inputSchema: {type: object, title: T, properties: {a: {type: string, description: D, examples: [e]}, b: {default: 1}}}}",
        "{name: x, version: 1.2.0, inputSchema: {type: object, properties: {a: {type: string}, b: {}}}, description: D, timeoutMs: 5, tags: [t]}",
    ] {
        assert_eq!(manifest(same).hash(), manifest(BASE).hash(), "{same}");
    }
}

#[test]
fn names_versions_and_schemas_affect_the_hash() {
    for other in [
        "{name: y, version: 1.2.0, inputSchema: {type: object, properties: {a: {type: string}, b: {}}}}",
        "{name: x, version: 1.2.1, inputSchema: {type: object, properties: {a: {type: string}, b: {}}}}",
        "{name: x, inputSchema: {type: object, properties: {a: {type: string}, b: {}}}}",
        "{name: x, version: 1.2.0, outputSchema: {type: object, properties: {a: {type: string}, b: {}}}}",
        "{name: x, version: 1.2.0, inputSchema: {type: object, properties: {a: {type: string}}}}",
        "{name: x, version: 1.2.0, inputSchema: {type: object, properties: {a: {type: string}, b: {}, title: {}}}}",
    ] {
        assert_ne!(manifest(other).hash(), manifest(BASE).hash(), "{other}");
    }
}
