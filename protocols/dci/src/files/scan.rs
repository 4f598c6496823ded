//! Reads the skills below a folder, in bytewise order (decision 10), and through links that stay inside of it (decision
//! 44).

use std::cmp::Ordering;
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use capgen_diagnostic::{Code, Diagnostic};

use super::budget::Budget;
use super::cache::{Content, Entry, Known, Stamp, Tree};
use super::skill_file::{SKILL_FILE, content, start};
use crate::inputs::{Skill, Source};

/// The deepest folder below a root. Skills are usually one to three levels below a root. It bounds the recursion.
pub(super) const MAX_DEPTH: usize = 64;
/// The longest path of a folder below a root, in bytes. Usual paths have fewer than a hundred; they are parts of ids,
/// in reports and in the state.
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
        /// Whether its `SKILL.md` is a link to one that the same source reads at its own place.
        is_second: bool,
    },
    Excluded {
        path: String,
        /// The name of the skill, if it was read.
        name: Option<String>,
        reason: Reason,
        /// The cause.
        detail: String,
        /// Whether there is a `SKILL.md`, in whatever state.
        has_file: bool,
    },
}

/// The message about a link that is not followed.
const LEAVES: &str = "it is a link that leaves the workspace or the folder of skills";

/// A folder, by its path for reports and its path in the file system.
struct Folder {
    path: String,
    /// Whether `path` is exact.
    is_utf8: bool,
    place: PathBuf,
    depth: usize,
    /// Whether it was reached through a link below the folder of the source.
    is_linked: bool,
}

impl Folder {
    fn child(&self, name: &OsStr) -> Self {
        let shown = name.to_string_lossy();
        let path = if self.path == "." { shown.into_owned() } else { format!("{}/{shown}", self.path) };
        let is_utf8 = self.is_utf8 && name.to_str().is_some();
        Self { path, is_utf8, place: self.place.join(name), depth: self.depth + 1, is_linked: self.is_linked }
    }
}

