//! The catalogues from which pages of queries are read.

use std::collections::VecDeque;
use std::sync::Arc;

use super::cursor::{LIFETIME_MS, SnapshotId};
use crate::catalogue::Catalogue;

/// The number of former catalogues that are kept. A provider that publishes more often drops the oldest, whose cursors
/// become invalid. Each may need as much memory as the present one, and a cursor is valid for 15 minutes.
const MAX_FORMER: usize = 8;

/// The current catalogue, and former ones as long as a cursor to them can be valid.
#[derive(Clone, Debug)]
pub(crate) struct Snapshots {
    current: Arc<Catalogue>,
    /// The oldest first, each with the time at which it was replaced.
    former: VecDeque<(Arc<Catalogue>, u64)>,
}

impl Snapshots {
    pub(crate) const fn new(current: Arc<Catalogue>) -> Self {
        Self { current, former: VecDeque::new() }
    }

    pub(crate) fn current(&self) -> Arc<Catalogue> {
        Arc::clone(&self.current)
    }

    pub(crate) fn publish(&mut self, catalogue: Arc<Catalogue>, now: u64) {
        let former = std::mem::replace(&mut self.current, catalogue);
        self.former.push_back((former, now));
        self.drop_expired(now);
    }

    /// The snapshot with this id, if it is still kept.
    pub(crate) fn find(&self, id: &SnapshotId, now: u64) -> Option<Arc<Catalogue>> {
        let former = self.former.iter().filter(|(_, replaced)| is_kept(*replaced, now)).map(|(catalogue, _)| catalogue);
        former.chain([&self.current]).find(|catalogue| Self::id(catalogue) == *id).map(Arc::clone)
    }

    /// The start of the hash of a catalogue: the same in every process that publishes these descriptors.
    pub(crate) fn id(catalogue: &Catalogue) -> SnapshotId {
        let mut id = [0; 16];
        id.iter_mut().zip(catalogue.hash()).for_each(|(to, from)| *to = *from);
        id
    }

    pub(crate) fn drop_expired(&mut self, now: u64) {
        while self.former.len() > MAX_FORMER || self.former.front().is_some_and(|(_, at)| !is_kept(*at, now)) {
            self.former.pop_front();
        }
    }
}

const fn is_kept(replaced: u64, now: u64) -> bool {
    now <= replaced.saturating_add(LIFETIME_MS)
}
