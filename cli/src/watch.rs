//! `--watch`: one run at the start, and one after each change of a file that the result depends on.
//!
//! The files are polled. Notifications of the operating system do not arrive from network drives and from folders that
//! a container or a virtual machine shares with its host, so a program that uses them needs polling too.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use capgen_manifest::{Selection, find_root, shown};

use crate::console::{Console, count};
use crate::failure::{RunResult, Verdict};

/// The time between two looks at the files, unless looking takes long. A user notices no such delay, and a look costs a
/// system call for each file.
const PERIOD: Duration = Duration::from_millis(15);

/// After each look, the process waits at least this many times as long as the look took. This bounds the use of the
/// processor in large fleets.
const REST: u32 = 10;

/// The same for the search for agents that joined. A search costs more than a look at the known files, so that large
/// fleets are searched more rarely than the files are looked at.
const REST_OF_SEARCH: u32 = 20;

/// A save is complete if its files do not change for this long. File systems count the time of a modification in steps
/// of up to 10 ms, so a file that is written again after this time differs from its earlier state even if its length is
/// the same.
const SETTLED: Duration = Duration::from_millis(20);

/// The same if a file is empty or missing: editors that truncate or delete a file write the new content a moment later.
const SETTLED_IF_EMPTY: Duration = Duration::from_millis(80);

/// After this time, a run starts even if the files still change, such as those that another program writes all the
/// time.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// A change of the files, for the line about it.
#[derive(Debug)]
pub(crate) struct Change {
    /// The files and their change, such as `agents/a/capabilities.yaml changed`.
    subject: String,
    /// Whether the run before it found errors.
    after_errors: bool,
}

impl Change {
    /// The line about a run with this result that found errors.
    pub(crate) fn failed(&self, result: &str) -> String {
        format!("{}: {result}", self.subject)
    }

    /// The line about a run with this result that found no errors. If there were errors before, it reports that they
    /// are fixed.
    pub(crate) fn succeeded(&self, result: &str) -> String {
        let fixed = if self.after_errors { ", errors fixed" } else { "" };
        format!("{}{fixed}: {result}", self.subject)
    }
}

/// Calls `run` now and after every change, until the process is interrupted. `files` are the files that the result
/// depends on, which need not exist; see [`files_of`].
pub(crate) fn repeat(
    files: impl Fn() -> Vec<PathBuf>,
    console: &Console,
    mut run: impl FnMut(Option<&Change>) -> RunResult,
) -> RunResult {
    let search = |before: Option<&Snapshot>| Snapshot::take(files(), before);
    let mut snapshot = search(None);
    let mut verdict = run(None)?;
    console.line(&format!("watching {}", count(snapshot.states.len(), "file", "files")));
    loop {
        let next = wait_for_change(&snapshot, || search(Some(&snapshot)));
        let change = Change { subject: next.changes_since(&snapshot), after_errors: verdict == Verdict::Findings };
        snapshot = next;
        verdict = run(Some(&change))?;
    }
}

/// The files of a selection, found again each time because agents may join or leave the fleet.
pub(crate) fn files_of(selection: &Selection) -> Vec<PathBuf> {
    let mut files = selection.locate().paths();
    // The source of an import does not depend on a fleet.
    if !selection.is_empty() {
        // If it has errors, `locate` finds no files.
        let root = selection.root.clone().or_else(|| find_root(&selection.start));
        files.extend(root.map(|root| root.join("fleet.yaml")));
    }
    files
}

