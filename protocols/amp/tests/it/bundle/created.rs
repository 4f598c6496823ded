//! Creating bundles.

use std::fs;

use capgen_amp::bundle::{CreateError, Publisher, Rule, create};
use capgen_amp::catalogue::Catalogue;
use capgen_amp::cbor::Value;
use capgen_manifest::{Capability, Manifest};
use capgen_schema::{Hash, Json, Schema};
use proptest::prelude::*;
use tempfile::TempDir;

use super::{CREATED, SIGNER, bundle_of, capability, key, manifest, map_of, opened, review, schema, signed, write};

fn errors(manifests: &[&Manifest]) -> Vec<CreateError> {
    let (namespace, signer, key) = ("org.agentries".parse().unwrap(), SIGNER.parse().unwrap(), key());
    create(manifests, &Publisher { namespace: &namespace, signer: &signer, key: &key, created: 0 }).unwrap_err()
}

#[test]
fn the_signed_file_has_the_form_of_the_decision() {
    let bundle = bundle_of(&[&review()]);
    let map = map_of(&bundle.index);
    let keys: Vec<_> = map.iter().map(|(key, _)| key.as_text().unwrap()).collect();
    assert_eq!(keys, ["sig", "signer", "created", "version", "artifacts", "bundle_id", "descriptors"]);
    assert_eq!(map.get("version"), Some(&Value::Unsigned(1)));
    assert_eq!(map.get("created"), Some(&Value::Unsigned(CREATED)));
    assert_eq!(map.get("signer").and_then(Value::as_text), Some(SIGNER));
    assert_eq!(signed(map.clone(), &key()), bundle.index);
    // The two loose sides and the output of 2.1.0 are one file.
    let canonical = r#"{"required":["url"],"title":"A review","type":"object"}"#;
    let mut expected = [canonical, "true"].map(|text| (format!("sha256-{}.json", Hash::of(text)), text.as_bytes()));
    expected.sort();
    let files: Vec<_> = bundle.artifacts.iter().map(|(key, bytes)| (key.clone(), bytes.as_slice())).collect();
    assert_eq!(files, expected);
    for (key, bytes) in files {
        let listed = map.get("artifacts").unwrap().get(&key).unwrap();
        assert_eq!(listed.get("hash_alg").and_then(Value::as_text), Some("sha-256"));
        assert_eq!(listed.get("hash").and_then(Value::as_bytes), Some(&Hash::of(bytes).as_bytes()[..]));
        assert_eq!(listed.get("size").and_then(Value::as_unsigned), u64::try_from(bytes.len()).ok());
    }
}

#[test]
fn decision_24_a_manifest_with_a_time_limit_of_0_cannot_be_published() {
    let capability = Capability { timeout_ms: Some(0), ..capability("code-review", "1.0.0") };
    let errors = errors(&[&manifest(vec![capability])]);
    let [CreateError { path, rule: Rule::Timeout, message, .. }] = errors.as_slice() else { panic!("{errors:?}") };
    assert_eq!(path, "/capabilities/0/timeoutMs");
    assert!(message.contains("write at least 1"), "{message}");
}

#[test]
fn descriptors_are_those_of_the_manifest() {
    let bundle = bundle_of(&[&review()]);
    let ids: Vec<_> = bundle.descriptors.iter().map(|descriptor| descriptor.id.to_string()).collect();
    assert_eq!(ids, ["org.agentries.code-review:2.0.0", "org.agentries.code-review:2.1.0"]);
    for descriptor in &bundle.descriptors {
        for reference in [&descriptor.input_schema, &descriptor.output_schema] {
            let artifact = reference.artifact.as_ref().unwrap();
            assert_eq!(artifact.bundle_id, bundle.bundle_id);
            assert!(reference.matches(&bundle.artifacts[&artifact.artifact_key]));
            assert_eq!(
                (reference.uri.as_deref(), reference.media_type.as_deref()),
                (None, Some("application/schema+json"))
            );
        }
    }
}

