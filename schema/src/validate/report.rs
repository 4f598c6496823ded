//! The consumers of failures: a list of violations for the caller, or a summary that measures the distance to a branch of a union.

use std::ops::ControlFlow;

use super::collect::Finding;
use super::message::Wording;
use super::path::{Token, to_pointer};
use super::violation::Violation;
use crate::pointer::by_utf16;

/// Maximum size of all paths and messages, in bytes. A path may be as long as the payload, and there may be as many violations as
/// the payload has values, so the list could otherwise take quadratic memory.
const BUDGET: usize = 64 << 20;

/// How many failures a summary keeps.
pub(super) const SUMMARIZED: usize = 16;

/// A receiver of findings.
pub(super) trait Report<'a> {
    /// Takes the failures at one location; locations come in order. Breaks if no more are needed.
    fn add(&mut self, path: &[Token<'a>], findings: Vec<Finding<'a>>) -> ControlFlow<()>;
}

/// The violations with their messages, up to a maximum number.
pub(super) struct List<'a> {
    wording: Wording<'a>,
    max: usize,
    budget: usize,
    violations: Vec<Violation>,
}

/// The number of failures, and the first ones.
pub(super) struct Summary<'a> {
    wording: Wording<'a>,
    pub(super) count: usize,
    pub(super) first: Vec<(Vec<Token<'a>>, Finding<'a>)>,
}

impl<'a> Summary<'a> {
    pub(super) fn new(wording: Wording<'a>) -> Self {
        Self { wording, count: 0, first: Vec::new() }
    }
}

impl<'a> List<'a> {
    pub(super) fn new(wording: Wording<'a>, max: usize) -> Self {
        Self { wording, max, budget: BUDGET, violations: Vec::new() }
    }

    pub(super) fn into_violations(mut self) -> Vec<Violation> {
        self.violations.truncate(self.max);
        self.violations
    }
}

/// The distinct failures at one location, sorted by keyword, then by message (by UTF-16 code units, as generated TypeScript
/// sorts). Two subschemas may have the same assertion, which gives the same message.
fn distinct<'a>(findings: Vec<Finding<'a>>, wording: Wording<'_>) -> Vec<Finding<'a>> {
    // Usually there is only one. Comparing needs the messages, which take time to write.
    if findings.len() < 2 {
        return findings;
    }
    let mut keyed: Vec<_> = findings.into_iter().map(|f| (f.cause.keyword(), f.message(wording), f)).collect();
    keyed.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| by_utf16(&a.1, &b.1)));
    keyed.dedup_by(|a, b| (a.0, &a.1) == (b.0, &b.1));
    keyed.into_iter().map(|(.., finding)| finding).collect()
}

impl<'a> Report<'a> for List<'a> {
    fn add(&mut self, path: &[Token<'a>], findings: Vec<Finding<'a>>) -> ControlFlow<()> {
        if findings.is_empty() {
            return ControlFlow::Continue(());
        }
        for finding in distinct(findings, self.wording) {
            let (keyword, message) = (finding.cause.keyword(), finding.message(self.wording));
            let violation = Violation { path: to_pointer(path), message, keyword };
            self.budget = self.budget.saturating_sub(violation.path.len() + violation.message.len());
            self.violations.push(violation);
            if self.budget == 0 || self.violations.len() >= self.max {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }
}

impl<'a> Report<'a> for Summary<'a> {
    fn add(&mut self, path: &[Token<'a>], findings: Vec<Finding<'a>>) -> ControlFlow<()> {
        let findings = distinct(findings, self.wording);
        self.count += findings.len();
        let missing = SUMMARIZED.saturating_sub(self.first.len());
        self.first.extend(findings.into_iter().take(missing).map(|finding| (path.to_vec(), finding)));
        ControlFlow::Continue(())
    }
}
