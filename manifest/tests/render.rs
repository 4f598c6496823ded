//! What people, programs and GitHub see of a finding.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_manifest::{Diagnostic, Source, codes, parse_document, render};

fn finding(text: &str, at: &str) -> Diagnostic {
    let source = Source::new("agents/shop/capabilities.yaml", text);
    let start = text.find(at).unwrap();
    Diagnostic::new(codes::UNKNOWN_KEY, "unknown key `x`").at(&source, start..start + at.len(), "not known")
}

fn human(diagnostic: Diagnostic) -> String {
    render::human(&[diagnostic], false)
}

#[test]
fn people_see_the_place_what_is_known_and_what_to_do() {
    let diagnostic = finding("a: 1\r\nb:\r\n\tnullable: true\r\n", "nullable")
        .note("at: capability `review-pr`, inputSchema, /properties/prUrl")
        .help("write `type: [string, \"null\"]`");
    assert_eq!(
        human(diagnostic),
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
fn a_finding_without_a_place_has_no_empty_line() {
    let diagnostic = || Diagnostic::new(codes::UNKNOWN_PEER, "no agent |").note("tried `a`").help("did you mean `b`?");
    let expected = "error[E0302]: no agent |\n = tried `a`\n = help: did you mean `b`?\n";
    assert_eq!(human(diagnostic()), expected);
    let colored = render::human(&[diagnostic()], true);
    assert_eq!(colored.lines().count(), 3, "{colored:?}");
}

#[test]
fn marks_stand_below_wide_characters() {
    let text = human(finding("漢字: 😀 x", "x"));
    assert!(text.contains(":1:7\n") && text.contains("漢字: 😀 x\n  |          ^ not known"), "{text}");
}

#[test]
fn two_places_are_shown_together_or_apart() {
    let found = |gap: usize| {
        let text = format!("a: 1\n{}a: 2\n", "# gap\n".repeat(gap));
        render::human(&parse_document(&Source::new("f.yaml", text)).unwrap_err(), false)
    };
    assert_eq!(
        found(1),
        "\
error[E0003]: duplicate key `a`
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
error[E0003]: duplicate key `a`
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
    let shown = |span| human(Diagnostic::new(codes::YAML_SYNTAX, "m").at(&source, span, "here"));
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
fn nothing_of_a_peer_reaches_the_terminal_raw() {
    let text = "a: \u{1b}[31m\u{202e}\u{9b}x\n";
    let mut diagnostic = finding(text, "x").note("at: \u{1b}]0;t\u{7}").help("\u{202e}\n::error::x");
    diagnostic.message = "\u{1b}[2J\r\n::warning::".into();
    diagnostic.source = Some(Source::new("\u{1b}[1m", text));
    let all = [diagnostic];
    for shown in [render::human(&all, false), render::json_lines(&all), render::github(&all), render::sarif(&all)] {
        assert!(shown.chars().all(|c| c == '\n' || !(c.is_control() || c == '\u{202e}')), "{shown:?}");
    }
    assert_eq!(render::github(&all).lines().count(), 1);
    assert!(render::human(&all, false).contains("1 | a: \\u{1b}[31m\\u{202e}\\u{9b}x\n"));
    assert!(render::human(&all, true).starts_with("\u{1b}["));
}

#[test]
fn no_line_with_a_credential_is_shown() {
    for (text, at) in [
        ("password: hunter2", "hunter2"),
        ("sasl:\n  mechanism: plain\n  username: hunter2\n", "hunter2"),
        ("sasl: { mechanism: plain, username: hunter2 }", "mechanism"),
        ("url: amqp://me:hunter2@host/", "amqp"),
        ("a:\n  clientSecret: >\n    hunter2\n", "hunter2"),
        ("{\"apiKey\": \"hunter2\"}", "apiKey"),
        ("b: 1\npassword: hunter2\na: 1\nb: 2\n", "b: 2"),
    ] {
        let text = human(finding(text, at));
        assert!(!text.contains("hunter2") && text.contains("capabilities.yaml:"), "{text}");
    }
    let text = "b: 1\npassword: hunter2\nb: 2\n";
    let shown = render::human(&parse_document(&Source::new("f.yaml", text)).unwrap_err(), false);
    assert!(!shown.contains("hunter2") && shown.contains("b: 1") && shown.contains("b: 2"), "{shown}");
    let shown = human(finding("properties:\n  token: { type: strng }\n", "strng"));
    assert!(shown.contains("token: { type: strng }"), "{shown}");
}

#[test]
fn programs_get_one_object_a_line() {
    let placed = finding("é:\n  x: 1\n", "x").pointer("/é/x").note("at: here").help("remove \"it\"");
    let source = placed.source.clone().unwrap();
    let all = [placed.at(&source, 0..2, "in this"), Diagnostic::new(codes::NO_FLEET, "no fleet")];
    assert_eq!(
        render::json_lines(&all),
        concat!(
            r#"{"code":"E0201","severity":"error","message":"unknown key `x`","path":"agents/shop/capabilities.yaml","#,
            r#""line":2,"column":3,"endLine":2,"endColumn":4,"label":"not known","#,
            r#""related":[{"line":1,"column":1,"endLine":1,"endColumn":2,"label":"in this"}],"#,
            r#""pointer":"/é/x","notes":["at: here"],"help":"remove \"it\""}"#,
            "\n",
            r#"{"code":"E0301","severity":"error","message":"no fleet"}"#,
            "\n",
        )
    );
}

#[test]
fn github_annotates_the_place() {
    let mut diagnostic = finding("é:\n  x: 1\n", "x").help("remove it: 100%, really");
    diagnostic.source = Some(Source::new("a,b:c%.yaml", "é:\n  x: 1\n"));
    assert_eq!(
        render::github(&[diagnostic, Diagnostic::new(codes::SIMILAR_NAMES, "m")]),
        "::error file=a%2Cb%3Ac%25.yaml,line=2,endLine=2,col=3,endColumn=4,title=E0201::unknown key `x`%0Ahelp: remove it: \
         100%25, really\n::warning title=W0201::m\n"
    );
}

#[test]
fn sarif_has_the_rule_the_place_and_the_level() {
    let mut diagnostic = finding("é:\n  x: 1\n", "x").pointer("/é/x");
    diagnostic.source = Some(Source::new("a b/é:.yaml", "é:\n  x: 1\n"));
    let log = render::sarif(&[Diagnostic::new(codes::SIMILAR_NAMES, "m"), diagnostic]);
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
