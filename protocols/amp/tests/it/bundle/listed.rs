//! The contents of a signed file: a trusted signer makes mistakes, too.

use std::fs;

use capgen_amp::cbor::{Map, Value};
use capgen_amp::descriptor::HashAlgorithm;
use tempfile::TempDir;

use super::{edit, faults, opened, written};

/// The faults after a change of the signed map.
fn edited(change: impl FnOnce(&mut Map)) -> String {
    let (folder, _) = written();
    edit(folder.path(), change);
    faults(folder.path())
}

fn map(value: Option<&Value>) -> Map {
    value.and_then(Value::as_map).unwrap().clone()
}

/// Changes a map in the signed map.
fn change(map_of: &mut Map, key: &str, change: impl FnOnce(&mut Map)) {
    let mut inner = map(map_of.get(key));
    change(&mut inner);
    map_of.insert(key, inner);
}

fn artifact(bytes: &[u8]) -> Map {
    let hash = HashAlgorithm::Sha256.hash(bytes);
    [("hash_alg", Value::from("sha-256")), ("hash", Value::Bytes(hash)), ("size", Value::from(bytes.len() as u64))]
        .into_iter()
        .collect()
}

/// Lists a file, and writes it.
fn add(folder: &TempDir, key: &str, bytes: &[u8]) {
    fs::write(folder.path().join("artifacts").join(key), bytes).unwrap();
    edit(folder.path(), |whole| change(whole, "artifacts", |list| drop(list.insert(key, artifact(bytes)))));
}

/// Changes the first descriptor.
fn change_descriptor(whole: &mut Map, edit: impl FnOnce(&mut Map)) {
    let mut descriptors = whole.get("descriptors").unwrap().as_array().unwrap().to_vec();
    let mut first = map(descriptors.first());
    edit(&mut first);
    *descriptors.first_mut().unwrap() = first.into();
    whole.insert("descriptors", descriptors);
}

#[test]
fn decision_24_a_time_limit_of_0_makes_a_bundle_invalid() {
    let limited =
        |limit: u64| move |whole: &mut Map| change_descriptor(whole, |first| drop(first.insert("timeout_ms", limit)));
    assert_eq!(edited(limited(0)), "bundle.cbor: /descriptors/0/timeout_ms: expected at least 1 ms\n");
    let (folder, _) = written();
    edit(folder.path(), limited(1));
    assert_eq!(opened(folder.path()).contracts()[0].timeout_ms, Some(1));
}

#[test]
fn every_field_is_required_and_has_its_type() {
    for key in ["bundle_id", "version", "created", "descriptors", "artifacts", "signer"] {
        let text = edited(|map| drop(map.remove(key)));
        assert_eq!(text, format!("bundle.cbor: /{key}: missing\n"));
        assert!(
            edited(|map| drop(map.insert(key, Value::Null))).starts_with(&format!("bundle.cbor: /{key}: expected "))
        );
    }
    assert_eq!(edited(|map| drop(map.insert("version", 2))), "bundle.cbor: /version: expected 1\n");
    assert!(edited(|map| drop(map.insert("signer", "web:a"))).contains("/signer: a DID begins with"));
    let all = edited(|map| ["created", "version", "bundle_id"].iter().for_each(|key| drop(map.remove(key))));
    assert_eq!(all.lines().count(), 3, "{all}");
}

#[test]
fn keys_follow_the_grammar() {
    for key in ["", ".", "..", "../x", "a/b", "a\\b", ".a", "-a", "a b", "é", &"x".repeat(129)] {
        let text = edited(|whole| change(whole, "artifacts", |list| drop(list.insert(key, artifact(b"true")))));
        assert!(text.starts_with("bundle.cbor: /artifacts: expected a key of letters"), "{key}: {text}");
    }
    let text = edited(|whole| change(whole, "artifacts", |list| drop(list.insert(1, artifact(b"true")))));
    assert!(text.starts_with("bundle.cbor: /artifacts: expected a key of letters"), "{text}");
}

#[test]
fn keys_that_differ_only_in_case_are_rejected() {
    let (folder, _) = written();
    add(&folder, "Schema.json", b"true");
    opened(folder.path());
    add(&folder, "schema.JSON", b"true");
    assert_eq!(
        faults(folder.path()),
        "bundle.cbor: /artifacts/schema.JSON: differs from the key `Schema.json` only in case\n"
    );
}

