//! The outcomes of earlier uses of skills.

use std::collections::BTreeMap;

use crate::Score;

/// The last outcomes of one skill, at most 20.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// Whether each use succeeded, the oldest first.
    pub outcomes: Vec<bool>,
    /// The stored rate of successes.
    pub success_rate: Score,
    /// The time of the last use, as it is stored (RFC 3339).
    pub last_used_at: String,
    /// The stored number of outcomes.
    pub sample_size: u32,
}

/// The state of `.dci/state/reliability.v1.json`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reliability {
    /// Whether it was read from a file. If not, the run's history is ephemeral.
    pub is_persistent: bool,
    /// When the file was written, as it is stored (RFC 3339); `1970-01-01T00:00:00Z` without a file (decision 19).
    pub updated_at: String,
    /// The records by the ids of skills.
    pub candidates: BTreeMap<String, Record>,
}

impl Default for Reliability {
    /// No history.
    fn default() -> Self {
        let updated_at = "1970-01-01T00:00:00Z".to_owned();
        Self { is_persistent: false, updated_at, candidates: BTreeMap::new() }
    }
}

impl Reliability {
    /// The rate of successes that scoring uses: 1 without outcomes (decision 19).
    pub(crate) fn rate(&self, id: &str) -> Score {
        self.candidates.get(id).filter(|record| record.sample_size > 0).map_or(Score::ONE, |record| record.success_rate)
    }
}
