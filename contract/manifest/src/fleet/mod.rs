//! The agents of a fleet, and where their manifests are.

mod access;
mod calls;
mod listing;
mod outputs;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use capgen_diagnostic::{nearest, quoted};

use crate::file::{candidates, manifest_in, plain, read_source, shown};
pub use crate::fleet::access::{FleetGrant, FleetKey};
pub use crate::fleet::calls::FleetCalls;
pub use crate::fleet::listing::listed_agents;
use crate::fleet::listing::{FleetFile, Listed, read_fleet};
pub use crate::fleet::outputs::{AnnotatedNames, FleetHistory, FleetOutput, FleetPlace, FleetText, McpSource};
use crate::{AgentId, Diagnostic, Options, Source, codes};

/// The agents of a fleet: those in `fleet.yaml`, and the folders in `agents/`.
#[derive(Clone, Debug)]
pub struct Fleet {
    root: PathBuf,
    /// `fleet.yaml`, if it exists.
    source: Option<Source>,
    /// The agents in `fleet.yaml`.
    listed: BTreeMap<AgentId, Listed>,
    options: Options,
    outputs: Vec<FleetOutput>,
    calls: FleetCalls,
    /// The path of the file of accepted findings.
    accepted: Option<Listed>,
    keys: Vec<FleetKey>,
    grants: Option<BTreeMap<AgentId, FleetGrant>>,
    name: Option<String>,
    description: Option<String>,
}

/// The nearest folder at or above `start` that contains `fleet.yaml` or a folder `agents`.
///
/// A relative `start` gives a relative root, such as `../..`, so that messages show short paths.
pub fn find_root(start: &Path) -> Option<PathBuf> {
    let is_root = |folder: &Path| folder.join("fleet.yaml").is_file() || folder.join("agents").is_dir();
    if start.is_absolute() {
        return start.ancestors().find(|folder| is_root(folder)).map(Path::to_owned);
    }
    let depth = std::path::absolute(start).ok()?.ancestors().count();
    std::iter::successors(Some(start.to_owned()), |folder| Some(folder.join("..")))
        .take(depth)
        .find(|folder| is_root(folder))
}

impl Fleet {
    /// Opens the fleet at `root`, and reads its `fleet.yaml` if it exists.
    ///
    /// # Errors
    ///
    /// [`codes::NO_FLEET`] if `root` is not a folder, and the findings in `fleet.yaml`.
    pub fn open(root: &Path) -> Result<Self, Vec<Diagnostic>> {
        // `join` treats the empty path as the working directory, but the system rejects it.
        let root = if root.as_os_str().is_empty() { Path::new(".") } else { root };
        if !root.is_dir() {
            let message = format!("the fleet root `{}` is not a folder", shown_root(root));
            return Err(vec![Diagnostic::new(codes::NO_FLEET, message)]);
        }
        let path = root.join("fleet.yaml");
        let source = path.symlink_metadata().is_ok().then(|| read_source(&path, &shown(&path))).transpose()?;
        let file = source.as_ref().map(read_fleet).transpose()?.unwrap_or_default();
        let FleetFile { agents: listed, options, outputs, calls, accepted, keys, grants, name, description } = file;
        let root = root.to_owned();
        Ok(Self { root, source, listed, options, outputs, calls, accepted, keys, grants, name, description })
    }

    /// Finds and opens the fleet around `start`: [`find_root`], then [`open`](Self::open).
    ///
    /// # Errors
    ///
    /// [`codes::NO_FLEET`] if no folder at or above `start` contains `fleet.yaml` or `agents/`, and those of `open`.
    pub fn find(start: &Path) -> Result<Self, Vec<Diagnostic>> {
        let Some(root) = find_root(start) else {
            let message = format!(
                "no fleet found: neither `{}` nor a folder above it contains `fleet.yaml` or `agents/`",
                shown_root(start)
            );
            return Err(vec![Diagnostic::new(codes::NO_FLEET, message).help("pass the fleet root with `--root`")]);
        };
        Self::open(&root)
    }

    /// The fleet's folder, as it was given.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The options of generated code in `fleet.yaml`, which flags and build scripts override.
    pub fn options(&self) -> Options {
        self.options.clone()
    }

    /// The outputs in `fleet.yaml`, in its order: what `capgen gen` without a selection generates. Their paths begin
    /// with [`root`](Self::root).
    pub fn outputs(&self) -> impl Iterator<Item = FleetOutput> {
        // Messages show the paths, so the root `.` is left out.
        let below = |path: &Path| {
            let path = self.listed_path(&path.to_string_lossy());
            let short = path.strip_prefix(".").unwrap_or(&path);
            if short.as_os_str().is_empty() { PathBuf::from(".") } else { short.to_owned() }
        };
        self.outputs.iter().map(move |output| output.clone().below(below))
    }

