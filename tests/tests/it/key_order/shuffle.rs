//! The same contract in another order.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use capgen_manifest::{Capability, Manifest};
use capgen_schema::{Json, Schema};

/// The contract with its capabilities, the keys of its schemas and the names in `required` in another order.
pub(super) fn shuffled(contract: &Manifest, seed: u64) -> Manifest {
    let mut capabilities: Vec<Capability> = contract.capabilities.iter().map(|c| capability(c, seed)).collect();
    capabilities.sort_by_key(|capability| rank(seed, "", &capability.name));
    Manifest { capabilities, ..contract.clone() }
}

fn capability(capability: &Capability, seed: u64) -> Capability {
    let other = |schema: &Option<Schema>, side: &str| {
        schema.as_ref().map(|schema| Schema::parse(&subschema(schema.source(), seed, side)).unwrap())
    };
    Capability {
        input: other(&capability.input, "input"),
        output: other(&capability.output, "output"),
        ..capability.clone()
    }
}

/// A number that depends on nothing but the arguments.
fn rank(seed: u64, place: &str, name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (seed, place, name).hash(&mut hasher);
    hasher.finish()
}

/// The members of an object in another order, which differs between places; each value by `f`.
fn members(value: &Json, seed: u64, place: &str, f: impl Fn(&str, &Json) -> Json) -> Json {
    let Json::Object(object) = value else { return value.clone() };
    let mut members: Vec<(String, Json)> = object.iter().map(|(name, value)| (name.clone(), f(name, value))).collect();
    members.sort_by_key(|(name, _)| rank(seed, place, name));
    Json::Object(members.into_iter().collect())
}

fn subschema(schema: &Json, seed: u64, place: &str) -> Json {
    members(schema, seed, place, |keyword, value| {
        let place = format!("{place}/{keyword}");
        match (keyword, value) {
            // Two definitions with other orders of `required` are different definitions, so every list gets the same
            // order.
            ("required", Json::Array(names)) => {
                let mut names = names.clone();
                names.sort_by_key(|name| rank(seed, "required", name.as_str().unwrap_or_default()));
                Json::Array(names)
            }
            ("properties" | "definitions", map) => {
                members(map, seed, &place, |name, value| subschema(value, seed, &format!("{place}/{name}")))
            }
            ("oneOf" | "anyOf" | "allOf", Json::Array(branches)) => {
                let branches = branches.iter().enumerate();
                Json::Array(branches.map(|(i, branch)| subschema(branch, seed, &format!("{place}/{i}"))).collect())
            }
            ("items" | "additionalProperties" | "propertyNames" | "not", value) => subschema(value, seed, &place),
            // Values are data.
            (_, value) => value.clone(),
        }
    })
}
