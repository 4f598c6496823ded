//! Suggestions for a run that selects nothing or fails: other numbers with which it has a result (decision 42).

use std::collections::BTreeSet;

use crate::Score;
use crate::choose::{Corpus, Decision, Inputs, Outcome, Ranked, Reason, Resolution, resolve};
use crate::inputs::{Mode, OnMissingRequired, Probe, ProbeRunner, Probes, Profile, SelectionMode, Skill};

/// The most suggestions for one run (decision 42).
const MAX_SUGGESTIONS: usize = 3;
/// The most resolutions that are made to find them (decision 42).
const MAX_RESOLUTIONS: usize = 10;
/// The most values of the policy that are changed one after the other before a further one is not tried. Each of them
/// takes one of the ten resolutions, which other suggestions need too.
const MAX_STEPS: usize = 3;

/// What to change in a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// The profile.
    Profile(Profile),
    /// These keys of the policy, each with its value.
    Policy(Vec<(&'static str, String)>),
    /// A probe for this capability, which passes.
    Probe(String),
}

/// A change with which a run has another result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suggestion {
    /// The change.
    pub change: Change,
    /// The ids of the candidates that are selected then.
    pub selected: Vec<String>,
    /// The capabilities that are missing then.
    pub missing: Vec<String>,
    /// How the run ends then.
    pub outcome: Outcome,
}

/// The changes that are worth trying if a run selects nothing or fails: the profile first, then policies, then a probe,
/// at most three. Each one was tried: with it, something is selected, or the run does not fail. The list is empty if
/// the run needs no change.
///
/// `runner` answers for probes that apply to the run, if programs may be run; it should run none again.
pub fn suggest(
    corpus: &Corpus,
    inputs: &Inputs,
    resolution: &Resolution,
    decision: Decision,
    runner: Option<&mut dyn ProbeRunner>,
) -> Vec<Suggestion> {
    let selects = !resolution.selection.selected.is_empty();
    let succeeds = resolution.outcome(decision).is_success();
    if resolution.required.is_empty() || (selects && succeeds) {
        return Vec::new();
    }
    let mut search = Search { corpus, decision, runner, selects, left: MAX_RESOLUTIONS };
    let mut found = Vec::new();
    if inputs.profile != Profile::Practical {
        let practical = Inputs { profile: Profile::Practical, ..inputs.clone() };
        let tried = search.resolve(&practical);
        found.extend(tried.and_then(|tried| search.suggestion(Change::Profile(Profile::Practical), &tried)));
    }
    let mut policies: Vec<Suggestion> = Vec::new();
    policies.extend(search.repaired(inputs, resolution, Vec::new()));
    if resolution.effective.selection_mode == SelectionMode::Single && resolution.required.len() > 1 {
        let cover = vec![("selection-mode", SelectionMode::Cover.name().to_owned())];
        policies.extend(search.changed(inputs, cover));
    }
    // The sort keeps the order of equal ones.
    policies.sort_by_key(|one| !one.outcome.is_success());
    policies.dedup_by(|one, other| one.change == other.change);
    found.extend(policies);
    found.extend(search.probe(inputs));
    if !succeeds && !found.iter().any(|one| one.outcome.is_success()) {
        found.extend(search.emulation(inputs, resolution));
    }
    found.truncate(MAX_SUGGESTIONS);
    found
}

struct Search<'s, 'r> {
    corpus: &'s Corpus,
    decision: Decision,
    runner: Option<&'r mut dyn ProbeRunner>,
    /// Whether the run selects something.
    selects: bool,
    /// The number of resolutions that may still be made.
    left: usize,
}

impl Search<'_, '_> {
    fn resolve(&mut self, inputs: &Inputs) -> Option<Resolution> {
        self.left = self.left.checked_sub(1)?;
        match &mut self.runner {
            Some(runner) => resolve(self.corpus, inputs, Some(&mut **runner)).ok(),
            None => resolve(self.corpus, inputs, None).ok(),
        }
    }

