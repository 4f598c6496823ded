//! CBOR data items.

use super::Map;

/// A CBOR data item ([RFC 8949, section 2](https://www.rfc-editor.org/rfc/rfc8949#section-2)). Equal values have equal
/// deterministic encodings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// An integer that is not negative: major type 0.
    Unsigned(u64),
    /// The integer -1 - n: major type 1.
    Negative(u64),
    /// A byte string: major type 2.
    Bytes(Vec<u8>),
    /// A text string: major type 3.
    Text(String),
    /// An array: major type 4.
    Array(Vec<Value>),
    /// A map: major type 5. Its keys are unique and sorted.
    Map(Map),
    /// A tagged item: major type 6. Tags have no meaning here.
    Tag(u64, Box<Value>),
    /// `false` or `true`.
    Bool(bool),
    /// `null`.
    Null,
    /// `undefined`.
    Undefined,
    /// A simple value without a meaning: 0 to 19, or 32 to 255. Other numbers are not encoded as such.
    Simple(u8),
    /// A floating-point number.
    Float(Float),
}

/// A floating-point number. Numbers are equal if their deterministic encodings are: there is one NaN, and -0.0 is not
/// 0.0.
#[derive(Clone, Copy, Debug)]
pub struct Float(f64);

impl Float {
    /// The number as binary64, which has all numbers of the shorter formats.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }

    const fn bits(self) -> u64 {
        if self.0.is_nan() { f64::NAN.to_bits() } else { self.0.to_bits() }
    }
}

impl From<f64> for Float {
    fn from(number: f64) -> Self {
        Self(number)
    }
}

impl PartialEq for Float {
    fn eq(&self, other: &Self) -> bool {
        self.bits() == other.bits()
    }
}

impl Eq for Float {}

impl Value {
    /// An integer; `None` outside -2^64 to 2^64 - 1, the integers of major types 0 and 1.
    #[must_use]
    pub fn integer(number: i128) -> Option<Self> {
        match u64::try_from(number) {
            Ok(number) => Some(Self::Unsigned(number)),
            Err(_) => u64::try_from(-1 - number).ok().map(Self::Negative),
        }
    }

    /// The integer, if this is one.
    #[must_use]
    pub fn as_integer(&self) -> Option<i128> {
        match self {
            Self::Unsigned(number) => Some(i128::from(*number)),
            Self::Negative(number) => Some(-1 - i128::from(*number)),
            _ => None,
        }
    }

    /// The integer, if this is one that is not negative (`uint`).
    #[must_use]
    pub const fn as_unsigned(&self) -> Option<u64> {
        if let Self::Unsigned(number) = self { Some(*number) } else { None }
    }

    /// The text, if this is a text string.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The bytes, if this is a byte string.
    #[must_use]
    pub fn as_bytes(&self) -> Option<&[u8]> {
        if let Self::Bytes(bytes) = self { Some(bytes) } else { None }
    }

    /// `true` or `false`, if this is one of them.
    #[must_use]
    pub const fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }

    /// The elements, if this is an array.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Self]> {
        if let Self::Array(elements) = self { Some(elements) } else { None }
    }

    /// The map, if this is one.
    #[must_use]
    pub const fn as_map(&self) -> Option<&Map> {
        if let Self::Map(map) = self { Some(map) } else { None }
    }

    /// The value of a text key, if this is a map that contains it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.as_map()?.get(key)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Unsigned(number)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<u8>> for Value {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

impl From<&[u8]> for Value {
    fn from(bytes: &[u8]) -> Self {
        Self::Bytes(bytes.to_vec())
    }
}

impl From<Vec<Value>> for Value {
    fn from(elements: Vec<Self>) -> Self {
        Self::Array(elements)
    }
}

impl From<Map> for Value {
    fn from(map: Map) -> Self {
        Self::Map(map)
    }
}
