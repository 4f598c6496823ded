//! Replacing files as wholes.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use capgen_manifest::Diagnostic;

use super::{PlannedFile, cannot};

/// Temporary files that have not been moved to their place; what is left is deleted at the end.
struct Pending<'a>(Vec<(PathBuf, &'a PlannedFile)>);

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        for (temporary, _) in &self.0 {
            // Nothing is to be done about a file that cannot be deleted; the error that led here is reported.
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Writes every file beside its place, then moves all of them there.
pub(super) fn replace_all(base: &Path, folder: &Path, files: &[&PlannedFile]) -> Result<(), Vec<Diagnostic>> {
    if files.is_empty() {
        return Ok(());
    }
    let place = base.join(folder);
    fs::create_dir_all(&place).map_err(|error| cannot("create", folder, &error))?;
    let mut pending = Pending(Vec::with_capacity(files.len()));
    for planned in files {
        let failed = |error: &io::Error| cannot("write", &planned.path, error);
        let (temporary, mut file) = create_temporary(&place).map_err(|error| failed(&error))?;
        pending.0.push((temporary, planned));
        file.write_all(planned.text.as_bytes()).map_err(|error| failed(&error))?;
    }
    while let Some((temporary, planned)) = pending.0.last() {
        let moved = fs::rename(temporary, base.join(&planned.path));
        moved.map_err(|error| cannot("write", &planned.path, &error))?;
        pending.0.pop();
    }
    Ok(())
}

/// A new file in the folder that no other thread or process has.
fn create_temporary(folder: &Path) -> io::Result<(PathBuf, File)> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    /// How many leftovers of killed processes with our id we step over.
    const TRIES: u32 = 1000;
    let mut result = Err(io::Error::from(io::ErrorKind::AlreadyExists));
    for _ in 0..TRIES {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!(".capgen-{}-{number}.tmp", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => result = Err(error),
            Err(error) => return Err(error),
        }
    }
    result
}
