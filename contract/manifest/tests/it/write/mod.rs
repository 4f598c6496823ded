//! Writing manifests as YAML: the text reads back equal, and is formatted for human readers.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::common;
use capgen_manifest::{AgentId, Capability, Determinism, Manifest, SideEffects, Source, TransportSettings, load};
use capgen_schema::{Json, Object, Schema};

mod random;

fn read(text: &str) -> Manifest {
    match load(&Source::new("capabilities.yaml", text.to_owned())) {
        Ok(loaded) => loaded.manifest,
        Err(findings) => panic!("{}\n{text}", common::short(&findings)),
    }
}

/// The whole manifest in order, including the settings that `Debug` hides because they may contain credentials.
fn all(manifest: &Manifest) -> String {
    let settings: Vec<&Json> = manifest.transports.iter().map(|t| &t.settings).collect();
    format!("{manifest:#?}{settings:#?}")
}

/// Writes a manifest, reads the text back and compares; returns the text.
fn round_trip(manifest: &Manifest) -> String {
    let text = manifest.to_yaml();
    let back = read(&text);
    assert_eq!(all(&back), all(manifest), "{text}");
    assert_eq!(back.hash(), manifest.hash());
    assert_eq!(back.to_yaml(), text);
    text
}

fn memory() -> TransportSettings {
    let settings = r#"{"kind": "memory", "topics": {"requests": "agents.a.requests"}}"#.parse().unwrap();
    TransportSettings { kind: "memory".to_owned(), settings }
}

fn manifest(capability: Capability) -> Manifest {
    Manifest::new(AgentId::new("a").unwrap(), vec![memory()], vec![capability])
}

fn with_schema(schema: &Json) -> Manifest {
    manifest(Capability { input: Some(Schema::parse(schema).unwrap()), ..Capability::new("x") })
}

fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// The text of `value` in the schema `{"const": value}`.
fn written(value: Json) -> String {
    let text = round_trip(&with_schema(&object([("const", value)])));
    text.split_once("const:").unwrap().1.to_owned()
}

fn written_text(text: &str) -> String {
    written(Json::String(text.to_owned()))
}

#[test]
fn contracts_are_in_block_style_with_schemas_last() {
    let settings = r#"{"topics": {"requests": "review.in", "responses": "review.out"}, "brokers": ["k1:9092", "k2:9092"],
        "ssl": true, "sasl": {"mechanism": "plain", "password": "on"}}"#;
    let input = r##"{"$schema": "http://json-schema.org/draft-07/schema#", "title": "ReviewPr", "type": "object",
        "description": "What to review.\n\nOnly `prUrl` has to be there:\n  the rest has defaults.",
        "properties": {
            "prUrl": {"type": "string", "format": "uri", "pattern": "^https://[a-z]+\\.example/"},
            "depth": {"enum": ["quick", "full", "no"], "default": "quick"},
            "budget": {"type": ["integer", "null"], "minimum": 0, "exclusiveMaximum": 18446744073709551617},
            "ratio": {"type": "number", "minimum": 1e-9},
            "labels": {"type": "array", "items": {"$ref": "#/definitions/Label"}, "examples": [[], ["a", {"b": 1}]]},
            "extra": {}
        },
        "required": ["prUrl", "depth"], "additionalProperties": false,
        "definitions": {"Label": {"type": "string", "minLength": 1}}}"##;
    let manifest = Manifest::new(
        AgentId::new("pr-reviewer").unwrap(),
        vec![memory(), TransportSettings { kind: "kafka".to_owned(), settings: settings.parse().unwrap() }],
        vec![
            Capability {
                id: Some("org.example.review-pr".to_owned()),
                description: Some("Review a pull request.\nTakes a minute.\n".to_owned()),
                version: Some("1.2.0".parse().unwrap()),
                input: Some(Schema::parse_text(input).unwrap()),
                output: Some(Schema::parse_text("true").unwrap()),
                timeout_ms: Some(60_000),
                idempotent: Some(true),
                since: Some("1.1.0".to_owned()),
                skill: Some("review".to_owned()),
                supported_versions: vec!["1.0.0".parse().unwrap(), ">=1.1.0 <2.0.0".parse().unwrap()],
                deprecated_versions: vec!["1.0.0".parse().unwrap()],
                min_schema_version: Some("1.0.0-rc.1".parse().unwrap()),
                tags: vec!["git".to_owned(), "code: review".to_owned()],
                side_effects: Some(SideEffects::Pure),
                determinism: Some(Determinism::Nondeterministic),
                latency: Some("slow".to_owned()),
                required_roles: vec!["reviewer".to_owned()],
                required_scopes: vec!["repo:read".to_owned()],
                ..Capability::new("review-pr")
            },
            Capability::new("ping"),
        ],
    );
    let text = manifest.to_yaml_with_comment("From `src/lib.rs`.\n\nDo not edit.");
    assert_eq!(text, include_str!("whole.yaml"));
    let back = read(&text);
    assert_eq!(back.hash(), manifest.hash());
    assert_eq!(back.to_yaml_with_comment("From `src/lib.rs`.\n\nDo not edit."), text);
}

