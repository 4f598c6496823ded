//! The four formats of a finding.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_diagnostic::{Code, Diagnostic, Hidden, Severity, Source, render};

const ERROR: Code = Code::new("E0201");
const OTHER_ERROR: Code = Code::new("E0301");
const WARNING: Code = Code::new("W0201");
const NOTE: Code = Code::new("N0701");

fn finding(text: &str, at: &str) -> Diagnostic {
    let source = Source::new("agents/shop/capabilities.yaml", text);
    let start = text.find(at).unwrap();
    Diagnostic::new(ERROR, "unknown key `x`").at(&source, start..start + at.len(), "not known")
}

/// A finding about two members of the same name.
fn duplicate(text: &str, key: &str) -> Diagnostic {
    let source = Source::new("f.yaml", text);
    let (first, again) = (text.find(key).unwrap(), text.rfind(&format!("\n{key}:")).unwrap() + 1);
    let finding = Diagnostic::new(ERROR, format!("duplicate key `{key}`"));
    finding.at(&source, again..again + key.len(), "again here").at(&source, first..first + key.len(), "first here")
}

fn human(finding: Diagnostic) -> String {
    render::human(&[finding], false)
}

#[test]
fn human_output_has_the_snippet_the_notes_and_the_help() {
    let finding = finding("a: 1\r\nb:\r\n\tnullable: true\r\n", "nullable")
        .note("at: capability `review-pr`, inputSchema, /properties/prUrl")
        .help("write `type: [string, \"null\"]`");
    assert_eq!(
        human(finding),
        "\
error[E0201]: unknown key `x`
 --> agents/shop/capabilities.yaml:3:2
  |
3 |     nullable: true
  |     ^^^^^^^^ not known
  |
  = at: capability `review-pr`, inputSchema, /properties/prUrl
  = help: write `type: [string, \"null\"]`
"
    );
}

#[test]
fn a_finding_without_a_label_has_no_empty_line() {
    let finding = || Diagnostic::new(OTHER_ERROR, "no agent |").note("tried `a`").help("did you mean `b`?");
    let expected = "error[E0301]: no agent |\n = tried `a`\n = help: did you mean `b`?\n";
    assert_eq!(human(finding()), expected);
    let colored = render::human(&[finding()], true);
    assert_eq!(colored.lines().count(), 3, "{colored:?}");
}

#[test]
fn marks_are_aligned_below_wide_characters() {
    let text = human(finding("漢字: 😀 x", "x"));
    assert!(text.contains(":1:7\n") && text.contains("漢字: 😀 x\n  |          ^ not known"), "{text}");
}

#[test]
fn labels_share_a_snippet_if_they_are_near() {
    let found = |gap: usize| human(duplicate(&format!("a: 1\n{}a: 2\n", "# gap\n".repeat(gap)), "a"));
    assert_eq!(
        found(1),
        "\
error[E0201]: duplicate key `a`
 --> f.yaml:3:1
  |
1 | a: 1
  | - first here
2 | # gap
3 | a: 2
  | ^ again here
"
    );
    assert_eq!(
        found(100),
        "\
error[E0201]: duplicate key `a`
   --> f.yaml:102:1
    |
102 | a: 2
    | ^ again here
    |
   ::: f.yaml:1:1
    |
  1 | a: 1
    | - first here
"
    );
}

#[test]
fn spans_are_clamped() {
    let text = "one: é\ntwo\n";
    let source = Source::new("f", text);
    let shown = |span| human(Diagnostic::new(ERROR, "m").at(&source, span, "here"));
    // Ends inside a character, spans two lines, is empty at the end, starts beyond the end, is reversed.
    for (span, place, line) in [
        (5..6, "f:1:6", "1 | one: é\n  |      ^"),
        (0..11, "f:1:1", "1 | one: é\n  | ^^^^^^ here"),
        (12..12, "f:3:1", "3 |\n  | ^ here"),
        (90..99, "f:3:1", "3 |\n  | ^ here"),
        (std::ops::Range { start: 3, end: 1 }, "f:1:4", "1 | one: é\n  |    ^ here"),
    ] {
        let text = shown(span.clone());
        assert!(text.contains(place) && text.contains(line), "{span:?}\n{text}");
    }
}

#[test]
fn a_long_line_is_cut_around_its_mark() {
    let text = human(finding(&format!("{}@{}", "é".repeat(500_000), "z".repeat(500_000)), "@"));
    assert!(text.len() < 1_000 && text.contains("yaml:1:500001\n") && text.contains("é@z"), "{text}");
}

