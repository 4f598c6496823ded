//! The callers that share a server.

use std::sync::Arc;

use crate::envelope::{Envelope, Keys};

/// The sender of a request, as far as the server can prove it. Each has a share of the memory and the time of the
/// server.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Caller {
    /// All callers together about which nothing is proved: each of them could state any id.
    Unproved,
    /// An agent.
    Agent(Arc<str>),
}

/// Gives the id of the agent that an authentic message is proved to come from.
pub(super) type Proof = dyn Fn(&Envelope) -> Option<String> + Send + Sync;

/// Proves callers. Without a proof, all callers are one, which has the whole server.
#[derive(Clone, Default)]
pub(super) struct Callers(Option<Arc<Proof>>);

impl Callers {
    pub(super) fn new(proof: Arc<Proof>) -> Self {
        Self(Some(proof))
    }

    /// Whether the server can prove any caller. If not, there are no shares.
    pub(super) fn are_proved(&self) -> bool {
        self.0.is_some()
    }

    /// The caller of a message.
    pub(super) fn of(&self, message: &Envelope, keys: Option<&Keys>) -> Caller {
        let agent = self.0.as_ref().filter(|_| message.is_authentic(keys)).and_then(|proof| proof(message));
        agent.map_or(Caller::Unproved, |agent| Caller::Agent(agent.into()))
    }
}
