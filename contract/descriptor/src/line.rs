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

/// Which of the versions that an agent serves may run the calls of a caller with another contract: those of the
/// caller's [line](are_in_one_line), or all, if the agent serves none of that line or the caller states no version.
/// The highest of them that accepts a request runs it.
///
/// ```
/// use capgen_descriptor::may_run;
/// use semver::Version;
/// let [old, new, caller] = [Version::new(1, 4, 0), Version::new(2, 0, 0), Version::new(1, 3, 0)];
/// let may_run_caller = may_run(Some(&caller), [Some(&old), Some(&new)]);
/// assert!(may_run_caller(Some(&old)) && !may_run_caller(Some(&new)));
/// assert!(may_run(None, [Some(&old), Some(&new)])(Some(&new)));
/// ```
pub fn may_run<'v>(
    caller: Option<&'v Version>,
    served: impl IntoIterator<Item = Option<&'v Version>>,
) -> impl Fn(Option<&Version>) -> bool + 'v {
    let is_in_line = move |version: Option<&Version>| match (version, caller) {
        (Some(own), Some(caller)) => are_in_one_line(own, caller),
        _ => false,
    };
    let has_line = served.into_iter().any(is_in_line);
    move |version| !has_line || is_in_line(version)
}
