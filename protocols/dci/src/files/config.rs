//! The documents in `.dci` of a workspace. The workspace is untrusted: no link in it is followed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use capgen_diagnostic::{Diagnostic, Source};
use capgen_files::Links;
use capgen_manifest::codes::UNREADABLE;

use crate::Warning;
use crate::inputs::{Aliases, Mode, Probes};

/// The folder of all documents.
pub(super) const FOLDER: &str = ".dci";
const ALIASES: &str = "aliases.v1.json";
const PROBES: &str = "probes.v1.json";
/// The largest document, in bytes. Tens of thousands of aliases with the longest tokens, of 64 bytes, fit.
const MAX_BYTES: u64 = 4 << 20;

/// Where the tables of aliases are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AliasFiles {
    /// The workspace.
    pub workspace: PathBuf,
    /// The table of the caller.
    pub file: Option<PathBuf>,
    /// Whether the table of the workspace is read in strict mode, too.
    pub trusts_workspace: bool,
}

impl AliasFiles {
    /// Reads the tables that apply in a mode: that of the caller in both, and `.dci/aliases.v1.json` in best-effort, if
    /// it exists (decision 11).
    ///
    /// # Errors
    ///
    /// A file cannot be read, or those of [`Aliases::load`].
    pub fn load(&self, mode: Mode) -> Result<(Aliases, Vec<Warning>), Vec<Diagnostic>> {
        let user = self.file.as_deref().map(|file| capgen_manifest::read_source(file, &capgen_manifest::shown(file)));
        let applies = mode == Mode::BestEffort || self.trusts_workspace;
        let workspace = if applies { source(&self.workspace, ALIASES)? } else { None };
        Aliases::load(user.transpose()?.as_ref(), workspace.as_ref())
    }
}

/// Reads `.dci/probes.v1.json` of a workspace. A file that does not exist contains no probes.
///
/// # Errors
///
/// The file cannot be read, or those of [`Probes::read`].
pub fn read_probes(workspace: &Path) -> Result<Probes, Vec<Diagnostic>> {
    match source(workspace, PROBES)? {
        Some(source) => Probes::read(&source),
        None => Ok(Probes::default()),
    }
}

/// A document of a workspace, if it exists.
fn source(workspace: &Path, name: &str) -> Result<Option<Source>, Vec<Diagnostic>> {
    let shown = format!("{FOLDER}/{name}");
    match read(workspace, &[FOLDER], name, MAX_BYTES) {
        Ok(Some(bytes)) => capgen_manifest::decode(shown, bytes).map(Some),
        Ok(None) => Ok(None),
        Err(error) => Err(vec![Diagnostic::new(UNREADABLE, format!("cannot read `{shown}`: {error}")).in_file(shown)]),
    }
}

/// The content of a file in a folder below `root`; `None` if it does not exist.
pub(super) fn read(root: &Path, folders: &[&str], name: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut place = root.to_owned();
    let result = folders.iter().try_for_each(|folder| {
        place.push(folder);
        check_folder(&place)
    });
    match result.and_then(|()| Ok(capgen_files::read(&place.join(name), Links::Refused, limit)?)) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Checks that a folder exists and is not a link.
pub(super) fn check_folder(place: &Path) -> io::Result<()> {
    let kind = fs::symlink_metadata(place)?.file_type();
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    if kind.is_dir() {
        return Ok(());
    }
    let what = if kind.is_symlink() { "a link, which is not followed" } else { "not a folder" };
    Err(io::Error::other(format!("`{name}` is {what}")))
}
