//! Changed databases: whatever is changed, verification finds it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use crate::common::{Folder, call, findings, violation};
use capgen_audit::{Anchor, AnchorProblem, Database, DatabaseError, Filter, Hash, Pruned, PrunedPart, Row, prune};
use proptest::prelude::*;
use rusqlite::Connection;

fn two_tenants() -> Folder {
    Folder::with((1..=6).map(|n| if n % 2 == 0 { violation("acme", n) } else { call("-", n) }))
}

#[test]
fn every_tenant_has_its_own_chain() {
    let folder = two_tenants();
    let verification = folder.verify();
    assert!(verification.is_intact(), "{verification:?}");
    let chains: Vec<_> = verification.tenants.iter().map(|t| (t.tenant.as_str(), t.rows, t.head.seq)).collect();
    assert_eq!(chains, [("-", 3, 3), ("acme", 3, 3)]);
    let rows: Vec<(i64, String, i64)> = folder.rows().into_iter().map(|row| (row.id, row.tenant, row.seq)).collect();
    assert_eq!(rows[2], (3, "-".to_owned(), 2));
}

#[test]
fn a_chain_continues_after_the_database_is_opened_again() {
    let folder = two_tenants();
    folder.add([violation("acme", 7), violation("new", 8)]);
    let verification = folder.verify();
    assert!(verification.is_intact(), "{verification:?}");
    assert_eq!(verification.rows(), 8);
}

#[test]
fn a_change_of_any_column_names_the_row() {
    let changes = [
        ("tenant = 'other'", "other row 4 seq 2: Hash"),
        ("seq = 20", "acme row 4 seq 20: Hash"),
        ("ts = 5", "acme row 4 seq 2: Hash"),
        ("kind = 'capability_call'", "acme row 4 seq 2: Hash"),
        ("capability = 'x'", "acme row 4 seq 2: Hash"),
        ("peer = 'agent://x'", "acme row 4 seq 2: Hash"),
        ("record = replace(record, 'severity', 'Severity')", "acme row 4 seq 2: Hash"),
        ("prev_hash = zeroblob(32)", "acme row 4 seq 2: Hash"),
        ("hash = zeroblob(32)", "acme row 4 seq 2: Hash"),
        ("id = 40", "acme row 6 seq 3: Gap { expected: 2 }"),
        ("hash = zeroblob(31)", "row 4 is malformed: the column `hash` has the wrong type"),
        ("record = CAST(x'ff' AS TEXT)", "row 4 is malformed: the column `record` has the wrong type"),
    ];
    for (change, expected) in changes {
        let folder = two_tenants();
        folder.tamper(&format!("UPDATE audit SET {change} WHERE id = 4"));
        let found = findings(&folder.verify());
        assert!(found.contains(&expected.to_owned()), "{change}: {found:?}");
    }
}

#[test]
fn a_row_that_was_removed_leaves_a_gap() {
    let folder = two_tenants();
    folder.tamper("DELETE FROM audit WHERE id = 4");
    assert_eq!(findings(&folder.verify()), ["acme row 6 seq 3: Gap { expected: 2 }"]);
    let folder = two_tenants();
    folder.tamper("DELETE FROM audit WHERE id = 2");
    assert_eq!(findings(&folder.verify()), ["acme row 4 seq 2: NoCheckpoint"]);
}

/// Writes a row with the hash that it should have.
fn rehash(connection: &Connection, mut row: Row) -> Row {
    row.hash = row.expected_hash();
    let values = (&row.ts, &row.record, row.prev_hash.as_bytes(), row.hash.as_bytes(), row.id);
    connection
        .execute("UPDATE audit SET ts = ?1, record = ?2, prev_hash = ?3, hash = ?4 WHERE id = ?5", values)
        .unwrap();
    row
}

#[test]
fn a_row_that_was_replaced_with_its_hash_breaks_the_next_row() {
    let folder = two_tenants();
    let mut row = folder.rows()[1].clone();
    row.record = row.record.replace("severity", "Severity");
    folder.tamper("");
    let connection = Connection::open(folder.path()).unwrap();
    connection.execute_batch("DROP TRIGGER audit_update").unwrap();
    rehash(&connection, row);
    let found = findings(&folder.verify());
    assert_eq!(found, ["acme row 4 seq 2: PreviousHash", "`audit_update` is missing"]);
}

