//! The repository that the tests run in.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.parent().unwrap_or(folder).to_owned()
}

/// Every file that is checked in or about to be, relative to the [`root`], sorted; `None` outside a git checkout.
pub(crate) fn files() -> Option<Vec<String>> {
    let mut git = Command::new("git");
    git.current_dir(root()).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let output = git.output().ok().filter(|output| output.status.success())?;
    let names = String::from_utf8(output.stdout).ok()?;
    let mut files: Vec<_> = names.split_terminator('\0').map(str::to_owned).collect();
    // A file that is deleted but still in the index is of no interest.
    files.retain(|name| root().join(name).is_file());
    files.sort_unstable();
    Some(files)
}

/// The text of a file below the [`root`]; `None` where it cannot be read or is not UTF-8.
pub(crate) fn text(path: &str) -> Option<String> {
    std::fs::read_to_string(root().join(path)).ok()
}
