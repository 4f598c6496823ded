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

    /// Whether the step from `old` to `new` is at least this one. A pre-release announces the same changes as the
    /// version that it precedes.
    ///
    /// ```
    /// use capgen_evolve::Bump;
    /// assert!(Bump::Major.is_met(&"1.0.0".parse()?, &"2.0.0-rc.1".parse()?));
    /// assert!(!Bump::Major.is_met(&"1.0.0".parse()?, &"1.1.0".parse()?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_met(self, old: &semver::Version, new: &semver::Version) -> bool {
        if self == Bump::None {
            return true;
        }
        let is_raised = new.cmp_precedence(old).is_gt();
        let release = semver::Version::new(new.major, new.minor, new.patch);
        // A pre-release promises nothing, so that the next one may have any change.
        is_raised && (!old.pre.is_empty() || release >= self.least(old))
    }

    /// The number of `old` that this step raises: while the major version is 0, a breaking change raises the minor one,
    /// and every other change the patch version.
    ///
    /// ```
    /// use capgen_evolve::Bump;
    /// assert_eq!(Bump::Major.raised(&"1.4.0".parse()?), Bump::Major);
    /// assert_eq!(Bump::Major.raised(&"0.4.0".parse()?), Bump::Minor);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn raised(self, old: &semver::Version) -> Bump {
        match self {
            Bump::Major if old.major == 0 => Bump::Minor,
            Bump::Minor if old.major == 0 => Bump::Patch,
            step => step,
        }
    }

    /// The least version after `old` that this step allows, apart from pre-releases. After a pre-release, every greater
    /// version allows every step, because a pre-release promises nothing ([section
    /// 9](https://semver.org/spec/v2.0.0.html#spec-item-9)).
    pub fn least(self, old: &semver::Version) -> semver::Version {
        let semver::Version { major, minor, patch, .. } = *old;
        let next = u64::saturating_add;
        match self.raised(old) {
            Bump::None => old.clone(),
            _ if !old.pre.is_empty() => semver::Version::new(major, minor, patch),
            Bump::Major => semver::Version::new(next(major, 1), 0, 0),
            Bump::Minor => semver::Version::new(major, next(minor, 1), 0),
            Bump::Patch => semver::Version::new(major, minor, next(patch, 1)),
        }
    }
}