#[test]
fn a_record_that_differs_from_its_columns_is_found() {
    for (from, to, reason) in [("\"ts\":6", "\"ts\":7", "Column(\"ts\")"), ("{", "[", "Record"), ("{", "{,", "Record")]
    {
        let folder = two_tenants();
        let mut row = folder.rows()[5].clone();
        row.record = row.record.replacen(from, to, 1);
        row.hash = row.expected_hash();
        let hash = row.hash.to_string();
        folder.tamper(&format!("UPDATE audit SET record = '{}', hash = x'{hash}' WHERE id = 6", row.record));
        assert_eq!(findings(&folder.verify()), [format!("acme row 6 seq 3: {reason}")]);
    }
}

#[test]
fn sql_cannot_change_or_remove_rows() {
    let folder = two_tenants();
    let rows = folder.rows();
    let columns = "id, tenant, seq, ts, kind, capability, peer, record, prev_hash, hash";
    let statements = [
        "UPDATE audit SET ts = 1".to_owned(),
        "DELETE FROM audit WHERE id = 6".to_owned(),
        "DELETE FROM audit".to_owned(),
        "INSERT OR REPLACE INTO audit SELECT id, tenant, seq, 9, kind, capability, peer, record, prev_hash, hash FROM audit".to_owned(),
        format!("INSERT INTO audit ({columns}) SELECT 99, tenant, 2, ts, kind, capability, peer, record, prev_hash, hash FROM audit LIMIT 1"),
        "REPLACE INTO audit SELECT 9, tenant, seq, 9, kind, capability, peer, record, prev_hash, hash FROM audit LIMIT 1".to_owned(),
    ];
    for statement in statements {
        let error = folder.sql(&statement).unwrap_err().to_string();
        assert!(error.contains("append-only"), "{statement}: {error}");
    }
    assert_eq!(folder.rows(), rows);
}

#[test]
fn maintenance_by_other_programs_keeps_a_database_intact() {
    let folder = two_tenants();
    let rows = folder.rows();
    folder.sql("ANALYZE; VACUUM; REINDEX; PRAGMA optimize").unwrap();
    assert_eq!((findings(&folder.verify()), folder.rows()), (vec![], rows));
    folder.sql("CREATE TABLE mine (a)").unwrap();
    assert_eq!(findings(&folder.verify()), ["the file has 1 more tables, indexes, views or triggers"]);
}

#[test]
fn an_anchor_proves_that_rows_still_exist() {
    let folder = two_tenants();
    let anchor = folder.verify().anchor();
    let anchor = Anchor::from_json(&anchor.to_json()).unwrap();
    folder.add([violation("acme", 7)]);
    assert!(folder.verify_against(&anchor).is_intact());
    folder.tamper("DELETE FROM audit WHERE tenant = 'acme' AND seq >= 3");
    assert!(folder.verify().is_intact(), "without an anchor, a shorter chain is a chain");
    assert_eq!(findings(&folder.verify_against(&anchor)), ["acme seq 3: TooShort"]);
    folder.add([violation("acme", 9)]);
    assert_eq!(findings(&folder.verify_against(&anchor)), ["acme seq 3: Differs"]);
    folder.tamper("DELETE FROM audit WHERE tenant = '-'");
    assert_eq!(findings(&folder.verify_against(&anchor)), ["- seq 3: NoTenant", "acme seq 3: Differs"]);
}

#[test]
fn pruning_keeps_chains_that_can_be_verified() {
    let folder = two_tenants();
    let old = folder.verify().anchor();
    assert_eq!(removed(&folder, 5, 100), [("-".to_owned(), 2), ("acme".to_owned(), 2)]);
    let verification = folder.verify_against(&old);
    assert!(verification.is_intact(), "{verification:?}");
    assert_eq!(verification.tenants[1].pruned, 2);
    let rows = folder.rows();
    let kinds: Vec<_> = rows.iter().map(|row| (row.id, row.seq, row.kind.as_str())).collect();
    let (a, b) = ("capability_call", "capability_schema_violation");
    assert_eq!(kinds, [(5, 3, a), (6, 3, b), (7, 4, "audit_checkpoint"), (8, 4, "audit_checkpoint")]);
    assert!(rows[3].record.contains("\"removed\":2,\"firstSeq\":1,\"lastSeq\":2"), "{}", rows[3].record);
    // Everything, and again: the last row of the old anchor is now the last of a pruned part.
    folder.add([violation("acme", 101)]);
    assert_eq!(removed(&folder, 102, 200), [("-".to_owned(), 2), ("acme".to_owned(), 3)]);
    let verification = folder.verify();
    assert!(verification.is_intact(), "{verification:?}");
    let gone: Vec<_> = folder.verify_against(&old).unconfirmed.iter().map(|row| row.problem.to_string()).collect();
    assert!(gone.len() == 2 && gone.iter().all(|text| text.starts_with("the rows up to sequence number ")), "{gone:?}");
    assert_eq!(removed(&folder, 1000, 300), [], "checkpoints alone remain");
    folder.add([violation("acme", 301)]);
    assert!(folder.verify().is_intact());
}

