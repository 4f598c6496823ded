use capgen::Capability;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema, Capability)]
#[capability(name = "review pr", timeoutMs = 60_000, tags = [code, "", "review"], version = "1.2")]
#[capability(timeout_ms = 0, ???, idempotent = 1, version = "1.2.0", response = "Review")]
#[capability]
struct ReviewPr<'a, T> {
    #[capability(skip)]
    url: &'a str,
    of: T,
}

fn main() {}
