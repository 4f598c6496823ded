//! The names of capabilities, of which a contract may have several versions.

use std::collections::HashSet;

use capgen_manifest::{Capability, Manifest, plain_versions};

use crate::name;

/// The names of a capability in messages and identifiers.
///
/// Of several versions of one capability, one is the plain version: the highest that is not a pre-release. It has the
/// names that a capability with one version has; the others have a suffix such as `V1`. The plain version can be used
/// under its suffix too, by callers that must not move to a higher one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CapabilityName {
    /// The name on the wire.
    pub(crate) name: String,
    /// The name, or `<name>@<version>` if the contract has several versions: unique.
    pub(crate) label: String,
    /// The text from which identifiers are derived: the name, or for other versions than the plain one `<name>-v1`.
    pub(crate) title: String,
    /// For the plain version of several, the text with its suffix.
    pub(crate) alias: Option<String>,
}

impl CapabilityName {
    /// The names of all capabilities of a contract, in their order.
    pub(crate) fn of(manifest: &Manifest) -> Vec<Self> {
        let labels = manifest.labels();
        let plain = plain_versions(&manifest.capabilities);
        let name = |(index, (capability, label)): (usize, (&Capability, String))| {
            let name = capability.name.clone();
            let suffix = if label == name { None } else { manifest.version_suffix(index) };
            let suffixed = suffix.map(|suffix| format!("{name}-{suffix}"));
            let (title, alias) = match suffixed {
                None => (name.clone(), None),
                Some(suffixed) if plain.binary_search(&index).is_ok() => (name.clone(), Some(suffixed)),
                Some(suffixed) => (suffixed, None),
            };
            Self { name, label, title, alias }
        };
        let mut names: Vec<Self> = manifest.capabilities.iter().zip(labels).enumerate().map(name).collect();
        let type_name = |text: &str| name::type_name(text, "");
        // The names of capabilities have priority.
        let own: HashSet<String> = manifest.capabilities.iter().map(|capability| type_name(&capability.name)).collect();
        for name in names.iter_mut().filter(|name| name.title != name.name && own.contains(&type_name(&name.title))) {
            name.title = format!("{}-x{}", name.title, name::hash(name.label.as_bytes(), 8));
        }
        let mut taken: HashSet<String> = names.iter().map(|name| type_name(&name.title)).collect();
        let aliases: Vec<String> = names.iter().filter_map(|name| name.alias.as_deref().map(type_name)).collect();
        let mut seen = HashSet::new();
        taken.extend(aliases.into_iter().filter(|alias| !seen.insert(alias.clone())));
        for name in &mut names {
            // Another capability, or a version of another one, may have this name.
            name.alias = name.alias.take().filter(|alias| !taken.contains(&type_name(alias)));
        }
        names
    }

    /// The text with a suffix for the version; `None` for the plain version if another capability has this name.
    pub(crate) fn suffixed(&self) -> Option<&str> {
        self.alias.as_deref().or_else(|| (self.title != self.name).then_some(self.title.as_str()))
    }

    /// Whether the contract has several versions of the capability.
    pub(crate) fn is_one_of_several(&self) -> bool {
        self.label != self.name
    }

    /// The keys of the capability in a table: the label, and for the plain version of several the name.
    pub(crate) fn labels(&self) -> impl Iterator<Item = &str> {
        let is_plain_of_several = self.title == self.name && self.is_one_of_several();
        is_plain_of_several.then_some(self.name.as_str()).into_iter().chain([self.label.as_str()])
    }
}

/// The names that start with `own`, each with the name that starts with `other` instead; no two are equal.
pub(crate) fn names_with_start<'n>(names: &[&'n str], own: &str, other: &str) -> Vec<(&'n str, String)> {
    let mut taken = HashSet::new();
    let renamed = |name: &&'n str| Some((*name, format!("{other}{}", name.strip_prefix(own)?)));
    names.iter().filter_map(renamed).filter(|(_, alias)| taken.insert(alias.clone())).collect()
}
