//! The decision whether a client may call a tool.

use std::collections::BTreeSet;
use std::sync::Arc;

use capgen_call::journal::Journal;
use capgen_call::{Decision, Requirements};
use capgen_descriptor::OwnedDescriptor;
use capgen_diagnostic::cut_short;
use tokio::time::{Instant, timeout};

use super::plan::{Asked, Call};
use super::run::{Runner, Sender, subject};
use super::tools::Tool;
use crate::message::{RequestId, RpcError};
use crate::revision::Revision;

/// The longest name of a tool that does not exist in the audit and in the log, in characters: as in the error that
/// names it.
pub(super) const MAX_NAME: usize = 200;

/// Why a call does not run.
pub(super) enum Refused {
    /// The client may not make it.
    Denied,
    /// The client may, but there is no such tool, or the arguments are not an object.
    Invalid(RpcError),
}

impl Runner {
    /// The call of a tool if the client may make it, in the same steps for a tool that does not exist.
    pub(super) async fn authorize(&self, id: &RequestId, asked: Asked, sender: &Sender) -> Result<Call, Refused> {
        let start = Instant::now();
        let (tool, requirements) = self.agent.tools.candidate(&asked.name);
        let capability = tool.map_or(asked.name.as_str(), |tool| &tool.capability);
        let described = tool.map(|tool| &*tool.described);
        match self.decide(id, capability, (described, requirements), sender, start).await {
            Decision::Allow => self.agent.allowed(asked).map_err(Refused::Invalid),
            Decision::Deny { reason } => {
                let (journal, capability) = (Arc::clone(&self.journal), cut_short(capability, MAX_NAME).into_owned());
                let (id, principal) = (id.clone(), sender.principal.clone());
                // A task of its own, so that a client that goes away does not keep its denial out of the audit.
                let record = tokio::spawn(async move {
                    let latency = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
                    let subject = subject(&capability, &id, principal.as_ref());
                    journal.denied(subject, reason, latency, Journal::MAX_DELAY).await;
                });
                let _ = record.await;
                Err(Refused::Denied)
            }
        }
    }

    /// The text of the response to a request for the tools: those that the client may call.
    pub(super) async fn list(&self, id: &RequestId, revision: Revision, sender: &Sender) -> String {
        let start = Instant::now();
        let mut allowed = BTreeSet::new();
        for (name, Tool { capability, described, requirements, .. }) in self.agent.tools.all() {
            let contract = (Some(&**described), &**requirements);
            if self.decide(id, capability, contract, sender, start).await == Decision::Allow {
                allowed.insert(name);
            }
        }
        self.agent.listed(id, revision, |name| allowed.contains(name))
    }

    /// The decision about a tool, which the rule must make within the time of a call after the start of the request.
    async fn decide(
        &self,
        id: &RequestId,
        capability: &str,
        (contract, requirements): (Option<&OwnedDescriptor>, &Requirements),
        sender: &Sender,
        start: Instant,
    ) -> Decision {
        let rest = self.timeout.saturating_sub(start.elapsed());
        let context = sender.context(capability, id, rest);
        let decided = timeout(rest, self.agent.authorization.decide_by(&context, contract, requirements)).await;
        decided.unwrap_or_else(|_| Decision::deny("the rule did not decide within the time of a call"))
    }
}
