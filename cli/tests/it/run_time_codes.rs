//! The codes that programs report while they run: each one that the sources contain has a page, and the pages quote
//! real messages.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::Fleet;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The texts of the sources of some crates, without their tests.
fn sources(crates: &[&str]) -> Vec<(PathBuf, String)> {
    let mut open: Vec<PathBuf> = crates.iter().map(|name| workspace().join(name).join("src")).collect();
    let mut sources = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "ts") {
                let text = fs::read_to_string(&path).unwrap();
                sources.push((path, text));
            }
        }
    }
    assert!(!sources.is_empty());
    sources
}

/// The page of a code.
fn page(code: &str) -> Option<String> {
    let run = Fleet::new(&[]).run(&format!("explain {code}"));
    (run.status == 0).then_some(run.stdout)
}

/// The headings of the pages: the system and the names of each code.
fn headings() -> Vec<String> {
    let list = Fleet::new(&[]).run("explain --list").ended(0).stdout;
    let headings = list.lines().filter_map(|line| Some(line.split_once("  ")?.0.to_owned()));
    let headings: Vec<String> = headings.skip_while(|heading| heading.len() == 5).collect();
    assert_eq!(headings.first().map(String::as_str), Some("EAGENTRPC_TIMEOUT"));
    headings
}

/// Fails unless the codes have pages, and no other code of the system has one.
fn assert_explained(system: &str, codes: BTreeSet<String>) {
    let named =
        |heading: &str| heading.split(' ').filter(|word| *word != system).map(str::to_owned).collect::<Vec<_>>();
    let is_of = |heading: &&String| match system {
        "" => !heading.contains(' '),
        _ => heading.starts_with(&format!("{system} ")),
    };
    let explained: BTreeSet<String> = headings().iter().filter(is_of).flat_map(|heading| named(heading)).collect();
    assert_eq!(explained, codes);
}

#[test]
fn every_code_of_calls_in_the_sources_has_a_page() {
    let mut codes = BTreeSet::new();
    for (_, text) in sources(&[
        "runtime/call",
        "codegen",
        "protocols/mcp",
        "runtime/nats",
        "runtime/capgen",
        "protocols/amp",
        "cli",
        "runtime/audit",
        "runtime/payload",
    ]) {
        let words = text.split(|c: char| !c.is_ascii_uppercase() && c != '_');
        let is_code = |word: &&str| {
            let prefixes = ["EAGENTRPC_", "EVERSION_"];
            let is_call = prefixes.iter().any(|prefix| word.strip_prefix(prefix).is_some_and(|rest| !rest.is_empty()));
            // Other words with this start are names of constants.
            is_call || (word.starts_with("MCP_") && text.contains(&format!("\"{word}\"")))
        };
        codes.extend(words.filter(is_code).map(str::to_owned));
    }
    assert_explained("", codes);
}

#[cfg(feature = "amp")]
#[test]
fn every_code_of_amp_has_a_page() {
    let codes = capgen_amp::Code::ALL.into_iter();
    assert_explained("AMP", codes.flat_map(|code| [code.number().to_string(), code.name().to_owned()]).collect());
}

/// The arms of the functions that write reasons, such as `Self::Quota => "quota"`, and the reasons of damaged logs,
/// which serde names.
#[test]
fn every_reason_of_the_registry_has_a_page() {
    let mut reasons: BTreeSet<String> = ["json", "timeout"].map(str::to_owned).into();
    let registry = sources(&["protocols/registry"]);
    let text = |end: &str| &registry.iter().find(|(path, _)| path.ends_with(end)).unwrap().1;
    for (file, function) in [
        ("event/check.rs", "pub const fn as_str(self)"),
        ("log/mod.rs", "pub const fn reason(&self)"),
        ("registry/resolve.rs", "pub const fn as_str(self)"),
    ] {
        let (_, body) = text(file).split_once(function).unwrap();
        let (body, _) = body.split_once("\n    }\n").unwrap();
        let found: Vec<&str> = body.split('"').skip(1).step_by(2).collect();
        assert!(found.len() >= 4, "{file}: {found:?}");
        reasons.extend(found.into_iter().map(str::to_owned));
    }
    let (_, damage) = text("log/mod.rs").split_once("pub enum BrokenReason {").unwrap();
    let (damage, _) = damage.split_once("\n}").unwrap();
    let variants = damage.lines().filter_map(|line| line.trim().strip_suffix(','));
    reasons.extend(variants.map(str::to_lowercase));
    assert_explained("registry", reasons);
}

