//! The contracts and payloads that the benchmarks share.

/// A contract with one capability, and a valid payload.
pub struct Case {
    pub name: &'static str,
    /// The text of `capabilities.yaml`.
    pub contract: &'static str,
    /// The JSON text as it is received.
    pub payload: &'static [u8],
}

macro_rules! case {
    ($name:literal) => {
        Case {
            name: $name,
            contract: include_str!(concat!("../", $name, "/capabilities.yaml")),
            payload: include_bytes!(concat!("../", $name, "/payload.json")),
        }
    };
}

pub const FLAT: Case = case!("flat");
pub const FINDINGS: Case = case!("findings");
pub const UNION: Case = case!("union");
pub const ENUMS: Case = case!("enums");
pub const TREE: Case = case!("tree");
