//! Agents of capgen as servers of the Model Context Protocol (MCP), and typed calls of MCP servers.
#![forbid(unsafe_code)]
mod client;
mod error;
#[cfg(feature = "fuzz")]
#[doc(hidden)]
pub mod fuzz;
mod header;
mod http_names;
mod json;
mod lines;
mod message;
mod meta;
mod recover;
mod revision;
mod server;
mod sse;
mod transport;
pub use capgen_net::Server as HttpService;
#[cfg(feature = "tls")]
pub use capgen_net::{ClientTls, TlsError};
pub use client::{
    ClientOptions, HttpServer, ListLimits, McpClient, ServerCommand, ServerInfo, Tool, ToolList, ToolResult,
};
pub use error::McpError;
pub use message::RpcError;
pub use meta::Implementation;
pub use revision::Revision;
pub use server::{HttpOptions, InvalidAgent, McpServer, McpServerBuilder, ServerLimits};
pub use transport::{INPUT_REQUIRED, INVALID_ARGUMENTS, McpTransport, SERVER_FAILED, TOOL_FAILED, ToolNames};
