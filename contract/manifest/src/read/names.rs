//! The names of the capabilities of a manifest, and the versions of each.

use std::collections::HashMap;
use std::ops::Range;

use capgen_diagnostic::quoted;

use super::reader::{Place, Reader};
use crate::{Capability, VersionConflict, codes};

/// The names of the capabilities so far.
#[derive(Default)]
pub(crate) struct Names {
    /// The versions of each name, in source order.
    versions: HashMap<String, Versions>,
    folded: HashMap<String, (String, Range<usize>)>,
}

/// The capabilities with one name.
#[derive(Default)]
struct Versions {
    /// The spans of their names.
    spans: Vec<Range<usize>>,
    /// Without everything that does not distinguish versions.
    capabilities: Vec<Capability>,
}

impl Names {
    /// Adds a capability. Rejects a duplicate, and warns about a name that is too similar to another one. An invalid
    /// version `is_reported`, so the capability is compared with no other version.
    pub(super) fn enter(
        &mut self,
        reader: &mut Reader<'_>,
        capability: &Capability,
        is_reported: bool,
        (span, place): (&Range<usize>, &Place),
    ) {
        let name = capability.name.as_str();
        let is_known = self.versions.contains_key(name);
        let versions = self.versions.entry(name.to_owned()).or_default();
        if !is_reported {
            let conflict = VersionConflict::find(&versions.capabilities, capability);
            let other = conflict.and_then(|(index, conflict)| Some((versions.spans.get(index)?.clone(), conflict)));
            if let Some((first, conflict)) = other {
                let code = match conflict {
                    VersionConflict::SameName | VersionConflict::SameVersion => codes::DUPLICATE_CAPABILITY,
                    _ => codes::CAPABILITY_VERSIONS,
                };
                let finding = reader.finding(code, conflict.message(capability), (span.clone(), "again here"), place);
                reader.report(finding.at(reader.source, first, "first here").help(conflict.help()));
            } else {
                let (version, id) = (capability.version.clone(), capability.id.clone());
                versions.spans.push(span.clone());
                versions.capabilities.push(Capability { version, id, ..Capability::new(name) });
            }
        }
        if !is_known {
            self.enter_folded(reader, name, span, place);
        }
    }

    fn enter_folded(&mut self, reader: &mut Reader<'_>, name: &str, span: &Range<usize>, place: &Place) {
        let folded = name.to_ascii_lowercase().replace('_', "-");
        if let Some((other, first)) = self.folded.get(&folded) {
            let message = format!("the names {} and {} differ only in case, `-` or `_`", quoted(other), quoted(name));
            let finding = reader.finding(codes::SIMILAR_NAMES, message, (span.clone(), ""), place);
            let finding = finding.at(reader.source, first.clone(), "the other name");
            reader.report(finding.help("rename one of them; otherwise generated code distinguishes them by a suffix"));
        } else {
            self.folded.insert(folded, (name.to_owned(), span.clone()));
        }
    }
}