#[test]
fn untrusted_text_is_escaped_in_every_format() {
    let text = "a: \u{1b}[31m\u{202e}\u{9b}x\n";
    let mut finding = finding(text, "x").note("at: \u{1b}]0;t\u{7}").help("\u{202e}\n::error::x");
    finding.message = "\u{1b}[2J\r\n::warning::".into();
    finding.labels[0].source = Source::new("\u{1b}[1m", text);
    let mut finding = finding.at(&Source::new("\u{9b}other", text), 0..1, "\u{202e}");
    finding = finding.suggest(&Source::new("\u{9b}other", text), 0..1, "\u{1b}[31m");
    let all = [finding];
    for shown in [render::human(&all, false), render::json_lines(&all), render::github(&all), render::sarif(&all)] {
        assert!(shown.chars().all(|c| c == '\n' || !(c.is_control() || c == '\u{202e}')), "{shown:?}");
    }
    assert_eq!(render::github(&all).lines().count(), 1);
    assert!(render::human(&all, false).contains("1 | a: \\u{1b}[31m\\u{202e}\\u{9b}x\n"));
    assert!(render::human(&all, true).starts_with("\u{1b}["));
}

/// Hides text in angle brackets, and the word `hunter2` in messages.
fn hide(source: &Source) -> Hidden {
    let text = source.text();
    let end = |at: usize| text.get(at..).and_then(|rest| rest.find('>')).map_or(text.len(), |end| at + end + 1);
    let spans = text.match_indices('<').map(|(at, _)| at..end(at));
    Hidden::new(text, spans, vec!["hunter2".to_owned()])
}

#[test]
fn hidden_parts_are_masked_and_the_rest_of_the_line_is_shown() {
    let source = Source::new("a.yaml", "a: <hunter2>, b: <x\n  y> # z\n");
    source.hide_with(hide);
    let finding = |span| Diagnostic::new(ERROR, "wrong").at(&source, span, "here");
    // On a mask, behind one, inside one, in the second line of one.
    for (span, place, line) in [
        (3..12, "a.yaml:1:4", "1 | a: ***, b: ***\n  |    ^^^ here"),
        (14..15, "a.yaml:1:15", "1 | a: ***, b: ***\n  |         ^ here"),
        (5..6, "a.yaml:1:6", "1 | a: ***, b: ***\n  |    ^ here"),
        (26..27, "a.yaml:2:7", "2 |   *** # z\n  |        ^ here"),
    ] {
        let text = human(finding(span.clone()));
        assert!(text.contains(place) && text.contains(line), "{span:?}\n{text}");
    }
    let long = format!("{}<hunter2 {}>{}", "x".repeat(500), "y".repeat(500), "z".repeat(500));
    let source = Source::new("a.yaml", long);
    source.hide_with(hide);
    for at in [0, 440, 490, 499, 500, 505, 800, 1008, 1009, 1020, 1200] {
        let text = human(Diagnostic::new(ERROR, "wrong").at(&source, at..at + 1, ""));
        assert!(!text.contains("yy") && text.contains(&format!("a.yaml:1:{}\n", at + 1)), "{at}\n{text}");
    }
}

#[test]
fn messages_and_edits_quote_nothing_hidden_in_any_format() {
    let source = Source::new("a.yaml", "a: <hunter2>\n");
    source.hide_with(hide);
    let finding =
        Diagnostic::new(ERROR, "not `hunter2`").at(&source, 3..12, "hunter2").note("hunter2").help("hunter2?");
    let finding = finding.pointer("/hunter2").suggest(&source, 3..12, "\"hunter2\"");
    let all = [finding];
    for text in [
        render::human(&all, false),
        render::json_lines(&all),
        render::github(&all),
        render::sarif(&all),
        render::message(&all[0]),
    ] {
        assert!(text.contains("not `***`") && !text.contains("hunter2"), "{text}");
    }
}

#[test]
fn json_has_one_object_per_line() {
    let placed = finding("é:\n  x: 1\n", "x").pointer("/é/x").note("at: here").help("remove \"it\"");
    let source = placed.labels[0].source.clone();
    let all = [placed.at(&source, 0..2, "in this"), Diagnostic::new(OTHER_ERROR, "no fleet")];
    assert_eq!(
        render::json_lines(&all),
        concat!(
            r#"{"code":"E0201","severity":"error","message":"unknown key `x`","path":"agents/shop/capabilities.yaml","#,
            r#""line":2,"column":3,"endLine":2,"endColumn":4,"label":"not known","#,
            r#""related":[{"path":"agents/shop/capabilities.yaml","line":1,"column":1,"endLine":1,"endColumn":2,"label":"in this"}],"#,
            r#""pointer":"/é/x","notes":["at: here"],"help":"remove \"it\""}"#,
            "\n",
            r#"{"code":"E0301","severity":"error","message":"no fleet"}"#,
            "\n",
        )
    );
}