#[test]
fn pages_of_run_time_codes_have_the_common_structure() {
    for heading in headings() {
        let page = page(&heading).unwrap();
        assert!(page.starts_with(&format!("# {heading}: ")), "{page}");
        let parts = ["\n\nExample: ", "\n\n```text\n", "\n```\n\nFix: "];
        let places: Vec<usize> =
            parts.iter().map(|part| page.find(part).unwrap_or_else(|| panic!("{part:?}: {page}"))).collect();
        assert!(places.is_sorted() && page.ends_with(".\n") && page.lines().all(|line| line.len() <= 200), "{page}");
        // The meaning and the reason, between the heading and the example.
        assert!(places.first().unwrap() - page.find('\n').unwrap() > 60, "{page}");
    }
}

/// The parts of a message that are the same in every message of its kind: not the names in backticks, no sides and no
/// numbers.
fn fixed_parts(message: &str) -> Vec<String> {
    let message = message.replace("request", "`request`").replace("response", "`response`");
    let quoted = message.split('`').step_by(2);
    let parts = quoted.flat_map(|part| part.split(|c: char| c.is_ascii_digit()));
    let parts = parts.flat_map(|part| part.split(": ")).map(|part| part.trim_matches([' ', '.', ';', ',']).to_owned());
    parts.filter(|part| part.len() >= 8).collect()
}

#[test]
fn the_messages_on_the_pages_are_those_of_the_sources() {
    let sources = sources(&["runtime/call", "codegen", "protocols/mcp", "protocols/amp", "contract/evolve"]);
    let mut checked = 0;
    for heading in headings() {
        let page = page(&heading).unwrap();
        let (_, example) = page.split_once("```text\n").unwrap();
        let (example, _) = example.split_once("\n```").unwrap();
        let code = heading.trim_start_matches("AMP ");
        // The text of a tool is its author's.
        let Some(message) = example.strip_prefix(&format!("{code}: ")).filter(|_| code != "MCP_TOOL_FAILED") else {
            assert!(heading.starts_with("registry ") || code == "MCP_TOOL_FAILED", "{page}");
            continue;
        };
        for part in fixed_parts(message) {
            assert!(sources.iter().any(|(_, text)| text.contains(&part)), "no source contains {part:?}: {page}");
            checked += 1;
        }
    }
    assert!(checked > 20, "{checked}");
}

#[test]
fn reports_of_the_registry_on_the_pages_have_the_reason() {
    for heading in headings().iter().filter(|heading| heading.starts_with("registry ")) {
        let page = page(heading).unwrap();
        let (_, example) = page.split_once("```text\n").unwrap();
        let (example, _) = example.split_once("\n```").unwrap();
        if !example.starts_with("capgen registry ") {
            let report: serde_json::Value = serde_json::from_str(example).unwrap();
            let reason = format!("\"reason\":\"{}\"", heading.trim_start_matches("registry "));
            assert!(report.to_string().contains(&reason), "{page}");
        }
    }
}

#[test]
fn a_name_that_several_systems_have_prints_each_page() {
    let fleet = Fleet::new(&[]);
    let lines = |arguments: &str| {
        let run = fleet.run(arguments).ended(0);
        run.stdout.lines().filter(|line| line.starts_with("# ")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        lines("explain schema-violation"),
        [
            "# AMP 4004 SCHEMA_VIOLATION: the parameters violate the input schema",
            "# registry schema-violation: the output of an invocation violates the contract",
        ]
    );
    for arguments in ["explain 4004", "explain AMP 4004", "explain amp schema_violation"] {
        assert_eq!(lines(arguments).len(), 1, "{arguments}");
    }
    let unknown = fleet.run("explain EAGENTRPC_TIMEOT").ended(1).stderr;
    assert!(unknown.contains("did you mean `EAGENTRPC_TIMEOUT`?"), "{unknown}");
    assert!(fleet.run("explain 4040").ended(1).stderr.contains("there is no code \"4040\""));
}
