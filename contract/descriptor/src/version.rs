//! Versions, and ranges of versions.

use std::cmp::Ordering;
use std::fmt;
use std::num::IntErrorKind;
use std::str::FromStr;

use semver::Version;

/// A regular expression without anchors that matches every version. It also matches versions with numbers beyond 64
/// bits, which are not valid.
pub const VERSION_PATTERN: &str = concat!(
    r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)",
    r"(-(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*)?",
    r"(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?",
);

/// A set of versions: an exact version (`1.2.0`), or comparators that must all match (`>=1.2.0 <2.0.0`).
///
/// A comparator is `=`, `<`, `<=`, `>` or `>=` directly before a full version. Comparators are separated by spaces,
/// which may also precede the first and follow the last. An exact version has no spaces around it. This is the range
/// grammar of AMP RFC 004, section 4.4, without alternatives (`||`), wildcards, `^` and `~`.
///
/// [`Display`](fmt::Display) writes the canonical form: the parts in their order, separated by one space each. It
/// parses to an equal range.
///
/// With the feature `serde`, a range is a string.
///
/// This is capgen's only parser of ranges. The types of other specifications have a range inside, and differ where
/// their specification does:
///
/// | type | text | one version without an operator | pre-releases |
/// |---|---|---|---|
/// | `VersionRange` | spaces may be around comparators | matches exactly | by precedence |
/// | `capgen_amp::Range` | no spaces around; versions of at most 255 bytes; kept as it is, since signatures cover it | matches exactly | by precedence |
/// | `capgen_registry::Range` | no spaces around; at most 255 code points | matches exactly | by precedence |
/// | `capgen_registry::Requirement` | no spaces around; at most 255 code points | is the least version of its major | only if the requirement names a pre-release of the same `x.y.z` |
///
/// ```
/// use capgen_descriptor::VersionRange;
/// let range: VersionRange = ">=1.2.0  <2.0.0".parse()?;
/// assert!(range.matches(&"1.9.3".parse()?));
/// assert!(!range.matches(&"2.0.0".parse()?));
/// assert_eq!(range.to_string(), ">=1.2.0 <2.0.0");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct VersionRange(Range);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Range {
    Exact(Version),
    /// At least one.
    Comparators(Vec<Comparator>),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Comparator {
    operator: Operator,
    version: Version,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Operator {
    GreaterEqual,
    LessEqual,
    Greater,
    Less,
    Equal,
}

/// Why a text is not a [`VersionRange`].
///
/// ```
/// use capgen_descriptor::{InvalidVersionRange, VersionRange};
/// assert_eq!("^1.2.0".parse::<VersionRange>(), Err(InvalidVersionRange::CaretOrTilde));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum InvalidVersionRange {
    /// There is nothing but spaces.
    Empty,
    /// It contains `||`.
    Alternatives,
    /// An operator has no version directly after it.
    SpaceAfterOperator,
    /// The version after an operator is not a full semantic version.
    Version,
    /// A number of a version is above 2^64 - 1.
    NumberTooLarge,
    /// It contains `^` or `~`.
    CaretOrTilde,
    /// A part is neither a version nor a comparator, or is a version next to other parts.
    NotAComparator,
}

