//! The errors of clients and servers.

use std::fmt;

use crate::message::{Malformed, RpcError};

/// Why a request to an MCP server has no result.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum McpError {
    /// The server could not be started or reached.
    Connect(String),
    /// The server ended, or the connection to it.
    Closed(String),
    /// No answer arrived in time. The text is about lines of the server that were not answers, if there were any.
    Timeout(Option<String>),
    /// The server answered with an error.
    Server(RpcError),
    /// The server answered with an HTTP status that is not an answer of the protocol.
    Http(u16),
    /// The server answered with a redirect, which is not followed: the HTTP status, and the URL without its query, if
    /// it is text.
    Redirect(u16, String),
    /// The server and this crate have no revision of the protocol in common; the texts are the server's revisions.
    NoCommonRevision(Vec<String>),
    /// The tool asks for input of a user or of a model, which this client does not have.
    InputRequired,
    /// The arguments of the call are not an object, and the protocol has no others. The server was not asked.
    Arguments(String),
    /// The server violates the protocol.
    Protocol(String),
    /// A message or a list of the server is larger than the limit.
    Limit(String),
}

impl McpError {
    /// The error of a request whose answer cannot be read.
    pub(crate) fn unread(malformed: &Malformed) -> Self {
        Self::Protocol(format!("its answer is {malformed}"))
    }
}

impl fmt::Display for McpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connect(reason) => write!(f, "the MCP server cannot be reached: {reason}"),
            Self::Closed(reason) => write!(f, "the connection to the MCP server ended: {reason}"),
            Self::Timeout(None) => f.write_str("the MCP server did not answer in time"),
            Self::Timeout(Some(lines)) => write!(f, "the MCP server did not answer in time; {lines}"),
            Self::Server(error) => write!(f, "the MCP server answered with an error: {error}"),
            Self::Http(status) => write!(f, "the MCP server answered with the HTTP status {status}"),
            Self::Redirect(status, url) => write!(
                f,
                "the MCP server answered with a redirect to `{url}`, which is not followed (HTTP status {status})"
            ),
            Self::NoCommonRevision(revisions) => {
                write!(f, "the MCP server supports only other revisions of the protocol: {}", revisions.join(", "))
            }
            Self::InputRequired => {
                f.write_str("the tool asks for input of a user or a model, which this client does not have")
            }
            Self::Arguments(reason) => f.write_str(reason),
            Self::Protocol(reason) => write!(f, "the MCP server violates the protocol: {reason}"),
            Self::Limit(reason) => write!(f, "the MCP server sends too much: {reason}"),
        }
    }
}

impl std::error::Error for McpError {}
