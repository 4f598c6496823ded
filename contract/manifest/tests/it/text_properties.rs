//! Properties of the parsers that are true for every text.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_diagnostic::render;
use capgen_manifest::{Data, Diagnostic, Node, Source, decode, parse_json, parse_yaml};
use capgen_schema::{Json, Number};
use proptest::prelude::*;

/// Random sequences of YAML and JSON tokens, which get further into the parsers than random characters.
fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "a", "b", "é", "😀", ":", ": ", "-", "- ", "\n", "\n  ", "\n    ", "\r\n", "\r", "\t", " ", "[", "]", "{", "}", ",",
            "\"", "'", "\\", "\\u00e9", "\\ud800", "|", ">", "|-\n ", "#", " # ", "&a ", "*a", "!", "!!str ", "!!int ", "!x ",
            "<<", "?", "? ", "%", "@", "`", "---\n", "...\n", "%YAML 1.2\n", "~", "null", "true", "no", "1", "0o7", "1e999",
            ".inf", "0", ".5", "\u{feff}", "\0", "\u{1b}", "\u{85}", "\u{2028}", "password: ", "amqp://u:p@h",
        ]).prop_map(str::to_owned),
        1 => text(),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(any::<char>(), 0..8).prop_map(String::from_iter)
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    let number = prop_oneof![any::<i64>().prop_map(Into::into), any::<f64>().prop_map(serde_json::Value::from)];
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        number,
        text().prop_map(Into::into),
        soup().prop_map(Into::into),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            prop::collection::btree_map(text(), inner, 0..6)
                .prop_map(|members| members.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

fn from_serde(value: &serde_json::Value) -> Option<Json> {
    Some(match value {
        serde_json::Value::Null => Json::Null,
        serde_json::Value::Bool(b) => Json::Bool(*b),
        serde_json::Value::Number(number) => Json::Number(Number::from_payload(number)?),
        serde_json::Value::String(text) => Json::String(text.clone()),
        serde_json::Value::Array(items) => Json::Array(items.iter().map(from_serde).collect::<Option<_>>()?),
        serde_json::Value::Object(members) => {
            Json::Object(members.iter().map(|(k, v)| Some((k.clone(), from_serde(v)?))).collect::<Option<_>>()?)
        }
    })
}

fn check_spans(node: &Node, text: &str) {
    assert!(text.get(node.span.clone()).is_some(), "{:?} in {text:?}", node.span);
    match &node.data {
        Data::Array(items) => items.iter().for_each(|item| check_spans(item, text)),
        Data::Object(members) => {
            for member in members {
                assert!(text.get(member.key_span.clone()).is_some(), "{:?} in {text:?}", member.key_span);
                check_spans(&member.value, text);
            }
        }
        _ => {}
    }
}

/// Checks that all spans of a tree or of findings are inside the text, and that findings render in every format.
fn check_outcome(outcome: Result<Node, Vec<Diagnostic>>, text: &str) {
    let found = match outcome {
        Ok(node) => return check_spans(&node, text),
        Err(found) => found,
    };
    assert!(!found.is_empty(), "{text:?}");
    for label in found.iter().flat_map(|finding| &finding.labels) {
        assert!(text.get(label.span.clone()).is_some(), "{:?} in {text:?}", label.span);
    }
    let human = render::human(&found, false);
    assert!(human.chars().all(|c| c == '\n' || !c.is_control()), "{human:?}");
    assert!(!human.contains("u:p@h"), "{human}");
    for line in render::json_lines(&found).lines() {
        let object: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(object.get("line").is_some_and(|line| line.as_u64() >= Some(1)));
        assert!(line.chars().all(|c| !c.is_control()), "{line:?}");
    }
    assert_eq!(render::github(&found).lines().count(), found.len());
    serde_json::from_str::<serde_json::Value>(&render::sarif(&found)).unwrap();
}

/// Whether all findings are about rules that serde_json does not check: duplicate keys, depth and range.
fn is_stricter(found: &[Diagnostic]) -> bool {
    found.iter().all(|finding| ["E0003", "E0007", "E0012"].contains(&finding.code.as_str()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_text_gives_a_tree_or_printable_findings(text in soup()) {
        check_outcome(parse_yaml(&Source::new("f.yaml", text.clone())), &text);
        check_outcome(parse_json(&Source::new("f.json", text.clone())), &text);
    }

    #[test]
    fn every_byte_sequence_gives_a_source_or_a_printable_finding(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        match decode("f.yaml", bytes.clone()) {
            Ok(source) => check_outcome(parse_yaml(&source), source.text()),
            Err(found) => {
                render::human(&found, true);
                prop_assert!(String::from_utf8(bytes).is_err());
            }
        }
    }

    #[test]
    fn json_is_accepted_if_serde_json_accepts_it(text in soup()) {
        let theirs = serde_json::from_str::<serde_json::Value>(&text);
        match parse_json(&Source::new("f.json", text.clone())) {
            Ok(node) if !text.starts_with('\u{feff}') => {
                prop_assert_eq!(Some(node.to_json()), theirs.ok().as_ref().and_then(from_serde))
            }
            Ok(_) => {}
            Err(found) => prop_assert!(theirs.is_err() || is_stricter(&found), "{:?}", found),
        }
    }

    #[test]
    fn json_reads_equal_as_json_yaml_and_with_serde_json(value in json(), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        let node = parse_json(&Source::new("f.json", text.clone())).unwrap();
        check_spans(&node, &text);
        prop_assert_eq!(Some(node.to_json()), from_serde(&value));
        let yaml = parse_yaml(&Source::new("f.yaml", text.clone()));
        match yaml {
            Ok(yaml) => {
                prop_assert_eq!(yaml.to_json(), node.to_json());
                check_spans(&yaml, &text);
            }
            // YAML requires escapes for some characters that JSON allows unescaped.
            Err(found) => prop_assert!(found.iter().all(|d| d.code.as_str() == "E0014") , "{:?} {}", found, text),
        }
    }
}
