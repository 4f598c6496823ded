//! The repository that the tests run in.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.parent().unwrap_or(folder).to_owned()
}

/// The tracked and the new files, relative to the [`root`], sorted. Outside a git checkout, all files except build
/// output.
pub(crate) fn files() -> Vec<String> {
    let mut files = tracked().unwrap_or_else(|| {
        let mut found = Vec::new();
        walk(&root(), "", &mut found);
        found
    });
    // The index may still contain deleted files.
    files.retain(|name| root().join(name).is_file());
    files.sort_unstable();
    files
}

fn tracked() -> Option<Vec<String>> {
    let mut git = Command::new("git");
    git.current_dir(root()).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let output = git.output().ok().filter(|output| output.status.success() && !output.stdout.is_empty())?;
    let names = String::from_utf8(output.stdout).ok()?;
    Some(names.split_terminator('\0').map(str::to_owned).collect())
}

fn walk(folder: &Path, prefix: &str, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if ["target", "node_modules", "build", ".git"].contains(&name.as_str()) {
            continue;
        }
        let path = format!("{prefix}{name}");
        if entry.file_type().unwrap().is_dir() {
            walk(&entry.path(), &format!("{path}/"), found);
        } else {
            found.push(path);
        }
    }
}

/// The text of a file below the [`root`]; `None` if it cannot be read or is not UTF-8.
pub(crate) fn text(path: &str) -> Option<String> {
    std::fs::read_to_string(root().join(path)).ok()
}