#[test]
fn ambiguous_strings_are_quoted() {
    for text in [
        "no",
        "NO",
        "n",
        "Y",
        "on",
        "Off",
        "true",
        "null",
        "~",
        "",
        "1.0",
        "0x10",
        "0o7",
        "0b1",
        "1.2.0",
        "2001-01-01",
        "=",
        "<<",
        ".5",
        "1_000",
        "12:30:45",
        "+1",
        "-1",
        ".inf",
        ".NaN",
        "1e3",
        "E7",
        "e-1",
        " a",
        "a ",
        "\u{a0}a",
        "a\u{3000}",
        "- x",
        "? x",
        "a: b",
        "a:",
        "a #b",
        "#",
        "&a",
        "*a",
        "!a",
        "|",
        ">",
        "%a",
        "@a",
        "`a",
        "[a]",
        "{a}",
        "---",
        "...",
        ",",
        "😀",
    ] {
        assert_eq!(written_text(text), format!(" \"{text}\"\n"));
        let list = written(Json::Array(vec![Json::String(text.to_owned())]));
        assert_eq!(list, format!(" [\"{text}\"]\n"));
    }
}

#[test]
fn words_and_sentences_are_unquoted() {
    for text in [
        "a",
        "e",
        "E7a",
        "nothing",
        "é",
        "日本",
        "It's \"so\", isn't it? {yes}",
        "http://a/b#c",
        "$ref",
        "/a",
        "x-1.0",
        "a:b",
        "n o",
    ] {
        assert_eq!(written_text(text), format!(" {text}\n"));
    }
}

