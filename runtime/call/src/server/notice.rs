//! Notes about contracts that differ, in the responses to requests that were served.

use super::difference::Difference;
use super::respond::Answer;
use super::run::Processed;
use super::shared::Shared;
use super::skew::Responses;
use crate::envelope::{MAX_DESCRIBED, MessageKind};

impl Shared {
    /// The answer to a request, with a note if the caller may not be able to read another response, or if its contract
    /// is needed to know that.
    pub(super) fn noted(&self, processed: &Processed<'_>, answer: Answer) -> Answer {
        if answer.code.is_some() || processed.request.kind() != MessageKind::Request {
            return answer;
        }
        let Some(difference) = self.difference(processed, &answer) else { return answer };
        // Contracts are nearly always equal, so that few calls go on here.
        match self.comparisons.responses(processed.request, &difference, &processed.sender().caller) {
            Responses::MayFail(reason) => answer.with_notice(&difference.details(reason)),
            // A caller does not know the limit of messages, and its next request would be refused.
            Responses::Unknown if self.max_message >= MAX_DESCRIBED => answer.needing_descriptor(),
            Responses::Fit | Responses::Unknown => answer,
        }
    }

    /// The contracts of the caller and of the version that ran, if they differ.
    fn difference<'a>(&'a self, processed: &'a Processed<'_>, answer: &Answer) -> Option<Difference<'a>> {
        let versions = self.entries.get(processed.request.capability())?;
        let ran = answer.contract.as_ref().map(|contract| &contract.hash);
        let entry = versions.descending().find(|entry| ran.is_some_and(|hash| entry.hash() == hash));
        let difference = versions.difference(processed.request, entry.unwrap_or_else(|| versions.plain()))?;
        (!difference.caller().is_empty()).then_some(difference)
    }
}
