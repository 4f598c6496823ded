//! Search: candidates by the relevance of their texts alone. Nothing is selected (decision 13).

use std::sync::Arc;

use super::corpus::Corpus;
use super::query::relevance;
use super::scoring::skill;
use crate::Score;

/// A candidate that a search found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The id of the candidate, for [`Corpus::candidate`].
    pub id: Arc<str>,
    /// `S_skill`, by which the candidates are ranked.
    pub skill: Score,
    /// `S_desc`.
    pub description: Score,
    /// `S_namepath`.
    pub name_path: Score,
}

/// The candidates that have a word of a text in their names, paths or descriptions, in descending order of `S_skill`,
/// then in the order of their ids.
pub fn search(corpus: &Corpus, text: &str) -> Vec<Found> {
    let (descriptions, query) = relevance(corpus, text, None);
    let candidates = corpus.candidates();
    let scored = candidates.iter().zip(descriptions).map(|(candidate, description)| {
        let name_path = query.overlap(&candidate.name_path);
        Found { id: Arc::clone(&candidate.id), skill: skill(description, name_path), description, name_path }
    });
    let mut found: Vec<Found> = scored.filter(|one| one.skill > Score::ZERO).collect();
    found.sort_by(|one, other| other.skill.cmp(&one.skill).then_with(|| one.id.cmp(&other.id)));
    found
}
