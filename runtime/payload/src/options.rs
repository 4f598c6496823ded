//! Options for reading and writing payloads.

use capgen_schema::{MAX_PAYLOAD_DEPTH, ReportBudget, Validator};

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
    pub(crate) budget: ReportBudget,
    pub(crate) redact: bool,
}

impl Options {
    /// The defaults: 128 levels, the violations within [`ReportBudget::DEFAULT`], and messages that quote values.
    #[must_use]
    pub const fn new() -> Self {
        Self { max_depth: MAX_PAYLOAD_DEPTH, budget: ReportBudget::DEFAULT, redact: false }
    }

    /// The most levels of arrays and objects that a payload may have; at most 128.
    #[must_use]
    pub const fn max_depth(mut self, levels: usize) -> Self {
        self.max_depth = if levels < MAX_PAYLOAD_DEPTH { levels } else { MAX_PAYLOAD_DEPTH };
        self
    }

    /// The most violations that an error has, at least 1; it has the first ones. The default is 100. The other limits
    /// of the [budget](Self::budget) stay.
    #[must_use]
    pub const fn max_violations(mut self, count: usize) -> Self {
        self.budget.violations = count;
        self
    }

    /// How much an error reports.
    ///
    /// ```
    /// use capgen::{Options, ReportBudget};
    /// let long = Options::new().budget(ReportBudget { violations: 10_000, bytes: 16 << 20, ..ReportBudget::DEFAULT });
    /// # let _ = long;
    /// ```
    #[must_use]
    pub const fn budget(mut self, budget: ReportBudget) -> Self {
        self.budget = budget;
        self
    }

    /// Whether messages leave out the content of the payload, which may be secret: values, and names that are not in
    /// the schema. Paths keep the names.
    #[must_use]
    pub const fn redact(mut self, redact: bool) -> Self {
        self.redact = redact;
        self
    }

    pub(crate) fn apply(self, validator: Validator) -> Validator {
        validator.max_depth(self.max_depth).budget(self.budget).redact(self.redact)
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}
