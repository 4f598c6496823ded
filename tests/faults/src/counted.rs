//! An audit in SQLite that counts the records it accepted.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use capgen::call::{Audit, AuditError, AuditRecord, BoxFuture};
use capgen_audit::{Database, Durability, SqliteAudit, WhenFull};

/// The audit of one party.
#[derive(Debug)]
pub(crate) struct CountedAudit {
    inner: SqliteAudit,
    accepted: AtomicU64,
}

impl CountedAudit {
    /// Creates the database.
    ///
    /// # Panics
    ///
    /// It cannot be created.
    #[must_use]
    pub(crate) fn create(path: &Path) -> Arc<Self> {
        let options = SqliteAudit::options(path).durability(Durability::Kill).queue(16_384);
        let inner = options.when_full(WhenFull::Block { at_most: Duration::from_secs(30) }).open().expect("a database");
        Arc::new(Self { inner, accepted: AtomicU64::new(0) })
    }

    /// The number of accepted records. After [`flush`](Audit::flush), they are acknowledged.
    #[must_use]
    pub(crate) fn accepted(&self) -> u64 {
        self.accepted.load(Ordering::SeqCst)
    }
}

/// The number of records in a database.
///
/// # Panics
///
/// The database cannot be read, or its chain is broken.
#[must_use]
pub(crate) fn verified(path: &Path) -> u64 {
    let verification = Database::open(path).and_then(|database| database.verify(None)).expect("a readable database");
    assert!(verification.is_intact(), "the chain is broken: {verification:?}");
    verification.rows()
}

impl Audit for CountedAudit {
    fn record(&self, record: AuditRecord) -> BoxFuture<'_, Result<(), AuditError>> {
        let recorded = self.inner.record(record);
        Box::pin(async move {
            recorded.await?;
            self.accepted.fetch_add(1, Ordering::SeqCst);
            Ok(())
        })
    }

    fn flush(&self) -> BoxFuture<'_, Result<(), AuditError>> {
        self.inner.flush()
    }

    fn lost(&self) -> u64 {
        self.inner.lost()
    }
}
