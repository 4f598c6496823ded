//! Independent decoders of CBOR, which check that of `capgen-amp`.
//!
//! `ciborium` accepts more than deterministic encodings, and `cbor-core` accepts only these; both have their own model
//! of values.

use capgen_amp::cbor::{DecodeErrorKind, Limits, Value, decode};

/// Decodes with our decoder and checks that the others agree. Returns our result.
///
/// The exceptions, all of which the models of the other crates cause: `ciborium` reads `undefined` as `null` and small
/// big integers (tags 2 and 3) as integers, and rejects simple values and some big integers of 16 bytes. `cbor-core`
/// accepts every NaN and limits nothing as we do; it rejects big integers of other than the shortest form, which are
/// tags with byte strings to us.
///
/// # Panics
///
/// If the decoders disagree.
pub fn checked_decode(bytes: &[u8]) -> Option<Value> {
    let ours = decode(bytes, &Limits::default());
    let strict = cbor_core::Value::decode(bytes);
    match &ours {
        Ok(ours) => {
            let model = Model::of(ours);
            if !model.has_big_integers {
                let strict = strict.unwrap_or_else(|error| panic!("cbor-core: {error}: {bytes:02x?}"));
                assert!(is_strict(ours, &strict), "{bytes:02x?}: {ours:?} {strict:?}");
            }
            if !model.has_simple_values && !model.has_large_integers {
                let read = ciborium::from_reader::<ciborium::Value, _>(bytes);
                let read = read.unwrap_or_else(|error| panic!("ciborium: {error}: {bytes:02x?}"));
                assert!(is_ciborium(ours, &read), "{bytes:02x?}: {ours:?} {read:?}");
            }
        }
        Err(error) => {
            let beyond = [DecodeErrorKind::OtherNan, DecodeErrorKind::TooDeep, DecodeErrorKind::TooManyItems];
            assert!(strict.is_err() || beyond.contains(&error.kind), "{bytes:02x?}: {error}");
        }
    }
    ours.ok()
}

/// The parts of a value that other models do not have.
#[derive(Default)]
struct Model {
    has_simple_values: bool,
    has_big_integers: bool,
    /// Big integers of more than 15 bytes.
    has_large_integers: bool,
}

impl Model {
    fn of(value: &Value) -> Self {
        let mut model = Self::default();
        model.visit(value);
        model
    }

    fn visit(&mut self, value: &Value) {
        match value {
            Value::Simple(_) => self.has_simple_values = true,
            Value::Tag(tag, content) => {
                self.has_big_integers |= is_big_integer(*tag, content);
                self.has_large_integers |=
                    is_big_integer(*tag, content) && content.as_bytes().is_some_and(|bytes| bytes.len() > 15);
                self.visit(content);
            }
            Value::Array(elements) => elements.iter().for_each(|element| self.visit(element)),
            Value::Map(map) => map.iter().for_each(|(key, value)| {
                self.visit(key);
                self.visit(value);
            }),
            _ => {}
        }
    }
}

fn is_big_integer(tag: u64, content: &Value) -> bool {
    matches!(tag, 2 | 3) && content.as_bytes().is_some()
}

fn is_ciborium(ours: &Value, theirs: &ciborium::Value) -> bool {
    use ciborium::Value as Theirs;
    match (ours, theirs) {
        (Value::Unsigned(_) | Value::Negative(_), Theirs::Integer(theirs)) => {
            ours.as_integer() == Some(i128::from(*theirs))
        }
        (Value::Bytes(ours), Theirs::Bytes(theirs)) => ours == theirs,
        (Value::Text(ours), Theirs::Text(theirs)) => ours == theirs,
        (Value::Bool(ours), Theirs::Bool(theirs)) => ours == theirs,
        (Value::Null | Value::Undefined, Theirs::Null) => true,
        (Value::Float(ours), Theirs::Float(theirs)) => is_same_float(ours.get(), *theirs),
        (Value::Array(ours), Theirs::Array(theirs)) => {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(ours, theirs)| is_ciborium(ours, theirs))
        }
        (Value::Map(ours), Theirs::Map(theirs)) => {
            let mut entries = ours.iter().zip(theirs);
            ours.len() == theirs.len()
                && entries.all(|((key, value), theirs)| is_ciborium(key, &theirs.0) && is_ciborium(value, &theirs.1))
        }
        (Value::Tag(tag, content), Theirs::Integer(_)) => is_big_integer(*tag, content),
        (Value::Tag(tag, ours), Theirs::Tag(theirs, content)) => tag == theirs && is_ciborium(ours, content),
        _ => false,
    }
}

fn is_strict(ours: &Value, theirs: &cbor_core::Value<'_>) -> bool {
    use cbor_core::Value as Theirs;
    let simple = |number: u8| matches!(theirs, Theirs::SimpleValue(theirs) if theirs.to_u8() == number);
    match (ours, theirs) {
        (Value::Unsigned(ours), Theirs::Unsigned(theirs)) => ours == theirs,
        (Value::Negative(ours), Theirs::Negative(theirs)) => ours == theirs,
        (Value::Bytes(ours), Theirs::ByteString(theirs)) => *ours == **theirs,
        (Value::Text(ours), Theirs::TextString(theirs)) => *ours == **theirs,
        (Value::Bool(value), _) => simple(if *value { 21 } else { 20 }),
        (Value::Null, _) => simple(22),
        (Value::Undefined, _) => simple(23),
        (Value::Simple(number), _) => simple(*number),
        (Value::Float(ours), Theirs::Float(theirs)) => is_same_float(ours.get(), theirs.to_f64()),
        (Value::Array(ours), Theirs::Array(theirs)) => {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(ours, theirs)| is_strict(ours, theirs))
        }
        (Value::Map(ours), Theirs::Map(theirs)) => {
            let mut entries = ours.iter().zip(theirs);
            ours.len() == theirs.len()
                && entries.all(|((key, value), theirs)| is_strict(key, theirs.0) && is_strict(value, theirs.1))
        }
        (Value::Tag(tag, ours), Theirs::Tag(theirs, content)) => tag == theirs && is_strict(ours, content),
        _ => false,
    }
}

fn is_same_float(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}
