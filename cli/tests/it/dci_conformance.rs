//! The conformance cases of `protocols/dci/conformance`: `capgen dci` gives the expected reports, from every working
//! directory and in every locale.
//!
//! With `CAPGEN_UPDATE=1`, the test of the page writes it.
#![cfg(all(feature = "dci", unix))]
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Map, Value, json};
use tempfile::TempDir;

const NOW: &str = "2026-01-02T03:04:05Z";
/// The options whose values are paths.
const PATHS: [&str; 5] = ["--workspace", "--consumer", "--aliases", "--installed", "--mount"];
const PAGE: &str = "docs/dci-conformance.md";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn read(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The folders of a folder, sorted by name.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    found.sort_unstable();
    found
}

fn name(path: &Path) -> &str {
    path.file_name().unwrap().to_str().unwrap()
}

struct Case {
    section: String,
    name: String,
    folder: PathBuf,
    content: Value,
}

impl Case {
    fn text(&self, key: &str) -> &str {
        self.content[key].as_str().unwrap_or_else(|| panic!("{}: no {key}", self.folder.display()))
    }

    fn list(&self, key: &str) -> &[Value] {
        self.content[key].as_array().map_or(&[], Vec::as_slice)
    }

    /// The expected report; `None` if the input is invalid.
    fn expected(&self) -> Option<Value> {
        let path = self.folder.join("expected.json");
        path.exists().then(|| read(&path))
    }

    /// A copy of the case outside of this repository, with the folders and links that a repository cannot contain.
    fn copy(&self) -> TempDir {
        let copy = TempDir::new().unwrap();
        copy_folder(&self.folder, copy.path());
        for folder in self.list("git") {
            fs::create_dir(copy.path().join(folder.as_str().unwrap()).join(".git")).unwrap();
        }
        for link in self.list("links") {
            let path = copy.path().join(link["path"].as_str().unwrap());
            std::os::unix::fs::symlink(link["target"].as_str().unwrap(), path).unwrap();
        }
        copy
    }

    /// Runs the case in a working directory, with its paths below `base`.
    fn run(&self, base: &str, directory: &Path, locale: &str) -> (Option<i32>, Vec<u8>) {
        let mut capgen = Command::new(env!("CARGO_BIN_EXE_capgen"));
        capgen.current_dir(directory).env("LC_ALL", locale).stdin(Stdio::null());
        capgen.args(["dci", self.text("command")]);
        let mut is_path = false;
        for argument in self.list("args").iter().map(|argument| argument.as_str().unwrap()) {
            capgen.arg(if is_path { format!("{base}{argument}") } else { argument.to_owned() });
            is_path = PATHS.contains(&argument);
        }
        capgen.arg("--json");
        if self.text("command") == "resolve" {
            capgen.args(["--now", NOW]);
        }
        let output = capgen.output().unwrap();
        (output.status.code(), output.stdout)
    }
}

fn copy_folder(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir(&target).unwrap();
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// All cases, in the order of their paths.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for section in folders(&root().join("protocols/dci/conformance")) {
        for folder in folders(&section) {
            let content = read(&folder.join("case.json"));
            cases.push(Case { section: name(&section).to_owned(), name: name(&folder).to_owned(), folder, content });
        }
    }
    cases
}

/// The values as the comparison sees them: all numbers are binary64.
fn numbers(value: &Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64().unwrap()),
        Value::Array(values) => values.iter().map(numbers).collect(),
        Value::Object(map) => {
            map.iter().map(|(key, value)| (key.clone(), numbers(value))).collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}

/// The result of `parse` in the form of `expected.json`: no empty clauses, and numbers of tokens instead of their
/// texts.
fn parsed(mut found: Value) -> Value {
    if found["ok"] == false {
        return json!({"ok": false});
    }
    let map = found.as_object_mut().unwrap();
    map.remove("errors").unwrap();
    for key in ["invalid_tokens", "unknown_clauses"] {
        let count = map[key].as_array().unwrap().len();
        map.insert(key.to_owned(), json!(count));
    }
    let clauses = map["clauses"].as_object_mut().unwrap();
    clauses.retain(|_, values| *values != json!([]) && *values != json!({}));
    found
}

/// The report of a run without its id, which has 32 hexadecimal digits.
fn without_id(mut found: Value) -> Result<Value, String> {
    let id = found.as_object_mut().and_then(|map| map.remove("run_id")).unwrap_or_default();
    let digits = id.as_str().unwrap_or_default();
    let is_valid = digits.len() == 32 && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    if is_valid { Ok(found) } else { Err(format!("run_id: {id}")) }
}

/// The places in which two documents differ.
fn differences(found: &Value, expected: &Value, pointer: &str, out: &mut Vec<String>) {
    match (found, expected) {
        (Value::Object(a), Value::Object(b)) => {
            for key in a.keys().chain(b.keys()).collect::<BTreeSet<_>>() {
                differences(&found[key.as_str()], &expected[key.as_str()], &format!("{pointer}/{key}"), out);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                differences(a, b, &format!("{pointer}/{index}"), out);
            }
        }
        _ if found != expected => out.push(format!("{pointer}: {found} instead of {expected}")),
        _ => {}
    }
}

