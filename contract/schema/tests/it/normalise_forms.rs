//! Keywords in the form of another draft, and keywords that a draft does not have.

use capgen_schema::{Reading, has_keywords_of_other_drafts, normalise_noting};
use serde_json::{Value, json};

use crate::normalise::json_of;

const DRAFT_04: &str = "http://json-schema.org/draft-04/schema#";
const DRAFT_06: &str = "http://json-schema.org/draft-06/schema#";
const DRAFT_07: &str = "http://json-schema.org/draft-07/schema#";
const DRAFT_2019: &str = "https://json-schema.org/draft/2019-09/schema";
const DRAFT_2020: &str = "https://json-schema.org/draft/2020-12/schema";
const OPENAPI_3_0: &str = "https://spec.openapis.org/oas/3.0/schema/2021-09-28";
const OPENAPI_3_1: &str = "https://spec.openapis.org/oas/3.1/dialect/base";

fn with(dialect: Option<&str>, mut schema: Value) -> Value {
    if let Some(dialect) = dialect {
        schema["$schema"] = json!(dialect);
    }
    schema
}

/// The output without `$schema`, and the pointers of the notes with one reading; there are no others.
fn read(dialect: Option<&str>, schema: &Value, reading: Reading) -> (String, Vec<String>) {
    let source = json_of(&with(dialect, schema.clone()));
    let (mut output, notes) = normalise_noting(&source).unwrap_or_else(|problems| panic!("{schema}: {problems:?}"));
    assert_eq!(has_keywords_of_other_drafts(&json_of(schema), dialect), !notes.is_empty(), "{schema} {dialect:?}");
    if let capgen_schema::Json::Object(members) = &mut output {
        members.set("$schema", None);
    }
    assert!(notes.iter().all(|note| note.reading == reading), "{notes:?}");
    (output.canonical(), notes.into_iter().map(|note| note.pointer).collect())
}

#[track_caller]
fn check(dialect: Option<&str>, schema: Value, expected: Value, notes: &[&str]) {
    let (output, places) = read(dialect, &schema, Reading::OtherForm);
    assert_eq!((output, places), (json_of(&expected).canonical(), notes.iter().map(|at| (*at).to_owned()).collect()));
}

#[test]
fn exclusive_bounds_have_two_forms() {
    let flag = json!({"items": {"minimum": 3, "exclusiveMinimum": true, "exclusiveMaximum": false}});
    let number = json!({"items": {"exclusiveMinimum": 3}});
    let places = ["/items/exclusiveMaximum", "/items/exclusiveMinimum"];
    for dialect in [DRAFT_06, DRAFT_07, DRAFT_2019, DRAFT_2020, OPENAPI_3_1] {
        check(Some(dialect), flag.clone(), number.clone(), &places);
        check(Some(dialect), number.clone(), number.clone(), &[]);
    }
    for dialect in [DRAFT_04, OPENAPI_3_0] {
        check(Some(dialect), flag.clone(), number.clone(), &[]);
        check(Some(dialect), number.clone(), number.clone(), &["/items/exclusiveMinimum"]);
    }
    check(None, flag, number.clone(), &[]);
    check(None, number.clone(), number, &[]);
}

#[test]
fn tuples_have_two_forms() {
    let tuple = json!({"items": [{"type": "null"}, {"type": "string"}], "additionalItems": false});
    check(Some(DRAFT_2020), tuple.clone(), tuple.clone(), &["/items"]);
    for dialect in [Some(DRAFT_04), Some(DRAFT_07), Some(DRAFT_2019), Some(OPENAPI_3_1), None] {
        check(dialect, tuple.clone(), tuple.clone(), &[]);
    }
}

#[test]
fn boolean_schemas_are_not_of_draft_04() {
    let schema = json!({"properties": {"a": true}, "anyOf": [false, {"type": "null"}], "additionalProperties": false});
    check(Some(DRAFT_04), schema.clone(), schema.clone(), &["/anyOf/0", "/properties/a"]);
    check(Some(DRAFT_06), schema.clone(), schema, &[]);
}

/// Keywords of the subset that a draft does not have assert nothing in it, whatever else the schema has.
#[test]
fn keywords_that_a_draft_lacks_are_ignored() {
    let cases = [
        ("if", json!({"if": {"type": "null"}, "then": {"minLength": 1}}), &[DRAFT_04, DRAFT_06][..], DRAFT_07),
        ("contains", json!({"contains": {"type": "null"}}), &[DRAFT_04], DRAFT_06),
        ("const", json!({"const": 1}), &[DRAFT_04], DRAFT_06),
        ("propertyNames", json!({"propertyNames": {"pattern": "^a"}}), &[DRAFT_04], DRAFT_06),
        ("dependentRequired", json!({"dependentRequired": {"a": ["b"]}}), &[DRAFT_04, DRAFT_06, DRAFT_07], DRAFT_2019),
        ("dependencies", json!({"dependencies": {"a": ["b"]}}), &[DRAFT_2019, DRAFT_2020], DRAFT_07),
    ];
    for (name, keywords, without, with) in cases {
        for beside in [json!({}), json!({"type": "object"}), json!({"maximum": 1, "nullable": true, "anyOf": [{}]})] {
            let mut schema = beside.clone();
            schema.as_object_mut().unwrap().extend(keywords.as_object().unwrap().clone());
            for dialect in without {
                let source = json_of(&self::with(Some(*dialect), json!({"items": schema})));
                let (output, notes) = normalise_noting(&source).unwrap();
                let items = output.get("items").unwrap();
                assert!(keywords.as_object().unwrap().keys().all(|name| items.get(name).is_none()), "{output}");
                let is_noted = |note: &capgen_schema::Loss| note.reading == Reading::Ignored && note.name == name;
                assert!(notes.iter().any(is_noted), "{name} {dialect}: {notes:?}");
            }
        }
        let (output, notes) = read(Some(with), &keywords, Reading::Ignored);
        assert!(output != "{}" && notes.is_empty(), "{name}: {output}");
        assert!(!has_keywords_of_other_drafts(&json_of(&keywords), None));
    }
    // Annotations of other drafts have no effect on the payloads, so they stay for documentation.
    let annotations = json!({"examples": [1], "deprecated": true, "readOnly": true, "$comment": "c", "format": "uuid"});
    check(Some(DRAFT_04), annotations.clone(), annotations, &[]);
}
