//! Discovery: deterministic queries (section 6.1, decision 8).

use super::{Row, View};
use crate::Range;
use crate::state::RowId;

/// A question about registrations.
#[derive(Clone, Copy, Debug)]
pub enum Query<'q> {
    /// `Find(id, range)`: the versions of a capability within a range, or all.
    Id {
        /// The id of the capability.
        id: &'q str,
        /// The range.
        range: Option<&'q Range>,
    },
    /// `FindByTag(tag)`.
    Tag(&'q str),
    /// `FindByDeterminismClass(class)`.
    Determinism(&'q str),
    /// Every registration.
    All,
}

impl View<'_> {
    /// The registrations that a query asks for, including deprecated ones and those of unhealthy agents, which are marked. They are in
    /// the order of id, version descending, and agent. The cost depends on the result, not on the number of registrations.
    #[must_use]
    pub fn find(&self, query: &Query<'_>) -> Vec<Row> {
        let ids: Vec<RowId> = match *query {
            Query::Id { id, range } => {
                let name = self.state.names.find(id);
                let ranked = name.map_or(&[][..], |name| self.index.ranked(name)).iter().copied();
                let is_in = |id: &RowId| {
                    let version = self.index.effective(*id).map(|effective| &effective.offer.version);
                    range.is_none_or(|range| version.is_some_and(|version| range.matches(version)))
                };
                ranked.filter(is_in).collect()
            }
            Query::Tag(tag) => self.index.with_tag(tag).collect(),
            Query::Determinism(class) => self.index.of_class(class).collect(),
            Query::All => self.index.all().collect(),
        };
        self.in_order(ids).into_iter().filter_map(|id| self.row(id)).collect()
    }

    /// Sorts rows by id, version descending, and agent.
    pub(super) fn in_order(&self, mut ids: Vec<RowId>) -> Vec<RowId> {
        let key = |id: RowId| {
            let (row, effective) = (self.state.row(id)?, self.index.effective(id)?);
            let text = |name| self.state.names.text(name);
            Some((text(row.capability), std::cmp::Reverse(&effective.offer.version), text(row.agent)))
        };
        ids.sort_unstable_by(|one, other| key(*one).cmp(&key(*other)));
        ids
    }
}
