//! Names with one meaning.

use std::collections::BTreeMap;

use regex::Regex;

use crate::architecture::repository::{files, text};

/// The hand-written Rust files of crates and of their tests.
fn sources() -> impl Iterator<Item = (String, String)> {
    let folders = ["contract/", "macros/", "codegen/", "runtime/", "protocols/", "cli/"];
    files().into_iter().filter_map(move |path| {
        let is_source = path.ends_with(".rs") && folders.iter().any(|folder| path.starts_with(folder));
        let source =
            text(&path).filter(|source| !source.lines().next().is_some_and(|line| line.contains("@generated")));
        source.filter(|_| is_source).map(|source| (path, source))
    })
}

#[test]
fn common_words_are_the_name_of_at_most_one_type() {
    let type_name = Regex::new(r"(?m)^ *pub(?:\([a-z]+\))? (?:struct|enum|trait|type) (\w+)\b").unwrap();
    let mut types: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, source) in sources() {
        for found in type_name.captures_iter(&source) {
            types.entry(found[1].to_owned()).or_default().push(path.clone());
        }
    }
    assert!(types.len() > 500, "{}", types.len());
    for word in ["Contract", "Event", "Finding", "Outcome", "Problem", "Report"] {
        let places = types.remove(word).unwrap_or_default();
        assert!(places.len() <= 1, "`{word}` has several meanings: {places:?}");
    }
}

#[test]
fn bounds_are_named_max_and_min() {
    let bound =
        Regex::new(r"\bconst ((?:LIMIT|(?:MOST|LONGEST|LARGEST|LEAST|SHORTEST)(?:_[A-Z_]+)?|[A-Z_]+_LIMIT): \w+)")
            .unwrap();
    // `limit` is a property of queries.
    let is_allowed = |name: &str| name.starts_with("MAX_") || name.starts_with("DEFAULT_");
    let mut found = Vec::new();
    for (path, source) in sources() {
        let names = bound.captures_iter(&source).map(|found| found[1].to_owned());
        found.extend(names.filter(|name| !is_allowed(name)).map(|name| format!("{path}: {name}")));
    }
    assert!(found.is_empty(), "names of bounds start with MAX_ or MIN_: {found:?}");
}
