//! The names that every file exports, whatever its capabilities.
//!
//! They begin with the name of the agent, so that `export *` of several agents has no name twice.

use std::collections::HashSet;

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
}

impl AgentNames {
    /// The names for the agent of a model, in which no name is `taken`.
    pub(super) fn new(model: &Model<'_>, taken: &HashSet<String>) -> Self {
        let id = model.manifest.agent.as_str();
        let mut names = name::of_agent(id).map(|prefix| Self::with_prefix(&prefix));
        let is_free = |names: &Self| names.all().into_iter().all(|name| !taken.contains(name));
        names.find(is_free).unwrap_or_else(|| Self::with_prefix(&format!("AgentX{}", name::hash(id.as_bytes(), 64))))
    }

    fn with_prefix(prefix: &str) -> Self {
        Self {
            capabilities: format!("{prefix}Capabilities"),
            table: lower_first(&format!("{prefix}Capabilities")),
            result: format!("{prefix}ParseResult"),
            violation: format!("{prefix}Violation"),
            options: format!("{prefix}ParseOptions"),
            error: format!("{prefix}PayloadError"),
        }
    }

    /// All names.
    pub(super) fn all(&self) -> [&String; 6] {
        [&self.capabilities, &self.table, &self.result, &self.violation, &self.options, &self.error]
    }
}

/// The name of a value, from a name in UpperCamelCase.
pub(super) fn lower_first(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(chars).collect()
}
