//! The generated Rust type reads every valid payload and writes back every declared property with the same value.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use capgen_codegen::Language;
use capgen_manifest::Data;
use capgen_schema::{Json, Schema};
use capgen_tests::agreement::round_trip::compare;
use capgen_tests::contract::{Draft, contract, generated};
use capgen_tests::corpus::{self, Document, elements, member};
use capgen_tests::rust_package::{Package, succeed};

/// A schema and payloads that it accepts, as JSON texts.
struct Case {
    schema: Schema,
    code: String,
    payloads: Vec<String>,
}

impl Case {
    fn new(schema: &str, payloads: Vec<String>) -> Option<Self> {
        Self::of(&[Draft::request("root", schema)], payloads)
    }

    /// A capability with the same schema comes first, so that the types of definitions belong to it.
    fn after_its_equal(schema: &str, payloads: Vec<String>) -> Option<Self> {
        Self::of(&[Draft::request("first", schema), Draft::request("root", schema)], payloads)
    }

    fn of(capabilities: &[Draft], payloads: Vec<String>) -> Option<Self> {
        let contract = contract("agent", capabilities).ok()?;
        let schema = contract.capabilities.last()?.input.clone()?;
        let code = generated(&contract, Language::Rust);
        Some(Self { schema, code, payloads })
    }
}

/// A program that reads lines of `<case> <payload>` and prints each payload as its type writes it, or `error: ` and the
/// reason why it was rejected.
fn program(cases: &[Case]) -> Package {
    let mut files = Vec::new();
    let mut main = String::from(
        "use capgen::Payload as _;
use std::io::BufRead as _;
fn round_trip<C: capgen::Capability>(json: &str) -> String {
    let value: serde_json::Value = capgen::Payload::from_json_str(json).unwrap();
    let read = match C::Request::from_json(json.as_bytes()) {
        Ok(read) => read,
        Err(error) => return format!(\"error: {error}\"),
    };
    let written = String::from_utf8(read.to_json().unwrap()).unwrap();
    read.validate().unwrap();
    let others: [C::Request; 2] = [C::Request::from_value(&value).unwrap(), serde_json::from_str(json).unwrap()];
    for other in others {
        assert_eq!(String::from_utf8(other.to_json().unwrap()).unwrap(), written);
        assert_eq!(serde_json::to_string(&other).unwrap(), written);
    }
    written
}
",
    );
    let mut arms = String::new();
    for (index, case) in cases.iter().enumerate() {
        files.push((format!("m{index}.rs"), case.code.clone()));
        writeln!(main, "mod m{index};").unwrap();
        writeln!(arms, "            \"{index}\" => round_trip::<m{index}::Root>(json),").unwrap();
    }
    write!(
        main,
        "fn main() {{
    for line in std::io::stdin().lock().lines() {{
        let line = line.unwrap();
        let (case, json) = line.split_once(' ').unwrap();
        println!(\"{{}}\", match case {{\n{arms}            _ => unreachable!(),\n        }});
    }}
}}
"
    )
    .unwrap();
    files.push(("main.rs".to_owned(), main));
    Package::write(env!("CARGO_TARGET_TMPDIR"), "round-trip", "2024", &files).unwrap()
}

/// The program's answers for each payload of each case.
fn answers(cases: &[Case]) -> Vec<Vec<String>> {
    let package = program(cases);
    succeed(&mut package.cargo("build")).unwrap_or_else(|e| panic!("{e}"));
    let mut command: Command = package.cargo("run");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let lines: String = cases.iter().enumerate().fold(String::new(), |mut lines, (index, case)| {
        case.payloads.iter().for_each(|payload| writeln!(lines, "{index} {payload}").unwrap());
        lines
    });
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut answers = text.lines().map(str::to_owned);
    cases.iter().map(|case| answers.by_ref().take(case.payloads.len()).collect()).collect()
}

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
    for (case, answers) in cases.iter().zip(answers(cases)) {
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

fn corpus() -> Vec<Case> {
    let Some(path) = corpus::path("capability-schemas.json") else { return Vec::new() };
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
        ("false".to_owned(), &[]),
        ("true".to_owned(), &["[1, {\"a\": 1.5}]"]),
    ];
    let own = own.iter().map(|(schema, payloads)| {
        let payloads = payloads.iter().map(|p| (*p).to_owned()).collect();
        Case::after_its_equal(schema, payloads).unwrap_or_else(|| panic!("{schema}"))
    });
    let cases: Vec<Case> = own.chain(corpus()).collect();
    println!("{} schemas, {} payloads", cases.len(), cases.iter().map(|c| c.payloads.len()).sum::<usize>());
    let differences = differences(&cases);
    assert!(differences.is_empty(), "{differences}");
}
