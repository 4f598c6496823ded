//! The model of `capabilities.yaml` and `fleet.yaml`; with the default feature `parse`, the reader that makes it from
//! untrusted text, and diagnostics with source snippets.
#![forbid(unsafe_code)]

mod characters;
#[cfg(feature = "parse")]
pub mod codes;
mod contract;
#[cfg(feature = "parse")]
mod diagnostic;
#[cfg(feature = "parse")]
mod explain;
#[cfg(feature = "parse")]
mod file;
#[cfg(feature = "parse")]
mod fleet;
#[cfg(feature = "parse")]
mod json_text;
#[cfg(feature = "parse")]
mod lookup;
mod model;
#[cfg(feature = "parse")]
mod parse;
#[cfg(feature = "parse")]
mod read;
#[cfg(feature = "parse")]
pub mod render;
#[cfg(feature = "parse")]
mod source;
mod transport;
mod transport_builder;
#[cfg(feature = "parse")]
mod tree;
pub mod version;
mod write;
#[cfg(feature = "parse")]
mod yaml;

pub use model::{AgentId, Capability, Determinism, Manifest, Side, SideEffects, TransportSettings};

#[cfg(feature = "parse")]
pub use {
    diagnostic::{Diagnostic, Label},
    explain::{Explanation, codes_page, explain, explanations},
    file::{read_source, shown},
    json_text::parse_json,
    lookup::{Fleet, find_root},
    parse::parse_document,
    read::{Loaded, load, load_peer, nearest},
    source::{Position, Source},
    tree::{Data, Member, Node},
    yaml::parse_yaml,
};