#[test]
fn github_annotates_the_primary_place() {
    let mut finding = finding("é:\n  x: 1\n", "x").help("remove it: 100%, really");
    finding.labels[0].source = Source::new("a,b:c%.yaml", "é:\n  x: 1\n");
    assert_eq!(
        render::github(&[finding, Diagnostic::new(WARNING, "m")]),
        "::error file=a%2Cb%3Ac%25.yaml,line=2,endLine=2,col=3,endColumn=4,title=E0201::unknown key `x`%0Ahelp: remove it: \
         100%25, really\n::warning title=W0201::m\n"
    );
}

#[test]
fn every_format_shows_the_severity_of_a_code() {
    for (code, severity, github) in
        [(ERROR, "error", "error"), (WARNING, "warning", "warning"), (NOTE, "note", "notice")]
    {
        assert_severity(&Diagnostic::new(code, "m"), severity, github);
        let log: serde_json::Value = serde_json::from_str(&render::sarif(&[Diagnostic::new(code, "m")])).unwrap();
        assert_eq!(log["runs"][0]["tool"]["driver"]["rules"][0]["defaultConfiguration"]["level"], severity);
    }
}

#[test]
fn every_format_shows_the_severity_of_a_finding_if_it_differs_from_its_code() {
    for code in [ERROR, WARNING, NOTE] {
        for (severity, name, github) in [
            (Severity::Error, "error", "error"),
            (Severity::Warning, "warning", "warning"),
            (Severity::Note, "note", "notice"),
        ] {
            let finding = Diagnostic::new(code, "m").with_severity(severity);
            assert_eq!(finding.severity(), severity);
            assert_severity(&finding, name, github);
        }
    }
}

/// Checks the severity of a finding in all four formats; GitHub has its own names.
fn assert_severity(finding: &Diagnostic, name: &str, github: &str) {
    let all = std::slice::from_ref(finding);
    let code = finding.code.as_str();
    assert_eq!(render::human(all, false), format!("{name}[{code}]: m\n"));
    let json: serde_json::Value = serde_json::from_str(&render::json_lines(all)).unwrap();
    assert_eq!(json.get("severity").unwrap(), name);
    assert_eq!(render::github(all), format!("::{github} title={code}::m\n"));
    let log: serde_json::Value = serde_json::from_str(&render::sarif(all)).unwrap();
    assert_eq!(log.pointer("/runs/0/results/0/level").unwrap(), name);
}

