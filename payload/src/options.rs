//! Options for reading and writing payloads.

use capgen_schema::{MAX_PAYLOAD_DEPTH, Validator};

/// Limits on payloads, and on the errors for those that are rejected.
///
/// ```
/// use capgen::{Options, Payload};
/// let strict = Options::new().max_depth(1).max_violations(10).redact(true);
/// assert!(serde_json::Value::from_json_with(b"[1]", strict).is_ok());
/// assert!(serde_json::Value::from_json_with(b"[[1]]", strict).is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    pub(crate) max_depth: usize,
    max_violations: usize,
    pub(crate) redact: bool,
}

impl Options {
    /// The defaults: 128 levels, every violation, and messages that quote values.
    #[must_use]
    pub const fn new() -> Self {
        Self { max_depth: MAX_PAYLOAD_DEPTH, max_violations: usize::MAX, redact: false }
    }

    /// The most levels of arrays and objects that a payload may have; at most 128.
    #[must_use]
    pub const fn max_depth(mut self, levels: usize) -> Self {
        self.max_depth = if levels < MAX_PAYLOAD_DEPTH { levels } else { MAX_PAYLOAD_DEPTH };
        self
    }

    /// The most violations that an error has, at least 1; it has the first ones.
    #[must_use]
    pub const fn max_violations(mut self, count: usize) -> Self {
        self.max_violations = count;
        self
    }

    /// Whether messages leave out the content of the payload, which may be secret: values, and names that are not in the schema.
    /// Paths keep the names.
    #[must_use]
    pub const fn redact(mut self, redact: bool) -> Self {
        self.redact = redact;
        self
    }

    /// The same options without a limit on the number of violations.
    pub(crate) const fn all(self) -> Self {
        self.max_violations(usize::MAX)
    }

    pub(crate) fn most(self) -> usize {
        self.max_violations.max(1)
    }

    pub(crate) fn apply(self, validator: Validator) -> Validator {
        validator.max_depth(self.max_depth).max_violations(self.max_violations).redact(self.redact)
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}
