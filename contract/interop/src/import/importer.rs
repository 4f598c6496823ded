//! The parts of an import that all formats share: it collects capabilities and findings, and assigns names at the end.

use std::collections::{HashMap, HashSet};

use capgen_diagnostic::{Severity, quoted};
use capgen_manifest::{About, Capability, ContractPart, DeclaredError, Side, VersionConflict, accepts_no_value};
use capgen_schema::{Anchor, Code, Json};

use super::name::{Wanted, capability_names};
use super::{ImportFinding, ImportSettings, Imported};
use crate::codes;

/// At most this many findings are kept, which bounds their memory. Every entry with an error is still rejected.
const MAX_FINDINGS: usize = 10_000;

/// An import in progress.
#[derive(Debug)]
pub(crate) struct Importer {
    /// The name of an entry in messages, such as `tool`.
    kind: &'static str,
    pub(super) settings: ImportSettings,
    findings: Vec<ImportFinding>,
    /// The findings by code, pointer and message, because entries can share parts of the document, such as components.
    known: HashMap<(&'static str, String, String), Known>,
    /// The findings that are reported once for all places that have the same code and subject, such as a format.
    subjects: HashMap<(&'static str, String), Subject>,
    entries: Vec<(Entry, Capability)>,
    /// The number of entries without a name in the protocol.
    nameless: usize,
    /// Whether entries with one name may be versions of one capability, whose names are those of the entries.
    has_versions: bool,
}

/// A finding that was reported.
#[derive(Debug)]
struct Known {
    index: usize,
    /// The last entry that has it.
    last: String,
    /// The number of entries after the first one that have it.
    others: usize,
}

/// A finding about all places with the same subject.
#[derive(Debug)]
struct Subject {
    index: usize,
    /// The pointers of its places. Entries that share a component repeat them.
    places: HashSet<String>,
}

/// An entry of the input that is being read. It becomes one capability.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The name in the protocol, which no other entry may have.
    wire: String,
    /// The text from which the name of the capability is made, if it is not `wire`.
    pub(crate) title: Option<String>,
    /// Whether capgen has written it, so that others with its title may be versions of one capability.
    pub(crate) is_exported: bool,
    /// Whether it has the keys of a contract, which an export of capgen writes.
    pub(super) is_contract: bool,
    /// JSON Pointer in the document.
    pub(crate) pointer: String,
    has_errors: bool,
}

impl Importer {
    /// For entries of this kind, a noun such as `tool`, which is also the name of an entry without a usable one.
    pub(crate) fn new(kind: &'static str, settings: ImportSettings) -> Self {
        let (findings, known, entries) = (Vec::new(), HashMap::new(), Vec::new());
        let subjects = HashMap::new();
        Self { kind, settings, findings, known, subjects, entries, nameless: 0, has_versions: false }
    }

    /// Reads entries that capgen has written, in which versions of one capability have one name.
    pub(crate) fn allow_versions(&mut self) {
        self.has_versions = true;
    }

    /// Starts an entry with its name in the protocol.
    pub(crate) fn entry(&self, wire: &str, pointer: String) -> Entry {
        Entry { wire: wire.to_owned(), title: None, is_exported: false, is_contract: false, pointer, has_errors: false }
    }

    /// Reports a finding that concerns the whole document.
    pub(crate) fn document_finding(&mut self, code: Code, pointer: String, message: impl Into<String>, help: &str) {
        let help = Some(help.to_owned());
        self.push(ImportFinding { help, concerns_document: true, ..finding(code, pointer, message.into()) });
    }

    /// Reports an error in an entry, which rejects it.
    pub(crate) fn error(
        &mut self,
        entry: &mut Entry,
        code: Code,
        pointer: String,
        message: impl Into<String>,
        help: &str,
    ) {
        let finding = ImportFinding { help: Some(help.to_owned()), ..finding(code, pointer, message.into()) };
        self.report(entry, "", finding);
    }

    /// Reports a finding in an entry; an error rejects it. `part` is the part of the entry in words, such as
    /// `inputSchema, /properties/q`.
    pub(crate) fn report(&mut self, entry: &mut Entry, part: &str, mut finding: ImportFinding) {
        entry.has_errors |= finding.code.severity() == Severity::Error;
        finding.entry.clone_from(&entry.wire);
        let comma = if part.is_empty() { "" } else { ", " };
        finding.place = format!("{} {}{comma}{part}", self.kind, quoted(&entry.wire));
        self.push(finding);
    }

    /// Reports that a part of an entry excludes the one at `first`, which rejects the entry.
    pub(crate) fn conflict(
        &mut self,
        entry: &mut Entry,
        code: Code,
        (first, pointer): (String, String),
        message: String,
        help: &str,
    ) {
        let help = Some(help.to_owned());
        self.report(entry, "", ImportFinding { first: Some(first), help, ..finding(code, pointer, message) });
    }

