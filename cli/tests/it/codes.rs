//! The codes of all crates: each one has a page, a fixture and a unique number, and the examples on the pages are true.
#![cfg(feature = "dci")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use capgen_codegen::{Language, Options, output, public_items};
use capgen_dci::{Aliases, Mode, Probes, Skill, Warning, contract};
use capgen_diagnostic::{Code, Diagnostic};
use capgen_evolve::{Finding, Level, Levels, Settings, SourceChange, compare};
use capgen_interop::import::json_schema::Naming;
use capgen_interop::import::{Document, ImportSettings, a2a, json_schema, mcp, openapi};
use capgen_manifest::{AgentId, Fleet, Source, check_meaning, load, load_peer};

use crate::fix::mistakes;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The standard output of the binary.
fn capgen(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_capgen")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The folder with the codes of each crate that has any.
fn code_folders() -> Vec<PathBuf> {
    let folders = |path: &Path| fs::read_dir(path).into_iter().flatten().map(|entry| entry.unwrap().path());
    // Crates are at the root, or in a folder of it.
    let crates = folders(&workspace()).flat_map(|folder| folders(&folder).chain([folder.clone()]).collect::<Vec<_>>());
    let codes = crates.map(|folder| folder.join("src/codes")).filter(|codes| codes.join("mod.rs").is_file());
    codes.collect()
}

fn is_code(text: &str) -> bool {
    text.len() == 5 && text.starts_with(['E', 'W', 'N']) && text.bytes().skip(1).all(|b| b.is_ascii_digit())
}

/// The declared codes, each with the folder that declares it.
fn declared() -> Vec<(String, PathBuf)> {
    let mut declared = Vec::new();
    for folder in code_folders() {
        let text = fs::read_to_string(folder.join("mod.rs")).unwrap();
        let codes = text.split('"').skip(1).step_by(2).filter(|quoted| is_code(quoted));
        declared.extend(codes.map(|code| (code.to_owned(), folder.clone())));
    }
    declared
}

/// The text of each page, by code.
fn pages() -> BTreeMap<String, String> {
    let mut pages = BTreeMap::new();
    for folder in code_folders() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "md") {
                let code = path.file_stem().unwrap().to_str().unwrap().to_owned();
                pages.insert(code, fs::read_to_string(path).unwrap());
            }
        }
    }
    pages
}

#[test]
fn codes_are_unique_across_crates() {
    let mut seen = BTreeMap::new();
    for (code, folder) in declared() {
        if let Some(other) = seen.insert(code.clone(), folder.clone()) {
            panic!("{code} is declared in {} and in {}", other.display(), folder.display());
        }
    }
}

