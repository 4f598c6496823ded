//! `capgen lock`: the hashes of capabilities as they were when they were reviewed.

mod arguments;
mod cache;

pub(crate) use arguments::Lock;
pub(crate) use cache::KeptLocks;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use capgen_diagnostic::Diagnostic;
use capgen_evolve::{LOCK_FILE, Lock as Hashes, LockFile};
use capgen_files::{Present, Unreadable, read_present, replace_files};
use capgen_manifest::{Fleet, LoadedContract, Selection, find_root, read_source, shown};

use crate::arguments::Format;
use crate::check;
use crate::codes;
use crate::console::{Console, count};
use crate::failure::{Failure, RunResult, Verdict};
use crate::generate::selection;
use crate::signals;

pub(crate) fn run(arguments: &Lock, console: &Console) -> RunResult {
    let mut selection = selection(&arguments.contracts);
    selection.all |= selection.is_empty();
    let result = if arguments.check { compare(&selection, console) } else { write(&selection, console) };
    match result {
        Err(Failure::Findings(findings)) if arguments.format != Format::Human => {
            check::report(&findings, arguments.format, console)?;
            Ok(Verdict::Findings)
        }
        result => result,
    }
}

fn compare(selection: &Selection, console: &Console) -> RunResult {
    let contracts = check::usable(selection.locate().load()?)?;
    let findings = findings(&contracts, selection, IfMissing::Report, &mut KeptLocks::default());
    if !findings.is_empty() {
        return Err(Failure::Findings(findings));
    }
    console.tick(&format!("{} as locked", count(capabilities(&contracts), "capability", "capabilities")));
    Ok(Verdict::Fine)
}

fn write(selection: &Selection, console: &Console) -> RunResult {
    signals::remove_temporary_files_at_the_end();
    let contracts = check::usable(selection.locate().load()?)?;
    let mut files = Vec::new();
    for (path, contracts) in by_lock(&contracts, selection) {
        let is_whole = selection.all && is_of_fleet(&path, selection);
        let mut lock = if is_whole || !path.exists() { Hashes::default() } else { read(&path)?.lock };
        contracts.iter().for_each(|contract| lock.insert(&contract.manifest));
        let text = lock.text();
        let present = read_present(&path, text.len()).map_err(|error| failed(&path, &error))?;
        let is_unchanged = match present {
            Some(Present::Irregular) => return Err(failed(&path, &Unreadable::Irregular.into())),
            Some(Present::Foreign) => return Err(foreign(&path)),
            Some(Present::Text(old)) => old == text,
            Some(Present::TooLong) | None => false,
        };
        files.push((path, text, is_unchanged));
    }
    let changed: Vec<(&Path, &str)> =
        files.iter().filter(|(.., same)| !same).map(|(path, text, _)| (path.as_path(), text.as_str())).collect();
    replace_files(&changed).map_err(|(index, error)| match changed.get(index) {
        Some((path, _)) => failed(path, &error),
        None => Failure::Stream(error),
    })?;
    for (path, _, is_unchanged) in &files {
        let path = shown(path);
        if *is_unchanged {
            console.line(&format!("  unchanged {path}"))
        } else {
            console.tick(&format!("wrote {path}"))
        }
    }
    Ok(Verdict::Fine)
}

/// Whether a lock that does not exist is a finding.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum IfMissing {
    Report,
    Ignore,
}

/// The differences between contracts and their locks, and the errors in the locks. If the whole fleet is selected, also
/// the agents that only the lock has. Locks and contracts that are the same as in the run that filled `kept` are not
/// compared again.
pub(crate) fn findings(
    contracts: &[LoadedContract],
    selection: &Selection,
    if_missing: IfMissing,
    kept: &mut KeptLocks,
) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for (path, contracts) in by_lock(contracts, selection) {
        if path.symlink_metadata().is_err() {
            if if_missing == IfMissing::Report {
                let message = format!("there is no `{}`", shown(&path));
                findings.push(
                    Diagnostic::new(codes::NO_LOCK, message)
                        .help("run the same command without `--check`, and check in the result"),
                );
            }
            continue;
        }
        match kept.read(&path) {
            Ok(lock) => {
                findings.extend(lock.findings(&contracts));
                if selection.all && is_of_fleet(&path, selection) {
                    let agents: BTreeSet<_> = contracts.iter().map(|contract| &contract.manifest.agent).collect();
                    findings.extend(lock.file.missing(&agents));
                }
            }
            Err(errors) => findings.extend(errors),
        }
    }
    findings
}

fn capabilities(contracts: &[LoadedContract]) -> usize {
    contracts.iter().map(|contract| contract.manifest.capabilities.len()).sum()
}

/// The path of each lock, with the contracts that belong into it: the contracts of a fleet are locked in its root
/// folder, and each other one is locked beside the manifest.
fn by_lock<'c>(contracts: &'c [LoadedContract], selection: &Selection) -> BTreeMap<PathBuf, Vec<&'c LoadedContract>> {
    // A fleet with errors fails the selection of its agents. Other manifests do not need it.
    let fleet = selection.fleet().ok().flatten();
    let mut locks: BTreeMap<PathBuf, Vec<&LoadedContract>> = BTreeMap::new();
    for contract in contracts {
        let is_member = |fleet: &&Fleet| {
            let path = fleet.peer(contract.manifest.agent.as_str()).ok();
            path.is_some_and(|path| path.canonicalize().ok() == contract.file.canonicalize().ok())
        };
        let folder = match fleet.as_ref().filter(is_member) {
            Some(fleet) => fleet.root(),
            None => contract.file.parent().unwrap_or(Path::new("")),
        };
        locks.entry(folder.join(LOCK_FILE)).or_default().push(contract);
    }
    locks
}

/// The paths at which [`findings`] may look for locks.
pub(crate) fn candidates(selection: &Selection) -> Vec<PathBuf> {
    let root = selection.root.clone().or_else(|| find_root(&selection.start));
    let beside = selection.files.iter().filter_map(|file| file.parent().map(Path::to_owned));
    root.into_iter().chain(beside).map(|folder| folder.join(LOCK_FILE)).collect()
}

fn is_of_fleet(path: &Path, selection: &Selection) -> bool {
    let root = selection.root.clone().or_else(|| find_root(&selection.start));
    root.is_some_and(|root| path == root.join(LOCK_FILE))
}

fn read(path: &Path) -> Result<LockFile, Failure> {
    Ok(LockFile::read(&read_source(path, &shown(path))?)?)
}

fn foreign(path: &Path) -> Failure {
    let message = format!("capgen did not write `{}`", shown(path));
    let finding = Diagnostic::new(codes::FOREIGN_LOCK, message).in_file(shown(path));
    Failure::Findings(vec![finding.help("move the file, or delete it")])
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Findings(vec![unusable(path, error)])
}

fn unusable(path: &Path, error: &std::io::Error) -> Diagnostic {
    let message = format!("cannot read or write `{}`: {error}", shown(path));
    Diagnostic::new(codes::FOREIGN_LOCK, message).in_file(shown(path))
}
