//! Sets of versions, compared exactly.

use std::fmt;

use semver::{BuildMetadata, Prerelease, Version};

use crate::VersionRange;
use crate::version::Operator;

/// A set of versions: the union of [ranges](VersionRange), with exact operations.
///
/// Versions are compared by precedence alone, as [`VersionRange::matches`] does. In this order, every version has a
/// next one: `1.0.1-0` after `1.0.0`, and `1.0.0-rc.0` after `1.0.0-rc`. So each set is a list of intervals that
/// include their start and exclude their end, and equal sets have equal lists, however their ranges were written.
///
/// [`Display`](fmt::Display) writes the ranges in ascending order, separated by commas.
///
/// ```
/// use capgen_descriptor::{VersionRange, VersionSet};
/// let set = |ranges: &[&str]| -> Result<VersionSet, Box<dyn std::error::Error>> {
///     let ranges: Vec<VersionRange> = ranges.iter().map(|range| range.parse()).collect::<Result<_, _>>()?;
///     Ok(ranges.iter().collect())
/// };
/// let old = set(&[">=1.0.0 <2.0.0"])?;
/// assert_eq!(set(&["<2.0.0 >=1.5.0", ">=1.0.0 <1.5.0"])?, old);
/// assert_eq!(old.difference(&set(&[">=1.2.0"])?).to_string(), ">=1.0.0 <1.2.0");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct VersionSet {
    /// Not empty, in ascending order, and with versions between them that are not in the set.
    intervals: Vec<Interval>,
}

/// The versions from `start` to `end`, without `end`; all from `start` on if there is no `end`. The versions have no
/// build metadata, so that their order is precedence.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Interval {
    start: Version,
    end: Option<Version>,
}

impl VersionSet {
    /// Every version.
    #[must_use]
    pub fn all() -> Self {
        Self { intervals: vec![Interval { start: least(), end: None }] }
    }

    /// The versions that are not below this one.
    #[must_use]
    pub fn at_least(version: &Version) -> Self {
        Self { intervals: vec![Interval { start: without_build(version), end: None }] }
    }

    /// Whether the set has no version.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.intervals.is_empty()
    }

    /// Whether a version is in the set.
    #[must_use]
    pub fn contains(&self, version: &Version) -> bool {
        let version = without_build(version);
        self.intervals
            .iter()
            .any(|Interval { start, end }| *start <= version && end.as_ref().is_none_or(|end| version < *end))
    }

    /// The first version of the set, and the first one that is above the whole set, if there is one. `None` for the
    /// empty set. The set of one range consists of all versions between them.
    ///
    /// ```
    /// use capgen_descriptor::{VersionRange, VersionSet};
    /// let range: VersionRange = ">=1.2.0 <=1.9.0".parse()?;
    /// let set: VersionSet = [range].iter().collect();
    /// let (start, end) = set.bounds().ok_or("empty")?;
    /// assert_eq!((start.to_string(), end.map(ToString::to_string)), ("1.2.0".to_owned(), Some("1.9.1-0".to_owned())));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn bounds(&self) -> Option<(&Version, Option<&Version>)> {
        let (first, last) = (self.intervals.first()?, self.intervals.last()?);
        Some((&first.start, last.end.as_ref()))
    }

    /// The versions that are in both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let mut common = Vec::new();
        let (mut left, mut right) = (self.intervals.iter().peekable(), other.intervals.iter().peekable());
        while let (Some(one), Some(other)) = (left.peek(), right.peek()) {
            common.extend(one.intersection(other));
            // The interval that ends first has nothing in common with the later ones.
            let is_left = match (&one.end, &other.end) {
                (Some(one), Some(other)) => one <= other,
                (one, _) => one.is_some(),
            };
            if is_left {
                left.next()
            } else {
                right.next()
            };
        }
        Self { intervals: common }
    }

    /// The versions that are in this set and not in the other one.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        let mut gaps = Vec::new();
        let mut start = Some(least());
        for interval in &other.intervals {
            gaps.extend(start.take().and_then(|start| Interval::of(start, Some(interval.start.clone()))));
            start.clone_from(&interval.end);
        }
        gaps.extend(start.and_then(|start| Interval::of(start, None)));
        self.intersection(&Self { intervals: gaps })
    }

    /// The union of intervals in any order.
    fn of(intervals: impl Iterator<Item = Interval>) -> Self {
        let mut sorted: Vec<Interval> = intervals.collect();
        sorted.sort();
        let mut merged: Vec<Interval> = Vec::new();
        for interval in sorted {
            match merged.last_mut() {
                // Also if one starts exactly where the other one ends.
                Some(last) if last.end.as_ref().is_none_or(|end| interval.start <= *end) => {
                    last.end = match (last.end.take(), interval.end) {
                        (Some(one), Some(other)) => Some(one.max(other)),
                        _ => None,
                    };
                }
                _ => merged.push(interval),
            }
        }
        Self { intervals: merged }
    }
}

