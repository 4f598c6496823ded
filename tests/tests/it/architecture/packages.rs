//! The metadata of the crates that are published.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::architecture::repository::{files, root, text};
use crate::architecture::{members, metadata, name};

/// The categories of the registry that crates of this workspace use. A new one must be in the registry's list.
const CATEGORIES: [&str; 16] = [
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
    "filesystem",
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
    let library = folder.join("src/lib.rs");
    let shows_features =
        std::fs::read_to_string(&library).is_ok_and(|code| code.contains("#![cfg_attr(docsrs, feature(doc_cfg))]"));
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
            "links to the licences: `ln -s ../../LICENSE-MIT ../../LICENSE-APACHE .`",
        ),
        (
            !has_features || package["metadata"]["docs"]["rs"].is_object(),
            "`[package.metadata.docs.rs]` with `all-features = true` or a list of features",
        ),
        (
            !has_features || !library.is_file() || shows_features,
            "`#![cfg_attr(docsrs, feature(doc_cfg))]`, so that the documentation shows which features items need",
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

/// Programs of tests other than `tests/it/main.rs`, each with the reason why it is one of its own.
const OWN_PROGRAMS: [(&str, &str); 3] = [
    ("macros/tests/ui.rs", "trybuild builds packages in the current folder, which must not change meanwhile"),
    ("contract/manifest/tests/hostile.rs", "it measures the largest memory of its process"),
    ("contract/manifest/tests/patterns.rs", "it measures the largest memory of its process"),
];

/// Linking a program takes longer than most tests, so the tests of a package are modules of one program.
#[test]
fn each_package_has_one_program_of_integration_tests() {
    // Folders of packages, which have a `tests` folder of their own.
    let folders: Vec<String> =
        files().iter().filter_map(|path| path.strip_suffix("Cargo.toml")).map(str::to_owned).collect();
    let mut found = Vec::new();
    for path in files() {
        let in_tests = folders.iter().filter_map(|folder| path.strip_prefix(&format!("{folder}tests/")));
        let is_program = |inner: &str| match inner.split('/').collect::<Vec<_>>()[..] {
            [file] => file.ends_with(".rs"),
            [_, "main.rs"] => true,
            _ => false,
        };
        if in_tests.into_iter().any(is_program) {
            found.push(path.clone());
        }
    }
    assert!(found.len() > 20, "{found:?}");
    let is_allowed =
        |path: &String| path.ends_with("/tests/it/main.rs") || OWN_PROGRAMS.iter().any(|(own, _)| path == own);
    // The package of the whole-system tests is the folder `tests` itself.
    found.retain(|path| !is_allowed(path) && path != "tests/it/main.rs");
    assert!(found.is_empty(), "make these files modules of `tests/it/main.rs`: {found:#?}");
}

/// `cargo test` in the root is the inner loop of a change, and the tests of the whole system are not a part of it.
#[test]
fn the_default_members_are_all_members_but_those_of_tests() {
    let metadata = metadata(&["--no-deps"]).unwrap();
    let default: Vec<&Value> = metadata["workspace_default_members"].as_array().unwrap().iter().collect();
    for package in metadata["packages"].as_array().unwrap() {
        let folder = Path::new(package["manifest_path"].as_str().unwrap()).strip_prefix(root()).unwrap().to_owned();
        let is_test = folder.parent().unwrap().iter().any(|part| part == "tests");
        assert_eq!(default.contains(&&package["id"]), !is_test, "{}", name(package));
    }
}

/// The steps of `docs/release.md` name these places.
#[test]
fn every_place_has_the_version_of_the_workspace() {
    let manifest = text("Cargo.toml").unwrap();
    let stated = |line: &str| line.split_once("version = \"")?.1.split_once('"').map(|(version, _)| version.to_owned());
    let is_own = |line: &&str| line.starts_with("version = ") || line.contains("{ path = ");
    let versions: BTreeSet<String> = manifest.lines().filter(is_own).filter_map(stated).collect();
    assert_eq!(versions.len(), 1, "{versions:?}");
    let version = versions.first().unwrap();
    let citation = text("CITATION.cff").unwrap();
    assert!(citation.lines().any(|line| line == format!("version: {version}")), "CITATION.cff");
}
