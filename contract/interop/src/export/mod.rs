//! Contracts in other formats.

mod a2a;
mod components;
mod definitions;
mod extra;
mod http;
mod json_schema;
mod loss;
mod mcp;
mod openai;
mod openapi;
mod problems;
mod rights;
mod versions;

pub use a2a::a2a;
pub(crate) use components::reachable;
pub use json_schema::json_schema;
pub use loss::Loss;
pub use mcp::{McpOptions, mcp, tool_names};
pub(crate) use mcp::{annotations as hints_of, is_any_arguments, strict_form};
pub use openai::{OpenAiOptions, openai};
pub use openapi::openapi;

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
