//! The members of `_meta`: those that the revision 2026-07-28 reserves, and the error of a handler.

use capgen_schema::Json;

use crate::json::{empty, object, string};
use crate::revision::Revision;

pub(crate) const REVISION: &str = "io.modelcontextprotocol/protocolVersion";
pub(crate) const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
pub(crate) const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
pub(crate) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// The place of a call in its trace, by W3C Trace Context, where SEP-414 of MCP puts it.
pub(crate) const TRACEPARENT: &str = "traceparent";

/// In the result of a tool that failed: the payload of the error, as calls over other transports have it.
pub(crate) const ERROR: &str = "io.github.capgen/error";

/// The name and the version of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Implementation {
    /// The name.
    pub name: String,
    /// The version; any text.
    pub version: String,
}

impl Implementation {
    /// A program.
    #[must_use]
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self { name: name.into(), version: version.into() }
    }

    pub(crate) fn to_json(&self) -> Json {
        object([("name", string(self.name.as_str())), ("version", string(self.version.as_str()))])
    }

    /// The name and version in a message. Neither is trusted.
    pub(crate) fn read(value: Option<&Json>) -> Self {
        let text = |key| {
            let text = value.and_then(|value| value.get(key)).and_then(Json::as_str).unwrap_or_default();
            capgen_diagnostic::cut_short(text, 200).into_owned()
        };
        Self { name: text("name"), version: text("version") }
    }
}

/// `_meta` of a request, with the `traceparent` of `own`, if it has one.
pub(crate) fn of_request(revision: Revision, client: &Implementation, own: Option<&Json>) -> Json {
    let reserved =
        [(REVISION, string(revision.as_str())), (CLIENT_INFO, client.to_json()), (CLIENT_CAPABILITIES, empty())];
    let traceparent = own.and_then(|own| own.get(TRACEPARENT)).map(|traceparent| (TRACEPARENT, traceparent.clone()));
    let members = reserved.into_iter().chain(traceparent).map(|(name, value)| (name.to_owned(), value));
    Json::Object(members.collect())
}
