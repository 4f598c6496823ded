//! The names that every file exports, whatever its capabilities.
//!
//! They begin with the name of the agent, so that `export *` of several agents has no name twice.

use std::collections::HashSet;

use capgen_manifest::Options;

use super::calls;
use crate::model::Model;
use crate::name;

/// The names of the exports that do not belong to one capability or type.
pub(super) struct AgentNames {
    /// The interface from names of capabilities to types.
    pub(super) capabilities: String,
    /// The constant from names of capabilities to functions and properties.
    pub(super) table: String,
    pub(super) result: String,
    pub(super) violation: String,
    pub(super) options: String,
    /// The class of the errors that `assert` functions throw.
    pub(super) error: String,
    /// The interface of the sides as Standard Schemas, if they are generated.
    pub(super) standard_schema: Option<String>,
    /// The names of the items for calls, if they are generated.
    pub(super) calls: Option<CallNames>,
}

/// The names of the exports for calls.
pub(super) struct CallNames {
    /// The names of the types in `calls/types.ts` start with it.
    pub(super) prefix: String,
    /// The interface of clients.
    pub(super) client: String,
    /// The interface of implementations.
    pub(super) handlers: String,
    /// The function that makes a client.
    pub(super) create: String,
    /// The function that handles a message.
    pub(super) handle: String,
    /// The function that makes a server.
    pub(super) create_server: String,
    /// The class of the errors of calls.
    pub(super) error: String,
}

impl CallNames {
    fn with_prefix(prefix: &str) -> Self {
        Self {
            prefix: prefix.to_owned(),
            client: format!("{prefix}Client"),
            handlers: format!("{prefix}Handlers"),
            create: format!("create{prefix}Client"),
            handle: format!("handle{prefix}"),
            create_server: format!("create{prefix}Server"),
            error: format!("{prefix}FailedCallError"),
        }
    }

    /// The name of one of the types in `calls/types.ts`.
    pub(super) fn of(&self, name: &str) -> String {
        [self.prefix.as_str(), name].concat()
    }

    fn all(&self) -> impl Iterator<Item = String> {
        let Self { prefix: _, client, handlers, create, handle, create_server, error } = self;
        let others = [client, handlers, create, handle, create_server, error].map(Clone::clone);
        others.into_iter().chain(calls::TYPES.iter().map(|name| self.of(name)))
    }
}

impl AgentNames {
    /// The names for the agent of a model, in which no name is `taken`.
    pub(super) fn new(model: &Model<'_>, taken: &HashSet<String>) -> Self {
        let id = model.manifest.agent.as_str();
        let mut names = name::of_agent(id).map(|prefix| Self::with_prefix(&prefix, &model.options));
        let is_free = |names: &Self| names.all().iter().all(|name| !taken.contains(name));
        names
            .find(is_free)
            .unwrap_or_else(|| Self::with_prefix(&format!("AgentX{}", name::hash(id.as_bytes(), 64)), &model.options))
    }

    /// The names in the shared module. They begin with no agent.
    pub(super) fn shared() -> Self {
        Self::with_prefix("", &Options { calls: true, standard_schema: true, ..Options::default() })
    }

    fn with_prefix(prefix: &str, options: &Options) -> Self {
        Self {
            capabilities: format!("{prefix}Capabilities"),
            table: lower_first(&format!("{prefix}Capabilities")),
            result: format!("{prefix}ParseResult"),
            violation: format!("{prefix}Violation"),
            options: format!("{prefix}ParseOptions"),
            error: format!("{prefix}PayloadError"),
            standard_schema: options.standard_schema.then(|| format!("{prefix}StandardSchema")),
            calls: options.calls.then(|| CallNames::with_prefix(prefix)),
        }
    }

    /// All names.
    pub(super) fn all(&self) -> Vec<String> {
        let names = [&self.capabilities, &self.table, &self.result, &self.violation, &self.options, &self.error];
        let names = names.into_iter().chain(&self.standard_schema);
        names.cloned().chain(self.calls.iter().flat_map(CallNames::all)).collect()
    }
}

/// The name of a value, from a name in UpperCamelCase.
pub(super) fn lower_first(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(chars).collect()
}
