//! The tools of an agent.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use capgen_call::{Authorization, Handlers, NoAuthorization, Requirements};
use capgen_descriptor::OwnedDescriptor;
use capgen_interop::{McpOptions, REQUEST_MEMBER, RESPONSE_MEMBER, ToolSide, mcp, tool_names, tool_side};
use capgen_manifest::{AgentId, Capability, Manifest, Side, TransportSettings};
use capgen_schema::{Json, Object};

use super::name_index::NameIndex;
use crate::json::object;
use crate::revision::Revision;

/// A capability as a tool.
#[derive(Clone, Debug)]
pub(super) struct Tool {
    /// The name of its handler.
    pub(super) capability: String,
    /// The hash of the contract of its handler; empty if that is loose.
    pub(super) contract: String,
    /// Whether the request is a member of the arguments.
    wraps_request: bool,
    /// Whether the response becomes a member of the structured result.
    wraps_response: bool,
    /// How long its handler may take, if the contract states it.
    pub(super) timeout: Option<Duration>,
    /// The contract, with the roles and scopes that the manifest or the handler requires.
    pub(super) described: Arc<OwnedDescriptor>,
    /// What clients need for it, once the server knows how it decides.
    pub(super) requirements: Arc<Requirements>,
}

/// All tools of an agent, and the lists that clients get.
#[derive(Debug)]
pub(super) struct Tools {
    /// In the order of their names.
    all: Vec<(String, Tool)>,
    index: NameIndex,
    /// If there are no tools.
    no_requirements: Requirements,
    definitions: Vec<Json>,
    manifest: Manifest,
}

/// Why an agent cannot be served.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum InvalidAgent {
    /// The id of the agent is invalid.
    Id(String),
    /// A property of a capability is invalid: the name of the capability, and the reason.
    Capability(String, String),
    /// The manifest has another contract of the capability than the handler.
    OtherContract(String),
    /// The manifest has a capability without a handler.
    NoHandler(String),
    /// The tool of a version of a capability would have the name of another tool, or one that is too long: the name and
    /// the version.
    NoToolName(String),
    /// Capabilities with `requiredRoles` or `requiredScopes`, given by their names, in a server that cannot know who
    /// has them.
    NoAuthorization(Vec<String>),
    /// There are no capabilities.
    Empty,
}

impl fmt::Display for InvalidAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => write!(f, "invalid agent {id:?}: {}", AgentId::RULE),
            Self::Capability(name, reason) => write!(f, "the capability `{name}` is invalid: {reason}"),
            Self::OtherContract(name) => {
                write!(
                    f,
                    "the manifest has another contract of the capability `{name}` than its handler: generate the code again"
                )
            }
            Self::NoHandler(name) => write!(f, "the capability `{name}` has no handler"),
            Self::NoToolName(label) => {
                write!(f, "the name of the tool of `{label}` is that of another tool, or too long: rename a capability")
            }
            Self::NoAuthorization(names) => NoAuthorization(names.clone()).fmt(f),
            Self::Empty => f.write_str("the agent has no capabilities"),
        }
    }
}

impl std::error::Error for InvalidAgent {}

impl From<NoAuthorization> for InvalidAgent {
    fn from(NoAuthorization(names): NoAuthorization) -> Self {
        Self::NoAuthorization(names)
    }
}

impl Tools {
    /// The tools of handlers, by the contracts that they have.
    pub(super) fn of(handlers: &Handlers) -> Result<Self, InvalidAgent> {
        let agent = AgentId::new(handlers.agent()).ok_or_else(|| InvalidAgent::Id(handlers.agent().to_owned()))?;
        let capabilities = handlers.capabilities().map_err(|(name, problems)| {
            let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
            InvalidAgent::Capability(name, problems.join("; "))
        })?;
        let transports = vec![TransportSettings::mcp(agent.as_str())];
        Self::build(handlers, Manifest::new(agent, transports, capabilities), false)
    }

    /// The tools of handlers, by the manifest of the agent, which has the descriptions of properties too.
    pub(super) fn with_manifest(handlers: &Handlers, manifest: &Manifest) -> Result<Self, InvalidAgent> {
        let mut hashes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (name, hash) in handlers.contracts() {
            hashes.entry(name).or_default().push(hash);
        }
        for (capability, label) in manifest.capabilities.iter().zip(manifest.labels()) {
            let own = capability.hash().to_string();
            match hashes.get(capability.name.as_str()) {
                None => return Err(InvalidAgent::NoHandler(label)),
                // A loose handler accepts every contract.
                Some(hashes) if hashes.iter().any(|hash| hash.is_empty() || **hash == own) => {}
                Some(_) => return Err(InvalidAgent::OtherContract(label)),
            }
        }
        Self::build(handlers, manifest.clone(), false)
    }

