//! The metadata of the crates that are published.

use std::path::Path;

use serde_json::Value;

use crate::architecture::{members, name};

/// The categories of the registry that crates of this workspace use. A new one must be in the registry's list.
const CATEGORIES: [&str; 15] = [
    "algorithms",
    "asynchronous",
    "command-line-utilities",
    "config",
    "cryptography",
    "data-structures",
    "database",
    "development-tools",
    "development-tools::build-utils",
    "development-tools::procedural-macro-helpers",
    "encoding",
    "network-programming",
    "parser-implementations",
    "template-engine",
    "web-programming",
];

/// A crate that is not published has `publish = false`.
fn is_published(package: &Value) -> bool {
    package["publish"].as_array().is_none_or(|registries| !registries.is_empty())
}

fn strings<'p>(package: &'p Value, key: &str) -> Vec<&'p str> {
    package[key].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// The parts of the metadata that are missing or invalid.
fn problems(package: &Value) -> Vec<&'static str> {
    let manifest = Path::new(package["manifest_path"].as_str().unwrap());
    let folder = manifest.parent().unwrap();
    let has_features = package["features"].as_object().is_some_and(|features| !features.is_empty());
    let keywords = strings(package, "keywords");
    let is_keyword = |word: &&str| {
        let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        word.len() <= 20 && word.starts_with(|c: char| c.is_ascii_lowercase()) && word.chars().all(is_allowed)
    };
    let categories = strings(package, "categories");
    let text = std::fs::read_to_string(manifest).unwrap();
    let rows = [
        (package["description"].as_str().is_some_and(|text| text.len() <= 200), "`description`, of one sentence"),
        (package["license"] == "MIT OR Apache-2.0", "`license.workspace = true`"),
        (package["repository"].is_string(), "`repository.workspace = true`"),
        (
            (1..=5).contains(&keywords.len()) && keywords.iter().all(is_keyword),
            "`keywords`: at most 5 lower-case words of at most 20 characters",
        ),
        (keywords.is_sorted(), "`keywords` that are sorted"),
        (
            (1..=5).contains(&categories.len()) && categories.iter().all(|slug| CATEGORIES.contains(slug)),
            "`categories`: at most 5 of the list CATEGORIES in this test",
        ),
        (text.contains("\ninclude"), "`include.workspace = true`, so that tests are not packaged"),
        (folder.join("README.md").is_file(), "a file README.md for the registry"),
        (
            folder.join("LICENSE-MIT").is_file() && folder.join("LICENSE-APACHE").is_file(),
            "links to the licences: `ln -s ../LICENSE-MIT ../LICENSE-APACHE .`",
        ),
        (
            !has_features || package["metadata"]["docs"]["rs"].is_object(),
            "`[package.metadata.docs.rs]` with `all-features = true` or a list of features",
        ),
    ];
    rows.into_iter().filter(|(is_met, _)| !is_met).map(|(_, problem)| problem).collect()
}

#[test]
fn every_published_crate_has_the_metadata_of_the_registry() {
    let mut problems_of_all = Vec::new();
    let mut published = 0;
    for package in members().iter().filter(|package| is_published(package)) {
        published += 1;
        for problem in problems(package) {
            problems_of_all.push(format!("{} needs {problem}", name(package)));
        }
    }
    assert!(published >= 17, "{published} crates are published");
    let hint = "a crate that is not published needs `publish = false`";
    assert!(problems_of_all.is_empty(), "{}\n{hint}", problems_of_all.join("\n"));
}

#[test]
fn the_readme_of_a_crate_starts_with_its_name() {
    for package in members().iter().filter(|package| is_published(package)) {
        let readme = Path::new(package["manifest_path"].as_str().unwrap()).with_file_name("README.md");
        let text = std::fs::read_to_string(readme).unwrap();
        assert!(text.starts_with(&format!("# {}\n", name(package))), "{}", name(package));
    }
}

#[test]
fn tests_and_examples_are_not_published() {
    for package in members() {
        let folder = package["manifest_path"].as_str().unwrap();
        let is_leaf = ["/tests/", "/examples/", "/xtask/"].iter().any(|part| folder.contains(part));
        assert!(!(is_leaf && is_published(&package)), "{} needs `publish = false`", name(&package));
    }
}
