//! Which required capabilities each candidate covers (decisions 20 and 40).

use std::sync::Arc;

use capgen_diagnostic::quoted;

use super::corpus::Corpus;
use super::matching::Match;
use super::rejection::Limits;
use super::scoring::{Run, Scored};
use crate::inputs::Mode;
use crate::{Warning, codes};

/// Sets [`Scored::covered`] of all candidates of one resolution.
///
/// The same capability, or an alias of it, always covers. A near name covers only in best-effort, and never beside a
/// candidate that has the capability itself and passes the gates of scores: a provider that is a little worse is still
/// the right one.
pub(crate) fn set_covered(scored: &mut [Scored], required: usize, run: &Run) {
    let mut has_provider = vec![false; required];
    for one in scored.iter().filter(|one| one.matches.iter().any(|(_, kind)| kind.is_same_capability())) {
        let limits = run.candidate(one.candidate).map(|candidate| Limits::new(candidate, run.policy, run.set));
        if limits.is_some_and(|limits| limits.admits(&one.scores)) {
            for (capability, _) in one.matches.iter().filter(|(_, kind)| kind.is_same_capability()) {
                if let Some(known) = has_provider.get_mut(*capability) {
                    *known = true;
                }
            }
        }
    }
    let covers = |&(capability, kind): &(usize, Match)| {
        let has_provider = has_provider.get(capability) == Some(&true);
        kind.is_same_capability() || (kind.is_near() && run.mode() == Mode::BestEffort && !has_provider)
    };
    for one in scored {
        let covered = one.matches.iter().filter(|one| covers(one)).map(|(capability, _)| *capability);
        one.covered = covered.collect();
    }
}

/// A required capability that a selected candidate covers only because of a similar name or its description.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NearName {
    /// The id of the selected candidate, for [`Corpus::candidate`].
    pub id: Arc<str>,
    /// The required capability.
    pub capability: String,
    /// [`Match::Near`] or [`Match::Provisional`].
    pub kind: Match,
    /// The id of the candidate that requires it; `None` for the requirements of the run.
    pub required_by: Option<Arc<str>>,
}

impl NearName {
    /// One sentence: which similar name covers the capability, or that only the name and description of the skill do.
    pub fn reason(&self, corpus: &Corpus) -> String {
        let candidate = corpus.candidate(&self.id);
        let similar = candidate.and_then(|candidate| corpus.similar(candidate, &self.capability));
        let capability = quoted(&self.capability);
        match similar.filter(|_| self.kind == Match::Near) {
            Some(similar) => format!("{capability} is covered only by the similar name {}", quoted(similar)),
            None => format!("{capability} is covered only by words of the name and description"),
        }
    }

    /// The warning about it; its subject is the selected candidate.
    pub(crate) fn warning(&self, corpus: &Corpus) -> Warning {
        let required_by = self.required_by.as_ref();
        let required_by = required_by.map(|id| format!(", which {} requires", quoted(id))).unwrap_or_default();
        let message = format!("{}{required_by}", self.reason(corpus));
        Warning { code: codes::NEAR_NAME, subject: self.id.to_string(), message }
    }
}

impl Scored {
    /// The required capabilities that this candidate covers by a near name only.
    pub(crate) fn near_names(&self, required: &[String], required_by: Option<&Arc<str>>) -> Vec<NearName> {
        let near =
            self.matches.iter().filter(|(index, kind)| kind.is_near() && self.covered.binary_search(index).is_ok());
        let name = |(index, kind): &(usize, Match)| {
            let capability = required.get(*index)?.clone();
            Some(NearName { id: Arc::clone(&self.id), capability, kind: *kind, required_by: required_by.cloned() })
        };
        near.filter_map(name).collect()
    }
}
