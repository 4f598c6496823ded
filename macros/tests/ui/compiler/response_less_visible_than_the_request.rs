use capgen::Capability;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema, Capability)]
#[capability(response = Review)]
pub struct ReviewPr {
    url: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Review {
    summary: String,
}

fn main() {}
