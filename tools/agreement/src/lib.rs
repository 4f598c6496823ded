//! Compares capgen's engines, which validate payloads, with independent implementations of JSON Schema, the oracles.
//!
//! [`containment`] compares the answers to whether one schema contains another.
#![forbid(unsafe_code)]

pub mod containment;
pub mod defects;
mod node_oracles;
mod rust_oracles;

pub use node_oracles::NodeOracles;
pub use rust_oracles::{Boon, JsonSchema};
