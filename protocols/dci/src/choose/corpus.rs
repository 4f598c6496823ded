//! The candidates of a run, prepared for any number of questions.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::text::{Document, Shape, Terms};
use super::verified::Verified;
use crate::inputs::{Declared, Mode, Skill, SkillContract, contract};

/// The declaration of a skill about its capabilities, as the mode of the run reads it.
#[derive(Debug)]
pub enum Declaration {
    /// There is no contract, or best-effort ignores an unreadable one (decision 5).
    Prose,
    /// The contract is unreadable, in strict.
    Unreadable,
    /// The contract.
    Contract(Box<SkillContract>),
}

/// A skill that can be chosen.
#[derive(Debug)]
pub struct Candidate {
    /// Its canonical id, `skill-name::skill-path`.
    pub id: Arc<str>,
    /// The skill.
    pub skill: Skill,
    /// Its contract.
    pub declaration: Declaration,
    /// The description with the name, as terms.
    pub(crate) document: Document,
    /// The distinct terms of name and path, sorted.
    pub(crate) name_path: Vec<u32>,
}

impl Candidate {
    /// The contract, if it has a readable one.
    pub fn contract(&self) -> Option<&SkillContract> {
        match &self.declaration {
            Declaration::Contract(contract) => Some(contract),
            Declaration::Prose | Declaration::Unreadable => None,
        }
    }

    /// The distinct valid tokens of `P(...)`.
    pub fn provides(&self) -> &[String] {
        self.contract().map_or(&[], |contract| &contract.provides)
    }

    /// The distinct valid tokens of `R(...)`.
    pub fn requires(&self) -> &[String] {
        self.contract().map_or(&[], |contract| &contract.requires)
    }

    /// The distinct valid tokens of `D(...)`.
    pub fn denies(&self) -> &[String] {
        self.contract().map_or(&[], |contract| &contract.denies)
    }

    /// Whether provisional matches with the description are possible.
    pub(crate) fn is_prose(&self) -> bool {
        matches!(self.declaration, Declaration::Prose)
    }
}

/// A capability that candidates provide.
pub(crate) struct Provided {
    pub(crate) token: String,
    pub(crate) shape: Shape,
    /// The indexes of its providers, in order.
    pub(crate) providers: Vec<usize>,
}

/// Skills in the order of their discovery, with indexes over their terms and capabilities. Preparing it is linear in
/// the texts of the skills.
pub struct Corpus {
    mode: Mode,
    pub(crate) terms: Terms,
    candidates: Vec<Candidate>,
    /// The candidates by their ids.
    by_id: HashMap<Arc<str>, usize>,
    /// The documents that contain each term, with the number of occurrences.
    postings: Vec<Vec<(usize, u32)>>,
    /// The distinct tokens of all `P(...)`, in the order in which they were first seen.
    pub(crate) provided: Vec<Provided>,
    pub(crate) provided_numbers: HashMap<String, usize>,
    /// The sum of the lengths of all documents.
    total_length: u64,
    /// The verified capabilities of each candidate, if others are not accepted.
    verified: Option<Vec<Verified>>,
}

impl Corpus {
    /// Prepares skills for runs in a mode. The ids of the skills are distinct.
    pub fn new(skills: Vec<Skill>, mode: Mode) -> Self {
        let mut corpus = Self {
            mode,
            terms: Terms::default(),
            candidates: Vec::with_capacity(skills.len()),
            by_id: HashMap::with_capacity(skills.len()),
            postings: Vec::new(),
            provided: Vec::new(),
            provided_numbers: HashMap::new(),
            total_length: 0,
            verified: None,
        };
        for skill in skills {
            corpus.add(skill);
        }
        corpus
    }

    /// This corpus for runs that select only candidates whose manifests name every capability that matches; others are
    /// rejected as `not-verified`. `names` returns the names in the manifest of a skill.
    #[must_use]
    pub fn only_verified(mut self, mut names: impl FnMut(&Skill) -> Option<Arc<BTreeSet<String>>>) -> Self {
        let verified = |candidate: &Candidate| {
            let names = names(&candidate.skill);
            names.map(|names| Verified::new(candidate, &names, self.mode)).unwrap_or_default()
        };
        self.verified = Some(self.candidates.iter().map(verified).collect());
        self
    }

    /// The verified capabilities of each candidate, if others are not accepted.
    pub(crate) fn verified(&self) -> Option<&[Verified]> {
        self.verified.as_deref()
    }

    /// The mode in which the contracts were read.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The candidate with an id, as results have it.
    pub fn candidate(&self, id: &str) -> Option<&Candidate> {
        self.candidates.get(*self.by_id.get(id)?)
    }

    /// The candidates, in the order of their discovery.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    pub(crate) fn total_length(&self) -> u64 {
        self.total_length
    }

    /// The documents that contain a term, with the number of occurrences, in order.
    pub(crate) fn postings(&self, term: u32) -> &[(usize, u32)] {
        self.postings.get(term as usize).map_or(&[], Vec::as_slice)
    }

    fn add(&mut self, skill: Skill) {
        let index = self.candidates.len();
        let document = Document::new(self.terms.of(&format!("{} {}", skill.name, skill.description)));
        let mut name_path = self.terms.of(&format!("{} {}", skill.name, skill.path));
        name_path.sort_unstable();
        name_path.dedup();
        self.postings.resize_with(self.terms.len() as usize, Vec::new);
        for (term, occurrences) in &document.terms {
            if let Some(postings) = self.postings.get_mut(*term as usize) {
                postings.push((index, *occurrences));
            }
        }
        self.total_length += u64::from(document.length);
        let declaration = declaration(&skill, self.mode);
        let candidate = Candidate { id: skill.id().into(), skill, declaration, document, name_path };
        for token in candidate.provides() {
            let number = *self.provided_numbers.entry(token.clone()).or_insert_with(|| {
                let provided = Provided { token: token.clone(), shape: Shape::new(token), providers: Vec::new() };
                self.provided.push(provided);
                self.provided.len() - 1
            });
            if let Some(provided) = self.provided.get_mut(number) {
                provided.providers.push(index);
            }
        }
        self.by_id.insert(Arc::clone(&candidate.id), index);
        self.candidates.push(candidate);
    }
}

fn declaration(skill: &Skill, mode: Mode) -> Declaration {
    let read = match &skill.contract {
        Declared::Absent => return Declaration::Prose,
        Declared::Text(text) => contract::read(text, mode).contract,
        Declared::NotText => None,
    };
    match (read, mode) {
        (Some(contract), _) => Declaration::Contract(Box::new(contract)),
        (None, Mode::Strict) => Declaration::Unreadable,
        (None, Mode::BestEffort) => Declaration::Prose,
    }
}
