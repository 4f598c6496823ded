//! The levels that users give to rules.

use std::collections::BTreeMap;

use capgen_diagnostic::Code;

use crate::{Finding, Level};

/// The levels of rules that differ from those that the rules choose themselves.
///
/// ```
/// use capgen_evolve::{Level, Levels, codes};
/// let levels: Levels = [(codes::DEFAULT_CHANGED, Level::Safe)].into_iter().collect();
/// assert_eq!(levels.of(codes::DEFAULT_CHANGED), Some(Level::Safe));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Levels(BTreeMap<Code, Level>);

impl Levels {
    /// The level of a rule; `None` if the rule chooses it.
    pub fn of(&self, code: Code) -> Option<Level> {
        self.0.get(&code).copied()
    }

    /// Sets the levels of the findings.
    pub(crate) fn apply(&self, findings: &mut [Finding]) {
        for finding in findings {
            finding.level = self.of(finding.code).unwrap_or(finding.level);
        }
    }
}

impl FromIterator<(Code, Level)> for Levels {
    /// Of several levels for one rule, the last one counts.
    fn from_iter<I: IntoIterator<Item = (Code, Level)>>(levels: I) -> Self {
        Self(levels.into_iter().collect())
    }
}
