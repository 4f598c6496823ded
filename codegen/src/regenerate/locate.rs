//! Where contracts and fleets are relative to an output folder.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use capgen_manifest::{AgentId, Fleet, LoadedContract, Options, find_root};

use super::{Regenerate, Source, shell};

/// Finds the command for each contract whose files go to one output folder.
#[derive(Debug)]
pub struct Locator {
    /// The output folder, absolute and without symbolic links.
    folder: PathBuf,
    /// Opened fleets by their root, so that each `fleet.yaml` is read once; `None` if it has errors.
    fleets: BTreeMap<PathBuf, Option<Fleet>>,
}

impl Locator {
    /// For an output folder, which need not exist.
    pub fn new(folder: &Path) -> Self {
        Self { folder: real(folder), fleets: BTreeMap::new() }
    }

    /// The command for the files of a contract.
    ///
    /// It selects the agent by its id if the fleet around the output folder, or else the fleet around the contract, has
    /// the agent. Otherwise it names the file. Which fleet, working directory and options this run uses has no effect,
    /// so that every way to generate the file gives the same command.
    pub fn command(&mut self, contract: &LoadedContract) -> Regenerate {
        let agent = &contract.manifest.agent;
        let file = real_file(&contract.file);
        let near = find_root(&self.folder);
        if let Some(defaults) = near.as_deref().and_then(|root| self.defaults_if_it_has(root, agent, &file)) {
            return folder(format!("--peer {agent}"), defaults);
        }
        let around = file.parent().and_then(find_root);
        if let Some(root) = &around
            && let Some(defaults) = self.defaults_if_it_has(root, agent, &file)
        {
            return match self.relative(root) {
                Some(root) => folder(format!("--peer {agent} --root {}", shell::path_word(&root)), defaults),
                None => Regenerate { defaults, ..Regenerate::anywhere(agent) },
            };
        }
        // The options in `fleet.yaml` do not apply to a file that is selected by its path.
        match self.relative(&file) {
            Some(file) => folder(format!("--capabilities {}", shell::path_word(&file)), Options::default()),
            None => Regenerate::anywhere(agent),
        }
    }

    /// The fleet in which [the command](Self::command) finds the agent of a contract; `None` if it names the file.
    pub fn fleet_of(&mut self, contract: &LoadedContract) -> Option<&Fleet> {
        let file = real_file(&contract.file);
        let roots = [find_root(&self.folder), file.parent().and_then(find_root)];
        let agent = &contract.manifest.agent;
        let has = |root: &PathBuf| self.defaults_if_it_has(root, agent, &file).is_some();
        let root = roots.into_iter().flatten().find(has)?;
        self.fleet(&root)
    }

    /// The command for the files of a contract that is imported from a file: `option` names the file, and `others` are
    /// the remaining options.
    pub fn imported(&self, option: &str, file: &Path, others: &str) -> Regenerate {
        folder(format!("{option} {}{others}", self.word(file)), Options::default())
    }

    /// A file as a word of the command. If there is no path to it that is the same on every machine, it is only its
    /// name.
    pub fn word(&self, file: &Path) -> String {
        let name = || file.file_name().map(PathBuf::from).unwrap_or_default();
        shell::path_word(&self.relative_path(file).unwrap_or_else(name))
    }

    /// The path of a file from the output folder. `None` if they have no folder in common but the root of the file
    /// system: such a path would differ between machines.
    pub fn relative_path(&self, file: &Path) -> Option<PathBuf> {
        self.relative(&real_file(file))
    }

    /// The options of the fleet at `root`, if the manifest of `agent` there is `file`.
    fn defaults_if_it_has(&mut self, root: &Path, agent: &AgentId, file: &Path) -> Option<Options> {
        let fleet = self.fleet(root)?;
        let path = fleet.peer(agent.as_str()).ok()?;
        (real_file(&path) == file).then(|| fleet.options())
    }

    fn fleet(&mut self, root: &Path) -> Option<&Fleet> {
        self.fleets.entry(root.to_owned()).or_insert_with(|| Fleet::open(root).ok()).as_ref()
    }

    /// The path from the output folder. `None` if they have no folder in common but the root of the file system: such a
    /// path would differ between machines.
    fn relative(&self, path: &Path) -> Option<PathBuf> {
        let shared = self.folder.components().zip(path.components()).take_while(|(a, b)| a == b);
        let is_common = shared.clone().any(|(part, _)| matches!(part, Component::Normal(_)));
        let shared = shared.count();
        let up = self.folder.components().skip(shared).map(|_| Component::ParentDir);
        let relative: PathBuf = up.chain(path.components().skip(shared)).collect();
        let is_empty = relative.as_os_str().is_empty();
        is_common.then(|| if is_empty { PathBuf::from(".") } else { relative })
    }
}

fn folder(arguments: String, defaults: Options) -> Regenerate {
    Regenerate { source: Source::Folder(arguments), defaults, history: None }
}

/// A file's path with its folder absolute and without symbolic links. A link to the file itself is kept: its name is
/// part of the fleet.
fn real_file(path: &Path) -> PathBuf {
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => real(folder).join(name),
        _ => real(path),
    }
}

/// The path absolute and without symbolic links. Its last parts need not exist.
fn real(path: &Path) -> PathBuf {
    // `join` treats the empty path as the working directory, but the system rejects it.
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut missing: Vec<OsString> = Vec::new();
    let mut start = absolute.as_path();
    loop {
        if let Ok(real) = start.canonicalize() {
            let mut real = real;
            // `..` after a part that does not exist yet removes that part, as `create_dir_all` and the shell read it.
            for part in missing.iter().rev() {
                if part == ".." { _ = real.pop() } else { real.push(part) }
            }
            return real;
        }
        let part = start.components().next_back();
        let (Some(part), Some(parent)) = (part, start.parent()) else { return absolute };
        missing.push(part.as_os_str().to_owned());
        start = parent;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_from_the_output_folder_stays_below_a_common_folder() {
        let locator = Locator { folder: PathBuf::from("/repo/crates/orders/generated"), fleets: BTreeMap::new() };
        for (path, expected) in [
            ("/repo/fleet", Some("../../../fleet")),
            ("/repo/crates/orders/generated", Some(".")),
            ("/repo/crates/orders/generated/a.yaml", Some("a.yaml")),
            ("/repo", Some("../../..")),
            ("/elsewhere/fleet", None),
        ] {
            assert_eq!(locator.relative(Path::new(path)), expected.map(PathBuf::from), "{path}");
        }
    }
}
