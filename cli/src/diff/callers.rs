//! The generated files that contain the old version of a contract: the callers that a change affects.

use std::collections::BTreeMap;

use capgen_evolve::{ComparisonReport, Level};
use capgen_manifest::{Selection, shown};

use super::against::Pair;
use crate::generated_files::{below, root};

/// Finds the callers of every contract with a breaking change. They are below the root of the repository, or else of
/// the fleet. Returns whether the whole folder was searched.
pub(super) fn find(report: &mut ComparisonReport, pairs: &[Pair], selection: &Selection) -> bool {
    // The contract of each agent and hash. Two agents may have equal contracts.
    let mut old_versions = BTreeMap::new();
    for (index, (contract, pair)) in report.contracts.iter().zip(pairs).enumerate() {
        if contract.comparison.level() == Some(Level::Breaking)
            && let Some(old) = &pair.old
        {
            old_versions.insert((old.manifest.agent.to_string(), old.manifest.hash().to_string()), index);
        }
    }
    if old_versions.is_empty() {
        return true;
    }
    let Some(root) = root(selection) else { return true };
    let found = below(&root);
    for file in found.files {
        if let Some(index) = old_versions.get(&(file.agent, file.hash))
            && let Some(contract) = report.contracts.get_mut(*index)
        {
            contract.callers.push(shown(&file.path));
        }
    }
    found.is_complete
}
