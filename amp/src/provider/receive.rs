//! Receiving messages: the checks of the envelope, and the answers to duplicates.

use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::Provider;
use super::answered::{MessageHash, RequestKey, Seen};
use super::input::{Output, Ticket};
use super::invoke::{Accepted, accept};
use super::query;
use super::refusal::Refusal;
use super::state::{Request, State};
use crate::author::ReplyTo;
use crate::catalogue::{Catalogue, Published};
use crate::code::Code;
use crate::message::{Did, Message, MessageType, Rejection, open_message};

/// A message whose envelope is valid in every respect.
#[derive(Clone, Debug)]
pub struct Received {
    message: Message,
    hash: MessageHash,
}

impl Received {
    /// The sender, who has signed the message.
    #[must_use]
    pub const fn sender(&self) -> &Did {
        &self.message.from
    }
}

impl Provider {
    /// Decodes a message and checks its envelope: its form, its times and its signature. It needs no state, so a program can verify
    /// several messages at the same time.
    ///
    /// # Errors
    ///
    /// 1001 to 1005. Nothing proves the sender then, so the message has no answer.
    pub fn verify(&self, bytes: &[u8], now: u64) -> Result<Received, Rejection> {
        let message = open_message(bytes, &self.settings.message, now, self.keys.as_ref())?;
        Ok(Received { message, hash: Sha256::digest(bytes).into() })
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
        let Received { message, hash } = received;
        if !matches!(message.kind, MessageType::CapQuery | MessageType::CapInvoke) {
            return vec![Output::Ignored { ticket }];
        }
        let reply_to = ReplyTo::new(&message);
        // Not remembered: the same message may come again over a connection of its sender.
        if !principal.is_none_or(|principal| principal.same_subject(&message.from)) {
            let message = self.refuse(&reply_to, &Refusal::unauthorized(), now);
            return vec![Output::Send { ticket, message }];
        }
        let key = RequestKey::new(&message.from, message.id);
        match state.find(&key, &hash, now) {
            Seen::Answer(message) => return vec![Output::Send { ticket, message }],
            Seen::Different => {
                let refusal = Refusal::new(Code::BadRequest, "another message of this sender has the same id");
                return vec![Output::Send { ticket, message: self.refuse(&reply_to, &refusal, now) }];
            }
            Seen::New => {}
        }
        if let Some(is_waiting) = state.wait(&key, ticket, self.settings.max_waiting) {
            if is_waiting {
                return Vec::new();
            }
            let refusal = Refusal::new(Code::Overloaded, "too many duplicates wait for this invocation");
            return vec![Output::Send { ticket, message: self.refuse(&reply_to, &refusal, now) }];
        }
        let request = Request { key, hash, reply_to, expires: message.ts.saturating_add(message.ttl) };
        if !message.to.includes(&self.author.did) {
            let message = self.refuse_and_remember(state, &request, &Refusal::unauthorized(), now);
            return vec![Output::Send { ticket, message }];
        }
        match message.kind {
            MessageType::CapQuery => self.query(state, &message, request, ticket, now),
            _ => self.invoke(state, &message, request, ticket, now),
        }
    }

    fn query(&self, state: &mut State, message: &Message, request: Request, ticket: Ticket, now: u64) -> Vec<Output> {
        let answer = match query::answer(self, state.snapshots(), message, now) {
            Ok(declare) => {
                // A page is made again for a duplicate: it would be large, and its snapshot does not change.
                state.remember(&request, None, now);
                self.answer(&request.reply_to, MessageType::CapDeclare, declare.to_value(), now)
            }
            Err(refusal) => self.refuse_and_remember(state, &request, &refusal, now),
        };
        vec![Output::Send { ticket, message: answer }]
    }

    fn invoke(&self, state: &mut State, message: &Message, request: Request, ticket: Ticket, now: u64) -> Vec<Output> {
        match self.start(state, message) {
            Ok((accepted, catalogue)) => {
                let deadline = self.deadline(&accepted, &catalogue, &request, now);
                let start = state.start(request, &message.from, ticket, catalogue, accepted, deadline);
                start.into_iter().map(|start| Output::Start(Box::new(start))).collect()
            }
            Err(refusal) => {
                let message = self.refuse_and_remember(state, &request, &refusal, now);
                vec![Output::Send { ticket, message }]
            }
        }
    }

    /// The steps of section 7.2, then the limits of the provider.
    fn start(&self, state: &State, message: &Message) -> Result<(Accepted, Arc<Catalogue>), Refusal> {
        let catalogue = state.catalogue();
        let accepted = accept(self, catalogue.as_deref().map_err(Clone::clone), message)?;
        state.check_room(self.settings.max_running)?;
        Ok((accepted, catalogue?))
    }

    /// The smallest of `timeout_ms`, the limit of the capability, the rest of the life of the message, and the limit of the provider
    /// (decision 12), as a time.
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
