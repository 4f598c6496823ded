//! The result of comparing contracts, as documents.

mod document;
mod group;
mod junit;
mod markdown;

pub use group::Group;

use capgen_manifest::AgentId;

use crate::{Acceptance, Assume, Bump, CapabilityComparison, Comparison, Finding, Level};

/// The result of comparing the contracts of one or several agents.
#[derive(Clone, Debug)]
pub struct ComparisonReport {
    /// Each contract, in the order of the selection.
    pub contracts: Vec<ComparedContract>,
    /// The senders that were assumed.
    pub assume: Assume,
    /// The least level whose findings fail.
    pub fail_on: Level,
}

/// The contract of one agent, compared with its old version.
#[derive(Clone, Debug)]
pub struct ComparedContract {
    /// The agent.
    pub agent: AgentId,
    /// The changes.
    pub comparison: Comparison,
    /// For each finding of the comparison, whether it was accepted.
    pub acceptances: Vec<Acceptance>,
    /// The generated files that contain the old contract.
    pub callers: Vec<String>,
}

impl ComparedContract {
    /// The findings, each with its acceptance.
    pub fn findings(&self) -> impl Iterator<Item = (&Finding, &Acceptance)> {
        // A finding without an acceptance would be left out, so missing ones count as not accepted.
        self.comparison.findings.iter().zip(self.acceptances.iter().chain(std::iter::repeat(&Acceptance::None)))
    }
}

impl ComparisonReport {
    /// Whether a finding fails the run.
    pub fn fails(&self, finding: &Finding, acceptance: &Acceptance) -> bool {
        finding.level >= self.fail_on && !matches!(acceptance, Acceptance::Accepted(_))
    }

    /// Whether any finding fails the run.
    pub fn has_failed(&self) -> bool {
        self.findings().any(|(_, finding, acceptance)| self.fails(finding, acceptance))
    }

    /// The findings of all contracts, each with its contract and its acceptance.
    pub fn findings(&self) -> impl Iterator<Item = (&ComparedContract, &Finding, &Acceptance)> {
        self.contracts.iter().flat_map(|contract| contract.findings().map(move |(f, a)| (contract, f, a)))
    }

    /// The least step of a version that announces all changes.
    pub fn bump(&self) -> Bump {
        self.contracts.iter().map(|contract| contract.comparison.bump()).max().unwrap_or(Bump::None)
    }

    /// The greatest number of a version that has to be raised: as [`bump`](Self::bump), but for versions below 1.0.0
    /// one step less, as [`Bump::raised`] describes.
    pub fn raised(&self) -> Bump {
        let capabilities = self.contracts.iter().flat_map(|contract| &contract.comparison.capabilities);
        capabilities.map(CapabilityComparison::raised).max().unwrap_or(Bump::None)
    }

    /// The key of a capability: its name, or `<agent>/<name>` if there are several contracts, whose capabilities may
    /// have the same name.
    fn key(&self, contract: &ComparedContract, capability: &str) -> String {
        match self.contracts.len() {
            1 => capability.to_owned(),
            _ => format!("{}/{capability}", contract.agent),
        }
    }
}
