//! Encoding.

use super::{Float, Map, Value, half, token};

/// The deterministic encoding of a value ([RFC 8949, section
/// 4.2.1](https://www.rfc-editor.org/rfc/rfc8949#section-4.2.1)).
///
/// A value nested more than 128 levels deep is encoded too, but no decoder here accepts it.
///
/// ```
/// use capgen_amp::cbor::{Value, encode};
/// assert_eq!(encode(&Value::from(4003)), [0x19, 0x0f, 0xa3]);
/// ```
#[must_use]
pub fn encode(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes, value);
    bytes
}

fn write(bytes: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Unsigned(number) => write_unsigned(bytes, *number),
        Value::Negative(number) => write_head(bytes, 1, *number),
        Value::Bytes(content) => write_bytes(bytes, content),
        Value::Text(text) => write_text(bytes, text),
        Value::Array(elements) => {
            write_array_head(bytes, elements.len());
            elements.iter().for_each(|element| write(bytes, element));
        }
        Value::Map(map) => write_map(bytes, map),
        Value::Tag(tag, content) => {
            write_head(bytes, 6, *tag);
            write(bytes, content);
        }
        Value::Bool(value) => bytes.push(if *value { 0xf5 } else { 0xf4 }),
        Value::Null => bytes.push(0xf6),
        Value::Undefined => bytes.push(0xf7),
        Value::Simple(number) if *number < 24 => bytes.push(0xe0 | number),
        Value::Simple(number) => bytes.extend([0xf8, *number]),
        Value::Float(number) => write_float(bytes, *number),
    }
}

/// Appends a byte string.
pub(crate) fn write_bytes(bytes: &mut Vec<u8>, content: &[u8]) {
    write_head(bytes, 2, length(content.len()));
    bytes.extend_from_slice(content);
}

/// Appends a text string.
pub(crate) fn write_text(bytes: &mut Vec<u8>, text: &str) {
    write_head(bytes, 3, length(text.len()));
    bytes.extend_from_slice(text.as_bytes());
}

/// Appends an integer that is not negative.
pub(crate) fn write_unsigned(bytes: &mut Vec<u8>, number: u64) {
    write_head(bytes, 0, number);
}

/// Appends the head of an array. Its elements must follow.
pub(crate) fn write_array_head(bytes: &mut Vec<u8>, elements: usize) {
    write_head(bytes, 4, length(elements));
}

/// Appends the head of a map. Its keys and values must follow.
pub(crate) fn write_map_head(bytes: &mut Vec<u8>, entries: usize) {
    write_head(bytes, 5, length(entries));
}

/// Appends a map.
pub(crate) fn write_map(bytes: &mut Vec<u8>, map: &Map) {
    write_map_head(bytes, map.len());
    for (key, value) in map.iter() {
        write(bytes, key);
        write(bytes, value);
    }
}

/// The initial byte with the shortest argument.
fn write_head(bytes: &mut Vec<u8>, major: u8, argument: u64) {
    let major = major << 5;
    if let Ok(short) = u8::try_from(argument) {
        if short < 24 {
            bytes.push(major | short);
        } else {
            bytes.extend([major | 24, short]);
        }
    } else if let Ok(argument) = u16::try_from(argument) {
        bytes.push(major | 25);
        bytes.extend(argument.to_be_bytes());
    } else if let Ok(argument) = u32::try_from(argument) {
        bytes.push(major | 26);
        bytes.extend(argument.to_be_bytes());
    } else {
        bytes.push(major | 27);
        bytes.extend(argument.to_be_bytes());
    }
}

/// The shortest format that has the number; one encoding for every NaN.
fn write_float(bytes: &mut Vec<u8>, number: Float) {
    let number = number.get();
    if number.is_nan() {
        bytes.extend([0xf9, 0x7e, 0x00]);
        return;
    }
    if let Some(half) = half::from_f64(number) {
        bytes.push(0xf9);
        bytes.extend(half.to_be_bytes());
    } else if token::is_single(number) {
        #[expect(clippy::cast_possible_truncation, reason = "the number has this format")]
        let single = number as f32;
        bytes.push(0xfa);
        bytes.extend(single.to_be_bytes());
    } else {
        bytes.push(0xfb);
        bytes.extend(number.to_be_bytes());
    }
}

/// A length in memory as an argument; no platform has lengths beyond 64 bits.
fn length(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
