//! Conditions (`if`, `then` and `else`) and `contains`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use capgen_schema::{
    Containment, ExampleSettings, Json, Keyword, Schema, Steps, Validator, codes, counterexamples, examples,
    smallest_value,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::brute_force::{check, check_comparisons, contained, parsed};

/// A payment: a card needs a number, anything else an account of six letters.
fn payment() -> Value {
    json!({
        "type": "object",
        "properties": {"method": {"type": "string"}},
        "required": ["method"],
        "if": {"properties": {"method": {"const": "card"}}},
        "then": {"properties": {"number": {"type": "integer"}}, "required": ["number"]},
        "else": {"properties": {"account": {"minLength": 6}}, "required": ["account"]}
    })
}

#[test]
fn the_violations_of_the_branch_that_applies_are_reported_at_their_places() {
    check(&payment(), &json!({"method": "card", "number": 1}), &[]);
    check(&payment(), &json!({"method": "debit", "account": "123456", "number": "x"}), &[]);
    check(&payment(), &json!({"method": "card"}), &["/number: missing required property \"number\" [required]"]);
    check(
        &payment(),
        &json!({"method": "card", "number": "x", "account": "1"}),
        &["/number: expected integer, got string [type]"],
    );
    check(
        &payment(),
        &json!({"method": "debit", "account": "1"}),
        &["/account: must have at least 6 characters, got \"1\" [minLength]"],
    );
    // The condition itself asserts nothing.
    check(&json!({"if": {"type": "string"}, "then": {"minLength": 1}}), &json!(1), &[]);
    check(&json!({"if": {"type": "string"}, "else": {"minimum": 1}}), &json!(""), &[]);
    check(&json!({"if": true, "then": false}), &json!(1), &[": no value is allowed here [false]"]);
    let nested = json!({"if": {"minimum": 1}, "then": {"if": {"minimum": 2}, "then": {"maximum": 3}, "else": false}});
    check(&nested, &json!(4), &[": must be at most 3, got 4 [maximum]"]);
    check(&nested, &json!(1), &[": no value is allowed here [false]"]);
    // A value of the wrong type has no other violation.
    check(
        &json!({"type": "string", "if": {}, "then": {"minimum": 2}}),
        &json!(1),
        &[": expected string, got integer [type]"],
    );
}

#[test]
fn an_array_without_a_matching_item_has_one_violation() {
    let schema = json!({"items": {"type": "integer"}, "contains": {"minimum": 3}});
    let message = ": no item matches the schema in contains [contains]";
    check(&schema, &json!([1, 3]), &[]);
    check(&schema, &json!({"a": 1}), &[]);
    check(&schema, &json!([]), &[message]);
    check(&schema, &json!([1, 2]), &[message]);
    check(
        &schema,
        &json!([1, "x", 2.5]),
        &["/1: expected integer, got string [type]", "/2: expected integer, got number [type]"],
    );
    check(&json!({"contains": true, "maxItems": 1}), &json!([]), &[message]);
    check(&json!({"contains": {"contains": {"const": 1}}}), &json!([[2], [], 3]), &[]);
    check(&json!({"items": {"type": "array"}, "contains": {"contains": {"const": 1}}}), &json!([[2], []]), &[message]);
}

#[test]
fn payloads_that_are_nested_too_deeply_are_invalid() {
    let nested = |depth| (0..depth).fold(json!(1), |inner, _| json!([inner]));
    let recursive = json!({"$ref": "#/definitions/a", "definitions": {"a": {
        "if": {"type": "array"}, "then": {"contains": {"$ref": "#/definitions/a"}}, "else": {"type": "integer"}}}});
    for schema in [
        recursive,
        json!({"contains": true}),
        json!({"contains": {"type": "array"}}),
        json!({"if": {"items": {"items": true}}, "then": true, "else": {"type": "array"}}),
        json!({"if": {"type": "array"}, "then": {"minItems": 1}, "else": false}),
        json!({"if": {"type": "integer"}, "else": {"type": "array"}}),
    ] {
        let validator = Validator::new(&parsed(&schema));
        assert!(validator.is_valid(&nested(100)), "{schema}");
        for depth in [129, 200] {
            assert!(!validator.is_valid(&nested(depth)), "{schema} {depth}");
            assert_eq!(validator.validate(&nested(depth))[0].keyword, Keyword::Depth, "{schema} {depth}");
        }
    }
}

