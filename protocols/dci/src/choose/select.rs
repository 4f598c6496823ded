//! Selection: gates, ranks, probes, and the candidates that are chosen (section "Normative Selection Algorithm").

use std::collections::BTreeSet;

use super::budget::Exceeded;
use super::rank::{Key, TieBreak, sorted, tie_breaks};
use super::rejection::{Limits, Reason, exclusions, gates, is_below, is_verified};
use super::scoring::{Question, Run, Scored};
use crate::Score;
use crate::inputs::{Mode, SelectionMode};

/// A candidate with its scores and its place.
#[derive(Clone, Debug)]
pub struct Ranked {
    /// Its scores.
    pub scored: Scored,
    /// Its rank from 1, if it passed the gates before `max-candidates` and is not excluded (decision 39).
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
    pub(crate) selected: Vec<usize>,
    /// The indexes of the required capabilities that the selected ones do not cover.
    pub(crate) uncovered: Vec<usize>,
}

impl Selection {
    /// The selected candidates, in the order in which they were chosen.
    pub fn providers(&self) -> impl Iterator<Item = &Ranked> {
        self.selected.iter().filter_map(|place| self.ranked.get(*place))
    }

    /// Whether a candidate is selected.
    pub fn is_selected(&self, id: &str) -> bool {
        self.providers().any(|one| &*one.scored.id == id)
    }
}

/// Runs the probes that apply to a candidate by its index in the corpus; all must pass.
pub(crate) type Probing<'p> = &'p mut dyn FnMut(usize) -> bool;

/// Answers a question. The answer to a nested question lists only candidates that passed the gates before
/// `max-candidates`. Probes are run only for a run's own question, and only if they are allowed and apply (decision
/// 36).
pub(crate) fn select(run: &mut Run, question: &Question, probing: Option<Probing>) -> Result<Selection, Exceeded> {
    let scored = run.score(question)?;
    let (mode, required) = (run.mode(), question.required.len());
    let gated = scored.into_iter().filter_map(|one| gated(one, question.required, run));
    let ranked = gated.filter(|one| question.without.is_none() || one.reasons.is_empty()).collect();
    let mut ranked: Vec<Ranked> = sorted(ranked, |one| &one.key);
    match (mode, probing) {
        (Mode::Strict, probing) => rank_strict(&mut ranked, probing),
        (Mode::BestEffort, probing) => {
            ranked.iter_mut().filter(|one| one.reasons.is_empty()).zip(1..).for_each(|(one, rank)| one.place(rank));
            if let Some(probing) = probing {
                probe_best(&mut ranked, probing);
            }
        }
    }
    let selected = if required == 0 {
        Vec::new()
    } else {
        match run.policy.selection_mode {
            SelectionMode::Single => passing(&ranked).take(1).collect(),
            SelectionMode::Cover => cover(&mut ranked, required, run),
        }
    };
    set_tie_breaks(&mut ranked);
    let uncovered = uncovered(&ranked, &selected, required);
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
        // A probe that passes at its place may keep it (decision 36).
        reasons.clear();
    }
    if !is_verified(&scored, required, run) {
        reasons.push(Reason::NotVerified);
    }
    let key = Key::new(&scored, &candidate.id);
    let Limits { max_candidates, is_tightened, .. } = limits;
    Some(Ranked { scored, rank: None, reasons, tie_break: None, is_tightened, key, max_candidates })
}

impl Ranked {
    /// Gives a rank to a candidate that passed every other gate. Beyond the policy's limit, or its own, it is rejected.
    fn place(&mut self, rank: u32) {
        self.rank = Some(rank);
        if rank > self.max_candidates {
            self.reasons.push(Reason::MaxCandidates);
        }
    }
}

/// Gives ranks in strict. If probes apply, the candidates are probed in their order until one passes, inflated ones at
/// the places that they would have. An excluded candidate holds no place: the next one gets it (decision 39).
fn rank_strict(ranked: &mut [Ranked], mut probing: Option<Probing>) {
    let mut rank = 1;
    for one in ranked.iter_mut().filter(|one| one.reasons.is_empty()) {
        if rank <= one.max_candidates
            && let Some(passes) = probing.as_mut()
        {
            if passes(one.scored.candidate) {
                one.scored.is_inflated = false;
                probing = None;
            } else {
                one.reasons.extend(one.scored.is_inflated.then_some(Reason::ContractInflated));
                one.reasons.push(Reason::ProbeFailed);
                continue;
            }
        } else if one.scored.is_inflated {
            one.reasons.push(Reason::ContractInflated);
            continue;
        }
        // The branch above has excluded every other inflated candidate.
        one.place(rank);
        rank += 1;
    }
}

fn passing(ranked: &[Ranked]) -> impl Iterator<Item = usize> {
    ranked.iter().enumerate().filter(|(_, one)| one.reasons.is_empty()).map(|(place, _)| place)
}

/// Probes the best-ranked candidate in best-effort, if it is inflated.
fn probe_best(ranked: &mut [Ranked], probing: Probing) {
    let best = ranked.iter_mut().find(|one| one.reasons.is_empty());
    if let Some(one) = best.filter(|one| one.scored.is_inflated)
        && probing(one.scored.candidate)
    {
        one.scored.is_inflated = false;
        one.scored.penalties.inflation = Score::ZERO;
        one.scored.penalize();
        one.key.rescore(&one.scored);
    }
}

/// Greedy set cover: the candidate that covers most of the rest, with ties broken by rank.
fn cover(ranked: &mut [Ranked], required: usize, run: &Run) -> Vec<usize> {
    let mut rest: BTreeSet<usize> = (0..required).collect();
    let mut selected = Vec::new();
    while !rest.is_empty() && selected.len() < run.policy.max_providers as usize {
        let adds = |place: usize| {
            let scored = ranked.get(place).map(|one| &one.scored);
            scored.map_or(0, |scored| scored.covered.iter().filter(|capability| rest.contains(capability)).count())
        };
        // The first of several with the same number has the best rank.
        let best = passing(ranked).map(|place| (adds(place), std::cmp::Reverse(place))).max();
        let Some((1.., std::cmp::Reverse(place))) = best else { break };
        if let Some(one) = ranked.get(place) {
            one.scored.covered.iter().for_each(|capability| {
                rest.remove(capability);
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

/// Sets the tie-breaks of the candidates that passed the gates before `max-candidates`, which drops none before they
/// are fixed (decision 22).
fn set_tie_breaks(ranked: &mut [Ranked]) {
    let keys: Vec<&Key> = ranked.iter().filter(|one| one.rank.is_some()).map(|one| &one.key).collect();
    let tie_breaks = tie_breaks(&keys);
    for (one, tie_break) in ranked.iter_mut().filter(|one| one.rank.is_some()).zip(tie_breaks) {
        one.tie_break = tie_break;
    }
}

fn uncovered(ranked: &[Ranked], selected: &[usize], required: usize) -> Vec<usize> {
    let providers = selected.iter().filter_map(|place| ranked.get(*place));
    let covered: BTreeSet<usize> = providers.flat_map(|one| one.scored.covered.iter().copied()).collect();
    (0..required).filter(|capability| !covered.contains(capability)).collect()
}
