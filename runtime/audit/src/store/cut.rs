//! Cutting records to their largest size: a record is never lost because of its size.

use capgen_call::{AuditPrincipal, AuditRecord, AuditViolation};
use serde::Serialize;

/// The largest record in bytes. A report of violations has at most so much text, and no reader needs more.
pub(crate) const MAX_RECORD: usize = 64 << 10;

/// The most bytes of a name or an id. All of them together fit into a record, even if each byte is escaped with six
/// others.
const MAX_NAME: usize = 1 << 10;

/// The most bytes of each name of a principal: as many as all names of a call leave room for in a record. Issuers are
/// addresses, and subjects ids, which are shorter.
const MAX_PRINCIPAL: usize = 512;

/// The most bytes of the path and of the message of a violation: a path has at most 128 names, and few of them are
/// long.
const MAX_TEXT: usize = 4 << 10;

/// The end of a text that is cut.
const CUT: char = '…';

/// A record whose type has no member for it.
#[derive(Serialize)]
struct Truncated<'r> {
    #[serde(flatten)]
    record: &'r AuditRecord,
    truncated: bool,
}

/// The record and its JSON text, with at most [`MAX_RECORD`] bytes: long texts are cut, and as many of the first
/// violations are kept as fit. Such a record has the member `truncated`.
pub(super) fn cut(mut record: AuditRecord) -> serde_json::Result<(AuditRecord, String)> {
    let mut is_cut = false;
    for name in names(&mut record) {
        is_cut |= shorten(name, MAX_NAME);
    }
    for name in names_of_principal(&mut record) {
        is_cut |= shorten(name, MAX_PRINCIPAL);
    }
    let AuditRecord::Violation(report) = &mut record else {
        let text = match is_cut {
            true => serde_json::to_string(&Truncated { record: &record, truncated: true }),
            false => serde_json::to_string(&record),
        };
        return text.map(|text| (record, text));
    };
    report.truncated |= is_cut;
    let mut violations = std::mem::take(&mut report.violations);
    for violation in violations.iter_mut() {
        report.truncated |= shorten_violation(violation);
    }
    // With the member `truncated`, which may not be necessary.
    let mut size = serde_json::to_string(&record)?.len() + r#","truncated":true"#.len();
    let mut kept = 0;
    for violation in &violations {
        // With the comma after it.
        size += serde_json::to_string(violation)?.len() + 1;
        if size > MAX_RECORD {
            break;
        }
        kept += 1;
    }
    if let AuditRecord::Violation(report) = &mut record {
        report.truncated |= kept < violations.len();
        violations.truncate(kept);
        report.violations = violations;
    }
    let text = serde_json::to_string(&record)?;
    Ok((record, text))
}

/// The texts of a record that callers choose.
fn names(record: &mut AuditRecord) -> Vec<&mut String> {
    match record {
        AuditRecord::Violation(record) => {
            let names =
                [&mut record.tenant_id, &mut record.capability_name, &mut record.peer_id, &mut record.correlation_id];
            names.into_iter().chain(&mut record.session_id).collect()
        }
        AuditRecord::Call(record) => {
            let names = [
                &mut record.tenant_id,
                &mut record.capability_name,
                &mut record.peer_id,
                &mut record.correlation_id,
                &mut record.contract_hash,
                &mut record.status,
            ];
            names.into_iter().chain(&mut record.error_code).chain(&mut record.denied).collect()
        }
    }
}

/// The texts of a record that the issuer of a token chose.
fn names_of_principal(record: &mut AuditRecord) -> impl Iterator<Item = &mut String> {
    let principal = match record {
        AuditRecord::Violation(record) => &mut record.principal,
        AuditRecord::Call(record) => &mut record.principal,
    };
    let names = principal.iter_mut().map(|principal| &mut **principal);
    names.flat_map(|AuditPrincipal { issuer, subject, client_id, .. }| [issuer, subject].into_iter().chain(client_id))
}

fn shorten_violation(violation: &mut AuditViolation) -> bool {
    let AuditViolation { path, message, keyword } = violation;
    let limits = [(path, MAX_TEXT), (message, MAX_TEXT), (keyword, MAX_NAME)];
    limits.into_iter().fold(false, |is_cut, (text, most)| shorten(text, most) || is_cut)
}

