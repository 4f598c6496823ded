//! `capgen audit`.
#![cfg(feature = "audit")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::common::{Fleet, Run};
use capgen_audit::SqliteAudit;
use capgen_call::{Audit, AuditRecord};
use rusqlite::Connection;
use serde_json::{Value, json};

/// 2026-11-23T10:00:00Z.
const MORNING: u64 = 1_795_428_000_000;
const HOUR: u64 = 3_600_000;

fn violation(tenant: &str, capability: &str, ts: u64) -> AuditRecord {
    let message = "must be one of \"low\", got \"secret\"";
    let record = json!({
        "kind": "capability_schema_violation", "ts": ts, "tenantId": tenant, "capabilityName": capability,
        "peerId": "agent://pr-reviewer", "writtenBy": "provider", "side": "request", "correlationId": format!("c-{ts}"),
        "violations": [{"path": "/severity", "message": message, "keyword": "enum"}, {"path": "", "message": "", "keyword": "required"}],
    });
    serde_json::from_value(record).unwrap()
}

fn call(tenant: &str, ts: u64) -> AuditRecord {
    let record = json!({
        "kind": "capability_call", "ts": ts, "tenantId": tenant, "capabilityName": "search", "peerId": "agent://search",
        "contractHash": "sha256:00", "status": "timeout", "errorCode": "EAGENTRPC_TIMEOUT", "latencyMs": 30, "correlationId": "c",
    });
    serde_json::from_value(record).unwrap()
}

/// A folder with the database of the default name.
struct Database(Fleet);

impl Database {
    fn empty() -> Self {
        Self(Fleet::new(&[]))
    }

    fn new(records: impl IntoIterator<Item = AuditRecord>) -> Self {
        let database = Self::empty();
        database.add(records);
        database
    }

    /// Four records of two tenants, one for each hour from [`MORNING`] on.
    fn of_a_morning() -> Self {
        Self::new([
            violation("acme", "review-pr", MORNING),
            call("-", MORNING + HOUR),
            violation("-", "review-pr", MORNING + 2 * HOUR),
            violation("acme", "summarise", MORNING + 3 * HOUR),
        ])
    }

    fn add(&self, records: impl IntoIterator<Item = AuditRecord>) {
        let audit = SqliteAudit::open(self.path()).unwrap();
        // Records are accepted at once while there is room, and written at the latest when the store is dropped.
        records.into_iter().for_each(|record| drop(audit.record(record)));
        assert_eq!(audit.lost(), 0);
    }

    fn path(&self) -> PathBuf {
        self.0.path("capgen-audit.db")
    }

    fn run(&self, arguments: &str) -> Run {
        self.0.run(&format!("audit {arguments}"))
    }

    /// Changes rows although triggers refuse that.
    fn tamper(&self, statements: &str) {
        let connection = Connection::open(self.path()).unwrap();
        connection.execute_batch("DROP TRIGGER audit_update; DROP TRIGGER audit_delete").unwrap();
        connection.execute_batch(statements).unwrap();
    }

    /// Replaces the first of these bytes in the file.
    fn replace(&self, from: &str, to: &str) {
        let mut bytes = std::fs::read(self.path()).unwrap();
        let at = bytes.windows(from.len()).position(|window| window == from.as_bytes()).unwrap();
        bytes.splice(at..at + from.len(), to.bytes());
        std::fs::write(self.path(), bytes).unwrap();
    }
}

/// The time and kind of each record that a query prints.
#[track_caller]
fn times(database: &Database, options: &str) -> Vec<u64> {
    let run = database.run(&format!("query --json {options}")).ended(0);
    let records = run.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    records.map(|record| (record.get("ts").unwrap().as_u64().unwrap() - MORNING) / HOUR).collect()
}

#[test]
fn a_query_prints_the_records_as_the_specification_writes_them() {
    let database = Database::of_a_morning();
    let run = database.run("query --json --kind capability_schema_violation --limit 1").ended(0);
    let expected = json!({
        "kind": "capability_schema_violation", "ts": MORNING + 3 * HOUR, "tenantId": "acme", "capabilityName": "summarise",
        "peerId": "agent://pr-reviewer", "writtenBy": "provider", "side": "request", "correlationId": format!("c-{}", MORNING + 3 * HOUR),
        "violations": [
            {"path": "/severity", "message": "violates `enum`", "keyword": "enum"},
            {"path": "", "message": "violates `required`", "keyword": "required"},
        ],
    });
    assert_eq!(run.json(), expected);
}

