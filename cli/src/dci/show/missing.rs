//! The capabilities that are missing, and those in conflict.

use std::collections::BTreeSet;

use capgen_dci::Conflict;

use super::View;
use crate::dci::page::{Page, id};

/// Further capabilities and conflicts are counted. They fit on a screen, and `--json` prints all of them.
const MAX_MISSING: usize = 20;

pub(super) fn write(view: &View, page: &mut Page) {
    unresolved(view, page);
    conflicts(view, page);
}

fn unresolved(view: &View, page: &mut Page) {
    let resolution = view.resolution;
    if resolution.unresolved.is_empty() {
        return;
    }
    let own: BTreeSet<&str> = resolution.uncovered().collect();
    page.section("missing");
    for capability in resolution.unresolved.iter().take(MAX_MISSING) {
        let mut reasons = Vec::new();
        if own.contains(capability.as_str()) {
            reasons.push(unmatched(view, capability));
        }
        reasons.extend(required_by(view, capability));
        if resolution.conflicts.capabilities.contains(capability) {
            reasons.push("it is required and denied".to_owned());
        }
        page.line(&format!("  {capability}: {}", reasons.join("; ")));
    }
    further(resolution.unresolved.len(), page);
}

/// Why nothing was selected for a capability of the run.
fn unmatched(view: &View, capability: &str) -> String {
    let ranked = &view.resolution.selection.ranked;
    let matching = ranked.iter().filter(|one| view.kind(one, capability).is_some());
    let (rejected, others): (Vec<_>, Vec<_>) = matching.partition(|one| !one.reasons.is_empty());
    match (rejected.len(), others.len()) {
        (0, 0) => "no candidate matches it".to_owned(),
        (rejected, 0) => format!("every match was rejected ({})", super::table::candidates(rejected)),
        (_, others) => format!("the matches were not selected ({})", super::table::candidates(others)),
    }
}

/// The first provider that requires a capability for which nothing was selected.
fn required_by(view: &View, capability: &str) -> Option<String> {
    let nodes = &view.resolution.graph.nodes;
    let node = nodes.iter().find(|node| node.unresolved.iter().any(|missing| missing == capability))?;
    Some(format!("{} requires it, and nothing was selected for it", id(&node.id)))
}

fn conflicts(view: &View, page: &mut Page) {
    let providers = view.resolution.conflicts.providers.iter();
    let entries: Vec<&Conflict> = providers.flat_map(|provider| &provider.conflicts).collect();
    if entries.is_empty() {
        return;
    }
    page.section("conflicts");
    let mut lines: Vec<String> = Vec::new();
    for entry in &entries {
        let line = format!(
            "  {}: required by {} (depth {}), denied by {} (depth {})",
            entry.capability,
            id(&entry.required_by.id),
            entry.required_by.depth,
            id(&entry.denied_by.id),
            entry.denied_by.depth
        );
        // Paths of several providers may name the same parties.
        if !lines.contains(&line) {
            lines.push(line);
        }
        if lines.len() > MAX_MISSING {
            break;
        }
    }
    lines.iter().take(MAX_MISSING).for_each(|line| page.line(line));
    if lines.len() > MAX_MISSING {
        page.line("  and more");
    }
}

fn further(number: usize, page: &mut Page) {
    if number > MAX_MISSING {
        page.line(&format!("  and {} more", number - MAX_MISSING));
    }
}
