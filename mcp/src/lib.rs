//! Agents of capgen as servers of the Model Context Protocol (MCP), and typed calls of MCP servers.
#![forbid(unsafe_code)]
