//! Everyone who judges payloads by a schema, side by side: the ways of capgen, and independent oracles.
#![forbid(unsafe_code)]

pub mod defects;
mod node_oracles;
mod rust_oracles;

pub use node_oracles::NodeOracles;
pub use rust_oracles::{Boon, JsonSchema};
