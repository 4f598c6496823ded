//! The checks of a request before its payload is read, in this order: recipient, deadline, tenant, signature, replay, capability, version
//! of the caller and, if the server compares contracts, contract.

use super::handlers::Entry;
use super::respond::Answer;
use super::seen::Novelty;
use super::serve::Shared;
use crate::envelope::Envelope;
use crate::outcome::code;

/// The longest timeout of a call, in ms. It is that of clients. Ids are remembered until the deadline, so it bounds the
/// time for which a message needs memory.
pub(super) const MAX_TIMEOUT: u64 = 600_000;
/// How much later a deadline may be, in ms, to allow for clocks that are not exact. Clocks that are synchronised differ
/// far less; a larger one would keep ids in memory for longer.
const SLACK: u64 = 30_000;

impl Shared {
    /// The handler of a request that passes all checks, at a Unix time in ms.
    pub(super) async fn admit(&self, request: &Envelope, is_redelivered: bool, now: u64) -> Result<&Entry, Answer> {
        self.check_fields(request, now)
            .map_err(|answer| if request.is_authentic(self.keys.as_ref()) { answer } else { answer.unproved() })?;
        self.check_sender(request, is_redelivered, now)?;
        let capability = request.capability();
        let Some(entry) = self.entries.get(capability) else {
            let message = format!("the agent `{}` has no capability `{capability}`", self.agent);
            return Err(Answer::error(code::NO_CAPABILITY, message));
        };
        if let Some(served) = &entry.served {
            served.check(request)?;
        }
        if let (Some(skew), Some(contract)) = (&self.skew, &entry.contract)
            && skew.differs(request, contract)
            // In a box, because the contracts are nearly always equal.
            && let Some(answer) = Box::pin(skew.check(request, contract)).await
        {
            return Err(answer);
        }
        Ok(entry)
    }

    fn check_fields(&self, request: &Envelope, now: u64) -> Result<(), Answer> {
        if request.to() != self.agent {
            return Err(Answer::error(code::INVALID_ENVELOPE, "the request is for another agent"));
        }
        self.check_deadline(request.deadline(), now)?;
        if !self.tenants.is_empty() && !request.tenant().is_some_and(|tenant| self.tenants.contains(tenant)) {
            return Err(Answer::error(code::TENANT_MISMATCH, "the provider does not serve the tenant of the request"));
        }
        Ok(())
    }

    fn check_deadline(&self, deadline: Option<u64>, now: u64) -> Result<(), Answer> {
        let Some(deadline) = deadline else { return Ok(()) };
        if now > deadline.saturating_add(self.tolerance) {
            return Err(Answer::error(code::DEADLINE_EXCEEDED, "the deadline of the request has passed"));
        }
        if deadline > now.saturating_add(MAX_TIMEOUT + SLACK).saturating_add(self.tolerance) {
            let message = "the deadline of the request is more than 600 s in the future";
            return Err(Answer::error(code::INVALID_ENVELOPE, message));
        }
        Ok(())
    }

    /// With keys, requests must be signed, and each one is accepted once.
    fn check_sender(&self, request: &Envelope, is_redelivered: bool, now: u64) -> Result<(), Answer> {
        if !request.is_authentic(self.keys.as_ref()) {
            return Err(
                Answer::error(code::AUTH_FAILED, "the signature of the request is missing or invalid").unproved()
            );
        }
        if self.keys.is_none() {
            return Ok(());
        }
        // After its deadline, a replay is rejected anyway. A request without one can be replayed after the longest time.
        let end = request.deadline().unwrap_or(now.saturating_add(MAX_TIMEOUT + SLACK));
        let end = end.saturating_add(self.tolerance);
        match self.seen.add(request.from(), request.message_id(), now, end) {
            Novelty::New => Ok(()),
            // A broker delivers a stored message again until it is acknowledged. A sender cannot pretend that.
            Novelty::Replayed if is_redelivered => Ok(()),
            Novelty::Replayed => Err(Answer::error(code::AUTH_FAILED, "the request was received before").unproved()),
            Novelty::Full => Err(Answer::error(code::BUSY, "the provider cannot remember more requests")),
        }
    }
}
