//! Capabilities that the manifest of a skill names. This extends the specification, and is off by default.

use std::collections::BTreeSet;

use super::corpus::{Candidate, Corpus};
use super::matching::Match;
use super::text::{Shape, is_similar};
use crate::inputs::{Aliases, Mode};

/// The capabilities of `P(...)` that the manifest of a skill names, too.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verified(BTreeSet<String>);

impl Verified {
    /// The provided capabilities of a candidate that are among the names of a manifest, as the mode compares them.
    pub fn new(candidate: &Candidate, names: &BTreeSet<String>, mode: Mode) -> Self {
        let names: BTreeSet<String> = names.iter().map(|name| mode.normalised(name)).collect();
        Self(candidate.provides().iter().filter(|token| names.contains(*token)).cloned().collect())
    }

    /// Whether a match with a capability is one with a verified capability. Matches with descriptions are never
    /// verified.
    pub fn contains(&self, capability: &str, kind: Match, corpus: &Corpus, aliases: &Aliases) -> bool {
        let matches = |token: &String| match kind {
            Match::Exact => token == capability,
            Match::Alias => aliases.canonical(token) == aliases.canonical(capability),
            Match::Near => {
                is_similar(&Shape::new(token), &Shape::new(capability)) && corpus.corresponds(token, capability)
            }
            Match::Fuzzy => is_similar(&Shape::new(token), &Shape::new(capability)),
            Match::Provisional => false,
        };
        self.0.iter().any(matches)
    }

    pub(crate) fn tokens(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}
