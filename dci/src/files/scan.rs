//! Reads the skills below a folder, in bytewise order (decision 10).

use std::cmp::Ordering;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use capgen_diagnostic::{Code, Diagnostic};

use super::budget::Budget;
use super::cache::{Content, Entry, Known, Stamp, Tree};
use super::skill_file::{SKILL_FILE, content, start};
use crate::{Skill, Source};

/// The deepest folder below a root.
pub(super) const MAX_DEPTH: usize = 64;
/// The longest path of a folder below a root, in bytes.
const MAX_PATH: usize = 1024;

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

/// A skill, or an excluded path, below a root.
#[derive(Debug)]
pub(super) enum Found {
    Skill {
        skill: Box<Skill>,
        /// Values that were ignored.
        warnings: Vec<(Code, String)>,
    },
    Excluded {
        path: String,
        /// The name of the skill, if it was read.
        name: Option<String>,
        reason: Reason,
        /// The cause; empty if the reason is enough.
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

/// Reads the skills of one root.
pub(super) struct Scan<'b> {
    /// The root, without links.
    root: PathBuf,
    source: Source,
    budget: &'b mut Budget,
    /// Whether the states of files are needed, for a cache.
    has_cache: bool,
    found: Vec<Found>,
    /// Whether a state is not the one that was known.
    is_stale: bool,
}

/// The result of a scan.
pub(super) struct Scanned {
    pub(super) found: Vec<Found>,
    /// The folders. The content of a skill is its index in `found`.
    pub(super) tree: Tree<usize>,
    /// Whether something in the tree was not known before.
    pub(super) is_stale: bool,
}

impl<'b> Scan<'b> {
    pub(super) fn new(root: PathBuf, source: Source, budget: &'b mut Budget, has_cache: bool) -> Self {
        Self { root, source, budget, has_cache, found: Vec::new(), is_stale: false }
    }

    /// Everything below a folder of the root; `None` means the root itself. `known`: its content in an earlier run.
    pub(super) fn below(mut self, name: Option<&str>, known: Tree<Content>) -> Result<Scanned, Vec<Diagnostic>> {
        let root = Folder { path: ".".to_owned(), is_utf8: true, place: self.root.clone(), depth: 0 };
        let tree = match name {
            None => self.folder(&root, known)?,
            Some(name) => match fs::symlink_metadata(root.place.join(name)) {
                Ok(metadata) if metadata.is_dir() => self.folder(&root.child(name.as_ref()), known)?,
                Ok(metadata) if metadata.is_symlink() => {
                    self.link(&root, name.as_ref())?;
                    Tree::default()
                }
                _ => Tree::default(),
            },
        };
        Ok(Scanned { found: self.found, tree, is_stale: self.is_stale })
    }

    /// Reads a folder: its own `SKILL.md`, then its subfolders.
    fn folder(&mut self, folder: &Folder, known: Tree<Content>) -> Result<Tree<usize>, Vec<Diagnostic>> {
        self.budget.folder()?;
        if folder.depth > MAX_DEPTH || folder.path.len() > MAX_PATH {
            let limits = format!("deeper than {MAX_DEPTH} folders, or its path has more than {MAX_PATH} bytes");
            self.exclude(&folder.path, Reason::Unreadable, format!("it is {limits}"));
            return Ok(Tree::default());
        }
        // Before the folder is listed: what changes afterwards changes the state.
        let stamp = if self.has_cache { Stamp::at(&folder.place) } else { None };
        let known = if stamp.is_some() && stamp == known.stamp {
            self.budget.entries(known.count)?;
            known
        } else {
            self.is_stale |= stamp.is_some();
            match self.list(&folder.place)? {
                Ok(listed) => with_known(listed, known),
                Err(error) => {
                    self.exclude(&folder.path, Reason::Unreadable, error.to_string());
                    return Ok(Tree::default());
                }
            }
        };
        let skill = self.own(folder, known.file, known.skill)?;
        let is_link = |(name, entry): &(OsString, Entry<Content>)| name == SKILL_FILE && matches!(entry, Entry::Link);
        if known.entries.iter().any(is_link) {
            self.link(folder, SKILL_FILE.as_ref())?;
        }
        let mut entries = Vec::with_capacity(known.entries.len());
        for (name, entry) in known.entries {
            let entry = match entry {
                Entry::Folder(known) => Entry::Folder(self.folder(&folder.child(&name), known)?),
                Entry::Link => {
                    if name != SKILL_FILE {
                        self.link(folder, &name)?;
                    }
                    Entry::Link
                }
            };
            entries.push((name, entry));
        }
        Ok(Tree { stamp, entries, count: known.count, file: known.file, skill })
    }