    /// The settings of clients and servers in `fleet.yaml`: its key `calls`.
    pub fn calls(&self) -> FleetCalls {
        self.calls
    }

    /// The public keys of agents in `fleet.yaml`: its key `keys`.
    pub fn keys(&self) -> &[FleetKey] {
        &self.keys
    }

    /// The roles and scopes of agents in `fleet.yaml`: its key `grants`; `None` if it is absent.
    pub fn grants(&self) -> Option<&BTreeMap<AgentId, FleetGrant>> {
        self.grants.as_ref()
    }

    /// The path of the file of accepted findings that `fleet.yaml` names.
    pub fn accepted_file(&self) -> Option<PathBuf> {
        self.accepted.as_ref().map(|listed| self.listed_path(&listed.path))
    }

    /// The file of accepted findings that `fleet.yaml` names; `None` if it names none. `capgen_evolve::read_accepted`
    /// reads its entries.
    ///
    /// # Errors
    ///
    /// [`codes::UNREADABLE`] at the path in `fleet.yaml` if there is no such file, and those of
    /// [`read_source`](crate::read_source).
    pub fn accepted(&self) -> Result<Option<Source>, Vec<Diagnostic>> {
        let (Some(listed), Some(path)) = (&self.accepted, self.accepted_file()) else { return Ok(None) };
        if path.symlink_metadata().is_err() {
            let message = "`fleet.yaml` names a file of accepted findings that does not exist";
            let mut finding = Diagnostic::new(codes::UNREADABLE, message);
            if let Some(source) = &self.source {
                finding = finding.at(source, listed.span.clone(), "");
            }
            finding.pointer = Some("/calls/accepted".to_owned());
            let help = "create the file, which may be empty, or remove the key `accepted`";
            return Err(vec![finding.note(format!("tried `{}`", shown(&path))).help(help)]);
        }
        read_source(&path, &shown(&path)).map(Some)
    }

    /// The `name` in `fleet.yaml`. Any text.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The `description` in `fleet.yaml`. Any text.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// The path of `fleet.yaml`, if it exists.
    pub fn file(&self) -> Option<PathBuf> {
        let path = self.root.join("fleet.yaml");
        path.is_file().then_some(path)
    }

    /// The path of the manifest of the agent `id`: the path in `fleet.yaml`, otherwise `agents/<id>/capabilities.yaml`
    /// (or `.yml`, or `.json`). `agent://<id>` is accepted too.
    ///
    /// # Errors
    ///
    /// [`codes::PEER_ID`] if `id` is not valid, [`codes::UNKNOWN_PEER`] with the paths that were tried and the most
    /// similar id in the fleet, [`codes::NO_MANIFEST`] if `fleet.yaml` lists the agent but there is no manifest at its
    /// path.
    pub fn peer(&self, id: &str) -> Result<PathBuf, Vec<Diagnostic>> {
        let bare = id.strip_prefix("agent://").unwrap_or(id);
        let Some(id) = AgentId::new(bare) else {
            let message = format!("{} is not a valid agent id", quoted(bare));
            return Err(vec![Diagnostic::new(codes::PEER_ID, message).help(AgentId::RULE)]);
        };
        if let Some(listed) = self.listed.get(&id) {
            return self.listed_manifest(&id, listed);
        }
        let folder = self.root.join("agents").join(id.as_str());
        manifest_in(&folder).ok_or_else(|| vec![self.unknown(&id, &folder)])
    }

    fn listed_manifest(&self, id: &AgentId, listed: &Listed) -> Result<PathBuf, Vec<Diagnostic>> {
        let path = self.listed_path(&listed.path);
        let is_missing = path.try_exists().is_ok_and(|exists| !exists);
        let is_manifest = is_manifest(&path);
        let reason = match (is_manifest, is_missing) {
            (true, false) => return Ok(path),
            (true, true) => "file does not exist",
            (false, true) => "folder does not exist",
            (false, false) => match manifest_in(&path) {
                Some(manifest) => return Ok(manifest),
                None => "folder contains no manifest",
            },
        };
        let message = format!("`fleet.yaml` lists the agent `{id}`, but its {reason}");
        let mut finding = Diagnostic::new(codes::NO_MANIFEST, message);
        if let Some(source) = &self.source {
            finding = finding.at(source, listed.span.clone(), "");
        }
        let tried_file = |finding: Diagnostic| finding.note(format!("tried `{}`", shown(&path)));
        Err(vec![if is_manifest { tried_file(finding) } else { tried(finding, &path) }])
    }

