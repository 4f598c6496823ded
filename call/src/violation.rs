//! Violations of payloads as lists.

use capgen_payload::{InvalidPayload, Keyword, Violation};

/// Every violation. A text that is not valid JSON counts as one violation at the root, because there is no value to point into.
pub(crate) fn list(error: InvalidPayload) -> Vec<Violation> {
    match error {
        InvalidPayload::Violations(violations) => violations,
        error => {
            vec![Violation { path: String::new(), message: format!("invalid JSON: {error}"), keyword: Keyword::Type }]
        }
    }
}

/// The message of an error with violations.
pub(crate) fn summary(side: capgen_manifest::Side, count: usize) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("the {} violates its schema: {count} violation{s}", side.name())
}