    /// The folder's own `SKILL.md`. `file`: whether it is a regular file.
    fn own(
        &mut self,
        folder: &Folder,
        file: Option<bool>,
        known: Option<Known<Content>>,
    ) -> Result<Option<Known<usize>>, Vec<Diagnostic>> {
        match file {
            Some(true) if folder.is_utf8 => return self.skill(folder, known),
            Some(true) => self.exclude(&folder.path, Reason::Unreadable, "its path is not UTF-8".to_owned()),
            Some(false) => {
                self.exclude(&folder.path, Reason::Unreadable, format!("`{SKILL_FILE}` is not a regular file"));
            }
            None => {}
        }
        Ok(None)
    }

    fn list(&mut self, place: &Path) -> Result<io::Result<Tree<Content>>, Vec<Diagnostic>> {
        let entries = match fs::read_dir(place) {
            Ok(entries) => entries,
            Err(error) => return Ok(Err(error)),
        };
        let mut listed = Tree::default();
        for entry in entries {
            self.budget.entries(1)?;
            listed.count += 1;
            let (name, kind) = match entry.and_then(|entry| Ok((entry.file_name(), entry.file_type()?))) {
                Ok(entry) => entry,
                Err(error) => return Ok(Err(error)),
            };
            if kind.is_dir() {
                listed.entries.push((name, Entry::Folder(Tree::default())));
            } else if kind.is_symlink() {
                listed.entries.push((name, Entry::Link));
            } else if name == SKILL_FILE {
                listed.file = Some(kind.is_file());
            }
        }
        listed.entries.sort_unstable_by(|(a, _), (b, _)| bytewise(a, b));
        Ok(Ok(listed))
    }

    /// Records a link that leaves the root, if it is in the place of a skill or of a folder of skills. No link is followed.
    fn link(&mut self, folder: &Folder, name: &OsStr) -> Result<(), Vec<Diagnostic>> {
        self.budget.folder()?;
        let place = folder.place.join(name);
        // A link without a target, or in a circle, is ignored.
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

    /// Reads the `SKILL.md` of a folder, if it is not known.
    fn skill(
        &mut self,
        folder: &Folder,
        known: Option<Known<Content>>,
    ) -> Result<Option<Known<usize>>, Vec<Diagnostic>> {
        let path = folder.place.join(SKILL_FILE);
        let known = known.filter(|known| Stamp::at(&path) == Some(known.stamp));
        let (stamp, cost, content) = match known {
            Some(Known { stamp, cost, content }) => (Some(stamp), cost, content),
            None => match start(&path) {
                Ok((bytes, _)) if std::str::from_utf8(&bytes).is_err() => {
                    self.exclude(&folder.path, Reason::Unreadable, "it is not UTF-8".to_owned());
                    return Ok(None);
                }
                Ok((bytes, metadata)) => {
                    let (cost, content) = content(bytes);
                    let stamp = if self.has_cache { Stamp::of(&metadata) } else { None };
                    self.is_stale |= stamp.is_some();
                    (stamp, cost, content)
                }
                Err(error) => {
                    self.exclude(&folder.path, Reason::Unreadable, error.to_string());
                    return Ok(None);
                }
            },
        };
        self.budget.frontmatter(cost.0, cost.1)?;
        let index = self.found.len();
        match content {
            Content::Skill(mut skill, warnings) => {
                (skill.path, skill.source, skill.folder) = (folder.path.clone(), self.source, folder.place.clone());
                self.found.push(Found::Skill { skill, warnings });
            }
            Content::Unparseable { name, detail } => {
                let (path, reason) = (folder.path.clone(), Reason::Unparseable);
                self.found.push(Found::Excluded { path, name, reason, detail });
            }
        }
        Ok(stamp.map(|stamp| Known { stamp, cost, content: index }))
    }

    fn exclude(&mut self, path: &str, reason: Reason, detail: String) {
        self.found.push(Found::Excluded { path: path.to_owned(), name: None, reason, detail });
    }
}

/// A folder that was listed, with the known content of its `SKILL.md` and its subfolders.
fn with_known(mut listed: Tree<Content>, known: Tree<Content>) -> Tree<Content> {
    let mut old = known.entries.into_iter().peekable();
    for (name, entry) in &mut listed.entries {
        while old.next_if(|(other, _)| bytewise(other, name).is_lt()).is_some() {}
        if let Some((_, Entry::Folder(known))) = old.next_if(|(other, _)| other == name)
            && let Entry::Folder(tree) = entry
        {
            *tree = known;
        }
    }
    listed.skill = known.skill;
    listed
}

fn bytewise(a: &OsStr, b: &OsStr) -> Ordering {
    a.as_encoded_bytes().cmp(b.as_encoded_bytes())
}
