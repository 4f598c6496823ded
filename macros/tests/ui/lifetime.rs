use capgen::Capability;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema, Capability)]
struct ReviewPr<'a> {
    url: &'a str,
}

fn main() {}
