//! The verdicts on callers that were built with older contracts, for a table in generated code.

use std::collections::BTreeMap;

use capgen_evolve::Date;
use capgen_manifest::Side;

/// The verdicts on callers with older contracts of an agent: whether each side of a call fits. Generated servers decide
/// by them whether they serve such a caller, without a comparison of the contracts.
/// [`OlderContracts`](super::OlderContracts) makes them; [`generate`](crate::generate) has none.
///
/// ```
/// use capgen_codegen::history::{SideVerdict, Verdicts};
/// let mut verdicts = Verdicts::default();
/// verdicts.insert(0, "2a87".repeat(16), [SideVerdict::Fits, SideVerdict::MayFail(Vec::new())]);
/// assert!(!verdicts.is_empty());
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verdicts(BTreeMap<(usize, String), [SideVerdict; 2]>);

/// Whether all payloads of one side of a call are valid for their receiver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SideVerdict {
    /// All of them are.
    Fits,
    /// Some may be invalid, because of these changes of the contract; none if no single one explains it. The first one
    /// that is not accepted counts, and if all of them are, the side fits.
    MayFail(Vec<KnownFinding>),
    /// The comparison did not end. These are the changes of the contract that it found; none if it did not get so far.
    /// They count as those of [`MayFail`](Self::MayFail), but the side fits only if there are some.
    Undecided(Vec<KnownFinding>),
}

/// A change of a side because of which payloads may be invalid, as errors of calls carry it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KnownFinding {
    /// The code, such as `E0715`.
    pub code: String,
    /// One sentence.
    pub message: String,
    /// The place in the contract; a JSON Pointer from the capability.
    pub pointer: String,
    /// What to do.
    pub help: Option<String>,
    /// The fingerprint, by which reviewers accept a finding.
    pub fingerprint: String,
    /// The last day, in UTC, on which the finding is accepted, also if it has passed.
    pub accepted_until: Option<Date>,
}

impl Verdicts {
    /// Adds the verdicts on the request and the response of a caller. `capability` is the index of a capability in the
    /// manifest, and `caller` the hash of the caller's contract, as calls state it. An earlier row for both is
    /// replaced.
    pub fn insert(&mut self, capability: usize, caller: String, sides: [SideVerdict; 2]) {
        self.0.insert((capability, caller), sides);
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The rows of a capability: the hash of a caller and the verdict on each side, sorted by hash.
    pub fn rows(&self, capability: usize) -> impl Iterator<Item = (&str, [(Side, &SideVerdict); 2])> {
        let rows = self.0.range((capability, String::new())..).take_while(move |((index, _), _)| *index == capability);
        rows.map(|((_, caller), [request, response])| {
            (caller.as_str(), [(Side::Request, request), (Side::Response, response)])
        })
    }
}
