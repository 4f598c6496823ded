//! The facts that a client remembers about each peer.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use super::asked::Asked;
use super::budget::Budget;
use super::preferred::{First, Preferred};

/// The facts about one peer.
#[derive(Default, Debug)]
pub(crate) struct Known(Mutex<Facts>);

#[derive(Default, Debug)]
struct Facts {
    budget: Budget,
    heartbeat: Support,
    asked: Asked,
    preferred: Preferred,
}

/// The facts about a call that begins.
pub(super) struct Begin {
    /// Whether the peer asked for the contract, so that the request may have its text.
    pub(super) is_contract_wanted: bool,
    /// Where the request goes first, if instances with the same contract are preferred.
    pub(super) first: Option<First>,
}

/// The contract of the client, for the first request of a call, because the peer asked for it. If that is not sent, a
/// later call has it.
pub(super) struct AskedContract {
    known: Arc<Known>,
    /// Its hash.
    own: String,
    /// The contracts of the providers that asked.
    providers: Vec<String>,
    text: String,
    is_sent: AtomicBool,
}

/// Whether a peer sends heartbeats.
#[derive(Default, Debug)]
struct Support {
    /// The responses in a row that announced it.
    announced: u32,
    /// Whether a response did not.
    is_mixed: bool,
}

/// The name of heartbeats in the header `capgen-features`.
const HEARTBEAT: &str = "heartbeat";

/// The number of responses in a row that announce heartbeats after which all instances of a peer count as sending them,
/// although one did not before. During an upgrade, instances of both kinds answer in turns; sixteen in a row of one
/// kind are then unlikely, and an error only costs an attempt that is not needed.
const IN_A_ROW: u32 = 16;

impl Known {
    fn lock(&self) -> MutexGuard<'_, Facts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the header `capgen-features` of a response.
    pub(super) fn responded(&self, features: Option<&str>) {
        let has_heartbeat = features.is_some_and(|features| features.split(' ').any(|name| name == HEARTBEAT));
        let mut facts = self.lock();
        let support = &mut facts.heartbeat;
        if has_heartbeat {
            support.announced = support.announced.saturating_add(1);
        } else {
            (support.announced, support.is_mixed) = (0, true);
        }
    }

    /// Whether silence means that a request is lost.
    pub(super) fn sends_heartbeats(&self) -> bool {
        let Support { announced, is_mixed } = self.lock().heartbeat;
        announced >= if is_mixed { IN_A_ROW } else { 1 }
    }

    /// The text of a contract, given by its hash, for the next request, if the peer asked for it. `text` is the text if
    /// the request has room for it, and an error if no request has.
    pub(super) fn take_contract(
        self: &Arc<Self>,
        own: &str,
        text: impl FnOnce() -> Result<Option<String>, TooLarge>,
    ) -> Option<AskedContract> {
        let mut facts = self.lock();
        if !facts.asked.is_wanted(own) {
            return None;
        }
        let text = match text() {
            Ok(text) => text?,
            Err(TooLarge) => {
                // It will not be tried again.
                facts.asked.take(own);
                return None;
            }
        };
        let (known, own, providers) = (Arc::clone(self), own.to_owned(), facts.asked.take(own));
        Some(AskedContract { known, own, providers, text, is_sent: AtomicBool::new(false) })
    }

    /// Notes that a provider asks for a contract; both are given by their hashes.
    pub(super) fn asks(&self, own: &str, provider: &str) {
        self.lock().asked.ask(own, provider);
    }

    /// Whether it is new that responses of a provider may be invalid.
    pub(super) fn is_new_skew(&self, own: &str, provider: &str) -> bool {
        self.lock().asked.report(own, provider)
    }

    /// Notes that an instance with the same contract served a request that another one had refused.
    pub(super) fn served_by_own(&self, own: &str) {
        self.lock().preferred.served(own, Instant::now());
    }

    /// Notes that requests need not go first to the instances with the same contract, or cannot.
    pub(super) fn prefers_any(&self, own: &str) {
        self.lock().preferred.forget(own);
    }

    /// Counts a call with a contract, given by its hash, that starts now. All facts that every call needs are read at
    /// once.
    pub(super) fn begin(&self, own: &str, now: Instant) -> Begin {
        let mut facts = self.lock();
        facts.budget.called(now);
        Begin { is_contract_wanted: facts.asked.is_wanted(own), first: facts.preferred.first(own, now) }
    }

    /// The right to send an attempt after the first one of a call. Returns whether there is one.
    pub(super) fn take_attempt(&self) -> bool {
        self.lock().budget.take(Instant::now())
    }

    /// Gives back the right of an attempt that did not reach the peer.
    pub(super) fn return_attempt(&self) {
        self.lock().budget.give_back();
    }
}

/// A contract that fits into no request.
pub(super) struct TooLarge;

impl AskedContract {
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Notes whether the request with the contract was sent.
    pub(super) fn set_sent(&self, is_sent: bool) {
        self.is_sent.store(is_sent, Ordering::Relaxed);
    }
}

impl Drop for AskedContract {
    fn drop(&mut self) {
        if !self.is_sent.load(Ordering::Relaxed) {
            self.known.lock().asked.give_back(&self.own, std::mem::take(&mut self.providers));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heartbeats_are_expected_after_the_last_responses_announced_them() {
        let known = Known::default();
        assert!(!known.sends_heartbeats());
        known.responded(Some("cancel heartbeat"));
        assert!(known.sends_heartbeats());
        for features in [None, Some("cancel"), Some("heartbeats")] {
            known.responded(features);
            assert!(!known.sends_heartbeats(), "{features:?}");
        }
        for number in 1..=IN_A_ROW {
            known.responded(Some("heartbeat"));
            assert_eq!(known.sends_heartbeats(), number == IN_A_ROW, "{number}");
        }
    }
}
