//! `capgen check --fix`: applies suggested edits to `fleet.yaml` and to manifests.
//!
//! `rounds.rs` decides which edits of a text are applied. Here files are selected and written.

mod rounds;

use std::io;
use std::path::{Path, PathBuf};

use capgen_codegen::output::unified_diff;
use capgen_diagnostic::{Applicability, Diagnostic, Source, render, visible_lines};
use capgen_files::{Links, has_content, replace_files};
use capgen_manifest::{
    AgentId, Selection, check_meaning, find_root, listed_agents, load, load_peer, read_source, shown,
};
use clap::Args;

use self::rounds::{Found, fix};
use crate::console::{self, Console, count};

/// The options of `capgen check` that change manifests.
#[derive(Args, Debug)]
pub(crate) struct Fixing {
    /// Apply the suggested edits that are certain to the manifests and `fleet.yaml`, then check them
    #[arg(long, conflicts_with = "watch")]
    pub(crate) fix: bool,
    /// With --fix: apply the edits that need review too
    #[arg(long = "unsafe", requires = "fix")]
    pub(crate) unsafe_edits: bool,
    /// With --fix: print the edits as a unified diff, and write nothing
    #[arg(long, visible_alias = "diff", requires = "fix", conflicts_with = "format")]
    pub(crate) dry_run: bool,
}

/// A file with edits.
struct Change {
    path: PathBuf,
    old: Source,
    new: Source,
    fixed: usize,
}

impl Fixing {
    fn allows(&self, finding: &Diagnostic) -> bool {
        self.unsafe_edits || finding.applicability() == Some(Applicability::Certain)
    }

    /// Applies the edits, and reports their number and the files that are not written.
    pub(crate) fn run(&self, selection: &Selection, console: &Console) -> io::Result<()> {
        let (mut fixed, mut files) = (0, 0);
        let mut add = |change: Option<Change>| -> io::Result<()> {
            if let Some(change) = change
                && self.write(&change, console)?
            {
                fixed += change.fixed;
                files += 1;
            }
            Ok(())
        };
        // The fleet first, because it lists the manifests.
        let root = selection.root.clone().or_else(|| find_root(&selection.start));
        if let Some(root) = root.as_ref().filter(|_| selection.all || !selection.peers.is_empty()) {
            let find = |source: &Source| Found::new(listed_agents(source).map(|_| Vec::new()));
            add(self.change(&root.join("fleet.yaml"), Some(root), find, console))?;
        }
        for (path, agent) in selection.locate().inputs() {
            let fleet = root.as_deref().filter(|_| agent.is_some());
            add(self.change(path, fleet, |source| found(source, agent), console))?;
        }
        let verb = if self.dry_run { "would fix" } else { "fixed" };
        let files = count(files, "file", "files");
        console.line(&format!("{verb} {} in {files}", count(fixed, "problem", "problems")));
        Ok(())
    }

    /// The change of a file, if there is one. Files that cannot be read are reported by the check that follows.
    fn change(
        &self,
        path: &Path,
        fleet: Option<&Path>,
        find: impl Fn(&Source) -> Found,
        console: &Console,
    ) -> Option<Change> {
        let old = read_source(path, &shown(path)).ok()?;
        let (new, fixed) = fix(&old, &find, |finding| self.allows(finding))?;
        match target(path, fleet) {
            Ok(path) => Some(Change { path, old, new, fixed }),
            Err(reason) => {
                console.line(&format!("`{}` is not changed: {reason}", old.path()));
                None
            }
        }
    }

    /// Writes a change, or prints it; `false` if the file cannot be written.
    fn write(&self, Change { path, old, new, .. }: &Change, console: &Console) -> io::Result<bool> {
        if self.dry_run {
            let [old_text, new_text] = [old, new].map(render::shown_text);
            let diff = unified_diff(Path::new(old.path()), Some(&old_text), &new_text);
            return console::print(&visible_lines(&diff.replace("\r\n", "\n"))).map(|()| true);
        }
        let reason = if has_content(path, Links::Refused, old.text().as_bytes()) {
            replace_files(&[(path, new.text())]).err().map(|(_, error)| error.to_string())
        } else {
            Some("another program changes it".to_owned())
        };
        if let Some(reason) = &reason {
            console.line(&format!("`{}` is not changed: {reason}", old.path()));
        }
        Ok(reason.is_none())
    }
}

/// The findings of a manifest that may have suggestions.
fn found(source: &Source, agent: Option<&AgentId>) -> Found {
    let loaded = match agent {
        Some(agent) => load_peer(source, agent),
        None => load(source),
    };
    Found::new(loaded.map(|contract| {
        let meaning = check_meaning(&contract);
        contract.warnings.into_iter().chain(meaning).collect()
    }))
}

/// The file to write: that of a link, if it is in the folder of the fleet or of the link.
///
/// # Errors
///
/// The reason if it is somewhere else: the author of a fleet may not be the owner of that file.
fn target(path: &Path, fleet: Option<&Path>) -> Result<PathBuf, String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let inside = fleet.unwrap_or(folder).canonicalize().map_err(|error| error.to_string())?;
    let file = path.canonicalize().map_err(|error| error.to_string())?;
    let place = if fleet.is_some() { "the fleet" } else { "its folder" };
    if file.starts_with(&inside) { Ok(file) } else { Err(format!("it is a link to a file outside of {place}")) }
}
