//! The model of `capabilities.yaml` and `fleet.yaml`; with the default feature `parse`, the reader that makes it from
//! untrusted text, and diagnostics with source snippets.
#![forbid(unsafe_code)]

mod model;

pub use model::{AgentId, Capability, Determinism, Manifest, Side, SideEffects, Transport};
