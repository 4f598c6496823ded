//! The faults of the store: a full disk, a locked database, a killed program, and more than one program.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]
#![expect(clippy::print_stdout, reason = "a child process reports its records")]

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::common::{Folder, run, violation};
use capgen_audit::{Database, Durability, Pruned, SqliteAudit, WhenFull, prune};
use capgen_call::{Audit, AuditError};
use rusqlite::Connection;

/// The correlation ids in the database.
fn stored(folder: &Folder) -> Vec<String> {
    let ids = folder.rows().into_iter().map(|row| {
        let record: serde_json::Value = serde_json::from_str(&row.record).unwrap();
        record["correlationId"].as_str().unwrap().to_owned()
    });
    ids.collect()
}

/// Runs this program again, with only the test `role_of_the_child`. `shell` are commands that run first.
fn child(folder: &Folder, role: &str, shell: &str) -> Child {
    let program = std::env::current_exe().unwrap();
    let arguments = "faults::role_of_the_child --exact --ignored --nocapture --test-threads 1";
    Command::new("sh")
        .args(["-c", &format!("{shell} exec \"$0\" {arguments}")])
        .arg(program)
        .env("CAPGEN_AUDIT_ROLE", role)
        .env("CAPGEN_AUDIT_PATH", folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The ids that a child printed. The test harness prints too, even on the same line.
fn lines(output: &str) -> Vec<String> {
    let ids = output.lines().filter_map(|line| Some(line.split_once("acknowledged ")?.1.to_owned()));
    ids.collect()
}

#[test]
#[ignore = "other tests run it in another process"]
fn role_of_the_child() {
    let path = std::env::var("CAPGEN_AUDIT_PATH").unwrap();
    let role = std::env::var("CAPGEN_AUDIT_ROLE").unwrap();
    run(write(Path::new(&path), &role));
}

async fn write(path: &Path, role: &str) {
    let options = SqliteAudit::options(path).durability(Durability::Kill).busy_timeout(Duration::from_secs(20));
    let audit = Arc::new(options.open().unwrap());
    match role {
        // Until it is killed; some records are acknowledged one by one, some by a flush.
        "forever" => {
            for number in 0.. {
                if number % 10 == 0 {
                    audit.flush().await.unwrap();
                    (number.max(10) - 9..number).for_each(|number| println!("acknowledged c-{number}"));
                    audit.record_durable(violation("t", number)).await.unwrap();
                    println!("acknowledged c-{number}");
                } else {
                    audit.record(violation("t", number)).await.unwrap();
                }
            }
        }
        // Slow enough that each verification ends before there are many more rows.
        "slow" => {
            for number in 0..3000 {
                audit.record(violation("t", number)).await.unwrap();
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        }
        "full" => {
            let mut failed = 0;
            for number in 0..400 {
                match audit.record_durable(violation("t", number)).await {
                    Ok(()) => println!("acknowledged c-{number}"),
                    Err(AuditError::Failed(_)) => failed += 1,
                    Err(error) => panic!("{error}"),
                }
                if failed == 3 {
                    assert_eq!(audit.lost(), 3);
                    return;
                }
            }
            panic!("the disk never was full");
        }
        prefix => {
            for number in 0..300 {
                let tenant = ["-", "acme", prefix][usize::try_from(number % 3).unwrap()];
                audit.record(violation(tenant, number)).await.unwrap();
            }
            audit.flush().await.unwrap();
            println!("acknowledged {prefix}");
        }
    }
}

#[test]
fn acknowledged_records_survive_kill_9() {
    let folder = Folder::new();
    for round in 1..=3 {
        let mut child = child(&folder, "forever", "");
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut printed = String::new();
        while lines(&printed).len() < 100 * round {
            assert_ne!(output.read_line(&mut printed).unwrap(), 0);
        }
        child.kill().unwrap();
        child.wait().unwrap();
        output.read_to_string(&mut printed).unwrap();
        let stored = stored(&folder);
        // The last line may be incomplete.
        let (complete, _) = printed.rsplit_once('\n').unwrap();
        let lost: Vec<_> = lines(complete).into_iter().filter(|id| !stored.contains(id)).collect();
        assert_eq!(lost, Vec::<String>::new());
        let verification = folder.verify();
        assert!(verification.is_intact(), "{verification:?}");
    }
}

#[test]
fn a_changed_byte_of_the_log_of_a_killed_program_is_found() {
    let folder = Folder::new();
    let mut child = child(&folder, "forever", "");
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut printed = String::new();
    while lines(&printed).len() < 60 {
        assert_ne!(output.read_line(&mut printed).unwrap(), 0);
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let log = folder.path().with_extension("db-wal");
    let bytes = std::fs::read(&log).unwrap();
    let copy = Folder::new();
    let verify = |bytes: &[u8]| {
        // SQLite reads the log again if its index does not exist.
        let _ = std::fs::remove_file(copy.path().with_extension("db-shm"));
        std::fs::copy(folder.path(), copy.path()).unwrap();
        std::fs::write(copy.path().with_extension("db-wal"), bytes).unwrap();
        let verification = Database::open(&copy.path()).and_then(|database| database.verify(None));
        verification.is_ok_and(|verification| verification.is_intact()).then(|| copy.rows().len())
    };
    let rows = verify(&bytes).unwrap();
    assert!(rows >= 50);
    // The frames at the end may belong to a transaction that was not committed.
    for part in 0..45 {
        let mut changed = bytes.clone();
        let position = bytes.len() * part / 60;
        changed[position] ^= 1 << (part % 8);
        assert!([None, Some(rows)].contains(&verify(&changed)), "byte {position} of {}", bytes.len());
    }
}

#[test]
fn a_database_is_verified_and_pruned_while_a_program_writes_to_it() {
    let folder = Folder::with([violation("t", 1)]);
    let mut child = child(&folder, "slow", "");
    let mut pruned = 0;
    for round in 0..30 {
        let verification = folder.verify();
        assert!(verification.is_intact(), "{round}: {verification:?}");
        if round % 5 == 4 {
            let Pruned::Removed(removed) = prune(&folder.path(), round, 1_000_000).unwrap() else { panic!("refused") };
            pruned += removed.len();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let verification = folder.verify();
    assert!(pruned > 0 && verification.rows() > 10 && verification.is_intact(), "{verification:?}");
}

#[test]
fn several_programs_write_to_one_file() {
    let folder = Folder::new();
    let children = ["a", "b", "c"].map(|role| child(&folder, role, ""));
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let verification = folder.verify();
    assert!(verification.is_intact(), "{verification:?}");
    let chains: Vec<_> = verification.tenants.iter().map(|t| (t.tenant.as_str(), t.rows)).collect();
    assert_eq!(chains, [("-", 300), ("a", 100), ("acme", 300), ("b", 100), ("c", 100)]);
}

#[test]
#[cfg(unix)]
fn records_that_a_full_disk_refuses_are_not_acknowledged() {
    let folder = Folder::new();
    // No file of the child may be larger than 500 kB; the signal that this causes by default is ignored.
    let output = child(&folder, "full", "trap '' XFSZ; ulimit -f 1000;").wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let acknowledged = lines(&String::from_utf8(output.stdout).unwrap());
    assert!(acknowledged.len() > 10, "{acknowledged:?}");
    assert_eq!(stored(&folder), acknowledged);
    assert!(folder.verify().is_intact());
}

#[test]
fn records_wait_in_memory_until_a_full_disk_has_room() {
    let folder = Folder::new();
    let options = SqliteAudit::options(folder.path()).max_file_size(64 << 10).queue(2000).batch(50);
    let audit = options.open().unwrap();
    run(async {
        let mut accepted = 0;
        for number in 0..600 {
            audit.record(violation("t", number)).await.unwrap();
            accepted += 1;
        }
        let error = audit.flush().await.unwrap_err();
        assert!(matches!(&error, AuditError::Failed(reason) if reason.contains("full")), "{error}");
        assert_eq!(audit.lost(), 0, "accepted records are still in memory");
        let error = audit.record_durable(violation("t", 1000)).await.unwrap_err();
        assert!(matches!(error, AuditError::Failed(_)), "{error}");
        assert_eq!(audit.lost_by_reason().failed, 1);
        // The store gives up the rest only when it closes.
        let error = audit.close().await.unwrap_err();
        assert!(matches!(error, AuditError::Failed(_) | AuditError::Closed), "{error}");
        let stored = folder.rows().len();
        assert!(stored > 0 && stored < accepted);
        assert_eq!(audit.lost(), u64::try_from(accepted - stored + 1).unwrap());
    });
    assert!(folder.verify().is_intact());
}

/// Locks the database as another program could.
fn lock(folder: &Folder) -> Connection {
    let connection = Connection::open(folder.path()).unwrap();
    connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    connection
}

#[test]
fn a_database_that_is_locked_for_a_short_time_loses_nothing() {
    let folder = Folder::with([violation("t", 1)]);
    let audit = SqliteAudit::options(folder.path()).busy_timeout(Duration::from_secs(30)).open().unwrap();
    let lock = lock(&folder);
    let unlock = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        lock.execute_batch("ROLLBACK").unwrap();
    });
    run(audit.record_durable(violation("t", 2))).unwrap();
    unlock.join().unwrap();
    assert_eq!((audit.lost(), folder.rows().len()), (0, 2));
}

#[test]
fn a_database_that_remains_locked_blocks_no_call_and_lost_records_are_counted() {
    let folder = Folder::with([violation("t", 1)]);
    let at_most = Duration::from_millis(100);
    let options = SqliteAudit::options(folder.path()).busy_timeout(Duration::from_millis(200)).queue(4).batch(2);
    let audit = options.when_full(WhenFull::Block { at_most }).open().unwrap();
    let lock = lock(&folder);
    run(async {
        let start = Instant::now();
        let error = audit.record_durable(violation("t", 2)).await.unwrap_err();
        assert_eq!(error, AuditError::Failed("another process locks the file".to_owned()));
        let mut accepted = 0;
        let mut full = 0;
        for number in 3..13 {
            match audit.record(violation("t", number)).await {
                Ok(()) => accepted += 1,
                Err(error) => {
                    assert_eq!(error, AuditError::Full);
                    full += 1;
                }
            }
        }
        assert!(start.elapsed() < Duration::from_secs(10));
        assert!(full > 0 && audit.lost_by_reason().full == full, "{:?}", audit.lost_by_reason());
        // As soon as the lock is released, the accepted records are written.
        lock.execute_batch("ROLLBACK").unwrap();
        while audit.flush().await.is_err() {}
        assert_eq!(folder.rows().len(), 1 + accepted);
        assert_eq!(audit.lost(), full + 1);
    });
}

#[test]
fn closing_a_store_that_cannot_write_ends_after_two_attempts() {
    let folder = Folder::with([violation("t", 1)]);
    let options = SqliteAudit::options(folder.path()).busy_timeout(Duration::from_millis(300)).queue(100).batch(1);
    let audit = options.open().unwrap();
    let lock = lock(&folder);
    run(async {
        for number in 0..50 {
            audit.record(violation("t", number)).await.unwrap();
        }
        let start = Instant::now();
        assert!(matches!(audit.close().await, Err(AuditError::Failed(_))));
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    });
    assert_eq!(audit.lost_by_reason().failed, 50);
    drop(lock);
    assert_eq!(folder.rows().len(), 1);
}

#[test]
fn a_full_queue_drops_at_once_if_the_user_chose_that() {
    let folder = Folder::with([violation("t", 1)]);
    let audit = SqliteAudit::options(folder.path()).queue(2).batch(1).when_full(WhenFull::Drop).open().unwrap();
    let lock = lock(&folder);
    run(async {
        let mut results = Vec::new();
        for number in 2..12 {
            results.push(audit.record(violation("t", number)).await);
        }
        let full = results.iter().filter(|result| **result == Err(AuditError::Full)).count();
        assert!(full >= 6, "{results:?}");
        assert_eq!(audit.lost(), u64::try_from(full).unwrap());
        lock.execute_batch("ROLLBACK").unwrap();
        audit.flush().await.unwrap();
        assert_eq!(folder.rows().len(), 1 + 10 - full);
    });
}

#[test]
fn a_caller_that_gives_up_while_it_waits_for_room_is_counted() {
    let folder = Folder::with([violation("t", 1)]);
    let options = SqliteAudit::options(folder.path()).queue(1).batch(1);
    let audit = options.when_full(WhenFull::Block { at_most: Duration::from_secs(60) }).open().unwrap();
    let lock = lock(&folder);
    run(async {
        while tokio::time::timeout(Duration::from_millis(50), audit.record(violation("t", 2))).await.is_ok() {}
    });
    assert_eq!(audit.lost_by_reason().full, 1);
    drop(lock);
}

#[test]
fn a_closed_store_refuses_records_and_counts_them() {
    let folder = Folder::new();
    let audit = SqliteAudit::open(folder.path()).unwrap();
    run(async {
        audit.record(violation("t", 1)).await.unwrap();
        audit.close().await.unwrap();
        assert_eq!(audit.record(violation("t", 2)).await, Err(AuditError::Closed));
        assert_eq!(audit.record_durable(violation("t", 3)).await, Err(AuditError::Closed));
        assert_eq!(audit.flush().await, Ok(()), "the accepted record is durable");
        audit.close().await.unwrap();
    });
    assert_eq!((audit.lost_by_reason().closed, folder.rows().len()), (2, 1));
}

#[test]
fn dropping_the_store_writes_the_accepted_records() {
    let folder = Folder::new();
    let audit = SqliteAudit::open(folder.path()).unwrap();
    run(async {
        for number in 0..500 {
            audit.record(violation("t", number)).await.unwrap();
        }
    });
    drop(audit);
    assert_eq!(folder.rows().len(), 500);
}

#[test]
fn values_of_payloads_do_not_reach_the_file() {
    let folder = Folder::with([violation("t", 7)]);
    let bytes = std::fs::read(folder.path()).unwrap();
    assert!(!String::from_utf8_lossy(&bytes).contains("secret"));
    let record: serde_json::Value = serde_json::from_str(&folder.rows().remove(0).record).unwrap();
    let expected = serde_json::json!([{"path": "/severity", "message": "violates `enum`", "keyword": "enum"}]);
    assert_eq!(record["violations"], expected);
    // If the user asks for them.
    let folder = Folder::new();
    let audit = SqliteAudit::options(folder.path()).include_values(true).open().unwrap();
    run(audit.record_durable(violation("t", 7))).unwrap();
    assert!(folder.rows().remove(0).record.contains("secret-7"));
}
