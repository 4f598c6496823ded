//! Findings about schemas that load and accept nothing, everything, or hardly anything.

use capgen_schema::{ExampleSettings, Json, Schema, Steps, Validator, contains, counterexamples, examples};
use proptest::prelude::*;

const STEPS: Steps = Steps(500_000);

fn schema(text: &str) -> Schema {
    Schema::parse(&text.parse().unwrap()).unwrap_or_else(|problems| panic!("{text}: {problems:?}"))
}

/// The codes and pointers of the findings.
fn found(text: &str) -> Vec<(String, String)> {
    let problems = schema(text).meaning(STEPS).into_iter();
    problems.map(|problem| (problem.code.as_str().to_owned(), problem.pointer)).collect()
}

fn check(text: &str, expected: &[(&str, &str)]) {
    let expected: Vec<(String, String)> =
        expected.iter().map(|(code, pointer)| ((*code).to_owned(), (*pointer).to_owned())).collect();
    assert_eq!(found(text), expected, "{text}");
}

/// Two closed objects, each of which requires a property that the other one does not have.
const CLOSED: &str = r#"{"allOf": [
    {"type": "object", "properties": {"a": {}}, "required": ["a"], "additionalProperties": false},
    {"type": "object", "properties": {"b": {}}, "required": ["b"], "additionalProperties": false}]}"#;

#[test]
fn a_side_that_accepts_nothing_is_an_error() {
    for text in [
        CLOSED,
        r#"{"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 1}"#,
        r#"{"oneOf": [{"type": "string"}, {"type": "string"}]}"#,
        r#"{"type": "string", "pattern": "^a$", "minLength": 2}"#,
        r#"{"type": "object", "required": ["a"], "properties": {"b": {}}, "additionalProperties": false}"#,
        r##"{"$ref": "#/definitions/A", "definitions": {"A": {"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#/definitions/A"}}}}}"##,
    ] {
        check(text, &[("E0130", "")]);
        assert!(schema(text).accepts_no_value(STEPS).is_some(), "{text}");
    }
    // These state it on purpose, or are reported by the loader.
    check("false", &[]);
    check("{}", &[]);
}

