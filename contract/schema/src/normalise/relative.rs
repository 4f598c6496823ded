//! Relative references, which are resolved against the `$id` of the document.

/// A reference with a relative path as an absolute one, by [RFC 3986, section 5.2](https://www.rfc-editor.org/rfc/rfc3986#section-5.2),
/// with its fragment; `None` if it has no relative path, or if no path can be relative to `base`, such as a URN.
pub fn resolved(base: &str, reference: &str) -> Option<String> {
    let end = reference.find('#').unwrap_or(reference.len());
    let (path, fragment) = reference.split_at_checked(end)?;
    if base.is_empty() || path.is_empty() || path.starts_with("//") || path.contains([':', '?']) {
        return None;
    }
    let (root, folder) = parts(base)?;
    let mut names: Vec<&str> = if path.starts_with('/') { vec![""] } else { folder.split('/').collect() };
    if !path.starts_with('/') {
        names.pop();
    }
    let added = path.strip_prefix('/').unwrap_or(path);
    for name in added.split('/') {
        match name {
            "." => {}
            // The empty name before the first slash stays.
            ".." if names.last().is_some_and(|last| !last.is_empty()) => _ = names.pop(),
            ".." => {}
            name => names.push(name),
        }
    }
    Some(format!("{root}{}{fragment}", names.join("/")))
}

/// The scheme and authority of a URI, and its path.
fn parts(base: &str) -> Option<(&str, &str)> {
    let Some(scheme) = base.find("://") else { return (!base.contains(':')).then_some(("", base)) };
    let authority = scheme + "://".len();
    let end = base.get(authority..)?.find('/').map_or(base.len(), |path| authority + path);
    let (root, path) = base.split_at_checked(end)?;
    Some((root, if path.is_empty() { "/" } else { path }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_folder_of_the_base() {
        let base = "https://example.com/a/s.json";
        for (reference, expected) in [
            ("s.json#/$defs/A", "https://example.com/a/s.json#/$defs/A"),
            ("./s.json", "https://example.com/a/s.json"),
            ("../a/s.json#", "https://example.com/a/s.json#"),
            ("../../../a/s.json", "https://example.com/a/s.json"),
            ("/a/s.json", "https://example.com/a/s.json"),
            ("b/t.json#x", "https://example.com/a/b/t.json#x"),
        ] {
            assert_eq!(resolved(base, reference).as_deref(), Some(expected), "{reference}");
        }
        assert_eq!(resolved("https://example.com", "s.json").as_deref(), Some("https://example.com/s.json"));
        assert_eq!(resolved("s.json", "s.json#a").as_deref(), Some("s.json#a"));
        for reference in ["#/a", "", "//b/s.json", "https://b/s.json", "urn:a"] {
            assert_eq!(resolved(base, reference), None, "{reference}");
        }
        assert_eq!(resolved("urn:example:a", "s.json"), None);
        assert_eq!(resolved("", "s.json"), None);
    }
}
