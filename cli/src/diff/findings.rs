//! Changes as findings with places in both files.

use std::path::Path;

use capgen_diagnostic::{Diagnostic, Label, Severity, shortened};
use capgen_evolve::{
    Acceptance, CapabilityComparison, ComparedContract, ComparisonReport, Finding, Group, Level, TextChange,
};
use capgen_manifest::{LoadedContract, Side};

use super::against::{Against, Pair};
use crate::repository;

/// A longer payload is cut. `--format json` has all of it. It takes some lines of a terminal, and usual payloads that
/// show a difference are shorter.
const MAX_PAYLOAD: usize = 600;
/// Further violations are counted. One is enough to see why the payload is rejected.
const MAX_VIOLATIONS: usize = 5;
/// Further callers are counted. A finding remains readable on a screen with others.
const MAX_CALLERS: usize = 5;

/// Every finding for formats that annotate the files of the working tree.
pub(super) fn all(
    report: &ComparisonReport,
    pairs: &[Pair],
    unused: &[Diagnostic],
    against: Against,
) -> Vec<Diagnostic> {
    let is_revision = matches!(against, Against::Revision(_));
    let all = report.contracts.iter().zip(pairs).flat_map(|(contract, pair)| {
        contract.findings().map(move |(finding, acceptance)| {
            let mut shown = Changed { report, contract, pair }.shown(finding, acceptance);
            if is_revision {
                without_old_places(&mut shown, pair);
            }
            shown
        })
    });
    all.chain(unused.iter().cloned()).collect()
}

/// Replaces places in files of a revision, which the working tree does not have, by notes.
fn without_old_places(shown: &mut Diagnostic, pair: &Pair) {
    let Some(old) = &pair.old else { return };
    let is_old = |label: &Label| label.source.path() == old.path();
    let places = shown.labels.iter().filter(|label| is_old(label)).map(|label| {
        let position = label.source.position(label.span.start);
        format!("old version: {}:{}:{}", label.source.path(), position.line, position.column)
    });
    shown.notes.extend(places.collect::<Vec<_>>());
    shown.labels.retain(|label| !is_old(label));
    if shown.labels.is_empty() && shown.file.is_none() {
        // The path is relative to the root of the repository.
        let path = old.path().split_once(':').map(|(_, path)| Path::new(path));
        let path = path.map(|path| repository::root_of(Path::new(".")).unwrap_or_default().join(path));
        shown.file = path.map(|path| path.to_string_lossy().into_owned());
    }
}

/// A contract that was compared.
#[derive(Clone, Copy)]
pub(super) struct Changed<'r> {
    pub(super) report: &'r ComparisonReport,
    pub(super) contract: &'r ComparedContract,
    pub(super) pair: &'r Pair,
}

