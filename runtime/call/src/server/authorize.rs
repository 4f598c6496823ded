//! The check whether a caller may call a capability.

use std::sync::Arc;

use super::entry::Entry;
use super::respond::Answer;
use super::shared::Shared;
use super::versions::{Candidates, Versions};
use crate::authorization::{Authorization, Decision};
use crate::context::Context;
use crate::outcome::code;

/// A request that does not run.
pub(super) struct Refused {
    pub(super) answer: Answer,
    /// Why the caller may not call the capability, if this is the reason. The caller does not learn it.
    pub(super) reason: Option<String>,
}

impl From<Answer> for Refused {
    fn from(answer: Answer) -> Self {
        Self { answer, reason: None }
    }
}

/// The versions of a capability that a caller may not call. Usually empty, which allocates nothing.
#[derive(Default)]
pub(super) struct Denied(Vec<(Arc<Entry>, String)>);

impl Shared {
    /// Decides whether the caller may call the capability, in the same steps for one that the agent does not have.
    pub(super) async fn authorize(&self, context: &Context) -> Result<Denied, Refused> {
        let versions = self.entries.get(context.capability());
        let entries = || versions.into_iter().flat_map(Versions::descending);
        let mut described = Vec::with_capacity(self.most_versions);
        described.extend(entries().map(|entry| &*entry.described));
        let decisions = self.authorization.decide_versions(context, &described, self.most_versions).await;
        if !decisions.contains(&Decision::Allow) {
            let reason = decisions.into_iter().find_map(reason);
            return Err(forbidden(reason.unwrap_or_default()));
        }
        let denied = entries().zip(decisions).filter_map(|(entry, it)| Some((Arc::clone(entry), reason(it)?)));
        Ok(Denied(denied.collect()))
    }
}

fn reason(decision: Decision) -> Option<String> {
    match decision {
        Decision::Allow => None,
        Decision::Deny { reason } => Some(reason),
    }
}

impl Denied {
    /// Those candidates that the caller may call.
    pub(super) fn filter<'a>(&self, candidates: Candidates<'a>) -> Result<Candidates<'a>, Refused> {
        if self.0.is_empty() {
            return Ok(candidates);
        }
        let denied = |entry: &Arc<Entry>| self.0.iter().find(|(denied, _)| Arc::ptr_eq(denied, entry));
        let mut allowed = None;
        for entry in candidates.iter().filter(|entry| denied(entry).is_none()) {
            Candidates::add(&mut allowed, candidates.versions, entry);
        }
        let reason = || denied(candidates.first).map(|(_, reason)| reason.clone()).unwrap_or_default();
        allowed.ok_or_else(|| forbidden(reason()))
    }
}

/// The answer to every request that is denied: it shows neither why, nor whether the capability exists.
fn forbidden(reason: String) -> Refused {
    let answer = Answer::error(code::FORBIDDEN, Authorization::DENIED);
    Refused { answer, reason: Some(reason) }
}
