//! Results of an earlier run, for programs that run again after each change of a few files.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::read::{load, load_peer};
use crate::{AgentId, Diagnostic, LoadedContract, Source};

/// The contracts of an earlier load. The next load reads every file, but parses and checks only those whose text
/// changed.
///
/// The result is the same as without it: texts are compared, not times. It contains only files of the last load.
#[derive(Debug, Default)]
pub struct KeptContracts {
    accepted: HashMap<PathBuf, LoadedContract>,
    rejected: HashMap<PathBuf, Rejected>,
}

/// A file with errors.
#[derive(Debug)]
struct Rejected {
    source: Source,
    /// The agent that the file was read for.
    agent: Option<AgentId>,
    findings: Vec<Diagnostic>,
}

impl KeptContracts {
    /// Gives back contracts that a load returned, for the next load.
    pub fn keep(&mut self, contracts: Vec<LoadedContract>) {
        self.accepted.extend(contracts.into_iter().map(|contract| (contract.file.clone(), contract)));
    }

    /// The contracts that are kept, in the order of their files: after a load with errors, those without any.
    pub fn contracts(&self) -> Vec<LoadedContract> {
        let mut contracts: Vec<LoadedContract> = self.accepted.values().cloned().collect();
        contracts.sort_by(|a, b| a.file.cmp(&b.file));
        contracts
    }

    /// The contract in a file that was read, taken from `earlier` if its text is the same. Errors are kept here.
    pub(crate) fn load(
        &mut self,
        earlier: &mut Self,
        source: Source,
        path: &Path,
        agent: Option<&AgentId>,
    ) -> Result<LoadedContract, Vec<Diagnostic>> {
        // The expected agent has no effect on a contract of that agent.
        let is_expected = |contract: &LoadedContract| agent.is_none_or(|agent| contract.manifest.agent == *agent);
        let kept = earlier.accepted.remove(path).filter(|contract| is_same(&contract.source, &source));
        if let Some(contract) = kept.filter(is_expected) {
            return Ok(contract);
        }
        let kept = earlier.rejected.remove(path).filter(|kept| is_same(&kept.source, &source));
        let rejected = match kept.filter(|kept| kept.agent.as_ref() == agent) {
            Some(rejected) => rejected,
            None => match agent.map_or_else(|| load(&source), |agent| load_peer(&source, agent)) {
                Ok(contract) => return Ok(LoadedContract { file: path.to_owned(), ..contract }),
                Err(findings) => Rejected { source, agent: agent.cloned(), findings },
            },
        };
        let findings = rejected.findings.clone();
        self.rejected.insert(path.to_owned(), rejected);
        Err(findings)
    }
}

/// A value for each of some contracts, computed again when the text of the contract changes.
///
/// ```
/// use capgen_manifest::{PerContract, Source, load};
/// let text = "version: 1\nagent: agent://a\ntransports: [{ kind: memory, topics: { requests: a } }]\ncapabilities: [{ name: b }]\n";
/// let contract = load(&Source::new("a.yaml", text)).map_err(|findings| format!("{findings:?}"))?;
/// let mut lengths = PerContract::default();
/// assert_eq!(*lengths.get(&contract, |_| true, || text.len()), text.len());
/// assert_eq!(*lengths.get(&contract, |_| true, || 0), text.len());
/// lengths.keep_only([]);
/// assert_eq!(*lengths.get(&contract, |_| true, || 0), 0);
/// # Ok::<(), String>(())
/// ```
#[derive(Debug)]
pub struct PerContract<T>(HashMap<PathBuf, (Source, T)>);

impl<T> Default for PerContract<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<T> PerContract<T> {
    /// The value of a contract. It is computed unless there is one for the same file with the same text for which
    /// `is_current` holds.
    pub fn get(
        &mut self,
        contract: &LoadedContract,
        is_current: impl FnOnce(&T) -> bool,
        compute: impl FnOnce() -> T,
    ) -> &T {
        let kept = self.0.remove(&contract.file);
        let kept = kept.filter(|(source, value)| is_same(source, &contract.source) && is_current(value));
        let kept = kept.unwrap_or_else(|| (contract.source.clone(), compute()));
        &self.0.entry(contract.file.clone()).insert_entry(kept).into_mut().1
    }

    /// Drops the values of all other contracts.
    pub fn keep_only<'c>(&mut self, contracts: impl IntoIterator<Item = &'c LoadedContract>) {
        let mut kept = std::mem::take(&mut self.0);
        self.0.extend(contracts.into_iter().filter_map(|contract| kept.remove_entry(&contract.file)));
    }
}

/// Whether two sources have the same text, and are shown with the same path.
fn is_same(a: &Source, b: &Source) -> bool {
    a.path() == b.path() && a.text() == b.text()
}
