//! A row as one line.

use capgen_audit::Row;
use capgen_diagnostic::{visible, visible_json};
use serde_json::Value;

use crate::times::format_time;

/// The names of the columns.
pub(super) fn header() -> String {
    columns(["TIME", "KIND", "TENANT", "CAPABILITY", "WRITER", "PEER", "CORRELATION ID", "DETAILS"])
}

/// The line of a row; a message if its record is not a JSON object.
pub(super) fn of(row: &Row, json: bool) -> Result<String, String> {
    let malformed = || format!("row {} is malformed: its record is not a JSON object", row.id);
    let record: Value = serde_json::from_str(&row.record).map_err(|_| malformed())?;
    if !record.is_object() {
        return Err(malformed());
    }
    if json {
        // Line breaks are white space here: in strings, JSON does not allow them.
        return Ok(format!("{}\n", visible_json(&row.record.replace(['\n', '\r'], " "))));
    }
    let time = u64::try_from(row.ts).map_or_else(|_| row.ts.to_string(), format_time);
    let (writer, correlation) = (text(&record, "writtenBy"), text(&record, "correlationId"));
    let details = details(&record);
    Ok(columns([&time, &row.kind, &row.tenant, &row.capability, writer, &row.peer, correlation, &details]))
}

/// The columns with at least two spaces between them. Longer values move the rest of the line.
fn columns(values: [&str; 8]) -> String {
    // The lengths of usual values: 24 is that of a time, and 36 that of a UUID.
    const WIDTHS: [usize; 7] = [24, 27, 10, 16, 8, 24, 36];
    let mut line = String::new();
    for (index, value) in values.into_iter().enumerate() {
        let value = visible(value);
        let width = WIDTHS.get(index).copied().unwrap_or(0);
        line.push_str(&format!("{value:width$}  "));
    }
    format!("{}\n", line.trim_end())
}

fn text<'r>(record: &'r Value, key: &str) -> &'r str {
    record.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The part of a record that depends on its kind.
fn details(record: &Value) -> String {
    let number = |key: &str| record.get(key).and_then(Value::as_u64).unwrap_or_default();
    if let Some(violations) = record.get("violations").and_then(Value::as_array) {
        let places = violations.iter().take(3).map(|violation| {
            let path = text(violation, "path");
            format!("{} {}", if path.is_empty() { "(root)" } else { path }, text(violation, "keyword"))
        });
        let mut details = format!("{}: {}", text(record, "side"), places.collect::<Vec<_>>().join(", "));
        if violations.len() > 3 {
            details.push_str(&format!(", and {} more", violations.len() - 3));
        }
        return details;
    }
    match text(record, "kind") {
        "capability_call" => {
            let code = text(record, "errorCode");
            let status = text(record, "status");
            let separator = if code.is_empty() { "" } else { " " };
            format!("{status}{separator}{code} in {} ms", number("latencyMs"))
        }
        "audit_checkpoint" => format!("removed {} rows", number("removed")),
        _ => String::new(),
    }
}
