//! Reads the skills below a folder, in bytewise order (decision 10).

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use capgen_diagnostic::{Code, Diagnostic};

use super::budget::Budget;
use super::open;
use crate::frontmatter::{self, Extent};
use crate::{Skill, Source};

/// The name of the file that makes a folder a skill.
pub(super) const SKILL_FILE: &str = "SKILL.md";
/// The deepest folder below a root.
const MAX_DEPTH: usize = 64;
/// The longest path of a folder below a root, in bytes.
const MAX_PATH: usize = 1024;
/// Aliases in one text copy at most this many values.
const MAX_COPIED_VALUES: usize = 250_000;

/// The reason for which a folder is excluded while folders are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reason {
    Unreadable,
    Unparseable,
    LinkOutsideRoot,
}

impl Reason {
    /// The reason in reports.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Reason::Unreadable => "unreadable",
            Reason::Unparseable => "unparseable",
            Reason::LinkOutsideRoot => "link-outside-root",
        }
    }
}

/// What was found at a path below a root.
#[derive(Debug)]
pub(super) enum Found {
    Skill {
        skill: Box<Skill>,
        /// Values that were ignored.
        warnings: Vec<(Code, String)>,
    },
    Excluded {
        path: String,
        reason: Reason,
        /// A sentence for people; empty if the reason is enough.
        detail: String,
    },
}

/// A folder, by its path for reports and its path in the file system.
struct Folder {
    path: String,
    /// Whether `path` is exact.
    is_utf8: bool,
    place: PathBuf,
    depth: usize,
}

impl Folder {
    fn child(&self, name: &OsStr) -> Self {
        let shown = name.to_string_lossy();
        let path = if self.path == "." { shown.into_owned() } else { format!("{}/{shown}", self.path) };
        let is_utf8 = self.is_utf8 && name.to_str().is_some();
        Self { path, is_utf8, place: self.place.join(name), depth: self.depth + 1 }
    }
}

/// The entries of a folder that matter.
#[derive(Default)]
struct Listing {
    /// Folders and links, sorted by name.
    entries: Vec<(OsString, Entry)>,
    /// Whether `SKILL.md` is there: a regular file or not.
    skill: Option<bool>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Entry {
    Folder,
    Link,
}

/// Reads the skills of one root.
pub(super) struct Scan<'b> {
    /// The root, without links.
    root: PathBuf,
    source: Source,
    budget: &'b mut Budget,
    found: Vec<Found>,
}

impl<'b> Scan<'b> {
    pub(super) fn new(root: PathBuf, source: Source, budget: &'b mut Budget) -> Self {
        Self { root, source, budget, found: Vec::new() }
    }

    /// Everything below a folder of the root; `None` means the root itself.
    pub(super) fn below(mut self, name: Option<&str>) -> Result<Vec<Found>, Vec<Diagnostic>> {
        let root = Folder { path: ".".to_owned(), is_utf8: true, place: self.root.clone(), depth: 0 };
        let Some(name) = name else {
            self.folder(&root)?;
            return Ok(self.found);
        };
        match fs::symlink_metadata(root.place.join(name)) {
            Ok(metadata) if metadata.is_dir() => self.folder(&root.child(name.as_ref()))?,
            Ok(metadata) if metadata.is_symlink() => self.link(&root, name.as_ref())?,
            _ => {}
        }
        Ok(self.found)
    }

    /// Reads a folder: its own `SKILL.md`, then its subfolders.
    fn folder(&mut self, folder: &Folder) -> Result<(), Vec<Diagnostic>> {
        self.budget.folder()?;
        if folder.depth > MAX_DEPTH || folder.path.len() > MAX_PATH {
            let limits = format!("deeper than {MAX_DEPTH} folders, or its path has more than {MAX_PATH} bytes");
            self.exclude(&folder.path, Reason::Unreadable, format!("it is {limits}"));
            return Ok(());
        }
        let listing = match self.list(&folder.place)? {
            Ok(listing) => listing,
            Err(error) => {
                self.exclude(&folder.path, Reason::Unreadable, error.to_string());
                return Ok(());
            }
        };
        match listing.skill {
            Some(true) if folder.is_utf8 => self.skill(folder)?,
            Some(true) => self.exclude(&folder.path, Reason::Unreadable, "its path is not UTF-8".to_owned()),
            Some(false) => {
                self.exclude(&folder.path, Reason::Unreadable, format!("`{SKILL_FILE}` is not a regular file"));
            }
            None => {}
        }
        // The folder's own file comes first, and so does a link in its place.
        for (name, entry) in listing.entries.iter().filter(|(name, _)| name == SKILL_FILE) {
            self.entry(folder, name, *entry)?;
        }
        for (name, entry) in listing.entries.iter().filter(|(name, _)| name != SKILL_FILE) {
            self.entry(folder, name, *entry)?;
        }
        Ok(())
    }

    fn entry(&mut self, folder: &Folder, name: &OsStr, entry: Entry) -> Result<(), Vec<Diagnostic>> {
        match entry {
            Entry::Folder => self.folder(&folder.child(name)),
            Entry::Link => self.link(folder, name),
        }
    }

