//! The versions that a caller accepts.

use std::fmt;
use std::str::FromStr;

use capgen_descriptor::{InvalidVersionRange, VersionRange};
use semver::Version;

/// A requirement for a version (decision 9): a version such as `1.2.0`, which a later version of the same major also
/// satisfies, also for major 0 (section 10); `=1.2.0`, exactly this version; or comparators such as `>=1.2.0 <2.0.0`,
/// which must all match.
///
/// A pre-release only matches if the requirement names a pre-release of the same `x.y.z`. Build metadata is ignored.
/// [`VersionRange`] lists the differences from other ranges.
///
/// ```
/// use capgen_registry::Requirement;
/// let requirement: Requirement = "1.2.0".parse()?;
/// assert!(requirement.matches(&"1.10.0".parse()?));
/// assert!(!requirement.matches(&"2.0.0".parse()?));
/// assert!(!requirement.matches(&"1.3.0-rc.1".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Requirement {
    text: String,
    range: VersionRange,
}

/// A range of versions (decision 8): the grammar of [`Requirement`], by precedence alone. One version without an
/// operator matches exactly, and `2.0.0-rc.1` is in `>=1.0.0 <2.0.0`.
///
/// ```
/// let range: capgen_registry::Range = ">=1.0.0 <2.0.0".parse()?;
/// assert!(range.matches(&"2.0.0-rc.1".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Range(VersionRange);

/// Why a text is neither a [`Requirement`] nor a [`Range`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum InvalidRequirement {
    /// It has more than 255 code points.
    TooLong,
    /// It begins or ends with a space.
    SpaceAround,
    /// It violates the grammar.
    Grammar(InvalidVersionRange),
}

impl Requirement {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether a version satisfies the requirement.
    #[must_use]
    pub fn matches(&self, version: &Version) -> bool {
        let matches = match self.range.as_exact() {
            Some(least) => version.major == least.major && version.cmp_precedence(least).is_ge(),
            None => self.range.matches(version),
        };
        matches && (version.pre.is_empty() || self.names_pre_release_of(version))
    }

    fn names_pre_release_of(&self, version: &Version) -> bool {
        let release = |version: &Version| (version.major, version.minor, version.patch);
        self.range.versions().any(|bound| !bound.pre.is_empty() && release(bound) == release(version))
    }
}

impl Range {
    /// Whether a version is in the range.
    #[must_use]
    pub fn matches(&self, version: &Version) -> bool {
        self.0.matches(version)
    }
}

impl FromStr for Requirement {
    type Err = InvalidRequirement;

    fn from_str(text: &str) -> Result<Self, InvalidRequirement> {
        Ok(Self { text: text.to_owned(), range: range(text)? })
    }
}

impl FromStr for Range {
    type Err = InvalidRequirement;

    fn from_str(text: &str) -> Result<Self, InvalidRequirement> {
        range(text).map(Self)
    }
}

fn range(text: &str) -> Result<VersionRange, InvalidRequirement> {
    if text.chars().nth(255).is_some() {
        return Err(InvalidRequirement::TooLong);
    }
    if text.starts_with(' ') || text.ends_with(' ') {
        return Err(InvalidRequirement::SpaceAround);
    }
    text.parse().map_err(InvalidRequirement::Grammar)
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Display for InvalidRequirement {
    /// The expected form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => f.write_str("expected at most 255 characters"),
            Self::SpaceAround => f.write_str("expected no space at the start or the end"),
            Self::Grammar(reason) => {
                write!(f, "expected a version, such as `1.2.0`, or comparators, such as `>=1.2.0 <2.0.0`: {reason}")
            }
        }
    }
}

impl std::error::Error for InvalidRequirement {}
