//! The model of `capabilities.yaml` and `fleet.yaml`; with the default feature `parse`, the reader that makes it from
//! untrusted text, and diagnostics with source snippets.
#![forbid(unsafe_code)]

#[cfg(feature = "parse")]
mod diagnostic;
mod model;
#[cfg(feature = "parse")]
mod source;
#[cfg(feature = "parse")]
mod tree;

pub use model::{AgentId, Capability, Determinism, Manifest, Side, SideEffects, Transport};

#[cfg(feature = "parse")]
pub use {
    diagnostic::{Diagnostic, Label},
    source::Source,
    tree::{Data, Member, Node},
};
