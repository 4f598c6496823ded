//! Hostile schemas and payloads: time, memory and stack stay bounded. A naive validator is the oracle for verdicts.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_schema::{Json, Keyword, Schema, Validator};
use proptest::prelude::*;
use serde_json::{Value, json};

fn validator(schema: &Value) -> Validator {
    Validator::new(&Schema::parse(&Json::try_from(schema).unwrap()).unwrap())
}

fn nested(depth: usize, wrap: impl Fn(Value) -> Value) -> Value {
    (0..depth).fold(json!(1), |value, _| wrap(value))
}

/// Checks the verdict. A naive evaluation of these schemas takes exponential time, so the test would not end.
fn check(schema: Value, payload: &Value, expected: bool) {
    let validator = validator(&schema);
    assert_eq!(validator.is_valid(payload), expected, "{schema}");
    let violations = validator.validate(payload);
    assert_eq!(violations.is_empty(), expected, "{violations:?}");
}

#[test]
fn definitions_reached_twice_for_one_location_are_evaluated_once() {
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let link = |n: usize| {
            let next = json!({"$ref": format!("#/definitions/d{}", n + 1)});
            // Both branches lead to the same definition. For `oneOf`, the second branch never matches.
            let second = if keyword == "oneOf" { json!({"allOf": [next, false]}) } else { json!({"allOf": [next]}) };
            (format!("d{n}"), json!({keyword: [next, second]}))
        };
        for last in [true, false] {
            let mut definitions: serde_json::Map<String, Value> = (0..40).map(link).collect();
            definitions.insert("d40".to_owned(), json!({"type": if last { "integer" } else { "null" }}));
            check(json!({"$ref": "#/definitions/d0", "definitions": definitions}), &json!(1), last);
        }
    }
}

#[test]
fn recursive_unions_are_evaluated_once_per_location() {
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let step =
            json!({"properties": {"a": {"$ref": "#/definitions/d"}}, "type": ["object", "integer"], "maximum": 0});
        let second = if keyword == "oneOf" { json!({"allOf": [step, false]}) } else { step.clone() };
        let schema = json!({"$ref": "#/definitions/d", "definitions": {"d": {keyword: [step, second]}}});
        let payload = nested(128, |inner| json!({"a": inner}));
        check(schema, &payload, false);
    }
}

#[test]
fn nested_unions_are_validated_in_bounded_time() {
    let schema = json!({
        "$ref": "#/definitions/d",
        "definitions": {"d": {"anyOf": [{"items": {"$ref": "#/definitions/d"}, "type": "array"}, {"type": "null"}, {"items": {"$ref": "#/definitions/d"}, "minItems": 1}, {"type": "string"}]}}
    });
    let payload = nested(127, |inner| json!([inner, 1, "x"]));
    check(schema, &payload, true);
}

/// Runs `work` on a smaller stack than the default of any platform.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(512 << 10).spawn(work).unwrap().join().unwrap();
}

#[test]
fn deepest_payload_and_schema_fit_a_small_stack() {
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let item = json!({"items": {"$ref": "#/definitions/d"}, "type": ["array", "integer"]});
        let deep = (0..60).fold(item, |schema, _| json!({keyword: [schema]}));
        let validator = validator(&json!({"$ref": "#/definitions/d", "definitions": {"d": deep}}));
        let valid = nested(128, |inner| json!([inner]));
        let invalid = nested(127, |inner| json!([inner, "x"]));
        on_a_small_stack(move || {
            assert!(validator.is_valid(&valid));
            assert!(validator.validate(&valid).is_empty());
            assert!(!validator.is_valid(&invalid));
            assert!(!validator.validate(&invalid).is_empty());
        });
    }
}

