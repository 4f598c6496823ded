use capgen::Capability;
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Serialize, JsonSchema, Capability)]
struct ReviewPr {
    url: String,
}

fn main() {}
