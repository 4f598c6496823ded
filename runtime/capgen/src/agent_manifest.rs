//! The manifest of an agent whose capabilities are declared in Rust.

use std::collections::BTreeMap;
use std::fmt;

use capgen_files::MARK;
use capgen_manifest::{
    About, AgentId, Capability as Entry, Contact, HttpsUrl, Manifest, TransportSettings, VersionConflict,
};

use crate::{Capability, DeclaredCapability, Descriptor};

/// A builder of `capabilities.yaml` from Rust types: the id of the agent, its transports and its capabilities.
///
/// ```
/// use capgen::{AgentManifest, Capability, TransportSettings};
/// use schemars::JsonSchema;
/// use serde::{Deserialize, Serialize};
///
/// /// Repeat a text.
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
///     description: Repeat a text.
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
    description: Option<String>,
    owner: Option<String>,
    contact: Option<String>,
    documentation: Option<String>,
    transports: Vec<TransportSettings>,
    capabilities: Vec<(&'static str, DeclaredCapability)>,
}

/// Why an [`AgentManifest`] is not valid: every problem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentManifestError {
    problems: Vec<String>,
}

impl AgentManifest {
    /// A manifest without transports and capabilities. The id is `reviewer` or `agent://reviewer`.
    ///
    /// ```
    /// let manifest = capgen::AgentManifest::new("reviewer");
    /// assert!(manifest.to_manifest().is_err(), "it needs a transport and a capability");
    /// ```
    pub fn new(id: impl Into<String>) -> Self {
        let (description, owner, contact, documentation) = Default::default();
        let (transports, capabilities) = (Vec::new(), Vec::new());
        Self { id: id.into(), description, owner, contact, documentation, transports, capabilities }
    }

    /// The purpose of the agent, for readers and models.
    #[must_use]
    pub fn description(self, description: impl Into<String>) -> Self {
        Self { description: Some(description.into()), ..self }
    }

    /// The team or the person that is responsible for the agent.
    #[must_use]
    pub fn owner(self, owner: impl Into<String>) -> Self {
        Self { owner: Some(owner.into()), ..self }
    }

    /// How to reach the owner: an email address, or a URL with `https://`.
    #[must_use]
    pub fn contact(self, contact: impl Into<String>) -> Self {
        Self { contact: Some(contact.into()), ..self }
    }

    /// The URL of a page about the agent, with `https://`.
    ///
    /// ```
    /// let agent = capgen::AgentManifest::new("echo").owner("Team Echo").documentation("docs.example.com/echo");
    /// let error = agent.manifest().unwrap_err();
    /// assert!(error.problems().iter().any(|problem| problem.starts_with("the documentation")), "it has no scheme");
    /// ```
    #[must_use]
    pub fn documentation(self, url: impl Into<String>) -> Self {
        Self { documentation: Some(url.into()), ..self }
    }

    /// Adds a transport. At least one is required.
    #[must_use]
    pub fn transport(mut self, transport: TransportSettings) -> Self {
        self.transports.push(transport);
        self
    }

    /// Adds a capability: a type with `#[derive(Capability)]`, or a generated one. At least one is required. The
    /// manifest has the capabilities in the order in which they are added.
    #[must_use]
    pub fn capability<C: Capability>(mut self) -> Self {
        self.capabilities.push((C::NAME, C::declared()));
        self
    }

    /// Adds the capabilities of a generated module, by its constant `CAPABILITIES`. Their schemas have no annotations.
    #[must_use]
    pub fn descriptors(mut self, descriptors: &[Descriptor]) -> Self {
        let declared = descriptors.iter().map(|d| (d.name, DeclaredCapability::from_descriptor(d)));
        self.capabilities.extend(declared);
        self
    }

