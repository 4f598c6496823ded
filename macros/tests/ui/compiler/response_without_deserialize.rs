use capgen::Capability;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema, Capability)]
#[capability(response = Vec<Review>)]
struct ReviewPr {
    url: String,
}

#[derive(Serialize, JsonSchema)]
struct Review {
    summary: String,
}

fn main() {}