#[test]
fn sarif_has_the_rule_the_place_and_the_level() {
    let mut finding = finding("é:\n  x: 1\n", "x").pointer("/é/x");
    finding.labels[0].source = Source::new("a b/é:.yaml", "é:\n  x: 1\n");
    let log = render::sarif(&[Diagnostic::new(WARNING, "m"), finding]);
    let log: serde_json::Value = serde_json::from_str(&log).unwrap();
    let at = |pointer: &str| log.pointer(pointer).unwrap_or(&serde_json::Value::Null).to_string();
    for (pointer, expected) in [
        ("/version", r#""2.1.0""#),
        ("/runs/0/tool/driver/name", r#""capgen""#),
        ("/runs/0/tool/driver/rules/0/id", r#""E0201""#),
        ("/runs/0/results/0/level", r#""warning""#),
        ("/runs/0/results/0/ruleIndex", "1"),
        ("/runs/0/results/1/ruleId", r#""E0201""#),
        ("/runs/0/results/1/locations/0/physicalLocation/artifactLocation/uri", r#""a%20b/%C3%A9%3A.yaml""#),
        ("/runs/0/results/1/locations/0/physicalLocation/region/startColumn", "3"),
        ("/runs/0/results/1/locations/0/logicalLocations/0/fullyQualifiedName", r#""/é/x""#),
    ] {
        assert_eq!(at(pointer), expected, "{pointer}");
    }
}

/// A finding about two versions of a contract, with an edit of the new one.
fn in_two_files() -> Diagnostic {
    let old = Source::new("v1/capabilities.yaml", "name: a\ntype: string\nmaxLength: 10\n");
    let new = Source::new("v2/capabilities.yaml", "name: a\ntype: string\n\nmaxLength: 5\n");
    Diagnostic::new(ERROR, "`maxLength` is smaller than before")
        .at(&new, 33..34, "now 5")
        .at(&old, 32..34, "was 10")
        .at(&new, 6..7, "in this capability")
        .pointer("/maxLength")
        .help("keep the old limit")
        .suggest(&new, 33..34, "10")
}

#[test]
fn human_output_has_a_snippet_for_each_file_and_the_suggested_edit() {
    assert_eq!(
        human(in_two_files()),
        "\
error[E0201]: `maxLength` is smaller than before
 --> v2/capabilities.yaml:4:12
  |
1 | name: a
  |       - in this capability
...
4 | maxLength: 5
  |            ^ now 5
  |
 ::: v1/capabilities.yaml:3:12
  |
3 | maxLength: 10
  |            -- was 10
  |
help: keep the old limit
  |
4 - maxLength: 5
4 + maxLength: 10
  |
"
    );
}

#[test]
fn each_excerpt_has_the_position_of_its_own_label() {
    // Both lines are cut around their label, so both labels are displayed in the same column.
    let text = format!("{}\n", "x".repeat(1_000));
    let (old, new) = (Source::new("a.yaml", text.clone()), Source::new("a.yaml", text));
    let finding = |first, second| {
        human(Diagnostic::new(ERROR, "x").at(&old, first..first + 1, "").at(&new, second..second + 1, ""))
    };
    for (first, second) in [(100, 500), (500, 100)] {
        let text = finding(first, second);
        let at = |column: usize| text.find(&format!("a.yaml:1:{}\n", column + 1)).unwrap();
        assert!(at(first) < at(second), "{text}");
    }
}

#[test]
fn a_suggestion_that_the_help_quotes_is_not_repeated() {
    let text = human(in_two_files().help("write `10`"));
    assert!(text.ends_with("= help: write `10`\n"), "{text}");
}

#[test]
fn json_has_a_file_for_each_label_and_suggestion() {
    assert_eq!(
        render::json_lines(&[in_two_files()]),
        concat!(
            r#"{"code":"E0201","severity":"error","message":"`maxLength` is smaller than before","#,
            r#""path":"v2/capabilities.yaml","line":4,"column":12,"endLine":4,"endColumn":13,"label":"now 5","#,
            r#""related":[{"path":"v1/capabilities.yaml","line":3,"column":12,"endLine":3,"endColumn":14,"label":"was 10"},"#,
            r#"{"path":"v2/capabilities.yaml","line":1,"column":7,"endLine":1,"endColumn":8,"label":"in this capability"}],"#,
            r#""pointer":"/maxLength","help":"keep the old limit","#,
            r#""suggestions":[{"path":"v2/capabilities.yaml","line":4,"column":12,"endLine":4,"endColumn":13,"#,
            r#""replacement":"10","applicability":"certain"}]}"#,
            "\n",
        )
    );
}

#[test]
fn github_lists_the_other_labels() {
    assert_eq!(
        render::github(&[in_two_files()]),
        "::error file=v2/capabilities.yaml,line=4,endLine=4,col=12,endColumn=13,title=E0201::`maxLength` is smaller than \
         before%0Av1/capabilities.yaml:3:12: was 10%0Av2/capabilities.yaml:1:7: in this capability%0Ahelp: keep the old limit\n"
    );
}

#[test]
fn sarif_has_related_locations_and_a_fix() {
    let log: serde_json::Value = serde_json::from_str(&render::sarif(&[in_two_files()])).unwrap();
    let result = &log["runs"][0]["results"][0];
    let place = |path: &str, region: [u8; 4]| {
        let [line, column, end_line, end_column] = region;
        let region = serde_json::json!({
            "startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column
        });
        serde_json::json!({ "artifactLocation": { "uri": path }, "region": region })
    };
    assert_eq!(result["locations"][0]["physicalLocation"], place("v2/capabilities.yaml", [4, 12, 4, 13]));
    assert_eq!(
        result["relatedLocations"],
        serde_json::json!([
            { "physicalLocation": place("v1/capabilities.yaml", [3, 12, 3, 14]), "message": { "text": "was 10" } },
            { "physicalLocation": place("v2/capabilities.yaml", [1, 7, 1, 8]), "message": { "text": "in this capability" } },
        ])
    );
    let region = &place("", [4, 12, 4, 13])["region"];
    assert_eq!(
        result["fixes"],
        serde_json::json!([{
            "description": { "text": "keep the old limit" },
            "artifactChanges": [{
                "artifactLocation": { "uri": "v2/capabilities.yaml" },
                "replacements": [{ "deletedRegion": region, "insertedContent": { "text": "10" } }],
            }],
        }])
    );
}

/// The names in backquotes in the first column of the table of fields.
fn documented_fields() -> Vec<String> {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/cli.md")).unwrap();
    let table = page.split_once("| field | value |\n|---|---|\n").unwrap().1;
    let rows = table.lines().take_while(|line| line.starts_with('|'));
    let names = rows.flat_map(|row| row.split('|').nth(1).unwrap().split('`').skip(1).step_by(2));
    names.map(str::to_owned).collect()
}

#[test]
fn the_documented_fields_of_json_are_those_that_are_printed() {
    let source = Source::new("b.yaml", "x: 1\n");
    let everything = finding("a: 1\nb: 2\n", "b").at(&source, 0..1, "here").note("n").help("h").pointer("/b");
    let everything = everything.suggest(&source, 0..1, "y");
    let line = render::json_lines(&[everything]);
    let object: serde_json::Value = serde_json::from_str(&line).unwrap();
    let printed: Vec<String> = object.as_object().unwrap().keys().cloned().collect();
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    assert_eq!(sorted(printed), sorted(documented_fields()));
    let keys = |field: &str| {
        let item = object.get(field).unwrap().get(0).unwrap();
        item.as_object().unwrap().keys().cloned().collect::<Vec<_>>()
    };
    let place = ["column", "endColumn", "endLine", "line", "path"];
    assert_eq!(
        sorted(keys("related")),
        sorted([&place[..], &["label"]].concat().into_iter().map(str::to_owned).collect())
    );
    let edit = [&place[..], &["replacement", "applicability"]].concat();
    assert_eq!(sorted(keys("suggestions")), sorted(edit.into_iter().map(str::to_owned).collect()));
    let whole: serde_json::Value =
        serde_json::from_str(&render::json_lines(&[Diagnostic::new(ERROR, "m").in_file("f.yaml")])).unwrap();
    assert_eq!(whole, serde_json::json!({"code": "E0201", "severity": "error", "message": "m", "path": "f.yaml"}));
}

#[test]
fn paths_of_annotations_can_be_relative_to_the_repository() {
    let base = render::Base::new("/repo", "/repo/web");
    let source = Source::new("../agents/a.yaml", "x: 1\n");
    let findings =
        [Diagnostic::new(ERROR, "m").at(&source, 0..1, ""), Diagnostic::new(ERROR, "n").in_file("generated/a.ts")];
    let github = render::github_in(&findings, &base);
    assert!(
        github.contains("file=agents/a.yaml,line=1") && github.contains("file=web/generated/a.ts,title"),
        "{github}"
    );
    let log = render::sarif_in(&findings, &base, &Default::default());
    assert!(log.contains(r#""uri":"agents/a.yaml""#) && log.contains(r#""uri":"web/generated/a.ts""#), "{log}");
}

#[test]
fn sarif_has_the_version_of_the_tool_the_help_of_each_rule_and_a_location_for_every_result() {
    use capgen_diagnostic::{Explanation, Explanations};
    const TABLE: &[Explanation] = &[Explanation::new(ERROR, "# E0201: an unknown key\n\nText.\n")];
    let findings = [Diagnostic::new(ERROR, "m"), Diagnostic::new(ERROR, "m").in_file("f.yaml"), finding("a: 1\n", "a")];
    let log = render::sarif_in(&findings, &render::Base::default(), &Explanations::new(&[TABLE]));
    let log: serde_json::Value = serde_json::from_str(&log).unwrap();
    let driver = log.pointer("/runs/0/tool/driver").unwrap();
    assert_eq!(driver.pointer("/version").unwrap(), env!("CARGO_PKG_VERSION"));
    assert_eq!(driver.pointer("/rules/0/shortDescription/text").unwrap(), "an unknown key");
    assert_eq!(driver.pointer("/rules/0/help/markdown").unwrap(), "# E0201: an unknown key\n\nText.\n");
    for (index, expected) in [".", "f.yaml", "agents/shop/capabilities.yaml"].into_iter().enumerate() {
        let place = format!("/runs/0/results/{index}/locations/0/physicalLocation/artifactLocation/uri");
        assert_eq!(log.pointer(&place).unwrap(), expected);
    }
}
