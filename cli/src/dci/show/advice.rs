//! What to change to get another result: the host, an alias or a contract. Policies are suggested on standard error.

use capgen_dci::{Match, Mode, Ranked, Reason};
use capgen_diagnostic::{nearest, shortened};

use super::View;
use crate::dci::page::{MAX_ID_TO_COPY as MAX_ID, Page};

/// The maximum number of capabilities with advice. Advice helps one step at a time, and it must not push the result out
/// of the terminal.
const MAX_CAPABILITIES: usize = 10;
/// Longer names of models are not suggested. Names of models are far shorter; these come from contracts that may be
/// hostile.
const MAX_MODEL: usize = 128;

pub(super) fn write(view: &View, page: &mut Page) {
    let mut advice: Vec<String> = host(view).into_iter().collect();
    advice
        .extend(view.resolution.uncovered().take(MAX_CAPABILITIES).filter_map(|capability| provide(view, capability)));
    if advice.is_empty() {
        return;
    }
    page.section("to change the result");
    advice.iter().for_each(|advice| page.line(&format!("  {advice}")));
}

/// The options for the host with which the best candidate passes that supports only another host. Policies are
/// suggested elsewhere.
fn host(view: &View) -> Option<String> {
    let resolution = view.resolution;
    if resolution.uncovered().next().is_none() || resolution.selection.providers().next().is_some() {
        return None;
    }
    let covers = |one: &&Ranked| resolution.covered(&one.scored).next().is_some();
    resolution.selection.ranked.iter().filter(covers).find_map(|one| {
        let options = options(view, one)?;
        Some(format!("{} lets {} pass these checks", options.join(" "), shortened(&one.scored.id, MAX_ID)))
    })
}

/// The options with which a candidate supports the host; `None` if it does, or is rejected for another reason.
fn options(view: &View, one: &Ranked) -> Option<Vec<String>> {
    let contract = view.candidate(one)?.contract()?;
    // A model that a pattern accepts, if a shell needs no quotes for it and takes it for a value.
    let accepted = |pattern: &String| {
        let model = pattern.trim_end_matches('*').to_owned();
        (!model.is_empty() && !model.starts_with('-') && model.len() <= MAX_MODEL).then_some(model)
    };
    let option = |reason: &Reason| match reason {
        Reason::RuntimeIncompatible => contract.runtime.first().map(|runtime| format!("--host-runtime {runtime}")),
        Reason::ModelIncompatible => {
            contract.model.iter().find_map(accepted).map(|model| format!("--host-model {model}"))
        }
        _ => None,
    };
    let options: Vec<String> = one.reasons.iter().map(option).collect::<Option<_>>()?;
    (!options.is_empty()).then_some(options)
}

/// The alias to declare, or the contract to write, so that a candidate provides a capability.
fn provide(view: &View, capability: &str) -> Option<String> {
    let ranked = || view.resolution.selection.ranked.iter();
    let kind = |one: &Ranked| view.kind(one, capability);
    let best = ranked().filter_map(|one| Some((kind(one)?, one))).min_by_key(|(kind, _)| *kind);
    let Some((best, one)) = best else { return Some(unmatched(view, capability)) };
    let candidate = view.candidate(one)?;
    match best {
        Match::Exact | Match::Alias => None,
        Match::Near | Match::Fuzzy => {
            let (similar, name) = (view.corpus.similar(candidate, capability)?, shortened(&candidate.id, MAX_ID));
            let option = if view.corpus.mode() == Mode::Strict { ", and pass --workspace-aliases" } else { "" };
            Some(format!(
                "if `{similar}` of {name} is the same as `{capability}`, declare an alias in .dci/aliases.v1.json{option}"
            ))
        }
        Match::Provisional => {
            let name = shortened(&candidate.id, MAX_ID);
            Some(format!("if {name} provides `{capability}`, add `P({capability})` to its contract"))
        }
    }
}

/// Advice for a capability that no candidate matches.
fn unmatched(view: &View, capability: &str) -> String {
    let provided = view.corpus.candidates().iter().flat_map(|candidate| candidate.provides());
    match nearest(capability, provided.map(String::as_str)) {
        Some(near) => format!("`{capability}` may be a mistake for `{near}`, which a candidate provides"),
        None => format!("install a skill whose contract has `P({capability})`"),
    }
}
