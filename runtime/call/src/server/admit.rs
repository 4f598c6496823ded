//! The checks of a request before its payload is read, in this order: recipient, deadline, tenant, signature, token,
//! replay, cancel, authorization, capability, version of the caller and, if the server compares contracts, contract.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use capgen_descriptor::Skew;

use super::authorize::{Denied, Refused};
use super::callers::{Caller, Sender, TokenProblem};
use super::due::{Arrival, Due};
use super::entry::Entry;
use super::gate::{Gate, Place};
use super::numbers::{check_attempt, check_headers};
use super::respond::Answer;
use super::seen::Novelty;
use super::shared::Shared;
use super::verdict::Compared;
use super::versions::{Candidates, Versions};
use crate::envelope::{Envelope, MessageKind, header};
use crate::outcome::code;
use crate::wait::at_once;

/// A request that may run, if a version of its capability accepts it.
pub(super) struct Admitted<'a> {
    pub(super) versions: &'a Versions,
    denied: Denied,
}

/// The sender of a request that is being processed: as its signature proves it, and then as its token does.
pub(super) struct Identified {
    signed: Sender,
    verified: OnceLock<Sender>,
    /// The place of the request, if callers have shares and its caller is known, or its token takes time.
    place: Mutex<Option<Place>>,
}

impl Identified {
    pub(super) fn new(signed: Sender, place: Option<Place>) -> Self {
        Self { signed, verified: OnceLock::new(), place: Mutex::new(place) }
    }

    /// The sender, as far as it is proved by now.
    pub(super) fn sender(&self) -> &Sender {
        self.verified.get().unwrap_or(&self.signed)
    }

    /// Takes a place of the requests whose tokens are being verified, if this one has none yet. Returns whether it has
    /// one then.
    fn wait(&self, places: &Arc<Gate>) -> bool {
        let mut place = self.place();
        if place.is_none() {
            *place = places.try_enter(&Caller::Unverified, u64::MAX);
        }
        place.is_some()
    }

    /// Sets the sender that a token proves, to whose share the request belongs from now on. Returns whether it has
    /// room. A request whose token is not valid needs none.
    fn verify(&self, sender: Sender, places: Option<&Arc<Gate>>) -> bool {
        let mut place = self.place();
        let has_room = match (&mut *place, places.filter(|_| sender.token.is_none())) {
            (_, None) => true,
            (Some(place), Some(_)) => place.give_to(&sender.caller),
            (none, Some(places)) => {
                *none = places.try_enter(&sender.caller, u64::MAX);
                none.is_some()
            }
        };
        let _ = self.verified.set(sender);
        has_room
    }

    fn place(&self) -> MutexGuard<'_, Option<Place>> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared {
    /// The sender of a message at a Unix time in ms, as its signature proves it.
    pub(super) fn signed_sender(&self, message: &Envelope, now: u64) -> Sender {
        let sender = Sender::of(message, self.keys.as_ref(), now);
        match &self.tokens {
            Some(tokens) => tokens.before(sender),
            None => sender,
        }
    }

