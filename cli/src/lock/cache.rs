//! Locks and their differences from contracts, kept for a program that compares again after each change of a few files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use capgen_diagnostic::Diagnostic;
use capgen_evolve::LockFile;
use capgen_manifest::{LoadedContract, PerContract, Source, read_source, shown};

/// The locks of an earlier run.
#[derive(Debug, Default)]
pub(crate) struct KeptLocks(BTreeMap<PathBuf, KeptLock>);

/// A lock, and its differences from each contract.
#[derive(Debug)]
pub(super) struct KeptLock {
    source: Source,
    pub(super) file: LockFile,
    findings: PerContract<Vec<Diagnostic>>,
}

impl KeptLocks {
    /// The lock at a path. It is read, and parsed if its text changed.
    pub(super) fn read(&mut self, path: &Path) -> Result<&mut KeptLock, Vec<Diagnostic>> {
        let kept = self.0.remove(path);
        let source = read_source(path, &shown(path))?;
        let lock = match kept.filter(|kept| kept.source.text() == source.text()) {
            Some(kept) => kept,
            None => KeptLock { file: LockFile::read(&source)?, source, findings: PerContract::default() },
        };
        Ok(self.0.entry(path.to_owned()).or_insert(lock))
    }
}

impl KeptLock {
    /// The differences from the contracts.
    pub(super) fn findings(&mut self, contracts: &[&LoadedContract]) -> Vec<Diagnostic> {
        self.findings.keep_only(contracts.iter().copied());
        let Self { file, findings, .. } = self;
        let of = |contract: &&LoadedContract| findings.get(contract, |_| true, || file.findings(contract)).clone();
        contracts.iter().flat_map(of).collect()
    }
}
