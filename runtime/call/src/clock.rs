//! The time, which deadlines and records need.

use std::time::{SystemTime, UNIX_EPOCH};

/// A source of the current time. Tests replace it, to simulate clocks that differ.
pub trait Clock: Send + Sync + 'static {
    /// The Unix time in ms.
    fn now_ms(&self) -> u64;
}

/// The clock of the system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }
}
