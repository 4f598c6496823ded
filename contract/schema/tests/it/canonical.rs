//! The canonical form of values and schemas, and hashes.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_schema::{Hash, Json, Schema};
use proptest::prelude::*;
use serde_json::{Value, json};

fn json(value: &Value) -> Json {
    Json::try_from(value).unwrap()
}

#[test]
fn canonical_text_follows_rfc_8785() {
    let value = json!({
        "numbers": [333_333_333.333_333_3, 1E30, 4.50, 2e-3, 0.000_000_000_000_000_000_000_000_001],
        "string": "\u{20ac}$\u{000F}\nA'B\"\\\\\"/",
        "literals": [null, true, false]
    });
    let expected = concat!(
        r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1000000000000000000000000000000,4.5,0.002,1e-27],"#,
        r#""string":"€$\u000f\nA'B\"\\\\\"/"}"#
    );
    assert_eq!(json(&value).canonical(), expected);
}

#[test]
fn names_are_sorted_by_utf_16_code_units() {
    let value = json!({"\u{20ac}": 1, "\r": 2, "\u{fb33}": 3, "1": 4, "\u{1f600}": 5, "\u{80}": 6, "\u{f6}": 7});
    let expected = "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"\u{f6}\":7,\"\u{20ac}\":1,\"\u{1f600}\":5,\"\u{fb33}\":3}";
    assert_eq!(json(&value).canonical(), expected);
}

#[test]
fn only_annotations_are_removed() {
    let schema = json!({
        "title": "t", "description": "d", "default": 1, "examples": [], "$comment": "c",
        "properties": {"title": {"title": "t", "type": "string"}, "default": {"items": {"description": "d"}}},
        "required": ["title"],
        "enum": [{"title": 1}],
        "const": {"description": 2},
        "allOf": [{"title": "t"}], "not": {"examples": [1], "minimum": 1.0}, "additionalProperties": {"default": 1},
        "propertyNames": {"title": "t", "pattern": "^[a-z]"},
        "definitions": {"examples": {"$comment": "c", "const": 1}}
    });
    let expected = concat!(
        r#"{"additionalProperties":{},"allOf":[{}],"const":{"description":2},"definitions":{"examples":{"const":1}},"#,
        r#""enum":[{"title":1}],"not":{"minimum":1},"properties":{"default":{"items":{}},"title":{"type":"string"}},"#,
        r#""propertyNames":{"pattern":"^[a-z]"},"#,
        r#""required":["title"]}"#
    );
    assert_eq!(Schema::parse(&json(&schema)).unwrap().canonical(), expected);
}

#[test]
fn hashes_are_sha_256() {
    let hash = Hash::of("");
    assert_eq!(hash.to_string(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_eq!(hash.short(), "e3b0c442");
}

fn values() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter("finite", |x| x.is_finite()).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    scalar.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(any::<String>(), inner, 0..4).prop_map(|m| m.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn canonical_text_reads_back_as_an_equal_value(value in values()) {
        let text = json(&value).canonical();
        let read: Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(json(&read), json(&value));
        prop_assert_eq!(json(&read).canonical(), text);
    }

    #[test]
    fn values_are_equal_if_and_only_if_their_texts_are(a in values(), b in values()) {
        prop_assert_eq!(json(&a) == json(&b), json(&a).canonical() == json(&b).canonical());
    }

    #[test]
    fn values_round_trip_through_serde(value in values()) {
        prop_assert_eq!(json(&json(&value).to_value()), json(&value));
    }
}

#[test]
fn both_spellings_of_dependent_properties_are_one_schema() {
    let parsed = |schema: &Value| Schema::parse(&json(schema)).unwrap();
    let hash = |schema: Value| parsed(&schema).hash();
    let one = hash(json!({"items": {"dependentRequired": {"a": ["b", "c"], "d": ["e"]}}}));
    assert_eq!(one, hash(json!({"items": {"dependencies": {"a": ["b", "c"], "d": ["e"]}}})));
    let both = json!({"items": {"dependencies": {"a": ["b"]}, "dependentRequired": {"a": ["b", "c"], "d": ["e"]}}});
    assert_eq!(one, hash(both));
    let data = json!({"properties": {"dependencies": {"const": {"dependencies": {"a": ["b"]}}}}});
    assert!(parsed(&data).canonical().contains("dependencies\":{\"a"));
}