impl<'r> FromIterator<&'r VersionRange> for VersionSet {
    /// The versions that are in one of the ranges.
    fn from_iter<I: IntoIterator<Item = &'r VersionRange>>(ranges: I) -> Self {
        Self::of(ranges.into_iter().filter_map(|range| {
            let everything = Interval { start: least(), end: None };
            range.comparators().try_fold(everything, |all, (operator, version)| {
                all.intersection(&Interval::matching(operator, &without_build(version))?)
            })
        }))
    }
}

impl Interval {
    /// `None` if no version is in it.
    fn of(start: Version, end: Option<Version>) -> Option<Self> {
        end.as_ref().is_none_or(|end| start < *end).then_some(Self { start, end })
    }

    /// The versions that a comparator accepts.
    fn matching(operator: Operator, version: &Version) -> Option<Self> {
        let version = version.clone();
        match operator {
            Operator::GreaterEqual => Self::of(version, None),
            Operator::Greater => Self::of(next(&version)?, None),
            Operator::Less => Self::of(least(), Some(version)),
            Operator::LessEqual => Self::of(least(), next(&version)),
            Operator::Equal => Self::of(version.clone(), next(&version)),
        }
    }

    fn intersection(&self, other: &Self) -> Option<Self> {
        let end = match (&self.end, &other.end) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.as_ref().or(other.as_ref()),
        };
        Self::of(self.start.clone().max(other.start.clone()), end.cloned())
    }
}

/// The version before all others: numeric identifiers come before others, and `0` is the first of them.
fn least() -> Version {
    let pre = Prerelease::new("0").unwrap_or(Prerelease::EMPTY);
    Version { pre, ..Version::new(0, 0, 0) }
}

fn without_build(version: &Version) -> Version {
    Version { build: BuildMetadata::EMPTY, ..version.clone() }
}

/// The version directly after another one; `None` for the last one that the type of versions can express.
fn next(version: &Version) -> Option<Version> {
    let Version { major, minor, patch, pre, .. } = version;
    if !pre.is_empty() {
        // A list of identifiers that another one continues comes directly before all of its continuations.
        let pre = Prerelease::new(&format!("{pre}.0")).ok()?;
        return Some(Version { pre, ..without_build(version) });
    }
    let release = match (patch.checked_add(1), minor.checked_add(1)) {
        (Some(patch), _) => Version::new(*major, *minor, patch),
        (None, Some(minor)) => Version::new(*major, minor, 0),
        (None, None) => Version::new(major.checked_add(1)?, 0, 0),
    };
    Some(Version { pre: Prerelease::new("0").ok()?, ..release })
}

/// The release directly before a version, if there is one with the same minor version: ranges are usually written with
/// releases.
fn release_before(version: &Version) -> Option<Version> {
    let patch = version.patch.checked_sub(1).filter(|_| version.pre.as_str() == "0")?;
    Some(Version::new(version.major, version.minor, patch))
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { start, end } = self;
        if end.is_some() && next(start) == *end {
            return start.fmt(f);
        }
        let from = match release_before(start) {
            Some(before) => format!(">{before}"),
            None if *start == least() && end.is_some() => String::new(),
            None => format!(">={start}"),
        };
        let to = end.as_ref().map(|end| match release_before(end) {
            Some(before) => format!("<={before}"),
            None => format!("<{end}"),
        });
        let separator = if from.is_empty() || to.is_none() { "" } else { " " };
        write!(f, "{from}{separator}{}", to.unwrap_or_default())
    }
}