#[test]
fn items_that_several_schemas_describe_are_checked_in_time_linear_in_the_depth() {
    // Each level leads to the next one in two ways: 2^100 in all.
    let array = json!({"items": {"$ref": "#/definitions/a"}, "contains": {"$ref": "#/definitions/a"}});
    let object = json!({"patternProperties": {"a": {"$ref": "#/definitions/a"}, "b": {"$ref": "#/definitions/a"}}});
    let condition = json!({"if": {"properties": {"ab": {"$ref": "#/definitions/a"}}},
        "then": {"properties": {"ab": {"$ref": "#/definitions/a"}}}, "else": {"properties": {"ab": {"$ref": "#/definitions/a"}}}});
    let arrays = (0..100).fold(json!(1), |inner, _| json!([inner]));
    let objects = (0..100).fold(json!(1), |inner, _| json!({"ab": inner}));
    for (schema, payload) in [(array, arrays), (object, objects.clone()), (condition, objects)] {
        let mut definition = schema.clone();
        definition["maximum"] = json!(1);
        let schema = json!({"$ref": "#/definitions/a", "definitions": {"a": definition}});
        assert!(Validator::new(&parsed(&schema)).is_valid(&payload), "{schema}");
        let payload: Value = payload.to_string().replace('1', "2").parse().unwrap();
        assert!(!Validator::new(&parsed(&schema)).validate(&payload).is_empty(), "{schema}");
    }
}

#[test]
fn parts_that_need_each_other_are_checked_by_the_loader() {
    for (schema, code, pointer) in [
        (json!({"if": {}}), codes::UNKNOWN_KEYWORD, "/if"),
        (json!({"then": {}}), codes::UNKNOWN_KEYWORD, "/then"),
        (json!({"else": {}, "then": {}}), codes::UNKNOWN_KEYWORD, "/else"),
        (json!({"if": 1, "then": {}}), codes::NOT_A_SCHEMA, "/if"),
        (json!({"if": {}, "else": []}), codes::NOT_A_SCHEMA, "/else"),
        (json!({"contains": "string"}), codes::NOT_A_SCHEMA, "/contains"),
        (
            json!({"$ref": "#/definitions/a", "definitions": {"a": {"if": {"$ref": "#/definitions/a"}, "then": {}}}}),
            codes::REF_CYCLE,
            "/definitions/a/if/$ref",
        ),
    ] {
        let problems = Schema::parse(&Json::try_from(&schema).unwrap()).unwrap_err();
        assert_eq!((problems[0].code, problems[0].pointer.as_str()), (code, pointer), "{schema}");
    }
    for (schema, expected) in [
        (json!({"contains": false}), vec![(codes::ACCEPTS_NOTHING, "/contains")]),
        (json!({"contains": {}, "maxItems": 0}), vec![(codes::ACCEPTS_NOTHING, "/maxItems")]),
        (json!({"type": "string", "contains": {}}), vec![(codes::NEVER_APPLIES, "/contains")]),
        // A property that the condition requires may be forbidden by `then`.
        (json!({"properties": {"a": {}}, "if": {"required": ["b"]}, "then": false}), vec![]),
        (
            json!({"properties": {"a": {}}, "if": {}, "then": {"required": ["b"]}}),
            vec![(codes::UNDECLARED_REQUIRED, "/then/required/0")],
        ),
        (
            json!({"properties": {"a": {}}, "if": {}, "then": {"required": ["b"]}, "else": {"properties": {"b": {}}}}),
            vec![],
        ),
    ] {
        let schema = parsed(&schema);
        let warnings: Vec<_> = schema.warnings().iter().map(|w| (w.code, w.pointer.as_str())).collect();
        assert_eq!(warnings, expected);
    }
}

#[test]
fn a_condition_is_not_a_place_that_may_not_be_empty() {
    let empty = json!({"allOf": [{"type": "string"}, {"type": "integer"}]});
    let found = |schema: &Value| -> Vec<String> {
        parsed(schema).meaning(Steps(1_000_000)).into_iter().map(|problem| problem.pointer).collect()
    };
    assert_eq!(found(&json!({"if": empty, "then": {"type": "string"}})), [""; 0]);
    assert_eq!(found(&json!({"properties": {"a": {"if": {"type": "string"}, "then": empty}}})), ["/properties/a/then"]);
    assert_eq!(found(&json!({"properties": {"a": {"contains": empty}}})), ["/properties/a/contains"]);
    assert_eq!(
        found(&json!({"type": "object", "if": {"required": ["a"]}, "then": false, "else": {"type": "null"}})),
        [""]
    );
}

