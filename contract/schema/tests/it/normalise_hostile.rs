//! Hostile input for `normalise`: time, memory and stack stay bounded.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write;

use capgen_schema::{Code, Json, Object, Schema, codes, normalise, normalise_lossy, normalise_noting};
use proptest::prelude::*;
use proptest::{collection, sample};
use serde_json::{Value, json};

use crate::applicators::{LISTS, MAPS, ONE};

fn of(schema: &Value) -> Result<Json, Vec<Code>> {
    let output = normalise(&Json::try_from(schema).unwrap());
    let output = output.map_err(|problems| problems.iter().map(|problem| problem.code).collect::<Vec<_>>())?;
    Schema::parse(&output).unwrap();
    Ok(output)
}

fn nested(depth: usize, wrap: impl Fn(Value) -> Value) -> Value {
    (0..depth).fold(json!({"type": "string"}), |value, _| wrap(value))
}

#[test]
fn depth_is_bounded() {
    let properties = |inner: Value| json!({"properties": {"a": inner}});
    assert!(of(&nested(64, properties)).is_ok());
    assert_eq!(of(&nested(65, properties)), Err(vec![codes::SCHEMA_TOO_DEEP]));
    assert_eq!(of(&nested(200, properties)), Err(vec![codes::SCHEMA_TOO_DEEP]));
    // Levels that a rewrite adds count as well.
    let dependencies = |inner: Value| json!({"dependencies": {"a": {"minimum": 1}, "b": inner}});
    assert!(of(&nested(64, dependencies)).unwrap_err().iter().all(|code| *code == codes::SCHEMA_TOO_DEEP));
    let values = (0..200).fold(json!(1), |value, _| json!([value]));
    assert_eq!(of(&json!({"const": values})), Err(vec![codes::VALUE_TOO_DEEP]));
    assert_eq!(of(&json!({"example": values})), Ok(Json::Object(Object::new())));
    assert!(of(&json!({"items": values})).is_err());
}

#[test]
fn many_references_are_resolved_in_linear_time() {
    let count = 20_000;
    let definition =
        |n: usize| (format!("d{n}"), json!({"properties": {"a": {"$ref": format!("#/$defs/d{}", (n + 1) % count)}}}));
    let definitions: serde_json::Map<String, Value> = (0..count).map(definition).collect();
    let output = of(&json!({"$ref": "#/$defs/d0", "$defs": definitions})).unwrap();
    assert_eq!(output.get("definitions").and_then(Json::as_object).map(Object::len), Some(count));
}

#[test]
fn nested_targets_are_not_copied() {
    let deep = nested(60, |inner| json!({"properties": {"a": inner}}));
    let mut pointer = "#".to_owned();
    let mut branches = Vec::new();
    for _ in 0..60 {
        pointer.write_str("/properties/a").unwrap();
        branches.push(json!({"$ref": pointer}));
    }
    let mut schema = deep;
    schema.as_object_mut().unwrap().insert("anyOf".to_owned(), Value::Array(branches));
    let output = of(&schema).unwrap();
    assert_eq!(output.get("definitions").and_then(Json::as_object).map(Object::len), Some(60));
    assert!(output.canonical().len() < 60 * 200);
}

#[test]
fn copies_of_subschemas_are_limited() {
    let value = nested(30, |inner| json!({"properties": {"a": inner}}));
    let names: Vec<String> = (0..60).map(|n| format!("n{n}")).collect();
    let map = json!({"propertyNames": {"enum": names}, "additionalProperties": value});
    let maps: Vec<Value> = (0..100).map(|_| map.clone()).collect();
    assert!(of(&json!({"anyOf": maps})).is_err());
}

#[test]
fn at_most_1000_problems_are_reported() {
    let unknown: serde_json::Map<String, Value> = (0..5_000).map(|n| (format!("k{n}"), json!(1))).collect();
    let (_, notes) = normalise_noting(&Json::try_from(&Value::Object(unknown)).unwrap()).unwrap();
    assert_eq!(notes.len(), 1000);
    let types: Vec<Value> = (0..5_000).map(|n| json!({"type": format!("t{n}")})).collect();
    assert_eq!(of(&json!({"anyOf": types})).unwrap_err().len(), 1000);
}

#[test]
fn long_names_are_not_repeated_for_every_reference() {
    let name = "x".repeat(1 << 16);
    let reference = |n: usize| json!({"$ref": format!("#/properties/{name}/allOf/{n}")});
    let items: Vec<Value> = (0..200).map(|n| if n < 100 { json!({}) } else { reference(n - 100) }).collect();
    assert!(of(&json!({"properties": {name: {"allOf": items}}})).is_ok());
}

#[test]
fn deepest_schemas_fit_a_small_stack() {
    let schema = nested(64, |inner| json!({"properties": {"a": inner}}));
    let schema = Json::try_from(&schema).unwrap();
    let thread = std::thread::Builder::new().stack_size(1 << 20);
    let join = thread.spawn(move || normalise(&schema).is_ok()).unwrap();
    assert!(join.join().unwrap());
}

