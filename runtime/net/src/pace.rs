//! How fast peers must be.

use std::time::Duration;

/// The time in which a peer must read or send something: a fixed one for small amounts, and more for larger ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pace {
    time: Duration,
    rate: u64,
}

impl Pace {
    /// A time for small amounts, and the slowest rate of larger ones, in bytes per ms. A rate of 0 means 1.
    #[must_use]
    pub const fn new(time: Duration, rate: u64) -> Self {
        Self { time, rate: if rate == 0 { 1 } else { rate } }
    }

    /// The time for small amounts.
    pub(crate) const fn time(self) -> Duration {
        self.time
    }

    /// The additional time for some bytes.
    pub(crate) fn more(self, bytes: usize) -> Duration {
        Duration::from_micros(u64::try_from(bytes).unwrap_or(u64::MAX).saturating_mul(1000) / self.rate)
    }
}