    /// Keeps a finding, unless another entry or another part of the same one has it at the same place.
    fn push(&mut self, finding: ImportFinding) {
        let key = (finding.code.as_str(), finding.pointer.clone(), finding.message.clone());
        if let Some(known) = self.known.get_mut(&key) {
            if known.last != finding.entry {
                known.others += 1;
                known.last = finding.entry;
            }
        } else if self.findings.len() < MAX_FINDINGS {
            let known = Known { index: self.findings.len(), last: finding.entry.clone(), others: 0 };
            self.known.insert(key, known);
            self.findings.push(finding);
        }
    }

    /// Reports a finding once for all places of the document that have the same code and subject, such as the name of a
    /// format. It has the first place, and the number of the others.
    pub(crate) fn report_once(&mut self, entry: &mut Entry, part: &str, finding: ImportFinding, subject: String) {
        let key = (finding.code.as_str(), subject);
        if let Some(known) = self.subjects.get_mut(&key) {
            if known.places.len() < MAX_FINDINGS {
                known.places.insert(finding.pointer);
            }
            return;
        }
        let (index, places) = (self.findings.len(), HashSet::from([finding.pointer.clone()]));
        self.report(entry, part, finding);
        // Another finding may be the same, and too many are not kept.
        if self.findings.len() > index {
            self.subjects.insert(key, Subject { index, places });
        }
    }

    /// The part of a document that a finding is about, if one finding is enough for it: a component or an entry.
    pub(crate) fn owner(entry: &Entry, pointer: &str) -> String {
        let mut ends = pointer.match_indices('/').map(|(end, _)| end).skip(3);
        match pointer.starts_with("/components/") {
            true => pointer.get(..ends.next().unwrap_or(pointer.len())).unwrap_or(pointer).to_owned(),
            false => entry.pointer.clone(),
        }
    }

    /// Adds to each finding how many other entries or places have it.
    fn count_others(&mut self) {
        for Subject { index, places } in self.subjects.values().filter(|subject| subject.places.len() > 1) {
            if let Some(finding) = self.findings.get_mut(*index) {
                let others = places.len() - 1;
                let plural = if others == 1 { "" } else { "s" };
                finding.place.push_str(&format!(", and {others} other place{plural}"));
            }
        }

        let kind = self.kind;
        for Known { index, others, .. } in self.known.values().filter(|known| known.others > 0) {
            if let Some(finding) = self.findings.get_mut(*index) {
                let plural = if *others == 1 { "" } else { "s" };
                finding.place.push_str(&format!(", and {others} other {kind}{plural}"));
            }
        }
    }

    /// Rejects an entry that has no name in the protocol. It is not a duplicate of another one without a name.
    pub(crate) fn nameless(&mut self, pointer: &str, message: &str) {
        let help = Some("give it a name: calls use it".to_owned());
        self.push(ImportFinding { help, ..finding(codes::MALFORMED_ENTRY, pointer.to_owned(), message.to_owned()) });
        self.nameless += 1;
    }

    /// Ends an entry. The name of the capability is assigned by [`finish`](Self::finish).
    pub(crate) fn add(&mut self, mut entry: Entry, mut capability: Capability) {
        if !entry.has_errors {
            for part in capability.parts().collect::<Vec<_>>() {
                self.check_values(&mut entry, &mut capability, part);
            }
        }
        self.entries.push((entry, capability));
    }

    /// Rejects an entry with a side for which no value is valid: commands that read the manifest would reject all of
    /// it. If the import may widen schemas, the side accepts every value instead.
    fn check_values(&mut self, entry: &mut Entry, capability: &mut Capability, part: ContractPart) {
        let Some(problem) = capability.schema(part).and_then(|schema| accepts_no_value(schema, part)) else { return };
        let (side, key) = match part {
            ContractPart::Request => (Some(&mut capability.input), Side::Request.schema_key()),
            ContractPart::Response => (Some(&mut capability.output), Side::Response.schema_key()),
            ContractPart::Details(_) => (None, DeclaredError::SCHEMA_KEY),
        };
        let pointer = entry.pointer.clone();
        let found = if let Some(side) = side.filter(|_| self.settings.lossy) {
            *side = None;
            let message = format!("{}; the side accepts every value instead", problem.message);
            ImportFinding { label: "widened".to_owned(), ..finding(codes::LOSS, pointer, message) }
        } else {
            let help = "correct the keywords that exclude each other, leave the entry out with `--skip`, or accept every value with `--lossy`";
            let help = Some(help.to_owned());
            ImportFinding { label: problem.label, help, ..finding(problem.code, pointer, problem.message) }
        };
        self.report(entry, key, found);
    }

