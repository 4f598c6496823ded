//! Several versions of one capability in a manifest: their labels, and the choice of one by a label.

use std::collections::HashMap;

use semver::Version;

use crate::{Capability, Manifest};

impl Manifest {
    /// The most versions of one capability that a manifest may have. A provider reads an invalid payload once for each
    /// of them, and few agents serve more than the current and the previous version.
    pub const MAX_VERSIONS: usize = 8;

    /// The label of each capability, in their order. It is its name, or `<name>@<version>` if the manifest has several
    /// versions of it, such as `book-trip@1.4.0`. Labels are unique: messages, locks and reports identify a capability
    /// by its label. A version is without its build metadata, by which no two versions of a capability differ.
    ///
    /// ```
    /// use capgen_manifest::{AgentId, Capability, Manifest};
    /// let book = |version: &str| Capability { version: version.parse().ok(), ..Capability::new("book") };
    /// let agent = AgentId::new("trips").ok_or("an invalid id")?;
    /// let capabilities = vec![book("2.0.0"), book("1.4.0"), Capability::new("ping")];
    /// let manifest = Manifest::new(agent, Vec::new(), capabilities);
    /// assert_eq!(manifest.labels(), ["book@2.0.0", "book@1.4.0", "ping"]);
    /// assert_eq!(manifest.position("book"), Some(0));
    /// assert_eq!(manifest.position("book@1.4.0"), Some(1));
    /// # Ok::<(), &str>(())
    /// ```
    pub fn labels(&self) -> Vec<String> {
        let mut counts: HashMap<&str, usize> = HashMap::with_capacity(self.capabilities.len());
        for capability in &self.capabilities {
            *counts.entry(&capability.name).or_default() += 1;
        }
        let label = |capability: &Capability| match (&capability.version, counts.get(capability.name.as_str())) {
            (Some(_), Some(2..)) => capability.version_label(),
            _ => capability.name.clone(),
        };
        self.capabilities.iter().map(label).collect()
    }

    /// The indexes of the versions of the capability with this name, the highest first.
    pub fn versions(&self, name: &str) -> Vec<usize> {
        let named = self.capabilities.iter().enumerate().filter(|(_, capability)| capability.name == name);
        let mut versions: Vec<(usize, &Capability)> = named.collect();
        versions.sort_by(|(_, one), (_, other)| other.version.cmp(&one.version));
        versions.into_iter().map(|(index, _)| index).collect()
    }

    /// The index of the capability with this name or [label](Self::labels). The name alone means the highest version
    /// that is not a pre-release, or the highest one if all are.
    pub fn position(&self, label: &str) -> Option<usize> {
        let Some((name, version)) = label.split_once('@') else { return self.plain(label) };
        let version = Version::parse(version).ok()?;
        let is_equal = |capability: &Capability| {
            capability.name == name
                && capability.version.as_ref().is_some_and(|own| own.cmp_precedence(&version).is_eq())
        };
        self.capabilities.iter().position(is_equal)
    }

    /// The capability with this name or [label](Self::labels); see [`position`](Self::position).
    pub fn capability(&self, label: &str) -> Option<&Capability> {
        self.capabilities.get(self.position(label)?)
    }

    /// The shortest text that distinguishes a capability from the other versions of it, for identifiers: `v1`, or with
    /// further parts `v1-2`, `v1-2-3` or `v1-2-3-rc-1`. `None` if the manifest has no other version of it.
    pub fn version_suffix(&self, index: usize) -> Option<String> {
        let capability = self.capabilities.get(index)?;
        let own = capability.version.as_ref()?;
        let is_other = |(other, one): &(usize, &Capability)| *other != index && one.name == capability.name;
        let others = self.capabilities.iter().enumerate().filter(is_other);
        let others: Vec<&Version> = others.filter_map(|(_, other)| other.version.as_ref()).collect();
        let Version { major, minor, patch, pre, .. } = own;
        Some(if others.is_empty() {
            return None;
        } else if others.iter().all(|other| other.major != *major) {
            format!("v{major}")
        } else if others.iter().all(|other| (other.major, other.minor) != (*major, *minor)) {
            format!("v{major}-{minor}")
        } else if pre.is_empty() {
            format!("v{major}-{minor}-{patch}")
        } else {
            format!("v{major}-{minor}-{patch}-{}", pre.as_str().replace('.', "-"))
        })
    }

    fn plain(&self, name: &str) -> Option<usize> {
        let named = self.capabilities.iter().enumerate().filter(|(_, capability)| capability.name == name);
        // Of equal ones, which only a model that was not read from a file has, the first.
        named.rev().max_by_key(|(_, capability)| rank(capability)).map(|(index, _)| index)
    }
}