/// The tenants and the numbers of rows that pruning removes.
fn removed(folder: &Folder, before: u64, now: u64) -> Vec<(String, u64)> {
    pruned(folder, before, now).into_iter().map(|part| (part.tenant, part.rows)).collect()
}

fn pruned(folder: &Folder, before: u64, now: u64) -> Vec<PrunedPart> {
    match prune(&folder.path(), before, now).unwrap() {
        Pruned::Removed(parts) => parts,
        Pruned::NotIntact(verification) => panic!("{verification:?}"),
    }
}

#[test]
fn an_anchored_row_that_is_gone_is_reported_unless_the_reader_knows_the_checkpoint() {
    // The anchored row is the last one of the pruned part, and then one inside it.
    for anchored in [3, 2] {
        let folder = Folder::with((1..=anchored).map(|n| violation("t", n)));
        let anchor = folder.verify().anchor();
        folder.add((anchored + 1..=3).chain([10]).map(|n| violation("t", n)));
        let checkpoint = pruned(&folder, 5, 100)[0].checkpoint;
        assert!(folder.verify().is_intact());
        let verification = folder.verify_against(&anchor);
        let [row] = verification.unconfirmed.as_slice() else { panic!("{verification:?}") };
        assert_eq!(row.problem, AnchorProblem::Pruned { before: 4, checkpoint: Some(checkpoint) });
        let database = Database::open(&folder.path()).unwrap();
        let verification = database.verify_with_pruned(Some(&anchor), &[checkpoint]).unwrap();
        assert!(verification.is_intact() && verification.tenants[0].replaced == 1, "{verification:?}");
        // A later checkpoint covers the chain before it, and with it the earlier ones.
        folder.add([violation("t", 101)]);
        let later = pruned(&folder, 101, 200)[0].checkpoint;
        assert!(database.verify_with_pruned(Some(&anchor), &[later]).unwrap().is_intact());
        let unknown = database.verify_with_pruned(Some(&anchor), &[checkpoint]).unwrap();
        assert_eq!((unknown.unconfirmed.len(), unknown.unknown_checkpoints), (1, vec![checkpoint]));
    }
}

#[test]
fn a_checkpoint_that_was_written_by_hand_replaces_no_anchored_row() {
    let folder = Folder::with((1..=3).map(|n| violation("t", n)));
    let anchor = folder.verify().anchor();
    folder.add([violation("t", 10)]);
    // The attacker uses the public function, as anyone who can write to the file can.
    prune(&folder.path(), 5, 100).unwrap();
    let verification = folder.verify_against(&anchor);
    assert!(!verification.is_intact());
    let text = verification.unconfirmed[0].problem.to_string();
    assert!(text.starts_with("the rows up to sequence number 3 are gone; the checkpoint with the hash "), "{text}");
}

#[test]
fn an_allowed_checkpoint_replaces_no_row_with_another_hash() {
    let folder = Folder::with((1..=3).map(|n| violation("t", n)));
    let mut anchor = folder.verify().anchor();
    anchor.heads[0].hash = Hash::ZERO;
    folder.add([violation("t", 10)]);
    let checkpoint = pruned(&folder, 5, 100)[0].checkpoint;
    let database = Database::open(&folder.path()).unwrap();
    let verification = database.verify_with_pruned(Some(&anchor), &[checkpoint]).unwrap();
    assert_eq!(verification.unconfirmed[0].problem, AnchorProblem::Differs);
}

#[test]
fn rows_cannot_be_removed_beyond_the_checkpoint() {
    let folder = Folder::with((1..=4).map(|n| violation("t", n)));
    prune(&folder.path(), 3, 100).unwrap();
    assert!(folder.sql("DELETE FROM audit WHERE seq = 3").is_err());
    folder.tamper("DELETE FROM audit WHERE seq = 3");
    assert_eq!(findings(&folder.verify()), ["t row 4 seq 4: Checkpoint"]);
    folder.tamper("DELETE FROM audit WHERE kind = 'audit_checkpoint'");
    assert_eq!(findings(&folder.verify()), ["t row 4 seq 4: NoCheckpoint"]);
}

#[test]
fn a_broken_chain_is_not_pruned() {
    let folder = two_tenants();
    folder.tamper("UPDATE audit SET ts = 1 WHERE id = 4");
    let Pruned::NotIntact(verification) = prune(&folder.path(), 100, 100).unwrap() else { panic!("pruned") };
    assert_eq!(findings(&verification), ["acme row 4 seq 2: Hash"]);
    assert_eq!(folder.rows().len(), 6);
}

