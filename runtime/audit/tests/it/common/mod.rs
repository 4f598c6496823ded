//! Records, and a database in a temporary folder.
#![allow(dead_code, reason = "each test binary uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;

use capgen_audit::{Anchor, Database, Filter, Row, SqliteAudit, Verification};
use capgen_call::{Audit, AuditRecord};
use rusqlite::Connection;
use serde_json::json;
use tempfile::TempDir;

/// A violation with this number as its time and in its ids. Its message quotes a value.
pub(crate) fn violation(tenant: &str, number: u64) -> AuditRecord {
    let message = format!("must be one of \"low\", got \"secret-{number}\"");
    let record = json!({
        "kind": "capability_schema_violation",
        "ts": number,
        "tenantId": tenant,
        "capabilityName": "review-pr",
        "peerId": "agent://pr-reviewer",
        "side": "request",
        "violations": [{"path": "/severity", "message": message, "keyword": "enum"}],
        "correlationId": format!("c-{number}"),
    });
    serde_json::from_value(record).unwrap()
}

/// A call with this number as its time and in its ids.
pub(crate) fn call(tenant: &str, number: u64) -> AuditRecord {
    let record = json!({
        "kind": "capability_call",
        "ts": number,
        "tenantId": tenant,
        "capabilityName": "summarise",
        "peerId": "agent://writer",
        "contractHash": "sha256:00",
        "status": "ok",
        "latencyMs": 3,
        "correlationId": format!("c-{number}"),
    });
    serde_json::from_value(record).unwrap()
}

/// A database in a temporary folder.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.0.path().join("audit.db")
    }

    /// A closed database with these records.
    pub(crate) fn with(records: impl IntoIterator<Item = AuditRecord>) -> Self {
        let folder = Self::new();
        folder.add(records);
        folder
    }

    /// Adds records, and closes the database.
    pub(crate) fn add(&self, records: impl IntoIterator<Item = AuditRecord>) {
        let audit = SqliteAudit::open(self.path()).unwrap();
        run(async {
            for record in records {
                audit.record(record).await.unwrap();
            }
            audit.flush().await.unwrap();
        });
    }

    pub(crate) fn verify(&self) -> Verification {
        Database::open(&self.path()).unwrap().verify(None).unwrap()
    }

    pub(crate) fn verify_against(&self, anchor: &Anchor) -> Verification {
        Database::open(&self.path()).unwrap().verify(Some(anchor)).unwrap()
    }

    pub(crate) fn rows(&self) -> Vec<Row> {
        Database::open(&self.path()).unwrap().rows(&Filter::default()).unwrap()
    }

    /// Runs SQL as another program would.
    pub(crate) fn sql(&self, statements: &str) -> rusqlite::Result<()> {
        Connection::open(self.path()).unwrap().execute_batch(statements)
    }

    /// Changes rows although triggers refuse that, as someone with write access to the file can.
    pub(crate) fn tamper(&self, statements: &str) {
        let connection = Connection::open(self.path()).unwrap();
        let mut triggers = connection.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").unwrap();
        let triggers = triggers.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        let triggers: Vec<(String, String)> = triggers.map(Result::unwrap).collect();
        for (name, _) in &triggers {
            connection.execute_batch(&format!("DROP TRIGGER {name}")).unwrap();
        }
        connection.execute_batch(statements).unwrap();
        for (_, sql) in &triggers {
            connection.execute_batch(sql).unwrap();
        }
    }
}

/// Runs a future to its end.
pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}

/// The `id`, position and reason of the broken row of each tenant, and the damage of the file.
pub(crate) fn findings(verification: &Verification) -> Vec<String> {
    let broken = verification.tenants.iter().filter_map(|tenant| {
        let row = tenant.broken.as_ref()?;
        Some(format!("{} row {} seq {}: {:?}", tenant.tenant, row.id, row.seq, row.reason))
    });
    let problems = verification.problems.iter().map(|problem| problem.message.clone());
    let unconfirmed = verification.unconfirmed.iter();
    let unconfirmed = unconfirmed.map(|u| format!("{} seq {}: {:?}", u.head.tenant, u.head.seq, u.problem));
    broken.chain(problems).chain(unconfirmed).collect()
}
