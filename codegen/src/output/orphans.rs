//! Generated files whose agents no longer exist.

use std::path::{Path, PathBuf};

use capgen_diagnostic::Diagnostic;
use capgen_files::{Links, MARK, is_marked};
use capgen_manifest::shown;

use super::names::{agent_of, agents_of};
use super::{Plan, cannot, entries};
use crate::codes;

impl Plan {
    /// The generated files in the folder whose agent is neither in this plan nor known to `is_known`, sorted.
    ///
    /// # Errors
    ///
    /// [`codes::OUTPUT_IO`].
    pub fn orphans(&self, is_known: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>, Vec<Diagnostic>> {
        let names = entries(&self.base.join(&self.folder)).map_err(|error| cannot("read", &self.folder, &error))?;
        let planned = |id: &str| self.files.iter().any(|file| file.agent().as_str() == id);
        let is_gone =
            |name: &String| agent_of(name).is_some() && agents_of(name).all(|id| !planned(id) && !is_known(id));
        let gone = names.into_iter().filter(is_gone);
        Ok(gone
            .map(|name| self.folder.join(name))
            .filter(|path| is_marked(&self.base.join(path), Links::Followed, MARK))
            .collect())
    }
}

/// The finding ([`codes::ORPHAN`]) for one of [`Plan::orphans`].
pub fn orphan(path: &Path) -> Diagnostic {
    let agent = path.file_name().and_then(|name| agent_of(name.to_str()?)).unwrap_or_default();
    Diagnostic::new(
        codes::ORPHAN,
        format!("`{}` is generated, but its agent `{agent}` no longer exists", path.display()),
    )
    .in_file(shown(path))
    .help("delete it; if the agent is outside the fleet, also pass its contract with `--capabilities`")
}
