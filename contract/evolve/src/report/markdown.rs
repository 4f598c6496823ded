//! The result as Markdown for a comment on a pull request (GitHub Flavored Markdown).

use std::fmt::Write;

use capgen_diagnostic::{cut_short, is_unsafe, push_json_escape, visible};

use super::{ComparisonReport, Group};
use crate::{Acceptance, Finding, Level, TextChange};

/// A longer payload is cut. A comment may have 65,536 characters.
const MAX_PAYLOAD: usize = 500;
/// More rows are counted, not shown. With a few hundred characters each, they fit into one comment.
const MAX_ROWS: usize = 100;

impl ComparisonReport {
    /// The result as Markdown: a heading, and a table with a row for each change, the most severe first. A change with
    /// several findings, such as one of a definition that both sides have, is one row.
    ///
    /// Texts of contracts cannot end a cell, form markup or links, or mention users.
    pub fn markdown(&self) -> String {
        let mut out = format!("### Contract changes: {}\n\n", self.verdict());
        let groups = self.groups();
        if groups.is_empty() {
            return out;
        }
        out.push_str("| level | code | capability | side | change | payload |\n|---|---|---|---|---|---|\n");
        for group in groups.iter().take(MAX_ROWS) {
            let Some((finding, acceptance)) = group.first() else { continue };
            let capability = text(&self.key(group.contract, &finding.capability));
            let sides = group.sides().into_iter().map(capgen_manifest::Side::name).collect::<Vec<_>>().join(", ");
            let codes = group.codes().iter().map(|code| code.as_str()).collect::<Vec<_>>().join(", ");
            let (level, mut change) = (self.level(group), change(finding, acceptance));
            for (other, _) in group.findings.iter().skip(1) {
                let _ = write!(change, "<br>{}", other_finding(finding, other));
            }
            let payload = group.findings.iter().map(|(finding, _)| payload(finding)).find(|text| !text.is_empty());
            let payload = payload.unwrap_or_default();
            // Writing to a string does not fail.
            let _ = writeln!(out, "| {level} | {codes} | {capability} | {sides} | {change} | {payload} |");
        }
        let left_out = groups.len().saturating_sub(MAX_ROWS);
        if left_out > 0 {
            let _ = writeln!(out, "\n{left_out} more changes are not shown.");
        }
        let _ = writeln!(out, "\nThe least version bump for these changes: **{}**.", self.raised().name());
        out
    }

    fn verdict(&self) -> String {
        let levels = self.counts();
        if levels.is_empty() { "none".to_owned() } else { levels.join(", ") }
    }

    /// How many changes have each level, such as `1 breaking`, the most severe first.
    pub fn counts(&self) -> Vec<String> {
        let groups = self.groups();
        let levels = Level::ALL.iter().rev().filter_map(|level| {
            let count = groups.iter().filter(|group| group.level() == *level).count();
            (count > 0).then(|| format!("{count} {}", level.name()))
        });
        levels.collect()
    }

    /// The level of a change, in bold if it fails.
    fn level(&self, group: &Group<'_>) -> String {
        let name = group.level().name();
        let is_accepted = |(_, acceptance): &(_, &Acceptance)| matches!(acceptance, Acceptance::Accepted(_));
        if group.findings.iter().any(|(finding, acceptance)| self.fails(finding, acceptance)) {
            format!("**{name}**")
        } else if group.findings.iter().any(is_accepted) {
            format!("{name} (accepted)")
        } else {
            name.to_owned()
        }
    }
}

/// Another finding about the same change: its level on the other side, or its effect on generated types.
fn other_finding(first: &Finding, other: &Finding) -> String {
    let side = other.side.map_or("", capgen_manifest::Side::name);
    match first.message == other.message {
        true => format!("{side}: {}", other.level.name()),
        false => format!("{}: {}", other.level.name(), text(&other.message)),
    }
}

fn change(finding: &Finding, acceptance: &Acceptance) -> String {
    let mut out = text(&finding.message);
    if !finding.pointer().is_empty() {
        let _ = write!(out, " at {}", code(finding.pointer()));
    }
    for line in finding.texts.iter().flat_map(TextChange::lines) {
        let (version, excerpt) = line.split_once(": ").unwrap_or_default();
        let _ = write!(out, "<br>{version}: {}", code(excerpt));
    }
    if let Some(help) = &finding.help {
        let _ = write!(out, "<br>{}", text(help));
    }
    if let Some(note) = acceptance.note() {
        let _ = write!(out, "<br>{}", text(&note));
    }
    out
}

/// The payload that proves a finding, and the first violation.
fn payload(finding: &Finding) -> String {
    let Some(witness) = &finding.witness else { return String::new() };
    let mut out = code(&witness.payload.canonical());
    if let Some(violation) = witness.violations.first() {
        let path = if violation.path.is_empty() { "(root)" } else { &violation.path };
        let _ = write!(out, "<br>{}", text(&format!("{path}: {}", violation.message)));
    }
    out
}

/// A message: its parts between backticks are code, and its other parts have no markup.
fn text(message: &str) -> String {
    let parts: Vec<&str> = message.split('`').collect();
    // A backtick without a partner, such as one in a name, is a character.
    let paired = parts.len() - usize::from(parts.len().is_multiple_of(2));
    let mut out = String::with_capacity(message.len());
    for (index, part) in parts.iter().enumerate() {
        match index {
            _ if index >= paired => out.push_str(&plain(&format!("`{part}"))),
            // Code cannot be empty, and spaces at its ends are lost.
            _ if index % 2 == 1 && part.trim() == *part && !part.is_empty() => out.push_str(&code(part)),
            _ if index % 2 == 1 => out.push_str(&plain(&format!("`{part}`"))),
            _ => out.push_str(&plain(part)),
        }
    }
    out
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
        match c {
            // A backslash before the one that escapes the bar would escape that one.
            '|' if !out.ends_with('\\') => out.push_str("\\|"),
            c if is_unsafe(c) || matches!(c, '`' | '|') => push_json_escape(&mut out, c),
            c => out.push(c),
        }
    }
    out.push('`');
    out
}
