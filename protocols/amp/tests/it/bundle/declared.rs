//! The schemas of declared descriptors (section 5.3; A.10 and A.11).

use capgen_amp::bundle::BundleError;
use capgen_amp::descriptor::{ArtifactRef, Descriptor, HashAlgorithm, SchemaRef};
use capgen_amp::{Code, message::Rejection};
use serde_json::json;

use super::{opened, written};

#[test]
fn a_declared_descriptor_gets_its_schemas_from_the_bundle() {
    let (folder, bundle) = written();
    let open = opened(folder.path());
    drop(folder);
    let [_, declared] = &bundle.descriptors[..] else { panic!("two descriptors") };
    let declared = Descriptor::read(&declared.to_value()).unwrap();
    let contract = open.contract(&declared).unwrap();
    let validator = capgen_schema::Validator::new(&contract.input);
    assert!(validator.is_valid(&json!({"url": ""})) && !validator.is_valid(&json!({})));
    // Another descriptor may refer to the same schemas, with another algorithm.
    let artifact = declared.input_schema.artifact.clone().unwrap();
    let bytes = open.resolve(&artifact).unwrap();
    let other = Descriptor {
        id: "org.other.review:1.0.0".parse().unwrap(),
        input_schema: SchemaRef::to_artifact(artifact, HashAlgorithm::Sha512, bytes),
        ..declared
    };
    assert_eq!(open.contract(&other).unwrap().input.hash(), contract.input.hash());
}

#[test]
fn a_reference_that_the_bundle_does_not_fulfil_is_unavailable() {
    let (folder, bundle) = written();
    let open = opened(folder.path());
    let declared = &bundle.descriptors[0];
    let place = declared.input_schema.artifact.clone().unwrap();
    let with = |change: &dyn Fn(&mut SchemaRef)| {
        let mut declared = declared.clone();
        change(&mut declared.output_schema);
        Rejection::from(open.contract(&declared).unwrap_err())
    };
    let cases = [
        with(&|r| r.hash = HashAlgorithm::Sha256.hash(b"false")),
        with(&|r| (r.hash_alg, r.hash) = (HashAlgorithm::Sha512, vec![0; 64])),
        with(&|r| r.artifact = Some(ArtifactRef { artifact_key: "other.json".to_owned(), ..place.clone() })),
        with(&|r| r.artifact = Some(ArtifactRef { artifact_key: "../bundle.cbor".to_owned(), ..place.clone() })),
        with(&|r| r.artifact = Some(ArtifactRef { bundle_id: "other".to_owned(), ..place.clone() })),
        with(&|r| (r.artifact, r.uri) = (None, Some("https://registry.example/true.json".to_owned()))),
    ];
    for rejection in cases {
        assert_eq!(rejection.code, Code::Unavailable, "{rejection}");
    }
    assert_eq!(BundleError::CODE.number(), 5002);
}