/// Waits until the files are different, and then until they no longer change, or for [`MAX_WAIT`].
fn wait_for_change(before: &Snapshot, search: impl Fn() -> Snapshot) -> Snapshot {
    // The files may have changed during the last run.
    let mut last = search();
    let mut unchanged_since = Instant::now();
    let mut next_search = unchanged_since;
    let mut differs_since = (!last.is_same(before)).then_some(unchanged_since);
    let mut pause = PERIOD;
    loop {
        std::thread::sleep(pause);
        let start = Instant::now();
        let is_current = last.is_current();
        let looked = Instant::now();
        pause = PERIOD.max((looked - start) * REST);
        if !is_current || looked >= next_search {
            let now = search();
            next_search = Instant::now() + looked.elapsed() * REST_OF_SEARCH;
            if !now.is_same(&last) {
                last = now;
                unchanged_since = start;
                differs_since = (!last.is_same(before)).then(|| differs_since.unwrap_or(start));
            }
        }
        let Some(first_change) = differs_since else { continue };
        let unchanged = unchanged_since.elapsed();
        let is_settled = unchanged >= SETTLED && unchanged >= last.settling_time(before);
        if is_settled || first_change.elapsed() >= MAX_WAIT {
            return last;
        }
    }
}

/// The state of the files at one time.
#[derive(Debug)]
struct Snapshot {
    /// The files that the selection found. They also change if the fleet cannot be read any more.
    found: Vec<PathBuf>,
    /// These files, and the files of the snapshot before. Some do not exist.
    paths: BTreeSet<PathBuf>,
    /// The state of each of them that exists.
    states: BTreeMap<PathBuf, State>,
}

/// The properties that a save changes. An editor that replaces the file creates another one, even if time and length
/// are the same.
#[derive(Clone, PartialEq, Eq, Debug)]
struct State {
    modified: Option<SystemTime>,
    length: u64,
    id: u64,
}

impl Snapshot {
    fn take(found: Vec<PathBuf>, before: Option<&Snapshot>) -> Self {
        let known = before.into_iter().flat_map(|snapshot| snapshot.states.keys().cloned());
        let paths: BTreeSet<PathBuf> = found.iter().cloned().chain(known).collect();
        let states = paths.iter().filter_map(|path| Some((path.clone(), State::of(path)?))).collect();
        Self { found, paths, states }
    }

    /// Whether no known file changed since. Takes one system call for each file.
    fn is_current(&self) -> bool {
        self.paths.iter().all(|path| State::of(path).as_ref() == self.states.get(path))
    }

    fn is_same(&self, other: &Self) -> bool {
        self.found == other.found && self.states == other.states
    }

    /// The files whose state differs, sorted.
    fn changed<'s>(&'s self, before: &'s Snapshot) -> Vec<&'s Path> {
        let paths: BTreeSet<_> = before.states.keys().chain(self.states.keys()).map(PathBuf::as_path).collect();
        paths.into_iter().filter(|path| self.states.get(*path) != before.states.get(*path)).collect()
    }

    fn settling_time(&self, before: &Snapshot) -> Duration {
        let is_empty = |path: &&Path| self.states.get(*path).is_none_or(|state| state.length == 0);
        if self.changed(before).iter().any(is_empty) { SETTLED_IF_EMPTY } else { SETTLED }
    }

    /// The files that changed and their change, as the subject of a line.
    fn changes_since(&self, before: &Snapshot) -> String {
        let changed = self.changed(before);
        let Some((first, others)) = changed.split_first() else { return "the fleet changed".to_owned() };
        let verb = |path: &Path| match (before.states.get(path), self.states.get(path)) {
            (None, _) => "added",
            (_, None) => "removed",
            _ => "changed",
        };
        let same = others.iter().all(|path| verb(path) == verb(first));
        let verb = if same { verb(first) } else { "changed" };
        match others.len() {
            0 => format!("{} {verb}", shown(first)),
            more => format!("{} and {} {verb}", shown(first), count(more, "other file", "other files")),
        }
    }
}

impl State {
    fn of(path: &Path) -> Option<Self> {
        let metadata = path.metadata().ok()?;
        Some(Self { modified: metadata.modified().ok(), length: metadata.len(), id: id(&metadata) })
    }
}

#[cfg(unix)]
fn id(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

/// Windows has no such number without another system call. A file that replaces another one has its own time.
#[cfg(not(unix))]
fn id(_: &Metadata) -> u64 {
    0
}
