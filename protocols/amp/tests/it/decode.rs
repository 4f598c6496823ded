//! The rules of the strict decoder, each with bytes that violate it (decision 1).
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_amp::cbor::DecodeErrorKind as Kind;
use capgen_amp::cbor::{DecodeError, Limits, MAX_DEPTH, Map, Value, decode, encode};

fn bytes(hex: &str) -> Vec<u8> {
    hex::decode(hex.replace(' ', "")).unwrap()
}

fn read(hex: &str) -> Result<Value, DecodeError> {
    decode(&bytes(hex), &Limits::default())
}

#[test]
fn every_rule_rejects_bytes_that_violate_it() {
    let cases = [
        // The input ends.
        ("", 0, Kind::Truncated),
        ("18", 0, Kind::Truncated),
        ("19 01", 0, Kind::Truncated),
        ("1a 00 01 00", 0, Kind::Truncated),
        ("1b 00 00 00 01 00 00 00", 0, Kind::Truncated),
        ("f8", 0, Kind::Truncated),
        ("f9 00", 0, Kind::Truncated),
        ("fa 00 00 00", 0, Kind::Truncated),
        ("fb 00 00 00 00 00 00 00", 0, Kind::Truncated),
        ("c0", 1, Kind::Truncated),
        ("82 c0 c0", 3, Kind::Truncated),
        // Lengths that the input cannot contain.
        ("41", 0, Kind::LengthBeyondInput),
        ("62 61", 0, Kind::LengthBeyondInput),
        ("81", 0, Kind::LengthBeyondInput),
        ("a1 00", 0, Kind::LengthBeyondInput),
        ("82 82 00", 1, Kind::LengthBeyondInput),
        ("82 82 00 00", 4, Kind::Truncated),
        ("5b ff ff ff ff ff ff ff ff", 0, Kind::LengthBeyondInput),
        ("7b ff ff ff ff ff ff ff ff 00", 0, Kind::LengthBeyondInput),
        ("9b ff ff ff ff ff ff ff ff 00", 0, Kind::LengthBeyondInput),
        ("bb ff ff ff ff ff ff ff ff 00 00", 0, Kind::LengthBeyondInput),
        ("bb 80 00 00 00 00 00 00 01 00 00", 0, Kind::LengthBeyondInput),
        // Heads.
        ("18 17", 0, Kind::LongInteger),
        ("38 17", 0, Kind::LongInteger),
        ("58 01 00", 0, Kind::LongInteger),
        ("78 01 61", 0, Kind::LongInteger),
        ("98 01 00", 0, Kind::LongInteger),
        ("b8 01 00 00", 0, Kind::LongInteger),
        ("d8 17 00", 0, Kind::LongInteger),
        ("19 00 ff", 0, Kind::LongInteger),
        ("1a 00 00 ff ff", 0, Kind::LongInteger),
        ("1b 00 00 00 00 ff ff ff ff", 0, Kind::LongInteger),
        ("1c", 0, Kind::ReservedInformation),
        ("3d", 0, Kind::ReservedInformation),
        ("5e", 0, Kind::ReservedInformation),
        ("fc", 0, Kind::ReservedInformation),
        ("fe", 0, Kind::ReservedInformation),
        ("5f 41 00 ff", 0, Kind::IndefiniteLength),
        ("7f 61 61 ff", 0, Kind::IndefiniteLength),
        ("9f ff", 0, Kind::IndefiniteLength),
        ("bf ff", 0, Kind::IndefiniteLength),
        ("1f", 0, Kind::IndefiniteLength),
        ("df 00", 0, Kind::IndefiniteLength),
        ("ff", 0, Kind::IndefiniteLength),
        ("81 ff", 1, Kind::IndefiniteLength),
        // Simple values.
        ("f8 00", 0, Kind::InvalidSimple),
        ("f8 14", 0, Kind::InvalidSimple),
        ("f8 18", 0, Kind::InvalidSimple),
        ("f8 1f", 0, Kind::InvalidSimple),
        // Floating-point numbers.
        ("fa 3f 80 00 00", 0, Kind::LongFloat),
        ("fa 80 00 00 00", 0, Kind::LongFloat),
        ("fa 7f 80 00 00", 0, Kind::LongFloat),
        ("fa 33 80 00 00", 0, Kind::LongFloat),
        ("fb 3f f0 00 00 00 00 00 00", 0, Kind::LongFloat),
        ("fb 40 f0 00 00 00 00 00 00", 0, Kind::LongFloat),
        ("fb 36 a0 00 00 00 00 00 00", 0, Kind::LongFloat),
        ("fb ff f0 00 00 00 00 00 00", 0, Kind::LongFloat),
        ("f9 7e 01", 0, Kind::OtherNan),
        ("f9 7c 01", 0, Kind::OtherNan),
        ("f9 fe 00", 0, Kind::OtherNan),
        ("fa 7f c0 00 00", 0, Kind::OtherNan),
        ("fb 7f f8 00 00 00 00 00 00", 0, Kind::OtherNan),
        ("fb 7f f0 00 00 00 00 00 01", 0, Kind::OtherNan),
        // Texts.
        ("61 ff", 0, Kind::InvalidUtf8),
        ("62 c3 28", 0, Kind::InvalidUtf8),
        ("63 ed a0 80", 0, Kind::InvalidUtf8),
        ("62 c0 80", 0, Kind::InvalidUtf8),
        // Maps.
        ("a2 61 62 01 61 61 02", 4, Kind::UnsortedKeys),
        ("a2 62 61 61 01 61 62 02", 5, Kind::UnsortedKeys),
        ("a2 61 61 01 18 64 02", 4, Kind::UnsortedKeys),
        ("a2 61 61 01 61 61 02", 4, Kind::DuplicateKey),
        ("a3 00 00 81 00 00 81 00 00", 6, Kind::DuplicateKey),
        ("81 a2 a1 00 01 00 a1 00 00 00", 6, Kind::UnsortedKeys),
        ("a1 00 a2 01 00 01 00", 5, Kind::DuplicateKey),
        // Beyond the data item.
        ("00 00", 1, Kind::TrailingBytes),
        ("80 ff", 1, Kind::TrailingBytes),
        ("a0 a0", 1, Kind::TrailingBytes),
    ];
    for (hex, offset, kind) in cases {
        assert_eq!(read(hex), Err(DecodeError { offset, kind }), "{hex}");
    }
}

