//! Selection: gates, ranks, probes, and the candidates that are chosen (section "Normative Selection Algorithm").

use std::collections::BTreeSet;

use crate::budget::Exceeded;
use crate::gate::{Limits, Reason, exclusions, gates, is_below, is_verified};
use crate::question::{Question, Run, Scored};
use crate::rank::{Key, TieBreak, sorted, tie_breaks};
use crate::{Mode, Score, SelectionMode};

/// A candidate with its scores and its place.
#[derive(Clone, Debug)]
pub struct Ranked {
    /// Its scores.
    pub scored: Scored,
    /// Its rank from 1, if it passed the gates before `max-candidates`. In strict, an inflated candidate has a rank too.
    pub rank: Option<u32>,
    /// Why it is rejected, in order.
    pub reasons: Vec<Reason>,
    /// How it was separated from the neighbour with the same score.
    pub tie_break: Option<TieBreak>,
    pub(crate) is_tightened: bool,
    pub(crate) key: Key,
    max_candidates: u32,
}

/// The answer to a question.
#[derive(Clone, Debug)]
pub struct Selection {
    /// All candidates, the best first, whether they passed the gates or not.
    pub ranked: Vec<Ranked>,
    /// The selected ones by their place in `ranked`, in the order in which they were chosen.
    pub selected: Vec<usize>,
    /// The indexes of the required capabilities that the selected ones do not cover.
    pub uncovered: Vec<usize>,
}

impl Selection {
    /// The selected candidates, in the order in which they were chosen.
    pub fn providers(&self) -> impl Iterator<Item = &Ranked> {
        self.selected.iter().filter_map(|place| self.ranked.get(*place))
    }
}

/// Runs the probes that apply to a candidate by its index in the corpus; all must pass.
pub(crate) type Probing<'p> = &'p mut dyn FnMut(usize) -> bool;

/// Answers a question. The answer to a nested question lists only candidates that passed the gates before `max-candidates`. Probes are run only for a run's own question, and only if they are allowed and apply (decision 36).
pub(crate) fn select(run: &mut Run, question: &Question, probing: Option<Probing>) -> Result<Selection, Exceeded> {
    let scored = run.score(question)?;
    let (mode, required) = (run.mode(), question.required.len());
    let gated = scored.into_iter().filter_map(|one| gated(one, question.required, run));
    let ranked = gated.filter(|one| question.without.is_none() || one.reasons.is_empty()).collect();
    let mut ranked: Vec<Ranked> = sorted(ranked, |one| &one.key);
    limit_ranks(&mut ranked, mode);
    if let Some(probing) = probing {
        probe(&mut ranked, mode, probing);
    }
    exclude_inflated(&mut ranked, mode);
    let selected = if required == 0 {
        Vec::new()
    } else {
        match run.policy.selection_mode {
            SelectionMode::Single => passing(&ranked).take(1).collect(),
            SelectionMode::Cover => cover(&mut ranked, required, run),
        }
    };
    set_tie_breaks(&mut ranked, mode);
    let uncovered = uncovered(&ranked, &selected, required, mode);
    Ok(Selection { ranked, selected, uncovered })
}

/// A candidate with the reasons that need no ranks.
fn gated(scored: Scored, required: &[String], run: &Run) -> Option<Ranked> {
    let candidate = run.candidate(scored.candidate)?;
    let limits = Limits::new(candidate, run.policy, run.set);
    let mut reasons = exclusions(&scored, run.mode());
    if reasons.is_empty() {
        reasons = gates(&scored, required.len(), &limits, run);
    } else if reasons == [Reason::ContractInflated] && gates(&scored, required.len(), &limits, run).is_empty() {
        // It is ranked before it is excluded (decision 36).
        reasons.clear();
    }
    if !is_verified(&scored, required, run) {
        reasons.push(Reason::NotVerified);
    }
    let key = Key::new(&scored, &candidate.id, run.mode());
    let Limits { max_candidates, is_tightened, .. } = limits;
    Some(Ranked { scored, rank: None, reasons, tie_break: None, is_tightened, key, max_candidates })
}

