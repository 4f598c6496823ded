//! The names that every file exports, whatever its capabilities.
//!
//! Names of the shared module are the same in every file. Those that come from the agent, such as its client, contain
//! the name of the agent, because programs import them from several files.

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
    /// The former names of the two, which start with the name of the agent; `None` if it is the present one.
    pub(super) former: [Option<String>; 2],
    pub(super) result: String,
    pub(super) violation: String,
    pub(super) options: String,
    /// The class of the errors that `assert` functions throw.
    pub(super) error: String,
    /// The type of the functions for a side.
    pub(super) validators: String,
    /// The types of the sides as Standard Schemas, if they are generated.
    pub(super) standard_schema: Option<StandardTypes>,
    /// The names of the items for calls, if they are generated.
    pub(super) calls: Option<CallNames>,
}

/// The names of the types in `validator/standard/types.ts`.
pub(super) struct StandardTypes {
    /// The interface of a side.
    pub(super) schema: String,
    pub(super) issue: String,
    /// The type of forms.
    pub(super) form: String,
}

impl StandardTypes {
    /// The name of one of the types.
    pub(super) fn of(&self, name: &str) -> String {
        let Self { schema, issue, form } = self;
        match name {
            "StandardSchema" => schema.clone(),
            "Issue" => issue.clone(),
            _ => form.clone(),
        }
    }

    pub(super) fn all(&self) -> [&String; 3] {
        [&self.schema, &self.issue, &self.form]
    }
}

/// The names of the exports for calls.
pub(super) struct CallNames {
    /// The names of the types in `calls/types.ts`, in the order of [`calls::TYPES`].
    types: Vec<String>,
    /// The type of violations, which some of them have.
    violation: String,
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

/// The names of an agent's own exports.
fn own(prefix: &str) -> [String; 7] {
    [
        format!("{prefix}Client"),
        format!("{prefix}Handlers"),
        format!("create{prefix}Client"),
        format!("handle{prefix}"),
        format!("create{prefix}Server"),
        format!("{prefix}Capabilities"),
        lower_first(&format!("{prefix}Capabilities")),
    ]
}

/// The names that are the same in every file.
const SHARED: [&str; 11] = [
    "Capabilities",
    "capabilities",
    "ParseResult",
    "Violation",
    "ParseOptions",
    "PayloadError",
    "Validators",
    "StandardSchema",
    "Issue",
    "FormMembers",
    "FailedCallError",
];

impl CallNames {
    /// The name of one of the types in `calls/types.ts`, or of another one that they use.
    pub(super) fn of(&self, name: &str) -> String {
        let others = [("Violation", &self.violation), ("FailedCallError", &self.error)];
        let mut names = calls::TYPES.iter().copied().zip(&self.types).chain(others);
        names.find(|(ty, _)| *ty == name).map_or(name, |(_, own)| own.as_str()).to_owned()
    }

    fn all(&self) -> impl Iterator<Item = String> {
        let Self { types, violation: _, client, handlers, create, handle, create_server, error } = self;
        let others = [client, handlers, create, handle, create_server, error].map(Clone::clone);
        others.into_iter().chain(types.iter().cloned())
    }
}

impl AgentNames {
    /// The names for the agent of a model, in which no name is `taken`. A type of the contract may have the name of an
    /// export that is the same in every file: that export then starts with the name of the agent.
    pub(super) fn new(model: &Model<'_>, taken: &HashSet<String>) -> Self {
        let id = model.manifest.agent.as_str();
        let last = format!("AgentX{}", name::hash(id.as_bytes(), 64));
        let prefixes: Vec<String> = name::of_agent(id).chain([last.clone()]).collect();
        let is_free = |prefix: &&String| own(prefix).iter().all(|name| !taken.contains(name));
        let prefix = prefixes.iter().find(is_free).unwrap_or(&last);
        let own = own(prefix);
        let is_unused = |name: &String| {
            let is_shared = SHARED.contains(&name.as_str()) || calls::TYPES.contains(&name.as_str());
            !is_shared && !taken.contains(name) && !own.contains(name)
        };
        let shared = |name: &str| {
            if !taken.contains(name) {
                return name.to_owned();
            }
            if let Some(former) = own.iter().find(|former| **former == prefixed(prefix, name)) {
                return former.clone();
            }
            prefixes
                .iter()
                .map(|prefix| prefixed(prefix, name))
                .find(is_unused)
                .unwrap_or_else(|| prefixed(&last, name))
        };
        Self::with(shared, own.clone(), &model.options)
    }

    /// The names in the shared module.
    pub(super) fn shared() -> Self {
        let options = Options { calls: true, standard_schema: true, ..Options::default() };
        Self::with(str::to_owned, own(""), &options)
    }

    fn with(shared: impl Fn(&str) -> String, own: [String; 7], options: &Options) -> Self {
        let [client, handlers, create, handle, create_server, former, former_table] = own;
        let calls = options.calls.then(|| CallNames {
            types: calls::TYPES.iter().map(|name| shared(name)).collect(),
            violation: shared("Violation"),
            client,
            handlers,
            create,
            handle,
            create_server,
            error: shared("FailedCallError"),
        });
        let (capabilities, table) = (shared("Capabilities"), shared("capabilities"));
        Self {
            former: [(former, &capabilities), (former_table, &table)]
                .map(|(former, present)| Some(former).filter(|former| former != present)),
            capabilities,
            table,
            result: shared("ParseResult"),
            violation: shared("Violation"),
            options: shared("ParseOptions"),
            error: shared("PayloadError"),
            validators: shared("Validators"),
            standard_schema: options.standard_schema.then(|| StandardTypes {
                schema: shared("StandardSchema"),
                issue: shared("Issue"),
                form: shared("FormMembers"),
            }),
            calls,
        }
    }

    /// All names.
    pub(super) fn all(&self) -> Vec<String> {
        let Self { capabilities, table, former, result, violation, options, error, validators, .. } = self;
        let names = [capabilities, table, result, violation, options, error, validators];
        let names = names
            .into_iter()
            .chain(self.standard_schema.iter().flat_map(StandardTypes::all))
            .chain(former.iter().flatten());
        names.cloned().chain(self.calls.iter().flat_map(CallNames::all)).collect()
    }
}

/// A name after that of the agent, in the case of its first letter.
fn prefixed(prefix: &str, name: &str) -> String {
    let mut chars = name.chars();
    let first = chars.next().unwrap_or_default();
    let full = format!("{prefix}{}{}", first.to_ascii_uppercase(), chars.as_str());
    if first.is_ascii_lowercase() { lower_first(&full) } else { full }
}

/// The name of a value, from a name in UpperCamelCase.
pub(super) fn lower_first(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(chars).collect()
}
