//! Changes of the generated types, as findings.

use std::collections::HashSet;

use capgen_codegen::{Options, public_items};
use capgen_evolve::{Comparison, Levels, SourceChange};
use capgen_manifest::{Capability, Manifest};
use capgen_schema::Schema;

/// Adds the changes after which the source of callers or providers may not compile.
///
/// Of several versions of a capability, each is compared as if it were the only one: when a higher version is added,
/// the plain names move to it, but the types of the others have not changed.
pub(super) fn add(comparison: &mut Comparison, old: &Manifest, new: &Manifest, levels: &Levels) {
    let labels = old.labels();
    let several: HashSet<String> = [old, new].into_iter().flat_map(names_of_several).collect();
    let is_single = |capability: &Capability| !several.contains(&capability.name);
    // The names of types depend on all capabilities, by the definitions that they share.
    let mut changes = changes_of(old, new);
    changes.retain(|change| !several.contains(change.capability.split('@').next().unwrap_or_default()));
    for entry in comparison.capabilities.iter().filter(|_| !several.is_empty()) {
        let capability = |manifest: &Manifest, index: Option<usize>| {
            manifest.capabilities.get(index?).filter(|capability| !is_single(capability)).cloned()
        };
        let pair = (capability(old, entry.old), capability(new, entry.new));
        let ((Some(before), Some(after)), Some(label)) = (pair, entry.old.and_then(|index| labels.get(index))) else {
            continue;
        };
        let found = changes_of(&only(old, before), &only(new, after));
        changes.extend(found.into_iter().map(|change| SourceChange { capability: label.clone(), ..change }));
    }
    comparison.add_source_changes(old, new, &changes, levels);
}

/// The names of the capabilities of which a contract has several versions.
fn names_of_several(manifest: &Manifest) -> impl Iterator<Item = String> {
    let labelled = manifest.capabilities.iter().zip(manifest.labels());
    labelled.filter(|(capability, label)| *label != capability.name).map(|(capability, _)| capability.name.clone())
}

/// The contract with one capability alone.
fn only(manifest: &Manifest, capability: Capability) -> Manifest {
    let (agent, transports) = (manifest.agent.clone(), manifest.transports.clone());
    Manifest::new(agent, transports, vec![capability])
}

fn changes_of(old: &Manifest, new: &Manifest) -> Vec<SourceChange> {
    // Most contracts of a fleet are unchanged. A definition that was renamed is a change of types, and no other
    // finding.
    if !has_other_schemas(old, new) {
        return Vec::new();
    }
    public_items::changes(old, new, &Options::default())
        .into_iter()
        .map(|change| SourceChange {
            code: change.code,
            capability: change.capability,
            side: change.side,
            error: change.error,
            text: change.text,
            identity: change.identity,
        })
        .collect()
}

/// Whether the names and schemas differ as written. Only then can the generated code differ.
fn has_other_schemas(old: &Manifest, new: &Manifest) -> bool {
    let is_equal = |(old, new): (&Capability, &Capability)| {
        old.name == new.name
            && old.parts().eq(new.parts())
            && old.errors.iter().map(|error| &error.code).eq(new.errors.iter().map(|error| &error.code))
            && old.parts().all(|part| old.schema(part).map(Schema::source) == new.schema(part).map(Schema::source))
    };
    old.capabilities.len() != new.capabilities.len() || !old.capabilities.iter().zip(&new.capabilities).all(is_equal)
}
