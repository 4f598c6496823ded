//! Messages that control requests: cancels.

use std::sync::Arc;

use tokio::time::Instant;

use super::callers::Caller;
use super::cancels::Right;
use super::control_rate::Kind;
use super::due::{Arrival, Due};
use super::shared::{Phase, Shared, reached};
use crate::envelope::{CANCEL, Envelope, MessageKind, header};
use crate::transport::{Incoming, IncomingContent, Subscription};

/// Receives control messages until the server stops or the transport closes. Requests can be cancelled while the server
/// drains.
pub(super) async fn listen(shared: Arc<Shared>, mut subscription: Subscription) {
    let mut phase = shared.phase.subscribe();
    let mut stopped = std::pin::pin!(reached(&mut phase, Phase::Stopped));
    loop {
        tokio::select! {
            biased;
            () = &mut stopped => return,
            incoming = subscription.next() => {
                let Some(incoming) = incoming else { return };
                shared.control(&incoming);
            }
        }
    }
}

impl Shared {
    /// Follows a control message. One that is invalid, or not proved to come from its sender, is dropped without an
    /// answer.
    fn control(&self, incoming: &Incoming) {
        let IncomingContent::Message(text) = &incoming.content else { return };
        let now = Instant::now();
        if text.len() > self.max_message {
            return;
        }
        let Ok(message) = Envelope::decode(text) else { return };
        let arrival = Arrival { at: now, unix: self.journal.clock.now_ms(), is_stored: false };
        let is_control = message.kind() == MessageKind::Control && message.header(header::CONTROL) == Some(CANCEL);
        let due = self.clocks.due(&message, arrival);
        if !is_control || !self.is_fresh(&message, arrival, due) {
            return;
        }
        let Some(right) = self.right(&message) else { return };
        let sender = self.signed_sender(&message, arrival.unix);
        // The messages of others with tokens of their own do not count as those of this one.
        let caller = match right {
            Right::Token(token) => &Caller::Token(token),
            Right::Any | Right::Signature => &sender.caller,
        };
        let kind = if self.cancels.is_running(message.correlation_id(), right) { Kind::Running } else { Kind::Other };
        if self.control_rates.accepts(caller, kind, now)
            && (matches!(right, Right::Token(_)) || self.check_sender(&message, false, arrival, &sender).is_ok())
        {
            self.cancels.cancel(&message, caller, right, due.end);
        }
    }

    /// Why a control message may be about the requests of its sender; `None` if it may not.
    fn right(&self, message: &Envelope) -> Option<Right> {
        match &self.tokens {
            Some(tokens) if tokens.is_enough && !message.has_auth() => {
                message.header(header::AUTHORIZATION).map(Right::of_token)
            }
            Some(tokens) if tokens.is_enough => Some(Right::Signature),
            _ => Some(Right::Any),
        }
    }

    /// Whether the fields of a control message are those of one to this agent at this time. Without keys, its deadline
    /// proves nothing.
    fn is_fresh(&self, message: &Envelope, arrival: Arrival, due: Due) -> bool {
        let is_in_time = self.keys.is_none() || self.clocks.check(message, arrival, due, true).is_ok();
        message.to() == self.agent && is_in_time && self.check_tenant(message).is_ok()
    }
}
