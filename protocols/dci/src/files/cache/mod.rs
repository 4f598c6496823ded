//! A cache of discovered skills: a file outside of the workspace, which a later run reads instead of the files that
//! have not changed.
//!
//! It never changes the result of a run. A file or folder counts as unchanged if its device, inode, size and times are
//! the same, and if it had not changed in the 2 s before the run that read it started.

mod bytes;
mod format;
mod place;
mod tree;

use std::fs;
use std::path::{Path, PathBuf};

use capgen_time::SystemClock;

use capgen_files::Links;

use super::scan::{Found, Scanned};
pub(super) use tree::{Content, Entry, Known, Stamp, Tree};

/// The largest cache that is read, in bytes. It is twice the frontmatter that a run may read. Without a larger file,
/// the run only reads the skills again.
const MAX_BYTES: u64 = 512 << 20;

/// The cache of one run. The default has no file.
#[derive(Default)]
pub(super) struct Cache {
    path: Option<PathBuf>,
    /// The file is not written for fewer skills.
    least_skills: usize,
    /// When the run started, in ns since 1970.
    start: i64,
    known: format::Roots<Content>,
    roots: Vec<(PathBuf, Scanned)>,
}

impl Cache {
    /// Reads a cache. A file that does not exist, or is not a cache of this version, is an empty cache.
    pub(super) fn read(path: &Path, least_skills: usize) -> Self {
        let now = SystemClock.since_1970();
        Self { least_skills, ..Self::of_run(path, i64::try_from(now.as_nanos()).unwrap_or_default()) }
    }

    /// Reads a cache for a run that starts at a time, in ns since 1970.
    pub(super) fn of_run(path: &Path, start: i64) -> Self {
        let known = capgen_files::read(path, Links::Refused, MAX_BYTES)
            .ok()
            .and_then(|bytes| format::decode(&bytes))
            .unwrap_or_default();
        Self { path: Some(path.to_owned()), start, known, ..Self::default() }
    }

    /// Whether there is a file.
    pub(super) fn is_used(&self) -> bool {
        self.path.is_some()
    }

    /// The content of a root, as far as it is known.
    pub(super) fn take(&mut self, root: &Path) -> Tree<Content> {
        self.known.remove(root).unwrap_or_default()
    }

    /// Adds a root that was read.
    pub(super) fn add(&mut self, root: &Path, scanned: Scanned) {
        self.roots.push((root.to_owned(), scanned));
    }

    /// Writes the file if it is not up to date, and returns everything that was found. If it cannot be written, a later
    /// run reads more files; nothing else changes.
    pub(super) fn finish(self) -> impl Iterator<Item = Found> {
        let is_stale = self.roots.iter().any(|(_, scanned)| scanned.is_stale);
        let skills: usize = self.roots.iter().map(|(_, scanned)| scanned.found.len()).sum();
        if let Some(path) = self.path.filter(|_| is_stale && skills >= self.least_skills) {
            // A root whose path is not UTF-8 is read again each time.
            let roots: Vec<_> =
                self.roots.iter().filter_map(|(root, scanned)| Some((root.to_str()?, scanned))).collect();
            let bytes = format::encode(self.start, &roots);
            if let Some(folder) = path.parent() {
                let _ = fs::create_dir_all(folder);
            }
            let _ = capgen_files::replace_files(&[(path.as_path(), bytes.as_slice())]);
        }
        self.roots.into_iter().flat_map(|(_, scanned)| scanned.found)
    }
}

#[cfg(all(test, unix))]
mod tests;
