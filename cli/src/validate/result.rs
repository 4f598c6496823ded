//! The result of validating one payload.

use std::io;

use capgen_diagnostic::visible;
use capgen_schema::{ExactPayload, Schema, Validator, Violation, Violations};
use serde::Serialize;

use super::read::MAX_PAYLOAD;

/// Validates payloads of one side.
pub(crate) struct PayloadValidator {
    /// `None` for a loose side, which has no schema.
    validator: Option<Validator>,
    /// Whether messages leave out values and names of the payload.
    redact: bool,
}

/// Whether a payload is valid, or why not.
#[derive(Debug)]
pub(crate) enum PayloadResult {
    Valid,
    Invalid(Violations),
    /// With the parser's reason.
    NotJson(String),
    TooLong,
}

impl PayloadValidator {
    pub(crate) fn new(schema: Option<&Schema>, redact: bool) -> Self {
        Self { validator: schema.map(|schema| Validator::new(schema).redact(redact)), redact }
    }

    /// Validates a payload that starts on a line of its file, counted from 1.
    pub(crate) fn validate(&self, payload: &[u8], first_line: usize) -> PayloadResult {
        let payload = match ExactPayload::parse(payload) {
            Ok(payload) => payload,
            Err(error) => {
                let error = error.redact(self.redact);
                let line = first_line - 1 + error.line();
                return PayloadResult::NotJson(format!("{} at line {line} column {}", error.message(), error.column()));
            }
        };
        let Some(validator) = &self.validator else {
            return PayloadResult::Valid;
        };
        // Most payloads are valid, and a verdict costs less than the list of violations.
        if validator.is_valid_exact(&payload) {
            return PayloadResult::Valid;
        }
        PayloadResult::Invalid(validator.validate_exact(&payload))
    }
}

impl PayloadResult {
    pub(crate) fn is_valid(&self) -> bool {
        matches!(self, PayloadResult::Valid)
    }
}

#[derive(Serialize)]
struct Document<'r> {
    valid: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    violations: Option<&'r [Violation]>,
    /// Whether the payload has more violations.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'r str>,
}

/// Writes a result as a JSON document, without a line end.
pub(crate) fn write_json(out: impl io::Write, result: &PayloadResult) -> io::Result<()> {
    let rejected = Document { valid: false, violations: None, truncated: false, error: None };
    let document = match result {
        PayloadResult::Valid => Document { valid: true, ..rejected },
        PayloadResult::Invalid(found) => {
            Document { violations: Some(found), truncated: found.is_truncated(), ..rejected }
        }
        PayloadResult::TooLong => Document { error: Some(&too_long()), ..rejected },
        PayloadResult::NotJson(reason) => Document { error: Some(reason), ..rejected },
    };
    Ok(serde_json::to_writer(out, &document)?)
}

/// Why a payload was rejected without being parsed.
pub(crate) fn too_long() -> String {
    format!("the payload is {}", longer_than_limit())
}

/// The problem alone, for a message that names the file.
pub(crate) fn longer_than_limit() -> String {
    format!("longer than {} MiB", MAX_PAYLOAD >> 20)
}

/// The violations, each on one line, and a last line if there are more.
pub(crate) fn lines(violations: &Violations) -> Vec<String> {
    let more = violations.is_truncated().then(|| "and more".to_owned());
    violations.iter().map(plain).chain(more).collect()
}

/// A violation on one line.
fn plain(violation: &Violation) -> String {
    let path = if violation.path.is_empty() { "(root)" } else { &violation.path };
    visible(&format!("{path}: {}", violation.message))
}