#[test]
fn conditions_and_contained_items_are_compared() {
    let (text, number) = (json!({"type": "string"}), json!({"type": "number"}));
    for (new, old, witness) in [
        (payment(), payment(), None),
        (json!({"required": ["method"]}), payment(), None),
        (json!({"required": ["number"]}), payment(), Some(json!({"method": "", "account": null}))),
        (
            json!({"anyOf": [{"type": "string"}, {"type": "number"}]}),
            json!({"if": text, "then": true, "else": number}),
            None,
        ),
        (json!({"if": text, "then": {"minLength": 1}}), json!({"type": "string", "minLength": 1}), None),
        (json!({"if": text, "then": {"minLength": 1}}), json!({"type": "string"}), Some(json!(""))),
        (
            json!({"if": text, "then": {"minLength": 2}}),
            json!({"if": text, "then": {"minLength": 1}}),
            Some(json!("a")),
        ),
        (json!({"if": text, "else": {"minimum": 1}}), json!({"minimum": 0}), Some(json!(0))),
        (json!({"contains": text}), json!({"type": "array", "items": text, "minItems": 1}), None),
        (json!({"contains": text}), json!({"type": "array", "items": text}), Some(json!([]))),
        (json!({"minItems": 1}), json!({"contains": text}), None),
        (json!({"contains": {"type": ["string", "null"]}}), json!({"contains": text}), None),
        (
            json!({"contains": text}),
            json!({"type": "array", "contains": {"type": ["string", "null"]}}),
            Some(json!([null])),
        ),
        (json!({"minItems": 2}), json!({"allOf": [{"contains": text}, {"contains": number}]}), None),
        (
            json!({"minItems": 3}),
            json!({"type": "array", "allOf": [{"contains": text}, {"contains": number}]}),
            Some(json!(["", 0])),
        ),
    ] {
        match (contained(&new, &old), witness) {
            (Containment::Yes, None) => {}
            (Containment::No(found), Some(witness)) => {
                let witness = Json::try_from(&witness).unwrap();
                assert_eq!(found.canonical().len(), witness.canonical().len(), "{new} {old} {found:?}");
            }
            (answer, _) => panic!("{new} {old}: {answer:?}"),
        }
    }
}

#[test]
fn examples_and_counterexamples_show_each_branch() {
    let schema = parsed(&payment());
    let found: Vec<String> =
        examples(&schema, ExampleSettings::default()).unwrap().iter().map(|value| value.canonical()).collect();
    for part in ["\"number\"", "\"account\""] {
        assert!(found.iter().any(|text| text.contains(part)), "{part}: {found:?}");
    }
    let violated = counterexamples(&schema, ExampleSettings::default());
    assert_eq!(violated.undecided, 0);
    let places: Vec<(&str, &str)> =
        violated.found.iter().map(|example| (example.pointer.as_str(), example.expected.path.as_str())).collect();
    for place in [("/then", "/number"), ("/else", "/account"), ("/else/properties/account", "/account")] {
        assert!(places.contains(&place), "{place:?}: {places:?}");
    }
    let schema = parsed(&json!({"type": "array", "items": {"type": "integer"}, "contains": {"minimum": 3}}));
    let violated = counterexamples(&schema, ExampleSettings::default());
    assert_eq!(violated.undecided, 0);
    assert!(violated.found.iter().any(|example| example.keyword == Keyword::Contains), "{violated:?}");
    assert_eq!(smallest_value(&schema, Steps::default()).unwrap().unwrap().canonical(), "[3]");
}

/// The values of random payloads: every array with at most two items, and the items themselves.
fn payloads() -> Vec<Value> {
    let items = [json!(null), json!(true), json!(1), json!(2), json!("a")];
    let mut all: Vec<Value> = items.to_vec();
    all.push(json!([]));
    all.extend(items.iter().map(|item| json!([item])));
    all.extend(items.iter().flat_map(|one| items.iter().map(move |two| json!([one, two]))));
    all
}

fn item() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(true)),
        Just(json!(false)),
        Just(json!({"type": "null"})),
        Just(json!({"type": ["integer", "array"]})),
        Just(json!({"enum": [1, "a"]})),
        Just(json!({"const": true})),
        Just(json!({"not": {"const": 1}})),
    ]
}

fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        2 => item(),
        2 => item().prop_map(|item| json!({"contains": item})),
        1 => (item(), item()).prop_map(|(every, some)| json!({"type": "array", "items": every, "contains": some})),
        1 => (item(), 0..3_u64).prop_map(|(some, most)| json!({"contains": some, "maxItems": most})),
        1 => (item(), item()).prop_map(|(some, first)| json!({"contains": some, "items": [first]})),
        1 => item().prop_map(|some| json!({"contains": some, "uniqueItems": true})),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            3 => prop::collection::vec(inner.clone(), 3).prop_map(|all| json!({"if": all[0], "then": all[1], "else": all[2]})),
            2 => prop::collection::vec(inner.clone(), 2).prop_map(|all| json!({"if": all[0], "then": all[1]})),
            2 => prop::collection::vec(inner.clone(), 2).prop_map(|all| json!({"if": all[0], "else": all[1]})),
            1 => inner.clone().prop_map(|schema| json!({"not": schema})),
            1 => prop::collection::vec(inner.clone(), 2).prop_map(|all| json!({"allOf": all})),
            1 => prop::collection::vec(inner, 2).prop_map(|one| json!({"oneOf": one})),
        ]
    })
}

#[test]
fn comparisons_of_random_conditions_are_right() {
    check_comparisons(schema, &payloads(), 600);
}

#[test]
#[ignore = "takes minutes"]
fn complete_comparisons_of_random_conditions_are_right() {
    check_comparisons(schema, &payloads(), 5_000);
}
