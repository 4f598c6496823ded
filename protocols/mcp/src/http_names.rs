//! The headers of streamable HTTP, in lowercase.

/// The revision, since 2025-06-18.
pub(crate) const REVISION: &str = "mcp-protocol-version";
/// The session, until 2025-11-25.
pub(crate) const SESSION: &str = "mcp-session-id";
/// The method of the message, since 2026-07-28.
pub(crate) const METHOD: &str = "mcp-method";
/// The name of the tool, since 2026-07-28.
pub(crate) const NAME: &str = "mcp-name";
