//! Arrays whose items are described by their position.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use capgen_schema::{
    Containment, ExampleSettings, Json, Schema, Steps, Validator, codes, counterexamples, examples, smallest_value,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::brute_force::{check, check_comparisons, contained, parsed};

fn pair() -> Value {
    json!({"type": "array", "items": [{"type": "string"}, {"type": "integer"}], "minItems": 2, "additionalItems": false})
}

#[test]
fn each_position_is_checked_and_all_violations_are_reported() {
    check(&pair(), &json!(["a", 1]), &[]);
    check(
        &pair(),
        &json!([1, "a", null]),
        &[
            "/0: expected string, got integer [type]",
            "/1: expected integer, got string [type]",
            "/2: no value is allowed here [false]",
        ],
    );
    check(&pair(), &json!(["a"]), &[": must have at least 2 items, got 1 [minItems]"]);
    let open = json!({"items": [{"type": "string"}], "additionalItems": {"minimum": 2}});
    check(&open, &json!([]), &[]);
    check(&open, &json!(["a", 2, "b", 1]), &["/3: must be at least 2, got 1 [minimum]"]);
    // Several schemas apply to one item.
    let both = json!({"allOf": [{"items": [{"type": "integer"}]}, {"items": {"minimum": 3}}]});
    check(
        &both,
        &json!([1.5, 1]),
        &["/0: expected integer, got number [type]", "/1: must be at least 3, got 1 [minimum]"],
    );
}

#[test]
fn items_without_a_schema_may_not_be_nested_too_deeply() {
    let nested = |depth| (0..depth).fold(json!(1), |inner, _| json!([inner]));
    let validator = Validator::new(&parsed(&json!({"items": [{"type": "integer"}]})));
    assert!(validator.is_valid(&json!([1, nested(100)])));
    assert!(!validator.is_valid(&json!([1, nested(200)])));
}

#[test]
fn lists_are_checked_by_the_loader() {
    for (schema, code, pointer) in [
        (json!({"items": []}), codes::EMPTY_UNION, "/items"),
        (json!({"items": [1]}), codes::NOT_A_SCHEMA, "/items/0"),
        (json!({"additionalItems": false}), codes::UNKNOWN_KEYWORD, "/additionalItems"),
        (json!({"items": {}, "additionalItems": false}), codes::UNKNOWN_KEYWORD, "/additionalItems"),
    ] {
        let problems = Schema::parse(&Json::try_from(&schema).unwrap()).unwrap_err();
        assert_eq!((problems[0].code, problems[0].pointer.as_str()), (code, pointer), "{schema}");
    }
    for (schema, at) in [
        (json!({"items": [{}, {}], "additionalItems": false, "minItems": 3}), "/minItems"),
        (json!({"items": [{}, false], "minItems": 2}), "/items/1"),
    ] {
        let warnings: Vec<_> = parsed(&schema).warnings().iter().map(|w| (w.code, w.pointer.clone())).collect();
        assert_eq!(warnings, [(codes::ACCEPTS_NOTHING, at.to_owned())], "{schema}");
        assert!(parsed(&json!({"type": "array", "allOf": [schema]})).accepts_no_value(Steps::default()).is_some());
    }
}

#[test]
fn tuples_are_compared_by_position() {
    let text = json!({"type": "string"});
    for (new, old, witness) in [
        (pair(), pair(), None),
        (json!({"items": [text, text]}), json!({"items": [text, {}]}), Some(json!(["", null]))),
        (json!({"items": {"type": ["string", "integer"]}}), pair(), None),
        (
            pair(),
            json!({"type": "array", "items": {"type": ["string", "integer"]}, "minItems": 2, "maxItems": 2}),
            Some(json!([0, 0])),
        ),
        (json!({"items": [text, text]}), json!({"items": text}), None),
        (json!({"items": text}), json!({"items": [text, text], "additionalItems": text}), None),
        (json!({"items": text}), json!({"items": [text, text]}), Some(json!(["", "", null]))),
        (json!({"maxItems": 2}), pair(), None),
        (json!({"maxItems": 1}), pair(), Some(json!(["", 0]))),
        (json!({"items": [text]}), json!({"const": ["a", 1]}), None),
        (json!({"items": [text]}), json!({"enum": [["a", 1], [1, "a"]]}), Some(json!([1, "a"]))),
    ] {
        match (contained(&new, &old), witness) {
            (Containment::Yes, None) => {}
            (Containment::No(found), Some(witness)) => {
                assert_eq!(
                    found.canonical().len(),
                    Json::try_from(&witness).unwrap().canonical().len(),
                    "{new} {old} {found:?}"
                );
            }
            (answer, _) => panic!("{new} {old}: {answer:?}"),
        }
    }
}

