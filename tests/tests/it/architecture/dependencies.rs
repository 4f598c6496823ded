//! `docs/dependencies.md` has a line for each direct dependency, and states which of them need a C compiler.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::repository::{files, text};
use super::{dependencies, layer, linked, members, name};

#[test]
fn every_direct_dependency_is_explained() {
    let page = text("docs/dependencies.md").unwrap();
    for package in members() {
        for dependency in dependencies(&package, &["normal", "build", "dev"]) {
            let explained = page.contains(&format!("| `{}` |", name(&dependency)));
            assert!(explained || dependency["path"].is_string(), "`{}` has no line", name(&dependency));
        }
    }
    for path in files().iter().filter(|path| path.ends_with("package.json")) {
        let package: Value = serde_json::from_str(&text(path).unwrap()).unwrap();
        for kind in ["dependencies", "devDependencies"] {
            for name in package[kind].as_object().into_iter().flat_map(|d| d.keys()) {
                assert!(page.contains(&format!("| `{name}` |")), "`{name}` has no line");
            }
        }
    }
}

/// The rows of a section of the page: the first three cells.
fn rows<'p>(page: &'p str, section: &str) -> Vec<[&'p str; 3]> {
    let section = page.split("\n## ").find(|part| part.starts_with(section)).unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let mut cells = row.trim_matches('|').splitn(3, " | ").map(|cell| cell.trim().trim_matches('|'));
        [cells.next().unwrap().trim_matches('`'), cells.next().unwrap(), cells.next().unwrap_or_default()]
    })
    .collect()
}

/// The crates of the layers that use each dependency, as the page writes them: `amp (`http`)` needs it only for that
/// feature.
fn users() -> BTreeMap<String, BTreeSet<String>> {
    let mut users: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in members() {
        let manifest = package["manifest_path"].as_str().unwrap();
        let folder = manifest.trim_end_matches("/Cargo.toml").rsplit('/').next().unwrap();
        if layer(manifest).is_none() || folder == "edition-2021" {
            continue;
        }
        for dependency in dependencies(&package, &["normal", "build"]).iter().filter(|d| !d["path"].is_string()) {
            let enables = format!("dep:{}", name(dependency));
            let features = package["features"].as_object().unwrap().iter();
            let features = features.filter(|(_, list)| list.as_array().unwrap().contains(&enables.as_str().into()));
            let features: Vec<String> = features.map(|(feature, _)| format!("`{feature}`")).collect();
            let needed = if features.is_empty() { String::new() } else { format!(" ({})", features.join(", ")) };
            users.entry(name(dependency).to_owned()).or_default().insert(format!("{folder}{needed}"));
        }
    }
    users
}

/// Splits at the commas outside of parentheses.
fn listed(cell: &str) -> BTreeSet<String> {
    let mut depth = 0;
    let parts = cell.split(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    });
    parts.map(|part| part.trim().to_owned()).collect()
}

#[test]
fn the_users_of_each_dependency_are_listed() {
    let page = text("docs/dependencies.md").unwrap();
    let (libraries, program) = (rows(&page, "Libraries"), rows(&page, "The command line"));
    let mut users = users();
    assert!(users.len() > 30, "{users:?}");
    for [dependency, cell, _] in &libraries {
        let expected = users.remove(*dependency).unwrap_or_default();
        assert_eq!(listed(cell), expected, "the column \"used by\" of `{dependency}`");
    }
    for [dependency, ..] in &program {
        let expected = users.remove(*dependency).unwrap_or_default();
        assert_eq!(expected, BTreeSet::from(["cli".to_owned()]), "`{dependency}`");
    }
    assert!(users.is_empty(), "the page lists these only for tests: {users:?}");
}