impl Changed<'_> {
    /// A finding with its places, the payload that proves it, and its callers.
    pub(super) fn shown(self, finding: &Finding, acceptance: &Acceptance) -> Diagnostic {
        let mut shown = Diagnostic::new(finding.code, &finding.message).with_severity(severity(finding, acceptance));
        shown.fingerprint = Some(finding.fingerprint.as_str().to_owned());
        shown.notes.push(self.place(finding));
        shown.notes.extend(acceptance.note());
        self.add_labels(&mut shown, finding);
        shown.notes.extend(finding.texts.iter().flat_map(TextChange::lines));
        shown.notes.extend(proof(finding));
        if finding.level == Level::Breaking {
            shown.notes.extend(callers(&self.contract.callers));
        }
        if self.report.fails(finding, acceptance) {
            shown.notes.push(self.entry(finding));
        }
        shown.help.clone_from(&finding.help);
        shown
    }

    /// The findings of one change as one, with the greatest severity.
    pub(super) fn group(self, group: &Group<'_>) -> Option<Diagnostic> {
        let (first, acceptance) = group.first()?;
        let mut shown = self.shown(first, acceptance);
        for (other, acceptance) in group.findings.iter().skip(1) {
            let one = self.shown(other, acceptance);
            shown.severity = Some(shown.severity().min(one.severity()));
            let side = other.side.map(|side| format!("{}, ", side.name())).unwrap_or_default();
            let same = first.message == other.message;
            let message = if same { String::new() } else { format!(": {}", other.message) };
            shown.notes.push(format!("also {} ({side}{}){message}", other.code.as_str(), other.level.name()));
            // The place is that of the change, and the code of callers is the same.
            let is_known = |note: &String| note.starts_with("at: ") || shown.notes.contains(note);
            let more: Vec<String> = one.notes.into_iter().filter(|note| !is_known(note)).collect();
            shown.notes.extend(more);
        }
        Some(shown)
    }

    /// Where the finding is, in words.
    fn place(self, finding: &Finding) -> String {
        let side = finding.side.map(|side| format!(", {}", side.name())).unwrap_or_default();
        // The pointer of a side starts with the key of its schema, which the side implies.
        let key = finding.side.map(Side::schema_key).unwrap_or_default();
        let pointer = finding.pointer();
        let below =
            pointer.strip_prefix('/').and_then(|rest| rest.strip_prefix(key)).filter(|_| finding.side.is_some());
        let below = below.unwrap_or(pointer);
        let below = if below.is_empty() { String::new() } else { format!(", {below}") };
        let agent = match self.report.contracts.len() {
            1 => String::new(),
            _ => format!("agent `{}`, ", self.contract.agent),
        };
        format!("at: {agent}capability `{}`{side}{below} ({})", finding.capability, finding.level.name())
    }

    fn add_labels(self, shown: &mut Diagnostic, finding: &Finding) {
        let capability = self.contract.comparison.capabilities.iter().find(|c| c.name == finding.capability);
        let index = |of: fn(&CapabilityComparison) -> Option<usize>| capability.and_then(of);
        let new = place(self.pair.new.as_ref(), index(|c| c.new), finding.new_pointer.as_deref());
        let old = place(self.pair.old.as_ref(), index(|c| c.old), finding.old_pointer.as_deref());
        match (new, old) {
            (Some((new, pointer)), old) => {
                shown.pointer = Some(pointer.clone());
                shown.labels.push(new.label(&pointer, "new version"));
                shown.labels.extend(old.map(|(old, pointer)| old.label(&pointer, "old version")));
            }
            (None, Some((old, pointer))) => {
                if let Some(new) = &self.pair.new {
                    shown.labels.push(new.label("/capabilities", "not in the new version"));
                    shown.pointer = Some("/capabilities".to_owned());
                } else {
                    let agent = &self.contract.agent;
                    shown.notes.push(format!("the new version has no agent `{agent}`"));
                }
                shown.labels.push(old.label(&pointer, "old version"));
            }
            (None, None) => {}
        }
    }

    /// The line that accepts the finding.
    fn entry(self, finding: &Finding) -> String {
        let agent = match self.report.contracts.len() {
            1 => String::new(),
            _ => format!(", agent: {:?}", self.contract.agent.as_str()),
        };
        let (fingerprint, file) = (&finding.fingerprint, capgen_evolve::ACCEPTED_FILE);
        format!(
            "to accept it, add to {file}: - {{ fingerprint: \"{fingerprint}\"{agent}, reason: \"...\", expires: YYYY-MM-DD }}"
        )
    }
}

/// The contract, and the pointer from the root of its document.
fn place<'c>(
    contract: Option<&'c LoadedContract>,
    index: Option<usize>,
    below: Option<&str>,
) -> Option<(&'c LoadedContract, String)> {
    let contract = contract?;
    Some((contract, contract.capability_pointer(index?) + below?))
}

/// An accepted finding needs no action.
fn severity(finding: &Finding, acceptance: &Acceptance) -> Severity {
    match (acceptance, finding.level) {
        (Acceptance::Accepted(_), _) | (_, Level::Safe | Level::Cosmetic) => Severity::Note,
        (_, Level::Risky) => Severity::Warning,
        (_, Level::Breaking) => Severity::Error,
    }
}

/// The payload that proves a finding, and the violations that it causes.
fn proof(finding: &Finding) -> Vec<String> {
    let Some(witness) = &finding.witness else { return Vec::new() };
    let accepting = match finding.side {
        Some(Side::Request) => "the old schema accepts and the new one rejects",
        // The provider also sends the details of errors, whose findings have no side.
        Some(Side::Response) | None => "the new schema accepts and the old one rejects",
    };
    let payload = witness.payload.canonical();
    let payload = match payload.chars().nth(MAX_PAYLOAD) {
        None => payload,
        Some(_) => format!(
            "{} ({} characters; `--format json` prints all of them)",
            shortened(&payload, MAX_PAYLOAD),
            payload.chars().count()
        ),
    };
    let mut notes = vec![format!("payload that {accepting}: {payload}")];
    for violation in witness.violations.iter().take(MAX_VIOLATIONS) {
        let path = if violation.path.is_empty() { "(root)" } else { &violation.path };
        notes.push(format!("violation: {path}: {}", violation.message));
    }
    let more = witness.violations.len().saturating_sub(MAX_VIOLATIONS);
    match more {
        _ if witness.violations.is_truncated() => notes.push("and more violations".to_owned()),
        0 => {}
        _ => notes.push(format!("and {more} more violations")),
    }
    notes
}

fn callers(paths: &[String]) -> Option<String> {
    if paths.is_empty() {
        return None;
    }
    let shown: Vec<_> = paths.iter().take(MAX_CALLERS).map(|path| format!("`{path}`")).collect();
    let more = paths.len().saturating_sub(MAX_CALLERS);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(format!("callers with code of the old version: {}{more}", shown.join(", ")))
}
