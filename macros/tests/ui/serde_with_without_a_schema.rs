use capgen::Capability;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema, Capability)]
struct Paint {
    #[serde(rename = "colour", with = "hex")]
    color: u32,
    #[serde(with = "hex")]
    #[schemars(with = "String")]
    described: u32,
}

mod hex {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(value: &u32, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&format!("{value:x}"))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
        String::deserialize(deserializer).map(|_| 0)
    }
}

fn main() {}
