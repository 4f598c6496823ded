//! Who calls whom, from the generated files of the repository.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use capgen_manifest::{AgentId, LoadedContract, Selection};
use capgen_site::{Call, Caller};

use crate::console::Console;
use crate::generated_files::{MAX_ENTRIES, below, root};
use crate::summary::shown;

/// The files that mark the folder of a program.
const PROGRAMS: [&str; 4] = ["Cargo.toml", "package.json", "deno.json", "pyproject.toml"];

/// The calls to agents of the contracts, sorted.
pub(super) fn find(contracts: &[LoadedContract], selection: &Selection, console: &Console) -> Vec<Call> {
    let Some(root) = root(selection) else { return Vec::new() };
    let found = below(&root);
    if !found.is_complete {
        console.line(&format!("the search for callers ended after {MAX_ENTRIES} files and folders"));
    }
    let hashes: BTreeMap<&str, (&AgentId, String)> = contracts
        .iter()
        .map(|contract| &contract.manifest)
        .map(|manifest| (manifest.agent.as_str(), (&manifest.agent, manifest.hash().to_string())))
        .collect();
    let callers = Callers::new(root, contracts);
    let mut calls: BTreeMap<(Caller, AgentId), Vec<(String, bool)>> = BTreeMap::new();
    for file in found.files {
        let Some((provider, hash)) = hashes.get(file.agent.as_str()) else { continue };
        let Ok(path) = file.path.strip_prefix(&callers.root) else { continue };
        let caller = callers.of(path);
        calls.entry((caller, (*provider).clone())).or_default().push((shown(path), file.hash == *hash));
    }
    calls.into_iter().map(|((caller, provider), files)| Call { caller, provider, files }).collect()
}

/// The programs below a folder.
struct Callers {
    root: PathBuf,
    /// The folder of the manifest of each agent, relative to the root.
    agents: BTreeMap<PathBuf, AgentId>,
}

impl Callers {
    fn new(root: PathBuf, contracts: &[LoadedContract]) -> Self {
        let absolute = root.canonicalize().unwrap_or_default();
        let agents = contracts.iter().filter_map(|contract| {
            let file = contract.file.canonicalize().ok()?;
            let folder = file.parent()?.strip_prefix(&absolute).ok()?;
            Some((folder.to_owned(), contract.manifest.agent.clone()))
        });
        Self { agents: agents.collect(), root }
    }

    /// The program of a file: the nearest folder around it with a manifest of an agent or of a program. The root itself
    /// does not count, because it has everything: without another program, it is the folder of the file.
    fn of(&self, file: &Path) -> Caller {
        let own = file.parent().unwrap_or(Path::new(""));
        for folder in own.ancestors().filter(|folder| !folder.as_os_str().is_empty()) {
            if let Some(agent) = self.agents.get(folder) {
                return Caller::Agent(agent.clone());
            }
            if PROGRAMS.iter().any(|name| self.root.join(folder).join(name).is_file()) {
                return Caller::Folder(shown(folder));
            }
        }
        Caller::Folder(if own.as_os_str().is_empty() { ".".to_owned() } else { shown(own) })
    }
}
