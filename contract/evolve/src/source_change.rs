//! Changes of the types that are generated from a contract.

use std::collections::BTreeMap;

use capgen_diagnostic::Code;
use capgen_manifest::{Capability, ContractPart, Manifest, Side};

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
    /// The side; `None` for the details of an error.
    pub side: Option<Side>,
    /// The code of the error whose details have the type.
    pub error: Option<String>,
    /// One clause, such as "field `limit` of `SearchRequest` removed".
    pub text: String,
    /// The text with the old and the new type: another one for another change of the same item.
    pub identity: String,
}

/// How many changes a finding lists. They fit on a line or two; the fingerprint of the finding covers all of them.
const FEW: usize = 3;

impl Comparison {
    /// Adds a finding for each side, or error, and language with changes, of the level [`Level::Risky`] unless `levels`
    /// has another one. `old` and `new` are the contracts that were compared: the version that a capability needs may
    /// be greater with these findings. A side that has a breaking finding gets none.
    pub fn add_source_changes(&mut self, old: &Manifest, new: &Manifest, changes: &[SourceChange], levels: &Levels) {
        let mut groups: BTreeMap<_, Vec<&SourceChange>> = BTreeMap::new();
        for change in changes {
            let key = (change.capability.as_str(), change.side, change.error.as_deref(), change.code);
            groups.entry(key).or_default().push(change);
        }
        for ((capability, side, error, code), changes) in groups {
            let index = self.entry_of(capability, old, new);
            let Some(entry) = index.and_then(|index| self.capabilities.get_mut(index)) else { continue };
            let name = entry.name.clone();
            let capability = name.as_str();
            // Of a capability that was added or removed, there is nothing to compare. After a breaking change, programs
            // have to be changed anyway.
            let is_breaking = self.findings.iter().any(|finding| {
                finding.capability == capability && finding.side == side && finding.level == Level::Breaking
            });
            if entry.old.is_none() || entry.new.is_none() || is_breaking {
                continue;
            }
            let level = levels.of(code).unwrap_or(Level::Risky);
            let pointer =
                |manifest: &Manifest, index: Option<usize>| pointer(manifest.capabilities.get(index?)?, side, error);
            let pointers = (pointer(old, entry.old), pointer(new, entry.new));
            let part = side.map(Side::name).or(error).unwrap_or_default();
            self.findings.push(Finding { level, side, ..finding(code, (capability, part), pointers, &changes) });
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

/// The pointer of the schema of a side, or of the details of an error, or of the list of errors that lacks it.
fn pointer(capability: &Capability, side: Option<Side>, error: Option<&str>) -> Option<String> {
    if let Some(side) = side {
        return Some(ContractPart::from(side).pointer());
    }
    let index = capability.errors.iter().position(|other| Some(other.code.as_str()) == error);
    Some(index.map_or_else(|| "/errors".to_owned(), |index| ContractPart::Details(index).pointer()))
}

/// A finding about a part of a capability, of which `pointers` are in the old and in the new contract.
fn finding(
    code: Code,
    (capability, part): (&str, &str),
    (old_pointer, new_pointer): (Option<String>, Option<String>),
    changes: &[&SourceChange],
) -> Finding {
    let mut message = changes.iter().take(FEW).map(|change| change.text.as_str()).collect::<Vec<_>>().join("; ");
    if changes.len() > FEW {
        message.push_str(&format!("; and {} more", changes.len() - FEW));
    }
    let identities = changes.iter().map(|change| change.identity.as_str());
    let parts: Vec<&str> = [code.as_str(), capability, part].into_iter().chain(identities).collect();
    Finding {
        code,
        level: Level::Risky,
        capability: capability.to_owned(),
        side: None,
        old_pointer,
        new_pointer,
        message,
        help: None,
        witness: None,
        texts: None,
        fingerprint: Fingerprint::of(&parts),
    }
}
