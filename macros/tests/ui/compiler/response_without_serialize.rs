use capgen::Capability;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema, Capability)]
#[capability(response = Review)]
struct ReviewPr {
    url: String,
}

#[derive(Deserialize, JsonSchema)]
struct Review {
    summary: String,
}

fn main() {}
