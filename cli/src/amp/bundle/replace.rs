//! Writing a bundle into its folder, so that the folder contains the old bundle or the new one at any time.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use capgen_amp::bundle::{ARTIFACTS, INDEX, NewBundle, inspect};
use capgen_diagnostic::Diagnostic;
use capgen_files::{Links, has_content, replace_files};
use capgen_manifest::shown;

use crate::codes;
use crate::failure::Failure;
use crate::signals;

/// What [`replace`] did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Change {
    Written,
    /// Every file had its contents.
    None,
}

/// Writes a bundle. The key of a schema is its hash, so the schemas of the old and the new bundle can be in the folder
/// together: new ones are written first, then `bundle.cbor`, and at last the schemas that only the old bundle lists are
/// deleted. Other files stay.
///
/// # Errors
///
/// The folder contains something else than a bundle, or cannot be written. Then it is as before, except for the last
/// step.
pub(super) fn replace(folder: &Path, bundle: &NewBundle) -> Result<Change, Failure> {
    let artifacts = folder.join(ARTIFACTS);
    check(folder).and_then(|()| check_artifacts(&artifacts)).map_err(|reason| refused(folder, &reason))?;
    let old = inspect(folder).ok();
    // `replace_files` renames from the last file to the first, so that the signed file comes at the end.
    let mut files: Vec<(PathBuf, &[u8])> = bundle.files().map(|(path, bytes)| (folder.join(path), bytes)).collect();
    files.reverse();
    files.retain(|(path, bytes)| !has_content(path, Links::Refused, bytes));
    if files.is_empty() {
        return Ok(Change::None);
    }
    signals::remove_temporary_files_at_the_end();
    let created = create_folders(&artifacts).map_err(|error| unwritable(&artifacts, &error))?;
    let changes: Vec<(&Path, &[u8])> = files.iter().map(|(path, bytes)| (path.as_path(), *bytes)).collect();
    replace_files(&changes).map_err(|(index, error)| {
        // Only empty folders are removed.
        created.iter().for_each(|folder| drop(fs::remove_dir(folder)));
        unwritable(changes.get(index).map_or(folder, |(path, _)| path), &error)
    })?;
    let new: BTreeSet<_> = bundle.artifacts.keys().collect();
    let unused = old.iter().flat_map(|old| old.index.artifacts.keys()).filter(|key| !new.contains(key));
    // If this fails, the bundle is still valid: files that are not listed are ignored.
    unused.for_each(|key| drop(fs::remove_file(artifacts.join(key))));
    Ok(Change::Written)
}

/// Checks that the folder does not exist, is empty, or contains a bundle.
fn check(folder: &Path) -> Result<(), String> {
    let mut entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error.to_string()),
    };
    let is_bundle = folder.join(INDEX).symlink_metadata().is_ok_and(|metadata| metadata.is_file());
    if is_bundle || entries.next().is_none() {
        return Ok(());
    }
    Err(format!("the folder contains files, but no bundle: there is no `{INDEX}`"))
}

fn check_artifacts(artifacts: &Path) -> Result<(), String> {
    match artifacts.symlink_metadata() {
        Ok(metadata) if !metadata.is_dir() => Err(format!("`{ARTIFACTS}` in it is not a folder")),
        _ => Ok(()),
    }
}

/// Creates a folder and those around it. Returns those that it created, the innermost first.
fn create_folders(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let missing = folder.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
    let missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
    fs::create_dir_all(folder)?;
    Ok(missing)
}

fn refused(folder: &Path, reason: &str) -> Failure {
    let message = format!("cannot write a bundle to `{}`: {reason}", shown(folder));
    let help = "pass a new folder, an empty one, or one with a bundle to replace";
    Failure::Findings(vec![Diagnostic::new(codes::NOT_A_BUNDLE, message).in_file(shown(folder)).help(help)])
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    let message = format!("cannot write `{}`: {error}", shown(path));
    Failure::Findings(vec![Diagnostic::new(codes::NOT_A_BUNDLE, message).in_file(shown(path))])
}
