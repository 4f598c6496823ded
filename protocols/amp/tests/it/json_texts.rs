//! CBOR becomes a JSON text, and a JSON text CBOR, without a tree between them. A conversion through a tree gives the
//! same.

use allocation_counter::measure;
use capgen_amp::cbor::{Limits, MAX_DEPTH, Map, NotJson, Value, decode};
use capgen_schema::{JsonTextErrorKind, parse_payload, pointer};
use proptest::prelude::*;
use serde_json::Value as Json;

use crate::properties;

/// The conversion to a tree by recursion.
fn tree(value: &Value) -> Result<Json, NotJson> {
    let not_json = |reason| NotJson { path: String::new(), reason };
    let fail = |reason| Err(not_json(reason));
    let below = |token: &str| {
        let token = token.to_owned();
        move |error: NotJson| NotJson { path: pointer::join("", &token) + &error.path, ..error }
    };
    Ok(match value {
        Value::Unsigned(number) => Json::from(*number),
        Value::Negative(_) => match value.as_integer().and_then(|number| i64::try_from(number).ok()) {
            Some(number) => Json::from(number),
            None => return fail("an integer outside -2^63 to 2^64 - 1"),
        },
        Value::Text(text) => Json::from(text.as_str()),
        Value::Array(elements) => {
            let elements = elements.iter().enumerate();
            Json::Array(
                elements
                    .map(|(index, value)| tree(value).map_err(below(&index.to_string())))
                    .collect::<Result<_, _>>()?,
            )
        }
        Value::Map(map) => {
            let members = map.iter().map(|(key, value)| match key {
                Value::Text(key) => Ok((key.clone(), tree(value).map_err(below(key))?)),
                _ => Err(not_json("a map with a key that is not text")),
            });
            Json::Object(members.collect::<Result<_, _>>()?)
        }
        Value::Bool(value) => Json::from(*value),
        Value::Null => Json::Null,
        Value::Float(number) => match serde_json::Number::from_f64(number.get()) {
            Some(number) => Json::Number(number),
            None => return fail("NaN or an infinity"),
        },
        Value::Bytes(_) => return fail("a byte string"),
        Value::Tag(..) => return fail("a tag"),
        Value::Undefined => return fail("undefined"),
        Value::Simple(_) => return fail("a simple value"),
    })
}

/// Values that JSON can represent.
fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<u64>().prop_map(Value::Unsigned),
        any::<i64>().prop_map(|number| Value::integer(number.into()).unwrap()),
        any::<f64>().prop_map(|number| Value::Float((if number.is_finite() { number } else { 0.5 }).into())),
        (-300_i16..300).prop_map(|number| Value::Float((f64::from(number) / 8.0).into())),
        any::<String>().prop_map(Value::Text),
        "[\\x00-\\x22\\\\]{0,6}".prop_map(Value::Text),
        any::<bool>().prop_map(Value::Bool),
        Just(Value::Null),
    ];
    leaf.prop_recursive(5, 60, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::Array),
            prop::collection::vec(("[a-c\"/~é]{0,3}", inner), 0..8)
                .prop_map(|entries| Value::Map(entries.into_iter().collect())),
        ]
    })
}

