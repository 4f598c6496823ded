//! The result as Markdown for a comment on a pull request (GitHub Flavored Markdown).

use std::fmt::Write;

use capgen_diagnostic::{cut_short, is_unsafe, push_json_escape, visible};

use super::ComparisonReport;
use crate::{Acceptance, Finding, Level};

/// A longer payload is cut. A comment may have 65,536 characters.
const MAX_PAYLOAD: usize = 500;
/// More rows are counted, not shown. With a few hundred characters each, they fit into one comment.
const MAX_ROWS: usize = 100;

impl ComparisonReport {
    /// The result as Markdown: a heading, and a table with a row for each finding.
    ///
    /// Texts of contracts cannot end a cell, form markup or links, or mention users.
    pub fn markdown(&self) -> String {
        let mut out = format!("### Contract changes: {}\n\n", self.verdict());
        if self.findings().next().is_none() {
            return out;
        }
        out.push_str("| level | code | capability | side | change | payload |\n|---|---|---|---|---|---|\n");
        let mut left_out = 0;
        for (index, (contract, finding, acceptance)) in self.findings().enumerate() {
            if index >= MAX_ROWS {
                left_out += 1;
                continue;
            }
            let capability = plain(&self.key(contract, &finding.capability));
            let side = finding.side.map_or("", capgen_manifest::Side::name);
            let (level, code) = (self.level(finding, acceptance), finding.code.as_str());
            let (change, payload) = (change(finding, acceptance), payload(finding));
            // Writing to a string does not fail.
            let _ = writeln!(out, "| {level} | {code} | {capability} | {side} | {change} | {payload} |");
        }
        if left_out > 0 {
            let _ = writeln!(out, "\n{left_out} more changes are not shown.");
        }
        let _ = writeln!(out, "\nThe least version bump for these changes: **{}**.", self.raised().name());
        out
    }

    fn verdict(&self) -> String {
        let levels = Level::ALL.iter().rev().filter_map(|level| {
            let count = self.findings().filter(|(_, finding, _)| finding.level == *level).count();
            (count > 0).then(|| format!("{count} {}", level.name()))
        });
        let levels: Vec<_> = levels.collect();
        if levels.is_empty() { "none".to_owned() } else { levels.join(", ") }
    }

    /// The level of a finding, in bold if it fails.
    fn level(&self, finding: &Finding, acceptance: &Acceptance) -> String {
        match acceptance {
            Acceptance::Accepted(_) => format!("{} (accepted)", finding.level.name()),
            _ if self.fails(finding, acceptance) => format!("**{}**", finding.level.name()),
            _ => finding.level.name().to_owned(),
        }
    }
}

fn change(finding: &Finding, acceptance: &Acceptance) -> String {
    let mut text = plain(&finding.message);
    if !finding.pointer().is_empty() {
        let _ = write!(text, " at {}", code(finding.pointer()));
    }
    if let Some(help) = &finding.help {
        let _ = write!(text, "<br>{}", plain(help));
    }
    if let Some(note) = acceptance.note() {
        let _ = write!(text, "<br>{}", plain(&note));
    }
    text
}

/// The payload that proves a finding, and the first violation.
fn payload(finding: &Finding) -> String {
    let Some(witness) = &finding.witness else { return String::new() };
    let mut text = code(&witness.payload.canonical());
    if let Some(violation) = witness.violations.first() {
        let path = if violation.path.is_empty() { "(root)" } else { &violation.path };
        let _ = write!(text, "<br>{}", plain(&format!("{path}: {}", violation.message)));
    }
    text
}

/// A text without markup.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // A mention notifies users even if the character is escaped, but not if it is code.
            '@' => out.push_str("<code>@</code>"),
            // Links are recognised by `:` and `.`.
            '\\' | '`' | '|' | '*' | '_' | '[' | ']' | '~' | '!' | '#' | ':' | '.' | '$' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

/// A text of JSON or a JSON Pointer as code, where nothing but its end, `|` and line ends has a meaning.
fn code(text: &str) -> String {
    let mut out = String::from("`");
    for c in cut_short(text, MAX_PAYLOAD).chars() {
        // In JSON, these characters can only be in strings, where the escapes mean the same.
        let is_escaped = is_unsafe(c) || matches!(c, '`' | '|');
        if is_escaped { push_json_escape(&mut out, c) } else { out.push(c) }
    }
    out.push('`');
    out
}
