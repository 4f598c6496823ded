//! The generated files that contain the old version of a contract: the callers that a change affects.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use capgen_evolve::{Level, Report};
use capgen_manifest::{Selection, find_root, has_mark, shown};

use super::against::Pair;
use crate::repository;

/// The search ends after this many entries of folders, so that a run in a large tree ends.
pub(super) const MAX_ENTRIES: usize = 200_000;
/// The hash of the contract is in the first lines of a generated file.
const HEAD: u64 = 64 << 10;
/// Generated files have these extensions.
const EXTENSIONS: [&str; 5] = ["rs", "ts", "js", "mjs", "cjs"];
/// Folders that contain no code of users.
const SKIPPED: [&str; 2] = ["target", "node_modules"];

/// Finds the callers of every contract with a breaking change. They are below the root of the repository, or else of the fleet. Returns
/// whether the whole folder was searched.
pub(super) fn find(report: &mut Report, pairs: &[Pair], selection: &Selection) -> bool {
    let mut old_versions = BTreeMap::new();
    for (index, (contract, pair)) in report.contracts.iter().zip(pairs).enumerate() {
        if contract.comparison.level() == Some(Level::Breaking)
            && let Some(old) = &pair.old
        {
            old_versions.insert((old.manifest.agent.to_string(), old.manifest.hash().to_string()), index);
        }
    }
    if old_versions.is_empty() {
        return true;
    }
    let Some(root) = root(selection) else { return true };
    let mut search = Search { old_versions, entries: 0, found: Vec::new() };
    let is_complete = search.folder(&root);
    search.found.sort();
    for (path, index) in search.found {
        if let Some(contract) = report.contracts.get_mut(index) {
            contract.callers.push(path);
        }
    }
    is_complete
}

/// The folder to search, as messages show it.
fn root(selection: &Selection) -> Option<PathBuf> {
    let fleet = selection.root.clone().or_else(|| find_root(&selection.start));
    let start = fleet.clone().unwrap_or_else(|| selection.start.clone());
    let repository = repository::root_of(&start);
    // A relative path, such as `../..`, so that messages show short paths.
    let up = repository.and_then(|root| {
        let depth = start.canonicalize().ok()?.strip_prefix(&root).ok()?.components().count();
        Some((0..depth).fold(start.clone(), |folder, _| folder.join("..")))
    });
    up.or(fleet)
}

struct Search {
    /// The contract of each agent and hash. Two agents may have equal contracts.
    old_versions: BTreeMap<(String, String), usize>,
    entries: usize,
    /// The path of each file, and its contract.
    found: Vec<(String, usize)>,
}

impl Search {
    /// Searches a folder and those in it, and returns whether it was searched to the end. Symbolic links are not followed, so that
    /// the search ends.
    fn folder(&mut self, root: &Path) -> bool {
        let mut open = vec![root.to_owned()];
        while let Some(folder) = open.pop() {
            // A folder that cannot be read has no callers that matter here.
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            for entry in entries.flatten() {
                self.entries += 1;
                if self.entries > MAX_ENTRIES {
                    return false;
                }
                let name = entry.file_name();
                let name = name.to_string_lossy();
                let Ok(kind) = entry.file_type() else { continue };
                if kind.is_dir() && !name.starts_with('.') && !SKIPPED.contains(&name.as_ref()) {
                    open.push(entry.path());
                } else if kind.is_file() && has_extension(&name) {
                    self.file(&entry.path());
                }
            }
        }
        true
    }

    fn file(&mut self, path: &Path) {
        let Ok(file) = File::open(path) else { return };
        let mut head = Vec::new();
        if file.take(HEAD).read_to_end(&mut head).is_err() || !has_mark(&head) {
            return;
        }
        let head = String::from_utf8_lossy(&head);
        // The lines that the generator writes after the mark; see `codegen/src/header.rs`.
        let line = |name: &str| head.lines().find_map(|line| line.split_once(name).map(|(_, value)| value.to_owned()));
        let (Some(agent), Some(hash)) = (line("Source: agent://"), line("Contract: sha256:")) else { return };
        if let Some(index) = self.old_versions.get(&(agent, hash)) {
            self.found.push((shown(path), *index));
        }
    }
}

fn has_extension(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, extension)| EXTENSIONS.contains(&extension))
}
