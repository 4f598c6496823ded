//! Replacing files as a whole: a reader sees the old text or the new text, nothing in between.
//!
//! It is here, outside the feature `parse`, because both the generator and the runtime's `export` write files, and this is
//! the crate that they share.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Temporary files, each with the index of the file that it will replace. Those that are left when this is dropped are
/// deleted.
struct Pending(Vec<(PathBuf, usize)>);

impl Drop for Pending {
    fn drop(&mut self) {
        for (temporary, _) in &self.0 {
            // Ignored: the caller reports the error that led here, and a leftover does no harm.
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Replaces each file with a text. All texts are written to temporary files next to their targets before the first one is
/// renamed, so if a text cannot be written, no file has changed. A symbolic link is replaced, not followed.
///
/// # Errors
///
/// The index of the file that failed, and the reason. The folders must exist.
pub fn replace_files(files: &[(&Path, &str)]) -> Result<(), (usize, io::Error)> {
    let mut pending = Pending(Vec::with_capacity(files.len()));
    for (index, (path, text)) in files.iter().enumerate() {
        // Renaming is only atomic within a file system, so the temporary file is in the same folder.
        let (temporary, mut file) = create_temporary(path).map_err(|error| (index, error))?;
        pending.0.push((temporary, index));
        file.write_all(text.as_bytes()).map_err(|error| (index, error))?;
    }
    while let Some((temporary, index)) = pending.0.last() {
        let (path, _) = files.get(*index).ok_or_else(|| (*index, io::ErrorKind::InvalidInput.into()))?;
        fs::rename(temporary, path).map_err(|error| (*index, error))?;
        pending.0.pop();
    }
    Ok(())
}

/// Creates a file in the folder of `path`. No other thread or process uses its name.
fn create_temporary(path: &Path) -> io::Result<(PathBuf, File)> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    /// A killed process may have had our process id and left files behind. This many are skipped.
    const TRIES: u32 = 1000;
    let mut result = Err(io::Error::from(io::ErrorKind::AlreadyExists));
    for _ in 0..TRIES {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = path.with_file_name(format!(".capgen-{}-{number}.tmp", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => result = Err(error),
            Err(error) => return Err(error),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn if_one_text_cannot_be_written_no_file_changes() {
        let folder = std::env::temp_dir().join(format!("capgen-replace-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (a, b) = (folder.join("a"), folder.join("missing/b"));
        fs::write(&a, "old").unwrap();
        let (index, _) = replace_files(&[(&a, "new"), (&b, "new")]).unwrap_err();
        assert_eq!((index, fs::read_to_string(&a).unwrap()), (1, "old".to_owned()));
        replace_files(&[(&a, "new")]).unwrap();
        assert_eq!(fs::read_to_string(&a).unwrap(), "new");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "temporary files are left");
        fs::remove_dir_all(&folder).unwrap();
    }
}
