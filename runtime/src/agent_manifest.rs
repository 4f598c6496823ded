//! An agent whose capabilities are declared in Rust.

use std::collections::BTreeMap;
use std::fmt;

use capgen_manifest::{AgentId, Capability as Entry, Manifest, TransportSettings};

use crate::derive::{Contract, contract_of};
use crate::{Capability, Descriptor};

/// An agent, its transports and its capabilities: what becomes `capabilities.yaml`.
///
/// ```
/// use capgen::{AgentManifest, Capability, TransportSettings};
/// use schemars::JsonSchema;
/// use serde::{Deserialize, Serialize};
///
/// /// Say it again.
/// #[derive(Serialize, Deserialize, JsonSchema, Capability)]
/// #[capability(timeout_ms = 500)]
/// struct Echo {
///     text: String,
/// }
///
/// let agent = AgentManifest::new("echo").transport(TransportSettings::memory("echo.requests")).capability::<Echo>();
/// assert!(agent.to_manifest()?.ends_with(
///     r#"version: 1
/// agent: agent://echo
/// transports:
///   - kind: memory
///     topics:
///       requests: echo.requests
/// capabilities:
///   - name: echo
///     description: Say it again.
///     timeoutMs: 500
///     inputSchema:
///       type: object
///       properties:
///         text:
///           type: string
///       required: [text]
/// "#));
/// # Ok::<(), capgen::AgentManifestError>(())
/// ```
#[derive(Clone, Debug)]
pub struct AgentManifest {
    id: String,
    transports: Vec<TransportSettings>,
    capabilities: Vec<Declared>,
}

#[derive(Clone, Debug)]
struct Declared {
    name: &'static str,
    contract: Contract,
}

/// Why an agent has no manifest: everything at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentManifestError {
    problems: Vec<String>,
}

impl AgentManifest {
    /// An agent without transports and capabilities. The id is `reviewer` or `agent://reviewer`.
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), transports: Vec::new(), capabilities: Vec::new() }
    }

    /// With one more way to reach it. At least one is needed.
    #[must_use]
    pub fn transport(mut self, transport: TransportSettings) -> Self {
        self.transports.push(transport);
        self
    }

    /// With one more capability: of a type with `#[derive(Capability)]`, or a generated one. At least one is needed. They stand in
    /// the manifest in the order in which they are added.
    #[must_use]
    pub fn capability<C: Capability>(mut self) -> Self {
        self.capabilities.push(Declared { name: C::NAME, contract: C::contract() });
        self
    }

    /// With the capabilities of a generated module, by its `CAPABILITIES`. Their schemas have no annotations.
    #[must_use]
    pub fn descriptors(mut self, descriptors: &[Descriptor]) -> Self {
        let declared = |descriptor: &Descriptor| Declared { name: descriptor.name, contract: contract_of(descriptor) };
        self.capabilities.extend(descriptors.iter().map(declared));
        self
    }

    /// The checked model.
    ///
    /// # Errors
    ///
    /// An id that is none; no transport, or one that lacks something; no capability, or two of one name; every place of a Rust
    /// type that has no schema in the subset. All at once.
    pub fn manifest(&self) -> Result<Manifest, AgentManifestError> {
        let mut problems = Vec::new();
        let id = AgentId::from_uri(&self.id).or_else(|| AgentId::new(&self.id));
        if id.is_none() {
            problems.push(format!("{:?} is no id of an agent: {}", self.id, AgentId::RULE));
        }
        if self.transports.is_empty() {
            problems.push("the agent has no transport: add one with `.transport(...)`".to_owned());
        }
        for transport in &self.transports {
            problems
                .extend(transport.check().err().map(|problem| format!("transport `{}`: {problem}", transport.kind)));
        }
        let capabilities = self.entries(&mut problems);
        match id {
            Some(agent) if problems.is_empty() => {
                Ok(Manifest { agent, transports: self.transports.clone(), capabilities })
            }
            _ => Err(AgentManifestError { problems }),
        }
    }

    fn entries(&self, problems: &mut Vec<String>) -> Vec<Entry> {
        if self.capabilities.is_empty() {
            problems.push("the agent has no capability: add one with `.capability::<...>()`".to_owned());
        }
        let mut sources = BTreeMap::new();
        let mut entries = Vec::new();
        for declared in &self.capabilities {
            if let Some(other) = sources.insert(declared.name, declared.contract.source) {
                let both: Vec<&str> =
                    [other, declared.contract.source].into_iter().filter(|path| !path.is_empty()).collect();
                let both = if both.is_empty() { String::new() } else { format!(": {}", both.join(", ")) };
                problems.push(format!("two capabilities have the name `{}`{both}", declared.name));
            }
            match &declared.contract.entry {
                Ok(entry) => entries.push(entry.clone()),
                Err(unsupported) => problems.extend(unsupported.iter().map(ToString::to_string)),
            }
        }
        entries
    }

    /// The text of `capabilities.yaml`: the same for the same types on every machine. A comment says where it comes from.
    ///
    /// The text holds what the transports hold, credentials included.
    ///
    /// # Errors
    ///
    /// Those of [`manifest`](Self::manifest).
    pub fn to_manifest(&self) -> Result<String, AgentManifestError> {
        let manifest = self.manifest()?;
        let mut comment = format!("{}. DO NOT EDIT.\n", crate::export::MARK);
        let sources: Vec<&str> = self
            .capabilities
            .iter()
            .map(|declared| declared.contract.source)
            .filter(|source| !source.is_empty())
            .collect();
        if !sources.is_empty() {
            comment.push_str(&format!("Source: {}\n", sources.join(", ")));
            comment.push_str("Regenerate: CAPGEN_UPDATE=1 cargo test\n");
        }
        Ok(manifest.to_yaml_with_comment(&comment))
    }
}

impl AgentManifestError {
    /// One line for each thing that is wrong, and what to write instead.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }
}

impl fmt::Display for AgentManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problems.join("\n"))
    }
}

impl std::error::Error for AgentManifestError {}
