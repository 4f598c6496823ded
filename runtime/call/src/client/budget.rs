//! The limit for attempts that are sent in addition to the first ones.

use std::time::Duration;

use tokio::time::Instant;

/// The attempts after the first one that a client may send to one peer: a part of its calls in the last seconds, and a
/// number that is always there. Without a limit, a peer that fails would get several times its usual load.
#[derive(Default, Debug)]
pub(super) struct Budget {
    /// The newest one is the first.
    seconds: [Second; SECONDS],
    /// The beginning of the newest second; set by the first use.
    start: Option<Instant>,
}

/// The counts of one second.
#[derive(Clone, Copy, Default, Debug)]
struct Second {
    calls: u64,
    extra: u64,
}

/// The window in seconds: long enough for a part of few calls, and short enough to follow the load. Finagle, Linkerd
/// and tower have the same.
const SECONDS: usize = 10;
/// One further attempt for five calls, as in the libraries above: a peer that fails gets 20 percent more requests.
const CALLS_PER_EXTRA: u64 = 5;
/// Further attempts per second that are always allowed, so that clients with few calls have retries too.
const MIN_PER_SECOND: u64 = 10;

impl Budget {
    /// The counts of the present second.
    fn now(&mut self, now: Instant) -> &mut Second {
        let start = self.start.get_or_insert(now);
        let passed = now.saturating_duration_since(*start).as_secs();
        *start += Duration::from_secs(passed);
        let passed = usize::try_from(passed).map_or(SECONDS, |passed| passed.min(SECONDS));
        self.seconds.rotate_right(passed);
        self.seconds.iter_mut().take(passed).for_each(|second| *second = Second::default());
        let [newest, ..] = &mut self.seconds;
        newest
    }

    /// Counts a call.
    pub(super) fn called(&mut self, now: Instant) {
        self.now(now).calls += 1;
    }

    /// Takes a further attempt. Returns whether there is one.
    pub(super) fn take(&mut self, now: Instant) -> bool {
        self.now(now);
        let sum = |count: fn(&Second) -> u64| self.seconds.iter().map(count).sum::<u64>();
        let allowed = sum(|second| second.calls) / CALLS_PER_EXTRA + MIN_PER_SECOND * SECONDS as u64;
        let is_allowed = sum(|second| second.extra) < allowed;
        if is_allowed {
            self.now(now).extra += 1;
        }
        is_allowed
    }

    /// Gives back an attempt that did not reach the peer.
    pub(super) fn give_back(&mut self) {
        // It may have been taken in an earlier second.
        if let Some(second) = self.seconds.iter_mut().find(|second| second.extra > 0) {
            second.extra -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(budget: &mut Budget, now: Instant) -> u64 {
        (0..10_000).filter(|_| budget.take(now)).count() as u64
    }

    #[test]
    fn a_part_of_the_calls_and_a_number_per_second_are_allowed() {
        let (mut budget, start, window) = (Budget::default(), Instant::now(), Duration::from_secs(SECONDS as u64));
        assert_eq!(taken(&mut budget, start), 100);
        (0..50).for_each(|_| budget.called(start));
        assert_eq!(taken(&mut budget, start), 10);
        budget.give_back();
        assert_eq!(taken(&mut budget, start + Duration::from_secs(9)), 1);
        assert_eq!(taken(&mut budget, start + window), 99);
        assert_eq!(taken(&mut budget, start + 1000 * window), 100);
    }

    #[test]
    fn the_window_moves_by_seconds() {
        let (mut budget, start) = (Budget::default(), Instant::now());
        for second in 0..100 {
            let now = start + Duration::from_secs(second);
            (0..50).for_each(|_| budget.called(now));
            // 20 percent of the calls of ten seconds, and 100: as much as leaves the window each second.
            let expected = if second % 10 == 0 { 110 } else { 10 };
            assert_eq!(taken(&mut budget, now), expected, "{second}");
        }
    }
}
