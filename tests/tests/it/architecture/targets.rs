//! Only the table of languages and the folders of the targets know which languages there are.

use std::collections::BTreeSet;

use capgen_codegen::Language;

use crate::architecture::code;
use crate::architecture::repository::{files, text};

/// The table, and the folder of each target.
const TARGETS: [&str; 3] = ["codegen/src/language.rs", "codegen/src/rust/", "codegen/src/typescript/"];

#[test]
fn only_the_table_and_the_targets_name_a_language() {
    let is_product = |name: &String| name.starts_with("codegen/src/") || name.starts_with("cli/src/");
    let others =
        files().into_iter().filter(|name| is_product(name) && !TARGETS.iter().any(|own| name.starts_with(own)));
    let mut seen = 0;
    for name in others.filter(|name| name.ends_with(".rs")) {
        // Tests of the interior may use a language as a sample.
        if name.contains("/tests") || name == "codegen/src/target/outline.rs" {
            continue;
        }
        seen += 1;
        for (line, code) in code(&text(&name).unwrap()) {
            // `dci graph` has languages of its own, for diagrams.
            let named =
                ["Language::Rust", "Language::TypeScript", "Language::JavaScript", "Language::CommonJs", "is_rust"];
            let found = named.iter().find(|named| code.contains(**named));
            assert_eq!(found, None, "{name}:{line}: {code}");
        }
    }
    assert!(seen > 100, "{seen} files");
}

#[test]
fn a_target_does_not_use_another_one() {
    for (own, other) in [("rust", "typescript"), ("typescript", "rust")] {
        let folder = format!("codegen/src/{own}/");
        for name in files().into_iter().filter(|name| name.starts_with(&folder) && name.ends_with(".rs")) {
            let used = format!("crate::{other}");
            assert!(code(&text(&name).unwrap()).iter().all(|(_, line)| !line.contains(&used)), "{name}");
        }
    }
}

/// The words between the separators of a list.
fn listed<'t>(page: &'t str, start: &str, end: &str, separator: &str) -> BTreeSet<&'t str> {
    let (_, rest) = page.split_once(start).unwrap_or_else(|| panic!("{start}"));
    let (list, _) = rest.split_once(end).unwrap();
    list.split(separator).map(|word| word.trim_matches(['"', ' '])).collect()
}

#[test]
fn pages_and_packages_list_every_language() {
    let names: BTreeSet<&str> = Language::ALL.iter().map(|language| language.name()).collect();
    let page = text("docs/cli.md").unwrap();
    assert_eq!(listed(&page, "`--lang <", ">`", "\\|"), names);
    let declarations = text("cli/npm/cli/lib/index.d.ts").unwrap();
    assert_eq!(listed(&declarations, "export type Language = ", ";", "|"), names);
    for alias in Language::ALL.iter().flat_map(|language| language.aliases()) {
        assert!(page.contains(&format!("`{alias}`")), "{alias}");
    }
    for extension in Language::ALL.iter().flat_map(|language| language.extensions()) {
        assert!(
            page.contains(&format!("`<out>/<id>.{extension}`")) || page.contains(&format!("`.{extension}`")),
            "{extension}"
        );
    }
}
