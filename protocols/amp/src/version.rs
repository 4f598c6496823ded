//! Versions, ranges of versions, and ids of capabilities.

use std::fmt;
use std::str::FromStr;

use capgen_descriptor::{InvalidVersionRange, LARGE_NUMBER, VersionRange, VersionSet, has_large_number};
use semver::Version;

use crate::name::{CapabilityName, InvalidName};

/// The maximum length of a version, in bytes (decision 7). Semantic Versioning names the same length as more than
/// anyone needs, and a descriptor may list many versions.
const MAX_LEN: usize = 255;

/// Why a text is not a version.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum InvalidVersion {
    /// It has more than 255 bytes.
    TooLong,
    /// One of its three numbers is above 2^64 - 1.
    NumberTooLarge,
    /// It is not a full version of SemVer 2.0.0.
    Syntax,
}

/// Reads a full version of [SemVer 2.0.0](https://semver.org) (decision 7): at most 255 bytes, and numbers up to
/// 2^64 - 1. Numeric identifiers of pre-releases have no limit of their own (decision 18).
///
/// `to_string` returns the same bytes. `==` compares them too; [`Version::cmp_precedence`] ignores build metadata.
///
/// # Errors
///
/// See [`InvalidVersion`].
///
/// ```
/// assert_eq!(capgen_amp::parse_version("2.1.0-rc.1")?.major, 2);
/// assert_eq!(capgen_amp::parse_version("2.1"), Err(capgen_amp::InvalidVersion::Syntax));
/// # Ok::<(), capgen_amp::InvalidVersion>(())
/// ```
pub fn parse_version(text: &str) -> Result<Version, InvalidVersion> {
    if text.len() > MAX_LEN {
        return Err(InvalidVersion::TooLong);
    }
    Version::parse(text).map_err(|_| match has_large_number(text) {
        true => InvalidVersion::NumberTooLarge,
        false => InvalidVersion::Syntax,
    })
}

/// A range of versions (section 4.4, decision 8): one full version, or comparators `=`, `<`, `<=`, `>`, `>=`, each
/// directly before a full version, separated by one or more spaces. All comparators must match.
///
/// There is no space at the start or the end, and each version has at most 255 bytes. The text is kept as it is,
/// because signatures and hashes of descriptors cover it. Two ranges are equal if their texts are. [`VersionRange`]
/// lists the differences from other ranges.
///
/// ```
/// use capgen_amp::Range;
/// let range: Range = ">=1.0.0 <2.0.0".parse()?;
/// assert!(range.matches(&"2.0.0-rc.1".parse()?));
/// assert!(!range.matches(&"2.0.0".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Range {
    text: String,
    /// A range may have as many comparators as fit into a message, but it is one interval. So matching takes constant
    /// time, and a range little more memory than its text. `None` if no version matches.
    interval: Option<Interval>,
}

/// The versions from `start` to `end`, without `end`; all from `start` on if there is no `end`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Interval {
    start: Version,
    end: Option<Version>,
}

/// Why a text is not a [`Range`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum InvalidRange {
    /// It begins or ends with a space.
    SpaceAround,
    /// A version has more than 255 bytes.
    VersionTooLong,
    /// It violates the grammar.
    Grammar(InvalidVersionRange),
}

impl Range {
    /// The text, with its spaces.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether a version is in the range. Versions are compared by precedence alone: `2.0.0-rc.1` is in `>=1.0.0
    /// <2.0.0`.
    #[must_use]
    pub fn matches(&self, version: &Version) -> bool {
        !self.is_above(version) && !self.is_below(version)
    }

    /// Whether all versions of the range are above a version. Then it is not in the range, and neither is any lower
    /// one.
    #[must_use]
    pub fn is_above(&self, version: &Version) -> bool {
        self.interval.as_ref().is_none_or(|Interval { start, .. }| version.cmp_precedence(start).is_lt())
    }

    /// Whether all versions of the range are below a version. Then it is not in the range, and neither is any higher
    /// one.
    #[must_use]
    pub fn is_below(&self, version: &Version) -> bool {
        let is_after = |end: &Version| version.cmp_precedence(end).is_ge();
        self.interval.as_ref().is_none_or(|Interval { end, .. }| end.as_ref().is_some_and(is_after))
    }
}

