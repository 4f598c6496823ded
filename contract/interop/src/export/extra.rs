//! The keys of a capability that a format has no place for.

use capgen_manifest::{Capability, Manifest, Side};
use capgen_schema::{Json, Object};

/// The values of a capability other than its name and schemas, without the `placed` keys, which the format has a place
/// for.
pub(crate) fn extra(capability: &Capability, placed: &[&str]) -> Object {
    let is_schema = |key: &str| Side::ALL.iter().any(|side| side.schema_key() == key);
    let definition = capability.definition();
    let rest = definition.iter().filter(|(key, _)| key != "name" && !is_schema(key) && !placed.contains(&key.as_str()));
    rest.cloned().collect()
}

/// Adds the texts about the agent to the members with which an import restores the contract.
pub(crate) fn push_about(object: &mut Object, manifest: &Manifest) {
    for (key, value) in &manifest.about.definition() {
        object.push(key.clone(), value.clone());
    }
}

/// Adds a member unless the value is empty.
pub(crate) fn push_unless_empty(object: &mut Object, key: &str, value: Object) {
    if !value.is_empty() {
        object.push(key.to_owned(), Json::Object(value));
    }
}

/// The version of a document for formats that require one: the start of the contract's hash, which changes exactly if
/// the contract does.
pub(crate) fn revision(manifest: &Manifest) -> String {
    manifest.hash().digits(12)
}
