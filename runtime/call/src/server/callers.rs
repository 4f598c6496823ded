//! The callers that share a server.

use std::sync::Arc;

use capgen_schema::Hash;
use tokio::time::Instant;

use crate::context::Context;
use crate::envelope::{Envelope, Keys};
use crate::identity::{Principal, Proof};

/// The sender of a request, as far as the server can prove it. Each has a share of the memory and the time of the
/// server.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Caller {
    /// All callers together about which nothing is proved: each of them could state any id.
    Unproved,
    /// All callers together whose tokens could not be verified at once, until they are: so neither those that nothing
    /// proves nor those that are proved have less room because of them.
    Unverified,
    /// An agent.
    Agent(Arc<str>),
    /// A principal, by its issuer and its subject.
    Principal(Arc<str>, Arc<str>),
    /// All callers that have a token, by the hash of its header. Only for control messages, whose tokens are not
    /// verified: anyone can make up any number of them.
    Token(Hash),
}

/// The sender of a message, as far as it is proved. A signature is verified once for each message.
#[derive(Clone, Debug)]
pub(super) struct Sender {
    pub(super) caller: Caller,
    /// `None` if the message is not authentic: the server has keys, and it is not signed with one of them; or only its
    /// token could prove it, which is not verified yet, or is not valid.
    pub(super) proof: Option<Proof>,
    /// The principal for whom it was sent, if the server verifies tokens.
    pub(super) principal: Option<Arc<Principal>>,
    /// Why its token has no principal.
    pub(super) token: Option<TokenProblem>,
}

/// Why a token has no principal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenProblem {
    Invalid,
    /// It is not known at the moment whether it is valid.
    Unavailable,
}

impl Sender {
    /// The sender of a message, at a Unix time in ms.
    pub(super) fn of(message: &Envelope, keys: Option<&Keys>, now: u64) -> Self {
        let proof = message.proof(keys, || now);
        let is_agent = proof.as_ref().is_some_and(Proof::proves_agent);
        let caller = if is_agent { Caller::Agent(message.from().into()) } else { Caller::Unproved };
        Self { caller, proof, principal: None, token: None }
    }

    /// The context of a request, of which the caller stated the end.
    pub(super) fn context(&self, request: &Arc<Envelope>, stated: Instant) -> Context {
        let context = Context::new(Arc::clone(request), Some(stated));
        context.with_proof(self.proof.clone().unwrap_or_default()).with_principal(self.principal.clone())
    }

    /// Whether the message is proved to come from a caller, if the server requires that.
    pub(super) fn is_authentic(&self) -> bool {
        self.proof.is_some()
    }
}
