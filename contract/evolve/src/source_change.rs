//! Changes of the types that are generated from a contract.

use std::collections::BTreeMap;

use capgen_diagnostic::Code;
use capgen_manifest::{Manifest, Side};

use crate::compare::{CapabilityComparison, Comparison, check_version};
use crate::{Finding, Fingerprint, Level, Levels};

/// A change of generated types after which the source of a caller or a provider may not compile. This crate does not
/// generate code, so the generator finds these changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceChange {
    /// [`RUST_TYPES_CHANGED`](crate::codes::RUST_TYPES_CHANGED) or
    /// [`TYPESCRIPT_TYPES_CHANGED`](crate::codes::TYPESCRIPT_TYPES_CHANGED).
    pub code: Code,
    /// The [label](Manifest::labels) of the capability in the old contract, or in the new one.
    pub capability: String,
    /// The side.
    pub side: Side,
    /// One clause, such as "field `limit` of `SearchRequest` removed".
    pub text: String,
    /// The text with the old and the new type: another one for another change of the same item.
    pub identity: String,
}

/// How many changes a finding lists. They fit on a line or two; the fingerprint of the finding covers all of them.
const FEW: usize = 3;

impl Comparison {
    /// Adds a finding for each side and language with changes, of the level [`Level::Risky`] unless `levels` has
    /// another one. `old` and `new` are the contracts that were compared: the version that a capability needs may be
    /// greater with these findings. A side that has a breaking finding gets none.
    pub fn add_source_changes(&mut self, old: &Manifest, new: &Manifest, changes: &[SourceChange], levels: &Levels) {
        let mut groups: BTreeMap<(&str, Side, Code), Vec<&SourceChange>> = BTreeMap::new();
        for change in changes {
            let group = groups.entry((&change.capability, change.side, change.code)).or_default();
            group.push(change);
        }
        for ((capability, side, code), changes) in groups {
            let index = self.entry_of(capability, old, new);
            let Some(entry) = index.and_then(|index| self.capabilities.get_mut(index)) else { continue };
            let name = entry.name.clone();
            let capability = name.as_str();
            // Of a capability that was added or removed, there is nothing to compare. After a breaking change, programs
            // have to be changed anyway.
            let is_breaking = self.findings.iter().any(|finding| {
                finding.capability == capability && finding.side == Some(side) && finding.level == Level::Breaking
            });
            if entry.old.is_none() || entry.new.is_none() || is_breaking {
                continue;
            }
            let level = levels.of(code).unwrap_or(Level::Risky);
            self.findings.push(Finding { level, ..finding(code, capability, side, &changes) });
            entry.bump = entry.bump.max(level.bump());
            self.check_version(capability, old, new, levels);
        }
        self.sort();
    }

    /// The index of the comparison of the capability that has a label in the old contract, or in the new one.
    fn entry_of(&self, label: &str, old: &Manifest, new: &Manifest) -> Option<usize> {
        let index = |manifest: &Manifest| manifest.labels().iter().position(|other| other == label);
        let (before, after) = (index(old), index(new));
        let is_entry = |entry: &CapabilityComparison| match before {
            Some(_) => entry.old == before,
            None => after.is_some() && entry.new == after,
        };
        self.capabilities.iter().position(is_entry)
    }

    /// Finds again whether the version of a capability announces its findings.
    fn check_version(&mut self, capability: &str, old: &Manifest, new: &Manifest, levels: &Levels) {
        let Some(entry) = self.capabilities.iter().find(|other| other.name == capability) else { return };
        let before = entry.old.and_then(|index| old.capabilities.get(index));
        let after = entry.new.and_then(|index| new.capabilities.get(index));
        let (Some(old), Some(new)) = (before, after) else { return };
        let is_version =
            |finding: &Finding| finding.capability == capability && finding.code == crate::codes::VERSION_NOT_RAISED;
        self.findings.retain(|finding| !is_version(finding));
        let required = self.findings.iter().filter(|finding| finding.capability == capability);
        let mut checked = check_version(capability, (old, new), entry.bump, required);
        levels.apply(&mut checked);
        self.findings.extend(checked);
    }
}

fn finding(code: Code, capability: &str, side: Side, changes: &[&SourceChange]) -> Finding {
    let mut message = changes.iter().take(FEW).map(|change| change.text.as_str()).collect::<Vec<_>>().join("; ");
    if changes.len() > FEW {
        message.push_str(&format!("; and {} more", changes.len() - FEW));
    }
    let pointer = capgen_schema::pointer::join("", side.schema_key());
    let identities = changes.iter().map(|change| change.identity.as_str());
    let parts: Vec<&str> = [code.as_str(), capability, side.name()].into_iter().chain(identities).collect();
    Finding {
        code,
        level: Level::Risky,
        capability: capability.to_owned(),
        side: Some(side),
        old_pointer: Some(pointer.clone()),
        new_pointer: Some(pointer),
        message,
        help: None,
        witness: None,
        fingerprint: Fingerprint::of(&parts),
    }
}
