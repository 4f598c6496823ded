//! Retries.

use std::time::Duration;

use capgen_time::Backoff;
use uuid::Uuid;

/// When a client sends the request of a call again. The default is never.
///
/// A new attempt is sent only if one is *lost*:
///
/// - the request was not published, or nothing receives the requests of the peer;
/// - the answer is an error that is retryable, such as `EAGENTRPC_BUSY`;
/// - the provider sent [heartbeats](Self::heartbeat) while it worked on the request, or announced them in its last
///   responses, and is silent for three intervals;
/// - the [`attempt_timeout`](Self::attempt_timeout), if there is one, has passed.
///
/// A request may be sent again if no handler started ([`CallError::has_no_effect`](crate::CallError::has_no_effect)),
/// or if its capability is declared `idempotent: true`, `sideEffects: pure` or `sideEffects: idempotent`. A provider
/// that works is never asked again because it is slow.
///
/// All attempts have the deadline and the idempotency key of the call, and count as one call in flight. Every answer
/// counts until the deadline: the first success ends the call, and so does the first error that is not retryable.
/// Errors that are retryable are the result at the deadline, or when no attempt waits and none may follow.
///
/// A client sends to each peer at most as many further attempts as 20% of its calls in the last 10 s, and 10 per
/// second. When they are used up, calls wait for the attempts that they have.
///
/// ```
/// use std::time::Duration;
/// let retry = capgen_call::Retry::attempts(3).backoff(Duration::from_millis(50), Duration::from_secs(2));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Retry {
    pub(crate) attempts: u32,
    backoff: Backoff,
    pub(super) attempt_timeout: Option<Duration>,
    pub(super) hedge: Option<Duration>,
    pub(super) heartbeat: Duration,
}

/// The shortest and the longest interval of heartbeats. More of them would cost a provider more than they are worth,
/// and fewer would come too late for most timeouts.
const HEARTBEATS: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(30)];

impl Default for Retry {
    fn default() -> Self {
        Self {
            attempts: 1,
            backoff: Backoff::new(Duration::from_millis(50), Duration::from_secs(2)),
            attempt_timeout: None,
            hedge: None,
            // Most requests end sooner, and then cost nothing more.
            heartbeat: Duration::from_secs(1),
        }
    }
}

impl Retry {
    /// At most this number of attempts, at least 1.
    #[must_use]
    pub fn attempts(attempts: u32) -> Self {
        Self { attempts: attempts.max(1), ..Self::default() }
    }

    /// The longest pause after the first attempt, which doubles after each further one up to `longest`. The actual
    /// pause is a random part of it, so that callers do not repeat their calls at the same time, and at most half of
    /// the time until the deadline. The default is 50 ms, up to 2 s. A pause that the provider asks for
    /// ([`CallError::retry_after`](crate::CallError::retry_after)) replaces one pause.
    #[must_use]
    pub fn backoff(self, first: Duration, longest: Duration) -> Self {
        Self { backoff: Backoff::new(first, longest.max(first)), ..self }
    }

    /// How long an attempt has no response, at most, before it counts as lost. It does not end the attempt. Without it,
    /// a request that is lost on its way to a provider that the client does not know yet is only noticed at the
    /// deadline. With it, slow providers get the request several times. Not together with [`hedge`](Self::hedge).
    ///
    /// ```
    /// use std::time::Duration;
    /// let retry = capgen_call::Retry::attempts(3).attempt_timeout(Duration::from_secs(1));
    /// ```
    #[must_use]
    pub fn attempt_timeout(self, timeout: Duration) -> Self {
        Self { attempt_timeout: Some(timeout), ..self }
    }

    /// Sends another attempt each time that the last one has had no response for a time, at least 1 ms, so that a slow
    /// instance does not delay the call. Only for capabilities that are declared `idempotent: true`, `sideEffects:
    /// pure` or `sideEffects: idempotent`. When the call ends, the other attempts are cancelled. Not together with
    /// [`attempt_timeout`](Self::attempt_timeout).
    ///
    /// ```
    /// use std::time::Duration;
    /// let retry = capgen_call::Retry::attempts(2).hedge(Duration::from_millis(100));
    /// ```
    #[must_use]
    pub fn hedge(self, after: Duration) -> Self {
        Self { hedge: Some(after.max(Duration::from_millis(1))), ..self }
    }

    /// The interval at which a provider should report that it works on a request, from 250 ms to 30 s; other durations
    /// are changed to the nearest of these. The default is 1 s.
    #[must_use]
    pub fn heartbeat(self, interval: Duration) -> Self {
        let [least, most] = HEARTBEATS;
        Self { heartbeat: interval.clamp(least, most), ..self }
    }

    /// Why the parts exclude each other, if they do.
    pub(super) fn check(self) -> Result<(), &'static str> {
        if self.attempt_timeout.is_some() && self.hedge.is_some() {
            return Err("`attempt_timeout` and `hedge` exclude each other: choose one");
        }
        Ok(())
    }

    /// The pause after an attempt, counted from 1.
    pub(super) fn pause(self, attempt: u32) -> Duration {
        let (random, _) = Uuid::new_v4().as_u64_pair();
        // The highest bits are random; the version is in lower ones.
        self.backoff.random_pause(attempt.max(1), 0, (random >> 32) as u32)
    }
}
