//! Retries.

use std::time::Duration;

use capgen_time::Backoff;
use uuid::Uuid;

/// When a client repeats a call of an idempotent capability. The default is never.
///
/// A request is sent again if an attempt failed and its error is retryable (the provider was busy or not there, or its failure is marked
/// as retryable), and if an attempt has had no response for a time: an equal share of the remaining time (the first of three attempts a
/// third of it) or, if it is shorter, [`attempt_timeout`](Self::attempt_timeout). All attempts have the idempotency key of the call, count
/// as one call in flight, and wait until its deadline: a response to an earlier attempt counts too, however late it is.
///
/// So a call that succeeds without retries succeeds with them: the first valid response ends the call. An answer that is not retryable
/// ends it too, unless the first attempt may still succeed. If no attempt succeeds, the result is the last answer of the provider or, if
/// there was none, the end of the last attempt, such as `EAGENTRPC_TIMEOUT`.
///
/// ```
/// use std::time::Duration;
/// let retry = capgen_call::Retry::attempts(3).backoff(Duration::from_millis(50), Duration::from_secs(2));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Retry {
    pub(crate) attempts: u32,
    backoff: Backoff,
    attempt_timeout: Option<Duration>,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            attempts: 1,
            backoff: Backoff::new(Duration::from_millis(50), Duration::from_secs(2)),
            attempt_timeout: None,
        }
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
        Self { backoff: Backoff::new(first, longest.max(first)), ..self }
    }

    /// How long an attempt has no response, at most, before the next one starts. It does not end the attempt.
    ///
    /// ```
    /// use std::time::Duration;
    /// let retry = capgen_call::Retry::attempts(3).attempt_timeout(Duration::from_secs(1));
    /// ```
    #[must_use]
    pub fn attempt_timeout(self, timeout: Duration) -> Self {
        Self { attempt_timeout: Some(timeout), ..self }
    }

    /// How long an attempt, counted from 1, has no response before the next one starts, given the time until the deadline.
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
        let (random, _) = Uuid::new_v4().as_u64_pair();
        // The highest bits are random; the version is in lower ones.
        self.backoff.random_pause(attempt.max(1), 0, (random >> 32) as u32)
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
