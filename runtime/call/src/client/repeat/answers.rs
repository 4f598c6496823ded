//! The answers to the attempts of a call, and their absence: which attempts follow.

use std::time::Duration;

use tokio::time::Instant;

use super::{Attempt, Attempts, MAX_WAITING, Planned, Weight};
use crate::client::attempt::Reply;
use crate::client::pending::{Response, no_peer};
use crate::client::refusal::refusal;
use crate::id::Id;
use crate::outcome::{CallError, code};

impl<'a> Attempts<'a> {
    /// The report that nothing receives the requests of the peer. It does not name an attempt; it is about the newest
    /// one, because such reports arrive at once.
    pub(super) fn unreceived(&mut self) {
        if let Some(attempt) = self.take(|attempt| attempt.published.is_some()).or_else(|| self.take(|_| true)) {
            self.not_received(&attempt, no_peer());
        }
    }

    /// Handles an attempt that did not reach the peer.
    pub(super) fn not_received(&mut self, attempt: &Attempt<'_>, error: CallError) {
        self.reached = self.reached.saturating_sub(1);
        if let Some(contract) = self.request.contract.filter(|_| attempt.number == 1) {
            contract.set_sent(false);
        }
        if attempt.is_extra {
            self.known.return_attempt();
        }
        if attempt.address.is_some() && attempt.number == self.sent {
            // Without an instance at this address, it counts as no attempt.
            self.sent = self.sent.saturating_sub(1);
        }
        if attempt.address.is_some() && !attempt.is_search {
            // The instances with the caller's contract are gone, so the first attempt goes to any.
            self.known.prefers_any(self.request.target.contract.hash());
            self.count = self.count.saturating_sub(1);
            self.next = Some(Instant::now());
        } else if attempt.is_search && (attempt.address.is_some() || self.may_repeat(&error)) {
            self.look_elsewhere(None);
        } else if !error.retryable {
            self.no_more();
        } else if !attempt.is_lost && !attempt.is_search && self.may_repeat(&error) {
            self.follow(None);
        }
        self.remember(Weight::Silence, Err(error));
    }

    /// Handles the response to an attempt.
    pub(super) fn answered(&mut self, id: Id, response: Response) {
        let attempt = self.take(|attempt| attempt.id == id);
        if response.is_ok {
            if attempt.as_ref().is_some_and(|attempt| attempt.is_search && attempt.address.is_some()) {
                self.known.served_by_own(self.request.target.contract.hash());
            }
            return self.succeeded(Reply::of(self.request.target, response));
        }
        if let Some(attempt) = attempt.as_ref().filter(|attempt| response.needs_descriptor && !attempt.is_described) {
            return self.describe(attempt);
        }
        let error = refusal(self.started, self.request.target, &response.payload);
        if error.code == code::VERSION_SKEW && error.has_no_effect() {
            return self.refused(error);
        }
        if !error.retryable {
            self.end = Some(Err(error));
            return;
        }
        if attempt.as_ref().is_some_and(|attempt| attempt.is_search) {
            if self.may_repeat(&error) {
                self.look_elsewhere(error.retry_after());
            }
            return self.remember(Weight::Retryable, Err(error));
        }
        // The attempt after one that was lost before has started, unless there was no room for it.
        let is_loss = self.is_full || attempt.is_some_and(|attempt| !attempt.is_lost);
        if is_loss && self.may_repeat(&error) {
            self.follow(error.retry_after());
        }
        self.remember(Weight::Retryable, Err(error));
    }

    /// Handles the refusal by an instance because of its contract: it would refuse the request again, and another one
    /// may serve it. Attempts that wait may still succeed, and those that are lost are repeated.
    pub(super) fn refused(&mut self, error: CallError) {
        self.look_elsewhere(error.retry_after());
        self.remember(Weight::Retryable, Err(error));
    }

    /// Plans the next attempt to find another instance.
    fn look_elsewhere(&mut self, pause: Option<Duration>) {
        if self.client.inner.tries_other_instances {
            let retry = self.retry();
            self.search.plan(|number| pause.unwrap_or_else(|| retry.pause(number)), self.started.remaining());
        }
    }

    /// Starts the next attempt to find another instance, if there is room in the client and in the budget.
    pub(super) fn start_search(&mut self) {
        let address = self.search.start();
        if self.permit.is_none() {
            self.permit = self.client.permit(self.started).ok();
        }
        if self.permit.is_some() && self.waiting.len() < MAX_WAITING && self.known.take_attempt() {
            self.sent += 1;
            let (number, is_extra, is_search) = (self.sent, true, true);
            self.publish(Planned { number, is_extra, is_search, address, descriptor: None });
        }
    }

    fn succeeded(&mut self, reply: Reply) {
        // While another attempt may have a valid response, an invalid one is not the result.
        if self.waiting.is_empty() || (self.is_valid)(&reply.payload) {
            self.end = Some(Ok(reply));
        } else {
            self.no_more();
            self.remember(Weight::Invalid, Ok(reply));
        }
    }

    /// Whether the request may be sent again after an error.
    fn may_repeat(&self, error: &CallError) -> bool {
        error.retryable && (self.request.is_repeated || error.has_no_effect())
    }

    /// Sends an attempt again with the caller's contract.
    fn describe(&mut self, attempt: &Attempt<'a>) {
        let described = self.request.target.contract.described();
        let described = serde_json::to_string(&described).unwrap_or_default();
        self.reached = self.reached.saturating_sub(1);
        if let Some(contract) = self.request.contract.filter(|_| attempt.number == 1) {
            contract.set_sent(false);
        }
        let Attempt { number, is_extra, is_search, address, .. } = *attempt;
        self.publish(Planned { number, is_extra, is_search, address, descriptor: Some(described) });
    }

    /// Keeps a result, unless a better one is known.
    pub(super) fn remember(&mut self, weight: Weight, result: Result<Reply, CallError>) {
        if self.fallback.as_ref().is_none_or(|(known, _)| weight >= *known) {
            self.fallback = Some((weight, result));
        }
    }
}