/// Rows whose packages npm installs: `installed from PATH`, or `installed (like the next 3 rows) from PATH`.
#[test]
fn packages_of_npm_are_in_the_lock_files_that_the_page_names() {
    let page = text("docs/dependencies.md").unwrap();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| `")).collect();
    let mut found = 0;
    for (at, row) in rows.iter().enumerate() {
        let Some((_, rest)) = row.split_once("installed") else { continue };
        let Some(lock) = rest.split('`').find(|path| path.ends_with("package-lock.json")) else { continue };
        let manifest = text(&lock.replace("package-lock", "package")).unwrap();
        let more = match rest.split_once("like the next ").map(|(_, count)| count) {
            Some(count) if count.starts_with("row") => 1,
            Some(count) => count.split(' ').next().unwrap().parse().unwrap(),
            None => 0,
        };
        for row in &rows[at..=at + more] {
            let package = row.split('`').nth(1).unwrap();
            assert!(manifest.contains(&format!("\"{package}\":")), "`{package}` is not in the package of {lock}");
            found += 1;
        }
    }
    assert!(found > 30, "{found}");
}

#[test]
fn every_feature_of_the_command_line_is_explained() {
    let page = text("docs/install.md").unwrap();
    let package = members().into_iter().find(|package| name(package) == "capgen-cli").unwrap();
    let features = package["features"].as_object().unwrap();
    for feature in features.keys().filter(|feature| *feature != "default") {
        assert!(page.contains(&format!("| `{feature}` |")), "docs/install.md has no row for the feature `{feature}`");
    }
    // The page states that a build without them needs no C compiler.
    assert!(!linked("capgen-cli", &["--no-default-features"]).contains("cc"));
    assert!(linked("capgen-cli", &[]).contains("cc"));
}

/// Whether a package of the lock file has the package `cc`, which runs a C compiler, among its dependencies.
fn needs_a_c_compiler(lock: &str, package: &str) -> bool {
    let (mut open, mut seen) = (vec![package], BTreeSet::new());
    while let Some(name) = open.pop() {
        if name == "cc" {
            return true;
        }
        // The clock of `chrono` needs it only on the system Haiku.
        if name != "iana-time-zone-haiku" && seen.insert(name) {
            let entries = lock.split("[[package]]").filter(|entry| entry.contains(&format!("\nname = \"{name}\"\n")));
            let lists = entries.filter_map(|entry| entry.split("dependencies = [").nth(1));
            open.extend(lists.flat_map(|list| list.split('"').skip(1).step_by(2)).filter_map(|d| d.split(' ').next()));
        }
    }
    false
}

#[test]
fn every_need_for_a_c_compiler_is_explained() {
    let (page, lock) = (text("docs/dependencies.md").unwrap(), text("Cargo.lock").unwrap());
    let mut found = BTreeSet::new();
    for package in members() {
        for dependency in dependencies(&package, &["normal", "build"]) {
            let name = name(&dependency);
            if dependency["path"].is_string() || !needs_a_c_compiler(&lock, name) {
                continue;
            }
            let line = page.lines().find(|line| line.starts_with(&format!("| `{name}` |"))).unwrap_or_default();
            assert!(line.contains("C compiler"), "the line of `{name}` does not mention the C compiler");
            found.insert(name.to_owned());
        }
    }
    assert!(found.contains("stacker") && found.contains("rusqlite"), "{found:?}");
    assert!(!needs_a_c_compiler(&lock, "regex"));
    assert!(text("docs/install.md").unwrap().contains("needs a C compiler"));
}

#[test]
fn every_dependency_that_is_explained_is_used() {
    let page = text("docs/dependencies.md").unwrap();
    let manifests: Vec<_> = files();
    let names = ["Cargo.toml", "package.json", "requirements.txt"];
    let manifests = manifests.iter().filter(|path| names.iter().any(|name| path.ends_with(name)));
    let manifests: String = manifests.filter_map(|path| text(path)).collect();
    for name in page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()) {
        assert!(manifests.contains(name), "`{name}` is explained but not used");
    }
}
