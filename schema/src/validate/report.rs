//! What becomes of what is found wrong: a list for the caller, or how far a branch of a union is.

use std::ops::ControlFlow;

use super::collect::Finding;
use super::message::Wording;
use super::path::{Token, to_pointer};
use super::violation::Violation;
use crate::pointer::by_utf16;

/// Bytes of paths and messages: a path may be as long as the payload, and there may be as many.
const BUDGET: usize = 64 << 20;

pub(super) trait Report<'a> {
    /// Takes what is wrong at one place; places come in order. Breaks where no more is wanted.
    fn add(&mut self, path: &[Token<'a>], findings: Vec<Finding<'a>>) -> ControlFlow<()>;
}

/// Violations in words, up to a number.
pub(super) struct List {
    wording: Wording,
    max: usize,
    budget: usize,
    violations: Vec<Violation>,
}

/// How many findings there are, and the first.
pub(super) struct Summary<'a> {
    wording: Wording,
    pub(super) count: usize,
    pub(super) first: Option<(Vec<Token<'a>>, Finding<'a>)>,
    /// Whether the value itself has the wrong type.
    pub(super) has_wrong_type: bool,
}

impl Summary<'_> {
    pub(super) fn new(wording: Wording) -> Self {
        Self { wording, count: 0, first: None, has_wrong_type: false }
    }
}

impl List {
    pub(super) fn new(wording: Wording, max: usize) -> Self {
        Self { wording, max, budget: BUDGET, violations: Vec::new() }
    }

    pub(super) fn into_violations(mut self) -> Vec<Violation> {
        self.violations.truncate(self.max);
        self.violations
    }
}

/// The findings of one place, sorted by keyword, then by message (by UTF-16 code units, as generated TypeScript sorts),
/// without those that have the same message: two rules may assert the same.
fn distinct(findings: Vec<Finding<'_>>, wording: Wording) -> Vec<Finding<'_>> {
    // Usually there is one, whose message need not be written to compare it.
    if findings.len() < 2 {
        return findings;
    }
    let mut keyed: Vec<_> = findings.into_iter().map(|f| (f.what.keyword(), f.message(wording), f)).collect();
    keyed.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| by_utf16(&a.1, &b.1)));
    keyed.dedup_by(|a, b| (a.0, &a.1) == (b.0, &b.1));
    keyed.into_iter().map(|(.., finding)| finding).collect()
}

impl<'a> Report<'a> for List {
    fn add(&mut self, path: &[Token<'a>], findings: Vec<Finding<'a>>) -> ControlFlow<()> {
        if findings.is_empty() {
            return ControlFlow::Continue(());
        }
        for finding in distinct(findings, self.wording) {
            let (keyword, message) = (finding.what.keyword(), finding.message(self.wording));
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
        self.has_wrong_type |= path.is_empty() && findings.iter().any(Finding::is_type);
        if let (None, Some(first)) = (&self.first, findings.into_iter().next()) {
            self.first = Some((path.to_vec(), first));
        }
        ControlFlow::Continue(())
    }
}