#[test]
fn a_bundle_depends_on_its_contents_and_not_on_the_order_of_the_files() {
    let old = manifest(vec![capability("code-review", "1.0.0")]);
    let (one, other) = (bundle_of(&[&review(), &old]), bundle_of(&[&old, &review()]));
    assert_eq!(one, other);
    assert_eq!(one.descriptors.len(), 3);
    assert_ne!(one.bundle_id, bundle_of(&[&review()]).bundle_id);
    assert!(one.bundle_id.starts_with("org.agentries."), "{}", one.bundle_id);
}

#[test]
fn a_created_bundle_can_be_opened_and_served() {
    let (folder, bundle) = super::written();
    let open = opened(folder.path());
    assert_eq!((open.index().bundle_id.as_str(), open.index().created), (bundle.bundle_id.as_str(), CREATED));
    let [old, new] = open.contracts() else { panic!("{:?}", open.contracts()) };
    assert_eq!((old.timeout_ms, new.timeout_ms), (None, Some(5000)));
    assert_eq!(
        (old.input.canonical().as_str(), new.input.canonical().as_str()),
        ("true", r#"{"required":["url"],"type":"object"}"#)
    );
    capgen_amp::catalogue::Catalogue::new(open.contracts().to_vec()).unwrap();
}

/// Decisions 7 and 16.
#[test]
fn all_errors_of_all_manifests_are_reported_at_once() {
    let first = manifest(vec![Capability::new("Review"), capability("translate", "1.0.0+a")]);
    let long = format!("1.0.0-{}", "a".repeat(250));
    let second = manifest(vec![
        capability("b", &long),
        Capability { supported_versions: vec![format!("<{long}").parse().unwrap()], ..capability("c", "1.0.0") },
        capability("d", "1.0.0"),
        capability("d", "1.0.0+x"),
    ]);
    let found: Vec<_> = errors(&[&first, &second]).into_iter().map(|e| (e.manifest, e.path, e.rule)).collect();
    let expected = [
        (0, "/capabilities/0/name", Rule::Name),
        (0, "/capabilities/0/version", Rule::Version),
        (1, "/capabilities/0/version", Rule::Version),
        (1, "/capabilities/1/supportedVersions/0", Rule::Range),
        (1, "/capabilities/3", Rule::Duplicate),
    ];
    assert_eq!(found, expected.map(|(index, path, rule)| (Some(index), path.to_owned(), rule)));
}

#[test]
fn equal_versions_in_two_manifests_are_reported_in_the_later_one() {
    let one = manifest(vec![capability("a", "1.0.0"), capability("b", "1.0.0+z")]);
    let other = manifest(vec![capability("b", "1.0.0")]);
    let [error] = &errors(&[&one, &other])[..] else { panic!("one error") };
    assert_eq!((error.manifest, error.path.as_str(), error.rule), (Some(1), "/capabilities/0", Rule::Duplicate));
    assert_eq!(error.other, Some((0, "/capabilities/1".to_owned())));
    assert_eq!(errors(&[&one, &one]).len(), 2);
}

#[test]
fn a_schema_has_at_most_one_mebibyte() {
    let sized = |length: usize| {
        let source = format!(r#"{{"description":"{}"}}"#, "x".repeat(length - 18));
        manifest(vec![Capability { output: schema(&source), ..capability("a", "1.0.0") }])
    };
    let folder = TempDir::new().unwrap();
    write(&bundle_of(&[&sized(1 << 20)]), folder.path());
    opened(folder.path());
    let [error] = &errors(&[&sized((1 << 20) + 1)])[..] else { panic!("one error") };
    assert_eq!((error.path.as_str(), error.rule), ("/capabilities/0/outputSchema", Rule::Size));
}

#[test]
fn a_namespace_begins_valid_names() {
    for text in ["org.agentries", "com.acme-2.a", "a.b.c.d"] {
        assert_eq!(text.parse::<capgen_amp::bundle::Namespace>().unwrap().as_str(), text);
    }
    let long = format!("a.{}", "b".repeat(252));
    for text in ["", "org", "org.", ".org", "org..a", "Org.a", "org.a_b", "org.a/b", "org.a.", "org. a", &long] {
        assert!(text.parse::<capgen_amp::bundle::Namespace>().is_err(), "{text}");
    }
}

fn schemas() -> impl Strategy<Value = Option<Schema>> {
    let scalar = prop_oneof![
        Just(r#"{"type":"string","maxLength":3}"#.to_owned()),
        Just(r#"{"minimum":0.5,"type":"number"}"#.to_owned()),
        Just("false".to_owned()),
        "[a-zé\u{1f600}\\\\n]{0,8}".prop_map(|text| format!(r#"{{"title":{}}}"#, serde_json::Value::from(text))),
    ];
    let schema = prop_oneof![
        scalar.clone(),
        (scalar.clone(), scalar).prop_map(|(a, b)| {
            format!(r##"{{"definitions":{{"a":{a}}},"properties":{{"z":{{"$ref":"#/definitions/a"}},"b":{b}}}}}"##)
        }),
    ];
    proptest::option::of(schema.prop_map(|text| Schema::parse_text(&text).unwrap()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_created_bundle_is_valid(
        capabilities in proptest::collection::btree_map(("[a-z][a-z0-9]{0,5}", 0..4u64), (schemas(), schemas()), 0..8),
        timeout in proptest::option::of(1..u64::MAX),
    ) {
        let capabilities: Vec<_> = capabilities.into_iter().map(|((name, minor), (input, output))| {
            Capability { input, output, timeout_ms: timeout, ..capability(&name, &format!("1.{minor}.0")) }
        }).collect();
        let manifest = manifest(capabilities);
        let bundle = bundle_of(&[&manifest]);
        prop_assert_eq!(&bundle, &bundle_of(&[&manifest]));
        let folder = TempDir::new().unwrap();
        write(&bundle, folder.path());
        let open = opened(folder.path());
        prop_assert_eq!(open.contracts().len(), manifest.capabilities.len());
        for contract in open.contracts() {
            let id = contract.descriptor.id.to_string();
            let is_same = |c: &&Capability| format!("org.agentries.{}:{}", c.name, c.version.as_ref().unwrap()) == id;
            let capability = manifest.capabilities.iter().find(is_same).unwrap();
            let text = |schema: &Option<Schema>| schema.as_ref().map_or(Json::Bool(true).canonical(), |s| s.source().canonical());
            prop_assert_eq!(contract.input.source().canonical(), text(&capability.input));
            prop_assert_eq!(contract.output.source().canonical(), text(&capability.output));
            prop_assert_eq!(contract.timeout_ms, timeout);
        }
        for (path, bytes) in bundle.files() {
            prop_assert_eq!(fs::read(folder.path().join(path)).unwrap(), bytes);
        }
    }
}

#[test]
fn manifests_give_the_catalogue_of_their_bundle() {
    let other = manifest(vec![capability("list-rules", "1.0.0")]);
    let manifests = [&review(), &other];
    let folder = TempDir::new().unwrap();
    write(&bundle_of(&manifests), folder.path());
    let bundle = opened(folder.path());
    let expected = Catalogue::new(bundle.contracts().to_vec()).unwrap();
    let found = Catalogue::of_manifests(&manifests, &"org.agentries".parse().unwrap()).unwrap();
    assert_eq!(found.hash(), expected.hash());
    let contracts = |catalogue: &Catalogue| -> Vec<_> {
        let contracts = catalogue.published().iter().map(capgen_amp::catalogue::Published::contract);
        contracts.map(|it| (it.descriptor.clone(), it.input.hash(), it.output.hash(), it.timeout_ms)).collect()
    };
    assert_eq!(contracts(&found), contracts(&expected));
    assert_eq!(contracts(&found).len(), 3);

    let twice = Catalogue::of_manifests(&[&other, &other], &"org.agentries".parse().unwrap()).unwrap_err();
    assert_eq!(
        (twice.len(), twice[0].rule, twice[0].other.clone()),
        (1, Rule::Duplicate, Some((0, "/capabilities/0".to_owned())))
    );
}
