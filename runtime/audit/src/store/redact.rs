//! From records to rows, without values of payloads.

use capgen_call::{AuditError, AuditRecord, AuditViolation};
use capgen_schema::Keyword;

use super::cut::cut;
use crate::append::NewRow;

/// The row of a record. Unless `values` is set, each message is replaced by one that follows from the keyword alone, so
/// that no value can reach the store, whatever text the caller put there. A record that is too large is cut.
pub(super) fn row(mut record: AuditRecord, values: bool) -> Result<NewRow, AuditError> {
    if let (AuditRecord::Violation(violation), false) = (&mut record, values) {
        violation.violations.iter_mut().for_each(redact);
    }
    let (record, text) = cut(record).map_err(|error| AuditError::Failed(error.to_string()))?;
    let kind = record.kind();
    let ts = i64::try_from(record.ts()).unwrap_or(i64::MAX);
    let (tenant, capability, peer) = match record {
        AuditRecord::Violation(record) => (record.tenant_id, record.capability_name, record.peer_id),
        AuditRecord::Call(record) => (record.tenant_id, record.capability_name, record.peer_id),
    };
    Ok(NewRow { tenant, ts, kind, capability, peer, record: text })
}

fn redact(violation: &mut AuditViolation) {
    match violation.keyword.parse::<Keyword>() {
        Ok(keyword) => violation.message = format!("violates `{keyword}`"),
        Err(_) => {
            violation.keyword = "unknown".to_owned();
            violation.message = "violates the schema".to_owned();
        }
    }
}
