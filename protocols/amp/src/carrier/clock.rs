//! The real clock.

use std::time::{SystemTime, UNIX_EPOCH};

/// The time in Unix ms.
pub(super) fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}
