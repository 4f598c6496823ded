//! What types read from JSON, and what they refuse.

use std::collections::BTreeMap;
use std::fmt::Debug;

use capgen::Never;
use capgen::wire::{Error, Fields, Object, Read, deserialize};

fn read<T: Read>(json: &str) -> Result<T, String> {
    deserialize(&mut serde_json::Deserializer::from_str(json)).map_err(|error: serde_json::Error| error.to_string())
}

#[track_caller]
fn check<T: Read + PartialEq + Debug>(cases: &[(&str, T)]) {
    for (json, expected) in cases {
        assert_eq!(read::<T>(json).as_ref(), Ok(expected), "{json}");
    }
}

#[track_caller]
fn refused<T: Read + Debug>(cases: &[(&str, &str)]) {
    for (json, expected) in cases {
        let error = read::<T>(json).err().unwrap_or_default();
        assert!(error.starts_with(expected), "{json}: {error}");
    }
}

#[test]
fn integers_are_read_by_value_however_they_are_written() {
    check::<i64>(&[("1", 1), ("1.0", 1), ("1e3", 1000), ("-0.0", 0), ("-9223372036854775808", i64::MIN), ("2e0", 2)]);
    check::<u64>(&[
        ("18446744073709551615", u64::MAX),
        ("0.0", 0),
        ("1E2", 100),
        ("1.8e19", 18_000_000_000_000_000_000),
    ]);
}

#[test]
fn fractions_and_integers_out_of_range_are_refused_with_the_range() {
    refused::<i64>(&[
        ("1.5", "expected an integer, found a fraction"),
        ("9223372036854775808", "integer outside -2^63..2^63"),
        ("1e300", "integer outside -2^63..2^63"),
        ("\"1\"", "expected an integer, found a string"),
    ]);
    refused::<u64>(&[("-1", "integer outside 0..2^64"), ("1e20", "integer outside 0..2^64"), ("null", "expected an")]);
}

#[test]
fn numbers_keep_their_value_or_are_refused() {
    check::<f64>(&[("9007199254740992", 9_007_199_254_740_992.0), ("0.1", 0.1), ("-0.0", -0.0), ("5e-324", 5e-324)]);
    refused::<f64>(&[
        ("9007199254740993", "integer that binary64 cannot hold exactly"),
        ("18446744073709551615", "integer that binary64 cannot hold exactly"),
        ("-9223372036854775807", "integer that binary64 cannot hold exactly"),
        ("1e400", "number out of range"),
        ("true", "expected a number, found a boolean"),
    ]);
}

#[test]
fn null_is_a_value_and_no_absence() {
    check::<Option<bool>>(&[("null", None), ("true", Some(true))]);
    check::<()>(&[("null", ())]);
    refused::<bool>(&[("null", "expected a boolean, found null")]);
    refused::<()>(&[("0", "expected null, found a number")]);
    refused::<Never>(&[("null", "no value is allowed here")]);
}

#[derive(Debug, PartialEq)]
struct Both {
    nullable: Option<i64>,
    optional: Option<bool>,
    either: Option<Option<String>>,
}

impl Read for Both {
    fn read(value: serde_json::Value) -> Result<Self, Error> {
        let mut object = Object::new(value)?;
        object.absent("never")?;
        let read = Self {
            nullable: object.required("nullable")?,
            optional: object.optional("optional")?,
            either: object.optional("either")?,
        };
        object.close()?;
        Ok(read)
    }
}

#[test]
fn objects_are_read_by_name_and_absent_is_not_null() {
    let both = |nullable, optional, either| Both { nullable, optional, either };
    check(&[
        (r#"{"nullable": null}"#, both(None, None, None)),
        (r#"{"either": null, "nullable": 1, "optional": true}"#, both(Some(1), Some(true), Some(None))),
        (r#"{"nullable": 2, "either": "x"}"#, both(Some(2), None, Some(Some("x".to_owned())))),
    ]);
    refused::<Both>(&[
        ("{}", "/nullable: missing required property"),
        (r#"{"nullable": 1, "optional": null}"#, "/optional: expected a boolean, found null"),
        (r#"{"nullable": 1, "a/b~c": 1}"#, "/a~1b~0c: unexpected property"),
        (r#"{"nullable": 1, "never": 1}"#, "/never: unexpected property"),
        ("[null]", "expected an object, found an array"),
    ]);
}

#[test]
fn a_name_that_stands_twice_is_refused_at_any_depth() {
    refused::<serde_json::Value>(&[
        (r#"{"a": 1, "a": 1}"#, "duplicate property"),
        (r#"[{"\u0061": {}, "a": []}]"#, "duplicate"),
    ]);
    refused::<BTreeMap<String, i64>>(&[(r#"{"__proto__": 1, "__proto__": 2}"#, "duplicate property")]);
}

#[test]
fn errors_point_into_the_payload() {
    refused::<BTreeMap<String, Vec<Option<i64>>>>(&[
        (r#"{"a": [], "b": [1, null, "x"]}"#, "/b/2: expected an integer, found a string"),
        (r#"{"": {}}"#, "/: expected an array, found an object"),
    ]);
}

#[test]
fn a_value_as_deep_as_payloads_may_be_is_read_and_a_deeper_one_refused() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let parse = |depth: usize| {
        let json = nested(depth);
        let mut deserializer = serde_json::Deserializer::from_str(&json);
        deserializer.disable_recursion_limit();
        deserialize::<serde_json::Value, _>(&mut deserializer).is_ok()
    };
    assert_eq!([parse(128), parse(129), parse(100_000)], [true, false, false]);
}

#[test]
fn a_field_speaks_for_its_name_and_not_the_rest() {
    let rest = BTreeMap::from([("a".to_owned(), 1), ("b".to_owned(), 2)]);
    let mut text = Vec::new();
    let mut json = serde_json::Serializer::new(&mut text);
    let mut fields = Fields::new(&mut json).unwrap();
    fields.optional("a", &None::<i64>).unwrap();
    fields.rest(&rest, &["a"]).unwrap();
    fields.end().unwrap();
    assert_eq!(text, br#"{"b":2}"#);
}

#[test]
fn a_binary64_beyond_2_to_the_53_is_read_by_its_exact_value() {
    check::<i64>(&[("1152921504606846976.0", 1_152_921_504_606_846_976), ("1e18", 1_000_000_000_000_000_000)]);
    refused::<i64>(&[("9223372036854775808.0", "integer outside"), ("1e300", "integer outside")]);
    check::<u64>(&[("9223372036854775808.0", 9_223_372_036_854_775_808)]);
    refused::<u64>(&[("-1.0", "integer outside"), ("18446744073709551616", "integer outside")]);
    let members = ["1152921504606846976", "18446744073709551616", "[1e23]"];
    for (payload, member) in
        [("1152921504606846976.0", 0), ("18446744073709551616", 1), ("18446744073709552000", 1), ("[1e23]", 2)]
    {
        let value = serde_json::from_str(payload).unwrap();
        assert_eq!(capgen::wire::read_member(value, &members, |m| m), Ok(members[member]), "{payload}");
    }
}