    /// The value of the header with the token of a message, if that counts.
    pub(super) fn token<'r>(&self, sender: &Sender, message: &'r Envelope) -> Option<&'r str> {
        self.tokens.as_ref()?.value(sender, message)
    }

    /// The versions of the capability of a request that its caller may call, and those that it may not.
    pub(super) async fn admit(
        &self,
        request: &Arc<Envelope>,
        is_redelivered: bool,
        (arrival, due): (Arrival, Due),
        identified: &Identified,
    ) -> Result<Admitted<'_>, Refused> {
        let signed = identified.sender();
        self.check_fields(request, arrival, due).map_err(|answer| answer.unproved_unless(signed.is_authentic()))?;
        if let Some(tokens) = &self.tokens
            && let Some(value) = tokens.value(signed, request)
        {
            // In a box, because the futures of requests without a token should not have its size.
            let mut verified = Box::pin(tokens.verified(signed.clone(), request, value));
            let places = self.places.as_ref();
            let busy = to_another_process(Answer::busy(), arrival);
            // Most tokens need no place of those that wait, so that these do not keep them from being verified.
            let verified = match at_once(&mut verified).await {
                Some(verified) => verified,
                None if places.is_none_or(|places| identified.wait(places)) => verified.await,
                None => return Err(busy.unproved_unless(signed.is_authentic()).into()),
            };
            if !identified.verify(verified, places) {
                return Err(busy.into());
            }
        }
        let sender = identified.sender();
        self.check_sender(request, is_redelivered, arrival, sender)?;
        if self.cancels.is_cancelled(request) {
            return Err(Answer::cancelled().into());
        }
        let mut denied = Denied::default();
        if self.authorization.is_active() {
            let context = sender.context(request, due.stated);
            // In a box, because the future of a request that needs no decision should not have its size.
            denied = Box::pin(self.authorize(&context)).await?;
        }
        let capability = request.capability();
        let Some(versions) = self.entries.get(capability) else {
            let message = format!("the agent `{}` has no capability `{capability}`", self.agent);
            return Err(Answer::error(code::NO_CAPABILITY, message).into());
        };
        Ok(Admitted { versions, denied })
    }

    /// The versions that may run a request.
    pub(super) async fn candidates<'a>(
        &self,
        request: &Arc<Envelope>,
        admitted: &Admitted<'a>,
        sender: &Sender,
    ) -> Result<Candidates<'a>, Refused> {
        let Admitted { versions, denied } = admitted;
        let candidates = denied.filter(versions.candidates(request)?)?;
        // An event has no response, and its payload decides.
        if request.kind() == MessageKind::Request {
            let policy = self.policy(request)?;
            if candidates.iter().any(|entry| policy.max(entry.policy) == Skew::Strict)
                && versions.difference(request, candidates.first).is_some()
            {
                // In a box, because the contracts are nearly always equal.
                let compatible = self.compatible(request, policy, candidates, &sender.caller);
                return Box::pin(compatible).await.map_err(Refused::from);
            }
        }
        Ok(candidates)
    }

    /// Those versions that every request of the caller and every response is valid for, and those whose policy is
    /// weaker.
    async fn compatible<'a>(
        &self,
        request: &Envelope,
        policy: Skew,
        all: Candidates<'a>,
        caller: &Caller,
    ) -> Result<Candidates<'a>, Answer> {
        let (mut compatible, mut refusal) = (None, None);
        for entry in all.iter() {
            let is_strict = policy.max(entry.policy) == Skew::Strict;
            let difference = all.versions.difference(request, entry).filter(|_| is_strict);
            let Some(difference) = difference else {
                Candidates::add(&mut compatible, all.versions, entry);
                continue;
            };
            match self.comparisons.check(request, &difference, Compared::Both, caller).await {
                None => Candidates::add(&mut compatible, all.versions, entry),
                Some(answer) => drop(refusal.get_or_insert(answer.of_contract(entry.contract.as_ref()))),
            }
        }
        match refusal {
            Some(refusal) => compatible.ok_or(refusal),
            None => Ok(compatible.unwrap_or(all)),
        }
    }

    /// The answer to a valid request that does not run because the caller may not be able to read the response, if the
    /// policy is to refuse it.
    pub(super) async fn check_response(
        &self,
        request: &Envelope,
        versions: &Versions,
        entry: &Entry,
        caller: &Caller,
    ) -> Option<Answer> {
        let difference = versions.difference(request, entry)?;
        if request.kind() != MessageKind::Request || entry.is_repeatable() {
            return None;
        }
        match self.policy(request).map(|policy| policy.max(entry.policy)) {
            Ok(Skew::Refuse) => {
                Box::pin(self.comparisons.check(request, &difference, Compared::Responses, caller)).await
            }
            Ok(_) => None,
            Err(answer) => Some(answer),
        }
    }

    /// The stricter policy of the server and the caller.
    fn policy(&self, request: &Envelope) -> Result<Skew, Answer> {
        let Some(name) = request.header(header::POLICY) else { return Ok(self.policy) };
        let policy = Skew::from_name(name).filter(|policy| *policy != Skew::Serve);
        policy.map(|policy| policy.max(self.policy)).ok_or_else(|| {
            let message = format!("the header `{}` is invalid: it is neither `refuse` nor `strict`", header::POLICY);
            Answer::error(code::INVALID_ENVELOPE, message)
        })
    }

    fn check_fields(&self, request: &Envelope, arrival: Arrival, due: Due) -> Result<(), Answer> {
        check_headers(request)?;
        if request.to() != self.agent {
            return Err(Answer::error(code::INVALID_ENVELOPE, "the request is for another agent"));
        }
        self.clocks.check(request, arrival, due, self.keys.is_some())?;
        check_attempt(request)?;
        self.policy(request)?;
        self.check_tenant(request)
    }

    pub(super) fn check_tenant(&self, request: &Envelope) -> Result<(), Answer> {
        if !self.tenants.is_empty() && !request.tenant().is_some_and(|tenant| self.tenants.contains(tenant)) {
            return Err(Answer::error(code::TENANT_MISMATCH, "the provider does not serve the tenant of the request"));
        }
        Ok(())
    }

    /// With keys, requests must be signed, and each one is accepted once.
    pub(super) fn check_sender(
        &self,
        request: &Envelope,
        is_redelivered: bool,
        arrival: Arrival,
        sender: &Sender,
    ) -> Result<(), Answer> {
        let is_authentic = sender.is_authentic();
        let refused = match sender.token {
            None if is_authentic => None,
            None => Some(Answer::error(code::AUTH_FAILED, "the signature of the request is missing or invalid")),
            Some(TokenProblem::Invalid) => {
                Some(Answer::error(code::AUTH_FAILED, "the token of the request is invalid"))
            }
            Some(TokenProblem::Unavailable) => {
                let answer = Answer::error(code::BUSY, "the provider cannot verify tokens at the moment");
                Some(to_another_process(answer, arrival))
            }
        };
        // Nothing is remembered of a request that ends here: its sender may send it again with a valid token.
        if let Some(refused) = refused {
            return Err(refused.unproved_unless(is_authentic));
        }
        if let Some(tenant) = sender.principal.as_ref().and_then(|principal| principal.tenant.as_deref())
            && request.tenant() != Some(tenant)
        {
            return Err(Answer::error(code::TENANT_MISMATCH, "the token of the request is for another tenant"));
        }
        if self.keys.is_none() {
            return Ok(());
        }
        let end = self.clocks.fresh_until(request, arrival);
        match self.seen.add(sender, request.from(), request.message_id(), (arrival.unix, end)) {
            Novelty::New => Ok(()),
            // A broker delivers a stored message again until it is acknowledged. A sender cannot pretend that.
            Novelty::Replayed if is_redelivered => Ok(()),
            Novelty::Replayed => Err(Answer::error(code::AUTH_FAILED, "the request was received before").unproved()),
            Novelty::Full => Err(Answer::error(code::BUSY, "the provider cannot remember more requests")),
        }
    }
}

/// The answer to a request that another process may be able to serve: the broker delivers a stored message again, to
/// this process or another one.
fn to_another_process(answer: Answer, arrival: Arrival) -> Answer {
    if arrival.is_stored { answer.for_another_process() } else { answer }
}
