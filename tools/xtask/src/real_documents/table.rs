//! The tables, in Markdown.

use super::import::{Kind, Measured};
use super::of_kind;
use super::payloads::Agreement;
use super::reasons::Reasons;

/// At most this many reasons of a kind are listed, which is more than remain.
const MAX_REASONS: usize = 40;

/// All tables.
pub(super) fn text(measured: &[Measured]) -> String {
    let mut text = String::new();
    for kind in Kind::ALL {
        let documents: Vec<&Measured> = of_kind(measured, kind).collect();
        if !documents.is_empty() {
            counts(&mut text, kind, &documents);
            reasons(&mut text, kind, &documents);
        }
    }
    text
}

fn counts(text: &mut String, kind: Kind, documents: &[&Measured]) {
    let is_compiled = documents.iter().any(|document| !document.compiles.is_empty());
    let (heading, line) = if is_compiled { (" code compiles: Rust, TypeScript |", "---|") } else { ("", "") };
    text.push_str(&format!("| document | {} | strict | `--lossy --skip` |{heading}\n", kind.entries()));
    text.push_str(&format!("|---|---:|---:|---:|{line}\n"));
    let compiled = |all: &[&Measured]| {
        let yes = |index: usize| all.iter().all(|document| document.compiles.get(index) == Some(&true));
        let word = |yes: bool| if yes { "yes" } else { "no" };
        if is_compiled { format!(" {}, {} |", word(yes(0)), word(yes(1))) } else { String::new() }
    };
    for document in documents {
        let Measured { name, entries, strict, lossy, .. } = document;
        text.push_str(&format!("| {name} | {entries} | {strict} | {lossy} |{}\n", compiled(&[document])));
    }
    let sum = |count: fn(&Measured) -> usize| documents.iter().map(|document| count(document)).sum::<usize>();
    let (entries, strict, lossy) = (sum(|one| one.entries), sum(|one| one.strict), sum(|one| one.lossy));
    let share = |count: usize| format!("{count} ({:.1}%)", 100.0 * count as f64 / entries.max(1) as f64);
    let (strict, lossy) = (share(strict), share(lossy));
    text.push_str(&format!("| all | {entries} | {strict} | {lossy} |{}\n\n", compiled(documents)));
}

fn reasons(text: &mut String, kind: Kind, documents: &[&Measured]) {
    let mut all = Reasons::default();
    documents.iter().for_each(|document| all.merge(&document.reasons));
    let sorted = all.sorted();
    if sorted.is_empty() {
        return;
    }
    text.push_str(&format!("| reason | {} |\n|---|---:|\n", kind.entries()));
    for (reason, count) in sorted.iter().take(MAX_REASONS) {
        text.push_str(&format!("| {} | {count} |\n", reason.replace('|', "\\|")));
    }
    text.push('\n');
}

/// The comparison with Ajv, and the first differences of each document.
pub(super) fn of_payloads(agreements: &[Agreement]) -> String {
    let mut text =
        "| document | schemas | payloads | different | not compiled by Ajv |\n|---|---:|---:|---:|---:|\n".to_owned();
    for Agreement { name, schemas, payloads, different, failed, .. } in agreements {
        text.push_str(&format!("| {name} | {schemas} | {payloads} | {different} | {} |\n", failed.len()));
    }
    let sum = |count: fn(&Agreement) -> usize| agreements.iter().map(count).sum::<usize>();
    let (schemas, payloads, different) = (sum(|it| it.schemas), sum(|it| it.payloads), sum(|it| it.different));
    let failed = sum(|it| it.failed.len());
    text.push_str(&format!("| all | {schemas} | {payloads} | {different} | {failed} |\n\n"));
    for agreement in agreements {
        let lines = agreement.listed.iter().chain(&agreement.failed);
        lines.for_each(|line| text.push_str(&format!("- {}: {line}\n", agreement.name)));
    }
    text
}