#[test]
fn a_query_selects_records_by_each_condition() {
    let database = Database::of_a_morning();
    let queries: [(&str, &[u64]); 17] = [
        ("", &[0, 1, 2, 3]),
        ("--kind capability_call", &[1]),
        ("--kind capability_schema_violation", &[0, 2, 3]),
        ("--tenant acme", &[0, 3]),
        ("--tenant -", &[1, 2]),
        ("--tenant other", &[]),
        ("--capability review-pr", &[0, 2]),
        ("--peer pr-reviewer", &[0, 2, 3]),
        ("--peer agent://search", &[1]),
        ("--since 2026-11-23T12:00:00Z", &[2, 3]),
        ("--since 2026-11-23T13:00:00.001+01:00", &[3]),
        ("--until 2026-11-23T12:00:00Z", &[0, 1]),
        ("--since 2026-11-23 --until 2026-11-24", &[0, 1, 2, 3]),
        ("--since 2026-11-24", &[]),
        ("--limit 2", &[2, 3]),
        ("--limit 1 --tenant -", &[2]),
        ("--limit 0", &[]),
    ];
    for (options, expected) in queries {
        assert_eq!(times(&database, options), expected, "{options}");
    }
}

#[test]
fn relative_times_count_back_from_now() {
    let now = u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap();
    let ages = [40 * 24 * HOUR, 3 * 24 * HOUR, 2 * HOUR, HOUR / 2];
    let database = Database::new(ages.map(|age| call("-", now - age)));
    for (since, expected) in
        [("59m", 1), ("3h", 2), ("4d", 3), ("5w", 3), ("6w", 4), ("99999999999999999999w", 4), ("5s", 0)]
    {
        let run = database.run(&format!("query --json --since {since}")).ended(0);
        assert_eq!(run.stdout.lines().count(), expected, "{since}: {run:?}");
    }
}

#[test]
fn a_query_prints_a_table() {
    let run = Database::of_a_morning().run("query").ended(0);
    let lines: Vec<&str> = run.stdout.lines().collect();
    let [header, first, second, ..] = lines.as_slice() else { panic!("{run:?}") };
    assert!(header.starts_with("TIME ") && lines.len() == 5, "{run:?}");
    assert!(first.starts_with("2026-11-23T10:00:00.000Z  capability_schema_violation  acme "), "{first}");
    assert!(first.ends_with("request: /severity enum, (root) required"), "{first}");
    // The second record is one of an older version.
    assert!(first.contains("  provider  agent://pr-reviewer  ") && !second.contains("provider"), "{run:?}");
    assert!(second.ends_with("timeout EAGENTRPC_TIMEOUT in 30 ms"), "{second}");
    assert_eq!(run.stderr, "");
}

#[test]
fn invalid_options_are_usage_errors() {
    let database = Database::of_a_morning();
    let commands = [
        "query --kind violation",
        "query --since yesterday",
        "query --since 1y",
        "query --since h",
        "query --since 2026-13-01",
        "query --limit -1",
        "prune",
        "prune --before soon",
        "verify --since 1h",
        "",
        "erase",
    ];
    for command in commands {
        assert_ne!(database.run(command).ended(2).stderr, "", "{command}");
    }
}

#[test]
fn a_database_that_does_not_exist_is_an_error_and_is_not_created() {
    let folder = Database::empty();
    for command in ["query", "tail", "tail --no-follow", "verify", "anchor", "prune --before 1d"] {
        let run = folder.run(&format!("{command} --db other.db")).ended(1);
        assert!(run.stderr.contains("error[E0651]: cannot use `other.db`: the file does not exist"), "{run:?}");
        assert_eq!(run.stdout, "");
        assert_eq!(folder.0.names(""), ["agents"]);
    }
    // A folder cannot be a database either.
    folder.run("query --db agents").ended(1);
}

#[test]
fn a_file_that_is_not_an_audit_is_an_error() {
    let folder = Database::empty();
    for text in ["", "notes\n", &"SQLite format 3\0".repeat(500)] {
        folder.0.write("capgen-audit.db", text);
        for command in ["query", "tail --no-follow", "verify", "anchor", "prune --before 1d"] {
            let run = folder.run(command).ended(1);
            assert!(run.stderr.contains("error[E065"), "{run:?}");
        }
        assert_eq!(folder.0.read("capgen-audit.db"), text);
    }
}

#[test]
fn verify_reports_an_intact_chain_and_its_limits() {
    let run = Database::of_a_morning().run("verify").ended(0);
    assert!(run.stderr.starts_with("✓ the chain of each tenant is intact: 4 rows of 2 tenants\n"), "{run:?}");
    assert!(run.stderr.contains("does not prove"), "{run:?}");
    let run = Database::of_a_morning().run("verify --json").ended(0);
    assert_eq!(run.json().get("intact"), Some(&json!(true)));
}

