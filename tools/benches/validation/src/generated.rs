//! The code that capgen generates for the contracts of `tools/benches/payloads`.

#[path = "generated/bench-enums.rs"]
pub mod enums;
#[path = "generated/bench-findings.rs"]
pub mod findings;
#[path = "generated/bench-flat.rs"]
pub mod flat;
#[path = "generated/bench-tree.rs"]
pub mod tree;
#[path = "generated/bench-union.rs"]
pub mod union;