#[test]
fn values_far_too_deep_are_rejected_everywhere() {
    on_a_small_stack(|| {
        let deep = || nested(10_000, |inner| Value::Array(vec![inner]));
        for schema in [
            json!({"not": {"$ref": "#/definitions/d"}, "definitions": {"d": {"items": {"$ref": "#/definitions/d"}, "type": "array"}}}),
            json!({"uniqueItems": true, "items": {"enum": [[[]]]}}),
            json!({"anyOf": [{"properties": {"a": {"type": "null"}}}, {"required": ["a"]}]}),
            json!({"additionalProperties": {"not": {"uniqueItems": true}}, "not": {"minItems": 2}}),
        ] {
            let object = [("a".to_owned(), deep()), ("b".to_owned(), deep())].into_iter().collect();
            for payload in [Value::Array(vec![json!(1), deep(), deep()]), Value::Object(object)] {
                let validator = validator(&schema);
                assert!(!validator.is_valid(&payload), "{schema}");
                assert_eq!(validator.validate(&payload)[0].keyword, Keyword::Depth);
                // Dropping a value of this depth would overflow the small stack.
                std::mem::forget(payload);
            }
        }
    });
}

#[test]
fn payloads_deeper_than_128_levels_are_always_invalid() {
    let validator = validator(&json!(true));
    for wrap in [|inner| json!([inner]), |inner| json!({"a": inner})] {
        assert!(validator.is_valid(&nested(128, wrap)));
        let violations = validator.validate(&nested(129, wrap));
        assert!(!validator.is_valid(&nested(129, wrap)));
        let found: Vec<_> =
            violations.iter().map(|v| (v.path.as_str(), v.keyword.as_str(), v.message.as_str())).collect();
        assert_eq!(found, [("", "depth", "nested deeper than 128 levels")]);
    }
}

#[test]
fn duplicates_in_large_arrays_are_found_in_linear_time() {
    let numbers: Vec<f64> = (0..30_000).map(|n| f64::from(n) + 0.5).collect();
    let strings: Vec<String> = (0..30_000).map(|n| n.to_string()).collect();
    let objects: Vec<Value> = (0..5_000).map(|n| json!({"a": n, "b": [n]})).collect();
    for items in [json!(numbers), json!(strings), json!(objects)] {
        check(json!({"uniqueItems": true}), &items, true);
    }
    check(json!({"items": {"enum": strings}}), &json!(strings), true);
}

/// Schemas with all keywords that affect the order of evaluation. There are few names and values, so that they often
/// match.
fn schemas() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(true)),
        Just(json!(false)),
        Just(json!({"type": "integer"})),
        Just(json!({"type": ["object", "string"]})),
        Just(json!({"enum": [1, "a", [], {"a": 1}]})),
        Just(json!({"const": 1.0})),
        Just(json!({"minimum": 1, "maxLength": 1, "minItems": 1, "required": ["a"]})),
        Just(json!({"uniqueItems": true, "exclusiveMaximum": 1})),
        (0..2).prop_map(|n| json!({"$ref": format!("#/definitions/d{n}")})),
        Just(json!({"properties": {"a": {"const": "a"}}, "required": ["a"]})),
        Just(json!({"properties": {"a": {"enum": ["ab", "a", "ab"]}}, "required": ["b", "a"]})),
    ];
    leaf.prop_recursive(3, 24, 3, |inner| {
        let list = proptest::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            list.clone().prop_map(|list| json!({"allOf": list})),
            list.clone().prop_map(|list| json!({"anyOf": list})),
            list.prop_map(|list| json!({"oneOf": list, "type": ["object", "integer", "array"]})),
            inner.clone().prop_map(|schema| json!({"not": schema})),
            inner.clone().prop_map(|schema| json!({"items": schema})),
            (inner.clone(), inner).prop_map(|(a, b)| json!({"properties": {"a": a}, "additionalProperties": b})),
        ]
    })
}

fn payloads() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        Just(json!(0)),
        Just(json!(1.0)),
        Just(json!(1.5)),
        Just(json!("a")),
        Just(json!("ab"))
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map("[ab]", inner, 0..3).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

