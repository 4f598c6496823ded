//! One side of a capability: whether the payloads of one version conform to the other.

use capgen_manifest::Side;
use capgen_schema::{Containment, ExactPayload, Json, Schema, Steps, Validator};

use crate::work::Work;
use crate::{Assume, Sender, Witness};

/// How the payloads of one side of two versions relate.
#[derive(Clone, PartialEq, Debug)]
pub struct SideComparison {
    /// Whether the new schema accepts every payload that the old one accepts. A witness is accepted by the old schema
    /// only.
    pub old_in_new: Containment,
    /// Whether the old schema accepts every payload that the new one accepts. A witness is accepted by the new schema
    /// only.
    pub new_in_old: Containment,
    /// Whether the receiver accepts every payload that a sender with generated types sends: old requests in the new
    /// schema, or new responses in the old schema.
    pub from_capgen_peer: Containment,
}

impl SideComparison {
    /// Both directions for two schemas. `contract` is that of the sender: the old one for requests, the new one for
    /// responses.
    pub(crate) fn of(side: Side, old: &Schema, new: &Schema, contract: &Sender<'_>, steps: Steps, work: &Work) -> Self {
        // First the direction that decides whether the change is breaking, if the budget does not suffice for both.
        let backwards = (side == Side::Response).then(|| work.contains(old, new, steps));
        let old_in_new = work.contains(new, old, steps);
        let new_in_old = backwards.unwrap_or_else(|| work.contains(old, new, steps));
        let (sender, receiver, any_peer) = match side {
            Side::Request => (old, new, &old_in_new),
            Side::Response => (new, old, &new_in_old),
        };
        let from_capgen_peer = match (any_peer, contract.sent(Assume::CapgenPeer, sender)) {
            (Containment::Yes, _) | (_, None) => any_peer.clone(),
            (_, Some(sent)) => sent_in(receiver, &sent, sender, steps, work),
        };
        Self { old_in_new, new_in_old, from_capgen_peer }
    }

    /// Both directions for schemas that are equal.
    pub(crate) fn equal() -> Self {
        let yes = || Containment::Yes;
        Self { old_in_new: yes(), new_in_old: yes(), from_capgen_peer: yes() }
    }

    /// Whether the receiver of this side accepts every payload that the sender may send.
    pub fn is_accepted(&self, side: Side, assume: Assume) -> &Containment {
        match (assume, side) {
            (Assume::CapgenPeer, _) => &self.from_capgen_peer,
            (Assume::AnyPeer, Side::Request) => &self.old_in_new,
            (Assume::AnyPeer, Side::Response) => &self.new_in_old,
        }
    }
}

/// Whether the receiver accepts every payload that conforms to `sent`, a restriction of the schema of the sender.
pub(crate) fn sent_in(receiver: &Schema, sent: &Schema, sender: &Schema, steps: Steps, work: &Work) -> Containment {
    match work.contains(receiver, sent, steps) {
        // `sent` accepts a few payloads that `sender` rejects if it has `oneOf`.
        Containment::No(payload) if !accepts(sender, &payload) => work.contains(receiver, sender, steps),
        answer => answer,
    }
}

/// Whether the schema accepts the payload.
pub(crate) fn accepts(schema: &Schema, payload: &Json) -> bool {
    exact(payload).is_some_and(|payload| Validator::new(schema).is_valid_exact(&payload))
}

/// A payload with the reasons for which the receiver rejects it; `None` if it accepts it.
pub(crate) fn witness(receiver: &Schema, payload: Json) -> Option<Witness> {
    let violations = Validator::new(receiver).validate_exact(&exact(&payload)?);
    (!violations.is_empty()).then_some(Witness { payload, violations })
}

fn exact(payload: &Json) -> Option<ExactPayload> {
    ExactPayload::parse(payload.canonical().as_bytes()).ok()
}
