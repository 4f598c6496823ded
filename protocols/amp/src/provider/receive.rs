//! Receiving messages: the checks of the envelope, and the answers to duplicates.

use std::sync::Arc;

use capgen_schema::Hash;

use super::access::{Access, asked};
use super::answered::Seen;
use super::input::{Output, RefusedInvocation, Ticket};
use super::invoke::{Accepted, accept};
use super::query;
use super::refusal::{Hidden, Refusal};
use super::request::{MessageHash, RequestKey};
use super::state::{Request, State};
use super::{Permissions, Provider};
use crate::author::ReplyTo;
use crate::catalogue::{Catalogue, Published};
use crate::code::Code;
use crate::message::{Did, Message, MessageId, MessageType, Rejection, decode_message};

/// A message whose envelope is valid in every respect.
#[derive(Clone, Debug)]
pub struct Received {
    pub(super) message: Message,
    hash: MessageHash,
    /// The time at which it was verified, in Unix ms.
    verified: u64,
    /// The permissions of its sender; `None` if the policy alone decides.
    permissions: Option<Arc<dyn Permissions>>,
}

impl Received {
    /// The sender, who has signed the message.
    #[must_use]
    pub const fn sender(&self) -> &Did {
        &self.message.from
    }

    /// The id of the message.
    #[must_use]
    pub const fn id(&self) -> MessageId {
        self.message.id
    }

    /// The time at which the message expires, in Unix ms.
    #[must_use]
    pub const fn expires(&self) -> u64 {
        self.message.ts.saturating_add(self.message.ttl)
    }

    /// The same message, whose sender may use only what these permissions allow, too. Without them, the policy alone
    /// decides.
    #[must_use]
    pub fn with_permissions(self, permissions: Arc<dyn Permissions>) -> Self {
        Self { permissions: Some(permissions), ..self }
    }

    fn request(&self) -> Request {
        let message = &self.message;
        Request {
            key: RequestKey::new(&message.from, message.id),
            hash: self.hash,
            reply_to: ReplyTo::new(message),
            ttl: message.ttl,
            expires: self.expires(),
        }
    }
}

impl Provider {
    /// Decodes a message and checks its envelope: its form, its times and its signature. It needs no state, so a
    /// program can verify several messages at the same time.
    ///
    /// # Errors
    ///
    /// 1001 to 1005. Nothing proves the sender then, so the message has no answer.
    pub fn verify(&self, bytes: &[u8], now: u64) -> Result<Received, Rejection> {
        let message = decode_message(bytes, &self.settings.message)?;
        message.check_time(now)?;
        self.check_ttl(message.message().ttl)?;
        let (message, signed) = message.verify_bytes(self.keys.as_ref())?;
        Ok(Received { message, hash: *Hash::of(signed).as_bytes(), verified: now, permissions: None })
    }

    /// Whether a message is a duplicate that gets the answer of the first one, at a time in Unix ms: nothing is decided
    /// about it again.
    #[must_use]
    pub fn is_duplicate(&self, state: &State, received: &Received, now: u64) -> bool {
        !matches!(state.find(&received.request(), now), Seen::New)
    }

    /// Receives a message, and returns the outputs for it.
    pub(super) fn receive(
        &self,
        state: &mut State,
        received: Received,
        ticket: Ticket,
        principal: Option<&Did>,
        now: u64,
    ) -> Vec<Output> {
        let request = received.request();
        let Received { message, permissions, verified, .. } = received;
        let latency = now.saturating_sub(verified);
        if !matches!(message.kind, MessageType::CapQuery | MessageType::CapInvoke) {
            return vec![Output::Ignored { ticket }];
        }
        let access = Access::new(self, &message.from, permissions.as_deref());
        // Not remembered: the same message may come again over a connection of its sender.
        if !principal.is_none_or(|principal| principal.same_subject(&message.from)) {
            let refusal = Refusal::unauthorized_because("the connection is that of another agent");
            let answer = self.refuse(&request.reply_to, &refusal, now);
            return self.refused(state, (&message, access), refusal, (ticket, answer), latency);
        }
        match state.find(&request, now) {
            Seen::New => {}
            Seen::Running if state.wait(&request.key, ticket, self.settings.max_waiting) => return Vec::new(),
            Seen::Answer(message) => return vec![Output::Send { ticket, message }],
            seen => {
                let refusal = again(&seen);
                let answer = self.refuse(&request.reply_to, &refusal, now);
                return self.refused(state, (&message, access), refusal, (ticket, answer), latency);
            }
        }
        if !message.to.includes(&self.author.did) {
            let refusal = Refusal::unauthorized_because("the message is only for other recipients");
            let answer = self.refuse_and_remember(state, &request, &refusal, now);
            return self.refused(state, (&message, access), refusal, (ticket, answer), latency);
        }
        match message.kind {
            MessageType::CapQuery => self.query(state, (&message, access), request, ticket, now),
            _ => self.invoke(state, (&message, access), request, (ticket, latency), now),
        }
    }

