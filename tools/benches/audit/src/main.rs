//! The cost of the audit for a call, the number of records per second, and the cost of verifying them.
//!
//! `cargo run --release -p audit`

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use capgen_audit::{Database, Durability, SqliteAudit};
use capgen_call::{Audit, AuditRecord};
use cpu_time::{ProcessTime, ThreadTime};
use serde_json::json;

const RECORDS: u64 = 100_000;
const ACKNOWLEDGED: u64 = 2_000;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
    println!("| durability | records/s | CPU per record, µs | of these in the caller, µs |");
    println!("|---|---|---|---|");
    for (name, durability) in DURABILITIES {
        runtime.block_on(throughput(name, durability));
    }
    println!("\n| durability | callers | acknowledged records/s | p50, µs | p99, µs |");
    println!("|---|---|---|---|---|");
    for (name, durability) in DURABILITIES {
        for callers in [1, 64] {
            runtime.block_on(latency(name, durability, callers));
        }
    }
}

const DURABILITIES: [(&str, Durability); 2] = [("Kill", Durability::Kill), ("PowerLoss", Durability::PowerLoss)];

fn record(number: u64) -> AuditRecord {
    let violation =
        json!({"path": "/severity", "message": "must be one of \"low\", \"med\", \"high\"", "keyword": "enum"});
    let record = json!({
        "kind": "capability_schema_violation", "ts": number, "tenantId": format!("tenant-{}", number % 10),
        "capabilityName": "review-pr", "peerId": "agent://pr-reviewer", "side": "request", "violations": [violation],
        "correlationId": "0e6c7b3e-5c3f-4b8f-9d53-3ad9d0a1f6b7",
    });
    serde_json::from_value(record).expect("a record")
}

fn open(path: &Path, durability: Durability) -> SqliteAudit {
    SqliteAudit::options(path).durability(durability).queue(4096).open().expect("a database")
}

/// One caller that hands over records as fast as they are written.
async fn throughput(name: &str, durability: Durability) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("audit.db");
    let records: Vec<AuditRecord> = (0..RECORDS).map(record).collect();
    let audit = open(&path, durability);
    let (start, cpu) = (Instant::now(), ProcessTime::now());
    let mut caller = Duration::ZERO;
    for record in records {
        let start = ThreadTime::now();
        let accepted = audit.record(record);
        caller += start.elapsed();
        accepted.await.expect("an accepted record");
    }
    audit.flush().await.expect("durable records");
    let (time, cpu) = (start.elapsed(), cpu.elapsed());
    drop(audit);
    let per_record = |time: Duration| time.as_secs_f64() * 1e6 / RECORDS as f64;
    let rate = RECORDS as f64 / time.as_secs_f64();
    println!("| `{name}` | {rate:.0} | {:.1} | {:.1} |", per_record(cpu), per_record(caller));
    if durability == Durability::PowerLoss {
        let start = Instant::now();
        let verification = Database::open(&path).and_then(|database| database.verify(None)).expect("a verification");
        assert!(verification.is_intact() && verification.rows() == RECORDS);
        let size = std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
        let rate = RECORDS as f64 / start.elapsed().as_secs_f64();
        eprintln!("verify: {rate:.0} rows/s; {} bytes per row", size / RECORDS);
    }
}

/// Several callers, each of which waits until its record is durable before it hands over the next.
async fn latency(name: &str, durability: Durability, callers: u64) {
    let folder = tempfile::tempdir().expect("a folder");
    let audit = Arc::new(open(&folder.path().join("audit.db"), durability));
    let start = Instant::now();
    let tasks: Vec<_> = (0..callers)
        .map(|_| {
            let audit = Arc::clone(&audit);
            tokio::spawn(async move {
                let mut times = Vec::new();
                for number in 0..ACKNOWLEDGED / callers {
                    let record = record(number);
                    let start = Instant::now();
                    audit.record_durable(record).await.expect("a durable record");
                    times.push(start.elapsed());
                }
                times
            })
        })
        .collect();
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await.expect("a task"));
    }
    let rate = times.len() as f64 / start.elapsed().as_secs_f64();
    times.sort_unstable();
    let quantile = |part: usize| times[(times.len() - 1) * part / 100].as_micros();
    println!("| `{name}` | {callers} | {rate:.0} | {} | {} |", quantile(50), quantile(99));
}