#[test]
fn a_part_that_accepts_nothing_is_reported_where_its_cause_is() {
    let property = |inner: &str| format!(r#"{{"type": "object", "properties": {{"p": {inner}}}}}"#);
    check(&property(CLOSED), &[("W0103", "/properties/p")]);
    check(&property(&property(CLOSED)), &[("W0103", "/properties/p/properties/p")]);
    check(
        &property(r#"{"type": "array", "items": {"allOf": [{"minimum": 2, "type": "number"}, {"maximum": 1}]}}"#),
        &[("W0103", "/properties/p/items")],
    );
    let required = format!(r#"{{"required": ["p"], {}"#, property(CLOSED).trim_start_matches('{'));
    check(&required, &[("E0130", ""), ("W0103", "/properties/p")]);
    check(&property(&required), &[("W0103", "/properties/p/properties/p")]);
    // A cycle of required properties is one cause.
    let cycle = r##"{"properties": {"n": {"$ref": "#/definitions/A"}}, "definitions": {
        "A": {"type": "object", "required": ["b"], "properties": {"b": {"$ref": "#/definitions/B"}}},
        "B": {"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#/definitions/A"}}}}}"##;
    check(cycle, &[("W0103", "/definitions/A")]);
    // The loader has the warning.
    check(&property(r#"{"type": "integer", "minimum": 2, "maximum": 1}"#), &[]);
    // A negated schema may accept nothing.
    check(&property(&format!(r#"{{"not": {CLOSED}}}"#)), &[]);
    check(&property("false"), &[]);
}

#[test]
fn a_union_with_a_branch_that_accepts_everything_is_reported() {
    check(r#"{"anyOf": [{"type": "string"}, {"title": "nothing"}]}"#, &[("W0113", "/anyOf/1")]);
    check(r#"{"oneOf": [true, {"type": "string"}]}"#, &[("W0113", "/oneOf/0")]);
    check(
        r##"{"anyOf": [{"type": "string"}, {"$ref": "#/definitions/J"}], "definitions": {"J": {"type": ["null", "boolean", "number", "string", "array", "object"]}}}"##,
        &[("W0113", "/anyOf/1")],
    );
    check(r#"{"anyOf": [{"type": "string"}, {"type": "null"}]}"#, &[]);
    // A list of one branch is not a union.
    check(r#"{"anyOf": [{}]}"#, &[]);
}

#[test]
fn a_one_of_whose_usual_values_match_several_branches_is_reported() {
    let object = |name: &str| format!(r#"{{"type": "object", "properties": {{"{name}": {{"type": "string"}}}}}}"#);
    check(&format!(r#"{{"oneOf": [{}, {}]}}"#, object("a"), object("b")), &[("W0114", "/oneOf")]);
    check(&format!(r#"{{"anyOf": [{}, {}]}}"#, object("a"), object("b")), &[]);
    let closed = |name: &str| {
        format!(
            r#"{{"type": "object", "properties": {{"{name}": {{}}}}, "required": ["{name}"], "additionalProperties": false}}"#
        )
    };
    check(&format!(r#"{{"oneOf": [{}, {}]}}"#, closed("a"), closed("b")), &[]);
    check(r#"{"oneOf": [{"type": "integer"}, {"type": "number"}]}"#, &[]);
    check(r#"{"oneOf": [{"type": "integer"}, {"type": "string"}]}"#, &[]);
}

#[test]
fn a_hostile_schema_takes_no_more_than_its_budget() {
    // Each branch multiplies the cases of the ones before it.
    let branch = |i: usize| {
        format!(r#"{{"oneOf": [{{"required": ["a{i}"]}}, {{"required": ["b{i}"]}}, {{"required": ["c{i}"]}}]}}"#)
    };
    let branches: Vec<String> = (0..100).map(branch).collect();
    let text = format!(
        r#"{{"properties": {{"p": {{"allOf": [{}]}}}}, "allOf": [{}]}}"#,
        branches.join(","),
        branches.join(",")
    );
    let _ = schema(&text).meaning(STEPS);
    let wide: Vec<String> =
        (0..2_000).map(|i| format!(r#""p{i}": {{"oneOf": [{{"minLength": {i}}}, {{"maxLength": {i}}}]}}"#)).collect();
    let _ = schema(&format!(r#"{{"properties": {{{}}}}}"#, wide.join(","))).meaning(STEPS);
    let branches: Vec<String> = (0..16_000).map(|i| format!(r#"{{"required": ["p{i}"]}}"#)).collect();
    check(&format!(r#"{{"oneOf": [{}]}}"#, branches.join(",")), &[]);
}

/// `depth` definitions, each with two required properties of the next one, or two items: the smallest value has twice
/// as many parts for each of them.
fn doubled(depth: usize, is_array: bool) -> Schema {
    let both = |i: usize| match is_array {
        false => format!(
            r##""required": ["a", "b"], "properties": {{"a": {{"$ref": "#/definitions/d{i}"}}, "b": {{"$ref": "#/definitions/d{i}"}}}}"##
        ),
        true => format!(r##""minItems": 2, "items": {{"$ref": "#/definitions/d{i}"}}"##),
    };
    let kind = if is_array { "array" } else { "object" };
    let definitions: String =
        (0..depth).map(|i| format!(r#""d{i}": {{"type": "{kind}", {}}}, "#, both(i + 1))).collect();
    schema(&format!(
        r##"{{"$ref": "#/definitions/d0", "definitions": {{{definitions}"d{depth}": {{"type": "string"}}}}}}"##
    ))
}

#[test]
fn definitions_that_double_the_smallest_value_take_no_more_than_the_budget() {
    for is_array in [false, true] {
        assert_eq!(doubled(6, is_array).meaning(STEPS), []);
        for depth in [20, 60] {
            let hostile = doubled(depth, is_array);
            assert_eq!(hostile.meaning(STEPS), []);
            let settings = ExampleSettings { count: None, seed: 0, steps: STEPS };
            assert!(examples(&hostile, settings).is_err());
            assert!(
                !counterexamples(&hostile, settings).found.is_empty(),
                "other types than that of the root violate it"
            );
            let other = schema(r#"{"type": "object", "maxProperties": 1}"#);
            let _ = contains(&other, &hostile, STEPS);
        }
    }
}

fn json() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "1",
        "0.5",
        "\"a\"",
        "\"\"",
        "null",
        "true",
        "[]",
        "{}",
        r#"{"a":1}"#,
        r#"{"a":"x","b":null}"#,
        "[1,1]",
    ]);
    leaf.prop_map(str::to_owned)
}

proptest! {
    /// A schema that accepts a value is never said to accept none.
    #[test]
    fn a_schema_that_accepts_a_value_is_not_reported(seed in 0_usize..6, values in prop::collection::vec(json(), 1..4), limit in 0_u32..3) {
        let values: Vec<Json> = values.iter().map(|text| text.parse().unwrap()).collect();
        let listed = Json::Array(values.clone()).canonical();
        let text = match seed {
            0 => format!(r#"{{"enum": {listed}}}"#),
            1 => format!(r#"{{"oneOf": [{{"enum": {listed}}}, {{"type": "string", "minLength": {limit}}}]}}"#),
            2 => format!(r#"{{"allOf": [{{"enum": {listed}}}, {{"maxItems": {limit}}}]}}"#),
            3 => format!(r#"{{"not": {{"enum": {listed}}}, "type": ["string", "null"], "maxLength": {limit}}}"#),
            4 => format!(r#"{{"allOf": [{{"required": ["a"]}}, {{"enum": {listed}}}]}}"#),
            _ => format!(r#"{{"anyOf": [{{"enum": {listed}, "type": "object"}}, {{"const": {limit}}}]}}"#),
        };
        if let Ok(schema) = Schema::parse_text(&text) {
            let validator = Validator::new(&schema);
            let accepts = values.iter().any(|value| validator.is_valid_exact(&capgen_schema::ExactPayload::parse(value.canonical().as_bytes()).unwrap()));
            if accepts {
                prop_assert!(schema.accepts_no_value(STEPS).is_none(), "{}", text);
                prop_assert!(!schema.meaning(STEPS).iter().any(|problem| problem.pointer.is_empty()), "{}", text);
            }
        }
    }
}
