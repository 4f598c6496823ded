//! Versions and ranges of versions, by the rules of the manifest's reader.

use semver::Version;

/// What to write instead, where the text is no semantic version.
pub(crate) fn advice(key: &str, text: &str) -> Option<String> {
    if Version::parse(text).is_ok() {
        return None;
    }
    Some(match completed(text) {
        Some(version) => format!("a version has three numbers: write `{key} = \"{version}\"`"),
        None => format!("a version has three numbers with dots between: write `{key} = \"1.2.0\"`"),
    })
}

/// What to write instead, where the text is neither a version nor comparators that must all hold, with spaces between.
pub(crate) fn range_advice(text: &str) -> Option<String> {
    let reason = check_range(text).err()?;
    Some(match completed(text) {
        Some(version) => format!("a version has three numbers: write `\"{version}\"`"),
        None => format!("{reason}: write a version, such as `\"1.2.0\"`, or a range, such as `\">=1.2.0 <2.0.0\"`"),
    })
}

/// The three-part form of a version with fewer parts, such as `2.0.0` for `2.0`.
fn completed(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.strip_prefix('v').unwrap_or(text).split('.').collect();
    let numeric = parts.iter().all(|part| part.len() <= 9 && part.parse::<u32>().is_ok());
    if !numeric || parts.len() > 3 {
        return None;
    }
    let version = parts.into_iter().chain(["0", "0"]).take(3).collect::<Vec<_>>().join(".");
    Version::parse(&version).is_ok().then_some(version)
}

fn check_range(text: &str) -> Result<(), &'static str> {
    if text.trim().is_empty() {
        return Err("the range is empty");
    }
    if text.contains("||") {
        return Err("alternatives are elements of their own");
    }
    if Version::parse(text).is_ok() {
        return Ok(());
    }
    text.split(' ').filter(|part| !part.is_empty()).try_for_each(|part| {
        let version = [">=", "<=", ">", "<", "="].iter().find_map(|operator| part.strip_prefix(operator));
        match version {
            Some("") => Err("no space may follow an operator"),
            Some(version) if Version::parse(version).is_ok() => Ok(()),
            Some(_) => Err("a version has three numbers"),
            None if part.starts_with(['^', '~']) => Err("`^` and `~` are not part of the range grammar"),
            None => Err("neither a version nor a comparator such as `>=1.2.0`"),
        }
    })
}
