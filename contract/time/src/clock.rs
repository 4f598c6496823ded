//! The current time.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A source of the current time. Tests replace it, to simulate clocks that differ.
///
/// ```
/// use capgen_time::Clock;
/// struct Stopped;
/// impl Clock for Stopped {
///     fn now_ms(&self) -> u64 {
///         1_709_210_096_789
///     }
/// }
/// assert_eq!(Stopped.now_ms(), 1_709_210_096_789);
/// ```
pub trait Clock: Send + Sync + 'static {
    /// The Unix time in ms.
    fn now_ms(&self) -> u64;
}

/// The clock of the system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl SystemClock {
    /// The Unix time as exactly as the system knows it, for comparisons with the times of files. It is zero if the
    /// clock is set to a time before 1970.
    ///
    /// ```
    /// assert!(capgen_time::SystemClock.since_1970().as_secs() > 1_700_000_000);
    /// ```
    #[must_use]
    pub fn since_1970(self) -> Duration {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
    }
}

impl Clock for SystemClock {
    fn now_ms(&self) -> u64 {
        u64::try_from(self.since_1970().as_millis()).unwrap_or(u64::MAX)
    }
}