/// Reads the skills of one root.
pub(super) struct Scan<'b> {
    /// The root, without links.
    root: PathBuf,
    /// The folder that no link may leave, without links.
    boundary: PathBuf,
    /// The folder whose content is the source, without links.
    home: PathBuf,
    /// The folders that were read through links, without links.
    linked: HashSet<PathBuf>,
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
    /// Prepares reading below a root; no link may leave `boundary`.
    pub(super) fn new(
        root: PathBuf,
        boundary: PathBuf,
        source: Source,
        budget: &'b mut Budget,
        has_cache: bool,
    ) -> Self {
        let (home, linked) = (root.clone(), HashSet::new());
        Self { root, boundary, home, linked, source, budget, has_cache, found: Vec::new(), is_stale: false }
    }

    /// Everything below a folder of the root; `None` means the root itself. `known`: its content in an earlier run.
    pub(super) fn below(mut self, name: Option<&str>, known: Tree<Content>) -> Result<Scanned, Vec<Diagnostic>> {
        let root = Folder { path: ".".to_owned(), is_utf8: true, place: self.root.clone(), depth: 0, is_linked: false };
        let tree = match name {
            None => self.folder(&root, known)?,
            Some(name) => match self.start(&root, name)? {
                Some(folder) => {
                    self.home.clone_from(&folder.place);
                    self.folder(&folder, known)?
                }
                None => Tree::default(),
            },
        };
        Ok(Scanned { found: self.found, tree, is_stale: self.is_stale })
    }

    /// The folder of the source in the root, which may be a link inside of the boundary.
    fn start(&mut self, root: &Folder, name: &str) -> Result<Option<Folder>, Vec<Diagnostic>> {
        let folder = root.child(name.as_ref());
        let Ok(metadata) = fs::symlink_metadata(&folder.place) else { return Ok(None) };
        if !metadata.is_symlink() {
            return Ok(metadata.is_dir().then_some(folder));
        }
        self.budget.folder()?;
        let Ok(target) = folder.place.canonicalize() else { return Ok(None) };
        if !target.starts_with(&self.boundary) && target.is_dir() {
            self.leaving(&folder.path, false);
            return Ok(None);
        }
        let is_followed = target.is_dir() && !folder.place.starts_with(&target);
        Ok(is_followed.then_some(Folder { place: target, ..folder }))
    }

    /// Reads a folder: its own `SKILL.md`, then its subfolders.
    fn folder(&mut self, folder: &Folder, known: Tree<Content>) -> Result<Tree<usize>, Vec<Diagnostic>> {
        if folder.is_linked && (folder.place.starts_with(&self.home) || !self.linked.insert(folder.place.clone())) {
            // A source reads each folder once.
            return Ok(Tree::default());
        }
        self.budget.folder()?;
        if folder.depth > MAX_DEPTH || folder.path.len() > MAX_PATH {
            let limits = format!("deeper than {MAX_DEPTH} folders, or its path has more than {MAX_PATH} bytes");
            self.exclude(&folder.path, Reason::Unreadable, format!("it is {limits}"), false);
            return Ok(Tree::default());
        }
        // Before the folder is listed: what changes afterwards changes the state.
        let stamp = if self.may_cache(folder) { Stamp::at(&folder.place) } else { None };
        let known = if stamp.is_some() && stamp == known.stamp {
            self.budget.entries(known.count)?;
            known
        } else {
            self.is_stale |= stamp.is_some();
            match self.list(&folder.place)? {
                Ok(listed) => with_known(listed, known),
                Err(error) => {
                    self.exclude(&folder.path, Reason::Unreadable, error.to_string(), false);
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
            Some(true) => return self.skill(folder, &folder.place.join(SKILL_FILE), known),
            Some(false) => self.irregular(folder),
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

    /// Follows a link to a folder or in place of a `SKILL.md`, if it stays inside of the boundary; else records it
    /// (decisions 30 and 44).
    fn link(&mut self, folder: &Folder, name: &OsStr) -> Result<(), Vec<Diagnostic>> {
        self.budget.folder()?;
        let (child, is_file) = (folder.child(name), name == SKILL_FILE);
        let Ok(target) = child.place.canonicalize() else {
            if is_file {
                let detail = format!("`{SKILL_FILE}` is a link without a target");
                self.exclude(&folder.path, Reason::Unreadable, detail, true);
            }
            return Ok(());
        };
        let (is_folder, leaves) = (target.is_dir(), !target.starts_with(&self.boundary));
        match (is_file, is_folder) {
            (true, _) if leaves => self.leaving(&folder.path, true),
            (false, true) if leaves => self.leaving(&child.path, false),
            // The source reads the target at its own place, or it would be read without end.
            (_, true) if target.starts_with(&self.home) || child.place.starts_with(&target) => {}
            (_, true) => {
                let child = Folder { place: target, is_linked: true, ..child };
                self.folder(&child, Tree::default())?;
            }
            (true, false) if target.is_file() => {
                self.skill(folder, &target, None)?;
            }
            (true, false) => self.irregular(folder),
            (false, false) => {}
        }
        Ok(())
    }

    fn leaving(&mut self, path: &str, has_file: bool) {
        self.exclude(path, Reason::LinkOutsideRoot, LEAVES.to_owned(), has_file);
    }

    fn irregular(&mut self, folder: &Folder) {
        self.exclude(&folder.path, Reason::Unreadable, format!("`{SKILL_FILE}` is not a regular file"), true);
    }

    /// Whether the states of a folder and its files are kept. Links are examined in each run, and so is everything
    /// behind them.
    fn may_cache(&self, folder: &Folder) -> bool {
        self.has_cache && !folder.is_linked
    }

    /// Reads the `SKILL.md` of a folder, if it is not known. `file` is another one if a link is in its place.
    fn skill(
        &mut self,
        folder: &Folder,
        file: &Path,
        known: Option<Known<Content>>,
    ) -> Result<Option<Known<usize>>, Vec<Diagnostic>> {
        if !folder.is_utf8 {
            self.exclude(&folder.path, Reason::Unreadable, "its path is not UTF-8".to_owned(), true);
            return Ok(None);
        }
        let own = file.parent() == Some(&folder.place) && file.file_name() == Some(SKILL_FILE.as_ref());
        let known = known.filter(|known| Stamp::at(file) == Some(known.stamp));
        let (stamp, cost, content) = match known {
            Some(Known { stamp, cost, content }) => (Some(stamp), cost, content),
            None => match start(file) {
                Ok((bytes, _)) if std::str::from_utf8(&bytes).is_err() => {
                    self.exclude(&folder.path, Reason::Unreadable, "it is not UTF-8".to_owned(), true);
                    return Ok(None);
                }
                Ok((bytes, metadata)) => {
                    let (cost, content) = content(bytes);
                    let stamp = if own && self.may_cache(folder) { Stamp::of(&metadata) } else { None };
                    self.is_stale |= stamp.is_some();
                    (stamp, cost, content)
                }
                Err(error) => {
                    self.exclude(&folder.path, Reason::Unreadable, error.to_string(), true);
                    return Ok(None);
                }
            },
        };
        self.budget.frontmatter(cost.0, cost.1)?;
        let index = self.found.len();
        match content {
            Content::Skill(mut skill, warnings) => {
                (skill.path, skill.source) = (folder.path.clone(), self.source);
                (skill.folder, skill.file) = (folder.place.clone(), file.to_owned());
                skill.boundary.clone_from(&self.boundary);
                let is_second = !own && file.starts_with(&self.home) && file.file_name() == Some(SKILL_FILE.as_ref());
                self.found.push(Found::Skill { skill, warnings, is_second });
            }
            Content::Unparseable { name, detail } => {
                let (path, reason) = (folder.path.clone(), Reason::Unparseable);
                self.found.push(Found::Excluded { path, name, reason, detail, has_file: true });
            }
        }
        Ok(stamp.map(|stamp| Known { stamp, cost, content: index }))
    }

    fn exclude(&mut self, path: &str, reason: Reason, detail: String, has_file: bool) {
        self.found.push(Found::Excluded { path: path.to_owned(), name: None, reason, detail, has_file });
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
