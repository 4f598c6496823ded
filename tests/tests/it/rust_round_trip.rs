//! The generated Rust type reads every valid payload and writes back every declared property with the same value.

use std::fmt::Write as _;

use capgen_manifest::Data;
use capgen_schema::Json;
use capgen_tests::agreement::round_trip::compare;
use capgen_tests::corpus::{self, Document, elements, member};
use capgen_tests::round_trip::{Case, answers};

fn json(text: &str) -> Option<Json> {
    Json::try_from(&serde_json::from_str::<serde_json::Value>(text).ok()?).ok()
}

fn has_big_integer(value: &Json) -> bool {
    match value {
        Json::Number(number) => number.is_integer() && number.as_i64().is_none(),
        Json::Array(items) => items.iter().any(has_big_integer),
        Json::Object(members) => members.iter().any(|(_, value)| has_big_integer(value)),
        _ => false,
    }
}

/// Runs the cases and lists the differences, one after the other.
fn differences(cases: &[Case]) -> String {
    let mut differences = String::new();
    for (case, answers) in cases.iter().zip(answers(env!("CARGO_TARGET_TMPDIR"), "round-trip", cases).unwrap()) {
        assert_eq!(case.payloads.len(), answers.len());
        for (payload, answer) in case.payloads.iter().zip(answers) {
            let before = json(payload).unwrap();
            let result = match json(&answer) {
                // Documented: Rust integers have 64 bits.
                None if answer.contains("integer outside") && has_big_integer(&before) => Ok(()),
                Some(after) => compare(&case.schema, &before, &after),
                None => Err(answer),
            };
            if let Err(difference) = result {
                writeln!(differences, "{}\n  {payload}\n  {difference}", case.schema.source().canonical()).unwrap();
            }
        }
    }
    differences
}

fn corpora() -> Vec<Case> {
    let path = corpus::path("capability-schemas.json");
    let document = Document::read(&path).unwrap();
    let case = |case| {
        let tests = elements(member(case, "tests")).iter();
        let valid = tests.filter(|test| matches!(member(test, "valid").unwrap().data, Data::Bool(true)));
        let one_line = |text: &str| text.replace(['\n', '\r'], " ");
        let payloads = valid.map(|test| one_line(document.text(member(test, "data").unwrap()))).collect();
        Case::new(document.text(member(case, "schema")?), payloads)
    };
    elements(Some(document.root())).iter().filter_map(case).collect()
}

