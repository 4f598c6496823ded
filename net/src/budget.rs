//! The memory for the messages that the connections of a server are receiving.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Smaller messages are received without a share: the buffers of connections have this much anyway. So slow senders of large messages
/// do not stop small ones.
pub const FREE: usize = 64 * 1024;

/// The unit of shares, in bytes: a semaphore gives at most 2^32 - 1 of them at once.
const UNIT: usize = 1024;

/// Bytes that the connections of a server share. Clones are the same bytes.
#[derive(Clone, Debug)]
pub struct Budget {
    units: Arc<Semaphore>,
    total: u32,
}

/// A part of the budget. Dropping it gives it back.
#[derive(Debug)]
pub struct Share {
    _permit: Option<OwnedSemaphorePermit>,
}

impl Budget {
    /// A budget that has room for one message at least, whatever its size.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        let total = units(bytes);
        Self { units: Arc::new(Semaphore::new(usize::try_from(total).unwrap_or(Semaphore::MAX_PERMITS))), total }
    }

    /// Waits for room to receive a message of this size. Its holder must not wait for another share: then all could wait for each other.
    /// Cancel safe.
    pub async fn receive(&self, size: usize) -> Share {
        let wanted = units(size).min(self.total);
        // The semaphore is never closed.
        Share { _permit: Arc::clone(&self.units).acquire_many_owned(wanted).await.ok() }
    }
}

/// The number of units for some bytes, at least one.
fn units(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    const SHORT: Duration = Duration::from_millis(20);

    #[tokio::test]
    async fn messages_wait_for_room() {
        let budget = Budget::new(3 << 20);
        let mut shares = Vec::new();
        for _ in 0..3 {
            shares.push(timeout(SHORT, budget.receive(1 << 20)).await.ok().unwrap());
        }
        assert!(timeout(SHORT, budget.receive(FREE)).await.is_err());
        shares.pop();
        assert!(timeout(SHORT, budget.receive(1 << 20)).await.is_ok());
    }

    #[tokio::test]
    async fn a_message_beyond_the_budget_has_it_alone() {
        let budget = Budget::new(1000);
        let share = timeout(SHORT, budget.receive(usize::MAX)).await.ok().unwrap();
        assert!(timeout(SHORT, budget.receive(1)).await.is_err());
        drop(share);
        assert!(timeout(SHORT, budget.receive(1)).await.is_ok());
    }
}