#[test]
fn sizes_and_hashes_have_their_limits() {
    let with = |key: &'static str, value: Value| {
        edited(|whole| {
            let mut listed = artifact(b"true");
            listed.insert(key, value);
            change(whole, "artifacts", |list| drop(list.insert("a.json", listed)));
        })
    };
    assert!(
        with("size", Value::from((1 << 20) + 1)).contains("/artifacts/a.json/size: expected at most 1048576 bytes")
    );
    assert!(with("hash", Value::Bytes(vec![0; 64])).contains("/artifacts/a.json/hash: expected 32 bytes"));
    assert!(with("hash_alg", "sha-1".into()).contains("/artifacts/a.json/hash_alg: expected `sha-256` or `sha-512`"));
    let (folder, _) = written();
    add(&folder, "large.json", &vec![b' '; 1 << 20]);
    opened(folder.path());
}

#[test]
fn an_artifact_without_a_descriptor_need_not_be_a_schema() {
    let (folder, _) = written();
    add(&folder, "README.txt", b"\xff");
    opened(folder.path());
}

#[test]
fn descriptors_follow_their_rules() {
    let text = edited(|whole| {
        change_descriptor(whole, |first| {
            first.insert("version", "9.9.9");
            first.insert("name", 1);
            first.remove("output_schema");
        });
    });
    for part in ["/descriptors/0/version: ", "/descriptors/0/name: ", "/descriptors/0/output_schema: missing"] {
        assert!(text.contains(&format!("bundle.cbor: {part}")), "{text}");
    }
    let twice = edited(|whole| {
        let descriptors = whole.get("descriptors").unwrap().as_array().unwrap();
        whole.insert("descriptors", [descriptors, descriptors].concat());
    });
    assert_eq!(twice.matches("have equal precedence").count(), 2, "{twice}");
}

#[test]
fn schemas_are_artifacts_of_the_bundle_with_equal_hashes() {
    let with = |key: &'static str, value: Option<Value>| {
        edited(|whole| {
            change_descriptor(whole, |first| {
                change(first, "input_schema", |reference| {
                    match value {
                        Some(value) => reference.insert(key, value),
                        None => reference.remove("artifact_key").and(reference.remove("bundle_id")),
                    };
                    reference.insert("uri", "https://registry.example/a.json");
                });
            });
        })
    };
    let of = "`input_schema` of `org.agentries.code-review:2.0.0`";
    assert_eq!(
        with("bundle_id", Some("b\u{7}".into())),
        format!("bundle.cbor: {of} refers to another bundle, `b\\u{{7}}`\n")
    );
    let unlisted = with("artifact_key", Some("../bundle.cbor".into()));
    assert_eq!(unlisted, format!("bundle.cbor: {of} refers to `../bundle.cbor`, which is not listed\n"));
    assert_eq!(with("uri", None), format!("bundle.cbor: {of} has neither `bundle_id` nor `artifact_key`\n"));
    let other = with("hash", Some(Value::Bytes(vec![1; 32])));
    assert!(other.ends_with(&format!(".json: its hash is not the one in the descriptor of {of}\n")), "{other}");
}

#[test]
fn the_artifacts_of_descriptors_are_schemas_of_the_subset() {
    for (bytes, reason) in [
        (&b"\xff"[..], "it is not UTF-8"),
        (b"", "is not a schema of the subset"),
        (b"{}{}", "is not a schema of the subset"),
        (br#"{"type":"strnig"}"#, "is not a schema of the subset"),
        (br#"{"$ref":"https://registry.example/a.json"}"#, "is not a schema of the subset"),
    ] {
        let (folder, bundle) = written();
        add(&folder, "bad.json", bytes);
        edit(folder.path(), |whole| {
            change_descriptor(whole, |first| {
                change(first, "input_schema", |reference| {
                    reference.insert("artifact_key", "bad.json");
                    reference.insert("hash", HashAlgorithm::Sha256.hash(bytes).as_slice());
                });
            });
        });
        let found = faults(folder.path());
        assert!(found.starts_with("artifacts/bad.json: ") && found.contains(reason), "{found}");
        assert_eq!(found.lines().count(), 1, "{found}");
        // Together with the faults of other artifacts.
        let missing = bundle.artifacts.keys().next().unwrap();
        fs::remove_file(folder.path().join("artifacts").join(missing)).unwrap();
        assert_eq!(faults(folder.path()), format!("{found}artifacts/{missing}: is missing\n"));
    }
}