/// Cuts a text at the end of a character. Returns whether it was longer.
fn shorten(text: &mut String, most: usize) -> bool {
    if text.len() <= most {
        return false;
    }
    let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text.truncate(end);
    text.push(CUT);
    true
}

#[cfg(test)]
mod tests {
    use capgen_call::{CallRecord, ViolationRecord};
    use serde_json::{Value, json};

    use super::*;

    fn violation(path: &str) -> AuditViolation {
        AuditViolation { path: path.to_owned(), message: "violates `type`".to_owned(), keyword: "type".to_owned() }
    }

    fn report(text: &str, violations: Vec<AuditViolation>) -> AuditRecord {
        let mut record: ViolationRecord = serde_json::from_value(json!({
            "ts": 1, "tenantId": text, "capabilityName": text, "peerId": text, "side": "request", "violations": [],
            "correlationId": text, "sessionId": text,
            "principal": {"issuer": text, "subject": text, "clientId": text},
        }))
        .unwrap();
        record.violations = violations;
        AuditRecord::Violation(record)
    }

    #[test]
    fn a_record_that_fits_is_not_changed() {
        let record = report("t", vec![violation("/a"); 3]);
        let expected = serde_json::to_string(&record).unwrap();
        assert_eq!(cut(record.clone()).unwrap(), (record, expected));
    }

    #[test]
    fn every_record_fits_whatever_its_texts_are() {
        for text in ["a", "\u{1}", "é", "\"", "\u{1F600}"] {
            for count in [0, 1, 999, 1_000_000] {
                let long = text.repeat(count);
                let many = vec![violation(&text.repeat(50)); 5_000];
                for violations in [vec![], vec![violation(&long)], vec![violation(&long); 3], many] {
                    let (record, json) = cut(report(&long, violations.clone())).unwrap();
                    assert!(json.len() <= MAX_RECORD, "{text:?} {count}: {}", json.len());
                    let AuditRecord::Violation(found) = &record else { panic!("{record:?}") };
                    assert!(found.truncated || found.violations == violations, "{text:?} {count}");
                    assert_eq!(serde_json::from_str::<AuditRecord>(&json).unwrap(), record);
                }
            }
        }
    }

    #[test]
    fn as_many_violations_are_kept_as_fit() {
        let (record, json) = cut(report("t", vec![violation("/a"); 5_000])).unwrap();
        let AuditRecord::Violation(record) = record else { panic!("{record:?}") };
        assert!(record.truncated && json.len() > MAX_RECORD - 200, "{}", json.len());
    }

    /// A call with this text wherever it has one.
    fn call(text: &str) -> AuditRecord {
        let record: CallRecord = serde_json::from_value(json!({
            "ts": 1, "tenantId": text, "capabilityName": text, "peerId": text, "contractHash": text, "status": text,
            "errorCode": text, "denied": text, "latencyMs": 1, "correlationId": text,
            "principal": {"issuer": text, "subject": text, "clientId": text},
        }))
        .unwrap();
        AuditRecord::Call(record)
    }

    #[test]
    fn every_call_fits_whatever_its_texts_are() {
        for text in ["a", "\u{1}", "é", "\"", "\u{1F600}"] {
            for count in [0, 1, 511, 999, 1_000_000] {
                let (record, json) = cut(call(&text.repeat(count))).unwrap();
                assert!(json.len() <= MAX_RECORD, "{text:?} {count}: {}", json.len());
                assert_eq!(serde_json::from_str::<AuditRecord>(&json).unwrap(), record);
            }
        }
    }

    #[test]
    fn a_call_with_long_texts_is_marked() {
        let (record, json) = cut(call(&"t".repeat(17 << 20))).unwrap();
        let value: Value = serde_json::from_str(&json).unwrap();
        assert_eq!((value["truncated"].as_bool(), value["kind"].as_str()), (Some(true), Some("capability_call")));
        assert_eq!(value["tenantId"].as_str().map(str::len), Some(MAX_NAME + CUT.len_utf8()));
        assert_eq!(serde_json::from_str::<AuditRecord>(&json).unwrap(), record);
        let (_, json) = cut(call("t")).unwrap();
        assert!(!json.contains("truncated"), "{json}");
    }
}