    /// The lifetime of messages is bounded, because ids are remembered as long (decision 22).
    fn check_ttl(&self, ttl: u64) -> Result<(), Rejection> {
        let max = self.settings.max_ttl_ms;
        if ttl <= max {
            return Ok(());
        }
        let text = format!("`ttl` is {ttl} ms; this provider accepts at most {max} ms");
        Err(Rejection::new(Code::InvalidTimestamp, text))
    }

    /// The outputs for a refusal with its answer.
    fn refused(
        &self,
        state: &State,
        (message, access): (&Message, Access<'_>),
        refusal: Refusal,
        (ticket, answer): (Ticket, Arc<[u8]>),
        latency_ms: u64,
    ) -> Vec<Output> {
        let is_reported = state.reports_ends && message.kind == MessageType::CapInvoke;
        let reported = is_reported.then(|| {
            let Hidden { reason, id, violations } = refusal.hidden.map(|hidden| *hidden).unwrap_or_default();
            Output::Refused(Box::new(RefusedInvocation {
                caller: message.from.clone(),
                message: message.id,
                expires: message.ts.saturating_add(message.ttl),
                asked: asked(message.kind, &message.body, self.policy.aliases()),
                id,
                code: refusal.code,
                denied: reason.map(str::to_owned).or_else(|| access.denial(refusal.code)),
                violations,
                latency_ms,
            }))
        });
        reported.into_iter().chain([Output::Send { ticket, message: answer }]).collect()
    }

    fn query(
        &self,
        state: &mut State,
        (message, access): (&Message, Access<'_>),
        request: Request,
        ticket: Ticket,
        now: u64,
    ) -> Vec<Output> {
        let answer = match query::answer(self, state.snapshots(), message, access, now) {
            Ok(declare) => {
                // A page is made again for a duplicate: it would be large, and its snapshot does not change.
                state.remember(&request, None, now);
                self.answer(&request.reply_to, MessageType::CapDeclare, declare.to_value(), now)
            }
            Err(refusal) => self.refuse_and_remember(state, &request, &refusal, now),
        };
        vec![Output::Send { ticket, message: answer }]
    }

    fn invoke(
        &self,
        state: &mut State,
        (message, access): (&Message, Access<'_>),
        request: Request,
        (ticket, latency): (Ticket, u64),
        now: u64,
    ) -> Vec<Output> {
        match self.start(state, message, access, &request) {
            Ok((accepted, catalogue)) => {
                let deadline = self.deadline(&accepted, &catalogue, &request, now);
                let start = state.start(request, &message.from, ticket, catalogue, accepted, deadline);
                start.into_iter().map(|start| Output::Start(Box::new(start))).collect()
            }
            Err(refusal) => {
                let answer = self.refuse_and_remember(state, &request, &refusal, now);
                self.refused(state, (message, access), refusal, (ticket, answer), latency)
            }
        }
    }

    /// The steps of section 7.2, then the limits of the provider.
    fn start(
        &self,
        state: &mut State,
        message: &Message,
        access: Access<'_>,
        request: &Request,
    ) -> Result<(Accepted, Arc<Catalogue>), Refusal> {
        state.check_time(message.ts, request.expires)?;
        let catalogue = state.catalogue();
        let accepted = accept(self, catalogue.as_deref().map_err(Clone::clone), message, access)?;
        let catalogue = catalogue?;
        state.take_place(request, &self.settings)?;
        Ok((accepted, catalogue))
    }

    /// The smallest of `timeout_ms`, the limit of the capability, the rest of the life of the message, and the limit of
    /// the provider (decision 12), as a time.
    fn deadline(&self, accepted: &Accepted, catalogue: &Catalogue, request: &Request, now: u64) -> u64 {
        let contract = catalogue.published().get(accepted.index).map(Published::contract);
        let limits = [accepted.timeout_ms, contract.and_then(|contract| contract.timeout_ms)];
        let limit = limits.into_iter().flatten().fold(self.settings.max_timeout_ms, u64::min);
        now.saturating_add(limit).min(request.expires)
    }

    /// An `ERROR`. It is kept for duplicates unless the same request may succeed later (decision 13).
    fn refuse_and_remember(&self, state: &mut State, request: &Request, refusal: &Refusal, now: u64) -> Arc<[u8]> {
        let message = self.refuse(&request.reply_to, refusal, now);
        let kept = (!refusal.code.is_retryable()).then(|| Arc::clone(&message));
        state.remember(request, kept, now);
        message
    }
}

/// The refusal of a message that has been received before, and has no answer that is kept, or of one that has the id
/// of another.
fn again(seen: &Seen) -> Refusal {
    match seen {
        Seen::Different => Refusal::new(Code::BadRequest, "another message of this sender has the same id"),
        Seen::Gone => Refusal::lasting(
            Code::Unavailable,
            "the invocation was accepted before, and its result is no longer kept; it does not run again",
        ),
        Seen::Running | Seen::New | Seen::Answer(_) => {
            Refusal::new(Code::Overloaded, "too many duplicates wait for this invocation")
        }
    }
}
