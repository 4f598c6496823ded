//! Compatibility lines of versions.

use semver::Version;

/// Whether two versions are of one compatibility line: they have the same major version or, for `0.x`, the same minor
/// version. By [semver 2.0.0, sections 4 and 8](https://semver.org/#spec-item-4), versions of different lines may give
/// one payload different meanings; a payload that is valid for both proves nothing. Pre-releases are of the line of
/// their version.
///
/// ```
/// use capgen_descriptor::are_in_one_line;
/// assert!(are_in_one_line(&"1.0.0".parse()?, &"1.9.2-rc.1".parse()?));
/// assert!(!are_in_one_line(&"0.1.0".parse()?, &"0.2.0".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn are_in_one_line(one: &Version, other: &Version) -> bool {
    one.major == other.major && (one.major != 0 || one.minor == other.minor)
}
