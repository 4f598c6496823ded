//! The old version of each selected contract.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use capgen_diagnostic::Diagnostic;
use capgen_manifest::{AgentId, Fleet, LoadedContract, Selection, load, read_source, shown};

use super::git::Revision;
use super::old_fleet::OldFleet;
use crate::codes;

/// The two versions of a contract. At least one exists.
pub(super) struct Pair {
    pub(super) old: Option<LoadedContract>,
    pub(super) new: Option<LoadedContract>,
}

/// The place of the old version.
pub(super) enum Against {
    /// A manifest.
    File(PathBuf),
    /// A folder with a fleet or a manifest.
    Folder(PathBuf),
    /// A revision of the git repository.
    Revision(String),
}

/// The selected contracts, and how they were selected.
pub(super) struct Selected<'s> {
    pub(super) selection: &'s Selection,
    pub(super) contracts: Vec<LoadedContract>,
}

type Result<T> = std::result::Result<T, Vec<Diagnostic>>;

impl Against {
    pub(super) fn new(value: &Path) -> Self {
        match value.to_str().and_then(|text| text.strip_prefix("git:")) {
            Some(revision) => Against::Revision(revision.to_owned()),
            None if value.is_dir() => Against::Folder(value.to_owned()),
            None => Against::File(value.to_owned()),
        }
    }

    /// Finds and reads the old version of each contract.
    pub(super) fn pairs(&self, selected: Selected<'_>) -> Result<Vec<Pair>> {
        match self {
            Against::File(path) => {
                let old = file(path)?;
                Ok(one(old, selected.contracts))
            }
            Against::Folder(path) => folder(path, selected),
            Against::Revision(name) => revision(name, selected),
        }
    }
}

/// Pairs a contract with the only new one.
fn one(old: LoadedContract, new: Vec<LoadedContract>) -> Vec<Pair> {
    let mut old = Some(old);
    new.into_iter().map(|new| Pair { old: old.take(), new: Some(new) }).collect()
}

fn file(path: &Path) -> Result<LoadedContract> {
    let contract = read_source(path, &shown(path)).and_then(|source| load(&source));
    contract.map_err(|mut findings| {
        let is_missing = path.symlink_metadata().is_err();
        if let Some(finding) = findings.first_mut().filter(|_| is_missing) {
            let name = path.display();
            finding.help = Some(format!("for a revision of the git repository, write `--against git:{name}`"));
        }
        findings
    })
}

fn folder(path: &Path, selected: Selected<'_>) -> Result<Vec<Pair>> {
    let is_fleet = path.join("fleet.yaml").is_file() || path.join("agents").is_dir();
    if !is_fleet {
        let names = ["capabilities.yaml", "capabilities.yml", "capabilities.json"];
        let Some(path) = names.iter().map(|name| path.join(name)).find(|path| path.exists()) else {
            let message = format!("the folder `{}` has neither a fleet nor a manifest", path.display());
            let finding = Diagnostic::new(codes::NO_CONTRACTS, message);
            return Err(vec![finding.help("pass a folder with `fleet.yaml`, `agents/` or `capabilities.yaml`")]);
        };
        let old = file(&path)?;
        if selected.contracts.len() == 1 {
            return Ok(one(old, selected.contracts));
        }
        let old = BTreeMap::from([(old.manifest.agent.clone(), old)]);
        return by_agent(old, selected, &shown(&path));
    }
    let fleet = Fleet::open(path)?;
    let mut old = BTreeMap::new();
    for (id, manifest) in fleet.peers()? {
        if selected.needs(&id) {
            old.insert(id, file(&manifest)?);
        }
    }
    by_agent(old, selected, &shown(path))
}

/// Pairs contracts of the same agent.
fn by_agent(mut old: BTreeMap<AgentId, LoadedContract>, selected: Selected<'_>, place: &str) -> Result<Vec<Pair>> {
    let Selected { selection, contracts } = selected;
    let mut findings = Vec::new();
    let mut pairs = Vec::new();
    for new in contracts {
        let before = old.remove(&new.manifest.agent);
        if before.is_none() && is_file(selection, &new) {
            let message = format!("`{place}` has no contract of the agent `{}`", new.manifest.agent);
            findings.push(no_old_version(message, &new));
        }
        pairs.push(Pair { old: before, new: Some(new) });
    }
    if selection.all {
        pairs.extend(old.into_values().map(|old| Pair { old: Some(old), new: None }));
    }
    if findings.is_empty() { Ok(pairs) } else { Err(findings) }
}

fn revision(name: &str, selected: Selected<'_>) -> Result<Vec<Pair>> {
    let fleet =
        if selected.selection.all || !selected.selection.peers.is_empty() { selected.selection.fleet()? } else { None };
    let first = selected.contracts.first().map(|contract| contract.file.clone()).unwrap_or_default();
    let folder = match &fleet {
        Some(fleet) => fleet.root(),
        None => first.parent().unwrap_or(Path::new("")),
    };
    let mut revision = Revision::open(name, folder)?;
    let mut findings = Vec::new();
    let mut old = BTreeMap::new();
    // The old versions of files are at their paths, those of agents wherever the old fleet has them.
    let mut of_files = BTreeMap::new();
    for contract in selected.contracts.iter().filter(|contract| is_file(selected.selection, contract)) {
        let path = revision.relative(&contract.file)?;
        match revision.read(&path)? {
            Some(content) => drop(of_files.insert(contract.file.clone(), (path, content))),
            None => {
                let message = format!("the revision {} has no file `{path}`", capgen_diagnostic::quoted(name));
                findings.push(no_old_version(message, contract));
            }
        }
    }
    if let Some(fleet) = fleet {
        let fleet = OldFleet::open(&mut revision, fleet.root())?;
        for (id, path, content) in fleet.contracts(&mut revision, |id| selected.needs(id))? {
            old.insert(id, (path, content));
        }
    }
    let mut read = |(path, content): (String, Vec<u8>)| {
        let contract = capgen_manifest::decode(revision.shown(&path), content).and_then(|source| load(&source));
        contract.map_err(|errors| findings.extend(errors)).ok()
    };
    let Selected { selection, contracts } = selected;
    let mut pairs = Vec::new();
    for new in contracts {
        let before = match of_files.remove(&new.file) {
            None if is_file(selection, &new) => continue,
            None => old.remove(&new.manifest.agent),
            found => found,
        };
        pairs.push(Pair { old: before.and_then(&mut read), new: Some(new) });
    }
    if selection.all {
        pairs.extend(old.into_values().filter_map(&mut read).map(|old| Pair { old: Some(old), new: None }));
    }
    if findings.is_empty() { Ok(pairs) } else { Err(findings) }
}

/// Whether a contract was selected by its path, not as an agent of the fleet.
fn is_file(selection: &Selection, contract: &LoadedContract) -> bool {
    selection.files.contains(&contract.file)
}

fn no_old_version(message: String, new: &LoadedContract) -> Diagnostic {
    let finding = Diagnostic::new(codes::NO_OLD_VERSION, message).in_file(new.path());
    finding.help("select a new agent with `--peer` or `--all`: its capabilities are reported as added")
}

impl Selected<'_> {
    /// Whether the old contract of an agent is needed.
    fn needs(&self, id: &AgentId) -> bool {
        self.selection.all || self.contracts.iter().any(|contract| contract.manifest.agent == *id)
    }
}
