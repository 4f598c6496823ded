//! The formats of documents, for messages about a document of another format than the expected one.

use capgen_schema::Json;

use super::{Importer, mcp};
use crate::codes;

/// A format of documents, as far as its members show it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Tools,
    OpenApi,
    AgentCard,
    JsonSchema,
}

impl Kind {
    /// The format that a document probably has.
    fn of(document: &Json) -> Option<Self> {
        let has = |name: &str| document.get(name).is_some();
        let is_list = |value: Option<&Json>| value.is_some_and(|value| value.as_array().is_some());
        let is_tool = |value: &Json| mcp::is_tool(value) || is_list(value.get("tools"));
        if has("openapi") || has("swagger") {
            Some(Self::OpenApi)
        } else if document.as_array().and_then(|items| items.first()).is_some_and(is_tool)
            || is_list(document.get("tools"))
            || is_list(document.get("result").and_then(|result| result.get("tools")))
        {
            Some(Self::Tools)
        } else if is_list(document.get("skills")) {
            Some(Self::AgentCard)
        } else {
            let is_schema = has("$schema") || has("$defs") || has("definitions") || has("type") && has("properties");
            is_schema.then_some(Self::JsonSchema)
        }
    }

    /// The format in messages.
    fn name(self) -> &'static str {
        match self {
            Self::Tools => "a list of MCP tools",
            Self::OpenApi => "an OpenAPI document",
            Self::AgentCard => "an A2A agent card",
            Self::JsonSchema => "a JSON Schema",
        }
    }

    /// The command that reads it.
    fn help(self) -> &'static str {
        match self {
            Self::Tools => "use `capgen import mcp`",
            Self::OpenApi => "use `capgen import openapi`",
            Self::AgentCard => "use `capgen import a2a`",
            Self::JsonSchema => "use `capgen import json-schema`",
        }
    }
}

impl Importer {
    /// Reports a document that has another format than the expected one; returns whether it does.
    pub(crate) fn is_other_kind(&mut self, document: &Json, at: &str, expected: Kind) -> bool {
        let Some(kind) = Kind::of(document).filter(|kind| *kind != expected) else { return false };
        let message = format!("the document is {}, not {}", kind.name(), expected.name());
        self.document_finding(codes::WRONG_FORM, at.to_owned(), message, kind.help());
        true
    }
}
