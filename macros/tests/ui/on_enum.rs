use capgen::Capability;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema, Capability)]
enum Request {
    Review { url: String },
    Merge { url: String },
}

fn main() {}
