use capgen::Capability;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema, Capability)]
struct Search<T> {
    like: T,
}

fn main() {}
