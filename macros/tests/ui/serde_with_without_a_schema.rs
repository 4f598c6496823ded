use capgen::Capability;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize, JsonSchema, Capability)]
struct Paint {
    #[serde(rename = "colour", with = "Hex")]
    color: u32,
    #[serde(with = "Hex")]
    #[schemars(with = "String")]
    described: u32,
}

#[derive(JsonSchema)]
struct Hex;

impl Hex {
    fn serialize<S: Serializer>(value: &u32, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&format!("{value:x}"))
    }

    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
        String::deserialize(deserializer).map(|_| 0)
    }
}

fn main() {}
