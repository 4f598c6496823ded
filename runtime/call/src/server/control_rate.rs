//! The limit of control messages.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::callers::Caller;

/// The control messages of a caller and a kind that a server follows in a [`PERIOD`]; further ones are dropped. They
/// need no permit, so that they arrive while all handlers are busy, and therefore must not take the time of the
/// requests: a thousand signatures take some 10 ms. A caller that cancels more at once has handlers that run to their
/// end.
const MAX_MESSAGES: usize = 1000;
const PERIOD: Duration = Duration::from_secs(1);

/// The counts that are kept; those whose period is over are forgotten then.
const MAX_COUNTS: usize = 1024;

/// Counts control messages, by their caller.
#[derive(Default, Debug)]
pub(super) struct ControlRates(Mutex<BTreeMap<(Caller, Kind), Count>>);

/// The messages that are counted together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    /// For calls that run here.
    Running,
    /// For others: every instance receives the messages of all, which must not use up the room of its own.
    Other,
}

/// The start of a period, and the messages in it.
#[derive(Clone, Copy, Debug)]
struct Count {
    start: Instant,
    messages: usize,
}

impl ControlRates {
    /// Whether a message that arrives now is one of those that are followed.
    pub(super) fn accepts(&self, caller: &Caller, kind: Kind, now: Instant) -> bool {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() >= MAX_COUNTS {
            counts.retain(|_, count| count.is_current(now));
        }
        let new = Count { start: now, messages: 0 };
        let count = counts.entry((caller.clone(), kind)).or_insert(new);
        if !count.is_current(now) {
            *count = new;
        }
        count.messages = count.messages.saturating_add(1);
        count.messages <= MAX_MESSAGES
    }
}

impl Count {
    fn is_current(self, now: Instant) -> bool {
        now.saturating_duration_since(self.start) < PERIOD
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_one_caller_drops_no_message_of_another() {
        let (rates, now) = (ControlRates::default(), Instant::now());
        let (flood, other) = (Caller::Agent("a".into()), Caller::Agent("b".into()));
        let accepted = |caller, now| {
            let all = (0..MAX_MESSAGES * 2).filter(|_| rates.accepts(caller, Kind::Running, now));
            all.count()
        };
        assert_eq!((accepted(&flood, now), accepted(&other, now)), (MAX_MESSAGES, MAX_MESSAGES));
        assert!(rates.accepts(&flood, Kind::Other, now) && !rates.accepts(&flood, Kind::Running, now));
        assert_eq!(accepted(&flood, now + PERIOD), MAX_MESSAGES);
        let later = now + PERIOD * 2;
        for number in 0..MAX_COUNTS * 2 {
            rates.accepts(
                &Caller::Agent(number.to_string().into()),
                Kind::Other,
                later + PERIOD * number.try_into().unwrap_or(0),
            );
        }
        assert!(rates.0.lock().is_ok_and(|counts| counts.len() <= MAX_COUNTS));
    }
}
