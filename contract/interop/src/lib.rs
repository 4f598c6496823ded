//! Contracts of capgen from and to other formats: MCP tools, OpenAPI, A2A agent cards, strict tool schemas and JSON
//! Schema.
//!
//! Everything here is a function of values: it uses no IO, clock or randomness, and fetches no reference. An export
//! reports each part that its format cannot express as a [`Loss`], and keeps it in an extension from which an import
//! restores it.
//!
//! ```
//! use capgen_interop::{McpOptions, mcp};
//! use capgen_manifest::{Source, load};
//!
//! let text = "\
//! version: 1
//! agent: agent://shop
//! transports: [{ kind: memory, topics: { requests: shop } }]
//! capabilities: [{ name: find, inputSchema: { type: object } }]
//! ";
//! let contract = load(&Source::new("capabilities.yaml", text)).unwrap();
//! let tools = mcp(&contract.manifest, McpOptions::default()).document;
//! assert_eq!(tools.pointer("/tools/0/name").and_then(|name| name.as_str()), Some("find"));
//! ```
//!
//! # Reading order
//!
//! For contributors. `export/` has one file or folder per format; `export/mcp/strict/` is for hosts that reject unions.
//! `import/` is the other direction: the parts that all imports share (a text with the lines of its values, names from
//! any names, foreign schemas to the subset) are its files, and `import/mcp/` and `import/openapi/` have the formats
//! that need several.
//!
//! The files beside them serve both directions: the names under which an export keeps what its format cannot express,
//! the schemas of a tool. `codes/` has the codes with their pages.
#![cfg_attr(docsrs, feature(doc_cfg))]
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

pub use export::{Export, Loss, McpOptions, OpenAiOptions, a2a, json_schema, mcp, openai, openapi, tool_names};
pub use marker::{
    A2A_EXTENSION, CONTRACT_FILE, CONTRACT_FORMAT, MCP_META_KEY, OPENAPI_DEFINITION_KEY, OPENAPI_KEY, REQUEST_MEMBER,
    RESPONSE_MEMBER,
};
pub use text::pretty;
pub use tool::{ToolSide, tool_side};
