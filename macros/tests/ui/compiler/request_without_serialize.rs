use capgen::Capability;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema, Capability)]
struct ReviewPr {
    url: String,
}

fn main() {}
