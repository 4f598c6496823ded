//! The first pages for contributors: ARCHITECTURE.md, README.md, and the reading order of each crate.

use super::repository::{files, root, text};

/// A first page is read from end to end, so its size in bytes is limited.
const MAX_README: usize = 10_000;
const MAX_ARCHITECTURE: usize = 12_000;

/// The maximum number of lines of a reading order: it explains the rooms of a crate and lists no files.
const MAX_READING_ORDER: usize = 30;

/// The folders of the crates of the layers, such as `contract/schema`.
fn crates() -> Vec<String> {
    let is_folder_of_a_crate = |folder: &&str| match folder.split('/').collect::<Vec<_>>()[..] {
        [name] => ["cli", "codegen", "macros"].contains(&name),
        [layer, _] => ["contract", "protocols", "runtime"].contains(&layer),
        _ => false,
    };
    let files = files();
    let folders = files.iter().filter_map(|path| path.strip_suffix("/Cargo.toml"));
    folders.filter(is_folder_of_a_crate).map(str::to_owned).collect()
}

#[test]
fn the_first_pages_are_short() {
    for (page, limit) in [("README.md", MAX_README), ("ARCHITECTURE.md", MAX_ARCHITECTURE)] {
        let bytes = text(page).unwrap().len();
        assert!(bytes <= limit, "{page} has {bytes} bytes, more than {limit}: move details to docs/ or into a crate");
    }
}

#[test]
fn every_crate_is_on_the_map() {
    let map = text("ARCHITECTURE.md").unwrap();
    let rows = map.split("\n## Crates\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let crates = crates();
    assert!(crates.len() > 20, "{crates:?}");
    for folder in crates.iter().filter(|folder| *folder != "cli") {
        assert!(rows.lines().any(|row| row.starts_with("| `") && row.contains(&format!("`{folder}`"))), "{folder}");
    }
    // The folders of the root have a row too.
    let folders = files().into_iter().filter_map(|path| Some(path.split_once('/')?.0.to_owned()));
    for folder in folders.filter(|folder| !folder.starts_with('.')) {
        assert!(map.contains(&format!("`{folder}/`")), "{folder}");
    }
}

/// The names of files and folders in a reading order: `` `parse/` `` and `` `table.rs` ``.
fn names(section: &str) -> Vec<&str> {
    let quoted = section.split('`').skip(1).step_by(2);
    quoted.filter(|name| name.ends_with('/') || name.ends_with(".rs")).collect()
}

/// A name without its folder is in a folder that the paragraph names, or beside a file that it names.
#[test]
fn every_place_of_a_usual_change_exists() {
    let map = text("ARCHITECTURE.md").unwrap();
    let changes = map.split("\n## Where to start\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let changes: Vec<&str> = changes.split("\n\n").filter(|paragraph| paragraph.starts_with("**")).collect();
    assert_eq!(changes.len(), 5);
    let mut places = 0;
    for change in changes {
        let named = names(change);
        let quoted = change.split('`').skip(1).step_by(2).map(|name| root().join(name));
        let folders =
            quoted.filter_map(|path| if path.is_dir() { Some(path) } else { Some(path.parent()?.to_owned()) });
        let folders: Vec<_> = folders.collect();
        for name in named {
            let exists = root().join(name).exists() || folders.iter().any(|folder| folder.join(name).exists());
            assert!(exists, "no {name}: {change}");
            places += 1;
        }
    }
    assert!(places > 30, "{places}");
}

#[test]
fn every_crate_has_a_reading_order() {
    for folder in crates() {
        let page = ["lib.rs", "main.rs"].map(|file| format!("{folder}/src/{file}"));
        let page = page.iter().find_map(|path| text(path)).unwrap();
        let lines = page.lines().map_while(|line| line.strip_prefix("//!"));
        let lines: Vec<&str> = lines.skip_while(|line| line.trim() != "# Reading order").collect();
        assert!(lines.len() > 3, "{folder} has no section `# Reading order` in the comment of its first file");
        assert!(lines.len() <= MAX_READING_ORDER, "{folder}: {} lines", lines.len());
        let section = lines.join("\n");
        let named = names(&section);
        for name in &named {
            let found = [format!("{folder}/src/{name}"), (*name).to_owned(), format!("{folder}/{name}")];
            assert!(found.iter().any(|path| root().join(path).exists()), "{folder} has no {name}");
        }
        let rooms = std::fs::read_dir(root().join(&folder).join("src")).unwrap().map(|entry| entry.unwrap());
        for room in rooms.filter(|entry| entry.file_type().unwrap().is_dir()) {
            let room = format!("{}/", room.file_name().into_string().unwrap());
            // CONTRIBUTING.md describes the codes of all crates.
            if room == "codes/" {
                continue;
            }
            assert!(named.iter().any(|name| name.starts_with(&room)), "the reading order of {folder} lacks {room}");
        }
    }
}

#[test]
fn every_crate_has_an_example_on_its_first_page() {
    for folder in crates().iter().filter(|folder| *folder != "cli") {
        let page = text(&format!("{folder}/src/lib.rs")).unwrap();
        let documented = page.lines().filter(|line| line.trim_start().starts_with("//"));
        let blocks = documented.filter(|line| line.contains("```")).count();
        assert!(blocks >= 2, "{folder} has no example on its first page");
    }
}

#[test]
fn every_test_that_the_map_names_exists() {
    let page = text("ARCHITECTURE.md").unwrap();
    let files = files();
    let sources: String = files.iter().filter(|p| p.ends_with(".rs")).filter_map(|path| text(path)).collect();
    let invariants = page.split("\n## Invariants\n").nth(1).unwrap();
    let mut rows = 0;
    for row in invariants.lines().filter(|line| line.starts_with("| ")).skip(1) {
        let tests = row.trim_end_matches(" |").rsplit("| ").next().unwrap();
        for name in tests.split('`').skip(1).step_by(2) {
            assert!(sources.contains(&format!("fn {name}(")), "no test `{name}`");
        }
        assert!(tests.contains('`'), "no test: {row}");
        rows += 1;
    }
    assert!(rows >= 15, "the table has {rows} invariants");
}
