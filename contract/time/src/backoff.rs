//! Pauses between attempts.

use std::time::Duration;

/// The factor of a pause is a `u32`. More doublings change nothing that a caller waits for: 2^31 ms are 24 days.
const MAX_DOUBLINGS: u32 = 31;

/// Pauses between attempts, which double up to a limit, so that a peer that fails gets fewer attempts the longer it
/// fails.
///
/// It is a value without a clock and without randomness: the caller counts the attempts, and passes a random number if
/// the pauses vary.
///
/// ```
/// use std::time::Duration;
/// use capgen_time::Backoff;
/// let backoff = Backoff::new(Duration::from_millis(20), Duration::from_millis(50));
/// let pauses = [0, 1, 2, 3].map(|failed| backoff.pause(failed).as_millis());
/// assert_eq!(pauses, [0, 20, 40, 50]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Backoff {
    first: Duration,
    longest: Duration,
}

impl Backoff {
    /// The pause after the first failed attempt, and the longest one. If `first` is longer, every pause is `longest`.
    #[must_use]
    pub const fn new(first: Duration, longest: Duration) -> Self {
        Self { first, longest }
    }

    /// The pause after so many failed attempts. Before the first attempt there is none.
    #[must_use]
    pub fn pause(self, failed: u32) -> Duration {
        let Some(doublings) = failed.checked_sub(1) else { return Duration::ZERO };
        self.first.saturating_mul(1 << doublings.min(MAX_DOUBLINGS)).min(self.longest)
    }

    /// A random pause between `least` percent of [`pause`](Self::pause) and the whole of it, so that callers that
    /// failed at the same time do not repeat at the same time. `random` is a random number; all of its bits count.
    ///
    /// ```
    /// use std::time::Duration;
    /// use capgen_time::Backoff;
    /// let backoff = Backoff::new(Duration::from_millis(20), Duration::from_secs(2));
    /// assert_eq!(backoff.random_pause(1, 50, 0), Duration::from_millis(10));
    /// assert_eq!(backoff.random_pause(1, 50, u32::MAX), Duration::from_millis(20));
    /// ```
    #[must_use]
    pub fn random_pause(self, failed: u32, least: u8, random: u32) -> Duration {
        let least = f64::from(least.min(100)) / 100.0;
        let (full, part) = (self.pause(failed), least + (1.0 - least) * f64::from(random) / f64::from(u32::MAX));
        // The product of a very long pause may be rounded up to more than the longest duration.
        Duration::try_from_secs_f64(full.as_secs_f64() * part).map_or(full, |pause| pause.min(full))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_limit() {
        let (first, longest) = (Duration::from_millis(10), Duration::from_secs(2));
        let backoff = Backoff::new(first, longest);
        assert_eq!(backoff.pause(0), Duration::ZERO);
        for failed in 1..100 {
            assert_eq!(backoff.pause(failed), first.saturating_mul(1 << (failed - 1).min(20)).min(longest), "{failed}");
        }
        assert_eq!(backoff.pause(u32::MAX), longest);
        assert_eq!(Backoff::new(longest, first).pause(1), first);
        assert_eq!(Backoff::new(Duration::MAX, Duration::MAX).random_pause(9, 100, 0), Duration::MAX);
    }

    #[test]
    fn random_pauses_are_between_the_least_and_the_whole_pause() {
        let backoff = Backoff::new(Duration::from_millis(10), Duration::from_secs(2));
        for failed in 0..100 {
            let full = backoff.pause(failed);
            for random in [0, 1, u32::MAX / 2, u32::MAX] {
                assert!(backoff.random_pause(failed, 0, random) <= full);
                let half = backoff.random_pause(failed, 50, random);
                assert!(half >= full / 2 && half <= full, "{failed}: {half:?}");
            }
        }
    }
}
