//! The files of accepted findings.

use std::path::{Path, PathBuf};

use capgen_diagnostic::{Diagnostic, Source, quoted};
use capgen_evolve::{ACCEPTED_FILE, Acceptance, Accepted, ComparisonReport, Date, Finding, codes, read_accepted};
use capgen_manifest::{AgentId, Fleet, Selection, find_root, read_source, shown};
use capgen_time::{Clock as _, SystemClock};

use super::against::Pair;

/// The accepted findings of one or several files, and today's date.
pub(super) struct AcceptedFiles {
    files: Vec<(Source, Accepted)>,
    today: Date,
}

impl AcceptedFiles {
    /// Reads the file that was given, otherwise those at the root of the fleet and beside the manifests, and those that
    /// a `fleet.yaml` names.
    pub(super) fn read(given: Option<&Path>, selection: &Selection, pairs: &[Pair]) -> Result<Self, Vec<Diagnostic>> {
        let paths = match given {
            Some(path) => vec![path.to_owned()],
            None => found(selection, pairs),
        };
        let mut findings = Vec::new();
        let mut files = Vec::new();
        for path in paths {
            let read = read_source(&path, &shown(&path))
                .and_then(|source| read_accepted(&source).map(|entries| (source, Accepted::new(entries))));
            match read {
                Ok(file) => files.push(file),
                Err(errors) => findings.extend(errors),
            }
        }
        if findings.is_empty() { Ok(Self { files, today: today() }) } else { Err(findings) }
    }

    /// Whether an entry of any file accepts a finding.
    pub(super) fn acceptance(&self, agent: &AgentId, finding: &Finding) -> Acceptance {
        let mut expired = Acceptance::None;
        for (_, accepted) in &self.files {
            match accepted.acceptance(agent, finding, self.today) {
                Acceptance::None => {}
                found @ Acceptance::Accepted(_) => return found,
                found @ Acceptance::Expired(_) => expired = found,
            }
        }
        expired
    }

    /// A warning for each entry whose fingerprint has the old form.
    pub(super) fn of_old_form(&self) -> Vec<Diagnostic> {
        let old = self.files.iter().flat_map(|(source, accepted)| {
            accepted.of_old_form().into_iter().map(move |entry| {
                let message = format!("the fingerprint {} has the old form, and accepts nothing", quoted(&entry.fingerprint));
                let warning = Diagnostic::new(codes::OLD_FINGERPRINT, message).at(source, entry.span.clone(), "");
                let note = "fingerprints with 16 digits did not cover what changed, so they accepted other changes of the same place";
                warning.note(note).help("review the finding again, and copy its new fingerprint from the output of `capgen diff`")
            })
        });
        old.collect()
    }

    /// A warning for each entry that matches no finding.
    pub(super) fn unused(&self, report: &ComparisonReport) -> Vec<Diagnostic> {
        let findings: Vec<_> = report.findings().map(|(contract, finding, _)| (&contract.agent, finding)).collect();
        let mut warnings = Vec::new();
        for (source, accepted) in &self.files {
            for entry in accepted.unused(&findings) {
                let message = format!("no finding has the fingerprint {}", quoted(&entry.fingerprint));
                let warning = Diagnostic::new(codes::ACCEPTED_UNUSED, message).at(source, entry.span.clone(), "");
                warnings.push(warning.help("remove the entry if the change has been released or reverted"));
            }
        }
        warnings
    }
}

/// The files at the root of the fleet and beside the manifests, and those that a `fleet.yaml` names.
fn found(selection: &Selection, pairs: &[Pair]) -> Vec<PathBuf> {
    let beside: Vec<&Path> = pairs.iter().filter_map(|pair| pair.new.as_ref()?.file.parent()).collect();
    let is_of_fleet = selection.all || !selection.peers.is_empty();
    let roots = match &selection.root {
        Some(root) => vec![root.clone()],
        None if is_of_fleet => find_root(&selection.start).into_iter().collect(),
        // A manifest that is selected by its path may be in a fleet.
        None => beside.iter().filter_map(|folder| find_root(folder_or_here(folder))).collect(),
    };
    // An error in `fleet.yaml` is reported where the manifests are loaded. A file that it names must exist.
    let named = roots.iter().filter_map(|root| Fleet::open(root).ok()?.accepted_file());
    let named: Vec<PathBuf> = named.collect();
    let folders = roots.into_iter().chain(beside.into_iter().map(Path::to_owned));
    // Also a link that leads nowhere: it is an error, and not the same as no file.
    let beside = folders.map(|folder| folder.join(ACCEPTED_FILE)).filter(|path| path.symlink_metadata().is_ok());
    let mut paths: Vec<PathBuf> = Vec::new();
    for path in named.into_iter().chain(beside) {
        if !paths.iter().any(|other| is_same(other, &path)) {
            paths.push(path);
        }
    }
    paths
}

/// The parent of a path without folders is empty.
fn folder_or_here(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

fn is_same(a: &Path, b: &Path) -> bool {
    a == b || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Today's date in UTC.
fn today() -> Date {
    Date::of_unix_ms(SystemClock.now_ms())
}
