//! Properties of the codec over random values and bytes.

use capgen_amp::cbor::{Limits, Map, Value, decode, encode};
use proptest::prelude::*;

pub(crate) fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<u64>().prop_map(Value::Unsigned),
        (0_u64..300).prop_map(Value::Unsigned),
        any::<u64>().prop_map(Value::Negative),
        prop::collection::vec(any::<u8>(), 0..300).prop_map(Value::Bytes),
        any::<String>().prop_map(Value::Text),
        any::<bool>().prop_map(Value::Bool),
        Just(Value::Null),
        Just(Value::Undefined),
        prop_oneof![0_u8..20, 32_u8..=255].prop_map(Value::Simple),
        any::<f64>().prop_map(|number| Value::Float(number.into())),
        any::<f32>().prop_map(|number| Value::Float(f64::from(number).into())),
        any::<i8>().prop_map(|number| Value::Float((f64::from(number) / 8.0).into())),
    ];
    leaf.prop_recursive(5, 60, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::Array),
            prop::collection::vec((inner.clone(), inner.clone()), 0..8)
                .prop_map(|entries| Value::Map(entries.into_iter().collect())),
            prop::collection::vec(("[a-c]{0,3}", inner.clone()), 0..8)
                .prop_map(|entries| Value::Map(entries.into_iter().collect())),
            (any::<u64>(), inner).prop_map(|(tag, content)| Value::Tag(tag, Box::new(content))),
        ]
    })
}

proptest! {
    #[test]
    fn decoding_the_encoding_gives_the_value(value in value()) {
        let bytes = encode(&value);
        prop_assert_eq!(decode(&bytes, &Limits::default()), Ok(value));
    }

    #[test]
    fn accepted_bytes_are_the_encoding_of_their_value(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        if let Ok(value) = decode(&bytes, &Limits::default()) {
            prop_assert_eq!(encode(&value), bytes);
        }
    }

    #[test]
    fn a_changed_byte_gives_another_value_or_an_error(value in value(), index: prop::sample::Index, byte: u8) {
        let mut bytes = encode(&value);
        let index = index.index(bytes.len());
        prop_assume!(bytes[index] != byte);
        bytes[index] = byte;
        if let Ok(other) = decode(&bytes, &Limits::default()) {
            prop_assert_ne!(&other, &value);
            prop_assert_eq!(encode(&other), bytes);
        }
    }

    #[test]
    fn a_part_of_an_encoding_is_rejected(value in value(), index: prop::sample::Index) {
        let bytes = encode(&value);
        let length = index.index(bytes.len());
        prop_assert!(decode(&bytes[..length], &Limits::default()).is_err());
    }

    #[test]
    fn the_order_of_insertion_does_not_matter(entries in prop::collection::vec((value(), value()), 0..8)) {
        let collected: Map = entries.iter().cloned().collect();
        let mut inserted = Map::new();
        for (key, value) in entries {
            inserted.insert(key, value);
        }
        prop_assert_eq!(&inserted, &collected);
        prop_assert_eq!(decode(&encode(&inserted.clone().into()), &Limits::default()), Ok(inserted.into()));
    }
}
