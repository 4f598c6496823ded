//! The words of a query, and how relevant each candidate is to them (sections `S_desc` and `S_namepath`).

use std::collections::BTreeSet;

use super::corpus::Corpus;
use super::text;
use crate::Score;

/// The terms of a query.
pub(crate) struct Query {
    /// Those that the corpus contains.
    terms: BTreeSet<u32>,
    /// The number of all distinct terms.
    distinct: usize,
}

impl Query {
    /// The Jaccard index with the distinct terms of a name and path (`S_namepath`).
    pub(crate) fn overlap(&self, name_path: &[u32]) -> Score {
        let common = name_path.iter().filter(|term| self.terms.contains(term)).count();
        Score::ratio(common as i128, (self.distinct + name_path.len() - common) as i128)
    }
}

/// `S_desc` of every candidate by its index, and the terms of the query. The candidate `without` does not take part.
pub(crate) fn relevance(corpus: &Corpus, text: &str, without: Option<usize>) -> (Vec<Score>, Query) {
    let stems = corpus.terms.stems_of(text);
    let terms: Vec<u32> = stems.iter().filter_map(|stem| corpus.terms.known(stem)).collect();
    let length = |index: usize| corpus.candidates().get(index).map_or(0, |candidate| candidate.document.length);
    let postings: Vec<Vec<(usize, u32, u32)>> = terms
        .iter()
        .map(|term| {
            let others = corpus.postings(*term).iter().filter(|(index, _)| without != Some(*index));
            others.map(|(index, occurrences)| (*index, *occurrences, length(*index))).collect()
        })
        .collect();
    let total = corpus.total_length() - without.map_or(0, |index| u64::from(length(index)));
    let candidates = corpus.candidates().len();
    let count = candidates - usize::from(without.is_some());
    let scores = text::relevance((candidates, count), total, postings.iter().map(Vec::as_slice));
    (scores, Query { terms: terms.into_iter().collect(), distinct: stems.len() })
}
