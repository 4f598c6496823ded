//! The size of records: whatever a caller sends, its record is stored, and takes little room.

use capgen_audit::SqliteAudit;
use capgen_call::{Audit, AuditRecord, AuditViolation};

use crate::common::{Folder, run, violation};

/// The largest record in bytes, as `docs/audit.md` states it.
const MAX_RECORD: usize = 64 << 10;

#[test]
fn a_flood_of_large_reports_is_cut_and_loses_nothing() {
    // As from a request of 20 kB: an array of 26,000 invalid items below a long name.
    let AuditRecord::Violation(mut report) = violation("t", 1) else { panic!("another record") };
    let name = "n".repeat(600);
    report.violations = (0..26_000)
        .map(|index| AuditViolation {
            path: format!("/{name}/{index}"),
            message: "expected string, got integer".to_owned(),
            keyword: "type".to_owned(),
        })
        .collect();
    let before = serde_json::to_string(&report).unwrap().len();
    assert!(before > 16 << 20, "{before}: beyond the earlier limit, at which records were lost");
    let folder = Folder::with([]);
    const COUNT: usize = 20;
    run(async {
        let audit = SqliteAudit::open(folder.path()).unwrap();
        for _ in 0..COUNT {
            audit.record(AuditRecord::Violation(report.clone())).await.unwrap();
        }
        audit.close().await.unwrap();
        assert_eq!(audit.lost(), 0);
    });
    let rows = folder.rows();
    assert_eq!(rows.len(), COUNT);
    for row in rows {
        assert!(row.record.len() <= MAX_RECORD, "{}", row.record.len());
        let AuditRecord::Violation(stored) = serde_json::from_str(&row.record).unwrap() else {
            panic!("another record")
        };
        assert!(stored.truncated && stored.violations.len() > 50, "{}", stored.violations.len());
        assert!(stored.violations.iter().zip(&report.violations).all(|(stored, sent)| stored.path == sent.path));
    }
    assert!(folder.verify().is_intact());
    let size = std::fs::metadata(folder.path()).unwrap().len();
    assert!(size < (COUNT * 2 * MAX_RECORD) as u64, "{size}");
}