    /// A path in `fleet.yaml`, without `./`, because messages show it.
    fn listed_path(&self, path: &str) -> PathBuf {
        let parts = Path::new(path).components().filter(|part| *part != Component::CurDir);
        self.root.join(parts.collect::<PathBuf>())
    }

    fn unknown(&self, id: &AgentId, folder: &Path) -> Diagnostic {
        let mut finding = Diagnostic::new(codes::UNKNOWN_PEER, format!("the fleet has no agent `{id}`"));
        if let Some(file) = self.file() {
            finding.notes.push(format!("`{}` does not list it", shown(&file)));
            finding.file = Some(shown(&file));
        }
        let finding = tried(finding, folder);
        let ids: Vec<AgentId> = self.peers().unwrap_or_default().into_iter().map(|(id, _)| id).collect();
        match nearest(id.as_str(), ids.iter().map(AgentId::as_str)) {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None if ids.is_empty() || ids.len() > 20 => finding,
            None => {
                let ids: Vec<_> = ids.iter().map(AgentId::as_str).collect();
                finding.help(format!("the agents with a manifest are {}", crate::read::listed(&ids)))
            }
        }
    }

    /// Every agent of the fleet that offers capabilities, with the path of its manifest, sorted by id.
    ///
    /// An agent in `fleet.yaml` whose folder exists but contains no manifest only calls other agents, and is left out.
    /// One whose path does not exist is included, and [`peer`](Self::peer) reports the error. Also left out is a folder
    /// in `agents/` that has no manifest, or whose manifest `fleet.yaml` lists under some id.
    ///
    /// # Errors
    ///
    /// [`codes::UNREADABLE`] if `agents/` cannot be listed, [`codes::PEER_ID`] if the name of a folder with a manifest
    /// is not a valid id.
    pub fn peers(&self) -> Result<Vec<(AgentId, PathBuf)>, Vec<Diagnostic>> {
        let mut peers = BTreeMap::new();
        let mut claimed = BTreeSet::new();
        for (id, listed) in &self.listed {
            let path = self.listed_path(&listed.path);
            let found = if is_manifest(&path) || !path.is_dir() { Some(path) } else { manifest_in(&path) };
            if let Some(path) = found {
                claimed.insert(plain(&path));
                peers.insert(id.clone(), path);
            }
        }
        let mut findings = Vec::new();
        for (name, path) in self.folders()? {
            match AgentId::new(&name) {
                _ if claimed.contains(&plain(&path)) => {}
                Some(id) => drop(peers.entry(id).or_insert(path)),
                None => {
                    let message =
                        format!("`{}` is a manifest, but the name of its folder is not a valid agent id", shown(&path));
                    findings.push(Diagnostic::new(codes::PEER_ID, message).help(AgentId::RULE).in_file(shown(&path)));
                }
            }
        }
        if findings.is_empty() { Ok(peers.into_iter().collect()) } else { Err(findings) }
    }

    /// The folders in `agents/` that contain a manifest, sorted by name.
    fn folders(&self) -> Result<BTreeMap<String, PathBuf>, Vec<Diagnostic>> {
        let agents = self.root.join("agents");
        if !agents.is_dir() {
            return Ok(BTreeMap::new());
        }
        let failed = |error: std::io::Error| {
            vec![Diagnostic::new(codes::UNREADABLE, format!("cannot list `{}`: {error}", shown(&agents)))]
        };
        let mut folders = BTreeMap::new();
        for entry in std::fs::read_dir(&agents).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let manifest = manifest_in(&agents.join(&name));
            folders.extend(manifest.map(|path| (name.to_string_lossy().into_owned(), path)));
        }
        Ok(folders)
    }
}

/// Whether a path in `fleet.yaml` names the manifest itself rather than its folder.
fn is_manifest(path: &Path) -> bool {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    matches!(extension.as_str(), "yaml" | "yml" | "json") && !path.is_dir()
}

fn tried(mut finding: Diagnostic, folder: &Path) -> Diagnostic {
    let paths = candidates(folder);
    finding.notes.extend(paths.iter().map(|path| format!("tried `{}`", shown(path))));
    finding
}

fn shown_root(path: &Path) -> String {
    let text = shown(path);
    if text.is_empty() { ".".to_owned() } else { text }
}