    /// The same with a tool for each version of a capability.
    pub(super) fn with_all_versions(self, handlers: &Handlers) -> Result<Self, InvalidAgent> {
        Self::build(handlers, self.manifest, true)
    }

    fn build(handlers: &Handlers, manifest: Manifest, all_versions: bool) -> Result<Self, InvalidAgent> {
        if manifest.capabilities.is_empty() {
            return Err(InvalidAgent::Empty);
        }
        let names = tool_names(&manifest, all_versions);
        if all_versions && names.len() < manifest.capabilities.len() {
            // The indexes are sorted, so the first one that is missing is not at its place.
            let has_name = |index: usize| names.get(index).is_some_and(|(named, _)| *named == index);
            let unnamed = manifest.labels().into_iter().enumerate().find(|(index, _)| !has_name(*index));
            return Err(InvalidAgent::NoToolName(unnamed.map(|(_, label)| label).unwrap_or_default()));
        }
        let contracts = handlers.descriptors().filter_map(|(name, contract)| Some((name, contract?)));
        let contracts: BTreeMap<(&str, &str), &OwnedDescriptor> =
            contracts.map(|(name, contract)| ((name, contract.hash.as_str()), contract)).collect();
        // They are in the order of the names.
        let mut exported = mcp(&manifest, McpOptions { all_versions, ..McpOptions::default() }).document;
        let definitions = exported.pointer_mut("/tools").map(|tools| std::mem::replace(tools, Json::Null));
        let Some(Json::Array(definitions)) = definitions else { return Err(InvalidAgent::Empty) };
        let tool = |(definition, (index, name)): (&Json, &(usize, String))| {
            let capability = manifest.capabilities.get(*index)?;
            let hash = capability.hash().to_string();
            // A loose handler has none.
            let handler = contracts.get(&(capability.name.as_str(), hash.as_str())).copied();
            let described = Arc::new(described(capability, handler));
            let contract = if handler.is_some() { hash } else { String::new() };
            let is_wrapped = |side| matches!(tool_side(definition, side), ToolSide::Wrapped(_));
            let (wraps_request, wraps_response) = (is_wrapped(Side::Request), is_wrapped(Side::Response));
            let timeout = capability.timeout_ms.map(Duration::from_millis);
            let capability = capability.name.clone();
            let requirements = Arc::default();
            let tool = Tool { capability, contract, wraps_request, wraps_response, timeout, described, requirements };
            Some((name.clone(), tool))
        };
        let all: BTreeMap<String, Tool> = definitions.iter().zip(&names).filter_map(tool).collect();
        let all: Vec<_> = all.into_iter().collect();
        let index = NameIndex::new(all.iter().map(|(name, _)| name.as_str()));
        Ok(Self { all, index, no_requirements: Requirements::default(), definitions, manifest })
    }

    /// Reads what clients need for each tool, for [`candidate`](Self::candidate).
    pub(super) fn require(&mut self, authorization: &Authorization) {
        for (_, tool) in &mut self.all {
            tool.requirements = Arc::new(authorization.requirements(Some(&tool.described)));
        }
    }

    /// A tool by its name.
    pub(super) fn get(&self, name: &str) -> Option<&Tool> {
        let (own, tool) = self.all.get(self.index.candidate(name))?;
        (own == name).then_some(tool)
    }

    /// A tool by its name, and the rights that it needs. A name that no tool has costs as much: it is compared with
    /// one name too, in as many steps, and has the requirements of that tool, which a decision reads either way.
    pub(super) fn candidate(&self, name: &str) -> (Option<&Tool>, &Requirements) {
        let Some((own, tool)) = self.all.get(self.index.candidate(name)) else { return (None, &self.no_requirements) };
        (is_equal(own, name).then_some(tool), &tool.requirements)
    }

