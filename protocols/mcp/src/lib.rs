//! Agents of capgen as servers of the Model Context Protocol (MCP), and typed calls of MCP servers.
//!
//! The messages, the negotiation, the lists of tools and the plans of the server use no IO.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use capgen_call::Handlers;
//! use capgen_mcp::McpServer;
//!
//! let handlers = Handlers::new("echo").with_loose("say", async |_, payload| Ok(payload));
//! // Nothing else may write to standard output.
//! McpServer::new(handlers)?.serve(tokio::io::stdin(), tokio::io::stdout()).await?;
//! # Ok(())
//! # }
//! ```
//!
//! # Reading order
//!
//! For contributors. `revision.rs`, `message.rs` and `meta.rs` are the protocol: its revisions, messages of JSON-RPC,
//! and their members. `recover.rs` finds the request in a text that is invalid, so that it gets an answer.
//!
//! `client/` starts a server as a child process, or connects to one over HTTP; it agrees on a revision, lists the tools
//! and calls them. `transport.rs` makes that a transport of `capgen-call`.
//!
//! `server/` turns a message into its answer or into a call, for all revisions, and runs handlers; `server/http/` and
//! the pipes carry messages, with limits on memory and lines. `server/authorize.rs` decides who may call, by the rule
//! of `capgen-call`. `calls.rs` finds the calls that run, for cancels; the
//! transport has them too. The tests with other implementations are in `tests/mcp`.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
mod calls;
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
