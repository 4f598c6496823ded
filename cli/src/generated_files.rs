//! The generated files of a repository, which show who calls whom.

use std::fs;
use std::path::{Path, PathBuf};

use capgen_codegen::Language;
use capgen_files::{Links, has_mark, read_head};
use capgen_manifest::{Selection, find_root};

use crate::repository;

/// The search ends after this many entries of folders, so that a run in a large tree ends. Far more than a repository
/// without its dependencies has.
pub(crate) const MAX_ENTRIES: usize = 200_000;
/// The hash of the contract is in the first lines of a generated file. This is far more, and bounds the reading of
/// other files.
const HEAD: u64 = 64 << 10;
/// Folders that contain no code of users.
const SKIPPED: [&str; 2] = ["target", "node_modules"];

/// The generated files below a folder.
#[derive(Default)]
pub(crate) struct GeneratedFiles {
    /// Sorted by path.
    pub(crate) files: Vec<GeneratedFile>,
    /// Whether every folder was searched.
    pub(crate) is_complete: bool,
}

/// A generated file.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct GeneratedFile {
    /// It starts with the folder that was searched.
    pub(crate) path: PathBuf,
    /// The id of the agent whose contract the file contains. The file may contain any text there.
    pub(crate) agent: String,
    /// The hash of the contract. The file may contain any text there.
    pub(crate) hash: String,
}

/// The folder to search: the root of the repository around the fleet, or else of the fleet. It is relative if possible,
/// so that messages show short paths.
pub(crate) fn root(selection: &Selection) -> Option<PathBuf> {
    let fleet = selection.root.clone().or_else(|| find_root(&selection.start));
    let start = fleet.clone().unwrap_or_else(|| selection.start.clone());
    let repository = repository::root_of(&start);
    // A relative path, such as `../..`.
    let up = repository.and_then(|root| {
        let depth = start.canonicalize().ok()?.strip_prefix(&root).ok()?.components().count();
        Some((0..depth).fold(start.clone(), |folder, _| folder.join("..")))
    });
    up.or(fleet)
}

/// Searches a folder and those in it. Symbolic links are not followed, so that the search ends.
pub(crate) fn below(root: &Path) -> GeneratedFiles {
    let mut found = GeneratedFiles { files: Vec::new(), is_complete: true };
    let mut entries_left = MAX_ENTRIES;
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        // A folder that cannot be read has no callers that matter here.
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let Some(left) = entries_left.checked_sub(1) else {
                found.is_complete = false;
                open.clear();
                break;
            };
            entries_left = left;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && !name.starts_with('.') && !SKIPPED.contains(&name.as_ref()) {
                open.push(entry.path());
            } else if kind.is_file() && has_extension(&name) {
                found.files.extend(read(entry.path()));
            }
        }
    }
    found.files.sort();
    found
}

fn read(path: PathBuf) -> Option<GeneratedFile> {
    let head = read_head(&path, Links::Refused, HEAD).ok()?;
    if !has_mark(&head) {
        return None;
    }
    let head = String::from_utf8_lossy(&head);
    // The lines that the generator writes after the mark; see `codegen/src/header.rs`.
    let line = |name: &str| head.lines().find_map(|line| line.split_once(name).map(|(_, value)| value.to_owned()));
    let (agent, hash) = (line("Source: agent://")?, line("Contract: sha256:")?);
    Some(GeneratedFile { path, agent, hash })
}

/// Whether a generated file may have this name.
fn has_extension(name: &str) -> bool {
    let mut extensions = Language::ALL.iter().flat_map(|language| language.extensions());
    extensions.any(|extension| name.strip_suffix(extension).is_some_and(|stem| stem.ends_with('.')))
}