impl VersionRange {
    /// Whether a version is in the range.
    ///
    /// Versions are compared by precedence ([semver 2.0.0, section 11](https://semver.org/#spec-item-11)) and by
    /// nothing else. So build metadata is ignored, and a pre-release is in every range whose bounds enclose it:
    /// `2.0.0-rc.1` is in `>=1.0.0 <2.0.0`. Cargo, npm and the `semver` crate's `VersionReq` differ from this; AMP
    /// requires it.
    ///
    /// ```
    /// use capgen_descriptor::VersionRange;
    /// let range: VersionRange = ">=1.0.0 <2.0.0".parse()?;
    /// assert!(range.matches(&"2.0.0-rc.1".parse()?));
    /// let exact: VersionRange = "1.0.0".parse()?;
    /// assert!(exact.matches(&"1.0.0+linux".parse()?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn matches(&self, version: &Version) -> bool {
        match &self.0 {
            Range::Exact(exact) => version.cmp_precedence(exact).is_eq(),
            Range::Comparators(comparators) => comparators.iter().all(|comparator| comparator.matches(version)),
        }
    }

    /// The versions in the range's text, in their order.
    ///
    /// ```
    /// use capgen_descriptor::VersionRange;
    /// let range: VersionRange = ">=1.2.0 <2.0.0".parse()?;
    /// let versions: Vec<String> = range.versions().map(ToString::to_string).collect();
    /// assert_eq!(versions, ["1.2.0", "2.0.0"]);
    /// # Ok::<(), capgen_descriptor::InvalidVersionRange>(())
    /// ```
    pub fn versions(&self) -> impl Iterator<Item = &Version> {
        self.comparators().map(|(_, version)| version)
    }

    /// The version, if the range is written as one version without an operator.
    ///
    /// ```
    /// use capgen_descriptor::VersionRange;
    /// assert!("1.0.0".parse::<VersionRange>()?.as_exact().is_some());
    /// assert!("=1.0.0".parse::<VersionRange>()?.as_exact().is_none());
    /// # Ok::<(), capgen_descriptor::InvalidVersionRange>(())
    /// ```
    #[must_use]
    pub fn as_exact(&self) -> Option<&Version> {
        match &self.0 {
            Range::Exact(version) => Some(version),
            Range::Comparators(_) => None,
        }
    }
}

impl VersionRange {
    /// A regular expression without anchors that matches every range. It also matches ranges with numbers beyond 64
    /// bits, which are not valid.
    ///
    /// ```
    /// assert!(capgen_descriptor::VersionRange::pattern().starts_with('('));
    /// ```
    #[must_use]
    pub fn pattern() -> String {
        let operators = Operator::ALL.map(Operator::as_str).join("|");
        let comparator = format!("({operators}){VERSION_PATTERN}");
        format!("({VERSION_PATTERN}| *{comparator}( +{comparator})* *)")
    }

    /// The conditions that a version must all meet.
    pub(crate) fn comparators(&self) -> impl Iterator<Item = (Operator, &Version)> {
        let (exact, comparators) = match &self.0 {
            Range::Exact(version) => (Some((Operator::Equal, version)), &[][..]),
            Range::Comparators(comparators) => (None, comparators.as_slice()),
        };
        let others = comparators.iter().map(|Comparator { operator, version }| (*operator, version));
        exact.into_iter().chain(others)
    }
}

impl From<Version> for VersionRange {
    fn from(version: Version) -> Self {
        Self(Range::Exact(version))
    }
}

impl Operator {
    /// Every operator. The longer ones come first: `>` is a prefix of `>=`.
    const ALL: [Self; 5] = [Self::GreaterEqual, Self::LessEqual, Self::Greater, Self::Less, Self::Equal];

    const fn as_str(self) -> &'static str {
        match self {
            Self::GreaterEqual => ">=",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::Less => "<",
            Self::Equal => "=",
        }
    }

    const fn accepts(self, ordering: Ordering) -> bool {
        match self {
            Self::GreaterEqual => ordering.is_ge(),
            Self::LessEqual => ordering.is_le(),
            Self::Greater => ordering.is_gt(),
            Self::Less => ordering.is_lt(),
            Self::Equal => ordering.is_eq(),
        }
    }
}

impl Comparator {
    fn matches(&self, version: &Version) -> bool {
        self.operator.accepts(version.cmp_precedence(&self.version))
    }
}

impl FromStr for Comparator {
    type Err = InvalidVersionRange;

    fn from_str(text: &str) -> Result<Self, InvalidVersionRange> {
        let split = |operator: Operator| Some((operator, text.strip_prefix(operator.as_str())?));
        match Operator::ALL.into_iter().find_map(split) {
            Some((_, "")) => Err(InvalidVersionRange::SpaceAfterOperator),
            Some((operator, version)) => match Version::parse(version) {
                Ok(version) => Ok(Self { operator, version }),
                Err(_) if has_large_number(version) => Err(InvalidVersionRange::NumberTooLarge),
                Err(_) => Err(InvalidVersionRange::Version),
            },
            None if has_large_number(text) => Err(InvalidVersionRange::NumberTooLarge),
            None if text.starts_with(['^', '~']) => Err(InvalidVersionRange::CaretOrTilde),
            None => Err(InvalidVersionRange::NotAComparator),
        }
    }
}