/// Texts that are usually JSON: with numbers of every form, escapes, duplicate names and whitespace.
fn document() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        "-?(0|[1-9][0-9]{0,25})",
        "-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,20})?([eE][-+]?[0-9]{1,3})?",
        Just("-0".to_owned()),
        Just("1e400".to_owned()),
        Just("18446744073709551616".to_owned()),
        Just("-9223372036854775809".to_owned()),
        "\"([a-zé]|\\\\[nrtbf/\"\\\\]|\\\\u[0-9a-fA-F]{4}){0,4}\"",
        Just("true".to_owned()),
        Just("null".to_owned()),
        Just("nul".to_owned()),
        Just("01".to_owned()),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(|items| format!("[{}]", items.join(" ,"))),
            prop::collection::vec(("[a-e]{1,2}", inner), 0..5).prop_map(|members| {
                let members: Vec<_> = members.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

fn through_a_tree(text: &[u8]) -> Option<Value> {
    parse_payload(text).ok().map(|tree| Value::from_json(&tree))
}

proptest! {
    #[test]
    fn a_text_and_a_tree_are_the_same_json(value in json_value()) {
        let expected = tree(&value).unwrap();
        let text = value.to_json_text().unwrap();
        prop_assert_eq!(&text, &expected.to_string());
        prop_assert_eq!(value.to_json().unwrap(), expected);
        prop_assert_eq!(Value::from_json_text(text.as_bytes()).unwrap(), value);
    }

    #[test]
    fn a_text_and_a_tree_refuse_the_same_value(value in properties::value()) {
        let expected = tree(&value);
        prop_assert_eq!(&value.to_json(), &expected);
        prop_assert_eq!(value.to_json_text(), expected.map(|tree| tree.to_string()));
    }

    #[test]
    fn a_text_is_the_value_of_its_tree(text in document()) {
        prop_assert_eq!(Value::from_json_text(text.as_bytes()).ok(), through_a_tree(text.as_bytes()));
    }

    #[test]
    fn a_changed_byte_of_a_text_is_read_as_through_a_tree(text in document(), index: prop::sample::Index, byte: u8) {
        let mut bytes = text.into_bytes();
        let index = index.index(bytes.len());
        bytes[index] = byte;
        prop_assert_eq!(Value::from_json_text(&bytes).ok(), through_a_tree(&bytes));
    }
}

#[test]
fn the_depth_of_a_value_costs_no_stack() {
    let depth = 100_000;
    let value = (0..depth).fold(Value::Null, |value, _| Value::Array(vec![value]));
    let small = std::thread::Builder::new().stack_size(128 << 10);
    let run = move || {
        let text = value.to_json_text().unwrap();
        // Dropping it recurses.
        std::mem::forget(value);
        text
    };
    let text = small.spawn(run).unwrap().join().unwrap();
    assert_eq!((text.len(), &text[depth - 1..depth + 5]), (2 * depth + 4, "[null]"));
}

#[test]
fn texts_have_at_most_128_levels() {
    let nested = |levels: usize| [vec![b'['; levels], vec![b']'; levels]].concat();
    assert_eq!(Value::from_json_text(&nested(128)).ok(), through_a_tree(&nested(128)));
    assert!(Value::from_json_text(&nested(128)).is_ok());
    for text in [nested(129), vec![b'['; 1_000_000], b"{\"a\":".repeat(1_000_000)] {
        assert_eq!(Value::from_json_text(&text).unwrap_err().kind, JsonTextErrorKind::TooDeep);
        assert!(through_a_tree(&text).is_none());
    }
}

#[test]
fn a_decoded_value_of_every_depth_has_a_text() {
    let bytes = [vec![0x81; MAX_DEPTH], vec![0xf6]].concat();
    let value = decode(&bytes, &Limits::default()).unwrap();
    assert_eq!(value.to_json_text().unwrap().len(), 2 * MAX_DEPTH + 4);
}

#[test]
fn errors_of_texts_do_not_quote_them() {
    for text in
        [&br#"{"secret": 1, "secret": 2}"#[..], b"[secret]", b"[1e999]", b"\"secret", b"[\"secret\xff\"]", b"1 secret"]
    {
        let error = Value::from_json_text(text).unwrap_err().to_string();
        assert!(!error.contains("secret") && !error.contains("999"), "{error}");
    }
}

/// A text needs its own memory, in one piece, and no tree.
#[test]
fn a_large_value_is_written_without_other_memory() {
    let entries = (0..50_000_u64).map(|number| (format!("name {number:05}"), Value::from(number)));
    for value in
        [Value::Map(entries.collect::<Map>()), Value::Text("\0".repeat(100_000)), Value::from("a".repeat(100_000))]
    {
        let mut text = String::new();
        let info = measure(|| text = value.to_json_text().unwrap());
        assert_eq!(text.capacity(), text.len());
        assert!(info.bytes_max <= text.len() as u64 + 1024, "{info:?}");
    }
}
