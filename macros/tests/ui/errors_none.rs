use capgen::{Capability, CapabilityError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema, Capability)]
#[capability(response = String, errors = BookError)]
struct Book {
    trip: String,
}

#[derive(Debug, CapabilityError)]
enum BookError {}

fn main() {}
