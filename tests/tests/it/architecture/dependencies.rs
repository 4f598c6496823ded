//! `docs/dependencies.md` has a line for each direct dependency, and states which of them need a C compiler.

use std::collections::BTreeSet;

use serde_json::Value;

use super::repository::{files, text};
use super::{dependencies, members, name};

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