/// Gives ranks to the candidates that passed every other gate. Each one beyond the policy's limit, or its own, is rejected; none moves up.
fn limit_ranks(ranked: &mut [Ranked], mode: Mode) {
    for (one, rank) in ranked.iter_mut().filter(|one| one.reasons.is_empty()).zip(1..) {
        one.rank = Some(rank);
        if rank > one.max_candidates {
            // No gate is applied to a candidate that is excluded because of its contract.
            let is_excluded = mode == Mode::Strict && one.scored.is_inflated;
            one.reasons.push(if is_excluded { Reason::ContractInflated } else { Reason::MaxCandidates });
        }
    }
}

fn passing(ranked: &[Ranked]) -> impl Iterator<Item = usize> {
    ranked.iter().enumerate().filter(|(_, one)| one.reasons.is_empty()).map(|(place, _)| place)
}

/// Probes the best-ranked candidate: in strict, until one passes; in best-effort, only if it is inflated.
fn probe(ranked: &mut [Ranked], mode: Mode, probing: Probing) {
    for one in ranked.iter_mut().filter(|one| one.reasons.is_empty()) {
        if mode == Mode::BestEffort {
            if one.scored.is_inflated && probing(one.scored.candidate) {
                one.scored.is_inflated = false;
                one.scored.penalties.inflation = Score::ZERO;
                one.scored.penalize();
                one.key.rescore(&one.scored);
            }
            return;
        }
        if probing(one.scored.candidate) {
            one.scored.is_inflated = false;
            return;
        }
        if one.scored.is_inflated {
            one.reasons.push(Reason::ContractInflated);
        }
        one.reasons.push(Reason::ProbeFailed);
    }
}

/// In strict, excludes the inflated candidates for which no probe passed. Their ranks stay empty.
fn exclude_inflated(ranked: &mut [Ranked], mode: Mode) {
    if mode == Mode::Strict {
        for one in ranked.iter_mut().filter(|one| one.reasons.is_empty() && one.scored.is_inflated) {
            one.reasons.push(Reason::ContractInflated);
        }
    }
}

/// Greedy set cover: the candidate that covers most of the rest, with ties broken by rank.
fn cover(ranked: &mut [Ranked], required: usize, run: &Run) -> Vec<usize> {
    let mode = run.mode();
    let mut rest: BTreeSet<usize> = (0..required).collect();
    let mut selected = Vec::new();
    while !rest.is_empty() && selected.len() < run.policy.max_providers as usize {
        let adds = |place: usize| {
            let scored = ranked.get(place).map(|one| &one.scored);
            scored.map_or(0, |scored| scored.covered(mode).filter(|capability| rest.contains(capability)).count())
        };
        // The first of several with the same number has the best rank.
        let best = passing(ranked).map(|place| (adds(place), std::cmp::Reverse(place))).max();
        let Some((1.., std::cmp::Reverse(place))) = best else { break };
        if let Some(one) = ranked.get(place) {
            one.scored.covered(mode).for_each(|capability| {
                rest.remove(&capability);
            });
        }
        selected.push(place);
    }
    if is_below(required - rest.len(), required, &run.policy.min_required_coverage) {
        for place in std::mem::take(&mut selected) {
            if let Some(one) = ranked.get_mut(place) {
                one.reasons.push(Reason::MinRequiredCoverage);
            }
        }
    }
    selected
}

/// Sets the tie-breaks of the candidates that passed the gates before `max-candidates`, which drops none before they are fixed (decision 22).
fn set_tie_breaks(ranked: &mut [Ranked], mode: Mode) {
    let is_excluded = |one: &Ranked| mode == Mode::Strict && one.scored.is_inflated;
    let takes_part = |one: &Ranked| one.rank.is_some() && !is_excluded(one);
    let keys: Vec<&Key> = ranked.iter().filter(|one| takes_part(one)).map(|one| &one.key).collect();
    let tie_breaks = tie_breaks(&keys);
    for (one, tie_break) in ranked.iter_mut().filter(|one| takes_part(one)).zip(tie_breaks) {
        one.tie_break = tie_break;
    }
}

fn uncovered(ranked: &[Ranked], selected: &[usize], required: usize, mode: Mode) -> Vec<usize> {
    let providers = selected.iter().filter_map(|place| ranked.get(*place));
    let covered: BTreeSet<usize> = providers.flat_map(|one| one.scored.covered(mode)).collect();
    (0..required).filter(|capability| !covered.contains(capability)).collect()
}