#[test]
fn invisible_characters_are_escaped() {
    for (text, expected) in [
        ("a\u{7}", r"a\u0007"),
        ("a\rb", r"a\rb"),
        ("a\r\nb", r"a\r\nb"),
        ("a\tb", r"a\tb"),
        ("a\u{85}b", r"a\u0085b"),
        ("a\u{2028}b", r"a\u2028b"),
        ("a\u{feff}", r"a\ufeff"),
        ("a\u{202e}b", r"a\u202eb"),
        ("a\u{ffff}", r"a\uffff"),
        ("a\u{1fffe}\u{e0041}", r"a\U0001fffe\U000e0041"),
        ("a\\\"'\0", r#"a\\\"'\u0000"#),
    ] {
        assert_eq!(written_text(text), format!(" \"{expected}\"\n"));
    }
}

#[test]
fn backslashes_use_single_quotes_if_possible() {
    assert_eq!(written_text(r#"^\d+"$"#), " '^\\d+\"$'\n");
    assert_eq!(written_text(r"'\"), " \"'\\\\\"\n");
}

#[test]
fn multiline_texts_are_literal_blocks_if_safe() {
    assert_eq!(written_text("a\n\n  b: #\n---"), " |-\n        a\n\n          b: #\n        ---\n");
    assert_eq!(written_text("a\n"), " |\n        a\n");
    for text in ["\na", " a\nb", "a\n\n", "a \nb", "a\n ", "\n", "a\tb\nc", "a\n\u{2028}\nb", "a\r\nb"] {
        assert!(written_text(text).starts_with(" \""), "{text:?}");
    }
}

#[test]
fn long_lines_are_not_wrapped() {
    let text = "word ".repeat(1000) + "end";
    assert_eq!(written_text(&text), format!(" {text}\n"));
    let text = "word: ".repeat(1000) + "end";
    assert_eq!(written_text(&text), format!(" \"{text}\"\n"));
}

#[test]
fn numbers_keep_every_digit() {
    for (number, expected) in [
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ("-0.10000000000000000555", "-0.10000000000000000555"),
        ("1e25", "10000000000000000000000000"),
        // YAML 1.1 requires a decimal point in a number with an exponent.
        ("1e-7", "1.0e-7"),
        ("-1.5e-300", "-1.5e-300"),
        ("1.0", "1"),
        ("-0", "0"),
    ] {
        assert_eq!(written(Json::Number(number.parse().unwrap())), format!(" {expected}\n"));
    }
}

#[test]
fn long_lists_have_one_element_per_line() {
    let long = Json::Array(vec![Json::String("x".repeat(30)); 3]);
    assert!(written(long).starts_with("\n        - xxx"));
    let nested = r#"[[[1, "a"], [], [{"b": [], "c": {}}]], {"d": [{}]}]"#.parse().unwrap();
    let expected = "
        - - [1, a]
          - []
          - - b: []
              c: {}
        - d:
            - {}
";
    assert_eq!(written(nested), expected);
}

#[test]
fn every_text_is_a_valid_key() {
    let long = "k".repeat(2000);
    let keys = ["<<", "?", "no", "404", "a: b", "", " ", "a\nb", "#", "$ref", "- a", "\u{feff}", &long];
    let members = keys.map(|key| (key.to_owned(), Json::Array(vec![Json::Object(Object::new())])));
    let nested =
        Json::Array(vec![Json::Object([(long.clone(), Json::String("a\nb".to_owned()))].into_iter().collect())]);
    let members = members.into_iter().chain([("nested".to_owned(), nested)]);
    let text = written(Json::Object(members.collect()));
    assert!(text.contains("\n        \"<<\":\n          - {}\n"), "{text}");
    assert!(text.contains(&format!("\n        ? {long}\n        :\n          - {{}}\n")), "{text}");
}

#[test]
fn transports_start_with_their_kind() {
    let transport =
        |settings: &str| TransportSettings { kind: "memory".to_owned(), settings: settings.parse().unwrap() };
    for settings in [r#"{"topics": {"requests": "r"}, "kind": "memory"}"#, r#"{"topics": {"requests": "r"}}"#] {
        let manifest = Manifest { transports: vec![transport(settings)], ..manifest(Capability::new("x")) };
        let text = manifest.to_yaml();
        assert!(text.contains("transports:\n  - kind: memory\n    topics:\n      requests: r\ncap"), "{text}");
    }
}

#[test]
fn comments_cannot_contain_yaml() {
    let text =
        manifest(Capability::new("x")).to_yaml_with_comment("a\rb: 1\u{2028}\u{85}c\u{1b}[0m\u{202e}  \n\n\r\n%x");
    let expected = "# a\\rb: 1\\u{2028}\\u{85}c\\u{1b}[0m\\u{202e}\n#\n#\n# %x\nversion: 1\n";
    assert!(text.starts_with(expected), "{text}");
    read(&text);
}

#[test]
fn every_agent_of_the_fleet_and_every_case_round_trips() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut count = 0;
    for folder in ["examples/fleet/agents", "tests/cases"] {
        for agent in std::fs::read_dir(root.join(folder)).unwrap() {
            let text = std::fs::read_to_string(agent.unwrap().path().join("capabilities.yaml")).unwrap();
            round_trip(&read(&text));
            count += 1;
        }
    }
    assert!(count > 10, "{count}");
}

#[test]
fn deep_and_wide_schemas_round_trip() {
    let mut deep = object([("type", Json::String("string".to_owned()))]);
    for level in 0..63 {
        deep = if level % 2 == 0 { object([("items", deep)]) } else { object([("properties", object([("a", deep)]))]) };
    }
    round_trip(&with_schema(&deep));
    let property = |i: usize| (format!("p{i}"), object([("type", Json::String("string".to_owned()))]));
    let properties = Json::Object((0..10_000).map(property).collect());
    let text = round_trip(&with_schema(&object([("properties", properties)])));
    assert_eq!(text.lines().count(), 10_000 * 2 + 10);
}

#[test]
fn deep_settings_are_written() {
    let mut sasl = Json::Null;
    for _ in 0..2000 {
        sasl = Json::Array(vec![object([("a", sasl)])]);
    }
    let transport = TransportSettings { kind: "kafka".to_owned(), settings: object([("sasl", sasl)]) };
    let text = Manifest { transports: vec![transport], ..manifest(Capability::new("x")) }.to_yaml();
    assert!(text.contains("- a: null\n"));
}