impl FromStr for VersionRange {
    type Err = InvalidVersionRange;

    fn from_str(text: &str) -> Result<Self, InvalidVersionRange> {
        if text.trim().is_empty() {
            return Err(InvalidVersionRange::Empty);
        }
        if text.contains("||") {
            return Err(InvalidVersionRange::Alternatives);
        }
        if let Ok(version) = Version::parse(text) {
            return Ok(Self(Range::Exact(version)));
        }
        // Only spaces separate: a tab is not in the grammar, and stays part of the version, which is then invalid.
        let parts = text.split(' ').filter(|part| !part.is_empty());
        Ok(Self(Range::Comparators(parts.map(str::parse).collect::<Result<_, _>>()?)))
    }
}

impl fmt::Display for VersionRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Range::Exact(version) => version.fmt(f),
            Range::Comparators(comparators) => {
                for (index, Comparator { operator, version }) in comparators.iter().enumerate() {
                    let separator = if index == 0 { "" } else { " " };
                    write!(f, "{separator}{}{version}", operator.as_str())?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for InvalidVersionRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "the range is empty",
            Self::Alternatives => "alternatives must be separate elements of the list",
            Self::SpaceAfterOperator => "an operator must be directly followed by a version",
            Self::NumberTooLarge => LARGE_NUMBER,
            Self::Version => "not a full version, such as `1.2.0`, after the operator",
            Self::CaretOrTilde => "`^` and `~` are not supported in ranges",
            Self::NotAComparator => "neither a version nor a comparator such as `>=1.2.0`",
        })
    }
}

impl std::error::Error for InvalidVersionRange {}

/// The limit of the numbers in versions, for messages about a text that [has a larger one](has_large_number).
pub const LARGE_NUMBER: &str = "a number in a version is at most 18446744073709551615 (2^64 - 1)";

/// Whether a text is a version of [SemVer 2.0.0](https://semver.org), but one of its three numbers is above 2^64 - 1.
/// SemVer has no such limit, so a message about the text must state it.
///
/// ```
/// use capgen_descriptor::has_large_number;
/// assert!(has_large_number("1.18446744073709551616.0-rc.1"));
/// assert!(!has_large_number("1.18446744073709551615.0"));
/// assert!(!has_large_number("18446744073709551616.0"), "it is not a version for another reason");
/// ```
#[must_use]
pub fn has_large_number(text: &str) -> bool {
    let (numbers, rest) = text.split_at(text.find(['-', '+']).unwrap_or(text.len()));
    let is_large = |number: &str| {
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit()) && !number.starts_with('0');
        is_number && number.parse::<u64>().is_err_and(|error| *error.kind() == IntErrorKind::PosOverflow)
    };
    let mut parts: Vec<&str> = numbers.split('.').collect();
    let large = parts.iter_mut().filter(|number| is_large(number));
    let count = large.map(|number| *number = "1").count();
    count > 0 && Version::parse(&format!("{}{rest}", parts.join("."))).is_ok()
}

