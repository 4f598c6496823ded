//! Changes of the generated types, as findings.

use capgen_codegen::{Language, Options, surface};
use capgen_evolve::{Comparison, Levels, SourceChange, codes};
use capgen_manifest::Manifest;

/// Adds the changes after which the source of callers may not compile.
pub(super) fn add(comparison: &mut Comparison, old: &Manifest, new: &Manifest, levels: &Levels) {
    // Types do not depend on anything that the hash does not cover, apart from titles. Most contracts of a fleet are unchanged.
    if comparison.findings.is_empty() {
        return;
    }
    let changes: Vec<SourceChange> = surface::changes(old, new, &Options::default())
        .into_iter()
        .map(|change| {
            let code = match change.language {
                Language::Rust => codes::RUST_TYPES_CHANGED,
                _ => codes::TYPESCRIPT_TYPES_CHANGED,
            };
            SourceChange { code, capability: change.capability, side: change.side, text: change.text }
        })
        .collect();
    comparison.add_source_changes(old, new, &changes, levels);
}
