//! Contracts in other formats.

mod extra;
mod loss;
mod mcp;

pub use loss::Loss;
pub use mcp::{McpOptions, mcp};

use capgen_schema::Json;

/// A contract in another format.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Export {
    /// The document.
    pub document: Json,
    /// The parts of the contract that the document does not express, or expresses differently, in source order.
    pub losses: Vec<Loss>,
}
