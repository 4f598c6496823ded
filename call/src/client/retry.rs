//! Retries.

use std::time::Duration;

use uuid::Uuid;

/// When a client repeats a call of an idempotent capability. The default is never.
///
/// A call is repeated if its error is retryable: the provider was busy or not there, the attempt had no response in time, or the
/// provider's failure is marked as retryable. All attempts share the deadline of the call and its idempotency key. An attempt waits for
/// its response for an equal share of the remaining time (the first of three attempts for a third of it), and the last one until the
/// deadline; [`attempt_timeout`](Self::attempt_timeout) makes it shorter.
///
/// ```
/// use std::time::Duration;
/// let retry = capgen_call::Retry::attempts(3).backoff(Duration::from_millis(50), Duration::from_secs(2));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Retry {
    pub(crate) attempts: u32,
    first: Duration,
    longest: Duration,
    attempt_timeout: Option<Duration>,
}

impl Default for Retry {
    fn default() -> Self {
        Self { attempts: 1, first: Duration::from_millis(50), longest: Duration::from_secs(2), attempt_timeout: None }
    }
}

impl Retry {
    /// At most this number of attempts, at least 1.
    #[must_use]
    pub fn attempts(attempts: u32) -> Self {
        Self { attempts: attempts.max(1), ..Self::default() }
    }

    /// The longest pause after the first attempt, which doubles after each further one up to `longest`. The actual pause is a random
    /// part of it, so that callers do not repeat their calls at the same time. The default is 50 ms, up to 2 s.
    #[must_use]
    pub fn backoff(self, first: Duration, longest: Duration) -> Self {
        Self { first, longest: longest.max(first), ..self }
    }

    /// How long an attempt, other than the last one, waits for its response at most.
    ///
    /// ```
    /// use std::time::Duration;
    /// let retry = capgen_call::Retry::attempts(3).attempt_timeout(Duration::from_secs(1));
    /// ```
    #[must_use]
    pub fn attempt_timeout(self, timeout: Duration) -> Self {
        Self { attempt_timeout: Some(timeout), ..self }
    }

    /// How long an attempt, counted from 1, waits for its response, given the time until the deadline.
    pub(crate) fn wait(self, attempt: u32, remaining: Duration) -> Duration {
        let left = self.attempts.saturating_sub(attempt).saturating_add(1);
        if left == 1 {
            return remaining;
        }
        let share = remaining / left;
        self.attempt_timeout.map_or(share, |timeout| share.min(timeout))
    }

    /// The pause after an attempt, counted from 1.
    pub(crate) fn pause(self, attempt: u32) -> Duration {
        let most = self.first.saturating_mul(1 << attempt.saturating_sub(1).min(20)).min(self.longest);
        let (random, _) = Uuid::new_v4().as_u64_pair();
        // The highest bits are random; the version is in lower ones.
        most.mul_f64(f64::from((random >> 32) as u32) / f64::from(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_share_the_remaining_time() {
        let retry = Retry::attempts(3);
        let second = Duration::from_secs(1);
        assert_eq!(retry.wait(1, second * 3), second);
        assert_eq!(retry.wait(2, second * 2), second);
        assert_eq!(retry.wait(3, second * 2), second * 2);
        assert_eq!(Retry::default().wait(1, second), second);
        let short = retry.attempt_timeout(second / 2);
        assert_eq!((short.wait(1, second * 3), short.wait(3, second)), (second / 2, second));
    }
}
