//! Types of Rust, as users of serde write them: each with values, to be taken through its contract and back.

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

/// A capability whose request and response are of one type.
#[derive(Serialize, Deserialize, JsonSchema, Capability)]
#[serde(transparent)]
#[capability(response = T)]
struct Both<T: JsonSchema>(T);

/// A type, and what is known of it.
pub struct Case {
    /// What it shows.
    pub name: &'static str,
    /// The capability that has it on both sides, or why it has none.
    pub entry: fn() -> Result<Entry, Vec<capgen::UnsupportedSchema>>,
    /// What serde writes for values of it.
    pub written: Vec<String>,
    /// What serde reads of a text, written again; `None` where it refuses.
    pub by_serde: fn(&str) -> Option<Value>,
    /// What the capability reads of a text, written again; `None` where it refuses.
    pub by_capability: fn(&str) -> Option<Value>,
}

fn case<T>(name: &'static str, values: Vec<T>) -> Case
where
    T: Serialize + DeserializeOwned + JsonSchema + 'static,
{
    Case {
        name,
        entry: || Both::<T>::contract().entry,
        written: values.iter().filter_map(|value| serde_json::to_string(value).ok()).collect(),
        by_serde: |text| serde_json::to_value(serde_json::from_str::<T>(text).ok()?).ok(),
        by_capability: |text| serde_json::to_value(Both::<T>::from_json_str(text).ok()?).ok(),
    }
}

/// Every type.
pub fn cases() -> Vec<Case> {
    [values::cases(), fields::cases(), shapes::cases(), enums::cases()].into_iter().flatten().collect()
}
