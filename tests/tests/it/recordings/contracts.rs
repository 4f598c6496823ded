//! The contracts of the recorded peers: files, and types with the same contracts.

use capgen::Capability;
use capgen_manifest::{Manifest, Source, load};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::recording::folder;

/// The versions of the contract of `shop`. All have a capability `ping` without schemas.
pub(crate) const VERSIONS: [&str; 5] = ["0.9.0", "1.0.0", "1.1.0", "2.0.0", "2.1.0"];

/// The contract of a version.
pub(crate) fn manifest(version: &str) -> Manifest {
    let name = format!("contracts/shop-{version}.json");
    let text = std::fs::read_to_string(folder().join(&name)).unwrap();
    load(&Source::new(name, text)).unwrap().manifest
}

/// A capability without schemas.
#[derive(Capability)]
#[capability(idempotent)]
pub(crate) struct Ping;

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Verdict {
    approved: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(length(min = 1)))]
    comments: Vec<String>,
}

/// Any comments.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct EarlyVerdict {
    approved: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    comments: Vec<String>,
}

/// Before the tags had a length.
#[derive(Serialize, Deserialize, JsonSchema, Capability)]
#[serde(deny_unknown_fields)]
#[capability(name = "review", response = EarlyVerdict, version = "0.9.0", description = "")]
pub(crate) struct Review09 {
    #[schemars(length(min = 1))]
    text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
}

#[derive(Serialize, Deserialize, JsonSchema, Capability)]
#[serde(deny_unknown_fields)]
#[capability(name = "review", response = Verdict, version = "1.0.0")]
pub(crate) struct Review10 {
    #[schemars(length(min = 1))]
    text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(length(min = 1)))]
    tags: Vec<String>,
}

/// With a new optional property.
#[derive(Serialize, Deserialize, JsonSchema, Capability)]
#[serde(deny_unknown_fields)]
#[capability(name = "review", response = Verdict, version = "1.1.0", description = "")]
pub(crate) struct Review11 {
    #[schemars(length(min = 1))]
    text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(length(min = 1)))]
    tags: Vec<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    note: String,
}

/// With a new required property.
#[derive(Serialize, Deserialize, JsonSchema, Capability)]
#[serde(deny_unknown_fields)]
#[capability(name = "review", response = Verdict, version = "2.0.0", min_schema_version = "1.1.0", description = "")]
pub(crate) struct Review20 {
    #[schemars(length(min = 1))]
    text: String,
    depth: bool,
}

/// The same request, for other callers.
#[derive(Serialize, Deserialize, JsonSchema, Capability)]
#[serde(deny_unknown_fields)]
#[capability(name = "review", response = Verdict, version = "2.1.0", supported_versions = [">=1.1.0 <2.1.0"], description = "")]
pub(crate) struct Review21 {
    #[schemars(length(min = 1))]
    text: String,
    depth: bool,
}

#[test]
fn the_types_have_the_recorded_contracts() {
    let types = [
        Review09::descriptor(),
        Review10::descriptor(),
        Review11::descriptor(),
        Review20::descriptor(),
        Review21::descriptor(),
    ];
    for (version, descriptor) in VERSIONS.into_iter().zip(types) {
        let manifest = manifest(version);
        let [review, ping] = &manifest.capabilities[..] else { panic!("{version}: two capabilities") };
        assert_eq!(review.hash().to_string(), descriptor.hash, "{version}: {descriptor:#?}");
        let (hash, is_idempotent) = (ping.hash().to_string(), ping.idempotent);
        assert_eq!((&*hash, is_idempotent), (Ping::descriptor().hash, Ping::descriptor().idempotent));
    }
}
