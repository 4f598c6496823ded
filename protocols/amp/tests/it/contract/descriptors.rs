use capgen_amp::cbor::{Limits, Value, decode, encode};
use capgen_amp::descriptor::{ArtifactRef, Descriptor, HashAlgorithm, SchemaRef};
use serde_json::json;

use super::{cbor, descriptor, lines, with};

fn errors(path: &str, new: Option<Value>) -> String {
    lines(&Descriptor::read(&with(&descriptor(), path, new)).unwrap_err()).join("\n")
}

/// A.1.
#[test]
fn a_descriptor_is_read_and_written_again() {
    let read = Descriptor::read(&descriptor()).unwrap();
    assert_eq!(read.id.to_string(), "org.agentries.code-review:2.1.0");
    let supported = read.supported_ranges.as_ref().unwrap();
    assert!(supported.iter().any(|range| range.matches(&"2.5.0".parse().unwrap())));
    assert_eq!(supported.first().unwrap().as_str(), ">=2.0.0  <3.0.0", "signatures cover the spaces");
    assert_eq!(read.output_schema.hash_alg, HashAlgorithm::Sha512);
    assert_eq!(encode(&read.to_value()), encode(&descriptor()));
}

/// Decision 3.
#[test]
fn unknown_keys_of_descriptors_are_preserved() {
    let mut map = descriptor().as_map().unwrap().clone();
    map.insert("descriptor_sig", vec![1, 2, 3]);
    map.insert(7, Value::Undefined);
    let mut schema = map.get("input_schema").unwrap().as_map().unwrap().clone();
    schema.insert("etag", Value::Null);
    map.insert("input_schema", schema);
    let bytes = encode(&map.into());
    let read = Descriptor::read(&decode(&bytes, &Limits::default()).unwrap()).unwrap();
    assert_eq!((read.other.len(), read.input_schema.other.len()), (2, 1));
    assert_eq!(encode(&read.to_value()), bytes);
}

/// Section 4.2.
#[test]
fn id_name_and_version_must_agree() {
    assert_eq!(errors("name", Some(Value::from("org.agentries.translate"))), "/name: expected the name in `id`");
    assert_eq!(errors("version", Some(Value::from("2.1.0+b"))), "/version: expected the version in `id`");
    assert_eq!(
        errors("id", Some(Value::from("org.agentries.translate:1.0.0"))),
        "/name: expected the name in `id`\n/version: expected the version in `id`"
    );
    assert!(errors("id", Some(Value::from("org.agentries.code-review"))).starts_with("/id: an id is a name, a colon"));
}

/// Section 4.2.
#[test]
fn hashes_have_the_length_of_their_algorithm() {
    for (algorithm, other, size) in [("sha-256", "sha-512", 32), ("sha-512", "sha-256", 64)] {
        for length in [0, size - 1, size + 1, 96 - size] {
            let broken = with(&descriptor(), "input_schema/hash_alg", Some(Value::from(algorithm)));
            let broken = with(&broken, "input_schema/hash", Some(Value::from(vec![0; length])));
            let expected = format!("/input_schema/hash: expected {size} bytes, because `hash_alg` is `{algorithm}`");
            assert_eq!(lines(&Descriptor::read(&broken).unwrap_err()), [expected], "{length} bytes, and not {other}");
        }
    }
    assert_eq!(
        errors("input_schema/hash_alg", Some(Value::from("SHA-256"))),
        "/input_schema/hash_alg: expected `sha-256` or `sha-512`"
    );
}

/// Section 4.2: `uri`, or both keys of a bundle.
#[test]
fn a_schema_has_an_address_or_a_place_in_a_bundle() {
    let keys = |remaining: &[&str]| {
        let removed = ["uri", "bundle_id", "artifact_key"].into_iter().filter(|key| !remaining.contains(key));
        removed.fold(descriptor(), |value, key| with(&value, &format!("input_schema/{key}"), None))
    };
    for accepted in [&["uri"][..], &["bundle_id", "artifact_key"], &["uri", "bundle_id", "artifact_key"]] {
        assert!(Descriptor::read(&keys(accepted)).is_ok(), "{accepted:?}");
    }
    for (remaining, error) in [
        (&[][..], "/input_schema: expected `uri`, or both `bundle_id` and `artifact_key`"),
        (&["bundle_id"], "/input_schema/artifact_key: missing"),
        (&["artifact_key"], "/input_schema/bundle_id: missing"),
        (&["uri", "bundle_id"], "/input_schema/artifact_key: missing"),
        (&["uri", "artifact_key"], "/input_schema/bundle_id: missing"),
    ] {
        assert_eq!(lines(&Descriptor::read(&keys(remaining)).unwrap_err()), [error]);
    }
}

#[test]
fn all_violations_are_reported_at_once() {
    let broken = cbor(&json!({
        "id": "org.agentries.code-review:2.1.0",
        "name": "org.agentries.translate",
        "version": "2",
        "input_schema": {"hash_alg": "md5", "hash": "00"},
        "output_schema": {"uri": 1, "bundle_id": "b", "hash_alg": "sha-256", "hash": {"$hex": "00"}, "media_type": 1},
        "supported_ranges": ["1.x", ">=1.0.0", " "],
        "deprecated_ranges": "1.0.0",
        "notes": null,
    }));
    let errors = Descriptor::read(&broken).unwrap_err();
    let paths: Vec<&str> = errors.iter().map(|error| error.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "/version",
            "/name",
            "/input_schema",
            "/input_schema/hash_alg",
            "/input_schema/hash",
            "/output_schema/uri",
            "/output_schema/artifact_key",
            "/output_schema/hash",
            "/output_schema/media_type",
            "/supported_ranges/0",
            "/supported_ranges/2",
            "/deprecated_ranges",
            "/notes"
        ]
    );
}

#[test]
fn a_reference_matches_the_bytes_of_its_schema() {
    let artifact = ArtifactRef { bundle_id: "reviews".to_owned(), artifact_key: "input.json".to_owned() };
    for algorithm in HashAlgorithm::ALL {
        let reference = SchemaRef::to_artifact(artifact.clone(), algorithm, b"true");
        assert_eq!(reference.hash.len(), algorithm.size());
        assert!(reference.matches(b"true") && !reference.matches(b"true\n") && !reference.matches(b""));
    }
    assert_eq!(
        hex::encode(HashAlgorithm::Sha512.hash(b"abc")).get(..16),
        Some("ddaf35a193617aba"),
        "the example of FIPS 180-4"
    );
    assert_eq!(hex::encode(HashAlgorithm::Sha256.hash(b"abc")).get(..16), Some("ba7816bf8f01cfea"));
}
