//! The findings of a check, in bounded memory.

use capgen_diagnostic::{Diagnostic, Severity};

/// The maximum number of findings that are kept. More than a user reads, and a hostile workspace could cause any
/// number. Further ones are counted, and errors replace warnings.
const MAX_FINDINGS: usize = 10_000;

/// The findings of a check.
#[derive(Clone, Debug, Default)]
pub struct LintFindings {
    /// The findings, ordered by skill.
    pub findings: Vec<Diagnostic>,
    /// The number of findings after 10,000, which are not kept.
    pub further: usize,
}

/// Collects findings of skills, which may be reported in any order.
#[derive(Default)]
pub(super) struct Collector {
    findings: Vec<(usize, Diagnostic)>,
    further: usize,
}

impl Collector {
    /// Adds a finding about the skill with this index. An error replaces a warning if there are too many findings, so
    /// that no number of warnings hides all errors.
    pub(super) fn add(&mut self, index: usize, finding: Diagnostic) {
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push((index, finding));
            return;
        }
        self.further += 1;
        if finding.severity() == Severity::Error
            && let Some(last) = self.findings.last_mut()
            && last.1.severity() != Severity::Error
        {
            *last = (index, finding);
        }
    }

    pub(super) fn extend(&mut self, index: usize, findings: impl Iterator<Item = Diagnostic>) {
        findings.for_each(|finding| self.add(index, finding));
    }

    /// Counts findings that are not kept.
    pub(super) fn omit(&mut self, count: usize) {
        self.further += count;
    }

    pub(super) fn finish(self) -> LintFindings {
        let Self { mut findings, further } = self;
        findings.sort_by_key(|(index, _)| *index);
        LintFindings { findings: findings.into_iter().map(|(_, finding)| finding).collect(), further }
    }
}
