//! The options of each subcommand are on the page that describes it, and the page has no others.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::string_slice, reason = "a test fails by panicking")]
#![cfg(all(feature = "amp-net", feature = "audit", feature = "dci", feature = "mcp", feature = "registry-nats"))]

use std::collections::BTreeSet;
use std::path::Path;

use crate::common::Fleet;

/// The pages that describe the options of a subcommand, beside its section in one of `SECTIONS`.
const MORE: [(&str, &[&str]); 4] = [
    ("import", &["docs/interop.md", "docs/mcp.md"]),
    ("export", &["docs/interop.md"]),
    ("docs", &["docs/site.md"]),
    ("audit", &["docs/audit.md"]),
];

/// The pages with a section for each subcommand.
const SECTIONS: [&str; 4] = ["docs/cli.md", "docs/cli-amp.md", "docs/cli-dci.md", "docs/cli-registry.md"];

fn page(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
    std::fs::read_to_string(path).unwrap().replace("\r\n", "\n")
}

/// The long options in a text.
fn options(text: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_ascii_lowercase() || c == '-';
    let mut found = BTreeSet::new();
    for (at, _) in text.match_indices("--") {
        let is_start = !text[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '-');
        let name: String = text[at + 2..].chars().take_while(|c| is_part(*c)).collect();
        if is_start && name.starts_with(|c: char| c.is_ascii_lowercase()) {
            found.insert(format!("--{}", name.trim_end_matches('-')));
        }
    }
    found
}

/// A subcommand: its path, such as `amp bundle create`, and its own options.
struct Subcommand {
    path: String,
    options: BTreeSet<String>,
}

/// Every subcommand without subcommands of its own, from the help pages.
fn subcommands(path: &str, found: &mut Vec<Subcommand>) {
    let help = Fleet::new(&[]).run(format!("{path} --help").trim()).ended(0).stdout;
    let listed = help.split_once("\nCommands:\n").map(|(_, rest)| rest.split("\n\n").next().unwrap());
    let names: Vec<&str> = listed
        .into_iter()
        .flat_map(str::lines)
        .filter_map(|line| {
            line.strip_prefix("  ")?.split(' ').next().filter(|name| !name.is_empty() && *name != "help")
        })
        .collect();
    for name in &names {
        subcommands(format!("{path} {name}").trim(), found);
    }
    if names.is_empty() {
        // The names of an option are separated from its meaning by two spaces.
        let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
        let own = lines.flat_map(|line| options(line.split("  ").next().unwrap()).into_iter().next());
        let options = own.filter(|option| option != "--help").collect();
        found.push(Subcommand { path: path.to_owned(), options });
    }
}

/// The sections about a subcommand, the start of the page of its group, and other sections that these refer to: `the
/// options of capgen dci resolve`.
fn described(path: &str) -> String {
    let mut text = String::new();
    let group = path.split(' ').next().unwrap();
    for name in SECTIONS {
        let page = page(name);
        let mut sections = page.split("\n## ");
        let start = sections.next().unwrap();
        if start.contains(&format!("# `capgen {group}`")) {
            // Subcommands of a group share options.
            text.push_str(start);
        }
        for section in sections {
            let heading = section.lines().next().unwrap();
            let names: Vec<&str> = heading.split('`').filter_map(|part| part.strip_prefix("capgen ")).collect();
            if names.iter().any(|name| path == *name || path.starts_with(&format!("{name} "))) {
                text.push_str(section);
                let others = section.split("options of `capgen ").skip(1).filter_map(|rest| rest.split('`').next());
                others.filter(|other| *other != path).for_each(|other| text.push_str(&described(other)));
            }
        }
    }
    for (name, pages) in MORE {
        if name == group {
            pages.iter().for_each(|more| text.push_str(&page(more)));
        }
    }
    text
}

fn all() -> Vec<Subcommand> {
    let mut all = Vec::new();
    subcommands("", &mut all);
    assert!(all.len() > 40, "{} subcommands", all.len());
    all
}

#[test]
fn every_option_is_on_the_page_of_its_subcommand() {
    let mut missing = Vec::new();
    for Subcommand { path, options: own } in all() {
        let on_page = options(&described(&path));
        missing.extend(own.difference(&on_page).map(|option| format!("{path} {option}")));
    }
    assert!(missing.is_empty(), "options without a description: {missing:#?}");
}

/// Options in the first column of a table belong to the subcommand of the section, or to one of its group.
#[test]
fn every_option_in_a_table_exists() {
    let all = all();
    let mut unknown = Vec::new();
    for name in SECTIONS {
        for section in page(name).split("\n## ").skip(1) {
            let heading = section.lines().next().unwrap();
            let Some(path) = heading.split('`').find_map(|part| part.strip_prefix("capgen ")) else { continue };
            let is_of =
                |subcommand: &&Subcommand| subcommand.path == path || subcommand.path.starts_with(&format!("{path} "));
            let known: BTreeSet<&String> =
                all.iter().filter(is_of).flat_map(|subcommand| &subcommand.options).collect();
            assert!(!known.is_empty() || !section.contains("| `--"), "{name}: no subcommand `{path}`");
            let rows = section.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
            for option in rows.filter(|cell| cell.starts_with("`--")).flat_map(options) {
                if !known.contains(&option) {
                    unknown.push(format!("{name}: {path} {option}"));
                }
            }
        }
    }
    assert!(unknown.is_empty(), "options that do not exist: {unknown:#?}");
}
