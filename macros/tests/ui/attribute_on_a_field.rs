use capgen::Capability;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema, Capability)]
struct ReviewPr {
    #[capability(description = "The address.")]
    url: String,
}

fn main() {}