#[test]
fn pruned_records_are_erased_from_the_file() {
    let folder = Folder::with([violation("t", 12_345_678), violation("t", 20_000_000)]);
    prune(&folder.path(), 12_345_679, 30_000_000).unwrap();
    let bytes = std::fs::read(folder.path()).unwrap();
    let contains = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(contains("c-20000000") && !contains("c-12345678"));
}

#[test]
fn other_files_are_not_audits() {
    let folder = Folder::new();
    assert_eq!(Database::open(&folder.path()).err(), Some(DatabaseError::Missing));
    assert!(!folder.path().exists());
    let is_other = |folder: &Folder| matches!(Database::open(&folder.path()), Err(DatabaseError::NotAnAudit(_)));
    for text in ["", "hello", &"x".repeat(10_000)] {
        std::fs::write(folder.path(), text).unwrap();
        assert!(is_other(&folder), "{text:?}");
    }
    let view = "CREATE VIEW audit AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT x AS id FROM n";
    for sql in ["CREATE TABLE mine (a)", view] {
        let folder = Folder::new();
        folder.sql(&format!("{sql}; PRAGMA application_id = 0x63674155; PRAGMA user_version = 1")).unwrap();
        assert!(is_other(&folder), "{sql}");
        let before = std::fs::read(folder.path()).unwrap();
        assert!(capgen_audit::SqliteAudit::open(folder.path()).is_err());
        assert_eq!(std::fs::read(folder.path()).unwrap(), before, "a file of someone else is not changed");
    }
    let folder = two_tenants();
    folder.sql("PRAGMA user_version = 2").unwrap();
    assert_eq!(Database::open(&folder.path()).err(), Some(DatabaseError::Newer(2)));
}

/// Verifies the bytes as a database; returns whether nothing was found, and the rows.
fn check(folder: &Folder, bytes: &[u8]) -> (bool, Option<Vec<Row>>) {
    std::fs::write(folder.path(), bytes).unwrap();
    let Ok(database) = Database::open(&folder.path()) else { return (false, None) };
    let is_intact = database.verify(None).is_ok_and(|verification| verification.is_intact());
    (is_intact, database.rows(&Filter::default()).ok())
}

#[test]
fn a_changed_byte_anywhere_is_found_unless_every_row_is_unchanged() {
    let folder = Folder::with((1..=12).map(|n| if n % 3 == 0 { violation("acme", n) } else { call("-", n) }));
    let (bytes, rows) = (std::fs::read(folder.path()).unwrap(), folder.rows());
    let copy = Folder::new();
    let mut found = 0;
    for position in 0..bytes.len() {
        // Every byte would take minutes without optimization. Pages of a new database consist mostly of zeros.
        let is_used = bytes[position] != 0 || position % 16 == 0;
        if position % 3 != 0 || !is_used {
            continue;
        }
        let mut changed = bytes.clone();
        changed[position] ^= 1 << (position / 3 % 8);
        let (is_intact, now) = check(&copy, &changed);
        found += usize::from(!is_intact);
        assert!(!is_intact || now.as_ref() == Some(&rows), "byte {position} was changed, and the rows are {now:?}");
    }
    assert!(found > 1000, "{found}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_changed_byte_of_a_record_names_its_row(row in 0_usize..8, position in any::<prop::sample::Index>(), bit in 0_u8..8) {
        let folder = Folder::with((1..=8).map(|n| violation("t", n)));
        let rows = folder.rows();
        let mut bytes = std::fs::read(folder.path()).unwrap();
        let record = rows[row].record.as_bytes();
        let start = bytes.windows(record.len()).position(|window| window == record).unwrap();
        bytes[start + position.index(record.len())] ^= 1 << bit;
        std::fs::write(folder.path(), bytes).unwrap();
        let verification = folder.verify();
        let broken = verification.tenants.first().and_then(|tenant| tenant.broken.as_ref()).map(|broken| broken.id);
        let problem = verification.problems.first().and_then(|problem| problem.row);
        prop_assert_eq!(broken.into_iter().chain(problem).min(), Some(rows[row].id));
    }

    #[test]
    fn damaged_files_never_panic(cut in any::<prop::sample::Index>(), noise in prop::collection::vec(any::<(prop::sample::Index, u8)>(), 0..200)) {
        let folder = Folder::with((1..=8).map(|n| violation("t", n)));
        let mut bytes = std::fs::read(folder.path()).unwrap();
        for (position, value) in noise {
            let position = position.index(bytes.len());
            bytes[position] = value;
        }
        bytes.truncate(cut.index(bytes.len()) + 1);
        check(&folder, &bytes);
        let _ = prune(&folder.path(), 5, 100);
    }
}
