//! The history of a file, also from before it was renamed or moved.

use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;

use capgen_diagnostic::Diagnostic;
use capgen_manifest::{LoadedContract, decode, load};

use super::git::{Result, Revision, git, run, with_reason};
use crate::codes;
use crate::console::{Console, count};

/// The most commits that are read. Each takes the time to read and check a manifest. Few files have been changed more
/// often.
const MAX_COMMITS: usize = 1_000;

/// The most renames that are followed. Each takes a search of git through the history; usual manifests were renamed a
/// few times.
const MAX_RENAMES: usize = 100;

/// The most commits that are examined for one rename, if a file was deleted and added again.
const MAX_ADDITIONS: &str = "--max-count=20";

/// The least part of a file, in percent, that a rename keeps. Git requires half of it, but manifests are often small.
const MIN_SIMILARITY: &str = "-M10%";

/// The part of a file, in percent, that git requires by default.
const SIMILARITY: u32 = 50;

/// A commit that changed a file, and the path that the file has there.
struct Change {
    commit: String,
    path: String,
    /// Whether it is doubtful that this is the same file, because a rename since then changed more than half of it.
    is_doubtful: bool,
}

/// Passes the contracts that a manifest had in the commits that changed it, the newest first, to `visit`, each with the
/// start of the hash of its commit, until it breaks. Revisions in which the manifest is not valid are skipped.
pub(crate) fn contracts(
    current: &LoadedContract,
    console: &Console,
    mut visit: impl FnMut(&str, LoadedContract) -> ControlFlow<()>,
) -> Result<()> {
    let folder = current.file.parent().unwrap_or(Path::new(""));
    let mut revision = Revision::open("HEAD", folder)?;
    let path = revision.relative(&current.file)?;
    let mut invalid = 0;
    for Change { commit, path, is_doubtful } in of(&revision, &path, MAX_COMMITS)? {
        revision.switch_to(&commit);
        let Some(content) = revision.read(&path)? else { continue };
        let short: String = commit.chars().take(8).collect();
        let Ok(contract) = decode(format!("{short}:{path}"), content).and_then(|source| load(&source)) else {
            invalid += 1;
            continue;
        };
        let is_other = is_doubtful && contract.manifest.agent != current.manifest.agent;
        if is_other || visit(&short, contract).is_break() {
            break;
        }
    }
    if invalid > 0 {
        console.line(&format!("{} skipped: the manifest is not valid there", count(invalid, "revision", "revisions")));
    }
    Ok(())
}

/// The commits up to a revision that changed a file, the newest first, at most `most`.
///
/// Like `git log --follow`, this continues with the old path if a commit renamed the file, or moved a folder that
/// contains it. Unlike there, the old path counts only before that commit, so that the order of merged branches does
/// not matter. A rename that is in the index but not committed counts too.
fn of(revision: &Revision, path: &str, most: usize) -> Result<Vec<Change>> {
    let (root, commit) = revision.location();
    let mut changes = Vec::new();
    let old = renamed_in_index(root, commit, path)?;
    let old = old.unwrap_or_else(|| Source { path: path.to_owned(), similarity: 100 });
    let mut is_doubtful = false;
    let mut place = Some((commit.to_owned(), old));
    for _ in 0..MAX_RENAMES {
        let Some((start, Source { path, similarity })) = place.take().filter(|_| changes.len() < most) else { break };
        is_doubtful |= similarity < SIMILARITY;
        let rename = rename(root, &start, &path)?;
        let count = format!("--max-count={}", most - changes.len());
        let commits = log(root, &["--format=%H", &count, &start, "--", &path])?;
        for commit in commits.lines() {
            changes.push(Change { commit: commit.to_owned(), path: path.clone(), is_doubtful });
            if rename.as_ref().is_some_and(|rename| rename.commit == commit) {
                break;
            }
        }
        place = rename.map(|rename| (rename.parent, rename.source));
    }
    Ok(changes)
}

/// A commit that renamed a file.
struct Rename {
    commit: String,
    /// The parent that has the file under its old path.
    parent: String,
    source: Source,
}

/// A file before it was renamed.
struct Source {
    path: String,
    /// The part of it that was kept, in percent.
    similarity: u32,
}

/// The last commit up to `start` that renamed a file to `path`.
fn rename(root: &Path, start: &str, path: &str) -> Result<Option<Rename>> {
    // `git log` with a path regards a renamed file as a new one. A merge may be the commit that moves it.
    let additions = ["-m", "--diff-filter=A", "--format=%H %P", MAX_ADDITIONS, start, "--", path];
    for line in log(root, &additions)?.lines() {
        let mut ids = line.split(' ').filter(|id| !id.is_empty());
        let Some(commit) = ids.next() else { continue };
        for parent in ids {
            let mut command = git(root);
            command.args(["diff-tree", "-r", MIN_SIMILARITY, "-z", "--name-status", "--diff-filter=R", parent, commit]);
            if let Some(source) = source(&mut command, path)? {
                return Ok(Some(Rename { commit: commit.to_owned(), parent: parent.to_owned(), source }));
            }
        }
    }
    Ok(None)
}

/// The file in a commit that was renamed since, according to the index.
fn renamed_in_index(root: &Path, commit: &str, path: &str) -> Result<Option<Source>> {
    let mut command = git(root);
    source(
        command.args(["diff-index", "--cached", MIN_SIMILARITY, "-z", "--name-status", "--diff-filter=R", commit]),
        path,
    )
}

/// Runs a command that lists renames, and returns the source of a file.
fn source(command: &mut Command, path: &str) -> Result<Option<Source>> {
    let output = run(command)?;
    if !output.status.success() {
        return Err(vec![with_reason(Diagnostic::new(codes::GIT_FAILED, "`git diff` failed"), &output)]);
    }
    // `R<similarity>`, the old path and the new one, each with a NUL at its end.
    let mut fields = output.stdout.split(|byte| *byte == 0);
    while let (Some(status), Some(old), Some(new)) = (fields.next(), fields.next(), fields.next()) {
        if new == path.as_bytes() {
            let digits = String::from_utf8_lossy(status.get(1..).unwrap_or_default()).into_owned();
            let similarity = digits.parse().unwrap_or(0);
            return Ok(String::from_utf8(old.to_vec()).ok().map(|path| Source { path, similarity }));
        }
    }
    Ok(None)
}

fn log(root: &Path, arguments: &[&str]) -> Result<String> {
    // Settings of users that would change the output.
    let plain = ["-c", "log.follow=false", "-c", "log.showSignature=false", "log", "--no-patch"];
    let output = run(git(root).args(plain).args(arguments))?;
    if !output.status.success() {
        return Err(vec![with_reason(Diagnostic::new(codes::GIT_FAILED, "`git log` failed"), &output)]);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
