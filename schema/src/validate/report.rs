//! What becomes of what is found wrong: a list for the caller, or how far a branch of a union is.

use std::ops::ControlFlow;

use super::Violation;
use super::message::Wording;
use super::path::{Token, to_pointer};
use super::violations::Finding;

/// Bytes of paths and messages: a path may be as long as the payload, and there may be as many.
const BUDGET: usize = 64 << 20;

pub(super) trait Report<'a> {
    /// Takes what is wrong at one place, sorted by keyword; places come in order. Breaks where no more is wanted.
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
#[derive(Default)]
pub(super) struct Summary<'a> {
    pub(super) count: usize,
    pub(super) first: Option<(Vec<Token<'a>>, Finding<'a>)>,
    /// Whether the value itself has the wrong type.
    pub(super) has_wrong_type: bool,
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

impl<'a> Report<'a> for List {
    fn add(&mut self, path: &[Token<'a>], findings: Vec<Finding<'a>>) -> ControlFlow<()> {
        if findings.is_empty() {
            return ControlFlow::Continue(());
        }
        let mut said: Vec<_> = findings.iter().map(|f| (f.what.keyword(), f.message(self.wording))).collect();
        said.sort_unstable();
        said.dedup();
        for (keyword, message) in said {
            let violation = Violation { path: to_pointer(path), message, keyword: keyword.name() };
            self.budget = self.budget.saturating_sub(violation.path.len() + violation.message.len());
            // A missing property may be demanded twice, each time as if alone.
            if self.violations.last() != Some(&violation) {
                self.violations.push(violation);
            }
            if self.budget == 0 || self.violations.len() >= self.max {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }
}

impl<'a> Report<'a> for Summary<'a> {
    fn add(&mut self, path: &[Token<'a>], findings: Vec<Finding<'a>>) -> ControlFlow<()> {
        self.count += findings.len();
        self.has_wrong_type |= path.is_empty() && findings.iter().any(Finding::is_type);
        if let (None, Some(first)) = (&self.first, findings.into_iter().next()) {
            self.first = Some((path.to_vec(), first));
        }
        ControlFlow::Continue(())
    }
}