impl Capability {
    /// `<name>@<version>`, without the build metadata of the version; the name if it has no version. The
    /// [label](Manifest::labels) of a capability of which a manifest has several versions.
    pub fn version_label(&self) -> String {
        match &self.version {
            Some(version) => format!("{}@{}", self.name, without_build(version)),
            None => self.name.clone(),
        }
    }
}

/// The indexes of the capabilities that their name alone means, in their order: one for each name. See
/// [`Manifest::position`].
pub fn plain_versions(capabilities: &[Capability]) -> Vec<usize> {
    let mut plain: HashMap<&str, usize> = HashMap::with_capacity(capabilities.len());
    for (index, capability) in capabilities.iter().enumerate() {
        let known = plain.entry(&capability.name).or_insert(index);
        if capabilities.get(*known).is_some_and(|known| rank(known) < rank(capability)) {
            *known = index;
        }
    }
    let mut indexes: Vec<usize> = plain.into_values().collect();
    indexes.sort_unstable();
    indexes
}

/// The capabilities that their name alone means, in their order: one for each name.
pub fn plain_capabilities(capabilities: &[Capability]) -> impl Iterator<Item = &Capability> {
    plain_versions(capabilities).into_iter().filter_map(|index| capabilities.get(index))
}

/// The order of the versions with one name, which means the greatest of them.
fn rank(capability: &Capability) -> (bool, Option<&Version>) {
    let is_release = capability.version.as_ref().is_none_or(|version| version.pre.is_empty());
    (is_release, capability.version.as_ref())
}

/// Two versions of a capability that differ only in build metadata are equal.
fn without_build(version: &Version) -> Version {
    Version { build: semver::BuildMetadata::EMPTY, ..version.clone() }
}

/// Why a capability cannot be a version beside others of its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VersionConflict {
    /// Neither this one nor the other one has a version.
    SameName,
    /// Both have the same version, by precedence.
    SameVersion,
    /// One of them has no version.
    NoVersion,
    /// Both have an `id`, and the ids differ.
    DifferentIds,
    /// There are [`Manifest::MAX_VERSIONS`] others.
    TooMany,
}

impl VersionConflict {
    /// The first reason why `capability` cannot be a version beside the `others` of its name, in their order, and the
    /// index of the other one that it concerns.
    pub fn find(others: &[Capability], capability: &Capability) -> Option<(usize, Self)> {
        let first = |kind: Self, is: &dyn Fn(&Capability) -> bool| Some((others.iter().position(is)?, kind));
        let (version, id) = (&capability.version, &capability.id);
        let same = first(Self::SameVersion, &|other| match (&other.version, version) {
            (Some(known), Some(own)) => known.cmp_precedence(own).is_eq(),
            _ => false,
        });
        let too_many = (others.len() >= Manifest::MAX_VERSIONS).then_some((0, Self::TooMany));
        same.or_else(|| first(Self::SameName, &|other| other.version.is_none() && version.is_none()))
            .or_else(|| first(Self::NoVersion, &|other| other.version.is_none() || version.is_none()))
            .or_else(|| first(Self::DifferentIds, &|other| other.id.is_some() && id.is_some() && other.id != *id))
            .or(too_many)
    }

    /// The conflict as a sentence about `capability`.
    pub fn message(self, capability: &Capability) -> String {
        let name = &capability.name;
        match (self, &capability.version) {
            (Self::SameVersion, Some(version)) => {
                format!("two capabilities have the name `{name}` and the version {version}")
            }
            (Self::SameName | Self::SameVersion, _) => format!("two capabilities have the name `{name}`"),
            (Self::NoVersion, _) => {
                format!("the capability `{name}` has several versions, of which one has no `version`")
            }
            (Self::DifferentIds, _) => format!("two versions of the capability `{name}` have different ids"),
            (Self::TooMany, _) => format!("the capability `{name}` has more than {} versions", Manifest::MAX_VERSIONS),
        }
    }

    /// What to do about it.
    pub const fn help(self) -> &'static str {
        match self {
            Self::SameName => "rename one of them; two versions of one capability need a `version` each",
            Self::SameVersion => "rename one of them, or give it another `version`",
            Self::NoVersion => "give each of them a `version` of its own",
            Self::DifferentIds => "an `id` identifies a capability in all its versions: write the same one",
            Self::TooMany => "remove the oldest one that no caller uses",
        }
    }
}