impl FromStr for Range {
    type Err = InvalidRange;

    /// Takes time linear in the length of the text, and memory for one version.
    fn from_str(text: &str) -> Result<Self, InvalidRange> {
        if text.is_empty() {
            return Err(InvalidRange::Grammar(InvalidVersionRange::Empty));
        }
        if text.starts_with(' ') || text.ends_with(' ') {
            return Err(InvalidRange::SpaceAround);
        }
        if text.contains("||") {
            return Err(InvalidRange::Grammar(InvalidVersionRange::Alternatives));
        }
        let is_alone = !text.contains(' ');
        let mut versions = VersionSet::all();
        for part in text.split(' ').filter(|part| !part.is_empty()) {
            let comparator = parse_part(part, is_alone)?;
            versions = versions.intersection(&[comparator].iter().collect());
        }
        let interval = versions.bounds().map(|(start, end)| Interval { start: start.clone(), end: end.cloned() });
        Ok(Self { text: text.to_owned(), interval })
    }
}

/// One comparator, or the version of a range that consists of it alone.
fn parse_part(part: &str, is_alone: bool) -> Result<VersionRange, InvalidRange> {
    if part.trim_start_matches(['<', '>', '=']).len() > MAX_LEN {
        return Err(InvalidRange::VersionTooLong);
    }
    let comparator: VersionRange = part.parse().map_err(InvalidRange::Grammar)?;
    if comparator.as_exact().is_some() && !is_alone {
        return Err(InvalidRange::Grammar(InvalidVersionRange::NotAComparator));
    }
    Ok(comparator)
}

/// The id of a version of a capability: `name:version` (section 4.1). Two ids are equal if their bytes are (decision
/// 7).
///
/// ```
/// use capgen_amp::CapabilityId;
/// let id: CapabilityId = "org.agentries.code-review:2.1.0".parse()?;
/// assert_eq!((id.name.last_segment(), id.version.minor), ("code-review", 1));
/// assert_eq!(id.to_string(), "org.agentries.code-review:2.1.0");
/// # Ok::<(), capgen_amp::InvalidId>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CapabilityId {
    /// The name.
    pub name: CapabilityName,
    /// The version.
    pub version: Version,
}

/// Why a text is not a [`CapabilityId`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum InvalidId {
    /// It contains no colon.
    NoColon,
    /// The part before the colon is not a name.
    Name(InvalidName),
    /// The part after the colon is not a version.
    Version(InvalidVersion),
}

impl FromStr for CapabilityId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let (name, version) = text.split_once(':').ok_or(InvalidId::NoColon)?;
        Ok(Self {
            name: name.parse().map_err(InvalidId::Name)?,
            version: parse_version(version).map_err(InvalidId::Version)?,
        })
    }
}

impl fmt::Display for CapabilityId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.name, self.version)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Display for InvalidVersion {
    /// The expected form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLong => "a version has at most 255 bytes",
            Self::NumberTooLarge => LARGE_NUMBER,
            Self::Syntax => "a version is a full semantic version, such as `2.1.0`",
        })
    }
}

impl fmt::Display for InvalidRange {
    /// The expected form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SpaceAround => f.write_str("a range neither begins nor ends with a space"),
            Self::VersionTooLong => InvalidVersion::TooLong.fmt(f),
            Self::Grammar(reason @ InvalidVersionRange::NumberTooLarge) => reason.fmt(f),
            Self::Grammar(InvalidVersionRange::Alternatives) => f.write_str("`||` is not supported in ranges"),
            Self::Grammar(reason) => {
                write!(f, "a range is a version, such as `1.2.0`, or comparators, such as `>=1.2.0 <2.0.0`: {reason}")
            }
        }
    }
}

impl fmt::Display for InvalidId {
    /// The expected form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoColon => {
                f.write_str("an id is a name, a colon and a version, such as `org.agentries.code-review:2.1.0`")
            }
            Self::Name(reason) => reason.fmt(f),
            Self::Version(reason) => reason.fmt(f),
        }
    }
}

impl std::error::Error for InvalidVersion {}
impl std::error::Error for InvalidRange {}
impl std::error::Error for InvalidId {}
