//! Discovery: the candidates of a run from the three sources, and why other skills are not candidates (section
//! "Discovery Scope", decisions 10 and 30).

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use capgen_diagnostic::{Diagnostic, quoted};

use super::budget::Budget;
use super::cache::Cache;
use super::missing;
use super::scan::{Found, Reason, Scan};
use super::skill_file::{SKILL_FILE, start};
use crate::inputs::{Rejection, Skill, Source};
use crate::{Warning, codes};

/// The folder of the skills of a workspace.
pub(super) const SKILLS: &str = "skills";

/// Where skills are searched, and which of them are no candidates.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Roots {
    /// The workspace, whose skills are in `skills/`.
    pub workspace: PathBuf,
    /// Folders of skills that a runtime has installed.
    pub installed: Vec<PathBuf>,
    /// Folders of skills that are mounted explicitly.
    pub mounts: Vec<PathBuf>,
    /// The names of skills that the caller disables.
    pub disabled: Vec<String>,
    /// The folder of the consumer.
    pub consumer: Option<PathBuf>,
}

/// The skills of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Discovery {
    /// The candidates, in the order in which they were found: by source, then by path, segment by segment in bytewise
    /// order.
    pub skills: Vec<Skill>,
    /// The consumer.
    pub consumer: Option<Skill>,
    /// The skills that are no candidates, in the same order. With `skills` this is everything that was discovered. If
    /// several reasons apply, it is the first of `unreadable`, `unparseable`, `link-outside-root`, `disabled`,
    /// `duplicate` and `consumer`.
    pub rejections: Vec<Rejection>,
    /// The sources that were read: the workspace, and those with a folder.
    pub sources: Vec<Source>,
    /// Values that were ignored, and the causes of rejections.
    pub warnings: Vec<Warning>,
}

/// Finds the skills of a run. Links are followed if they stay inside of the workspace, or of a folder of skills outside
/// of it (decision 44), and of each `SKILL.md` only the frontmatter is read. Takes time linear in the number of files,
/// up to 500,000 folders and links, 5,000,000 entries of folders and 256 MiB of frontmatter.
///
/// # Errors
///
/// The workspace or another root is not a readable folder, the consumer is not a skill, no `SKILL.md` is found, or a
/// limit is exceeded.
pub fn discover(roots: &Roots) -> Result<Discovery, Vec<Diagnostic>> {
    search(roots, None)
}

/// Like [`discover`], but reads only the files and folders that have changed since an earlier call with the same cache
/// file. The file is created or replaced if necessary and if at least `least_skills` are found. It must be outside of
/// every root, in a folder that only trusted programs can write to; then the result is always that of [`discover`]. A
/// cache that cannot be read or written has no effect.
///
/// # Errors
///
/// Those of [`discover`].
pub fn discover_cached(roots: &Roots, cache: &Path, least_skills: usize) -> Result<Discovery, Vec<Diagnostic>> {
    search(roots, Some(Cache::read(cache, least_skills)))
}

/// Finds the skills of a run with or without a cache.
pub(super) fn search(roots: &Roots, cache: Option<Cache>) -> Result<Discovery, Vec<Diagnostic>> {
    let workspace = root(&roots.workspace, "the workspace")?;
    let consumer = roots.consumer.as_deref().map(|folder| consumer(folder, &workspace)).transpose()?;
    let mut places = vec![(Source::WorkspaceLocal, workspace.clone(), Some(SKILLS))];
    for (source, folders) in [(Source::RuntimeInstalled, &roots.installed), (Source::ExternalMounts, &roots.mounts)] {
        for folder in folders {
            places.push((source, root(folder, "the folder of skills")?, None));
        }
    }
    let mut run = Run::new(&roots.disabled, consumer);
    let mut budget = Budget::default();
    let mut cache = cache.unwrap_or_default();
    for (source, place, name) in places {
        run.source(source);
        let key = name.map_or_else(|| place.clone(), |name| place.join(name));
        let known = cache.take(&key);
        // Inside of the workspace, a link may lead to everything in it: installers link their folders to a common one.
        let boundary = if place.starts_with(&workspace) { workspace.clone() } else { place.clone() };
        let scan = Scan::new(place, boundary, source, &mut budget, cache.is_used());
        cache.add(&key, scan.below(name, known)?);
    }
    cache.finish().for_each(|found| run.add(found));
    if !run.has_files {
        return Err(vec![missing::finding(roots, &run.discovery.rejections)]);
    }
    Ok(run.discovery)
}

/// The consumer of a run, whatever the other folders contain; `None` if the caller names none.
///
/// # Errors
///
/// The workspace is not a readable folder, or the consumer is not a skill.
pub fn read_consumer(roots: &Roots) -> Result<Option<Skill>, Vec<Diagnostic>> {
    let Some(folder) = &roots.consumer else { return Ok(None) };
    let workspace = root(&roots.workspace, "the workspace")?;
    Ok(Some(consumer(folder, &workspace)?.0))
}

/// A folder that the caller names, without links.
fn root(folder: &Path, what: &str) -> Result<PathBuf, Vec<Diagnostic>> {
    let finding = |reason: &str| {
        let message = format!("{what} {} {reason}", quoted(&folder.to_string_lossy()));
        vec![Diagnostic::new(codes::ROOT, message)]
    };
    // An empty path means the current folder.
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let place = folder.canonicalize().map_err(|error| finding(&format!("cannot be read: {error}")))?;
    if place.is_dir() { Ok(place) } else { Err(finding("is not a folder")) }
}

