//! GitHub, SARIF, JUnit and Markdown.

use serde_json::{Value, json};

use super::{COMPARE, changed, versions};
use crate::common::{Fleet, REVIEWER, loose};

const MANIFEST: &str = "agents/pr-reviewer/capabilities.yaml";

/// A repository with a breaking and a safe change of one agent, and without another one.
fn repository() -> Fleet {
    let fleet = Fleet::new(&["gone", "pr-reviewer"]);
    fleet.init();
    std::fs::remove_dir_all(fleet.path("agents/gone")).unwrap();
    fleet.write(MANIFEST, &changed());
    fleet
}

/// The fingerprints of the findings, in their order.
fn fingerprints(fleet: &Fleet, arguments: &str) -> Vec<String> {
    let document = fleet.run(&format!("{arguments} --format json")).json();
    let findings = document["findings"].as_array().unwrap().clone();
    findings.iter().map(|finding| finding["fingerprint"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn github_annotates_the_files_of_the_working_tree() {
    let fleet = repository();
    let run = fleet.run("diff --format github").ended(1);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{run:?}");
    let start = "::error file=agents/pr-reviewer/capabilities.yaml,line=17,endLine=17,col=27,endColumn=37,title=E0708::value \"high\" removed%0Aat: agent `pr-reviewer`";
    assert!(lines[0].starts_with(start), "{run:?}");
    assert!(lines[0].contains("%0Aold version: HEAD:agents/pr-reviewer/capabilities.yaml:17:27"), "{run:?}");
    assert!(lines[1].starts_with("::notice file=agents/pr-reviewer/capabilities.yaml,line=25"), "{run:?}");
    assert!(
        lines[2].starts_with("::error file=agents/gone/capabilities.yaml,title=E0701::capability removed"),
        "{run:?}"
    );
    // In a folder of the repository, the paths are still relative to its root.
    let output = fleet.command("diff --format github").current_dir(fleet.path("agents")).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), run.stdout);
}

#[test]
fn sarif_has_the_fingerprints_and_levels() {
    let fleet = repository();
    let log = fleet.run("diff --format sarif").ended(1).json();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let members = |name: &str| results.iter().map(|result| result[name].clone()).collect::<Vec<Value>>();
    assert_eq!(members("ruleId"), ["E0708", "N0703", "E0701"]);
    assert_eq!(members("level"), ["error", "note", "error"]);
    let expected: Vec<Value> = fingerprints(&fleet, "diff").iter().map(|text| json!({ "capgen/v2": text })).collect();
    assert_eq!(members("partialFingerprints"), expected);
    for result in results {
        let uri = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        assert!(uri.as_str().unwrap().starts_with("agents/"), "{result}");
        assert_eq!(result.get("relatedLocations"), None, "{result}");
    }
    let rule = &log["runs"][0]["tool"]["driver"]["rules"][1];
    assert!(rule["help"]["markdown"].as_str().unwrap().starts_with("# E0708"), "{rule}");
    // A file is a place that readers can open.
    let log = versions(REVIEWER, &changed()).run(&format!("{COMPARE} --format sarif")).ended(1).json();
    let related = &log["runs"][0]["results"][0]["relatedLocations"][0];
    assert_eq!(related["physicalLocation"]["artifactLocation"]["uri"], "old.yaml");
}

#[test]
fn junit_has_a_suite_for_each_agent_and_a_case_for_each_side() {
    let fleet = repository();
    let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="capgen diff" tests="6" failures="2" errors="0">
  <testsuite name="pr-reviewer" tests="3" failures="1" errors="0">
    <testcase name="review-pr request" classname="pr-reviewer">
      <failure message="E0708 breaking: value &quot;high&quot; removed" type="incompatible">E0708 breaking: value "high" removed
  at: /inputSchema/properties/severity/enum
  payload: {"prUrl":"","severity":"high"}
  violation: /severity: value not in enum ["low","med"]
  fingerprint: 0</failure>
    </testcase>
    <testcase name="review-pr response" classname="pr-reviewer">
      <system-out>N0703 safe: property `score` added
  at: /outputSchema/properties/score
  fingerprint: 1</system-out>
    </testcase>
    <testcase name="review-pr properties" classname="pr-reviewer"/>
  </testsuite>
  <testsuite name="gone" tests="3" failures="1" errors="0">
    <testcase name="ping request" classname="gone"/>
    <testcase name="ping response" classname="gone"/>
    <testcase name="ping properties" classname="gone">
      <failure message="E0701 breaking: capability removed" type="incompatible">E0701 breaking: capability removed
  at: (the capability)
  help: keep it until no caller uses it
  fingerprint: 2</failure>
    </testcase>
  </testsuite>
</testsuites>
"#;
    let mut expected = expected.to_owned();
    for (index, fingerprint) in fingerprints(&fleet, "diff").iter().enumerate() {
        expected = expected.replace(&format!("fingerprint: {index}<"), &format!("fingerprint: {fingerprint}<"));
    }
    assert_eq!(fleet.run("diff --format junit").ended(1).stdout, expected);
}

/// A manifest with a description.
fn described(description: &str) -> String {
    REVIEWER.replace("Review a GitHub pull request.", &serde_json::to_string(description).unwrap())
}

#[test]
fn every_format_shows_the_old_and_the_new_text_of_a_description() {
    let fleet = versions(&described("Reviews a request."), &described("Reviews a pull request of @team."));
    let run = |format: &str| {
        let run = fleet.run(&format!("{COMPARE} --format {format}")).ended(0);
        run.stdout + &run.stderr
    };
    let (old, new) = (r#"old text: "Reviews a request.""#, r#"new text: "Reviews a pull request of @team.""#);
    for format in ["human", "github"] {
        let shown = run(format);
        assert!(shown.contains(old) && shown.contains(new), "{shown}");
    }
    for format in ["junit", "sarif"] {
        let shown = run(format).replace("\\\"", "\"");
        assert!(shown.contains(old) && shown.contains(new), "{shown}");
    }
    let finding = fleet.run(&format!("{COMPARE} --format json")).json()["findings"][0].clone();
    assert_eq!(
        (&finding["old_text"], &finding["new_text"]),
        (&json!("Reviews a request."), &json!("Reviews a pull request of @team."))
    );
    let row = "the description changed at `/description`<br>old text: `\"Reviews a request.\"`<br>new text: `\"Reviews a pull request of @team.\"` |";
    assert!(run("markdown").contains(row), "{}", run("markdown"));
}

#[test]
fn texts_of_descriptions_cannot_break_out_of_any_format_and_are_cut_around_the_change() {
    let hostile = "`x` | **b** <img src=x> @team\n\n| a | b |\u{1b}[31m\u{202e}]]></failure>\r\n::error::x %0A";
    let fleet = versions(&described("a"), &described(hostile));
    for format in ["human", "github", "sarif", "junit", "markdown", "json"] {
        let run = fleet.run(&format!("{COMPARE} --format {format}")).ended(0);
        let shown = run.stdout + &run.stderr;
        assert!(!shown.contains(['\u{1b}', '\u{202e}', '\r']), "{format}: {shown}");
        assert!(
            !shown.lines().any(|line| line.starts_with("::error") || line.starts_with("| a |")),
            "{format}: {shown}"
        );
    }
    let markdown = fleet.run(&format!("{COMPARE} --format markdown")).stdout;
    assert!(!outside_of_code(&markdown.replace("<br>", "")).contains(['<', '@']), "{markdown}");
    let long = "word ".repeat(2000);
    let fleet = versions(&described(&format!("{long}old {long}")), &described(&format!("{long}new {long}")));
    let markdown = fleet.run(&format!("{COMPARE} --format markdown")).stdout;
    assert!(markdown.len() < 600 && markdown.contains("word old word"), "{markdown}");
}

#[test]
fn markdown_is_a_table_with_the_most_severe_change_first() {
    let expected = r#"### Contract changes: 2 breaking, 1 safe

| level | code | capability | side | change | payload |
|---|---|---|---|---|---|
| **breaking** | E0708 | pr-reviewer/review-pr | request | value "high" removed at `/inputSchema/properties/severity/enum` | `{"prUrl":"","severity":"high"}`<br>/severity\: value not in enum \["low","med"\] |
| **breaking** | E0701 | gone/ping |  | capability removed<br>keep it until no caller uses it |  |
| safe | N0703 | pr-reviewer/review-pr | response | property `score` added at `/outputSchema/properties/score` |  |

The least version bump for these changes: **major**.
"#;
    assert_eq!(repository().run("diff --format markdown").ended(1).stdout, expected);
    let equal = versions(REVIEWER, REVIEWER).run(&format!("{COMPARE} --format markdown")).ended(0).stdout;
    assert_eq!(equal, "### Contract changes: none\n\n");
}

/// A contract whose request has one value of an `enum`.
fn with_value(value: &str) -> String {
    let value = serde_json::to_string(value).unwrap().replace('\u{fffe}', "\\ufffe");
    loose("a").replace("name: ping }", &format!("name: ping, inputSchema: {{ enum: [{value}, x] }} }}"))
}

#[test]
fn names_and_values_of_contracts_cannot_break_out_of_any_format() {
    let hostile = [
        "a|b\\|c`d``e<img src=x onerror=y>&amp; @everyone [x](javascript:y) ![](z) https://evil.example www.evil.example **b**",
        "x\n| new | row |\n\n# heading\r\n---",
        "]]> </failure></testcase> <!-- & ' \" \u{1b}[31m \u{202e} \u{0} \u{fffe} \u{2028}",
        "::error file=x::y %0A",
        "`",
        "\\",
    ];
    for value in hostile {
        let fleet = versions(&with_value(value), &with_value("y"));
        let run = |format: &str| {
            let run = fleet.run(&format!("{COMPARE} --format {format}")).ended(1);
            assert_eq!(run.stderr, "", "{value:?}");
            run.stdout
        };
        let markdown = run("markdown");
        assert_eq!(markdown.lines().count(), 8, "{markdown}");
        for row in markdown.lines().filter(|line| line.starts_with("| ")) {
            // Bars that are not escaped separate cells. No cell contains code with a bar.
            let cells = row.replace("\\\\", "").replace("\\|", "").matches('|').count();
            assert_eq!(cells, 7, "{row}");
        }
        let text = markdown.replace("<br>", "").replace("<code>@</code>", "");
        assert!(!outside_of_code(&text).contains(['<', '@']), "{markdown}");
        assert!(!markdown.contains(['\u{1b}', '\u{202e}', '\0']), "{markdown:?}");
        let junit = run("junit");
        assert!(
            junit.chars().all(|c| c == '\n' || !c.is_control()) && !junit.contains(['\u{fffe}', '\u{202e}']),
            "{junit:?}"
        );
        assert_eq!(junit.matches("<testcase").count(), 3, "{junit}");
        assert_eq!(junit.matches("<failure ").count(), 1, "{junit}");
        assert!(
            junit.matches('&').count()
                == ["&amp;", "&lt;", "&gt;", "&quot;"].map(|e| junit.matches(e).count()).iter().sum::<usize>()
        );
        assert_eq!(run("github").lines().filter(|line| line.starts_with("::")).count(), run("github").lines().count());
        let document: Value = serde_json::from_str(&run("json")).unwrap();
        assert_eq!(document["findings"][0]["witness"], value);
    }
}

/// A Markdown text without its code spans, whose content has no backtick, and without escaped characters.
fn outside_of_code(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    let mut in_code = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' if !in_code => drop(chars.next()),
            '`' => in_code = !in_code,
            c if !in_code => out.push(c),
            _ => {}
        }
    }
    assert!(!in_code, "{text}");
    out
}
