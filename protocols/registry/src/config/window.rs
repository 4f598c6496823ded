//! The ids of events for which an entry of the configuration is valid.

use serde_json::{Map, Value};

use crate::EventId;

/// The event ids from `from` to `until`, without `until` (ruling 1).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Window {
    pub(crate) from: Option<EventId>,
    pub(crate) until: Option<EventId>,
}

impl Window {
    pub(crate) fn contains(&self, id: EventId) -> bool {
        self.from.is_none_or(|from| from <= id) && self.until.is_none_or(|until| id < until)
    }

    pub(crate) fn is_unbounded(&self) -> bool {
        *self == Self::default()
    }

    /// The entry of a configuration: the text alone if there are no bounds, and otherwise an object that has it as the
    /// member `name`.
    pub(crate) fn to_json(self, name: &str, text: &str) -> Value {
        if self.is_unbounded() {
            return text.into();
        }
        let mut members = Map::new();
        members.insert(name.to_owned(), text.into());
        for (name, bound) in [("from", self.from), ("until", self.until)] {
            bound.into_iter().for_each(|id| drop(members.insert(name.to_owned(), id.to_string().into())));
        }
        members.into()
    }
}
