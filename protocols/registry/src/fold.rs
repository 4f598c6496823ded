//! The fold of events: the state, its view, and the invalid events.

use std::collections::BTreeMap;
use std::sync::Arc;

use capgen_schema::Hash;
use serde::Serialize;

use crate::canonical::{array_parts, canonical};
use crate::event::Invalid;
use crate::registry::View;
use crate::{Checked, Checker, Event, Registry};

/// The projection of events (section 4.3): `fold(P_registry, ∅, EventStream)`.
///
/// ```
/// use capgen_registry::{Configuration, Event, Fold};
/// let mut fold = Fold::new(Configuration::default().into());
/// fold.event(&Event::parse(br#"{"event_type": "agent.heartbeat"}"#)?);
/// assert_eq!(fold.invalid().len(), 1);
/// # Ok::<(), capgen_registry::NotJson>(())
/// ```
#[derive(Debug)]
pub struct Fold {
    checker: Arc<Checker>,
    registry: Registry,
    /// By content hash, then by the text of the row.
    invalid: BTreeMap<(Hash, String), InvalidRow>,
}

/// An invalid event in the output of a fold.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct InvalidRow {
    /// The id, if it is a UUIDv7 or a UUIDv8.
    pub event_id: Option<String>,
    /// The content hash.
    pub hash: String,
    /// The first check that failed.
    pub reason: &'static str,
    /// JSON Pointers into the event.
    pub paths: Vec<String>,
}

/// The output of a fold or a merge, which is written in parts: neither the state nor the view need be in memory as
/// text.
#[derive(Clone, Debug)]
pub struct FoldReport<'r> {
    view: View<'r>,
    /// The hash of the state.
    pub hash: String,
    /// The hash of the registry facts.
    pub registry_hash: String,
    /// The invalid events, distinct, in the order of hash and text. A merge has none.
    pub invalid: Option<Vec<InvalidRow>>,
}

impl Fold {
    /// The fold of no events.
    #[must_use]
    pub fn new(config: Arc<crate::Configuration>) -> Self {
        Self { registry: Registry::new(config.clone()), checker: Checker::new(config).into(), invalid: BTreeMap::new() }
    }

    /// Adds an event. Order and repetition have no effect.
    pub fn event(&mut self, event: &Event) {
        match self.checker.check(event) {
            Checked::Valid(_, facts) => self.registry.join_all(facts),
            Checked::Ignored => {}
            Checked::Invalid(invalid) => {
                let row = InvalidRow::new(event, invalid);
                let text = canonical(&serde_json::to_value(&row).unwrap_or_default());
                self.invalid.insert((event.hash(), text), row);
            }
        }
    }

    /// The checker, which knows the contracts so far.
    #[must_use]
    pub fn checker(&self) -> &Arc<Checker> {
        &self.checker
    }

    /// The registry of the events so far.
    pub fn registry(&mut self) -> &mut Registry {
        &mut self.registry
    }

    /// The invalid events, distinct, in the order of hash and text.
    #[must_use]
    pub fn invalid(&self) -> Vec<InvalidRow> {
        self.invalid.values().cloned().collect()
    }

    /// The output of the command `fold`.
    #[must_use]
    pub fn report(&mut self) -> FoldReport<'_> {
        let invalid = self.invalid();
        FoldReport { invalid: Some(invalid), ..FoldReport::of(&mut self.registry) }
    }

    /// The registry, without the invalid events.
    #[must_use]
    pub fn into_registry(self) -> Registry {
        self.registry
    }
}

impl<'r> FoldReport<'r> {
    /// The output of the command `merge`.
    #[must_use]
    pub fn of(registry: &'r mut Registry) -> Self {
        let view = registry.view();
        Self { view, hash: view.state().hash().to_string(), registry_hash: view.registry_hash(), invalid: None }
    }

    /// The registry that the report is about.
    #[must_use]
    pub fn view(&self) -> View<'r> {
        self.view
    }

    /// The canonical text of `{"hash", "invalid", "registry_hash", "state", "view"}` in parts of at most one entry or
    /// row.
    pub fn parts(&self) -> impl Iterator<Item = String> {
        let Self { view, hash, registry_hash, invalid } = self;
        let rows = invalid.iter().flat_map(|rows| {
            let rows = rows.iter().map(|row| canonical(&serde_json::to_value(row).unwrap_or_default()));
            std::iter::once(",\"invalid\":".to_owned()).chain(array_parts(rows))
        });
        std::iter::once(format!("{{\"hash\":\"{hash}\""))
            .chain(rows)
            .chain([format!(",\"registry_hash\":\"{registry_hash}\",\"state\":")])
            .chain(view.state().parts())
            .chain([",\"view\":".to_owned()])
            .chain(view.parts())
            .chain(["}".to_owned()])
    }

    /// The canonical text.
    #[must_use]
    pub fn to_json(&self) -> String {
        self.parts().collect()
    }
}

impl InvalidRow {
    fn new(event: &Event, Invalid { reason, paths }: Invalid) -> Self {
        let event_id = event.id().map(|id| id.to_string());
        Self { event_id, hash: event.hash().to_string(), reason: reason.as_str(), paths }
    }
}