#[test]
fn verify_names_the_row_of_a_changed_byte() {
    let database = Database::of_a_morning();
    database.replace("\"capabilityName\":\"summarise\"", "\"capabilityName\":\"summarisE\"");
    let run = database.run("verify").ended(1);
    assert!(run.stderr.contains("error[E0653]: row 4 (tenant `acme`, sequence number 2) is broken"), "{run:?}");
    let run = database.run("verify --json").ended(1);
    assert_eq!(run.json().pointer("/tenants/1/broken/row"), Some(&json!(4)), "{run:?}");
    assert_eq!(database.run("anchor").ended(1).stdout, "");
    assert!(database.run("prune --before 2030-01-01").ended(1).stderr.contains("nothing was removed"));
    assert_eq!(times(&database, ""), [0, 1, 2, 3], "records can still be read");
}

#[test]
fn verify_reports_a_file_that_was_cut() {
    let database = Database::of_a_morning();
    let bytes = std::fs::read(database.path()).unwrap();
    for pages in 1..bytes.len() / 4096 {
        std::fs::write(database.path(), bytes.get(..pages * 4096).unwrap()).unwrap();
        let run = database.run("verify").ended(1);
        assert!(run.stderr.contains("error[E065"), "{pages}: {run:?}");
    }
}

#[test]
fn verify_reports_damage_beside_the_rows() {
    let database = Database::of_a_morning();
    database.tamper("DROP INDEX audit_ts");
    let run = database.run("verify").ended(1);
    assert!(run.stderr.contains("error[E0654]: `audit_ts` is missing"), "{run:?}");
}

#[test]
fn an_anchor_finds_rows_that_were_removed_at_the_end() {
    let database = Database::of_a_morning();
    let run = database.run("anchor").ended(0);
    assert_eq!(run.json().get("capgenAuditAnchor"), Some(&json!(1)));
    database.0.write("anchor.json", &run.stdout);
    database.add([call("acme", MORNING + 4 * HOUR)]);
    let run = database.run("verify --anchor anchor.json").ended(0);
    assert!(run.stderr.contains("The rows up to the anchored ones are unchanged"), "{run:?}");
    database.tamper("DELETE FROM audit WHERE tenant = 'acme' AND seq > 1");
    let run = database.run("verify --anchor anchor.json").ended(1);
    let expected = "error[E0655]: the anchored row with sequence number 2 of the tenant `acme` is not in the chain";
    assert!(run.stderr.contains(expected), "{run:?}");
    let run = database.run("verify --anchor anchor.json --json").ended(1);
    assert_eq!(run.json().pointer("/unconfirmed/0/seq"), Some(&json!(2)));
}

#[test]
fn a_file_that_is_not_an_anchor_is_an_error() {
    let database = Database::of_a_morning();
    let hash = "0".repeat(64);
    let texts = [
        "",
        "{}",
        "[]",
        "{\"capgenAuditAnchor\": 2, \"heads\": []}",
        "{\"capgenAuditAnchor\": 1, \"heads\": [{\"tenant\": \"-\", \"seq\": 1, \"hash\": \"00\"}]}",
        &format!(
            "{{\"capgenAuditAnchor\": 1, \"heads\": [{{\"tenant\": \"-\", \"seq\": 1, \"hash\": \"{hash}\", \"x\": 1}}]}}"
        ),
    ];
    for text in texts {
        database.0.write("anchor.json", text);
        let run = database.run("verify --anchor anchor.json").ended(1);
        assert!(run.stderr.contains("error[E0656]: `anchor.json` is not an anchor"), "{text}: {run:?}");
    }
    assert!(database.run("verify --anchor missing.json").ended(1).stderr.contains("error[E0656]"));
}

#[test]
fn prune_keeps_a_chain_that_can_be_verified() {
    let database = Database::of_a_morning();
    let run = database.run("prune --before 2026-11-23T12:00:00Z").ended(0);
    assert!(run.stderr.starts_with("✓ removed 2 rows of 2 tenants\n  checkpoint of the tenant `-`: "), "{run:?}");
    let run = database.run("verify").ended(0);
    assert!(run.stderr.contains("4 rows of 2 tenants; 2 more were pruned"), "{run:?}");
    let run = database.run("query --kind audit_checkpoint --tenant acme --json").ended(0);
    assert_eq!(run.json().get("removed"), Some(&json!(1)));
    let run = database.run("prune --before 2026-11-23T12:00:00Z --json").ended(0);
    assert_eq!(run.json(), json!({"removed": []}));
    let run = database.run("prune --before 2026-11-23T12:30:00Z --json").ended(0);
    let run = run.json();
    let removed = run.get("removed").and_then(Value::as_array).unwrap();
    let tenants: Vec<_> = removed.iter().map(|tenant| tenant.get("tenant").unwrap()).collect();
    assert_eq!(tenants, ["-"]);
    database.run("verify").ended(0);
}