#[test]
fn examples_and_counterexamples_show_each_position() {
    let schema = parsed(&pair());
    let found = examples(&schema, ExampleSettings::default()).unwrap();
    assert!(!found.is_empty());
    let violated = counterexamples(&schema, ExampleSettings::default());
    assert_eq!(violated.undecided, 0);
    let paths: Vec<&str> = violated.found.iter().map(|example| example.expected.path.as_str()).collect();
    for path in ["/0", "/1", "/2", ""] {
        assert!(paths.contains(&path), "{path}: {paths:?}");
    }
    let rest = parsed(&json!({"items": [{"type": "string"}], "additionalItems": {"type": "integer", "minimum": 3}}));
    let found = examples(&rest, ExampleSettings::default()).unwrap();
    assert!(found.iter().any(|value| value.as_array().is_some_and(|items| items.len() > 1)), "{found:?}");
    let violated = counterexamples(&rest, ExampleSettings::default());
    assert!(violated.found.iter().any(|example| example.expected.path == "/1"), "{violated:?}");
}

/// The values of the items of random arrays.
fn values() -> [Value; 4] {
    [json!(null), json!(true), json!(1), json!(2)]
}

/// Every array with at most three of these items.
fn arrays() -> Vec<Value> {
    let mut all = vec![Vec::new()];
    let mut last = vec![Vec::new()];
    for _ in 0..3 {
        last = last
            .iter()
            .flat_map(|array: &Vec<Value>| values().map(|value| array.iter().cloned().chain([value]).collect()))
            .collect();
        all.extend(last.clone());
    }
    all.into_iter().map(Value::Array).collect()
}

fn item() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(true)),
        Just(json!(false)),
        Just(json!({"type": "null"})),
        Just(json!({"type": ["null", "boolean"]})),
        Just(json!({"type": "integer"})),
        Just(json!({"enum": [1, 2]})),
        Just(json!({"const": true})),
        Just(json!({"not": {"const": 1}})),
    ]
}

fn array() -> impl Strategy<Value = Value> {
    let items = prop_oneof![
        prop::collection::vec(item(), 1..4).prop_map(|list| json!({"items": list})),
        (prop::collection::vec(item(), 1..4), item())
            .prop_map(|(list, rest)| json!({"items": list, "additionalItems": rest})),
        item().prop_map(|every| json!({"items": every})),
        Just(json!({})),
    ];
    let size = prop_oneof![
        3 => Just(json!({})),
        1 => (0..3_u64).prop_map(|least| json!({"minItems": least})),
        1 => (0..4_u64).prop_map(|most| json!({"maxItems": most})),
        1 => Just(json!({"uniqueItems": true})),
    ];
    let listed = prop_oneof![
        6 => Just(json!({})),
        1 => prop::sample::subsequence(arrays(), 1..6).prop_map(|values| json!({"not": {"enum": values}})),
        1 => prop::sample::subsequence(arrays(), 1..6).prop_map(|values| json!({"enum": values})),
    ];
    (items, size, listed).prop_map(|parts| {
        let mut all = json!({"type": "array"});
        for part in [parts.0, parts.1, parts.2] {
            all.as_object_mut().unwrap().extend(part.as_object().unwrap().clone());
        }
        all
    })
}

fn schema() -> impl Strategy<Value = Value> {
    array().prop_recursive(2, 6, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|schema| json!({"type": "array", "not": schema})),
            prop::collection::vec(inner.clone(), 2).prop_map(|all| json!({"allOf": all})),
            prop::collection::vec(inner.clone(), 2).prop_map(|any| json!({"anyOf": any})),
            prop::collection::vec(inner, 2).prop_map(|one| json!({"oneOf": one})),
        ]
    })
}

#[test]
fn comparisons_of_random_tuples_are_right() {
    check_comparisons(schema, &arrays(), 600);
}

#[test]
#[ignore = "takes minutes"]
fn complete_comparisons_of_random_tuples_are_right() {
    check_comparisons(schema, &arrays(), 5_000);
}

#[test]
fn the_smallest_array_has_an_item_for_each_required_position() {
    let smallest = smallest_value(&parsed(&pair()), Steps::default()).unwrap().unwrap();
    assert_eq!(smallest.canonical(), r#"["",0]"#);
}