    fn list(&mut self, place: &Path) -> Result<io::Result<Listing>, Vec<Diagnostic>> {
        let entries = match fs::read_dir(place) {
            Ok(entries) => entries,
            Err(error) => return Ok(Err(error)),
        };
        let mut listing = Listing::default();
        for entry in entries {
            self.budget.entry()?;
            let (name, kind) = match entry.and_then(|entry| Ok((entry.file_name(), entry.file_type()?))) {
                Ok(entry) => entry,
                Err(error) => return Ok(Err(error)),
            };
            if kind.is_dir() {
                listing.entries.push((name, Entry::Folder));
            } else if kind.is_symlink() {
                listing.entries.push((name, Entry::Link));
            } else if name == SKILL_FILE {
                listing.skill = Some(kind.is_file());
            }
        }
        listing.entries.sort_unstable_by(|(a, _), (b, _)| a.as_encoded_bytes().cmp(b.as_encoded_bytes()));
        Ok(Ok(listing))
    }

    /// Records a link that leaves the root, if it stands for a skill or for a folder of skills. No link is followed.
    fn link(&mut self, folder: &Folder, name: &OsStr) -> Result<(), Vec<Diagnostic>> {
        self.budget.folder()?;
        let place = folder.place.join(name);
        // A link without a target, or in a circle, stands for nothing.
        let Ok(target) = place.canonicalize() else { return Ok(()) };
        if target.starts_with(&self.root) {
            return Ok(());
        }
        if name == SKILL_FILE {
            self.exclude(&folder.path, Reason::LinkOutsideRoot, String::new());
        } else if target.is_dir() {
            self.exclude(&folder.child(name).path, Reason::LinkOutsideRoot, String::new());
        }
        Ok(())
    }

    /// Reads the `SKILL.md` of a folder.
    fn skill(&mut self, folder: &Folder) -> Result<(), Vec<Diagnostic>> {
        let bytes = match start(&folder.place.join(SKILL_FILE)) {
            Ok(bytes) => bytes,
            Err(error) => {
                self.exclude(&folder.path, Reason::Unreadable, error.to_string());
                return Ok(());
            }
        };
        let length = bytes.len();
        if length > frontmatter::MAX_BYTES {
            self.exclude(&folder.path, Reason::Unparseable, frontmatter::too_large());
            return Ok(());
        }
        let read = capgen_manifest::decode(SKILL_FILE, bytes).and_then(|source| frontmatter::read(&source));
        match read {
            Ok(found) => {
                self.budget.frontmatter(length, found.values)?;
                let warnings = found.warnings.iter().map(|warning| (warning.code, warning.message.clone())).collect();
                let skill = Skill::from_frontmatter(found, folder.path.clone(), self.source, folder.place.clone());
                self.found.push(Found::Skill { skill: Box::new(skill), warnings });
            }
            Err(findings) => {
                let could_expand = findings.iter().any(|finding| finding.code == capgen_manifest::codes::TOO_LARGE);
                self.budget.frontmatter(length, if could_expand { MAX_COPIED_VALUES } else { length })?;
                let detail = findings.first().map_or_else(String::new, located);
                self.exclude(&folder.path, Reason::Unparseable, detail);
            }
        }
        Ok(())
    }

    fn exclude(&mut self, path: &str, reason: Reason, detail: String) {
        self.found.push(Found::Excluded { path: path.to_owned(), reason, detail });
    }
}

/// The text of the `SKILL.md` in a folder, up to the end of its frontmatter. Findings show its path as `shown`.
///
/// # Errors
///
/// One finding: the file cannot be read, is not a regular file, or is not UTF-8.
pub fn read_skill_text(folder: &Path, shown: &str) -> Result<capgen_diagnostic::Source, Vec<Diagnostic>> {
    let bytes = start(&folder.join(SKILL_FILE)).map_err(|error| {
        let message = format!("cannot read `{shown}`: {error}");
        vec![Diagnostic::new(capgen_manifest::codes::UNREADABLE, message).in_file(shown)]
    })?;
    capgen_manifest::decode(shown, bytes)
}

/// The message of a finding with its line.
pub(super) fn located(finding: &Diagnostic) -> String {
    match finding.primary() {
        Some(label) => format!("{} (line {})", finding.message, label.source.position(label.span.start).line),
        None => finding.message.clone(),
    }
}

/// The bytes of a `SKILL.md` up to the end of its frontmatter, or more than [`frontmatter::MAX_BYTES`] if it does not end. What follows may
/// have any size.
pub(super) fn start(path: &Path) -> io::Result<Vec<u8>> {
    const FIRST: usize = 4 << 10;
    let (mut file, _) = open::regular(path)?;
    let mut bytes = Vec::new();
    for limit in [FIRST, frontmatter::MAX_BYTES + 1] {
        file.by_ref().take((limit - bytes.len()) as u64).read_to_end(&mut bytes)?;
        if let Extent::Closed { end, .. } = frontmatter::extent(&bytes, bytes.len() < limit) {
            bytes.truncate(end);
        } else if bytes.len() == limit {
            continue;
        }
        break;
    }
    Ok(bytes)
}
