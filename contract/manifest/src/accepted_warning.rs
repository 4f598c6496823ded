//! Warnings that the author of a manifest accepts.

use std::ops::Range;

use capgen_diagnostic::Severity;

use crate::Diagnostic;

/// A warning that the author of a manifest accepts: an entry of its key `accepted`. It changes neither the contract nor
/// its hash, and errors cannot be accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AcceptedWarning {
    /// The code of the warning, such as `W0103`.
    pub code: String,
    /// Why it is accepted. Not empty.
    pub reason: String,
    /// The JSON Pointer from the document's root that the entry names: a capability, a place in it, or a place in the
    /// file. Empty if it names none. Warnings about places below it are accepted, too.
    pub pointer: String,
    /// Whether it accepts one of the warnings that the reader found.
    pub(crate) is_used: bool,
    /// The span of its code in the file, in bytes.
    pub span: Range<usize>,
}

impl AcceptedWarning {
    /// Whether it accepts a warning about its file.
    #[must_use]
    pub fn accepts(&self, warning: &Diagnostic) -> bool {
        if warning.severity() == Severity::Error || warning.code.as_str() != self.code {
            return false;
        }
        let below = warning.pointer.as_deref().unwrap_or_default().strip_prefix(self.pointer.as_str());
        below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
    }
}

/// Removes the warnings about a file that its author accepts.
pub(crate) fn remove(accepted: &mut [AcceptedWarning], warnings: &mut Vec<Diagnostic>) {
    warnings.retain(|warning| {
        let mut is_accepted = false;
        // Each that accepts it is used.
        for entry in accepted.iter_mut().filter(|entry| entry.accepts(warning)) {
            entry.is_used = true;
            is_accepted = true;
        }
        !is_accepted
    });
}