    /// The checked model.
    ///
    /// # Errors
    ///
    /// Every problem: an invalid id, contact or documentation, an empty owner, a missing or invalid transport, missing
    /// capabilities, duplicate capabilities (several versions of one have one name, and a version each), and parts of
    /// Rust types that have no schema in the subset.
    pub fn manifest(&self) -> Result<Manifest, AgentManifestError> {
        let mut problems = Vec::new();
        let id = AgentId::from_uri(&self.id).or_else(|| AgentId::new(&self.id));
        if id.is_none() {
            problems.push(format!("{:?} is not a valid agent id: {}", self.id, AgentId::RULE));
        }
        if self.transports.is_empty() {
            problems.push("missing transport: add one with `.transport(...)`".to_owned());
        }
        for transport in &self.transports {
            problems
                .extend(transport.check().err().map(|problem| format!("transport `{}`: {problem}", transport.kind)));
        }
        let about = self.about(&mut problems);
        let capabilities = self.entries(&mut problems);
        match id {
            Some(agent) if problems.is_empty() => {
                Ok(Manifest { about, ..Manifest::new(agent, self.transports.clone(), capabilities) })
            }
            _ => Err(AgentManifestError { problems }),
        }
    }

    /// The texts about the agent.
    fn about(&self, problems: &mut Vec<String>) -> About {
        let (contact, documentation) = (self.contact.as_deref(), self.documentation.as_deref());
        let about = About {
            description: self.description.clone(),
            owner: self.owner.clone(),
            contact: contact.and_then(Contact::new),
            documentation: documentation.and_then(HttpsUrl::new),
        };
        if about.owner.as_ref().is_some_and(String::is_empty) {
            problems.push("the owner must not be empty".to_owned());
        }
        if let Some(text) = contact.filter(|_| about.contact.is_none()) {
            problems.push(format!("the contact {text:?} is not {}", Contact::RULE));
        }
        if let Some(text) = documentation.filter(|_| about.documentation.is_none()) {
            problems.push(format!("the documentation {text:?} is not {}", HttpsUrl::RULE));
        }
        about
    }

    fn entries(&self, problems: &mut Vec<String>) -> Vec<Entry> {
        if self.capabilities.is_empty() {
            problems.push("missing capability: add one with `.capability::<...>()`".to_owned());
        }
        let mut named: BTreeMap<&str, (Vec<Entry>, Vec<&str>)> = BTreeMap::new();
        let mut entries = Vec::new();
        for (name, declared) in &self.capabilities {
            // Without an entry, its version is not known; one beside a capability without a version is a conflict.
            let unknown = Entry::new(*name);
            let entry = declared.entry.as_ref().unwrap_or(&unknown);
            let (others, sources) = named.entry(name).or_default();
            let conflict = VersionConflict::find(others, entry);
            let is_certain = |(_, conflict): &(usize, VersionConflict)| {
                declared.entry.is_ok() || *conflict == VersionConflict::SameName
            };
            if let Some((index, conflict)) = conflict.filter(is_certain) {
                let both = [sources.get(index).copied().unwrap_or_default(), declared.source];
                let both: Vec<&str> = both.into_iter().filter(|path| !path.is_empty()).collect();
                let both = if both.is_empty() { String::new() } else { format!(": {}", both.join(", ")) };
                problems.push(format!("{}{both}", conflict.message(entry)));
            }
            match &declared.entry {
                Ok(entry) => {
                    others.push(entry.clone());
                    sources.push(declared.source);
                    entries.push(entry.clone());
                }
                Err(unsupported) => problems.extend(unsupported.iter().map(ToString::to_string)),
            }
        }
        entries
    }

    /// The text of `capabilities.yaml`. The same types give the same text on every machine. A comment at the top names
    /// the types.
    ///
    /// The text contains the settings of the transports, including credentials.
    ///
    /// # Errors
    ///
    /// Those of [`manifest`](Self::manifest).
    pub fn to_manifest(&self) -> Result<String, AgentManifestError> {
        let manifest = self.manifest()?;
        let mut comment = format!("{MARK}. DO NOT EDIT.\n");
        let sources: Vec<&str> =
            self.capabilities.iter().map(|(_, declared)| declared.source).filter(|source| !source.is_empty()).collect();
        if !sources.is_empty() {
            comment.push_str(&format!("Source: {}\n", sources.join(", ")));
            comment.push_str("Regenerate: CAPGEN_UPDATE=1 cargo test\n");
        }
        Ok(manifest.to_yaml_with_comment(&comment))
    }
}

impl AgentManifestError {
    /// The problems, one line each.
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
