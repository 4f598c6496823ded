//! Which required capabilities each candidate covers (decisions 20 and 40).

use crate::Mode;
use crate::gate::Limits;
use crate::matching::Match;
use crate::question::{Run, Scored};

/// Sets [`Scored::covered`] of all candidates of one resolution.
///
/// The same capability, or an alias of it, always covers. A near name covers only in best-effort, and never beside a candidate that has the
/// capability itself and passes the gates of scores: a provider that is a little worse is still the right one.
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
    /// The index of the selected candidate in its corpus.
    pub candidate: usize,
    /// The required capability.
    pub capability: String,
    /// [`Match::Near`] or [`Match::Provisional`].
    pub kind: Match,
    /// The candidate that requires it, by its index; `None` for the requirements of the run.
    pub required_by: Option<usize>,
}

impl Scored {
    /// The required capabilities that this candidate covers by a near name only.
    pub(crate) fn near_names(&self, required: &[String], required_by: Option<usize>) -> Vec<NearName> {
        let near =
            self.matches.iter().filter(|(index, kind)| kind.is_near() && self.covered.binary_search(index).is_ok());
        let name = |(index, kind): &(usize, Match)| {
            let capability = required.get(*index)?.clone();
            Some(NearName { candidate: self.candidate, capability, kind: *kind, required_by })
        };
        near.filter_map(name).collect()
    }
}