/// The skill that the caller names as the consumer. Its path is relative to the workspace; outside of it, the path is
/// `.` (decision 28).
fn consumer(folder: &Path, workspace: &Path) -> Result<(Skill, Vec<Diagnostic>), Vec<Diagnostic>> {
    let finding = |reason: &str| {
        let message = format!("the consumer {} {reason}", quoted(&folder.to_string_lossy()));
        let help = format!("pass a folder with a `{SKILL_FILE}`");
        vec![Diagnostic::new(codes::CONSUMER, message).help(help)]
    };
    let place = folder.canonicalize().map_err(|error| finding(&format!("cannot be read: {error}")))?;
    let (path, source, boundary) = match place.strip_prefix(workspace) {
        Ok(path) => {
            let path = relative(path).ok_or_else(|| finding("has a path that is not UTF-8"))?;
            (path, Source::WorkspaceLocal, workspace)
        }
        Err(_) => (".".to_owned(), Source::ExternalMounts, place.as_path()),
    };
    let unreadable = |error: String| finding(&format!("has no readable `{SKILL_FILE}`: {error}"));
    let file = place.join(SKILL_FILE).canonicalize().map_err(|error| unreadable(error.to_string()))?;
    if !file.starts_with(boundary) {
        return Err(unreadable("it is a link that leaves the workspace or the folder of the consumer".to_owned()));
    }
    let (bytes, _) = start(&file).map_err(|error| unreadable(error.to_string()))?;
    let shown = capgen_manifest::shown(&folder.join(SKILL_FILE));
    let boundary = boundary.to_owned();
    let read = Skill::read(&capgen_manifest::decode(shown, bytes)?, path, source, place)?;
    Ok((Skill { file, boundary, ..read.skill }, read.warnings))
}

/// A relative path with `/` between its segments; `.` if it is empty.
fn relative(path: &Path) -> Option<String> {
    let segments: Option<Vec<&str>> = path.iter().map(|segment| segment.to_str()).collect();
    segments.map(|segments| if segments.is_empty() { ".".to_owned() } else { segments.join("/") })
}

/// Collects the skills of all sources.
struct Run<'r> {
    discovery: Discovery,
    disabled: BTreeSet<&'r str>,
    /// The ids of all skills so far, candidates or not.
    ids: HashSet<String>,
    /// Their files: one file is one candidate (decision 44).
    files: HashSet<OsString>,
    /// Whether there was a `SKILL.md`, in whatever state.
    has_files: bool,
}

impl<'r> Run<'r> {
    fn new(disabled: &'r [String], consumer: Option<(Skill, Vec<Diagnostic>)>) -> Self {
        let disabled = disabled.iter().map(String::as_str).collect();
        let (ids, files) = (HashSet::new(), HashSet::new());
        let mut run = Self { discovery: Discovery::default(), disabled, ids, files, has_files: false };
        if let Some((skill, warnings)) = consumer {
            let id = skill.id();
            run.warn(&id, warnings.into_iter().map(|warning| (warning.code, warning.message)));
            run.ids.insert(id);
            run.discovery.consumer = Some(skill);
        }
        run
    }

    fn source(&mut self, source: Source) {
        if !self.discovery.sources.contains(&source) {
            self.discovery.sources.push(source);
        }
    }

    fn add(&mut self, found: Found) {
        match found {
            Found::Skill { skill, warnings, is_second } => {
                self.has_files = true;
                self.skill(*skill, warnings, is_second);
            }
            Found::Excluded { path, name, reason, detail, has_file } => {
                self.has_files |= has_file;
                let id = name.map_or_else(|| path.clone(), |name| format!("{name}::{path}"));
                self.exclude(id, path, reason, &detail);
            }
        }
    }

    fn exclude(&mut self, id: String, path: String, reason: Reason, detail: &str) {
        if !detail.is_empty() {
            let message = format!("the skill is excluded: {detail}");
            self.discovery.warnings.push(Warning { code: codes::EXCLUDED, subject: id.clone(), message });
        }
        self.reject(id, path, reason.name());
    }

    fn skill(&mut self, skill: Skill, warnings: Vec<(capgen_diagnostic::Code, String)>, is_second: bool) {
        let id = skill.id();
        let is_consumer = self.discovery.consumer.as_ref().is_some_and(|consumer| consumer.file == skill.file);
        // A link does not take the place of the file itself, which may come later.
        let is_new_file = !is_second && self.files.insert(skill.file.clone().into_os_string());
        let is_new_id = self.ids.insert(id.clone());
        if self.disabled.contains(skill.name.as_str()) {
            return self.reject(id, skill.path, "disabled");
        }
        // The id of the consumer is known before its folder is found.
        if !is_new_file || (!is_new_id && !is_consumer) {
            return self.reject(id, skill.path, "duplicate");
        }
        if is_consumer {
            return self.reject(id, skill.path, "consumer");
        }
        self.warn(&id, warnings);
        self.discovery.skills.push(skill);
    }

    fn reject(&mut self, id: String, path: String, reason: &str) {
        self.discovery.rejections.push(Rejection { id, path, reason: reason.to_owned() });
    }

    fn warn(&mut self, subject: &str, warnings: impl IntoIterator<Item = (capgen_diagnostic::Code, String)>) {
        let warnings = warnings.into_iter();
        let warning = |(code, message)| Warning { code, subject: subject.to_owned(), message };
        self.discovery.warnings.extend(warnings.map(warning));
    }
}
