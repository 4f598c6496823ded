//! Selection gates (section "Selection gates", decision 20) and the hints of providers (decision 21).

use super::corpus::Candidate;
use super::scoring::{Run, Scored, Scores};
use crate::inputs::{Mode, OnMissingRequired, Overrides, Policy, SelectionMode, Threshold};

/// Why a candidate is not selected, in the order in which reports list the reasons.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reason {
    /// Strict only: it does not declare the runtime of the host.
    RuntimeIncompatible,
    /// Strict only: it does not declare the model of the host.
    ModelIncompatible,
    /// Strict only: its contract claims far more than its description suggests, and no probe passed.
    ContractInflated,
    /// Strict only: its contract is unreadable.
    ContractUnreadable,
    /// `S_total_final` is below `min-total-score`.
    MinTotalScore,
    /// `S_contract` is below `min-contract-score`.
    MinContractScore,
    /// It, or the selected set, covers too few of the required capabilities.
    MinRequiredCoverage,
    /// Its rank is beyond `max-candidates`.
    MaxCandidates,
    /// Strict only: a probe failed.
    ProbeFailed,
    /// Only if verified providers are required: its manifest does not name a capability that matches.
    NotVerified,
}

impl Reason {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Reason::RuntimeIncompatible => "runtime-incompatible",
            Reason::ModelIncompatible => "model-incompatible",
            Reason::ContractInflated => "contract-inflated",
            Reason::ContractUnreadable => "contract-unreadable",
            Reason::MinTotalScore => "min-total-score",
            Reason::MinContractScore => "min-contract-score",
            Reason::MinRequiredCoverage => "min-required-coverage",
            Reason::MaxCandidates => "max-candidates",
            Reason::ProbeFailed => "probe-failed",
            Reason::NotVerified => "not-verified",
        }
    }
}

/// The thresholds and the limit that apply to one candidate: those of the policy, tightened by its hints.
pub(crate) struct Limits<'l> {
    min_total_score: &'l Threshold,
    min_contract_score: &'l Threshold,
    min_required_coverage: &'l Threshold,
    pub(crate) max_candidates: u32,
    /// Whether a hint is tighter than the policy.
    pub(crate) is_tightened: bool,
}

impl<'l> Limits<'l> {
    pub(crate) fn new(candidate: &'l Candidate, policy: &'l Policy, set: &Overrides) -> Self {
        let mut limits = Self {
            min_total_score: &policy.min_total_score,
            min_contract_score: &policy.min_contract_score,
            min_required_coverage: &policy.min_required_coverage,
            max_candidates: policy.max_candidates,
            is_tightened: false,
        };
        if let Some(contract) = candidate.contract() {
            limits.tighten(&contract.overrides, set, policy.selection_mode);
        }
        limits
    }

    /// Whether scores pass both gates of scores.
    pub(crate) fn admits(&self, scores: &Scores) -> bool {
        !self.min_total_score.rejects(scores.last) && !self.min_contract_score.rejects(scores.contract)
    }

    /// A policy with these limits.
    pub(crate) fn policy(&self, policy: &Policy) -> Policy {
        Policy {
            min_total_score: self.min_total_score.clone(),
            min_contract_score: self.min_contract_score.clone(),
            min_required_coverage: self.min_required_coverage.clone(),
            max_candidates: self.max_candidates,
            ..policy.clone()
        }
    }

    /// Applies the hints for keys that neither the caller nor the consumer set, if they are tighter.
    fn tighten(&mut self, hints: &'l Overrides, set: &Overrides, mode: SelectionMode) {
        let tighter = |limit: &mut &'l Threshold, hint: &'l Option<Threshold>, is_set: bool| {
            let hint = hint.as_ref().filter(|hint| !is_set && *hint > *limit);
            hint.is_some_and(|hint| {
                *limit = hint;
                true
            })
        };
        // A coverage hint cannot apply to a set, of which the candidate is only a part.
        let is_cover = mode == SelectionMode::Cover;
        let total = tighter(&mut self.min_total_score, &hints.min_total_score, set.min_total_score.is_some());
        let contract =
            tighter(&mut self.min_contract_score, &hints.min_contract_score, set.min_contract_score.is_some());
        let is_coverage_set = set.min_required_coverage.is_some() || is_cover;
        let coverage = tighter(&mut self.min_required_coverage, &hints.min_required_coverage, is_coverage_set);
        let most = hints.max_candidates.filter(|hint| set.max_candidates.is_none() && *hint < self.max_candidates);
        self.max_candidates = most.unwrap_or(self.max_candidates);
        self.is_tightened = total || contract || coverage || most.is_some();
    }
}

