//! YAML that parsers are known to get wrong.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]

use capgen_manifest::{Data, Diagnostic, Node, Source, decode, parse_document, parse_json, parse_yaml};

/// Checks that the YAML text and the JSON text have the same value.
fn check(yaml: &str, json: &str) {
    let node = parse_yaml(&Source::new("f.yaml", yaml)).unwrap_or_else(|found| panic!("{yaml}: {found:?}"));
    let expected = parse_json(&Source::new("f.json", json)).unwrap();
    assert_eq!(node.to_json(), expected.to_json(), "{yaml}");
}

fn positions(found: &[Diagnostic]) -> Vec<String> {
    let place = |d: &Diagnostic| {
        let at = d.labels[0].source.position(d.labels[0].span.start);
        format!("{} {}:{}", d.code.as_str(), at.line, at.column)
    };
    found.iter().map(place).collect()
}

/// Checks that the text is rejected with exactly these findings, each written as `code line:column`.
fn check_rejected(yaml: &str, expected: &[&str]) {
    let found = parse_yaml(&Source::new("f.yaml", yaml)).unwrap_err();
    assert_eq!(positions(&found), expected, "{yaml}: {found:?}");
}

fn check_json_rejected(json: &str, expected: &[&str]) {
    let found = parse_json(&Source::new("f.json", json)).unwrap_err();
    assert_eq!(positions(&found), expected, "{json}: {found:?}");
}

