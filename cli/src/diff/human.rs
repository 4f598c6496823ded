//! Human-readable output: findings with excerpts of both files, the version that each capability needs, and a summary.

use capgen_diagnostic::{Diagnostic, Severity};
use capgen_evolve::{Bump, CapabilityComparison, ComparisonReport};
use capgen_manifest::LoadedContract;

use super::against::Pair;
use super::findings::Changed;
use crate::console::{Console, count};

/// Prints the result. Findings that need no action are lines without excerpts, unless `verbose` is set.
pub(super) fn print(
    report: &ComparisonReport,
    pairs: &[Pair],
    unused: &[Diagnostic],
    verbose: bool,
    console: &Console,
) {
    let groups = report.groups();
    for (contract, pair) in report.contracts.iter().zip(pairs) {
        let changed = Changed { report, contract, pair };
        let here = groups.iter().filter(|group| std::ptr::eq(group.contract, contract));
        let all: Vec<Diagnostic> = here.filter_map(|group| changed.group(group)).collect();
        let (mut notes, others): (Vec<Diagnostic>, Vec<Diagnostic>) =
            all.into_iter().partition(|finding| finding.severity() == Severity::Note && !verbose);
        console.report(&others);
        if !others.is_empty() {
            console.line("");
        }
        // The first two notes are the place and the acceptance. A model may read the text of a description.
        let is_brief = |index: usize, note: &str| {
            index < 2 || ["old text: ", "new text: "].iter().any(|start| note.starts_with(start))
        };
        for finding in &mut notes {
            let notes = std::mem::take(&mut finding.notes).into_iter().enumerate();
            finding.notes = notes.filter(|(index, note)| is_brief(*index, note)).map(|(_, note)| note).collect();
        }
        console.brief(&notes);
        let bumps: Vec<String> = contract.comparison.capabilities.iter().filter_map(|c| bump(c, pair)).collect();
        bumps.iter().for_each(|line| console.line(line));
        if !(notes.is_empty() && bumps.is_empty()) {
            console.line("");
        }
    }
    if !unused.is_empty() {
        console.report(unused);
        console.line("");
    }
    summary(report, console);
}

/// The version that the changes of a capability need.
fn bump(capability: &CapabilityComparison, pair: &Pair) -> Option<String> {
    let name = &capability.name;
    if capability.bump == Bump::None || capability.old.is_none() || capability.new.is_none() {
        return None;
    }
    let version = |contract: &Option<LoadedContract>, index: Option<usize>| {
        contract.as_ref()?.manifest.capabilities.get(index?)?.version.clone()
    };
    let (old, new) = (version(&pair.old, capability.old), version(&pair.new, capability.new));
    Some(match (old, new) {
        (Some(old), Some(new)) => {
            let least = capability.bump.least(&old);
            let others = if new < least && capability.bump.is_met(&old, &new) { ", a pre-release of it," } else { "" };
            format!("`{name}`: these changes need version {least}{others} or greater; the new version is {new}")
        }
        _ => format!("`{name}`: these changes need a {} version", capability.raised().name()),
    })
}

fn summary(report: &ComparisonReport, console: &Console) {
    let contracts = count(report.contracts.len(), "contract", "contracts");
    let levels = report.counts();
    if levels.is_empty() {
        return console.tick(&format!("compared {contracts}: no changes of capabilities"));
    }
    let accepted = report.findings().filter(|(_, _, a)| matches!(a, capgen_evolve::Acceptance::Accepted(_))).count();
    let accepted = if accepted > 0 { format!(" ({accepted} accepted)") } else { String::new() };
    let text = format!(
        "compared {contracts}: {}{accepted}; least version bump: {}",
        levels.join(", "),
        report.raised().name()
    );
    if report.has_failed() { console.line(&text) } else { console.tick(&text) }
}
