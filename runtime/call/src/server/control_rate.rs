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

/// The counts that are kept; those whose period is over are forgotten then. Beyond that, messages with tokens of which
/// no request runs, which anyone can make up, are counted together. There are only as many others as there are agents
/// and requests.
const MAX_COUNTS: usize = 1024;

/// Counts control messages, by their caller.
#[derive(Default, Debug)]
pub(super) struct ControlRates(Mutex<Counts>);

#[derive(Default, Debug)]
struct Counts {
    all: BTreeMap<(Caller, Kind), Count>,
    /// When counts were forgotten last: not at each message of a flood.
    forgotten: Option<Instant>,
}

/// The messages that are counted together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    /// For calls that run here. With a token, it is that of a request that runs.
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
        if counts.all.len() >= MAX_COUNTS {
            counts.forget(now);
        }
        let mut key = (caller.clone(), kind);
        let is_made_up = matches!(key, (Caller::Token(_), Kind::Other));
        if is_made_up && counts.all.len() >= MAX_COUNTS && !counts.all.contains_key(&key) {
            key.0 = Caller::Unverified;
        }
        let new = Count { start: now, messages: 0 };
        let count = counts.all.entry(key).or_insert(new);
        if !count.is_current(now) {
            *count = new;
        }
        count.messages = count.messages.saturating_add(1);
        count.messages <= MAX_MESSAGES
    }
}

impl Counts {
    /// Forgets the counts whose period is over, once in a period.
    fn forget(&mut self, now: Instant) {
        if self.forgotten.is_none_or(|last| now.saturating_duration_since(last) >= PERIOD) {
            self.all.retain(|_, count| count.is_current(now));
            self.forgotten = Some(now);
        }
    }
}

impl Count {
    fn is_current(self, now: Instant) -> bool {
        now.saturating_duration_since(self.start) < PERIOD
    }
}

#[cfg(test)]
mod tests {
    use capgen_schema::Hash;

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
        assert!(rates.0.lock().is_ok_and(|counts| counts.all.len() <= MAX_COUNTS));
    }

    #[test]
    fn tokens_that_are_made_up_take_no_room_of_those_of_requests() {
        let (rates, now) = (ControlRates::default(), Instant::now());
        let token = |number: usize| Caller::Token(Hash::of(number.to_string()));
        let accepted = (0..MAX_COUNTS * 4).filter(|number| rates.accepts(&token(*number), Kind::Other, now));
        // One of each that has a count, and those that are counted together.
        assert_eq!(accepted.count(), MAX_COUNTS + MAX_MESSAGES);
        assert!(rates.0.lock().is_ok_and(|counts| counts.all.len() <= MAX_COUNTS + 1));
        assert!(rates.accepts(&token(MAX_COUNTS * 4), Kind::Running, now));
        assert!(rates.accepts(&Caller::Agent("a".into()), Kind::Other, now));
        assert!(rates.accepts(&token(MAX_COUNTS * 4), Kind::Other, now + PERIOD));
    }
}