#[test]
fn yaml_1_1_booleans_are_strings() {
    check("[no, NO, off, on, yes, y, n]", r#"["no", "NO", "off", "on", "yes", "y", "n"]"#);
    check("[true, False, TRUE, 'true', \"null\"]", r#"[true, false, true, "true", "null"]"#);
    check("[null, ~, Null, NULL, '']\n", r#"[null, null, null, null, ""]"#);
    check("a:\nb: ~\n", r#"{"a": null, "b": null}"#);
}

#[test]
fn core_schema_numbers_are_exact() {
    check("[010, 0o10, 0x10, +1, -0, .5, 1., 1e3]", "[10, 8, 16, 1, 0, 0.5, 1, 1000]");
    check("[18446744073709551616, 9007199254740993]", "[18446744073709551616, 9007199254740993]");
    check("[1_000, 1:30, 0b1, 2026-01-01, 1.2.3]", r#"["1_000", "1:30", "0b1", "2026-01-01", "1.2.3"]"#);
    check_rejected("[1e999, -1e999, 1e-999]", &["E0012 1:2", "E0012 1:9", "E0012 1:17"]);
    check_rejected("a: .inf\nb: -.INF\nc: .nan\n", &["E0011 1:4", "E0011 2:4", "E0011 3:4"]);
}

#[test]
fn numbers_keep_their_text() {
    let node = parse_yaml(&Source::new("f.yaml", "version: 2.0")).unwrap();
    let Data::Number(number, text) = &node.member("version").unwrap().value.data else { panic!("{node:?}") };
    assert_eq!((number.as_u64(), text.as_str()), (Some(2), "2.0"));
}

#[test]
fn keys_keep_their_text() {
    check(
        "404: a\ntrue: b\n1.0: c\n~: d\n.inf: e\n0x1: f\n\"q\": g\n'': h\n? x\n: i\n",
        r#"{"404": "a", "true": "b", "1.0": "c", "~": "d", ".inf": "e", "0x1": "f", "q": "g", "": "h", "x": "i"}"#,
    );
    check("{a, b: , c: d}", r#"{"a": null, "b": null, "c": "d"}"#);
    check_rejected("[a]: 1\n{b: c}: 2\n? - d\n: 3\n: 4\n", &["E0010 1:1", "E0010 2:1", "E0010 3:3", "E0010 5:1"]);
    check_rejected("a: &x k\n*x : 1\n", &["E0010 2:1"]);
}

#[test]
fn duplicate_keys_are_rejected_with_both_positions() {
    check_rejected("a: 1\nb: {c: 1, \"c\": 2}\n'a': 3\na: 4\n", &["E0003 2:11", "E0003 3:1", "E0003 4:1"]);
    let found = parse_yaml(&Source::new("f.yaml", "a: 1\na: 2\n")).unwrap_err();
    assert_eq!((found[0].labels[0].span.clone(), found[0].labels[1].span.clone()), (5..6, 0..1));
    check_rejected("a: 1\na: 2\nb: [", &["E0003 2:1", "E0001 3:4"]);
    check_json_rejected(
        r#"{"a": 1, "b": [{"c": 1, "\u0063": 2}], "a": 2, x"#,
        &["E0003 1:25", "E0003 1:40", "E0002 1:48"],
    );
}

#[test]
fn merge_keys_are_rejected_unless_quoted() {
    check_rejected("a: &a {x: 1}\nb:\n  <<: *a\n", &["E0004 3:3"]);
    check("'<<': 1", r#"{"<<": 1}"#);
    check("a: <<", r#"{"a": "<<"}"#);
}

#[test]
fn core_tags_are_applied_and_others_are_rejected() {
    check("[!!str 12, !!int '12', !!float 1, !!null '', ! 12, !!bool \"true\"]", r#"["12", 12, 1, null, "12", true]"#);
    check("!!map {a: !!seq [!!str ]}", r#"{"a": [""]}"#);
    check("%TAG !y! tag:yaml.org,2002:\n---\na: !y!str 1\n", r#"{"a": "1"}"#);
    check("a: !<tag:yaml.org,2002:str> 1", r#"{"a": "1"}"#);
    check_rejected("a: !foo 1\nb: !!binary aGk=\nc: !!int 1.5\n", &["E0005 1:4", "E0005 2:4", "E0005 3:10"]);
    check_rejected("a: !!seq {}\nb: !!map []\nc: !!str []\n", &["E0005 1:4", "E0005 2:4", "E0005 3:4"]);
    check_rejected("a: !x!foo 1\n", &["E0005 1:4"]);
    check_rejected("!foo a: 1\n", &["E0005 1:1"]);
}

#[test]
fn exactly_one_document_is_read() {
    check("---\na: 1\n...\n", r#"{"a": 1}"#);
    check("%YAML 1.2\n---\na: 1\n", r#"{"a": 1}"#);
    check_rejected("a: 1\n---\nb: 2\n---\nc: [", &["E0006 2:1"]);
    check_rejected("a: 1\n---\n", &["E0006 2:1"]);
    check_rejected("%YAML 1.1\n---\na: no\n", &["E0001 2:1"]);
    for empty in ["", "\n\n", "# a comment\n", "---\n", "\u{feff}"] {
        check_rejected(empty, &["E0015 1:1"]);
    }
    check("~", "null");
}

#[test]
fn aliases_repeat_the_value_of_their_anchor() {
    check(
        "a: &x [1, &y {b: 2}, *y]\nc: [*x, *y]\n",
        r#"{"a": [1, {"b": 2}, {"b": 2}], "c": [[1, {"b": 2}, {"b": 2}], {"b": 2}]}"#,
    );
    check("&k key: *k\n", r#"{"key": "key"}"#);
    check("a: &x 1\nb: *x\nc: &x 2\nd: *x\n", r#"{"a": 1, "b": 1, "c": 2, "d": 2}"#);
    check("a: &x\nb: *x\n", r#"{"a": null, "b": null}"#);
    check_rejected("a: *x\nb: &x 1\nc: *y\n", &["E0009 1:4", "E0009 3:4"]);
    check_rejected("a: &x [*x]\n", &["E0009 1:8"]);
    check_rejected("&x a: &y {b: [*y]}\n", &["E0009 1:15"]);
}

#[test]
fn aliases_below_a_rejected_key_do_not_panic() {
    check_rejected("? &x [&y {a: 1}]\n: [*x, *y]\n", &["E0010 1:6"]);
}

#[test]
fn line_ends_and_byte_order_marks_have_no_effect() {
    let expected = r#"{"a": [1, "x y"], "b": "l\nm\n"}"#;
    let text = "a:\n  - 1\n  - x\n    y\nb: |\n  l\n  m\n";
    check(text, expected);
    check(&text.replace('\n', "\r\n"), expected);
    check(&format!("\u{feff}{text}"), expected);
    let json = Source::new("f.json", "\u{feff}{\r\n\"a\": 1\r\n}");
    assert!(parse_document(&json).is_ok());
    check_rejected("a: 1\n\u{feff}b: 2\n", &["E0001 2:1"]);
}

#[test]
fn control_characters_are_rejected() {
    for (c, place) in [('\0', "E0014 2:5"), ('\u{1b}', "E0014 2:5"), ('\u{7f}', "E0014 2:5"), ('\u{9b}', "E0014 2:5")] {
        check_rejected(&format!("a: 1\nb: \"{c}\"\n"), &[place]);
    }
    check(r#"a: "\0\x1b\e\u0085""#, r#"{"a": "\u0000\u001b\u001b\u0085"}"#);
    check_json_rejected("{\"a\": \"\u{1}\"}", &["E0014 1:8"]);
    check_json_rejected("{\"a\": \"\t\"}", &["E0014 1:8"]);
}

#[test]
fn tabs_are_not_indentation() {
    let found = parse_yaml(&Source::new("f.yaml", "a:\n\tb: 1\n")).unwrap_err();
    assert_eq!(found[0].code.as_str(), "E0001");
    assert!(found[0].help.as_ref().unwrap().contains("spaces"), "{found:?}");
    for (text, place) in [("\ta: 1\n", "E0001 1:1"), ("a:\n \tb: 1\n", "E0001 2:2"), ("a: 'x'\n\tb: 2\n", "E0001 2:1")]
    {
        check_rejected(text, &[place]);
    }
    for (text, place) in [
        ("a: x\n\tb: 1\n", "E0001 2:1"),
        ("a: x\n\n  \n\tb: 1\n", "E0001 4:1"),
        ("a:\n  - b: c\n\t  d: e\n", "E0001 3:1"),
        ("a:\n  - b: c\n  \td: e\n", "E0001 3:3"),
        ("a:\n  b: c\n\t- d\n", "E0001 3:1"),
        ("a: x\r\n\tb: 1\r\n", "E0001 2:1"),
    ] {
        check_rejected(text, &[place]);
    }
    check("a: \t1\t# c\n", r#"{"a": 1}"#);
    check("{\n\t\"a\": [\n\t\t1\n\t]\n}", r#"{"a": [1]}"#);
}

#[test]
fn invalid_yaml_is_rejected_at_the_error() {
    for (text, place) in [
        ("a: [1, 2\n", "E0001 1:4"),
        ("a: 'x\n", "E0001 1:6"),
        ("a: b: c\n", "E0001 1:5"),
        ("a: @b\n", "E0001 1:4"),
        ("a: `b`\n", "E0001 1:4"),
        ("a:\n  - b\n c: d\n", "E0001 3:2"),
        ("a: [\nb\n]\n", "E0001 2:1"),
        ("a: \"\\q\"\n", "E0001 1:4"),
        ("a: {b: 1}}\n", "E0001 1:10"),
        ("a: \"\\ud800\"\n", "E0001 1:4"),
    ] {
        check_rejected(text, &[place]);
    }
}

#[test]
fn json_is_parsed_strictly() {
    for (text, place) in [
        ("", "E0015 1:1"),
        (" ", "E0015 1:2"),
        ("[1,]", "E0002 1:4"),
        ("{\"a\": 1,}", "E0002 1:9"),
        ("{a: 1}", "E0002 1:2"),
        ("{'a': 1}", "E0002 1:2"),
        ("[1 2]", "E0002 1:4"),
        ("[01]", "E0002 1:2"),
        ("[+1]", "E0002 1:2"),
        ("[.5]", "E0002 1:2"),
        ("[1.]", "E0002 1:2"),
        ("[1e]", "E0002 1:2"),
        ("[-]", "E0002 1:2"),
        ("[NaN]", "E0002 1:2"),
        ("[nulll]", "E0002 1:2"),
        ("[1] // c", "E0002 1:5"),
        ("[1] [2]", "E0002 1:5"),
        ("\"a", "E0002 1:1"),
        ("\"a\nb\"", "E0002 1:1"),
        ("\"\\x\"", "E0002 1:2"),
        ("\"\\u12\"", "E0002 1:2"),
        ("\"\\ud800\"", "E0002 1:2"),
        ("\"\\udc00\\ud800\"", "E0002 1:2"),
        ("\"\\ud800\\u0041\"", "E0002 1:2"),
        ("\"\\", "E0002 1:2"),
        ("[1e999]", "E0012 1:2"),
        ("\u{a0}1", "E0002 1:1"),
        ("[1\u{feff}]", "E0002 1:3"),
    ] {
        check_json_rejected(text, &[place]);
    }
    let node = parse_json(&Source::new("f.json", r#""\ud83d\ude00\/\b\f\n\r\t\"\\é""#)).unwrap();
    assert!(matches!(node.data, Data::String(s) if s == "😀/\u{8}\u{c}\n\r\t\"\\é"));
}

/// The source text of each key and each leaf of the tree.
fn slices<'t>(node: &Node, text: &'t str, out: &mut Vec<&'t str>) {
    match &node.data {
        Data::Array(items) => items.iter().for_each(|item| slices(item, text, out)),
        Data::Object(members) => {
            for member in members {
                out.push(&text[member.key_span.clone()]);
                slices(&member.value, text, out);
            }
        }
        _ => out.push(&text[node.span.clone()]),
    }
}

#[test]
fn spans_cover_the_source_text() {
    for (path, text, expected) in [
        (
            "f.yaml",
            "é: \"ü😀\" # c\nb: two\n  lines\nc:\n- 'x'\n-\n- |\n  y\n\nd:\n",
            vec!["é", "\"ü😀\"", "b", "two\n  lines", "c", "'x'", "", "y", "d", ""],
        ),
        ("f.json", "{\"é\": [1.50, \"\\u00e9\"], \"b\": null}", vec!["\"é\"", "1.50", "\"\\u00e9\"", "\"b\"", "null"]),
    ] {
        let mut found = Vec::new();
        slices(&parse_document(&Source::new(path, text)).unwrap(), text, &mut found);
        assert_eq!(found, expected);
    }
    for text in ["a:\n- 1\n- 2\n\nb: 3\n", "a:\n  - 1\n  - 2\n# c\nb: 3\n", "a: [ 1 ]\nb: {}\n"] {
        let node = parse_yaml(&Source::new("f.yaml", text)).unwrap();
        let span = node.member("a").unwrap().value.span.clone();
        assert!(text[span.clone()].starts_with(['-', '[']) && text[span].ends_with(['2', ']']), "{text}");
    }
}

#[test]
fn invalid_utf8_is_rejected_with_its_position() {
    let found = decode("f.yaml", b"a: 1\nb: caf\xe9\n".to_vec()).unwrap_err();
    assert_eq!(positions(&found), ["E0013 2:7"]);
    let found = decode("f.yaml", b"\xff\xfea\0".to_vec()).unwrap_err();
    assert!(found[0].help.as_ref().unwrap().contains("UTF-16"));
}
