//! The budget of a report of violations. Generated TypeScript has the same numbers and the same rule.

use std::borrow::Cow;

use capgen_diagnostic::cut_short;

use super::violation::Violation;

/// How much a report of violations contains. A peer chooses the payload, so without a budget a small payload gives a
/// large report: each violation repeats the names on its path.
///
/// A report has the first violations, in the order of [`Validator::validate`](crate::Validator::validate), as many as
/// the budget allows, but always the first one. It is [truncated](crate::Violations::is_truncated) if it leaves any
/// out.
///
/// ```
/// use capgen_schema::{ReportBudget, Schema, Validator};
/// use serde_json::json;
/// let validator = Validator::new(&Schema::parse_text(r#"{"items": false}"#)?);
/// let payload = json!([1, 2, 3]);
/// let budget = ReportBudget { violations: 2, ..ReportBudget::DEFAULT };
/// let found = validator.clone().budget(budget).validate(&payload);
/// assert_eq!((found.len(), found.is_truncated()), (2, true));
/// let found = validator.validate(&payload);
/// assert_eq!((found.len(), found.is_truncated()), (3, false));
/// # Ok::<(), capgen_schema::SchemaTextError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ReportBudget {
    /// How many violations a report has. 0 counts as 1.
    pub violations: usize,
    /// How many bytes of UTF-8 the paths and messages of a report have together, not counting a first violation that is
    /// longer.
    pub bytes: usize,
    /// How many code points of a property's name paths and messages show. A longer name is cut there, followed by `…`.
    pub name: usize,
}

/// A message has at most this many code points. An explanation of a union lists up to 16 failures, each with up to 16
/// values, and no reader needs more than a few lines of it.
const MAX_MESSAGE: usize = 4096;

impl ReportBudget {
    /// The budget of every report for which a program chooses no other: 100 violations, since more show no one what to
    /// fix first; 64 KiB of text, so that a report fits into an answer or a record of the audit; and 128 code points of
    /// a name, which names that people write do not reach.
    pub const DEFAULT: Self = Self { violations: 100, bytes: 64 << 10, name: 128 };

    /// No limit: every violation, with whole names. A report may then take memory quadratic in the size of the payload,
    /// so this is only for payloads that the program itself has made.
    pub const UNLIMITED: Self = Self { violations: usize::MAX, bytes: usize::MAX, name: usize::MAX };

    /// A name as paths and messages show it.
    ///
    /// ```
    /// use capgen_schema::ReportBudget;
    /// assert_eq!(ReportBudget::DEFAULT.cut_name("severity"), "severity");
    /// assert_eq!(ReportBudget::DEFAULT.cut_name(&"é".repeat(129)), "é".repeat(128) + "…");
    /// ```
    pub fn cut_name(self, name: &str) -> Cow<'_, str> {
        cut_short(name, self.name)
    }
}

impl Default for ReportBudget {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// A message as a report shows it.
pub(super) fn cut_message(message: String) -> String {
    match cut_short(&message, MAX_MESSAGE) {
        Cow::Borrowed(_) => message,
        Cow::Owned(cut) => cut,
    }
}

/// The part of its budget that a report has used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spent {
    budget: ReportBudget,
    violations: usize,
    bytes: usize,
}

impl Spent {
    pub(super) fn nothing_of(budget: ReportBudget) -> Self {
        Self { budget, violations: 0, bytes: 0 }
    }

    /// Takes room for a violation. `false` if the report ends before it.
    pub(super) fn add(&mut self, violation: &Violation) -> bool {
        let bytes = self.bytes.saturating_add(violation.path.len() + violation.message.len());
        let is_within = self.violations < self.budget.violations && bytes <= self.budget.bytes;
        if self.violations > 0 && !is_within {
            return false;
        }
        (self.violations, self.bytes) = (self.violations + 1, bytes);
        true
    }
}
