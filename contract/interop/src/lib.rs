//! Contracts of capgen from and to other formats: MCP tools, OpenAPI, A2A agent cards, strict tool schemas and JSON Schema.
//!
//! Everything here is a function of values: it uses no IO, clock or randomness, and fetches no reference.
#![forbid(unsafe_code)]

mod carried;
pub mod codes;
mod export;
pub mod import;
mod marker;
mod operation;
mod root;
mod text;
mod tool;
mod walk;

pub use export::{Export, Loss, McpOptions, OpenAiOptions, a2a, json_schema, mcp, openai, openapi};
pub use marker::{
    A2A_EXTENSION, CONTRACT_FILE, CONTRACT_FORMAT, MCP_META_KEY, OPENAPI_DEFINITION_KEY, OPENAPI_KEY, REQUEST_MEMBER,
    RESPONSE_MEMBER,
};
pub use text::pretty;
pub use tool::{ToolSide, tool_side};
