//! The generated code of three MCP servers from npm.
//!
//! `agents/` has their contracts, as `capgen import mcp --stdio` writes them; a test compares them with the running
//! servers.

/// The server `everything`, which has examples of all parts of the protocol.
#[path = "../generated/everything.rs"]
pub mod everything;
/// The server `filesystem`, which reads and writes files in some folders.
#[path = "../generated/filesystem.rs"]
pub mod filesystem;
/// The server `memory`, a graph of knowledge in a file.
#[path = "../generated/memory.rs"]
pub mod memory;
