//! The queue of the audit of a client.

use std::sync::Arc;

use capgen_audit::{SqliteAudit, WhenFull};
use capgen_call::{Audit, AuditRecord, AuditWriter, CallRecord, Status};

use super::SERVICE;
use super::collector::Collector;

fn record() -> AuditRecord {
    AuditRecord::Call(CallRecord::new(AuditWriter::Caller, 1, ["guide", "guide", "c"], Status::Ok))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_queue_of_the_audit_and_the_records_that_it_loses_are_measured() {
    let collector = Collector::get();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.db");
    let options = SqliteAudit::options(&path).queue(4).batch(2).when_full(WhenFull::Drop);
    let audit = Arc::new(options.open().unwrap());
    let queued = |collector: &Collector| collector.metrics().values(SERVICE, "capgen.audit.queued_records", None);
    let accepted = audit.record(record()).await;
    assert!(accepted.is_ok() && audit.flush().await.is_ok());
    assert_eq!(queued(collector), [(None, 0)]);
    // The database is locked, so that records wait.
    let lock = rusqlite::Connection::open(&path).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut lost = 0;
    for _ in 0..20 {
        lost += i64::from(audit.record(record()).await.is_err());
    }
    assert!(lost >= 20 - 4 - 2, "{lost}");
    assert_eq!(queued(collector), [(None, 20 - lost)]);
    let losses = collector.metrics().values(SERVICE, "capgen.audit.lost_records", None);
    assert_eq!(losses, [(Some("full".to_owned()), lost)]);
    lock.execute_batch("COMMIT").unwrap();
    audit.flush().await.unwrap();
    assert_eq!(queued(collector), [(None, 0)]);
}
