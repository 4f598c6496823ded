//! The candidates that were rejected, and why.

use std::collections::BTreeMap;

use capgen_dci::{Policy, Ranked, Reason};

use super::View;
use super::table::{candidates, number};
use crate::console::count;
use crate::dci::page::{Page, id, listed};

/// Further candidates are counted. They fit on a screen with the rest of the page, and `--json` prints all of them.
const MAX_CANDIDATES: usize = 10;
/// The reason of links that leave the workspace or a folder of skills.
const LINK: &str = "link-outside-root";

pub(super) fn write(view: &View, page: &mut Page) {
    let rejected = || view.resolution.selection.ranked.iter().filter(|one| !one.reasons.is_empty());
    // Candidates that match nothing have nothing to do with the requirements.
    let matching: Vec<&Ranked> =
        rejected().filter(|one| view.resolution.matches(&one.scored).next().is_some()).collect();
    let others = rejected().count() - matching.len();
    if others + matching.len() + view.exclusions.len() == 0 {
        return;
    }
    page.section("rejected");
    for one in matching.iter().take(MAX_CANDIDATES) {
        page.line(&format!("  {}", view.id(one)));
        reasons(view, one).into_iter().for_each(|reason| page.line(&format!("    {reason}")));
    }
    if matching.len() > MAX_CANDIDATES {
        page.line(&format!("  {} more that match a required capability", candidates(matching.len() - MAX_CANDIDATES)));
    }
    if others > 0 {
        page.line(&format!("  {} without a match of a required capability", candidates(others)));
    }
    for (reason, ids) in excluded(view) {
        // Their skills are missing although the user sees them in the folder.
        let names = if reason == LINK { format!(" ({})", listed(&ids)) } else { String::new() };
        page.line(&format!("  {} by discovery: {reason}{names}", count(ids.len(), "skill", "skills")));
    }
}

/// The ids of excluded skills by reason.
fn excluded<'v>(view: &'v View) -> BTreeMap<&'v str, Vec<String>> {
    let mut ids: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for exclusion in view.exclusions {
        ids.entry(exclusion.reason.as_str()).or_default().push(id(&exclusion.id));
    }
    ids
}

/// The reasons in words, with the values and limits that were compared.
fn reasons(view: &View, one: &Ranked) -> Vec<String> {
    let Some(candidate) = view.candidate(one) else { return Vec::new() };
    let policy = view.resolution.policy_of(candidate);
    one.reasons.iter().map(|reason| in_words(*reason, one, &policy, view)).collect()
}

fn in_words(reason: Reason, one: &Ranked, policy: &Policy, view: &View) -> String {
    let below = |what: &str, value: String, key: &str, limit: &capgen_dci::Threshold| {
        format!("{what} {value} is below {key}={}", number(limit.shown()))
    };
    let scores = &one.scored.scores;
    match reason {
        Reason::RuntimeIncompatible => "it does not support the runtime of the host".to_owned(),
        Reason::ModelIncompatible => "it does not support the model of the host".to_owned(),
        Reason::ContractInflated => "its contract claims more than its name and description support".to_owned(),
        Reason::ContractUnreadable => "its contract is unreadable".to_owned(),
        Reason::MinTotalScore => below("total", number(scores.last), reason.name(), &policy.min_total_score),
        Reason::MinContractScore => {
            below("contract score", number(scores.contract), reason.name(), &policy.min_contract_score)
        }
        Reason::MinRequiredCoverage => {
            let (of, limit) = (view.resolution.required.len(), number(policy.min_required_coverage.shown()));
            let covered = view.resolution.covered(&one.scored).count();
            format!("it covers {covered} of {of} required capabilities, below {}={limit}", reason.name())
        }
        Reason::MaxCandidates => {
            let rank = one.rank.unwrap_or_default();
            format!("its rank {rank} is beyond {}={}", reason.name(), policy.max_candidates)
        }
        Reason::ProbeFailed => "its probe failed".to_owned(),
        Reason::NotVerified => "its manifest does not name every capability that matches".to_owned(),
    }
}
