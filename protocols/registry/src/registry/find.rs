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
    /// The registrations that a query asks for, including deprecated ones and those of unhealthy agents, which are
    /// marked. They are in the order of id, version descending, and agent. The cost depends on the result, not on the
    /// number of registrations.
    #[must_use]
    pub fn find(&self, query: &Query<'_>) -> Vec<Row> {
        let ids: Vec<RowId> = match *query {
            Query::Id { id, range } => {
                let is_in = |id: &RowId| {
                    let registered = self.registered(*id);
                    range.is_none_or(|range| registered.is_some_and(|it| range.matches(&it.offer.version)))
                };
                self.ranked(id).iter().copied().filter(is_in).collect()
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
            let registered = self.registered(id)?;
            let capability = self.state.names.text(registered.row.capability);
            Some((capability, std::cmp::Reverse(&registered.offer.version), registered.agent))
        };
        ids.sort_unstable_by(|one, other| key(*one).cmp(&key(*other)));
        ids
    }
}