#[test]
fn every_code_has_a_page_in_its_crate_and_capgen_explains_it() {
    let declared = declared();
    for (code, folder) in &declared {
        assert!(folder.join(format!("{code}.md")).is_file(), "{code} has no page in {}", folder.display());
    }
    let declared: BTreeSet<String> = declared.into_iter().map(|(code, _)| code).collect();
    assert_eq!(pages().into_keys().collect::<BTreeSet<_>>(), declared, "a page has no code");
    let list = capgen(&["explain", "--list"]);
    let listed: Vec<&str> =
        list.lines().filter_map(|line| line.split_whitespace().next()).filter(|c| is_code(c)).collect();
    assert_eq!(listed, declared.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn pages_have_the_common_structure() {
    for (code, text) in pages() {
        assert!(text.starts_with(&format!("# {code}: ")), "{text}");
        // A note needs no fix.
        let headings = if code.starts_with('N') { &["Example"][..] } else { &["Wrong", "Fixed"] };
        assert!(headings.iter().all(|heading| text.contains(&format!("\n\n{heading}:\n\n```"))), "{text}");
        assert!(text.ends_with("```\n") && text.lines().all(|line| line.len() <= 200), "{text}");
    }
}

/// The notation and the text of the fenced block after `heading`.
fn block<'t>(text: &'t str, heading: &str) -> (&'t str, &'t str) {
    let rest = text.split_once(&format!("\n{heading}:\n\n```")).unwrap().1;
    let (notation, rest) = rest.split_once('\n').unwrap();
    (notation, rest.split_once("```\n").unwrap().0)
}

/// The findings of an example; `None` if it is a command or a folder, which this test cannot run.
fn findings((notation, text): (&str, &str), name: &str) -> Option<Vec<Diagnostic>> {
    match notation {
        "text" | VERSIONS => None,
        "yaml fleet" => {
            let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
            fs::create_dir_all(&root).unwrap();
            fs::write(root.join("fleet.yaml"), text).unwrap();
            Some(Fleet::open(&root).err().unwrap_or_default())
        }
        "contract" | "contract strict" => {
            let mode = if notation == "contract" { Mode::BestEffort } else { Mode::Strict };
            let problems = contract::read(text.trim_end_matches('\n'), mode).problems;
            Some(problems.into_iter().map(|problem| Diagnostic::new(problem.code, problem.message)).collect())
        }
        "json aliases" => {
            let finding = |warning: Warning| Diagnostic::new(warning.code, warning.message);
            let read = Aliases::load(None, Some(&Source::new("aliases.v1.json", text)));
            Some(read.map_or_else(|findings| findings, |(_, warnings)| warnings.into_iter().map(finding).collect()))
        }
        "json tools" | "json tools lossy" => {
            let document = Document::parse_json(&Source::new("tools.json", text)).unwrap();
            let tools = mcp::tools(
                &document,
                ImportSettings { lossy: notation == "json tools lossy", ..ImportSettings::default() },
            );
            let nothing =
                (tools.imported.entries == 0 && !tools.imported.has_errors()).then(|| tools.imported.nothing());
            Some(document.with_places(&tools.imported.findings).into_iter().chain(nothing).collect())
        }
        "yaml openapi" => {
            let document = Document::parse(&Source::new("openapi.yaml", text)).unwrap();
            let operations = openapi::operations(&document, ImportSettings::default());
            Some(document.with_places(&operations.imported.findings))
        }
        "json card" => {
            let document = Document::parse_json(&Source::new("card.json", text)).unwrap();
            Some(document.with_places(&a2a::skills(&document, ImportSettings::default()).imported.findings))
        }
        "json schema" => {
            let file = Document::parse_json(&Source::new("order.json", text)).unwrap();
            let document = Document::of_files(vec![("order.json".to_owned(), file)]);
            let schemas = json_schema::schemas(&document, ImportSettings::default(), &Naming::default());
            Some(document.with_places(&schemas.imported.findings))
        }
        "json probes" => Some(Probes::read(&Source::new("probes.v1.json", text)).err().unwrap_or_default()),
        "markdown" => {
            let source = Source::new("SKILL.md", text);
            let skill = Skill::read(&source, "search".to_owned(), capgen_dci::Source::WorkspaceLocal, PathBuf::new());
            Some(skill.map_or_else(|findings| findings, |skill| skill.warnings))
        }
        notation => {
            let source = Source::new(format!("capabilities.{notation}"), text);
            Some(load(&source).map_or_else(
                |findings| findings,
                |loaded| {
                    let types = output::check_types(&loaded, &Language::DEFAULT);
                    let mut findings =
                        loaded.warnings.iter().cloned().chain(types).chain(check_meaning(&loaded)).collect();
                    loaded.without_accepted(&mut findings, true);
                    findings
                },
            ))
        }
    }
}

fn codes(findings: &[Diagnostic]) -> BTreeSet<String> {
    findings.iter().map(|finding| finding.code.as_str().to_owned()).collect()
}

/// Checks that the example after `heading` on each page has the findings that `expected` returns for its code.
fn check_examples(heading: &str, expected: impl Fn(&str) -> BTreeSet<String>) {
    let wrong: Vec<String> = pages()
        .iter()
        .filter(|(code, _)| !code.starts_with('N'))
        .filter_map(|(code, text)| {
            let found = findings(block(text, heading), &format!("{code}-{heading}"))?;
            (codes(&found) != expected(code)).then(|| format!("{code}: {found:#?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_wrong_example_has_its_code_and_no_other() {
    check_examples("Wrong", |code| BTreeSet::from([code.to_owned()]));
}

#[test]
fn every_fixed_example_has_no_findings() {
    check_examples("Fixed", |_| BTreeSet::new());
}

/// The notation of an example with the capabilities of two versions of a contract.
const VERSIONS: &str = "yaml versions";

/// Whether the edits of findings with a code are certain, as its page says.
fn documented_fix(text: &str) -> &str {
    let (_, rest) = text.split_once("\n\nFix: ").unwrap_or_else(|| panic!("no line about a fix: {text}"));
    rest.split_once('\n').unwrap().0
}

/// The findings of the examples of all pages, and of [`mistakes`], that have suggestions.
fn findings_with_suggestions() -> Vec<Diagnostic> {
    let pages = pages();
    let wrong = pages.iter().filter(|(code, _)| !code.starts_with('N'));
    let examples = wrong.filter_map(|(code, text)| findings(block(text, "Wrong"), &format!("{code}-fix")));
    let certain = mistakes::CERTAIN.iter().map(|(mistake, _)| mistakes::manifest("a", mistake));
    let guesses = mistakes::NEEDS_REVIEW.iter().map(|mistake| mistakes::manifest("a", mistake));
    let manifests = certain.chain(guesses).chain(mistakes::WHOLE.iter().map(|text| (*text).to_owned()));
    let yaml = manifests.filter_map(|text| findings(("yaml", &text), "mistake"));
    let text = mistakes::manifest("a", "");
    let other = load_peer(&Source::new("capabilities.yaml", text), &AgentId::new("b").unwrap()).unwrap_err();
    let comma = findings(("json", "{\"version\": 1,}"), "comma");
    let fleet = findings(("yaml fleet", "agents: [{ id: agent://a, path: a }]"), "fleet-id");
    let all = examples.chain(yaml).chain([other]).chain(comma).chain(fleet).flatten();
    all.filter(|finding| !finding.suggestions.is_empty()).collect()
}

#[test]
fn each_page_says_whether_the_edits_of_its_findings_are_certain() {
    let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let all = findings_with_suggestions();
    for finding in &all {
        found.entry(finding.code.as_str()).or_default().insert(finding.applicability().unwrap().name());
    }
    let wrong: Vec<String> = pages()
        .iter()
        .filter_map(|(code, text)| {
            let kinds: Vec<&str> = found.get(code.as_str()).into_iter().flatten().copied().collect();
            let expected = match kinds.as_slice() {
                [] => "none",
                ["certain"] => "certain",
                ["needs-review"] => "needs review",
                _ => "certain or needs review",
            };
            let documented = documented_fix(text);
            (documented != expected).then(|| format!("{code}: the page says {documented}, the findings {expected}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The two versions of an example are the capabilities of this contract.
const HEADER: &str = "\
version: 1
agent: agent://shop
transports:
  - kind: memory
    topics: { requests: shop.requests }
";

/// The changes between the two versions of an example; `None` if the example has another notation.
fn changes((notation, text): (&str, &str)) -> Option<Vec<Finding>> {
    let (old, new) =
        text.strip_prefix("--- # old\n").filter(|_| notation == VERSIONS)?.split_once("--- # new\n").unwrap();
    let [old, new] = [old, new].map(|capabilities| {
        let loaded = load(&Source::new("capabilities.yaml", format!("{HEADER}{capabilities}"))).unwrap();
        assert!(loaded.warnings.is_empty(), "{:#?}", loaded.warnings);
        loaded.manifest
    });
    let mut comparison = compare(&old, &new, Settings::default());
    let changes = public_items::changes(&old, &new, &Options::default());
    let changes: Vec<SourceChange> = changes.into_iter().map(source_change).collect();
    comparison.add_source_changes(&old, &new, &changes, &Levels::default());
    Some(comparison.findings)
}

const SOURCE_RULES: [Code; 2] =
    [capgen_evolve::codes::RUST_TYPES_CHANGED, capgen_evolve::codes::TYPESCRIPT_TYPES_CHANGED];

fn source_change(change: public_items::ItemChange) -> SourceChange {
    SourceChange {
        code: change.code,
        capability: change.capability,
        side: change.side,
        error: change.error,
        text: change.text,
        identity: change.identity,
    }
}

/// The codes of the findings that someone has to act on, for the page of a code. Most changes of payloads change types
/// too, so findings about types count only on their own pages.
fn notable<'f>(findings: &'f [Finding], page: &str) -> BTreeSet<&'f str> {
    let is_source = |code: &str| SOURCE_RULES.iter().any(|rule| rule.as_str() == code);
    let codes = findings.iter().filter(|f| f.level >= Level::Risky).map(|f| f.code.as_str());
    codes.filter(|code| is_source(page) || !is_source(code)).collect()
}

/// The codes whose examples are not two versions: it takes a large schema to end the budget of a comparison, and the
/// others are about the file of accepted findings.
const TEXT_RULES: [&str; 4] = ["E0726", "E0791", "W0791", "W0792"];

#[test]
fn every_rule_for_changes_has_an_example_with_its_finding() {
    let evolve = workspace().join("contract/evolve/src/codes");
    let codes: Vec<String> = declared()
        .into_iter()
        .filter(|(code, folder)| *folder == evolve && code.get(1..3) == Some("07"))
        .map(|(code, _)| code)
        .collect();
    assert!(codes.len() >= 43);
    let pages = pages();
    for code in codes.iter().filter(|code| !TEXT_RULES.contains(&code.as_str())) {
        let text = &pages[code];
        let level = match code.split_at(1).0 {
            "E" => &[Level::Breaking][..],
            "W" => &[Level::Risky],
            _ => &[Level::Safe, Level::Cosmetic],
        };
        let heading = if code.starts_with('N') { "Example" } else { "Wrong" };
        let found = changes(block(text, heading)).unwrap();
        let is_found = found.iter().any(|finding| finding.code.as_str() == code && level.contains(&finding.level));
        assert!(is_found, "{code}: {found:#?}");
        let expected = if code.starts_with('N') { BTreeSet::new() } else { BTreeSet::from([code.as_str()]) };
        assert_eq!(notable(&found, code), expected, "{code}: {found:#?}");
        if !code.starts_with('N') {
            let found = changes(block(text, "Fixed")).unwrap();
            assert_eq!(notable(&found, code), BTreeSet::new(), "{code}: {found:#?}");
        }
    }
}

/// `CAPGEN_UPDATE=1` writes the page.
#[test]
fn the_page_of_all_codes_is_up_to_date() {
    let path = workspace().join("docs/codes.md");
    let expected = capgen(&["explain", "--all"]);
    if std::env::var_os("CAPGEN_UPDATE").is_some() {
        fs::write(&path, &expected).unwrap();
    }
    let page = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(
        page == expected,
        "docs/codes.md is out of date: run `CAPGEN_UPDATE=1 cargo test -p capgen-cli --test it codes::`"
    );
}
