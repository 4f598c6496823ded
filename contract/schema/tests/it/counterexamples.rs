//! Payloads that violate each assertion of a schema, with the violation that shows it.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use capgen_schema::{ExampleSettings, Json, Keyword, Schema, counterexamples};

/// The payloads as lines: the keyword and the path of the expected violation, and the payload.
fn violated(text: &str) -> Vec<String> {
    let result = counterexamples(&Schema::parse_text(text).unwrap(), ExampleSettings::default());
    assert_eq!(result.undecided, 0, "{text}");
    let line = |violation: &capgen_schema::Violation, payload: &Json| {
        format!("{} {:?} {}", violation.keyword, violation.path, payload.canonical())
    };
    result.found.iter().map(|example| line(&example.expected, &example.payload)).collect()
}

/// Checks that some payloads are among the counterexamples.
fn shows(text: &str, expected: &[&str]) {
    let found = violated(text);
    for line in expected {
        assert!(found.iter().any(|other| other == line), "no {line} for {text}: {found:#?}");
    }
}

const TAGGED: &str = r#"{"oneOf": [
    {"type": "object", "required": ["kind", "n"], "additionalProperties": false,
     "properties": {"kind": {"const": "a"}, "n": {"type": "integer", "minimum": 3}}},
    {"type": "object", "required": ["kind", "s"],
     "properties": {"kind": {"const": "b"}, "s": {"type": "string", "maxLength": 2, "pattern": "^x"}}}]}"#;

