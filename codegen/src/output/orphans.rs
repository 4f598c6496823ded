//! Generated files whose agents no longer exist, and files that a change of shared code leaves behind.

use std::path::{Path, PathBuf};

use capgen_diagnostic::Diagnostic;
use capgen_files::{Links, MARK, is_marked, read_head};
use capgen_manifest::shown;

use super::index::is_index;
use super::names::{agent_of, agents_of, extension_of, is_shared};
use super::{Plan, State, cannot, entries};
use crate::codes;
use crate::language::SHARED;

/// The bytes that are read of a file, to find its imports. They follow the header, which lists the capabilities; this
/// is enough for thousands of them.
const HEAD: u64 = 1 << 20;

impl Plan {
    /// The generated files in the folder whose agent is neither in this plan nor known to `is_known`, the files with
    /// shared code that no other generated file imports, and indexes without such a file; sorted.
    ///
    /// # Errors
    ///
    /// [`codes::OUTPUT_IO`].
    pub fn orphans(&self, is_known: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>, Vec<Diagnostic>> {
        let names = self.names_in_folder()?;
        let planned = |id: &str| self.files.iter().any(|file| file.agent().is_some_and(|agent| agent.as_str() == id));
        let is_needed = |name: &&String| agents_of(name).any(|id| planned(id) || is_known(id));
        let (kept, others): (Vec<&String>, Vec<&String>) =
            names.iter().filter(|name| agent_of(name).is_some()).partition(is_needed);
        let is_gone = |name: &&String| {
            if is_index(name) {
                let is_listed = |user: &&&String| !is_shared(user) && extension_of(user) == extension_of(name);
                return !self.has_file(name) && !kept.iter().any(|user| is_listed(&user));
            }
            !is_shared(name) || (!self.has_file(name) && !kept.iter().any(|user| self.imports(user, name)))
        };
        let gone = others.into_iter().filter(is_gone).map(|name| self.folder.join(name));
        Ok(gone.filter(|path| is_marked(&self.base.join(path), Links::Followed, MARK)).collect())
    }

    /// A finding ([`codes::LEFT_BEHIND`]) for each generated file in the folder that is not in this plan, but imports a
    /// shared file that the plan changes or restores: another version of capgen may have written both. Only files for
    /// which `is_other` is true: another plan may have the rest.
    ///
    /// # Errors
    ///
    /// [`codes::OUTPUT_IO`].
    pub fn left_behind(&self, is_other: impl Fn(&Path) -> bool) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
        let mut changed = self
            .files
            .iter()
            .filter(|file| file.agent().is_none() && file.index.is_none() && file.state() != State::Unchanged)
            .peekable();
        if changed.peek().is_none() {
            return Ok(Vec::new());
        }
        let names = self.names_in_folder()?;
        let is_unplanned = |name: &&String| {
            let is_generated = agent_of(name).is_some() && !is_shared(name);
            is_generated && !self.has_file(name) && is_other(&self.folder.join(name))
        };
        let others: Vec<&String> = names.iter().filter(is_unplanned).collect();
        let mut found = Vec::new();
        for shared in changed {
            for name in others.iter().filter(|name| self.imports(name, shared.name())) {
                let path = self.folder.join(name);
                if is_marked(&self.base.join(&path), Links::Followed, MARK) {
                    found.push(left_behind(&path, shared.name()));
                }
            }
        }
        Ok(found)
    }

    /// The names of everything in the folder.
    fn names_in_folder(&self) -> Result<Vec<String>, Vec<Diagnostic>> {
        entries(&self.base.join(&self.folder)).map_err(|error| cannot("read", &self.folder, &error))
    }

    /// Whether the plan has a file with this name.
    fn has_file(&self, name: &str) -> bool {
        self.files.iter().any(|file| file.name() == name)
    }

    /// Whether a file imports the shared file of its language: if it is planned, by its new text.
    fn imports(&self, user: &str, shared: &str) -> bool {
        if extension_of(user) != extension_of(shared) {
            return false;
        }
        if let Some(planned) = self.files.iter().find(|file| file.name() == user) {
            return imports_shared(planned.text());
        }
        // A file that cannot be read may import it.
        let head = read_head(&self.base.join(&self.folder).join(user), Links::Followed, HEAD);
        head.map_or(true, |head| imports_shared(&String::from_utf8_lossy(&head)))
    }
}

/// Whether the text of a file has the path of a shared file, as statements that import it write it. The name alone may
/// be a part of another path or of a description.
fn imports_shared(text: &str) -> bool {
    text.contains(&format!("\"./{SHARED}"))
}

fn left_behind(path: &Path, shared: &str) -> Diagnostic {
    let message =
        format!("`{}` imports `{shared}`, which changes or is missing, but is not generated again", path.display());
    Diagnostic::new(codes::LEFT_BEHIND, message)
        .in_file(shown(path))
        .note("files of different versions of capgen may not work together")
        .help("generate the files of all agents of the folder")
}

/// The finding ([`codes::ORPHAN`]) for one of [`Plan::orphans`].
pub fn orphan(path: &Path) -> Diagnostic {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if is_shared(name) {
        let message = format!("`{}` is generated, but no other generated file imports it", path.display());
        return Diagnostic::new(codes::ORPHAN, message).in_file(shown(path)).help("delete it");
    }
    if is_index(name) {
        let message = format!("`{}` is generated, but exports no generated file", path.display());
        return Diagnostic::new(codes::ORPHAN, message).in_file(shown(path)).help("delete it");
    }
    let agent = agent_of(name).unwrap_or_default();
    Diagnostic::new(
        codes::ORPHAN,
        format!("`{}` is generated, but its agent `{agent}` no longer exists", path.display()),
    )
    .in_file(shown(path))
    .help("delete it; if the agent is outside the fleet, also pass its contract with `--capabilities`")
}