#[test]
fn an_anchored_row_that_was_pruned_is_an_error_unless_its_checkpoint_is_known() {
    let database = Database::of_a_morning();
    database.0.write("anchor.json", &database.run("anchor").ended(0).stdout);
    database.add([call("acme", MORNING + 24 * HOUR), call("-", MORNING + 24 * HOUR)]);
    let run = database.run("prune --before 2026-11-24T00:00:00Z --json").ended(0).json();
    let removed = run.get("removed").and_then(Value::as_array).unwrap();
    let hashes: Vec<&str> = removed.iter().map(|part| part.get("checkpoint").unwrap().as_str().unwrap()).collect();
    assert_eq!(hashes.len(), 2);
    database.run("verify").ended(0);
    let run = database.run("verify --anchor anchor.json").ended(1);
    assert!(run.stderr.contains("error[E0655]") && run.stderr.contains("the rows up to sequence number "), "{run:?}");
    assert!(run.stderr.contains("anyone who can write to the database can append such a checkpoint"), "{run:?}");
    let run = database.run("verify --anchor anchor.json --json").ended(1).json();
    assert_eq!(run.get("unconfirmed").and_then(Value::as_array).map(Vec::len), Some(2));
    let allowed: String = hashes.iter().map(|hash| format!(" --allow-pruned {hash}")).collect();
    let run = database.run(&format!("verify --anchor anchor.json{allowed}")).ended(0);
    assert!(run.stderr.contains("The others were pruned by the checkpoints that"), "{run:?}");
    let one = format!("verify --anchor anchor.json --allow-pruned {}", hashes[0]);
    assert_eq!(database.run(&format!("{one} --json")).ended(1).json()["unconfirmed"].as_array().map(Vec::len), Some(1));
    let run = database.run(&format!("verify --anchor anchor.json{allowed} --allow-pruned {}", "0".repeat(64))).ended(1);
    assert!(run.stderr.contains("error[E0655]: no checkpoint has the hash 0000"), "{run:?}");
    database.run("verify --anchor anchor.json --allow-pruned 5f").ended(2);
    database.run(&format!("verify{allowed}")).ended(2);
}

#[test]
fn tail_prints_the_last_records_and_then_new_ones() {
    let database = Database::of_a_morning();
    let run = database.run("tail -n 2 --no-follow --json").ended(0);
    assert_eq!(run.stdout.lines().count(), 2);
    let mut child = database.0.command("audit tail -n 1 --json").spawn().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<Value>(&output.next().unwrap().unwrap()).unwrap();
    assert_eq!(next().get("ts"), Some(&json!(MORNING + 3 * HOUR)));
    database.add([call("x", MORNING + 5 * HOUR), call("x", MORNING + 6 * HOUR)]);
    assert_eq!(next().get("ts"), Some(&json!(MORNING + 5 * HOUR)));
    assert_eq!(next().get("ts"), Some(&json!(MORNING + 6 * HOUR)));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn text_in_the_database_cannot_control_the_terminal() {
    let hostile = "a\u{1b}[2Jb\u{202e}\n";
    let database = Database::new([violation(hostile, hostile, MORNING)]);
    for command in ["query", "query --json", "tail --no-follow", "anchor", "verify --json"] {
        let run = database.run(command).ended(0);
        assert!(!run.stdout.contains(['\u{1b}', '\u{202e}']), "{command}: {run:?}");
        assert_eq!(run.stdout.lines().count(), 1 + usize::from(!command.contains("json") && command != "anchor"));
    }
    database.tamper("UPDATE audit SET ts = 1");
    let run = database.run("verify").ended(1);
    assert!(!run.stderr.contains(['\u{1b}', '\u{202e}']) && run.stderr.contains("row 1 "), "{run:?}");
}

#[test]
fn a_malformed_row_is_reported_and_the_others_are_printed() {
    let database = Database::of_a_morning();
    database.tamper("UPDATE audit SET record = 'x' WHERE id = 2; UPDATE audit SET hash = x'00' WHERE id = 3");
    let run = database.run("query --json").ended(1);
    assert_eq!(run.stdout.lines().count(), 2);
    assert!(run.stderr.contains("row 2 is malformed") && run.stderr.contains("row 3 is malformed"), "{run:?}");
}

#[test]
#[cfg(unix)]
fn a_database_in_a_folder_that_is_not_writable_can_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let database = Database::of_a_morning();
    let folder = database.0.path("");
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o555)).unwrap();
    let runs = ["verify", "query"].map(|command| database.run(command));
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    runs.into_iter().for_each(|run| assert_eq!(run.status, 0, "{run:?}"));
}
