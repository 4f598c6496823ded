//! Changes of the generated types, as findings.

use capgen_codegen::{Options, public_items};
use capgen_evolve::{Comparison, Levels, SourceChange};
use capgen_manifest::{Capability, Manifest, Side};
use capgen_schema::Schema;

/// Adds the changes after which the source of callers or providers may not compile.
pub(super) fn add(comparison: &mut Comparison, old: &Manifest, new: &Manifest, levels: &Levels) {
    // Most contracts of a fleet are unchanged. A definition that was renamed is a change of types, and no other
    // finding.
    if !has_other_schemas(old, new) {
        return;
    }
    let changes: Vec<SourceChange> = public_items::changes(old, new, &Options::default())
        .into_iter()
        .map(|change| SourceChange {
            code: change.code,
            capability: change.capability,
            side: change.side,
            text: change.text,
            identity: change.identity,
        })
        .collect();
    comparison.add_source_changes(old, new, &changes, levels);
}

/// Whether the names and schemas differ as written. Only then can the generated code differ.
fn has_other_schemas(old: &Manifest, new: &Manifest) -> bool {
    let is_equal = |(old, new): (&Capability, &Capability)| {
        old.name == new.name
            && Side::ALL
                .into_iter()
                .all(|side| old.schema(side).map(Schema::source) == new.schema(side).map(Schema::source))
    };
    old.capabilities.len() != new.capabilities.len() || !old.capabilities.iter().zip(&new.capabilities).all(is_equal)
}
