//! One resolution: the scores of all candidates for a list of capabilities (section "Scoring Components").

use std::sync::Arc;

use super::budget::{Budget, Exceeded};
use super::compatibility::{Compatibility, compatibilities};
use super::corpus::{Candidate, Corpus, Declaration};
use super::coverage::set_covered;
use super::matching::{Match, Matcher};
use super::penalty::{self, Overclaim};
use super::query::relevance;
use crate::inputs::{Aliases, Host, Mode, Overrides, Policy, Profile, Reliability, SelectionMode, SkillContract};
use crate::{Score, Warning};

/// The required capabilities, and the words of the query.
#[derive(Clone, Debug)]
pub(crate) struct Question<'q> {
    /// The required capabilities, normalised and distinct.
    pub(crate) required: &'q [String],
    /// The text of the query.
    pub(crate) text: &'q str,
    /// A candidate that does not take part: the provider whose requirements these are.
    pub(crate) without: Option<usize>,
}

/// The scores of a candidate before penalties.
#[derive(Clone, Debug)]
pub struct Scores {
    /// `S_contract`.
    pub contract: Score,
    /// `S_desc`.
    pub description: Score,
    /// `S_namepath`.
    pub name_path: Score,
    /// `S_runtime`.
    pub runtime: Score,
    /// `S_total`.
    pub total: Score,
    /// `S_total_penalized`.
    pub penalized: Score,
    /// `history_multiplier`.
    pub history: Score,
    /// `S_total_final`.
    pub last: Score,
}

/// The penalties of a candidate.
#[derive(Clone, Debug, Default)]
pub struct Penalties {
    /// `invalid_token_penalty`.
    pub invalid_token: Score,
    /// `unknown_clause_penalty`.
    pub unknown_clause: Score,
    /// `overclaim_penalty`.
    pub overclaim: Score,
    /// `inflation_penalty`.
    pub inflation: Score,
    /// `require_deny_penalty`.
    pub require_deny: Score,
}

impl Penalties {
    /// The sum, which may be above 1.
    pub fn total(&self) -> Score {
        [self.invalid_token, self.unknown_clause, self.overclaim, self.inflation, self.require_deny].into_iter().sum()
    }
}

/// A candidate with its scores for one question.
#[derive(Clone, Debug)]
pub struct Scored {
    /// The id of the candidate, for [`Corpus::candidate`].
    pub id: Arc<str>,
    pub(crate) candidate: usize,
    /// The match of each required capability that has one, by the capability's index.
    pub(crate) matches: Vec<(usize, Match)>,
    /// The indexes of the required capabilities that the candidate covers (decisions 20 and 40).
    pub(crate) covered: Vec<usize>,
    /// The scores.
    pub scores: Scores,
    /// The penalties.
    pub penalties: Penalties,
    /// Whether the contract claims far more than the description suggests (`contract-inflated`).
    pub is_inflated: bool,
    pub(crate) compatibility: Compatibility,
    pub(crate) is_unreadable: bool,
    /// The number of distinct valid tokens of `P(...)`.
    pub(crate) provides: usize,
}

impl Scored {
    /// `S_skill`, rounded half to even.
    pub fn skill(&self) -> Score {
        skill(self.scores.description, self.scores.name_path)
    }

    /// Applies the penalties and the history (section "Penalty and final score").
    pub(crate) fn penalize(&mut self) {
        self.scores.penalized = (self.scores.total - self.penalties.total()).max(Score::ZERO);
        self.scores.last = self.scores.penalized.times(self.scores.history);
    }
}

/// `S_skill`, rounded half to even.
pub(crate) fn skill(description: Score, name_path: Score) -> Score {
    Score::weighted([(700, description), (300, name_path)])
}

/// The values that are the same for all questions of a run.
pub(crate) struct Run<'r> {
    pub(crate) corpus: &'r Corpus,
    pub(crate) policy: &'r Policy,
    /// The keys that the caller or the consumer set; hints do not apply to them.
    pub(crate) set: &'r Overrides,
    profile: Profile,
    compatibilities: Vec<Compatibility>,
    histories: Vec<Score>,
    pub(crate) matcher: Matcher<'r>,
    pub(crate) budget: Budget,
    /// The candidate whose requirements are being resolved, which errors name.
    pub(crate) resolving: Option<usize>,
}

impl<'r> Run<'r> {
    pub(crate) fn new(
        corpus: &'r Corpus,
        aliases: &'r Aliases,
        (policy, set, profile): (&'r Policy, &'r Overrides, Profile),
        host: &Host,
        reliability: &Reliability,
        warnings: &mut Vec<Warning>,
    ) -> Self {
        let candidates = corpus.candidates();
        let mode = corpus.mode();
        Self {
            corpus,
            policy,
            set,
            profile,
            compatibilities: compatibilities(candidates, host, mode, warnings),
            histories: candidates.iter().map(|one| history(reliability.rate(&one.id))).collect(),
            matcher: Matcher::new(corpus, aliases),
            budget: Budget::default(),
            resolving: None,
        }
    }