/// The problems of one run.
fn compare(case: &Case, status: Option<i32>, text: &[u8]) -> Vec<String> {
    let mut problems = Vec::new();
    let expected = case.content["exit"].as_i64();
    if status.map(i64::from) != expected {
        problems.push(format!("exit status {status:?} instead of {expected:?}"));
    }
    let Some(expected) = case.expected() else {
        if !text.is_empty() {
            problems.push("a report, although the input is invalid".to_owned());
        }
        return problems;
    };
    let found = serde_json::from_slice(text).map_err(|error| format!("not JSON: {error}"));
    let found =
        found.and_then(|found| if case.text("command") == "parse" { Ok(parsed(found)) } else { without_id(found) });
    match found {
        Ok(found) if numbers(&found) == numbers(&expected) => {}
        Ok(found) => differences(&numbers(&found), &numbers(&expected), "", &mut problems),
        Err(problem) => problems.push(problem),
    }
    problems
}

#[test]
fn every_case_gives_the_expected_report() {
    let cases = cases();
    assert!(cases.len() >= 150, "{}", cases.len());
    let mut failed = Vec::new();
    for case in &cases {
        let copy = case.copy();
        let (status, text) = case.run("", copy.path(), "C");
        let problems = compare(case, status, &text);
        if !problems.is_empty() {
            let (rule, description) = (case.text("rule"), case.text("description"));
            failed.push(format!("{}/{} ({rule}): {description}\n  {}", case.section, case.name, problems.join("\n  ")));
        }
    }
    assert!(failed.is_empty(), "{} cases differ:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn other_folders_working_directories_and_locales_give_the_same_bytes() {
    let elsewhere = TempDir::new().unwrap();
    for case in &cases() {
        let (first, second) = (case.copy(), case.copy());
        let here = case.run("", first.path(), "C");
        let absolute = case.run(&format!("{}/", second.path().display()), elsewhere.path(), "de_DE.UTF-8");
        let above = second.path().parent().unwrap();
        let relative = case.run(&format!("{}/", name(second.path())), above, "tr_TR.UTF-8");
        assert!(here == absolute && here == relative, "{}/{}", case.section, case.name);
    }
}

#[test]
fn the_values_that_show_a_rule_are_in_the_expected_report() {
    for case in &cases() {
        let case_name = format!("{}/{}", case.section, case.name);
        let expected = case.expected();
        let shows = case.content.get("shows").and_then(Value::as_object);
        assert_eq!(shows.is_some(), expected.is_some(), "{case_name}");
        for (pointer, value) in shows.into_iter().flatten() {
            let found = expected.as_ref().and_then(|report| report.pointer(pointer));
            assert_eq!(found.map(numbers), Some(numbers(value)), "{case_name}{pointer}");
        }
    }
}

/// `01-some-rules` as a heading.
fn heading(section: &str) -> String {
    let words = section.split_once('-').unwrap().1.replace('-', " ");
    let mut letters = words.chars();
    let first = letters.next().unwrap().to_ascii_uppercase();
    format!("{first}{}", letters.as_str())
}

/// A text in a cell of a table, in which Markdown has no effect outside of code.
fn cell(text: &str) -> String {
    let escape = |part: (usize, &str)| {
        let text = part.1.replace('|', "\\|");
        if part.0 % 2 == 1 { text } else { text.replace('*', "\\*").replace('_', "\\_").replace('<', "\\<") }
    };
    text.split('`').enumerate().map(escape).collect::<Vec<_>>().join("`")
}

/// The page that lists all cases.
fn page(cases: &[Case]) -> String {
    let mut text = format!(
        "# Conformance cases\n\n\
         The {} cases of [`protocols/dci/conformance/`](../protocols/dci/conformance/README.md) show the rules of DCI/1, one rule each. The description of a case explains why its \
         expected report follows from the rule. `cargo run -p xtask -- regen` writes this page.\n",
        cases.len()
    );
    let mut section = "";
    for case in cases {
        if section != case.section {
            section = &case.section;
            text.push_str(&format!("\n## {}\n\n| case | rule | description |\n|---|---|---|\n", heading(section)));
        }
        let (name, rule) = (&case.name, cell(case.text("rule")));
        let description = cell(case.text("description"));
        text.push_str(&format!(
            "| [{name}](../protocols/dci/conformance/{section}/{name}/case.json) | {rule} | {description} |\n"
        ));
    }
    text
}

#[test]
fn the_page_lists_every_case() {
    let path = root().join(PAGE);
    let text = page(&cases());
    if std::env::var_os("CAPGEN_UPDATE").is_some_and(|value| value == "1") {
        fs::write(&path, &text).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(found == text, "{PAGE} is out of date; run `cargo run -p xtask -- regen`");
}

#[test]
fn the_runner_for_other_programs_finds_differences() {
    let run = |program: &[&str]| {
        let mut python = Command::new("python3");
        python
            .arg(root().join("protocols/dci/conformance/run.py"))
            .args(["--cases", "13-history/"])
            .args(program)
            .output()
    };
    let Ok(passed) = run(&[env!("CARGO_BIN_EXE_capgen"), "dci"]) else { return eprintln!("skipped: no python3") };
    let text = String::from_utf8_lossy(&passed.stdout).into_owned();
    assert!(passed.status.success() && text.ends_with(" cases, 0 failed\n"), "{text}");
    let failed = run(&["true"]).unwrap();
    let text = String::from_utf8_lossy(&failed.stdout).into_owned();
    assert_eq!(failed.status.code(), Some(1), "{text}");
    assert!(text.contains("FAILED 13-history/stored-rate (local reliability multiplier): "), "{text}");
}
