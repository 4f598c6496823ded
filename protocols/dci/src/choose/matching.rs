//! Which candidates match a capability (decision 14).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use super::budget::{Budget, Exceeded};
use super::corpus::{Candidate, Corpus};
use super::text::{Shape, correspond, is_similar};
use crate::Score;
use crate::inputs::Aliases;

/// How a candidate matches a capability, the best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Match {
    /// A token of the contract is equal.
    Exact,
    /// A token of the contract is equal after alias resolution.
    Alias,
    /// A token of the contract is similar, and its words correspond one to one to those of the capability (decision
    /// 40).
    Near,
    /// A token of the contract is similar, but some of its words are others.
    Fuzzy,
    /// The skill has no contract, and its description contains similar words.
    Provisional,
}

impl Match {
    /// The score of one capability, in thousandths (section "Scoring Components").
    pub(crate) const fn thousandths(self) -> i64 {
        match self {
            Match::Exact => 1000,
            Match::Alias => 800,
            Match::Near | Match::Fuzzy => 330,
            Match::Provisional => 250,
        }
    }

    /// The score of one capability.
    pub const fn score(self) -> Score {
        Score::thousandths(self.thousandths())
    }

    /// Whether the match means the same capability, rather than a similar name.
    pub(crate) const fn is_same_capability(self) -> bool {
        matches!(self, Match::Exact | Match::Alias)
    }

    /// Whether the match may cover a capability in best-effort, if no better one does (decision 40).
    pub const fn is_near(self) -> bool {
        matches!(self, Match::Near | Match::Provisional)
    }

    /// `exact`, `alias`, `near name`, `fuzzy` or `description`.
    pub const fn name(self) -> &'static str {
        match self {
            Match::Exact => "exact",
            Match::Alias => "alias",
            Match::Near => "near name",
            Match::Fuzzy => "fuzzy",
            Match::Provisional => "description",
        }
    }
}

impl Corpus {
    /// The capability that the contract of a candidate provides and that is similar to another one (decision 14): the
    /// first whose words correspond, else the first.
    pub fn similar<'c>(&self, candidate: &'c Candidate, capability: &str) -> Option<&'c str> {
        let shape = Shape::new(capability);
        let similar = || candidate.provides().iter().filter(|token| is_similar(&shape, &Shape::new(token)));
        similar().find(|token| self.corresponds(token, capability)).or_else(|| similar().next()).map(String::as_str)
    }

    /// Whether the stems of two capabilities correspond one to one (decision 40).
    pub(crate) fn corresponds(&self, one: &str, other: &str) -> bool {
        correspond(&self.shapes_in(one), &self.shapes_in(other))
    }

    fn shapes_in(&self, text: &str) -> Vec<Shape> {
        self.terms.stems_in(text).iter().map(|stem| Shape::new(stem)).collect()
    }
}

/// The candidates that match one capability, by index, each with its best match.
pub(crate) type Matches = Rc<Vec<(usize, Match)>>;

/// Matches of one corpus and its aliases.
///
/// Matches are computed once for each capability. They depend only on the capability, the corpus with its mode, and the
/// aliases, all of which are the same for the whole run, so that this cache cannot change a report (section "Caching").
pub(crate) struct Matcher<'c> {
    corpus: &'c Corpus,
    pub(crate) aliases: &'c Aliases,
    /// The indexes of the candidates that provide each canonical token.
    canonical: HashMap<&'c str, Vec<usize>>,
    /// The shape of each stem of the corpus, by its number.
    shapes: Vec<Shape>,
    known: HashMap<String, Matches>,
}

impl<'c> Matcher<'c> {
    pub(crate) fn new(corpus: &'c Corpus, aliases: &'c Aliases) -> Self {
        let mut canonical: HashMap<&str, Vec<usize>> = HashMap::new();
        for provided in &corpus.provided {
            canonical.entry(aliases.canonical(&provided.token)).or_default().extend(&provided.providers);
        }
        Self { corpus, aliases, canonical, shapes: Vec::new(), known: HashMap::new() }
    }

    /// The matches of a capability that is normalised for the mode of the run.
    pub(crate) fn of(&mut self, capability: &str, budget: &mut Budget) -> Result<Matches, Exceeded> {
        if let Some(known) = self.known.get(capability) {
            return Ok(Rc::clone(known));
        }
        let mut found: BTreeMap<usize, Match> = BTreeMap::new();
        let mut add = |candidates: &[usize], kind: Match| {
            for candidate in candidates {
                found.entry(*candidate).and_modify(|known| *known = kind.min(*known)).or_insert(kind);
            }
        };
        if let Some(same) = self.canonical.get(self.aliases.canonical(capability)) {
            add(same, Match::Alias);
        }
        budget.spend(self.corpus.provided.len())?;
        let shape = Shape::new(capability);
        let stems = self.corpus.shapes_in(capability);
        for provided in &self.corpus.provided {
            if provided.token == capability {
                add(&provided.providers, Match::Exact);
            } else if is_similar(&shape, &provided.shape) {
                budget.spend(stems.len() * stems.len())?;
                let is_near = correspond(&stems, &self.corpus.shapes_in(&provided.token));
                add(&provided.providers, if is_near { Match::Near } else { Match::Fuzzy });
            }
        }
        for text in BTreeSet::from([capability, self.aliases.canonical(capability)]) {
            add(&self.described(text, budget)?, Match::Provisional);
        }
        let matches: Matches = Rc::new(found.into_iter().collect());
        self.known.insert(capability.to_owned(), Rc::clone(&matches));
        Ok(matches)
    }

    /// The candidates without a contract whose name and description contain a stem similar to each stem of a text.
    fn described(&mut self, text: &str, budget: &mut Budget) -> Result<Vec<usize>, Exceeded> {
        let mut common: Option<BTreeSet<usize>> = None;
        for stem in self.corpus.terms.stems_of(text) {
            let shape = Shape::new(&stem);
            budget.spend(self.corpus.terms.len() as usize)?;
            let mut containing = BTreeSet::new();
            for term in self.similar_terms(&shape) {
                let postings = self.corpus.postings(term).iter().map(|(candidate, _)| *candidate);
                containing.extend(postings.filter(|candidate| {
                    let candidate = self.corpus.candidates().get(*candidate);
                    candidate.is_some_and(Candidate::is_prose)
                }));
            }
            common = Some(match common {
                Some(common) => &common & &containing,
                None => containing,
            });
        }
        // A capability without stems matches nothing (decision 32).
        Ok(common.unwrap_or_default().into_iter().collect())
    }

    fn similar_terms(&mut self, shape: &Shape) -> Vec<u32> {
        let terms = &self.corpus.terms;
        if self.shapes.is_empty() {
            self.shapes = (0..terms.len()).map(|term| Shape::new(terms.stem(term))).collect();
        }
        (0..).zip(&self.shapes).filter(|(_, other)| is_similar(shape, other)).map(|(term, _)| term).collect()
    }
}
