//! Rust types as users of serde write them, each with values that are taken through its contract and back.

mod enums;
mod fields;
mod shapes;
mod values;

use capgen::{Capability, Payload};
use capgen_manifest::Capability as Entry;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A capability with the same type as request and response.
#[derive(Serialize, Deserialize, JsonSchema, Capability)]
#[serde(transparent)]
#[capability(response = T)]
struct Both<T: JsonSchema>(T);

/// A type with its values and the functions that read it.
pub struct Case {
    /// A short description, which is also the name of the capability.
    pub name: &'static str,
    /// The capability with the type on both sides, or the reasons why its schema is not supported.
    pub entry: fn() -> Result<Entry, Vec<capgen::UnsupportedSchema>>,
    /// The payloads that serde writes for the values.
    pub written: Vec<String>,
    /// Reads a text through serde and writes it again; `None` if serde rejects it.
    pub by_serde: fn(&str) -> Option<Value>,
    /// Reads a text through the capability and writes it again; `None` if the capability rejects it.
    pub by_capability: fn(&str) -> Option<Value>,
}

fn case<T>(name: &'static str, values: Vec<T>) -> Case
where
    T: Serialize + DeserializeOwned + JsonSchema + 'static,
{
    Case {
        name,
        entry: || Both::<T>::declared().entry,
        written: values.iter().filter_map(|value| serde_json::to_string(value).ok()).collect(),
        by_serde: |text| serde_json::to_value(serde_json::from_str::<T>(text).ok()?).ok(),
        by_capability: |text| serde_json::to_value(Both::<T>::from_json_str(text).ok()?).ok(),
    }
}

/// Every type.
pub fn cases() -> Vec<Case> {
    [values::cases(), fields::cases(), shapes::cases(), enums::cases()].into_iter().flatten().collect()
}