#[test]
fn deterministic_encodings_of_every_kind_are_accepted() {
    let text_map: Map = [("a", 1), ("b", 2), ("aa", 3)].into_iter().map(|(key, n)| (key, Value::from(n))).collect();
    let cases = [
        ("00", Value::Unsigned(0)),
        ("18 18", Value::Unsigned(24)),
        ("19 01 00", Value::Unsigned(256)),
        ("1a 00 01 00 00", Value::Unsigned(65_536)),
        ("1b 00 00 00 01 00 00 00 00", Value::Unsigned(1 << 32)),
        ("1b ff ff ff ff ff ff ff ff", Value::Unsigned(u64::MAX)),
        ("20", Value::Negative(0)),
        ("3b ff ff ff ff ff ff ff ff", Value::Negative(u64::MAX)),
        ("40", Value::Bytes(vec![])),
        ("42 00 ff", Value::Bytes(vec![0, 255])),
        ("60", Value::from("")),
        ("64 f0 9f 98 80", Value::from("😀")),
        ("80", Value::Array(vec![])),
        ("82 00 20", Value::Array(vec![Value::Unsigned(0), Value::Negative(0)])),
        ("a3 61 61 01 61 62 02 62 61 61 03", Value::Map(text_map)),
        ("a0", Value::Map(Map::new())),
        ("c0 00", Value::Tag(0, Box::new(Value::Unsigned(0)))),
        ("d8 18 40", Value::Tag(24, Box::new(Value::Bytes(vec![])))),
        ("e0", Value::Simple(0)),
        ("f3", Value::Simple(19)),
        ("f8 20", Value::Simple(32)),
        ("f8 ff", Value::Simple(255)),
        ("f4", Value::Bool(false)),
        ("f5", Value::Bool(true)),
        ("f6", Value::Null),
        ("f7", Value::Undefined),
        ("f9 80 00", Value::Float((-0.0).into())),
        ("f9 00 01", Value::Float(5.960_464_477_539_063e-8.into())),
        ("f9 03 ff", Value::Float(6.097_555_160_522_461e-5.into())),
        ("f9 04 00", Value::Float(6.103_515_625e-5.into())),
        ("f9 7b ff", Value::Float(65_504.0.into())),
        ("f9 7c 00", Value::Float(f64::INFINITY.into())),
        ("f9 7e 00", Value::Float(f64::NAN.into())),
        ("fa 47 80 00 00", Value::Float(65_536.0.into())),
        ("fa 00 00 00 01", Value::Float(1.401_298_464_324_817e-45.into())),
        ("fb 3f f1 99 99 99 99 99 9a", Value::Float(1.1.into())),
        ("fb 00 00 00 00 00 00 00 01", Value::Float(5e-324.into())),
    ];
    for (hex, value) in cases {
        assert_eq!(read(hex), Ok(value.clone()), "{hex}");
        assert_eq!(encode(&value), bytes(hex), "{hex}");
    }
}

#[test]
fn keys_of_different_types_are_sorted_by_their_encodings() {
    // 10, 100, -1, "z", "aa", [100], [-1], false: the example of RFC 8949, section 4.2.1.
    let hex = "a8 0a 00 18 64 00 20 00 61 7a 00 62 61 61 00 81 18 64 00 81 20 00 f4 00";
    let value = read(hex).unwrap();
    assert_eq!(encode(&value), bytes(hex));
    // The same keys in the opposite order.
    let map: Map = value.as_map().unwrap().iter().rev().map(|(key, value)| (key.clone(), value.clone())).collect();
    assert_eq!(Value::Map(map), value);
}

