//! The limit of control messages.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// The control messages of a kind that a server follows in a [`PERIOD`]; further ones are dropped. They need no permit,
/// so that they arrive while all handlers are busy, and therefore must not take the time of the requests: a thousand
/// signatures take some 10 ms. A caller that cancels more at once has handlers that run to their end.
const MAX_MESSAGES: usize = 1000;
const PERIOD: Duration = Duration::from_secs(1);

/// Counts control messages.
#[derive(Default, Debug)]
pub(super) struct ControlRate(Mutex<Option<(Instant, usize)>>);

impl ControlRate {
    /// Whether a message that arrives now is one of those that are followed.
    pub(super) fn accepts(&self, now: Instant) -> bool {
        let mut period = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match period.as_mut() {
            Some((start, count)) if now.saturating_duration_since(*start) < PERIOD => {
                *count = count.saturating_add(1);
                *count <= MAX_MESSAGES
            }
            _ => {
                *period = Some((now, 1));
                true
            }
        }
    }
}