    pub(crate) fn mode(&self) -> Mode {
        self.corpus.mode()
    }

    pub(crate) fn candidate(&self, index: usize) -> Option<&'r Candidate> {
        self.corpus.candidates().get(index)
    }

    /// The scores of all candidates that take part, in the order of their discovery.
    pub(crate) fn score(&mut self, question: &Question) -> Result<Vec<Scored>, Exceeded> {
        let matches = self.matches(question)?;
        let (descriptions, query) = relevance(self.corpus, question.text, question.without);
        let candidates = || {
            let all = self.corpus.candidates().iter().enumerate();
            all.filter(|(index, _)| question.without != Some(*index))
        };
        let overclaim = Overclaim::new(candidates().map(|(_, candidate)| candidate.provides().len()).collect());
        let mut scored: Vec<Scored> = candidates()
            .map(|(index, candidate)| {
                let found = matches.get(index).cloned().unwrap_or_default();
                let description = descriptions.get(index).copied().unwrap_or_default();
                let name_path = query.overlap(&candidate.name_path);
                self.scored(index, candidate, question, found, (description, name_path), &overclaim)
            })
            .collect();
        let deltas: Vec<Score> = scored.iter().map(|one| one.scores.contract - one.skill()).collect();
        for (one, is_inflated) in scored.iter_mut().zip(penalty::inflated(&deltas, self.profile)) {
            one.is_inflated = is_inflated;
            if is_inflated && self.mode() == Mode::BestEffort {
                one.penalties.inflation = penalty::INFLATION;
            }
            one.penalize();
        }
        set_covered(&mut scored, question.required.len(), self);
        Ok(scored)
    }

    fn scored(
        &self,
        index: usize,
        candidate: &Candidate,
        question: &Question,
        matches: Vec<(usize, Match)>,
        (description, name_path): (Score, Score),
        overclaim: &Overclaim,
    ) -> Scored {
        let sum: i64 = matches.iter().map(|(_, kind)| kind.thousandths()).sum();
        // The score of a member of a set covers only the capabilities that it matches (decision 20).
        let of = match self.policy.selection_mode {
            SelectionMode::Single => question.required.len(),
            SelectionMode::Cover => matches.len(),
        };
        let compatibility = self.compatibilities.get(index).copied();
        let compatibility = compatibility.unwrap_or(Compatibility { runtime: false, model: false });
        let contract = Score::ratio(i128::from(sum), 1000 * of as i128);
        let runtime = if compatibility.runtime && compatibility.model { Score::ONE } else { Score::ZERO };
        // The weights of the specification (section "Composite").
        let total = Score::weighted([(600, contract), (200, description), (100, name_path), (100, runtime)]);
        let count = |number: fn(&SkillContract) -> usize| candidate.contract().map_or(0, number);
        let penalties = Penalties {
            invalid_token: penalty::invalid_tokens(count(|contract| contract.invalid_tokens)),
            unknown_clause: penalty::unknown_clauses(count(|contract| contract.unknown_clauses)),
            overclaim: overclaim.penalty(candidate.provides().len()),
            ..Penalties::default()
        };
        let history = self.histories.get(index).copied().unwrap_or(Score::ONE);
        let (penalized, last) = (Score::ZERO, Score::ZERO);
        Scored {
            id: Arc::clone(&candidate.id),
            candidate: index,
            matches,
            covered: Vec::new(),
            scores: Scores { contract, description, name_path, runtime, total, penalized, history, last },
            penalties,
            is_inflated: false,
            compatibility,
            is_unreadable: matches!(candidate.declaration, Declaration::Unreadable),
            provides: candidate.provides().len(),
        }
    }

    /// The matches of each candidate, by its index.
    fn matches(&mut self, question: &Question) -> Result<Vec<Vec<(usize, Match)>>, Exceeded> {
        let mut by_candidate = vec![Vec::new(); self.corpus.candidates().len()];
        for (capability, text) in question.required.iter().enumerate() {
            let matches = self.matcher.of(text, &mut self.budget)?;
            self.budget.spend(matches.len())?;
            for (candidate, kind) in matches.iter() {
                if let Some(found) = by_candidate.get_mut(*candidate) {
                    found.push((capability, *kind));
                }
            }
        }
        Ok(by_candidate)
    }
}

/// `clamp(0.70, 1.00, 0.70 + 0.30 * rate)` (section "Manipulation Resistance").
fn history(rate: Score) -> Score {
    (Score::thousandths(700) + Score::thousandths(300).times(rate)).min(Score::ONE)
}
