//! The result of a run as text.

mod advice;
mod missing;
mod rejected;
mod table;

pub(super) use table::number;

use std::collections::BTreeMap;
use std::sync::Arc;

use capgen_dci::{Aliases, Candidate, Corpus, Decision, Match, Ranked, Rejection, Resolution, Verified};

use super::page::{Page, id, listed};
use crate::console::count;

/// The result of a run, with everything that the text names.
pub(super) struct View<'v> {
    pub(super) corpus: &'v Corpus,
    pub(super) resolution: &'v Resolution,
    /// The decision for missing capabilities.
    pub(super) decision: Decision,
    /// The skills that discovery excluded.
    pub(super) exclusions: &'v [Rejection],
    pub(super) aliases: &'v Aliases,
    /// The selected candidates with manifests, by their ids.
    pub(super) verified: BTreeMap<Arc<str>, Verified>,
}

impl<'v> View<'v> {
    fn candidate(&self, one: &Ranked) -> Option<&'v Candidate> {
        self.corpus.candidate(&one.scored.id)
    }

    /// The id of a candidate, shortened.
    fn id(&self, one: &Ranked) -> String {
        id(&one.scored.id)
    }

    /// How a candidate matches a required capability.
    fn kind(&self, one: &Ranked, capability: &str) -> Option<Match> {
        self.resolution.matches(&one.scored).find(|(name, _)| *name == capability).map(|(_, kind)| kind)
    }

    fn is_selected(&self, one: &Ranked) -> bool {
        self.resolution.selection.is_selected(&one.scored.id)
    }
}

/// The whole text. Text of skills is escaped, and bounded in length.
pub(super) fn text(view: &View) -> String {
    let mut page = Page::default();
    let resolution = view.resolution;
    page.line(&format!("mode      {}", view.corpus.mode().name()));
    let required = if resolution.required.is_empty() { "nothing".to_owned() } else { listed(&resolution.required) };
    page.line(&format!("required  {required}"));
    if resolution.query != resolution.required.join(" ") {
        page.line(&format!("query     {}", capgen_diagnostic::quoted(&resolution.query)));
    }
    match resolution.selection.providers().collect::<Vec<_>>().as_slice() {
        [] => page.line("selected  nothing"),
        selected => selected.iter().for_each(|one| page.line(&format!("selected  {}", view.id(one)))),
    }
    page.line(&format!("outcome   {}", outcome(view)));
    table::write(view, &mut page);
    near_names(view, &mut page);
    rejected::write(view, &mut page);
    missing::write(view, &mut page);
    advice::write(view, &mut page);
    page.text()
}

/// Further near names are counted. They fit on a screen.
const MAX_NEAR_NAMES: usize = 20;

/// The selected skills that cover a capability only by a near name (decision 40).
fn near_names(view: &View, page: &mut Page) {
    let near = &view.resolution.near_names;
    if near.is_empty() {
        return;
    }
    page.section("selected by a near name");
    for one in near.iter().take(MAX_NEAR_NAMES) {
        let required_by = one.required_by.as_ref().map(|required_by| format!(", which {} requires", id(required_by)));
        let (id, reason) = (id(&one.id), one.reason(view.corpus));
        page.line(&format!("  {id}: {reason}{}", required_by.unwrap_or_default()));
    }
    if near.len() > MAX_NEAR_NAMES {
        page.line(&format!("  and {} more", near.len() - MAX_NEAR_NAMES));
    }
}

fn outcome(view: &View) -> String {
    let resolution = view.resolution;
    let name = resolution.outcome(view.decision).name();
    match resolution.unresolved.len() {
        0 => name.to_owned(),
        missing => {
            let policy = resolution.on_missing_required.name();
            format!(
                "{name}: {}, on-missing-required={policy}",
                count(missing, "missing capability", "missing capabilities")
            )
        }
    }
}