/// The verdicts of both normalisers, on the stack that a thread has by default.
fn on_a_small_stack(schema: &Value) -> (Result<Json, Vec<Code>>, bool) {
    let schema = schema.clone();
    let both = move || (of(&schema), normalise_lossy(&Json::try_from(&schema).unwrap()).is_ok());
    std::thread::Builder::new().stack_size(2 << 20).spawn(both).unwrap().join().unwrap()
}

#[test]
fn names_of_properties_that_refer_to_themselves_are_rejected() {
    let names = |target: &str| json!({"propertyNames": {"$ref": target}});
    let definition =
        |schema: Value| json!({"properties": {"v": {"$ref": "#/definitions/x"}}, "definitions": {"x": schema}});
    let to_itself = "#/definitions/x";
    for schema in [
        names("#"),
        json!({"type": "object", "propertyNames": {"$ref": "#"}}),
        definition(names(to_itself)),
        definition(json!({"propertyNames": {"allOf": [{"$ref": to_itself}]}})),
        definition(json!({"propertyNames": {"properties": {"a": names(to_itself)}}})),
        definition(
            json!({"patternProperties": {"^a": names(to_itself)}, "additionalProperties": false, "propertyNames": {"not": names(to_itself)}}),
        ),
    ] {
        let (exact, is_widened) = on_a_small_stack(&schema);
        assert!(exact.unwrap_err().iter().all(|code| *code == codes::UNKNOWN_KEYWORD), "{schema}");
        assert!(is_widened, "{schema}");
    }
    let without_end = json!({"propertyNames": {"$ref": "#/definitions/x"}, "definitions": {"x": {"allOf": [{"$ref": "#/definitions/x"}]}}});
    assert_eq!(on_a_small_stack(&without_end), (Err(vec![codes::UNKNOWN_KEYWORD]), true));
}

#[test]
fn chains_of_names_of_properties_fit_a_small_stack() {
    for count in [20, 5_000] {
        let link =
            |n: usize| (format!("d{n}"), json!({"propertyNames": {"$ref": format!("#/definitions/d{}", n + 1)}}));
        let mut definitions: serde_json::Map<String, Value> = (0..count).map(link).collect();
        definitions.insert(format!("d{count}"), json!({"pattern": "^a"}));
        let chain = json!({"propertyNames": {"$ref": "#/definitions/d0"}, "definitions": definitions});
        let (exact, is_widened) = on_a_small_stack(&chain);
        assert!(exact.unwrap_err().iter().all(|code| *code == codes::UNKNOWN_KEYWORD));
        assert!(is_widened || count > 20);
    }
}

/// A schema below each keyword that takes one.
fn below_a_keyword(inner: impl Strategy<Value = Value> + 'static) -> impl Strategy<Value = Value> {
    let keyword = prop_oneof![
        // The only keyword whose references are replaced by their targets.
        3 => Just((0, "propertyNames")),
        4 => sample::select(&ONE[..]).prop_map(|name| (0, name)),
        3 => sample::select(&LISTS[..]).prop_map(|name| (1, name)),
        3 => sample::select(&MAPS[..]).prop_map(|name| (2, name)),
    ];
    let member = (keyword, inner).prop_map(|((kind, name), inner)| {
        let value = match kind {
            0 => inner,
            1 => json!([inner]),
            _ => json!({"a": inner}),
        };
        (name.to_owned(), value)
    });
    collection::vec(member, 1..4).prop_map(|members| Value::Object(members.into_iter().collect()))
}

/// A document in which most schemas refer to others, so that most of them are part of a cycle.
fn cyclic() -> impl Strategy<Value = Value> {
    const PLACES: [&str; 6] = [
        "#",
        "#/definitions/a",
        "#/definitions/b",
        "#/definitions/c",
        "#/definitions/a/propertyNames",
        "#/definitions/b/allOf/0",
    ];
    let reference = sample::select(&PLACES[..]).prop_map(|place| json!({"$ref": place}));
    let leaf =
        prop_oneof![5 => reference, 1 => Just(json!({"pattern": "^a"})), 1 => Just(json!({"type": "string"}))].boxed();
    let schema = leaf.prop_recursive(4, 12, 3, |inner| below_a_keyword(inner).boxed()).boxed();
    (below_a_keyword(schema.clone()), [schema.clone(), schema.clone(), schema]).prop_map(|(mut root, [a, b, c])| {
        root.as_object_mut().unwrap().insert("definitions".to_owned(), json!({"a": a, "b": b, "c": c}));
        root
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn cycles_through_every_keyword_fit_a_small_stack(schema in cyclic()) {
        let (exact, _) = on_a_small_stack(&schema);
        prop_assert_ne!(exact, Err(Vec::new()));
    }
}
