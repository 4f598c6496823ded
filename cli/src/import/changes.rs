//! The changes between an imported manifest and the present file, in words.

use capgen_evolve::{Finding, Settings, compare};
use capgen_manifest::{Manifest, Source, load};

/// The most changes that are shown. `--diff` shows all of them.
const MAX_CHANGES: usize = 20;

/// One line for each change of the contract, the most severe first. `name` is the path of the present file in findings.
pub(super) fn notes(name: &str, old: &str, new: &Manifest) -> Vec<String> {
    if old.is_empty() {
        // It is empty or too long to be compared.
        return Vec::new();
    }
    let Ok(old) = load(&Source::new(name, old)) else {
        return vec!["the present file is not a valid manifest; `capgen check` shows its errors".to_owned()];
    };
    let mut findings = compare(&old.manifest, new, Settings::default()).findings;
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    if findings.is_empty() {
        return vec!["its capabilities are the same; `--diff` shows the other changes".to_owned()];
    }
    let more = findings.len().saturating_sub(MAX_CHANGES);
    let mut notes: Vec<String> = findings.iter().take(MAX_CHANGES).map(note).collect();
    if more > 0 {
        notes.push(format!("{more} more changes; `--diff` shows all"));
    }
    notes
}

fn note(finding: &Finding) -> String {
    let Finding { level, capability, message, .. } = finding;
    let place = match finding.pointer() {
        "" => String::new(),
        pointer => format!(", {pointer}"),
    };
    format!("{}: capability `{capability}`{place}: {message}", level.name())
}
