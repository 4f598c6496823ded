//! The tests that every [`Transport`] and every [`IdempotencyStore`] passes, for their authors.
//!
//! ```
//! use std::sync::Arc;
//!
//! use capgen_call::{MemoryBroker, Transport, conformance};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let broker = MemoryBroker::new();
//! let report = conformance::run(&|| {
//!     let transport: Arc<dyn Transport> = Arc::new(broker.connect());
//!     Box::pin(async { Ok(transport) })
//! })
//! .await;
//! assert!(report.passed(), "{report}");
//! # }
//! ```

mod checks;
mod flow;
mod harness;
mod store;

use std::fmt;
use std::sync::Arc;

use crate::idempotency_store::IdempotencyStore;
use crate::transport::{BoxFuture, Transport, TransportError};
use harness::Harness;

/// Opens a connection. All connections of a run lead to the same broker.
pub type Connect<'a> = &'a (dyn Fn() -> BoxFuture<'static, Result<Arc<dyn Transport>, TransportError>> + Send + Sync);

type Check = for<'a> fn(&'a Harness<'a>) -> BoxFuture<'a, Result<(), String>>;

/// Runs every check, one after the other. Each of them uses its own connections and addresses.
pub async fn run(connect: Connect<'_>) -> ConformanceReport {
    let mut results = Vec::new();
    for (name, check) in checks::ALL.iter().chain(&flow::ALL) {
        let harness = Harness::new(name, connect);
        results.push((*name, check(&harness).await.err()));
    }
    ConformanceReport { results }
}

/// Runs every check of a store, one after the other. Each of them uses its own keys, and leaves records behind, which
/// the store may remove after 10 minutes.
///
/// ```
/// use std::sync::Arc;
///
/// use capgen_call::{MemoryIdempotencyStore, conformance};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let report = conformance::run_store(Arc::new(MemoryIdempotencyStore::default())).await;
/// assert!(report.passed(), "{report}");
/// # }
/// ```
pub async fn run_store(store: Arc<dyn IdempotencyStore>) -> ConformanceReport {
    let mut results = Vec::new();
    for (name, check) in store::ALL {
        results.push((name, check(&store).await.err()));
    }
    ConformanceReport { results }
}

/// The result of each check.
#[derive(Clone, Debug)]
pub struct ConformanceReport {
    results: Vec<(&'static str, Option<String>)>,
}

impl ConformanceReport {
    /// Whether all checks passed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.results.iter().all(|(_, error)| error.is_none())
    }

    /// The names of the checks, each with the reason why it failed.
    pub fn results(&self) -> impl Iterator<Item = (&'static str, Option<&str>)> {
        self.results.iter().map(|(name, error)| (*name, error.as_deref()))
    }
}

impl fmt::Display for ConformanceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, error) in self.results() {
            match error {
                None => writeln!(f, "passed: {name}")?,
                Some(error) => writeln!(f, "FAILED: {name}: {error}")?,
            }
        }
        Ok(())
    }
}
