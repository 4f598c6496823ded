//! A registry that follows a log.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

use crate::log::{Log, LogError};
use crate::{Checker, Registry, View};

/// The number of events that are read at once. Readers wait while one batch is joined, so a larger one would block them
/// for longer; a smaller one would settle the registry more often.
const BATCH: usize = 1024;

/// A registry, and the place in the log up to which it contains the events. Readers in other threads share it.
pub struct Follower {
    log: Box<dyn Log>,
    checker: Arc<Checker>,
    registry: SharedRegistry,
    after: u64,
}

/// A registry that other threads read while a [`Follower`] updates it. It is always settled.
#[derive(Clone, Debug)]
pub struct SharedRegistry(Arc<RwLock<Registry>>);

/// A lock on a registry, which lets a follower wait.
pub struct ReadRegistry<'r>(RwLockReadGuard<'r, Registry>);

impl SharedRegistry {
    /// Shares a registry.
    #[must_use]
    pub fn new(mut registry: Registry) -> Self {
        registry.settle();
        Self(Arc::new(RwLock::new(registry)))
    }

    /// The registry as it is now.
    #[must_use]
    pub fn read(&self) -> ReadRegistry<'_> {
        ReadRegistry(self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ReadRegistry<'_> {
    /// The answers to questions.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        // The follower settles the registry before it lets readers in.
        self.0.as_settled()
    }
}

impl Follower {
    /// Follows a log from its start.
    #[must_use]
    pub fn new(log: Box<dyn Log>, checker: Arc<Checker>) -> Self {
        let registry = Registry::new(checker.config().clone());
        Self::from(log, checker, registry, 0)
    }

    /// Follows a log from a registry of its events up to a sequence, such as that of a snapshot.
    #[must_use]
    pub fn from(log: Box<dyn Log>, checker: Arc<Checker>, registry: Registry, after: u64) -> Self {
        Self { log, checker, registry: SharedRegistry::new(registry), after }
    }

    /// The registry, for other threads.
    #[must_use]
    pub fn registry(&self) -> SharedRegistry {
        self.registry.clone()
    }

    /// The sequence of the last event that the registry contains.
    #[must_use]
    pub fn sequence(&self) -> u64 {
        self.after
    }

    /// Reads all events that the log has now. Returns their number.
    ///
    /// # Errors
    ///
    /// The log cannot be read. The registry contains the events before that.
    pub fn catch_up(&mut self) -> Result<usize, LogError> {
        let mut count = 0;
        loop {
            let records = self.log.read(self.after, BATCH)?;
            let Some(last) = records.last() else { return Ok(count) };
            self.after = last.sequence;
            count += records.len();
            // Outside of the lock, so that readers wait for the joins alone.
            let facts = records.iter().flat_map(|record| self.checker.check(&record.event).into_facts()).collect();
            let mut registry = self.registry.0.write().unwrap_or_else(PoisonError::into_inner);
            registry.join_all(facts);
            registry.settle();
        }
    }

    /// Waits for new events, at most for a time, and reads them. Returns their number.
    ///
    /// # Errors
    ///
    /// Those of [`catch_up`](Self::catch_up).
    pub fn follow(&mut self, timeout: Duration) -> Result<usize, LogError> {
        if self.log.wait(self.after, timeout)? { self.catch_up() } else { Ok(0) }
    }
}

impl std::fmt::Debug for Follower {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Follower").field("after", &self.after).finish_non_exhaustive()
    }
}