fn depth(value: &Value) -> usize {
    let inside: Vec<&Value> = match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(members) => members.values().collect(),
        _ => return 0,
    };
    1 + inside.into_iter().map(depth).max().unwrap_or(0)
}

/// A naive validator for draft-07, written for clarity and without regard to cost.
fn accepts(root: &Value, schema: &Value, value: &Value) -> bool {
    let Some(keywords) = schema.as_object() else { return schema == &json!(true) };
    let number = |value: &Value| value.as_f64();
    let equal = |a: &Value, b: &Value| Json::try_from(a).unwrap() == Json::try_from(b).unwrap();
    let is = |name: &str| match name {
        "integer" => number(value).is_some_and(|n| n.fract() == 0.0),
        "string" => value.is_string(),
        "array" => value.is_array(),
        _ => value.is_object(),
    };
    let list = |list: &Value| list.as_array().unwrap().iter().filter(|branch| accepts(root, branch, value)).count();
    keywords.iter().all(|(keyword, wanted)| match keyword.as_str() {
        "$ref" => accepts(root, root.pointer(wanted.as_str().unwrap().trim_start_matches('#')).unwrap(), value),
        "type" => {
            wanted.as_str().map_or_else(|| wanted.as_array().unwrap().iter().any(|t| is(t.as_str().unwrap())), is)
        }
        "enum" => wanted.as_array().unwrap().iter().any(|literal| equal(literal, value)),
        "const" => equal(wanted, value),
        "minimum" => number(value).is_none_or(|n| n >= number(wanted).unwrap()),
        "exclusiveMaximum" => number(value).is_none_or(|n| n < number(wanted).unwrap()),
        "maxLength" => value.as_str().is_none_or(|text| text.chars().count() <= 1),
        "minItems" => value.as_array().is_none_or(|items| !items.is_empty()),
        "required" => value.as_object().is_none_or(|members| {
            wanted.as_array().unwrap().iter().all(|name| members.contains_key(name.as_str().unwrap()))
        }),
        "uniqueItems" => value.as_array().is_none_or(|items| {
            items.iter().enumerate().all(|(n, item)| !items.iter().take(n).any(|other| equal(item, other)))
        }),
        "allOf" => list(wanted) == wanted.as_array().unwrap().len(),
        "anyOf" => list(wanted) > 0,
        "oneOf" => list(wanted) == 1,
        "not" => !accepts(root, wanted, value),
        "items" => value.as_array().is_none_or(|items| items.iter().all(|item| accepts(root, wanted, item))),
        "properties" => value.get("a").is_none_or(|a| accepts(root, &wanted["a"], a)),
        "additionalProperties" => value.as_object().is_none_or(|members| {
            members.iter().all(|(name, member)| {
                (name == "a" && keywords.contains_key("properties")) || accepts(root, wanted, member)
            })
        }),
        _ => true,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    #[test]
    fn verdicts_equal_those_of_a_naive_validator(
        root in schemas(), first in schemas(), second in schemas(), payload in payloads()
    ) {
        let source = json!({"allOf": [root], "definitions": {"d0": first, "d1": {"items": second}}});
        // Schemas with reference cycles do not load.
        let Ok(schema) = Schema::parse(&Json::try_from(&source).unwrap()) else { return Ok(()) };
        let validator = Validator::new(&schema);
        let verdict = validator.is_valid(&payload);
        prop_assert_eq!(verdict, accepts(&source, &source, &payload));
        for levels in 0..4 {
            prop_assert_eq!(validator.clone().max_depth(levels).is_valid(&payload), verdict && depth(&payload) <= levels);
        }
        let violations = validator.validate(&payload);
        prop_assert_eq!(verdict, violations.is_empty());
        let mut distinct = violations.to_vec();
        distinct.dedup();
        prop_assert_eq!(distinct, violations.to_vec());
    }
}