    /// The suggestion of a change, if its resolution is better than the run.
    fn suggestion(&self, change: Change, tried: &Resolution) -> Option<Suggestion> {
        let selected: Vec<String> = tried.selection.providers().map(|one| one.scored.id.to_string()).collect();
        let outcome = tried.outcome(self.decision);
        let is_better = !selected.is_empty() && (!self.selects || outcome.is_success());
        is_better.then(|| Suggestion { change, selected, missing: tried.unresolved.clone(), outcome })
    }

    /// The best suggestion that starts with these keys of the policy.
    fn changed(&mut self, inputs: &Inputs, policy: Vec<(&'static str, String)>) -> Option<Suggestion> {
        let inputs = with(inputs, &policy);
        let tried = self.resolve(&inputs)?;
        let found = self.suggestion(Change::Policy(policy.clone()), &tried);
        match found {
            Some(found) if found.outcome.is_success() => Some(found),
            found => self.repaired(&inputs, &tried, policy).or(found),
        }
    }

    /// Changes the keys of the policy because of which a resolution selects nothing or fails, until it does neither. A
    /// resolution that selects something is better than nothing.
    fn repaired(
        &mut self,
        inputs: &Inputs,
        resolution: &Resolution,
        mut policy: Vec<(&'static str, String)>,
    ) -> Option<Suggestion> {
        let mut inputs = inputs.clone();
        let mut last: Option<Resolution> = None;
        let mut best: Option<Suggestion> = None;
        for _ in 0..MAX_STEPS {
            let Some(repair) = repair(last.as_ref().unwrap_or(resolution)) else { break };
            policy.retain(|(key, _)| repair.iter().all(|(other, _)| other != key));
            policy.extend(repair);
            inputs = with(&inputs, &policy);
            let Some(tried) = self.resolve(&inputs) else { break };
            if let Some(found) = self.suggestion(Change::Policy(policy.clone()), &tried) {
                let is_success = found.outcome.is_success();
                // The first partial result has the fewest changes.
                if is_success || best.is_none() {
                    best = Some(found);
                }
                if is_success {
                    break;
                }
            }
            last = Some(tried);
        }
        best
    }

    /// A probe that passes, in strict and if no probe applies: it lets a provider pass that is excluded as inflated.
    fn probe(&mut self, inputs: &Inputs) -> Option<Suggestion> {
        let is_useful = self.corpus.mode() == Mode::Strict && inputs.probes.by_capability.is_empty();
        let left = self.left.checked_sub(1)?;
        let capability = inputs.required.first().or_else(|| {
            let contract = inputs.consumer.as_ref().and_then(|consumer| consumer.contract.as_ref());
            contract.and_then(|contract| contract.requires.first())
        });
        let capability = capability.filter(|_| is_useful)?;
        self.left = left;
        let probe = Probe { command: Vec::new(), timeout_ms: 1 };
        let probes = Probes { by_capability: [(capability.clone(), probe)].into() };
        let tried = resolve(self.corpus, &Inputs { probes: &probes, ..inputs.clone() }, Some(&mut Passing)).ok()?;
        self.suggestion(Change::Probe(capability.clone()), &tried)
    }

    /// Emulation of the missing capabilities, if nothing else ends the run with success. The outcome is known without a
    /// resolution.
    fn emulation(&self, inputs: &Inputs, resolution: &Resolution) -> Option<Suggestion> {
        let is_denied = self.corpus.mode() == Mode::Strict && !resolution.conflicts.capabilities.is_empty();
        let is_set = inputs.overrides.on_missing_required == Some(OnMissingRequired::AutoEmulate);
        (!is_denied && !is_set).then(|| Suggestion {
            change: Change::Policy(vec![("on-missing-required", OnMissingRequired::AutoEmulate.name().to_owned())]),
            selected: resolution.selection.providers().map(|one| one.scored.id.to_string()).collect(),
            missing: resolution.unresolved.clone(),
            outcome: Outcome::Emulated,
        })
    }
}

/// Answers for a probe that a user would write.
struct Passing;

impl ProbeRunner for Passing {
    fn passes(&mut self, _: &Probe, _: &Skill) -> bool {
        true
    }
}

/// The inputs with keys of the policy, whose values are valid.
fn with<'i>(inputs: &Inputs<'i>, policy: &[(&'static str, String)]) -> Inputs<'i> {
    let mut inputs = inputs.clone();
    for (key, value) in policy {
        let _ = inputs.overrides.set(key, value);
    }
    inputs
}

/// Keys of the policy because of which a resolution selects nothing, or something is missing; `None` if the policy is
/// not the reason.
fn repair(resolution: &Resolution) -> Option<Vec<(&'static str, String)>> {
    let selection = &resolution.selection;
    let is_below = resolution.graph.nodes.iter().any(|node| !node.unresolved.is_empty());
    if !selection.selected.is_empty() && selection.uncovered.is_empty() {
        let depth = resolution.effective.max_dependency_depth;
        let is_conflict = !resolution.conflicts.capabilities.is_empty();
        return match depth {
            2.. if is_below || is_conflict => Some(vec![("max-dependency-depth", "1".to_owned())]),
            1 if is_conflict => Some(vec![("max-dependency-depth", "0".to_owned())]),
            _ => None,
        };
    }
    let uncovered: BTreeSet<usize> = selection.uncovered.iter().copied().collect();
    let adds = |one: &&Ranked| one.scored.covered.iter().any(|capability| uncovered.contains(capability));
    let rejected = selection.ranked.iter().filter(adds).filter(|one| !one.reasons.is_empty());
    // The one with the fewest keys, and of several the best one.
    let options = rejected.filter_map(|one| options(resolution, one)).min_by_key(Vec::len);
    let is_cover = resolution.effective.selection_mode == SelectionMode::Cover;
    options.or_else(|| {
        let is_full = is_cover && selection.selected.len() >= resolution.effective.max_providers as usize;
        is_full.then(|| vec![("max-providers", resolution.required.len().to_string())])
    })
}

/// The keys of the policy with which a candidate passes every gate; `None` if the policy is not enough.
fn options(resolution: &Resolution, one: &Ranked) -> Option<Vec<(&'static str, String)>> {
    let required = resolution.required.len() as i128;
    let option = |reason: &Reason| {
        let value = match reason {
            Reason::MinTotalScore => threshold(one.scored.scores.last),
            Reason::MinContractScore => threshold(one.scored.scores.contract),
            Reason::MinRequiredCoverage => {
                threshold(Score::ratio(covered_with(resolution, one).len() as i128, required))
            }
            Reason::MaxCandidates => one.rank?.to_string(),
            _ => return None,
        };
        Some((reason.name(), value))
    };
    one.reasons.iter().map(option).collect()
}

/// The capabilities that a candidate covers; in `cover`, together with the others that were rejected because the set
/// covers too few.
fn covered_with(resolution: &Resolution, one: &Ranked) -> BTreeSet<usize> {
    let own = one.scored.covered.iter().copied();
    if resolution.effective.selection_mode == SelectionMode::Single {
        return own.collect();
    }
    let others = resolution.selection.ranked.iter().filter(|one| one.reasons == [Reason::MinRequiredCoverage]);
    own.chain(others.flat_map(|one| one.scored.covered.iter().copied())).collect()
}

/// A threshold that a score reaches: the score with 6 decimals, rounded down, without an exponent.
fn threshold(score: Score) -> String {
    let millionths = score.units() / 1000;
    let (integer, decimals) = (millionths / 1_000_000, format!("{:06}", millionths % 1_000_000));
    match decimals.trim_end_matches('0') {
        "" => integer.to_string(),
        decimals => format!("{integer}.{decimals}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_rounded_down_and_have_no_exponent() {
        let text = |numerator, denominator| threshold(Score::ratio(numerator, denominator));
        assert_eq!(text(2, 3), "0.666666");
        assert_eq!(text(1, 4), "0.25");
        assert_eq!(text(3, 1_000_000), "0.000003");
        assert_eq!(text(0, 1), "0");
        assert_eq!(text(1, 1), "1");
    }
}