#[test]
fn types_write_back_the_values_that_they_read() {
    let object =
        |properties: &str, rest: &str| format!(r#"{{"type": "object", "properties": {{{properties}}}{rest}}}"#);
    let own: Vec<(String, &[&str])> = vec![
        (
            object(r#""a": {"type": ["string", "null"]}"#, ""),
            &["{}", r#"{"a": null}"#, r#"{"a": "x"}"#, r#"{"b": 1, "a": "\u0000\ud83d\ude00"}"#],
        ),
        (
            object(
                r#""__proto__": {"type": "integer"}, "type": {}"#,
                r#", "additionalProperties": {"type": "number"}"#,
            ),
            &[r#"{"__proto__": 1.0, "x": 1e300, "y": -0.0, "type": [null]}"#, r#"{"__proto__": -9223372036854775808}"#],
        ),
        (
            object(r#""u": {"type": "integer", "minimum": 0}"#, ""),
            &[r#"{"u": 18446744073709551615}"#, r#"{"u": 1E3}"#, r#"{"u": -0.0}"#],
        ),
        (
            r#"{"enum": [1, "1", null, [1.0], {"a": {"b": 2}}, true]}"#.to_owned(),
            &["1.0", "\"1\"", "null", "[1]", "true", r#"{"a": {"b": 2.0}}"#],
        ),
        (
            r##"{"definitions": {"T": {"type": "array", "items": {"$ref": "#/definitions/T"}},
                "M": {"type": "object", "additionalProperties": {"$ref": "#/definitions/M"}}},
                "type": "object", "properties": {"t": {"$ref": "#/definitions/T"}, "m": {"$ref": "#/definitions/M"}}}"##
                .replace('\n', " "),
            &[r#"{"t": [[], [[[]]]], "m": {"a": {"b": {}}}}"#],
        ),
        (
            r#"{"type": "object", "required": ["v"], "oneOf": [
                {"properties": {"v": {"const": 1}, "a": {"type": "string"}}},
                {"properties": {"v": {"enum": [2, "two"]}, "b": {"type": ["integer", "null"]}}}]}"#
                .replace('\n', " "),
            &[r#"{"v": 1.0, "a": ""}"#, r#"{"v": "two", "b": null}"#, r#"{"b": 7, "v": 2}"#],
        ),
        (
            r#"{"anyOf": [{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
                {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]}]}"#
                .replace('\n', " "),
            &[r#"{"a": "x"}"#, r#"{"a": "x", "b": "y", "c": [1]}"#],
        ),
        (
            r#"{"type": ["string", "integer", "array", "null"], "items": {"type": "boolean"}}"#.to_owned(),
            &["\"\"", "3.0", "[true]", "null"],
        ),
        (r#"{"type": "integer"}"#.to_owned(), &["1.0", "1e3", "-0", "-9223372036854775808"]),
        (r#"{"type": ["integer", "null"]}"#.to_owned(), &["1.0", "null"]),
        (r#"{"type": "array", "items": {"type": "integer"}}"#.to_owned(), &["[1.0, 2]"]),
        (r#"{"type": "object", "additionalProperties": {"type": "integer"}}"#.to_owned(), &[r#"{"a": 1.0}"#]),
        (
            r##"{"definitions": {
                "M": {"type": "object", "properties": {"a": {"type": "integer"}}, "not": {"properties": {"a": {"const": 13}}, "required": ["a"]}},
                "U": {"anyOf": [{"$ref": "#/definitions/M"}, {"type": "object", "required": ["u"], "properties": {"u": {"$ref": "#/definitions/U"}}}]}},
                "type": "array", "items": {"$ref": "#/definitions/U"}}"##
                .replace('\n', " "),
            &[r#"[{"a": 12}, {"u": {"u": {"a": 1}}, "a": 1}]"#],
        ),
        (
            r#"{"type": "array", "items": [{"type": "integer", "maximum": 9}, {"type": ["string", "null"]}, {}], "minItems": 3, "maxItems": 3}"#
                .to_owned(),
            &["[1.0, null, {\"a\": [1]}]", "[9,\"\",null]"],
        ),
        (
            r#"{"type": "array", "items": [{"type": "integer"}, {"type": "string"}], "additionalItems": {"type": "boolean"}, "minItems": 1}"#
                .to_owned(),
            &["[1.0]", r#"[1, "a"]"#, r#"[1, "a", true, false]"#],
        ),
        (
            r##"{"definitions": {
                "T": {"type": "array", "items": [{"type": "string", "minLength": 1}, {"type": "array", "items": {"$ref": "#/definitions/T"}}], "minItems": 2, "maxItems": 2},
                "L": {"type": "array", "items": [{"type": "string", "minLength": 1}, {"anyOf": [{"$ref": "#/definitions/R"}, {"type": "null"}]}], "minItems": 2, "maxItems": 2},
                "R": {"type": "object", "required": ["l"], "properties": {"l": {"$ref": "#/definitions/L"}}}},
                "type": "array", "items": [{"$ref": "#/definitions/T"}, {"$ref": "#/definitions/R"}, {"$ref": "#/definitions/L"}], "minItems": 3, "maxItems": 3}"##
                .replace('\n', " "),
            &[r#"[["a", [["b", []], ["c", [["d", []]]]]], {"l": ["e", {"l": ["f", null]}]}, ["g", null]]"#],
        ),
        (
            r#"{"oneOf": [{"type": "array", "items": [{"type": "object", "properties": {"a": {"type": "integer"}}}, {"type": "boolean"}], "minItems": 2, "maxItems": 2},
                {"type": "array", "items": [{"type": "string"}, {"type": "boolean"}], "minItems": 2, "maxItems": 2}, {"type": "string"}]}"#
                .replace('\n', " "),
            &[r#"[{"a": 1, "b": 2}, true]"#, r#"["x", false]"#, "\"x\""],
        ),
        (
            r#"{"type": "array", "uniqueItems": true, "items": [{"type": "object", "properties": {"a": {}}}, {"type": "object"}], "minItems": 2, "maxItems": 2}"#
                .to_owned(),
            &[r#"[{"a": 1, "b": 2}, {"a": 1}]"#],
        ),
        ("false".to_owned(), &[]),
        ("true".to_owned(), &["[1, {\"a\": 1.5}]"]),
    ];
    let own = own.iter().map(|(schema, payloads)| {
        let payloads = payloads.iter().map(|p| (*p).to_owned()).collect();
        Case::after_its_equal(schema, payloads).unwrap_or_else(|| panic!("{schema}"))
    });
    let differences = differences(&own.collect::<Vec<_>>());
    assert!(differences.is_empty(), "{differences}");
}

#[test]
#[ignore = "reads the corpora in the folder that `CAPGEN_CORPUS` names"]
fn types_of_the_corpora_write_back_the_values_that_they_read() {
    let cases = corpora();
    println!("{} schemas, {} payloads", cases.len(), cases.iter().map(|c| c.payloads.len()).sum::<usize>());
    let differences = differences(&cases);
    assert!(differences.is_empty(), "{differences}");
}
