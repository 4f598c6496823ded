//! Versions and version ranges as texts.

use semver::Version;

/// The three-part form of a version that has one to three parts and perhaps a `v` before them, such as `2.0.0` for `2.0`:
/// what was probably meant. `None` for every other text.
///
/// ```
/// use capgen_manifest::version::completed;
/// assert_eq!(completed("v2.0").as_deref(), Some("2.0.0"));
/// assert_eq!(completed("latest"), None);
/// ```
pub fn completed(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.strip_prefix('v').unwrap_or(text).split('.').collect();
    let numeric = parts.iter().all(|part| part.len() <= 9 && part.parse::<u32>().is_ok());
    if !numeric || parts.len() > 3 {
        return None;
    }
    let version = parts.into_iter().chain(["0", "0"]).take(3).collect::<Vec<_>>().join(".");
    Version::parse(&version).is_ok().then_some(version)
}

/// Checks an entry of a version list: an exact version (`x.y.z`), or comparators that must all hold, with spaces between
/// (`>=1.2.0 <2.0.0`). This is the range grammar of the capability registry (AMP RFC 004, section 4.4); alternatives
/// (`||`), wildcards, `^` and `~` are not in it.
///
/// # Errors
///
/// Why it is neither; a few words without a full stop.
///
/// ```
/// use capgen_manifest::version::check_range;
/// assert_eq!(check_range(">=1.2.0 <2.0.0"), Ok(()));
/// assert_eq!(check_range("^1.2.0"), Err("`^` and `~` are not part of the range grammar"));
/// ```
pub fn check_range(text: &str) -> Result<(), &'static str> {
    if text.trim().is_empty() {
        return Err("empty");
    }
    if text.contains("||") {
        return Err("alternatives are entries of their own");
    }
    if Version::parse(text).is_ok() {
        return Ok(());
    }
    text.split(' ').filter(|part| !part.is_empty()).try_for_each(|part| {
        let version = [">=", "<=", ">", "<", "="].iter().find_map(|operator| part.strip_prefix(operator));
        match version {
            Some("") => Err("no space may follow an operator"),
            Some(version) if Version::parse(version).is_ok() => Ok(()),
            Some(_) => Err("a version has three numbers, such as `1.2.0`"),
            None if part.starts_with(['^', '~']) => Err("`^` and `~` are not part of the range grammar"),
            None => Err("not a version, and not a comparator such as `>=1.2.0`"),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_follow_the_grammar() {
        for text in ["1.2.0", "1.2.0-rc.1+build", ">=1.2.0 <2.0.0", "=1.0.0", ">1.0.0", "<=1.0.0-alpha", "  >=1.0.0  "]
        {
            assert_eq!(check_range(text), Ok(()), "{text}");
        }
        let huge = format!(">={}.0.0", "9".repeat(100));
        for text in [
            "",
            " ",
            "1.x",
            "1.2",
            "^1.2.0",
            "~1.2.0",
            "1.0.0 || 2.0.0",
            ">= 1.0.0",
            "1.0.0 2.0.0",
            "*",
            ">=1,<2",
            &huge,
        ] {
            assert!(check_range(text).is_err(), "{text}");
        }
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
            assert_eq!(completed(text).as_deref(), expected, "{text}");
        }
    }
}