/// Completes a version that has only one or two numbers, or a `v` before them: `2.0.0` for `v2.0`. Messages suggest the
/// result. `None` for every other text.
///
/// ```
/// use capgen_descriptor::complete_version;
/// assert_eq!(complete_version("v2.0").map(|version| version.to_string()).as_deref(), Some("2.0.0"));
/// assert_eq!(complete_version("latest"), None);
/// ```
#[must_use]
pub fn complete_version(text: &str) -> Option<Version> {
    let parts: Vec<&str> = text.strip_prefix('v').unwrap_or(text).split('.').collect();
    let numeric = parts.iter().all(|part| part.len() <= 9 && part.parse::<u32>().is_ok());
    if !numeric || parts.len() > 3 {
        return None;
    }
    let version = parts.into_iter().chain(["0", "0"]).take(3).collect::<Vec<_>>().join(".");
    // Parsing rejects `01.2`, whose author may not have meant `1.2.0`.
    Version::parse(&version).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(text: &str) -> Result<VersionRange, InvalidVersionRange> {
        text.parse()
    }

    #[test]
    fn ranges_follow_the_grammar() {
        for (text, canonical) in [
            ("1.2.0", "1.2.0"),
            ("1.2.0-rc.1+build", "1.2.0-rc.1+build"),
            (">=1.2.0 <2.0.0", ">=1.2.0 <2.0.0"),
            ("=1.0.0", "=1.0.0"),
            (">1.0.0", ">1.0.0"),
            ("<=1.0.0-alpha", "<=1.0.0-alpha"),
            ("  >=1.0.0   !".trim_end_matches('!'), ">=1.0.0"),
        ] {
            assert_eq!(range(text).map(|range| range.to_string()).as_deref(), Ok(canonical), "{text}");
            assert_eq!(range(canonical), range(text), "{text}");
        }
    }

    #[test]
    fn other_texts_are_rejected_with_a_reason() {
        use InvalidVersionRange as Invalid;
        let huge = format!(">={}.0.0", "9".repeat(100));
        for (text, reason) in [
            ("", Invalid::Empty),
            (" ", Invalid::Empty),
            ("1.x", Invalid::NotAComparator),
            ("1.2", Invalid::NotAComparator),
            ("^1.2.0", Invalid::CaretOrTilde),
            ("~1.2.0", Invalid::CaretOrTilde),
            ("1.0.0 || 2.0.0", Invalid::Alternatives),
            (">= 1.0.0", Invalid::SpaceAfterOperator),
            ("1.0.0 2.0.0", Invalid::NotAComparator),
            (">=1.0.0 2.0.0", Invalid::NotAComparator),
            ("*", Invalid::NotAComparator),
            (">=1,<2", Invalid::Version),
            ("==1.0.0", Invalid::Version),
            (">=1.0.0\t<2.0.0", Invalid::Version),
            (&huge, Invalid::NumberTooLarge),
        ] {
            assert_eq!(range(text), Err(reason), "{text}");
        }
    }

    #[test]
    fn versions_match_by_precedence() -> Result<(), Box<dyn std::error::Error>> {
        for (text, inside, outside) in [
            ("1.2.0", &["1.2.0", "1.2.0+a"][..], &["1.2.1", "1.2.0-rc.1"][..]),
            ("1.2.0+a", &["1.2.0", "1.2.0+b"], &["1.2.1"]),
            ("=1.2.0-rc.1", &["1.2.0-rc.1"], &["1.2.0", "1.2.0-rc.2"]),
            (
                ">=1.0.0 <2.0.0",
                &["1.0.0", "1.9.9", "2.0.0-rc.1", "1.0.0+a"],
                &["0.9.9", "1.0.0-rc.1", "2.0.0", "2.0.0+a"],
            ),
            (">1.0.0-2 <=1.0.0-10", &["1.0.0-10", "1.0.0-3"], &["1.0.0-2", "1.0.0-a", "1.0.0"]),
            (">2.0.0 <1.0.0", &[], &["1.5.0", "3.0.0", "0.1.0"]),
        ] {
            let range = range(text)?;
            for version in inside {
                assert!(range.matches(&version.parse()?), "{version} is in {text}");
            }
            for version in outside {
                assert!(!range.matches(&version.parse()?), "{version} is not in {text}");
            }
        }
        Ok(())
    }

    #[test]
    fn short_versions_are_completed() {
        for (text, expected) in [
            ("2.0", Some("2.0.0")),
            ("2", Some("2.0.0")),
            ("v1.2", Some("1.2.0")),
            ("01.2", None),
            ("1.2.3.4", None),
            ("x", None),
        ] {
            assert_eq!(complete_version(text).map(|version| version.to_string()).as_deref(), expected, "{text}");
        }
    }
}
