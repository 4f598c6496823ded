//! Ranks and tie-breaks (section "Deterministic Tie-Breakers").

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::sync::Arc;

use capgen_schema::Hash;

use super::matching::Match;
use super::scoring::Scored;
use crate::Score;

/// The values by which candidates are compared, better ones first.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    last: Score,
    contract: Score,
    /// The numbers of exact, alias and fuzzy matches.
    quality: [usize; 3],
    covered: usize,
    provides: usize,
    skill: Score,
    id: Arc<str>,
    /// The hash of the lower-case id, once it is needed: few candidates are equal in everything else.
    hash: OnceCell<Hash>,
}

/// The step that compares hashes of ids. Only then does the report contain hashes (decision 22).
const HASH_STEP: u32 = 6;

impl Key {
    pub(crate) fn new(scored: &Scored, id: &Arc<str>) -> Self {
        let number = |kinds: &[Match]| scored.matches.iter().filter(|(_, kind)| kinds.contains(kind)).count();
        Self {
            last: scored.scores.last,
            contract: scored.scores.contract,
            quality: [
                number(&[Match::Exact]),
                number(&[Match::Alias]),
                number(&[Match::Near, Match::Fuzzy, Match::Provisional]),
            ],
            covered: scored.covered.len(),
            provides: scored.provides,
            skill: scored.skill(),
            id: Arc::clone(id),
            hash: OnceCell::new(),
        }
    }

    /// Takes the final score again, after a penalty was removed.
    pub(crate) fn rescore(&mut self, scored: &Scored) {
        self.last = scored.scores.last;
    }

    /// Digests are ordered as their hexadecimal texts are.
    fn hash(&self) -> &Hash {
        self.hash.get_or_init(|| Hash::of(self.id.to_lowercase()))
    }

    /// The order of two candidates, and the number of the tie-break that decided; 0 if the scores differ.
    pub(crate) fn compare(&self, other: &Self) -> (Ordering, u32) {
        // `covered / max(1, provides)`, compared exactly.
        let specificity = |key: &Self, by: &Self| key.covered as u128 * by.provides.max(1) as u128;
        let steps = [
            other.last.cmp(&self.last),
            other.contract.cmp(&self.contract),
            other.quality.cmp(&self.quality),
            // The more capabilities match, the fewer are unresolved.
            other.quality.iter().sum::<usize>().cmp(&self.quality.iter().sum()),
            specificity(other, self).cmp(&specificity(self, other)),
            other.skill.cmp(&self.skill),
        ];
        let decided = (0..).zip(steps).find(|(_, order)| order.is_ne());
        decided.map_or_else(
            || ((self.hash(), &self.id).cmp(&(other.hash(), &other.id)), HASH_STEP),
            |(step, order)| (order, step),
        )
    }

    /// Whether the scores before tie-breaks are equal.
    fn is_tied(&self, other: &Self) -> bool {
        self.last == other.last
    }
}

/// How a tie was decided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TieBreak {
    /// The number of the step, from 1 to 6.
    pub step: u32,
    /// The text that is hashed and its SHA-256 in hexadecimal, if step 6 decided.
    pub hash: Option<(String, String)>,
}

/// The tie-break of each of some ranked candidates, the best first (decision 22).
pub(crate) fn tie_breaks(ranked: &[&Key]) -> Vec<Option<TieBreak>> {
    let at = |index: Option<usize>| index.and_then(|index| ranked.get(index));
    let tie_break = |(index, key): (usize, &&Key)| {
        let neighbours = [at(index.checked_sub(1)), at(Some(index + 1))];
        let neighbour = neighbours.into_iter().flatten().find(|other| key.is_tied(other))?;
        let step = key.compare(neighbour).1;
        let hash = (step == HASH_STEP).then(|| (key.id.to_lowercase(), key.hash().to_string()));
        Some(TieBreak { step, hash })
    };
    ranked.iter().enumerate().map(tie_break).collect()
}

/// A list in the order of [`Key::compare`]. Numbers are sorted instead of the items, which are large.
pub(crate) fn sorted<T>(list: Vec<T>, key: impl Fn(&T) -> &Key) -> Vec<T> {
    let mut slots: Vec<Option<T>> = list.into_iter().map(Some).collect();
    let mut order: Vec<usize> = (0..slots.len()).collect();
    let key = |slot: usize| slots.get(slot).and_then(Option::as_ref).map(&key);
    order.sort_by(|one, other| match (key(*one), key(*other)) {
        (Some(one), Some(other)) => one.compare(other).0,
        _ => Ordering::Equal,
    });
    order.into_iter().filter_map(|slot| slots.get_mut(slot).and_then(Option::take)).collect()
}
