//! The names of capabilities, of which a contract may have several versions.

use std::collections::HashSet;

use capgen_manifest::{Capability, Manifest, plain_versions};

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
    /// The text with the suffix, if the contract has several versions.
    pub(crate) suffixed: Option<String>,
}

impl CapabilityName {
    /// The names of all capabilities of a contract, in their order.
    pub(crate) fn of(manifest: &Manifest) -> Vec<Self> {
        let labels = manifest.labels();
        let plain = plain_versions(&manifest.capabilities);
        let named = manifest.capabilities.iter().zip(labels).enumerate();
        named
            .map(|(index, (capability, label))| {
                let name = capability.name.clone();
                if label == name {
                    return Self { label, title: name.clone(), suffixed: None, name };
                }
                let is_other = |other: &usize| *other != index;
                let others = manifest.versions(&name).into_iter().filter(is_other);
                let others: Vec<&Capability> = others.filter_map(|other| manifest.capabilities.get(other)).collect();
                let suffixed = format!("{name}-{}", suffix(capability, &others));
                let title = if plain.contains(&index) { name.clone() } else { suffixed.clone() };
                Self { name, label, title, suffixed: Some(suffixed) }
            })
            .collect()
    }

    /// The suffixed text, if the identifiers of the capability have no suffix.
    pub(crate) fn alias(&self) -> Option<&str> {
        self.suffixed.as_deref().filter(|suffixed| *suffixed != self.title)
    }

    /// The keys of the capability in a table: the label, and for the plain version of several the name.
    pub(crate) fn labels(&self) -> impl Iterator<Item = &str> {
        let name = self.alias().map(|_| self.name.as_str());
        name.into_iter().chain([self.label.as_str()])
    }
}

/// `v1`, or as many further parts as distinguish a version from the others: `v1-2`, `v1-2-3`, `v1-2-3-rc-1`.
fn suffix(capability: &Capability, others: &[&Capability]) -> String {
    let Some(own) = &capability.version else { return String::new() };
    let others = || others.iter().filter_map(|other| other.version.as_ref());
    if others().all(|other| other.major != own.major) {
        format!("v{}", own.major)
    } else if others().all(|other| (other.major, other.minor) != (own.major, own.minor)) {
        format!("v{}-{}", own.major, own.minor)
    } else if own.pre.is_empty() {
        format!("v{}-{}-{}", own.major, own.minor, own.patch)
    } else {
        format!("v{}-{}-{}-{}", own.major, own.minor, own.patch, own.pre.as_str().replace('.', "-"))
    }
}

/// The names that start with `own`, each with the name that starts with `other` instead; no two are equal.
pub(crate) fn names_with_start<'n>(names: &[&'n str], own: &str, other: &str) -> Vec<(&'n str, String)> {
    let mut taken = HashSet::new();
    let renamed = |name: &&'n str| Some((*name, format!("{other}{}", name.strip_prefix(own)?)));
    names.iter().filter_map(renamed).filter(|(_, alias)| taken.insert(alias.clone())).collect()
}
