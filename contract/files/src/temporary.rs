//! Temporary files: their names, and removing those that no process will rename any more.
//!
//! A temporary file exists for milliseconds. If its process is killed in this time, the next one that writes to the
//! folder removes it; [`remove_temporary_files`] is for a process that gets a signal and can still act.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The temporary files of this process.
static LIVE: Mutex<Live> = Mutex::new(Live { paths: BTreeSet::new(), next: 0, is_ending: false });

/// A file of a process that may be alive is removed after this time. Far more than writing takes, and short enough that
/// a process id that is used again does not keep a file.
const OLD: Duration = Duration::from_secs(60 * 60);

/// The state that [`remove_temporary_files`] shares with the threads that write.
pub(crate) struct Live {
    paths: BTreeSet<PathBuf>,
    next: u32,
    is_ending: bool,
}

/// Locks the state. While it is locked, no signal handler removes files.
pub(crate) fn live() -> MutexGuard<'static, Live> {
    // The state is valid after each of its changes, so a panic in another thread does not matter.
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Live {
    /// Creates a file in the folder of `path`. No other thread or process uses its name.
    pub(crate) fn create(&mut self, path: &Path) -> io::Result<(PathBuf, File)> {
        /// Files of a killed process that had our process id. This many are skipped.
        const TRIES: u32 = 1000;
        if self.is_ending {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let mut result = Err(io::Error::from(io::ErrorKind::AlreadyExists));
        for _ in 0..TRIES {
            let path = path.with_file_name(format!(".capgen-{}-{}.tmp", std::process::id(), self.next));
            self.next = self.next.wrapping_add(1);
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => {
                    self.paths.insert(path.clone());
                    return Ok((path, file));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => result = Err(error),
                Err(error) => return Err(error),
            }
        }
        result
    }

    /// Moves a temporary file to its place.
    pub(crate) fn rename(&mut self, temporary: &Path, path: &Path) -> io::Result<()> {
        fs::rename(temporary, path)?;
        self.paths.remove(temporary);
        Ok(())
    }

    /// Deletes a temporary file.
    pub(crate) fn delete(&mut self, temporary: &Path) {
        // Ignored: there is another error to report, or the process is ending, and the next one removes the file.
        let _ = fs::remove_file(temporary);
        self.paths.remove(temporary);
    }
}

/// Deletes the temporary files of this process, and lets it create no more. For a process that ends because of a
/// signal: it must end after this call.
///
/// If files are being replaced, waits until all of them are.
pub fn remove_temporary_files() {
    let mut live = live();
    live.is_ending = true;
    for path in std::mem::take(&mut live.paths) {
        live.delete(&path);
    }
}

/// Deletes the temporary files in a folder that processes left behind when they were killed. Errors are ignored.
///
/// Only regular files with the name of a temporary file are deleted, and only if its process has ended, which Linux
/// reports, or if they are older than an hour. A process in another container looks as if it had ended; if it loses a
/// file, it writes the file again.
pub fn remove_stale_files(folder: &Path) {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(entries) = folder.read_dir() else { return };
    for entry in entries.flatten() {
        let Some(owner) = entry.file_name().to_str().and_then(owner) else { continue };
        // A symbolic link has the metadata of the link.
        let Ok(metadata) = entry.metadata() else { continue };
        let path = folder.join(entry.file_name());
        let is_old = || metadata.modified().is_ok_and(|time| time.elapsed().is_ok_and(|age| age > OLD));
        if metadata.is_file() && (has_ended(owner, &path) || is_old()) {
            let _ = fs::remove_file(&path);
        }
    }
}

/// The process id in the name of a temporary file.
fn owner(name: &str) -> Option<u32> {
    let (process, number) = name.strip_prefix(".capgen-")?.strip_suffix(".tmp")?.split_once('-')?;
    let is_number = |text: &str| text == "0" || !text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit());
    let process = Some(process).filter(|text| is_number(text))?.parse().ok()?;
    (is_number(number) && number.parse::<u32>().is_ok()).then_some(process)
}

/// Whether the process that created a file has ended, as far as the system reports it.
fn has_ended(process: u32, path: &Path) -> bool {
    if process == std::process::id() {
        // In a container, each run may have the same id.
        return live().paths.iter().all(|live| live.file_name() != path.file_name());
    }
    let processes = Path::new("/proc");
    cfg!(target_os = "linux")
        && processes.join("self/stat").exists()
        && matches!(processes.join(process.to_string()).try_exists(), Ok(false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_temporary_files_have_an_owner() {
        assert_eq!(owner(".capgen-12-0.tmp"), Some(12));
        for name in [
            "capgen-12-0.tmp",
            ".capgen-12.tmp",
            ".capgen-12-0.tmp.rs",
            ".capgen-012-0.tmp",
            ".capgen-+12-0.tmp",
            ".capgen--1-0.tmp",
            ".capgen-12-0-1.tmp",
            ".capgen-12-.tmp",
            ".capgen-99999999999-0.tmp",
            ".capgen-x-0.tmp",
        ] {
            assert_eq!(owner(name), None, "{name}");
        }
    }
}
