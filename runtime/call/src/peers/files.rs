//! The table of peers from files.

use std::fmt;
use std::path::Path;

use capgen_diagnostic::{Diagnostic, render};
use capgen_manifest::{Selection, read_peers, read_source, shown};

use super::PeerTable;

/// Every finding in the files of a table of peers. [`Display`](fmt::Display) writes them as `capgen check` does.
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

    /// Adds every agent of a fleet: of `fleet.yaml` in the folder `root`, and of the folder `agents` there.
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
        for contract in selection.locate().load().map_err(PeerFileError)? {
            self = self.with_manifest(&contract.manifest);
        }
        Ok(self)
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
