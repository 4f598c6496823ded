//! The pages and the first pages of crates name files, variables and features that exist.

use std::collections::BTreeSet;
use std::path::Path;

use super::members;
use super::repository::{files, root, text};

/// Starts of paths in the repository. A path in backticks that starts otherwise may be one of a user.
const FOLDERS: [&str; 14] = [
    ".cargo/",
    ".ci/",
    ".github/",
    "cli/",
    "codegen/",
    "contract/",
    "docs/",
    "examples/",
    "generated/",
    "macros/",
    "protocols/",
    "runtime/",
    "tests/",
    "tools/",
];

/// Names of other things: methods of MCP.
const OTHERS: [&str; 2] = ["tools/call", "tools/list"];

/// Whether a text in backticks is a path in the repository, and no pattern or command.
fn is_path(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    FOLDERS.iter().any(|folder| text.starts_with(folder)) && text.chars().all(is_part) && !OTHERS.contains(&text)
}

/// The texts in backticks outside of code blocks.
fn quoted(page: &str) -> impl Iterator<Item = &str> {
    let prose = page.split("```").step_by(2);
    prose.flat_map(|prose| prose.split('`').skip(1).step_by(2))
}

/// The comment at the start of a source file.
fn first_page(source: &str) -> String {
    source.lines().map_while(|line| line.strip_prefix("//!")).map(|line| format!("{line}\n")).collect()
}

#[test]
fn every_path_on_the_pages_exists() {
    let (mut paths, mut missing) = (0, Vec::new());
    for name in files() {
        let is_page = name.ends_with(".md") && name != "CHANGELOG.md" && !name.starts_with("tests/fixtures/");
        let is_first_page = name.ends_with("src/lib.rs") || name == "cli/src/main.rs";
        if !is_page && !is_first_page {
            continue;
        }
        let source = text(&name).unwrap();
        let page = if is_page { source } else { first_page(&source) };
        // On the first page of a crate or an example, a path may start in its folder.
        let folder = Path::new(&name).parent().unwrap_or(Path::new(""));
        let folder = root().join(folder.parent().filter(|_| folder.ends_with("src")).unwrap_or(folder));
        for path in quoted(&page).filter(|path| is_path(path)) {
            paths += 1;
            if !root().join(path).exists() && !folder.join(path).exists() {
                missing.push(format!("{name}: {path}"));
            }
        }
    }
    assert!(missing.is_empty(), "paths that do not exist: {missing:#?}");
    assert!(paths > 150, "{paths}");
}

/// The pages, with their texts.
fn pages() -> Vec<(String, String)> {
    let files = files();
    let pages = files.into_iter().filter(|name| {
        name.ends_with(".md")
            && name != "CHANGELOG.md"
            && name != "docs/codes.md"
            && !name.starts_with("tests/fixtures/")
    });
    pages.map(|name| (name.clone(), text(&name).unwrap())).collect()
}

#[test]
fn every_environment_variable_on_the_pages_is_used() {
    let is_source = |path: &&String| [".rs", ".js", ".mjs", ".py"].iter().any(|end| path.ends_with(end));
    let sources: String = files().iter().filter(is_source).filter_map(|path| text(path)).collect();
    let mut variables = 0;
    for (name, page) in pages() {
        for (at, _) in page.match_indices("CAPGEN_") {
            let rest = &page[at..];
            let end = rest.find(|c: char| !c.is_ascii_uppercase() && c != '_').unwrap_or(rest.len());
            assert!(sources.contains(&rest[..end]), "{name}: nothing reads `{}`", &rest[..end]);
            variables += 1;
        }
    }
    assert!(variables > 10, "{variables}");
}

#[test]
fn every_feature_on_the_pages_exists() {
    let members = members();
    let features: BTreeSet<&String> =
        members.iter().flat_map(|package| package["features"].as_object().unwrap().keys()).collect();
    let mut named = 0;
    for (name, page) in pages() {
        for rest in page.split("feature `").skip(1) {
            let feature = rest.split('`').next().unwrap();
            assert!(features.contains(&feature.to_owned()), "{name}: no crate has the feature `{feature}`");
            named += 1;
        }
    }
    assert!(named > 10, "{named}");
}