#[test]
fn the_last_of_equal_keys_remains_in_a_map() {
    let map: Map = [("b", 1), ("a", 2), ("b", 3)].into_iter().map(|(key, n)| (key, Value::from(n))).collect();
    assert_eq!(map.len(), 2);
    assert_eq!((map.get("a"), map.get("b")), (Some(&Value::Unsigned(2)), Some(&Value::Unsigned(3))));
}

#[test]
fn nesting_is_limited_to_128_levels_of_every_kind() {
    // The map counts as one, as the message itself does.
    for head in [vec![0x81], vec![0xc0], vec![0xa1, 0x00]] {
        for (levels, is_accepted) in [(1, true), (127, true), (128, true), (129, false), (100_000, false)] {
            let nested = [head.repeat(levels), vec![0xf6]].concat();
            let result = decode(&nested, &Limits::default());
            let expected = DecodeError { offset: MAX_DEPTH * head.len(), kind: Kind::TooDeep };
            assert_eq!(result.is_ok(), is_accepted, "{levels}");
            assert!(is_accepted || result == Err(expected), "{levels}: {result:?}");
        }
    }
    // An empty array is a level too, and so are keys.
    let nested = |inner: &[u8]| [&[0x81].repeat(127)[..], inner].concat();
    assert!(decode(&nested(&[0x80]), &Limits::default()).is_ok());
    assert!(decode(&nested(&[0x81, 0x80]), &Limits::default()).is_err());
    assert!(decode(&nested(&[0xa1, 0x80, 0x00]), &Limits::default()).is_err());
    // A higher limit has no effect.
    let limits = Limits { depth: usize::MAX, ..Limits::default() };
    assert_eq!(decode(&[0x81; 130], &limits).unwrap_err().kind, Kind::TooDeep);
    let limits = Limits { depth: 2, ..Limits::default() };
    assert!(decode(&[0x81, 0x81, 0x00], &limits).is_ok());
    assert_eq!(decode(&[0x81, 0x81, 0x80], &limits), Err(DecodeError { offset: 2, kind: Kind::TooDeep }));
    assert!(decode(&[0x00], &Limits { depth: 0, ..limits }).is_ok());
}

#[test]
fn data_items_are_limited() {
    let limits = Limits { items: 5, ..Limits::default() };
    assert!(decode(&bytes("84 00 00 00 00"), &limits).is_ok());
    assert_eq!(decode(&bytes("85 00 00 00 00 00"), &limits), Err(DecodeError { offset: 0, kind: Kind::TooManyItems }));
    assert!(decode(&bytes("a2 00 00 01 00"), &limits).is_ok());
    assert_eq!(decode(&bytes("82 00 a1 00 81 00"), &limits).unwrap_err().offset, 4);
    assert_eq!(decode(&bytes("c0 c0 c0 c0 c0 00"), &limits).unwrap_err().kind, Kind::TooManyItems);
    assert_eq!(decode(&[0], &Limits { items: 0, ..limits }).unwrap_err().kind, Kind::TooManyItems);
    let many = |length: u32| [vec![0x9a], length.to_be_bytes().to_vec(), vec![0; length as usize]].concat();
    assert!(decode(&many((1 << 20) - 1), &Limits::default()).is_ok());
    assert_eq!(decode(&many(1 << 20), &Limits::default()).unwrap_err().kind, Kind::TooManyItems);
}

#[test]
fn bytes_are_limited() {
    let limits = Limits { bytes: 3, ..Limits::default() };
    assert!(decode(&bytes("42 00 00"), &limits).is_ok());
    assert_eq!(decode(&bytes("43 00 00 00"), &limits), Err(DecodeError { offset: 3, kind: Kind::TooLong }));
    assert_eq!(Limits::default().bytes, 16 * 1024 * 1024);
}

#[test]
fn errors_name_the_byte_and_the_rule() {
    assert_eq!(
        read("81 18 17").unwrap_err().to_string(),
        "byte 1: a shorter encoding of this integer, length or tag exists"
    );
}

#[test]
fn all_numbers_of_binary16_are_encoded_as_such() {
    for bits in 0..=u16::MAX {
        let encoded = [&[0xf9][..], &bits.to_be_bytes()].concat();
        match decode(&encoded, &Limits::default()) {
            Ok(Value::Float(number)) => {
                assert_eq!(encode(&Value::Float(number)), encoded);
                // No neighbour in binary64 has a short form.
                if number.get().is_finite() && number.get() != 0.0 {
                    let next = f64::from_bits(number.get().to_bits() + 1);
                    assert_eq!(encode(&Value::Float(next.into()))[0], 0xfb);
                }
            }
            result => assert_eq!(result, Err(DecodeError { offset: 0, kind: Kind::OtherNan }), "{bits:04x}"),
        }
    }
}