/// The stricter of the policy's consequence and the hints of selected providers.
pub(crate) fn on_missing_required<'c>(run: &Run, selected: impl Iterator<Item = &'c Candidate>) -> OnMissingRequired {
    let hints = selected.filter_map(Candidate::contract).filter_map(|contract| contract.overrides.on_missing_required);
    let hints = hints.filter(|_| run.set.on_missing_required.is_none());
    hints.fold(run.policy.on_missing_required, Ord::max)
}

/// The keys of a contract's hints that never apply: they could not tighten anything for one candidate alone.
pub(crate) fn ignored(hints: &Overrides, policy: &Policy) -> Vec<&'static str> {
    let is_cover = policy.selection_mode == SelectionMode::Cover;
    let keys = [
        ("min-required-coverage", hints.min_required_coverage.is_some() && is_cover),
        ("selection-mode", hints.selection_mode.is_some()),
        ("max-providers", hints.max_providers.is_some()),
        ("max-dependency-depth", hints.max_dependency_depth.is_some()),
    ];
    keys.into_iter().filter(|(_, is_ignored)| *is_ignored).map(|(key, _)| key).collect()
}

/// The reasons that exclude a candidate before any gate, in strict.
pub(crate) fn exclusions(scored: &Scored, mode: Mode) -> Vec<Reason> {
    let reasons = [
        (Reason::RuntimeIncompatible, !scored.compatibility.runtime),
        (Reason::ModelIncompatible, !scored.compatibility.model),
        (Reason::ContractInflated, scored.is_inflated),
    ];
    let excluded = reasons.into_iter().filter(|(_, applies)| *applies && mode == Mode::Strict);
    excluded.map(|(reason, _)| reason).collect()
}

/// Every gate that a candidate fails, except `max-candidates`, which needs ranks.
pub(crate) fn gates(scored: &Scored, required: usize, limits: &Limits, run: &Run) -> Vec<Reason> {
    let covered = scored.covered.len();
    let is_set = run.policy.selection_mode == SelectionMode::Cover;
    let failed = [
        (Reason::ContractUnreadable, scored.is_unreadable),
        (Reason::MinTotalScore, limits.min_total_score.rejects(scored.scores.last)),
        (Reason::MinContractScore, limits.min_contract_score.rejects(scored.scores.contract)),
        (Reason::MinRequiredCoverage, !is_set && is_below(covered, required, limits.min_required_coverage)),
    ];
    failed.into_iter().filter(|(_, fails)| *fails).map(|(reason, _)| reason).collect()
}

/// Whether the manifest of a candidate names every capability that matches, if that is required.
pub(crate) fn is_verified(scored: &Scored, required: &[String], run: &Run) -> bool {
    let Some(verified) = run.corpus.verified() else { return true };
    let verified = verified.get(scored.candidate);
    let mut matches = scored.matches.iter().filter_map(|(index, kind)| Some((required.get(*index)?, *kind)));
    matches.all(|(name, kind)| {
        verified.is_some_and(|verified| verified.contains(name, kind, run.corpus, run.matcher.aliases))
    })
}

/// Whether the part of the required capabilities that is covered is below a threshold; it is 1 if nothing is required
/// (decision 32).
pub(crate) fn is_below(covered: usize, required: usize, threshold: &Threshold) -> bool {
    required > 0 && threshold.is_above(covered as u64, required as u64)
}
