//! The table of peers from files.

use std::fmt;
use std::path::Path;

use capgen_diagnostic::{Diagnostic, Source, render};
use capgen_evolve::{ACCEPTED_FILE, read_accepted};
use capgen_manifest::{Fleet, FleetKey, Selection, read_peers, read_source, shown};

use super::{AcceptedFindings, FleetSettings, PeerTable};

/// Every finding in the files of a table of peers, or in the text of accepted findings. [`Display`](fmt::Display)
/// writes them as `capgen check` does.
#[derive(Clone, Debug)]
pub struct PeerFileError(Vec<Diagnostic>);

impl PeerFileError {
    /// The findings.
    #[must_use]
    pub fn findings(&self) -> &[Diagnostic] {
        &self.0
    }
}

impl PeerTable {
    /// Adds the agent of a `capabilities.yaml`.
    ///
    /// # Errors
    ///
    /// Every finding in the file.
    pub fn with_file(self, path: impl AsRef<Path>) -> Result<Self, PeerFileError> {
        let path = path.as_ref();
        let files = vec![path.to_owned()];
        self.with_selection(Selection { files, start: parent(path), ..Selection::default() })
    }

    /// Adds every agent of a fleet: of `fleet.yaml` in the folder `root`, and of the folder `agents` there. The
    /// settings of the key `calls` of `fleet.yaml` apply to the clients with this table, and to servers with
    /// [`ServerBuilder::fleet`](crate::ServerBuilder::fleet), which also takes the key `grants`. `Keys::and_fleet`
    /// takes the public keys of agents.
    ///
    /// # Errors
    ///
    /// Every finding in `fleet.yaml` and in the files of its agents.
    pub fn with_fleet(self, root: impl AsRef<Path>) -> Result<Self, PeerFileError> {
        let root = root.as_ref().to_owned();
        self.with_selection(Selection { all: true, root: Some(root.clone()), start: root, ..Selection::default() })
    }

    /// Adds the agents of an `rpc-peers.yaml`, or replaces their transports. A file maps `agent://<id>` to transports:
    ///
    /// ```yaml
    /// version: 1
    /// peers:
    ///   agent://reviewer:
    ///     - kind: nats
    ///       servers: ["nats://localhost:4222"]
    ///       subjects: { requests: agents.reviewer.requests }
    /// ```
    ///
    /// # Errors
    ///
    /// Every finding in the file.
    pub fn with_peers_file(mut self, path: impl AsRef<Path>) -> Result<Self, PeerFileError> {
        let path = path.as_ref();
        let source = read_source(path, &shown(path)).map_err(PeerFileError)?;
        for (agent, transports) in read_peers(&source).map_err(PeerFileError)? {
            self = self.with_transports(&agent, transports);
        }
        Ok(self)
    }

    fn with_selection(mut self, selection: Selection) -> Result<Self, PeerFileError> {
        let located = selection.locate();
        let settings = located.fleet().map(settings).transpose();
        for contract in located.load().map_err(PeerFileError)? {
            self = self.with_manifest(&contract.manifest);
        }
        self.settings.set(settings.map_err(PeerFileError)?.unwrap_or_default());
        Ok(self)
    }
}

/// The settings of calls of a fleet.
fn settings(fleet: &Fleet) -> Result<FleetSettings, Vec<Diagnostic>> {
    let accepted = fleet.accepted()?.map(|source| read_accepted(&source)).transpose()?;
    let calls = fleet.calls();
    let key = |key: &FleetKey| (key.agent.to_string(), key.key_id.clone(), key.ed25519.clone(), key.not_after);
    let grants = fleet.grants().into_iter().flatten();
    Ok(FleetSettings {
        skew: calls.skew,
        assume: calls.assume,
        accepted: accepted.map(AcceptedFindings::new),
        keys: fleet.keys().iter().map(key).collect(),
        grants: grants.map(|(id, grant)| (id.to_string(), grant.roles.clone(), grant.scopes.clone())).collect(),
    })
}

impl AcceptedFindings {
    /// Reads the text of a file of accepted findings, in YAML or JSON.
    ///
    /// ```
    /// use capgen_call::AcceptedFindings;
    /// let text = "- { fingerprint: 77b067043838f6c7b927, reason: no caller sends it, expires: 2027-01-31 }";
    /// assert!(AcceptedFindings::from_text(text).is_ok());
    /// let error = AcceptedFindings::from_text("- { fingerprint: 77b067043838f6c7b927 }").unwrap_err();
    /// assert!(error.to_string().contains("must have the key `reason`"));
    /// ```
    ///
    /// # Errors
    ///
    /// Every finding in the text.
    pub fn from_text(text: &str) -> Result<Self, PeerFileError> {
        read_accepted(&Source::new(ACCEPTED_FILE, text)).map(Self::new).map_err(PeerFileError)
    }
}

/// The folder of a file.
fn parent(path: &Path) -> std::path::PathBuf {
    path.parent().map(Path::to_owned).unwrap_or_default()
}

impl fmt::Display for PeerFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(render::human(&self.0, false).trim_end())
    }
}

impl std::error::Error for PeerFileError {}
