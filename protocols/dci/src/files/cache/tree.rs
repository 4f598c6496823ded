//! The known content of folders, so that a later run reads only changed files.

use std::ffi::OsString;
use std::fs::Metadata;
use std::path::Path;

use capgen_diagnostic::Code;

use crate::inputs::Skill;

/// A folder. `S` is what its `SKILL.md` contains.
#[derive(Debug)]
pub(in crate::files) struct Tree<S> {
    /// The state of the folder when it was listed; `None` if it must be listed again.
    pub(in crate::files) stamp: Option<Stamp>,
    /// Folders and links, sorted by name.
    pub(in crate::files) entries: Vec<(OsString, Entry<S>)>,
    /// The number of all entries.
    pub(in crate::files) count: usize,
    /// Whether `SKILL.md` is there: a regular file or not.
    pub(in crate::files) file: Option<bool>,
    /// The content of `SKILL.md`, if it was read.
    pub(in crate::files) skill: Option<Known<S>>,
}

impl<S> Default for Tree<S> {
    /// A folder about which nothing is known.
    fn default() -> Self {
        Self { stamp: None, entries: Vec::new(), count: 0, file: None, skill: None }
    }
}

#[derive(Debug)]
pub(in crate::files) enum Entry<S> {
    Folder(Tree<S>),
    Link,
}

/// A `SKILL.md` that was read.
#[derive(Debug)]
pub(in crate::files) struct Known<S> {
    /// The state of the file when it was read.
    pub(in crate::files) stamp: Stamp,
    /// The bytes of its frontmatter, and the values in it.
    pub(in crate::files) cost: (usize, usize),
    pub(in crate::files) content: S,
}

/// The content of a `SKILL.md`.
#[derive(Debug)]
pub(in crate::files) enum Content {
    /// A skill without its place, and values that were ignored.
    Skill(Box<Skill>, Vec<(Code, String)>),
    /// Not a skill.
    Unparseable {
        /// Its name, if it was read.
        name: Option<String>,
        /// The reason.
        detail: String,
    },
}

/// The state of a file or folder. If it is the same as before, so is the content, unless it changed within the same
/// tick of the clock as the state was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::files) struct Stamp {
    pub(super) device: u64,
    pub(super) inode: u64,
    pub(super) size: u64,
    /// In ns since 1970.
    pub(super) modified: i64,
    /// When anything about it changed, permissions included; in ns since 1970.
    pub(super) changed: i64,
}

impl Stamp {
    /// The state of a file, folder or link.
    pub(in crate::files) fn at(path: &Path) -> Option<Self> {
        path.symlink_metadata().ok().as_ref().and_then(Self::of)
    }

    /// `None` on systems that do not report all of it, and for times beyond the years 1678 to 2262.
    #[cfg(unix)]
    pub(in crate::files) fn of(metadata: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let time = |seconds: i64, ns: i64| seconds.checked_mul(1_000_000_000)?.checked_add(ns);
        Some(Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: time(metadata.mtime(), metadata.mtime_nsec())?,
            changed: time(metadata.ctime(), metadata.ctime_nsec())?,
        })
    }

    #[cfg(not(unix))]
    pub(in crate::files) fn of(_: &Metadata) -> Option<Self> {
        None
    }
}
