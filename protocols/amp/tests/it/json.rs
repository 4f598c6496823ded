//! Conversion to and from JSON, and the view of values that JSON does not have.

use capgen_amp::cbor::{Map, NotJson, Value};
use serde_json::json;

fn one(key: &str, value: Value) -> Value {
    Value::Map([(key, value)].into_iter().collect())
}

#[test]
fn json_is_converted_to_cbor_and_back_without_a_change() {
    let json = json!({
        "": [null, true, false], "a/~b": {"nested": [[], {}]}, "max": u64::MAX, "min": i64::MIN, "half": 0.5,
        "integral": 2.0, "negative zero": -0.0, "large": 1e300, "beyond": 18_446_744_073_709_551_616.0, "text": "\u{0}😀",
    });
    let value = Value::from_json(&json);
    assert_eq!(value.get("max"), Some(&Value::Unsigned(u64::MAX)));
    assert_eq!(value.get("min"), Some(&Value::Negative((1 << 63) - 1)));
    assert_eq!(value.get("integral"), Some(&Value::Float(2.0.into())));
    assert_eq!(value.get("beyond"), Some(&Value::Float(18_446_744_073_709_551_616.0.into())));
    assert_eq!(value.to_json().unwrap(), json);
    assert_eq!(value.to_diagnostic(), json);
}

#[test]
fn values_that_json_cannot_represent_are_reported_with_their_path() {
    let integer_key: Map = [(Value::Unsigned(1), Value::Null)].into_iter().collect();
    let cases = [
        (Value::Bytes(vec![]), "a byte string"),
        (Value::Tag(0, Box::new(Value::from("2026-02-07T00:00:00Z"))), "a tag"),
        (Value::Undefined, "undefined"),
        (Value::Simple(32), "a simple value"),
        (Value::Float(f64::NAN.into()), "NaN or an infinity"),
        (Value::Float(f64::INFINITY.into()), "NaN or an infinity"),
        (Value::Float(f64::NEG_INFINITY.into()), "NaN or an infinity"),
        (Value::Negative(1 << 63), "an integer outside -2^63 to 2^64 - 1"),
        (Value::Negative(u64::MAX), "an integer outside -2^63 to 2^64 - 1"),
        (Value::Map(integer_key), "a map with a key that is not text"),
    ];
    for (value, reason) in cases {
        assert_eq!(value.to_json(), Err(NotJson { path: String::new(), reason }));
        assert_eq!(value.to_json_text(), Err(NotJson { path: String::new(), reason }));
        let nested = one("a/~b", Value::Array(vec![Value::Null, one("", value)]));
        let error = nested.to_json().unwrap_err();
        assert_eq!(error, NotJson { path: "/a~1~0b/1/".to_owned(), reason });
        assert_eq!(error.to_string(), format!("\"/a~1~0b/1/\": JSON cannot represent {reason}"));
    }
}

#[test]
fn the_diagnostic_view_has_a_form_for_every_value() {
    let cases = [
        (Value::Bytes(vec![0, 255]), json!({ "$hex": "00ff" })),
        (Value::Negative(u64::MAX), json!({ "$int": "-18446744073709551616" })),
        (Value::Negative(1 << 63), json!({ "$int": "-9223372036854775809" })),
        (Value::Negative((1 << 63) - 1), json!(i64::MIN)),
        (Value::Unsigned(u64::MAX), json!(u64::MAX)),
        (Value::Float(f64::NAN.into()), json!({ "$float": "NaN" })),
        (Value::Float(f64::INFINITY.into()), json!({ "$float": "Infinity" })),
        (Value::Float(f64::NEG_INFINITY.into()), json!({ "$float": "-Infinity" })),
        (Value::Float(1.5.into()), json!(1.5)),
        (Value::Undefined, json!({ "$undefined": true })),
        (Value::Simple(32), json!({ "$simple": 32 })),
        (Value::Tag(2, Box::new(Value::Bytes(vec![1]))), json!({ "$tag": [2, { "$hex": "01" }] })),
        // Decision 21: what looks like a view is one.
        (one("$hex", "00".into()), json!({ "$map": [["$hex", "00"]] })),
        (one("$", Value::Null), json!({ "$map": [["$", null]] })),
        (one("a$", one("$map", Value::Null)), json!({ "a$": { "$map": [["$map", null]] } })),
        (Value::Map(Map::new()), json!({})),
        (
            [(Value::Unsigned(1), Value::Undefined), ("a".into(), Value::Null)].into_iter().collect::<Map>().into(),
            json!({ "$map": [[1, { "$undefined": true }], ["a", null]] }),
        ),
    ];
    for (value, view) in cases {
        assert_eq!(value.to_diagnostic(), view);
        assert_eq!(Value::Array(vec![value]).to_diagnostic(), json!([view]));
    }
}

#[test]
fn views_have_sorted_keys_whatever_the_features_of_other_crates() {
    // In CBOR, shorter keys come first.
    let map: Map = [("b", Value::Null), ("aa", Value::Null), ("a", Value::from(1))].into_iter().collect();
    assert_eq!(Value::Map(map).to_diagnostic().to_string(), r#"{"a":1,"aa":null,"b":null}"#);
}