    /// Rejects duplicates and assigns names. Takes time linear in the entries, apart from sorting.
    pub(crate) fn finish(mut self) -> Imported {
        self.reject_duplicates();
        self.count_others();
        let Self { kind, findings, entries, nameless, has_versions, .. } = self;
        let count = entries.len() + nameless;
        let (rejected, accepted): (Vec<_>, Vec<_>) = entries.into_iter().partition(|(entry, _)| entry.has_errors);
        let names = match has_versions {
            true => accepted.iter().map(|(entry, _)| entry.wire.clone()).collect(),
            false => names_of(kind, &accepted),
        };
        let named = |((entry, capability), name): ((Entry, Capability), String)| {
            let wire_name = (name != entry.wire).then_some(entry.wire).or(capability.wire_name);
            Capability { name, wire_name, ..capability }
        };
        let mut capabilities: Vec<Capability> = accepted.into_iter().zip(names).map(named).collect();
        capabilities.sort_by(|a, b| a.name.cmp(&b.name).then_with(|| b.version.cmp(&a.version)));
        let nameless = std::iter::repeat_n(String::new(), nameless);
        let rejected = rejected.into_iter().map(|(entry, _)| entry.wire).chain(nameless).collect();
        Imported { about: About::default(), capabilities, entries: count, rejected, findings }
    }

    /// Rejects every entry whose name another entry has too: it is not known which of them a call would reach.
    fn reject_duplicates(&mut self) {
        let mut first: HashMap<String, usize> = HashMap::new();
        let mut entries = std::mem::take(&mut self.entries);
        let mut rejected = Vec::new();
        let pointers: Vec<String> = entries.iter().map(|(entry, _)| entry.pointer.clone()).collect();
        let has_versions = self.has_versions;
        for (index, (entry, capability)) in entries.iter_mut().enumerate() {
            let key = match has_versions {
                true => Capability { name: entry.wire.clone(), ..capability.clone() }.version_label(),
                false => entry.wire.clone(),
            };
            match first.get(&key) {
                None => _ = first.insert(key, index),
                Some(earlier) => {
                    rejected.push(*earlier);
                    let message = format!("two entries have the name {}", quoted(&entry.wire));
                    let help = "the name is used to call it, so it must be unique: rename or remove one of them";
                    let places = (pointers.get(*earlier).cloned().unwrap_or_default(), entry.pointer.clone());
                    self.conflict(entry, codes::DUPLICATE_ENTRY, places, message, help);
                }
            }
        }
        for index in rejected {
            if let Some((entry, _)) = entries.get_mut(index) {
                entry.has_errors = true;
            }
        }
        self.entries = entries;
    }
}

/// The names of the capabilities of entries. Versions of one capability have one name.
fn names_of(kind: &str, entries: &[(Entry, Capability)]) -> Vec<String> {
    let wanted: Vec<Wanted<'_>> = (entries.iter())
        .map(|(entry, _)| Wanted { wire: &entry.wire, title: entry.title.as_deref().unwrap_or(&entry.wire) })
        .collect();
    let mut titled: HashMap<&str, Vec<usize>> = HashMap::with_capacity(wanted.len());
    for (index, wanted) in wanted.iter().enumerate() {
        titled.entry(wanted.title).or_default().push(index);
    }
    // Of several versions, all get the name of one: the one without a suffix, which has the shortest name.
    let mut named_by: Vec<usize> = (0..wanted.len()).collect();
    for group in titled.values().filter(|group| are_versions(group, entries)) {
        let first = group.iter().copied().min_by_key(|index| wanted.get(*index).map(|one| (one.wire.len(), one.wire)));
        for index in group {
            if let (Some(place), Some(first)) = (named_by.get_mut(*index), first) {
                *place = first;
            }
        }
    }
    let mut firsts = named_by.clone();
    firsts.sort_unstable();
    firsts.dedup();
    let chosen: Vec<Wanted<'_>> = firsts.iter().filter_map(|index| wanted.get(*index).copied()).collect();
    let names = capability_names(kind, &chosen);
    let name = |index: &usize| firsts.binary_search(index).ok().and_then(|place| names.get(place).cloned());
    named_by.iter().map(|index| name(index).unwrap_or_default()).collect()
}

/// Whether entries with one title are versions of one capability.
fn are_versions(group: &[usize], entries: &[(Entry, Capability)]) -> bool {
    let mut known: Vec<Capability> = Vec::new();
    // The number of versions has a limit, so that few are compared.
    group.len() > 1
        && group.iter().filter_map(|index| entries.get(*index)).all(|(entry, capability)| {
            let fits = entry.is_exported && VersionConflict::find(&known, capability).is_none();
            known.push(capability.clone());
            fits
        })
}

/// Adds the `tags` of an entry to those of its capability, each once.
pub(crate) fn add_tags(capability: &mut Capability, entry: &Json) {
    for tag in entry.get("tags").and_then(Json::as_array).unwrap_or_default().iter().filter_map(Json::as_str) {
        if !tag.is_empty() && !capability.tags.iter().any(|known| known == tag) {
            capability.tags.push(tag.to_owned());
        }
    }
}

pub(crate) fn finding(code: Code, pointer: String, message: String) -> ImportFinding {
    ImportFinding {
        code,
        entry: String::new(),
        concerns_document: false,
        place: String::new(),
        pointer,
        anchor: Anchor::Value,
        keyword: String::new(),
        message,
        label: String::new(),
        first: None,
        help: None,
    }
}