#[test]
fn a_tagged_union_is_violated_by_another_type_a_missing_tag_and_an_unknown_tag() {
    let expected = [
        r#"type "" null"#,
        r#"required "/kind" {"n":3}"#,
        r#"enum "/kind" {"kind":"","n":3}"#,
        r#"enum "/kind" {"kind":"","s":"x"}"#,
        r#"additionalProperties "/a" {"a":null,"kind":"a","n":3}"#,
        r#"minimum "/n" {"kind":"a","n":0}"#,
        r#"maxLength "/s" {"kind":"b","s":"xaa"}"#,
        r#"pattern "/s" {"kind":"b","s":""}"#,
    ];
    shows(TAGGED, &expected);
    // The same union below a property and an array.
    let inside = format!(
        r#"{{"type": "object", "required": ["u"], "properties": {{"u": {{"type": "array", "items": {TAGGED}}}}}}}"#
    );
    let moved = |line: &&str| {
        let (keyword, rest) = line.split_once(" \"").unwrap();
        let (path, payload) = rest.split_once("\" ").unwrap();
        format!(r#"{keyword} "/u/0{path}" {{"u":[{payload}]}}"#)
    };
    let expected: Vec<String> = expected.iter().map(moved).collect();
    shows(&inside, &expected.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn a_tag_may_be_in_a_definition_a_combination_or_a_property_beside_the_union() {
    let by_reference = r##"{"anyOf": [{"$ref": "#/definitions/a"}, {"$ref": "#/definitions/b"}], "definitions": {
        "a": {"type": "object", "required": ["kind"], "properties": {"kind": {"enum": ["a1", "a2"]}}},
        "b": {"allOf": [{"type": "object", "required": ["kind"]}, {"properties": {"kind": {"const": "b"}}}]}}}"##;
    shows(by_reference, &[r#"type "" null"#, r#"required "/kind" {}"#, r#"enum "/kind" {"kind":""}"#]);
    let numbers = r#"{"oneOf": [
        {"type": "object", "required": ["v"], "properties": {"v": {"const": 1}}},
        {"type": "object", "required": ["v"], "properties": {"v": {"const": 2}}}]}"#;
    shows(numbers, &[r#"enum "/v" {"v":0}"#]);
}

#[test]
fn values_outside_of_an_enum_have_the_type_of_its_members() {
    shows(r#"{"enum": ["low", "high"]}"#, &[r#"enum "" """#]);
    shows(r#"{"enum": ["", "a"]}"#, &[r#"enum "" "b""#]);
    shows(r#"{"enum": [0, 1]}"#, &[r#"enum "" -1"#]);
    shows(r#"{"const": "x"}"#, &[r#"const "" """#]);
    shows(r#"{"const": {"a": 1}}"#, &[r#"const "" {}"#]);
    shows(r#"{"const": [1]}"#, &[r#"const "" []"#]);
    shows(r#"{"const": true}"#, &[r#"const "" false"#]);
    // There is no other value of the type.
    shows(r#"{"enum": [true, false]}"#, &[r#"enum "" null"#]);
    shows(r#"{"type": "boolean", "enum": [true, false]}"#, &[r#"type "" null"#]);
    shows(r#"{"const": null}"#, &[r#"const "" false"#]);
    shows(r#"{"type": "integer", "enum": [0, 5]}"#, &[r#"type "" null"#, r#"enum "" 1"#]);
}

#[test]
fn unions_fail_as_a_whole_and_match_twice() {
    let keys = r#"{"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}"#;
    shows(keys, &[r#"type "" null"#, r#"anyOf "" {}"#]);
    let overlapping = r#"{"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 1}]}"#;
    shows(overlapping, &[r#"type "" null"#, r#"oneOf "" 1"#]);
    let strings = r#"{"anyOf": [{"type": "string", "maxLength": 1}, {"type": "string", "pattern": "^x"}]}"#;
    shows(strings, &[r#"type "" null"#, r#"anyOf "" "aa""#]);
    // Of a union without any type, no other value than those of the branches violates it.
    shows(r#"{"oneOf": [{"minimum": 3}, {"maxLength": 1}]}"#, &[r#"oneOf "" null"#]);
    shows(r#"{"anyOf": [{"not": {"type": "null"}}]}"#, &["not \"\" null"]);
}

#[test]
fn assertions_in_branches_of_every_kind_are_violated() {
    let nullable = r#"{"type": "object", "properties": {"at": {"anyOf": [{"type": "string", "format": "uuid"}, {"type": "null"}]}}}"#;
    shows(nullable, &[r#"type "/at" {"at":false}"#, r#"format "/at" {"at":""}"#]);
    let nested = r#"{"anyOf": [{"type": "null"}, {"oneOf": [
        {"type": "array", "items": {"type": "integer", "maximum": 2}, "minItems": 1, "uniqueItems": true},
        {"type": "object", "additionalProperties": {"enum": ["x"]}}]}]}"#;
    shows(
        nested,
        &[
            r#"minItems "" []"#,
            r#"uniqueItems "" [0,0]"#,
            r#"maximum "/0" [3]"#,
            r#"type "/0" [null]"#,
            r#"enum "/a" {"a":""}"#,
        ],
    );
    let all_of =
        r#"{"allOf": [{"anyOf": [{"type": "string", "minLength": 2}, {"type": "integer"}]}, {"maxLength": 3}]}"#;
    shows(all_of, &[r#"type "" null"#, r#"minLength "" """#, r#"maxLength "" "aaaa""#]);
}

#[test]
fn a_branch_that_accepts_nothing_or_has_no_required_tag_is_violated() {
    let contradictory = r#"{"oneOf": [
        {"type": "object", "required": ["kind"], "properties": {"kind": {"const": "a"}, "v": {"type": "null"}}},
        {"type": "object", "required": ["kind", "v"], "properties": {"kind": {"const": "b"}, "v": {"type": "string", "minimum": 3, "enum": [1]}}}]}"#;
    shows(
        contradictory,
        &[r#"required "/kind" {}"#, r#"enum "/kind" {"kind":""}"#, r#"type "/v" {"kind":"a","v":false}"#],
    );
    let optional = r#"{"anyOf": [
        {"type": "object", "required": ["v"], "properties": {"kind": {"const": "a"}, "v": {"type": "string", "maxLength": 1}}},
        {"type": "object", "required": ["v"], "properties": {"kind": {"const": "b"}, "v": {"type": "string", "pattern": "^xx"}}}]}"#;
    // Without the tag, the union would be reported instead.
    let expected = [r#"anyOf "" {}"#, r#"maxLength "/v" {"kind":"a","v":"aa"}"#, r#"pattern "/v" {"kind":"b","v":""}"#];
    shows(optional, &expected);
}

#[test]
fn a_recursive_schema_is_violated_at_its_root_and_one_level_below() {
    let tree = r##"{"$ref": "#/definitions/t", "definitions": {"t": {"type": "object", "required": ["value"],
        "properties": {"value": {"type": "integer"}, "children": {"type": "array", "items": {"$ref": "#/definitions/t"}}}}}}"##;
    shows(
        tree,
        &[
            r#"type "" null"#,
            r#"type "/value" {"value":null}"#,
            r#"type "/children" {"children":null,"value":0}"#,
            r#"type "/children/0" {"children":[null],"value":0}"#,
            r#"required "/children/0/value" {"children":[{}],"value":0}"#,
        ],
    );
}

#[test]
fn each_keyword_of_the_subset_is_violated() {
    let cases = [
        (Keyword::Type, r#"{"type": "string"}"#),
        (Keyword::Type, r#"{"type": ["string", "null"]}"#),
        (Keyword::False, r#"{"properties": {"a": false}}"#),
        (Keyword::False, r#"{"items": false}"#),
        (Keyword::Enum, r#"{"enum": [1, "a"]}"#),
        (Keyword::Const, r#"{"const": {"a": [1]}}"#),
        (Keyword::Minimum, r#"{"minimum": 0.5}"#),
        (Keyword::Maximum, r#"{"maximum": -7}"#),
        (Keyword::ExclusiveMinimum, r#"{"exclusiveMinimum": 3}"#),
        (Keyword::ExclusiveMaximum, r#"{"exclusiveMaximum": 3}"#),
        (Keyword::MultipleOf, r#"{"multipleOf": 0.1}"#),
        (Keyword::MinLength, r#"{"minLength": 1}"#),
        (Keyword::MaxLength, r#"{"maxLength": 3}"#),
        (Keyword::Pattern, r#"{"pattern": "^a+$"}"#),
        (Keyword::Format, r#"{"format": "uuid"}"#),
        (Keyword::Format, r#"{"format": "email"}"#),
        (Keyword::Format, r#"{"format": "uri"}"#),
        (Keyword::Format, r#"{"format": "uri-reference"}"#),
        (Keyword::Format, r#"{"format": "date-time"}"#),
        (Keyword::MinItems, r#"{"minItems": 1}"#),
        (Keyword::MaxItems, r#"{"maxItems": 2}"#),
        (Keyword::UniqueItems, r#"{"uniqueItems": true}"#),
        (Keyword::Contains, r#"{"contains": {"const": 1}}"#),
        (Keyword::Contains, r#"{"items": {"type": "integer"}, "contains": {"minimum": 3}}"#),
        (Keyword::Required, r#"{"required": ["a"]}"#),
        (Keyword::PropertyNames, r#"{"propertyNames": {"pattern": "^[x-z]{2}$"}}"#),
        (Keyword::PropertyNames, r#"{"propertyNames": {"maxLength": 3}, "properties": {"ab": true}}"#),
        (Keyword::MinProperties, r#"{"minProperties": 2}"#),
        (Keyword::MaxProperties, r#"{"maxProperties": 1}"#),
        (Keyword::DependentRequired, r#"{"dependentRequired": {"a": ["b"]}}"#),
        (Keyword::AdditionalProperties, r#"{"properties": {"a": true}, "additionalProperties": false}"#),
        (Keyword::AnyOf, r#"{"anyOf": [{"minLength": 3}, {"pattern": "^a"}]}"#),
        (Keyword::OneOf, r#"{"oneOf": [{"minLength": 3}, {"pattern": "^a"}]}"#),
        (Keyword::Not, r#"{"not": {"minimum": 3}}"#),
    ];
    let places: [(&str, &str); 11] = [
        ("{}", ""),
        (r#"{"type": "object", "properties": {"p": {}}}"#, "/p"),
        (r#"{"type": "object", "required": ["p"], "properties": {"p": {}}, "additionalProperties": false}"#, "/p"),
        (r#"{"type": "array", "items": {}}"#, "/0"),
        (r#"{"type": "object", "additionalProperties": {}}"#, "/a"),
        (r#"{"allOf": [{}, {"title": "other"}]}"#, ""),
        (r#"{"if": {"not": {"const": "other"}}, "then": {}}"#, ""),
        (
            r#"{"type": "object", "required": ["p"], "if": {"required": ["q"]}, "else": {"properties": {"p": {}}}}"#,
            "/p",
        ),
        (r#"{"anyOf": [{"type": "object", "required": ["p"], "properties": {"p": {}}}, {"type": "null"}]}"#, "/p"),
        (r##"{"type": "array", "items": {"$ref": "#/definitions/d"}, "definitions": {"d": {}}}"##, "/0"),
        (
            r#"{"oneOf": [{"type": "object", "required": ["kind"], "properties": {"kind": {"const": "a"}, "p": {"items": {}}}},
                {"type": "object", "required": ["kind"], "properties": {"kind": {"const": "b"}}}]}"#,
            "/p/0",
        ),
    ];
    let mut keywords = BTreeSet::new();
    for (keyword, schema) in cases {
        keywords.insert(keyword);
        for (place, path) in places {
            let text = place.replace("{}", schema);
            let result = counterexamples(&Schema::parse_text(&text).unwrap(), ExampleSettings::default());
            let is_at_place = |found: &str| found.strip_prefix(path).is_some_and(|rest| !rest.contains("/p/"));
            let found = result.found.iter().any(|example| {
                example.keyword == keyword && example.expected.keyword == keyword && is_at_place(&example.expected.path)
            });
            assert!(found && result.undecided == 0, "{keyword} in {text}: {:#?}", result.found);
        }
    }
    let other = [Keyword::Depth, Keyword::Schema];
    let missing: Vec<_> = Keyword::ALL.into_iter().filter(|k| !keywords.contains(k) && !other.contains(k)).collect();
    assert_eq!(missing, []);
}
