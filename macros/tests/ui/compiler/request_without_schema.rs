use capgen::Capability;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Capability)]
struct ReviewPr {
    url: String,
}

fn main() {}