    /// All tools with their names.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, &Tool)> {
        self.all.iter().map(|(name, tool)| (name.as_str(), tool))
    }

    /// The list for clients of a revision, without the members that it does not have, and without tools that the client
    /// may not see.
    pub(super) fn list(&self, revision: Revision, is_visible: impl Fn(&str) -> bool) -> Json {
        let member = |(name, value): &(String, Json)| {
            let since = match name.as_str() {
                "annotations" => Revision::V2025_03_26,
                "outputSchema" | "title" | "_meta" => Revision::V2025_06_18,
                _ => Revision::V2024_11_05,
            };
            (revision >= since).then(|| (name.clone(), value.clone()))
        };
        let definition =
            |definition: &Json| Json::Object(definition.as_object().into_iter().flatten().filter_map(member).collect());
        let is_visible = |definition: &&Json| definition.get("name").and_then(Json::as_str).is_some_and(&is_visible);
        Json::Array(self.definitions.iter().filter(is_visible).map(definition).collect())
    }
}

/// The contract of a capability, with the requirements of its handler too: the hash, by which both are the same
/// contract, does not depend on them, and the stricter one counts.
fn described(capability: &Capability, handler: Option<&OwnedDescriptor>) -> OwnedDescriptor {
    let mut described = capability.to_descriptor(None);
    if let Some(handler) = handler {
        add_new(&mut described.required_roles, &handler.required_roles);
        add_new(&mut described.required_scopes, &handler.required_scopes);
    }
    described
}

fn add_new(all: &mut Vec<String>, others: &[String]) {
    for other in others {
        if !all.contains(other) {
            all.push(other.clone());
        }
    }
}

/// Whether a name is that of a tool, in steps whose number depends on the name alone. The usual comparison ends at once
/// if the lengths differ.
fn is_equal(own: &str, name: &str) -> bool {
    let own_byte = |place: usize| own.as_bytes().get(place).copied().unwrap_or_default();
    let differences = name.bytes().enumerate().fold(0, |all, (place, byte)| all | (byte ^ own_byte(place)));
    (differences == 0) & (own.len() == name.len())
}

impl Tool {
    /// The request in the arguments of a call.
    pub(super) fn request(&self, mut arguments: Object) -> Result<Json, String> {
        if !self.wraps_request {
            return Ok(Json::Object(arguments));
        }
        if let Some((other, _)) = arguments.iter().find(|(name, _)| name != REQUEST_MEMBER) {
            return Err(format!(
                "- {}: unknown property; the only one is `{REQUEST_MEMBER}`",
                capgen_schema::pointer::join("", &capgen_diagnostic::cut_short(other, 100))
            ));
        }
        let request = arguments.get_mut(REQUEST_MEMBER).map(|value| std::mem::replace(value, Json::Null));
        request.ok_or_else(|| format!("- the property `{REQUEST_MEMBER}` is missing"))
    }

    /// The same for the text of the arguments, which is that of an object.
    pub(super) fn request_of_text(&self, arguments: String) -> Result<String, String> {
        if !self.wraps_request {
            return Ok(arguments);
        }
        let arguments = match arguments.parse() {
            Ok(Json::Object(arguments)) => arguments,
            _ => Object::new(),
        };
        self.request(arguments).map(|request| request.to_string())
    }

    /// The JSON Pointer to a part of the request, from the arguments; or to a part of the response, from the structured
    /// result.
    pub(super) fn pointer(&self, side: Side, path: &str) -> String {
        match side {
            Side::Request if self.wraps_request => format!("/{REQUEST_MEMBER}{path}"),
            Side::Response if self.wraps_response => format!("/{RESPONSE_MEMBER}{path}"),
            _ => path.to_owned(),
        }
    }

    /// The structured result of a response; `None` if the revision has none for it.
    pub(super) fn structured(&self, response: &Json, revision: Revision) -> Option<Json> {
        if self.wraps_response {
            return Some(object([(RESPONSE_MEMBER, response.clone())])).filter(|_| revision.has_structured_results());
        }
        // Only the newest revision has structured results of other types than objects.
        let is_allowed = match response {
            Json::Object(_) => revision.has_structured_results(),
            _ => revision.is_stateless(),
        };
        is_allowed.then(|| response.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_equal_only_with_all_bytes() {
        for (own, name, expected) in [
            ("book", "book", true),
            ("book", "cook", false),
            ("book", "boo", false),
            ("boo", "book", false),
            ("book", "", false),
            ("", "", true),
            ("", "\0", false),
            ("a\0", "a", false),
            ("a", "a\0", false),
        ] {
            assert_eq!(is_equal(own, name), expected, "{own:?} {name:?}");
        }
    }
}
