//! The consumers of failures: a list of violations for the caller, or a summary that measures the distance to a branch
//! of a union.

use std::ops::ControlFlow;

use super::budget::{Spent, cut_message};
use super::collect::FailedCheck;
use super::message::Wording;
use super::path::{Token, to_pointer};
use super::violation::Violation;
use super::violations::Violations;
use crate::pointer::by_utf16;

/// How many failures a summary keeps. A message that lists more would be longer than a reader needs.
pub(super) const SUMMARIZED: usize = 16;

/// A receiver of failed checks.
pub(super) trait FailureReport<'a> {
    /// Takes the failures at one location; locations come in order. Breaks if no more are needed.
    fn add(&mut self, path: &[Token<'a>], failed_checks: Vec<FailedCheck<'a>>) -> ControlFlow<()>;
}

/// The violations with their messages, within the budget of the wording.
pub(super) struct List<'a> {
    wording: Wording<'a>,
    spent: Spent,
    violations: Vec<Violation>,
    is_truncated: bool,
}

/// The number of failures, and the first ones.
pub(super) struct Summary<'a> {
    wording: Wording<'a>,
    pub(super) count: usize,
    pub(super) first: Vec<(Vec<Token<'a>>, FailedCheck<'a>)>,
}

impl<'a> Summary<'a> {
    pub(super) fn new(wording: Wording<'a>) -> Self {
        Self { wording, count: 0, first: Vec::new() }
    }
}

impl<'a> List<'a> {
    pub(super) fn new(wording: Wording<'a>) -> Self {
        Self { wording, spent: Spent::nothing_of(wording.budget), violations: Vec::new(), is_truncated: false }
    }

    pub(super) fn into_violations(self) -> Violations {
        Violations::new(self.violations, self.is_truncated)
    }
}

/// The distinct failures at one location, sorted by keyword, then by message (by UTF-16 code units, as generated
/// TypeScript sorts). Two subschemas may have the same assertion, which gives the same message.
fn distinct<'a>(failed_checks: Vec<FailedCheck<'a>>, wording: Wording<'_>) -> Vec<FailedCheck<'a>> {
    // Usually there is only one. Comparing needs the messages, which take time to write.
    if failed_checks.len() < 2 {
        return failed_checks;
    }
    let mut keyed: Vec<_> = failed_checks.into_iter().map(|f| (f.cause.keyword(), f.message(wording), f)).collect();
    keyed.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| by_utf16(&a.1, &b.1)));
    keyed.dedup_by(|a, b| (a.0, &a.1) == (b.0, &b.1));
    keyed.into_iter().map(|(.., failed_check)| failed_check).collect()
}

impl<'a> FailureReport<'a> for List<'a> {
    fn add(&mut self, path: &[Token<'a>], failed_checks: Vec<FailedCheck<'a>>) -> ControlFlow<()> {
        if failed_checks.is_empty() {
            return ControlFlow::Continue(());
        }
        for failed_check in distinct(failed_checks, self.wording) {
            let (keyword, message) = (failed_check.cause.keyword(), cut_message(failed_check.message(self.wording)));
            let violation = Violation { path: to_pointer(path, self.wording.budget), message, keyword };
            // The violations come in order, so the first one that does not fit ends the report.
            if !self.spent.add(&violation) {
                self.is_truncated = true;
                return ControlFlow::Break(());
            }
            self.violations.push(violation);
        }
        ControlFlow::Continue(())
    }
}

impl<'a> FailureReport<'a> for Summary<'a> {
    fn add(&mut self, path: &[Token<'a>], failed_checks: Vec<FailedCheck<'a>>) -> ControlFlow<()> {
        let failed_checks = distinct(failed_checks, self.wording);
        self.count += failed_checks.len();
        let missing = SUMMARIZED.saturating_sub(self.first.len());
        self.first.extend(failed_checks.into_iter().take(missing).map(|failed_check| (path.to_vec(), failed_check)));
        ControlFlow::Continue(())
    }
}