impl fmt::Display for VersionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<String> = self.intervals.iter().map(ToString::to_string).collect();
        f.write_str(&texts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

    fn set(ranges: &str) -> Result<VersionSet> {
        let ranges = ranges.split(", ").filter(|range| !range.is_empty());
        let ranges: Vec<VersionRange> = ranges.map(str::parse).collect::<std::result::Result<_, _>>()?;
        Ok(ranges.iter().collect())
    }

    #[test]
    fn equal_sets_are_equal_however_they_are_written() -> Result<()> {
        for (one, other) in [
            (">=1.0.0 <2.0.0", ">=1.0.0 <1.5.0, >=1.5.0 <2.0.0"),
            (">=1.0.0 <2.0.0", ">=1.5.0 <2.0.0, >=1.0.0 <=1.7.0"),
            ("1.0.0", ">=1.0.0 <=1.0.0+build"),
            (">1.0.0", ">=1.0.1-0"),
            ("<=1.0.0-rc", "<1.0.0-rc.0"),
            ("1.0.0, 1.0.1-0", ">=1.0.0 <1.0.1-0.0"),
            (">=0.0.0-0", "<1.0.0, >=1.0.0"),
            ("", ">2.0.0 <1.0.0"),
            ("", "<0.0.0-0"),
            ("", ">1.0.0 <1.0.1-0"),
        ] {
            assert_eq!(set(one)?, set(other)?, "{one} and {other}");
        }
        for (one, other) in [
            (">=1.0.0 <2.0.0", ">=1.0.0 <1.5.0, >1.5.0 <2.0.0"),
            (">1.0.0", ">=1.0.1"),
            ("<2.0.0", "<2.0.0-0"),
            (">=1.0.0 <=1.4.9, >=1.5.0", ">=1.0.0"),
        ] {
            assert_ne!(set(one)?, set(other)?, "{one} and {other}");
        }
        assert_eq!(set(">=0.0.0-0")?, VersionSet::all());
        Ok(())
    }

    #[test]
    fn operations_agree_with_matching() -> Result<()> {
        let ranges = [
            "1.0.0",
            ">=1.0.0 <2.0.0",
            ">1.0.0-rc.1 <=1.5.0",
            "<1.0.0",
            ">=2.0.0-0",
            "=1.0.0-rc.1",
            ">2.0.0 <1.0.0",
            "<=1.0.0-rc, >1.5.0",
            "1.0.0, 2.0.0",
            ">=18446744073709551615.0.0",
        ];
        let last = "18446744073709551615.18446744073709551615.18446744073709551615";
        let versions = [
            "0.0.0-0",
            "0.9.0",
            "1.0.0-0",
            "1.0.0-rc",
            "1.0.0-rc.0",
            "1.0.0-rc.1",
            "1.0.0-rc.1.0",
            "1.0.0-rc.2",
            "1.0.0",
            "1.0.0+build",
            "1.0.1-0",
            "1.0.1",
            "1.5.0",
            "1.5.1-0",
            "2.0.0-0",
            "2.0.0-rc.1",
            "2.0.0",
            "2.0.1",
            last,
        ];
        for one in ranges {
            for other in ranges {
                let (left, right) = (set(one)?, set(other)?);
                let (both, only) = (left.intersection(&right), left.difference(&right));
                for version in versions {
                    let version: Version = version.parse()?;
                    let matches = |ranges: &str| -> Result<bool> {
                        let ranges: Vec<VersionRange> =
                            ranges.split(", ").map(str::parse).collect::<std::result::Result<_, _>>()?;
                        Ok(ranges.iter().any(|range| range.matches(&version)))
                    };
                    let (is_left, is_right) = (matches(one)?, matches(other)?);
                    assert_eq!(left.contains(&version), is_left, "{version} in {one}");
                    assert_eq!(both.contains(&version), is_left && is_right, "{version} in {one} and {other}");
                    assert_eq!(only.contains(&version), is_left && !is_right, "{version} in {one} and not in {other}");
                }
            }
        }
        Ok(())
    }

    #[test]
    fn sets_are_written_as_ranges() -> Result<()> {
        for (ranges, shown) in [
            (">=1.0.0 <1.5.0, >=1.5.0 <2.0.0", ">=1.0.0 <2.0.0"),
            ("2.0.0, <1.0.0", "<1.0.0, 2.0.0"),
            (">1.0.0 <=1.5.0", ">1.0.0 <=1.5.0"),
            ("=1.0.0-rc.1+build", "1.0.0-rc.1"),
            (">=0.0.0-0", ">=0.0.0-0"),
            ("", ""),
        ] {
            assert_eq!(set(ranges)?.to_string(), shown, "{ranges}");
            assert_eq!(set(shown)?, set(ranges)?, "{shown}");
        }
        assert_eq!(VersionSet::all().difference(&set("1.0.0")?).to_string(), "<1.0.0, >1.0.0");
        Ok(())
    }
}
