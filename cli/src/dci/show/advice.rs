//! What to change to get another result: a key of the policy, the host, an alias or a contract.

use std::collections::BTreeSet;

use capgen_dci::{Match, Mode, Ranked, Reason, Score, SelectionMode};
use capgen_diagnostic::nearest;

use super::View;
use crate::dci::page::{Page, id};

/// The maximum number of capabilities with advice.
const MOST: usize = 10;
/// Longer names of models are not suggested.
const LONGEST_MODEL: usize = 128;

pub(super) fn write(view: &View, page: &mut Page) {
    let mut advice = policy(view);
    let missing = view.resolution.selection.uncovered.iter().filter_map(|index| view.resolution.required.get(*index));
    advice.extend(missing.take(MOST).filter_map(|capability| provide(view, capability)));
    if advice.is_empty() {
        return;
    }
    page.section("to change the result");
    advice.iter().for_each(|advice| page.line(&format!("  {advice}")));
}

/// Options that let a rejected candidate pass, and the one that selects several candidates.
fn policy(view: &View) -> Vec<String> {
    let selection = &view.resolution.selection;
    if selection.uncovered.is_empty() {
        return Vec::new();
    }
    let mut advice = Vec::new();
    if selection.selected.is_empty() {
        // The one with the fewest options, and of several the best one.
        let rejected = selection.ranked.iter().filter_map(|one| Some((options(view, one)?, one)));
        if let Some((options, one)) = rejected.min_by_key(|(options, _)| options.len()) {
            advice.push(format!("{} lets {} pass", options.join(" "), view.id(one)));
        }
    }
    if view.resolution.effective.selection_mode == SelectionMode::Single && several_cover_more(view) {
        advice.push("--policy selection-mode=cover selects several candidates that cover more together".to_owned());
    }
    advice
}

/// Whether the candidates that pass every gate, except the one that does not apply to the members of a set, cover more capabilities together
/// than each of them.
fn several_cover_more(view: &View) -> bool {
    let ranked = view.resolution.selection.ranked.iter();
    let members = ranked.filter(|one| one.reasons.iter().all(|reason| *reason == Reason::MinRequiredCoverage));
    let covered: Vec<BTreeSet<usize>> =
        members.map(|one| one.scored.covered(view.corpus.mode()).collect::<BTreeSet<_>>()).collect();
    let all: BTreeSet<&usize> = covered.iter().flatten().collect();
    covered.iter().all(|own| own.len() < all.len()) && !all.is_empty()
}

/// The options with which a candidate passes every gate; `None` if options are not enough, or it would cover nothing.
fn options(view: &View, one: &Ranked) -> Option<Vec<String>> {
    let covered = one.scored.covered(view.corpus.mode()).count();
    if one.reasons.is_empty() || covered == 0 {
        return None;
    }
    let (candidate, scores) = (view.candidate(one)?, &one.scored.scores);
    let contract = candidate.contract();
    // A model that a pattern accepts, if a shell needs no quotes for it and takes it for a value.
    let accepted = |pattern: &String| {
        let model = pattern.trim_end_matches('*').to_owned();
        (!model.is_empty() && !model.starts_with('-') && model.len() <= LONGEST_MODEL).then_some(model)
    };
    let option = |reason: &Reason| match reason {
        Reason::MinTotalScore => Some(threshold(*reason, scores.last)),
        Reason::MinContractScore => Some(threshold(*reason, scores.contract)),
        Reason::MinRequiredCoverage if view.resolution.effective.selection_mode == SelectionMode::Single => {
            let ratio = Score::ratio(covered as i128, view.resolution.required.len() as i128);
            Some(threshold(*reason, ratio))
        }
        Reason::MaxCandidates => one.rank.map(|rank| format!("--policy {}={rank}", reason.name())),
        Reason::RuntimeIncompatible => {
            contract.and_then(|contract| contract.runtime.first()).map(|runtime| format!("--host-runtime {runtime}"))
        }
        Reason::ModelIncompatible => {
            let model = contract.and_then(|contract| contract.model.iter().find_map(accepted));
            model.map(|model| format!("--host-model {model}"))
        }
        _ => None,
    };
    one.reasons.iter().map(option).collect()
}

/// A threshold that a score reaches: the score with 6 decimals, rounded down.
fn threshold(reason: Reason, score: Score) -> String {
    let rounded = Score::ratio(i128::from(score.units() / 1000), 1_000_000);
    format!("--policy {}={}", reason.name(), decimal(rounded))
}

/// A number between 0 and 1 without an exponent.
fn decimal(score: Score) -> String {
    let decimals = format!("{:06}", score.units() % Score::ONE.units() / 1000);
    let integer = score.units() / Score::ONE.units();
    match decimals.trim_end_matches('0') {
        "" => integer.to_string(),
        decimals => format!("{integer}.{decimals}"),
    }
}

/// The alias to declare, or the contract to write, so that a candidate provides a capability.
fn provide(view: &View, capability: &str) -> Option<String> {
    let ranked = || view.resolution.selection.ranked.iter();
    let kind = |one: &Ranked| view.kind(one, capability);
    let best = ranked().filter_map(|one| Some((kind(one)?, one))).min_by_key(|(kind, _)| *kind);
    let Some((best, one)) = best else { return Some(unmatched(view, capability)) };
    let candidate = view.candidate(one)?;
    match best {
        Match::Exact | Match::Alias => None,
        Match::Fuzzy => {
            let similar = candidate.similar(capability)?;
            let name = id(&candidate.id);
            let option = if view.corpus.mode() == Mode::Strict { ", and pass --workspace-aliases" } else { "" };
            Some(format!(
                "if `{similar}` of {name} is the same as `{capability}`, declare an alias in .dci/aliases.v1.json{option}"
            ))
        }
        Match::Provisional => {
            Some(format!("if {} provides `{capability}`, add `P({capability})` to its contract", id(&candidate.id)))
        }
    }
}

/// Advice for a capability that no candidate matches.
fn unmatched(view: &View, capability: &str) -> String {
    let provided = view.corpus.candidates().iter().flat_map(|candidate| candidate.provides());
    match nearest(capability, provided.map(String::as_str)) {
        Some(near) => format!("`{capability}` may be a mistake for `{near}`, which a candidate provides"),
        None => format!("install a skill whose contract has `P({capability})`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_rounded_down_and_have_no_exponent() {
        let option = |numerator, denominator| threshold(Reason::MinTotalScore, Score::ratio(numerator, denominator));
        assert_eq!(option(2, 3), "--policy min-total-score=0.666666");
        assert_eq!(option(1, 4), "--policy min-total-score=0.25");
        assert_eq!(option(3, 1_000_000), "--policy min-total-score=0.000003");
        assert_eq!(option(0, 1), "--policy min-total-score=0");
        assert_eq!(option(1, 1), "--policy min-total-score=1");
    }
}
