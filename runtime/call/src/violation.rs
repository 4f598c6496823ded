//! The violations of payloads in answers and errors.

use capgen_payload::{InvalidPayload, Keyword, Violation, Violations};

/// The violations. A text that is not valid JSON counts as one violation at the root, because there is no value to
/// point into.
pub(crate) fn list(error: InvalidPayload) -> Violations {
    match error {
        InvalidPayload::Violations(violations) => violations,
        error => {
            Violation { path: String::new(), message: format!("invalid JSON: {error}"), keyword: Keyword::Type }.into()
        }
    }
}

/// The message of an error with violations.
pub(crate) fn summary(side: capgen_manifest::Side, violations: &Violations) -> String {
    let (side, count) = (side.name(), violations.len());
    let more = if violations.is_truncated() { "more than " } else { "" };
    let s = if count == 1 { "" } else { "s" };
    format!("the {side} violates its schema: {more}{count} violation{s}")
}
