//! The ranked candidates with their scores.

use capgen_dci::{Match, Ranked, Score};

use super::View;
use crate::console::count;
use crate::dci::page::Page;
use crate::table::table;

/// Further candidates are counted. They fit on a screen, and `--json` prints all of them.
const MAX_CANDIDATES: usize = 20;

pub(super) fn write(view: &View, page: &mut Page) {
    let ranked = &view.resolution.selection.ranked;
    let rows: Vec<&Ranked> = ranked.iter().filter(|one| one.rank.is_some()).collect();
    if rows.is_empty() {
        return;
    }
    let shown = rows.get(..MAX_CANDIDATES).unwrap_or(&rows);
    // Most candidates have neither penalties nor a history.
    let is_penalized = shown.iter().any(|one| one.scored.penalties.total() > Score::ZERO);
    let has_history = shown.iter().any(|one| one.scored.scores.history != Score::ONE);
    let mut header = vec!["rank", "total", "contract", "desc", "namepath", "runtime"];
    header.extend(is_penalized.then_some("penalties"));
    header.extend(has_history.then_some("history"));
    header.push("candidate");
    let row = |one: &&Ranked| {
        let scores = &one.scored.scores;
        let numbers = [scores.last, scores.contract, scores.description, scores.name_path, scores.runtime];
        let mut row = vec![one.rank.map(|rank| rank.to_string()).unwrap_or_default()];
        row.extend(numbers.map(number));
        row.extend(is_penalized.then(|| number(one.scored.penalties.total().min(Score::ONE))));
        row.extend(has_history.then(|| number(scores.history)));
        let mark = if view.is_selected(one) { " (selected)" } else { "" };
        row.push(format!("{}{mark}", view.id(one)));
        row
    };
    page.section("ranked");
    page.indented(&table(header, shown.iter().map(row)));
    if rows.len() > shown.len() {
        page.line(&format!("  and {} more", rows.len() - shown.len()));
    }
    for one in shown {
        explain(view, one, page);
    }
}

/// The lines below the table: the matches and penalties of a selected candidate, and the step that separated equal
/// scores.
fn explain(view: &View, one: &Ranked, page: &mut Page) {
    if view.is_selected(one) {
        let matches = view.resolution.matches(&one.scored).take(MAX_CANDIDATES);
        let matches: Vec<String> = matches.map(|(name, kind)| matched(view, one, name, kind)).collect();
        page.line(&format!("  {} matches {}", view.id(one), matches.join(", ")));
        let penalties = penalties(one);
        if !penalties.is_empty() {
            page.line(&format!("  {} loses {}", view.id(one), penalties.join(", ")));
        }
    }
    if let Some(tie_break) = &one.tie_break {
        let decided = tie_break_name(tie_break.step);
        let rank = one.rank.unwrap_or_default();
        page.line(&format!("  rank {rank} was decided between equal totals by {decided} (step {})", tie_break.step));
    }
}

/// A match in words. Verified: the manifest of the skill names the capability.
fn matched(view: &View, one: &Ranked, capability: &str, kind: Match) -> String {
    let manifest = view.verified.get(&one.scored.id);
    let is_verified = manifest.is_some_and(|verified| verified.contains(capability, kind, view.corpus, view.aliases));
    format!("{capability} ({}{})", kind.name(), if is_verified { ", verified" } else { "" })
}

fn tie_break_name(step: u32) -> &'static str {
    match step {
        1 => "the contract score",
        2 => "the number of exact, alias and fuzzy matches",
        3 => "the number of unmatched capabilities",
        4 => "specificity",
        5 => "the score of the name, path and description",
        _ => "the hash of the id",
    }
}

/// The penalties of a candidate that are above 0, in words.
fn penalties(one: &Ranked) -> Vec<String> {
    let penalties = &one.scored.penalties;
    let all = [
        (penalties.invalid_token, "invalid tokens"),
        (penalties.unknown_clause, "unknown clauses"),
        (penalties.overclaim, "too many capabilities"),
        (penalties.inflation, "claims that its description does not support"),
        (penalties.require_deny, "conflicts"),
    ];
    let above = all.into_iter().filter(|(penalty, _)| *penalty > Score::ZERO);
    above.map(|(penalty, reason)| format!("{} for {reason}", number(penalty))).collect()
}

/// A score with at most 6 decimals.
pub(in crate::dci) fn number(score: Score) -> String {
    score.shown().to_string()
}

/// `2 candidates provide none of the required capabilities`.
pub(super) fn candidates(number: usize) -> String {
    count(number, "candidate", "candidates")
}
