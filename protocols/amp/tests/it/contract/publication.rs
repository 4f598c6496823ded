use capgen_amp::cbor::Value;
use capgen_amp::descriptor::{ArtifactRef, Descriptor, HashAlgorithm, Publication, SchemaRef};
use capgen_manifest::{AgentId, Capability, Manifest, Side};
use capgen_schema::Schema;

use super::lines;

fn manifest(capabilities: Vec<Capability>) -> Manifest {
    Manifest::new(AgentId::new("reviewer").unwrap(), Vec::new(), capabilities)
}

fn capability(name: &str, version: &str) -> Capability {
    Capability { version: Some(version.parse().unwrap()), ..Capability::new(name) }
}

#[test]
fn a_capability_is_published_with_its_id_versions_and_schemas() {
    let schema =
        r#"{"type": "object", "title": "A review", "properties": {"b": {"maximum": 1.50}, "a": {"default": 1}}}"#;
    let manifest = manifest(vec![
        Capability {
            supported_versions: vec![">=1.0.0   <2.0.0".parse().unwrap(), "0.9.0".parse().unwrap()],
            deprecated_versions: vec!["0.9.0".parse().unwrap()],
            input: Some(Schema::parse_text(schema).unwrap()),
            ..capability("code-review", "1.2.0")
        },
        Capability { id: Some("com.acme.translate".to_owned()), ..capability("Translate_2", "1.0.0-rc.1") },
    ]);
    let published = Publication::of_manifest(&manifest, "org.agentries").unwrap();
    let [review, translate] = published.as_slice() else { panic!("{published:?}") };
    assert_eq!(review.id.to_string(), "org.agentries.code-review:1.2.0");
    assert_eq!(translate.id.to_string(), "com.acme.translate:1.0.0-rc.1");
    let canonical = r#"{"properties":{"a":{"default":1},"b":{"maximum":1.5}},"title":"A review","type":"object"}"#;
    assert_eq!((review.schema(Side::Request).as_str(), review.schema(Side::Response).as_str()), (canonical, "true"));

    let reference = |side: Side| {
        let artifact = ArtifactRef { bundle_id: "b".to_owned(), artifact_key: side.name().to_owned() };
        SchemaRef::to_artifact(artifact, HashAlgorithm::Sha256, review.schema(side).as_bytes())
    };
    let descriptor = review.descriptor(reference(Side::Request), reference(Side::Response));
    let value = descriptor.to_value();
    assert_eq!(Descriptor::read(&value), Ok(descriptor));
    let ranges = value.get("supported_ranges").unwrap().as_array().unwrap();
    assert_eq!(ranges, [Value::from(">=1.0.0 <2.0.0"), Value::from("0.9.0")]);
    let absent = translate.descriptor(reference(Side::Request), reference(Side::Response)).to_value();
    assert!(absent.get("supported_ranges").is_none() && absent.get("deprecated_ranges").is_none());
}

/// Decisions 7 and 16.
#[test]
fn all_violations_of_a_manifest_are_reported_at_once() {
    let long = format!("1.0.0-{}", "a".repeat(250));
    let manifest = manifest(vec![
        Capability::new("Review_2"),
        Capability { id: Some("org.review".to_owned()), ..capability("b", &long) },
        Capability { supported_versions: vec![format!(">={long}").parse().unwrap()], ..capability("c", "1.0.0") },
        Capability { id: Some("org.agentries.d".to_owned()), ..capability("e", "1.0.0+b") },
        capability("d", "1.0.0+a"),
        capability("f", "1.0.0"),
    ]);
    let errors = Publication::of_manifest(&manifest, "org.agentries").unwrap_err();
    assert_eq!(
        lines(&errors),
        [
            "/capabilities/0/name: `org.agentries.Review_2` is not a name of AMP: the segments of a name consist of words of lower-case letters and digits, separated by single hyphens",
            "/capabilities/0/version: missing; every published capability has a version",
            "/capabilities/1/id: `org.review` is not a name of AMP: a name has at least three segments, as `org.agentries.code-review` has",
            "/capabilities/1/version: a version has at most 255 bytes",
            "/capabilities/2/supportedVersions/0: a version has at most 255 bytes",
            "/capabilities/4: `org.agentries.d:1.0.0+b` and `org.agentries.d:1.0.0+a` have equal precedence",
        ]
    );
}

#[test]
fn an_invalid_namespace_is_reported_for_each_name() {
    let manifest = manifest(vec![capability("review", "1.0.0"), capability("translate", "1.0.0")]);
    for namespace in ["", "org", "Org.Agentries", "org.agentries.", "org agentries"] {
        assert_eq!(Publication::of_manifest(&manifest, namespace).unwrap_err().len(), 2, "{namespace}");
    }
    assert!(Publication::of_manifest(&manifest, "org.agentries").is_ok());
}
