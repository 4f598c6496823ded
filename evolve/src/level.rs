//! How much a change matters, and the version that it requires.

/// How much a change matters. Levels are ordered: a greater one matters more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// Only texts for human readers change, such as descriptions. Note that a language model may read them.
    Cosmetic,
    /// No caller and no provider of the other version notices the change.
    Safe,
    /// Payloads stay valid, but a caller or a provider may have to be changed, such as for another default.
    Risky,
    /// A payload that was valid is rejected, or calls that were allowed fail.
    Breaking,
}

/// The least step from the old version of a capability to the new one that announces a change
/// ([semver 2.0.0](https://semver.org/spec/v2.0.0.html), sections 6 to 8).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Bump {
    /// The same version.
    None,
    /// A greater patch version.
    Patch,
    /// A greater minor version; if the major version is 0, a greater patch version.
    Minor,
    /// A greater major version; if the major version is 0, a greater minor version.
    Major,
}

impl Level {
    /// Every level, the least first.
    pub const ALL: [Level; 4] = [Level::Cosmetic, Level::Safe, Level::Risky, Level::Breaking];

    /// `cosmetic`, `safe`, `risky` or `breaking`.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Cosmetic => "cosmetic",
            Level::Safe => "safe",
            Level::Risky => "risky",
            Level::Breaking => "breaking",
        }
    }

    /// The level with that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }

    /// The version that a change of this level requires.
    pub const fn bump(self) -> Bump {
        match self {
            Level::Cosmetic => Bump::Patch,
            Level::Safe | Level::Risky => Bump::Minor,
            Level::Breaking => Bump::Major,
        }
    }
}

impl Bump {
    /// `none`, `patch`, `minor` or `major`.
    pub const fn name(self) -> &'static str {
        match self {
            Bump::None => "none",
            Bump::Patch => "patch",
            Bump::Minor => "minor",
            Bump::Major => "major",
        }
    }

    /// Whether the step from `old` to `new` is at least this one.
    pub fn is_met(self, old: &semver::Version, new: &semver::Version) -> bool {
        match self {
            Bump::None => true,
            // A pre-release promises nothing, so that the next one may have any change.
            _ if !old.pre.is_empty() => new > old,
            _ => new >= &self.least(old),
        }
    }

    /// The least version after `old` that this step allows, apart from pre-releases. After a pre-release, every greater version allows
    /// every step, because a pre-release promises nothing ([section 9](https://semver.org/spec/v2.0.0.html#spec-item-9)).
    pub fn least(self, old: &semver::Version) -> semver::Version {
        let semver::Version { major, minor, patch, .. } = *old;
        let next = u64::saturating_add;
        let is_initial = major == 0;
        match self {
            Bump::None => old.clone(),
            _ if !old.pre.is_empty() => semver::Version::new(major, minor, patch),
            Bump::Major if !is_initial => semver::Version::new(next(major, 1), 0, 0),
            Bump::Major => semver::Version::new(0, next(minor, 1), 0),
            Bump::Minor if !is_initial => semver::Version::new(major, next(minor, 1), 0),
            Bump::Minor | Bump::Patch => semver::Version::new(major, minor, next(patch, 1)),
        }
    }
}
