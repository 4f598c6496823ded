//! Strict decoding.
//!
//! The input is read twice. The first pass checks everything and keeps only the open arrays, maps and tags, so rejected
//! input allocates nothing for its values. The second pass knows that every length is true, and reserves exactly that
//! much.

use std::fmt;

use super::token::{Reader, Token};
use super::{Map, Value};
use DecodeErrorKind as Kind;

/// The deepest nesting of arrays, maps and tags that [`decode`] accepts (decision 1): other code may use recursion over
/// values.
pub const MAX_DEPTH: usize = 128;

/// Limits of [`decode`]. [`Limits::default`] has those of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The most bytes of input. Default: 16 MiB, the maximum that AMP RFC 002 recommends for messages.
    pub bytes: usize,
    /// The most arrays, maps and tags within each other, the outermost counts as one. Numbers above [`MAX_DEPTH`] mean
    /// that. Default: 128.
    pub depth: usize,
    /// The most data items: values, keys of maps and tags, at all levels. Default: 2^20, whose values have 32 MiB,
    /// twice the longest input.
    pub items: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 16 << 20, depth: MAX_DEPTH, items: 1 << 20 }
    }
}

/// Bytes that are not deterministic CBOR, or exceed a limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DecodeError {
    /// The position in the input of the first byte of the data item that is invalid.
    pub offset: usize,
    /// The rule that it violates.
    pub kind: DecodeErrorKind,
}

/// The rules that bytes can violate (RFC 8949, sections 3 and 4.2.1; decision 1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// The input ends inside a head, or before the next data item.
    Truncated,
    /// A string, array or map is longer than the rest of the input.
    LengthBeyondInput,
    /// Bytes follow the data item.
    TrailingBytes,
    /// A shorter form of the integer, length or tag exists.
    LongInteger,
    /// A shorter format has the floating-point number.
    LongFloat,
    /// A NaN that is not `f97e00`.
    OtherNan,
    /// An indefinite length, or a "break".
    IndefiniteLength,
    /// The additional information is 28, 29 or 30.
    ReservedInformation,
    /// A simple value below 32 in two bytes.
    InvalidSimple,
    /// A text string is not UTF-8.
    InvalidUtf8,
    /// A key is less than the key before it, by the bytes of their encodings.
    UnsortedKeys,
    /// A key is equal to the key before it.
    DuplicateKey,
    /// More arrays, maps and tags within each other than [`Limits::depth`].
    TooDeep,
    /// More data items than [`Limits::items`].
    TooManyItems,
    /// The input has more bytes than [`Limits::bytes`].
    TooLong,
}

/// Decodes one data item that is the whole input, and whose encoding is deterministic
/// ([RFC 8949, section 4.2.1](https://www.rfc-editor.org/rfc/rfc8949#section-4.2.1); decision 1): if it succeeds,
/// [`encode`](super::encode) returns the same bytes.
///
/// Time is linear in the length of the input; keys that contain maps add at most a logarithmic factor. The memory of
/// the value is at most 32 bytes for each data item, plus the contents of the strings, so at most 32 times the input.
/// Rejected input needs a few KiB.
///
/// ```
/// use capgen_amp::cbor::{DecodeErrorKind, Limits, Value, decode};
/// assert_eq!(decode(&[0x19, 0x0f, 0xa3], &Limits::default()), Ok(Value::Unsigned(4003)));
/// let error = decode(&[0x81, 0x18, 0x17], &Limits::default()).unwrap_err();
/// assert_eq!((error.offset, error.kind), (1, DecodeErrorKind::LongInteger));
/// ```
///
/// # Errors
///
/// The first violation of a rule, in the order of the input.
pub fn decode(bytes: &[u8], limits: &Limits) -> Result<Value, DecodeError> {
    read(bytes, limits, Keyed::Sorted)
}

/// Like [`decode`], but the keys of maps may have any order. They are still unique.
///
/// The frames of carriers need not be deterministic: nothing signs them, and peers write them in the order of the
/// specification.
#[cfg(feature = "carrier")]
pub(crate) fn decode_unsorted(bytes: &[u8], limits: &Limits) -> Result<Value, DecodeError> {
    read(bytes, limits, Keyed::Unsorted)
}

/// The order that the keys of maps must have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keyed {
    Sorted,
    #[cfg(feature = "carrier")]
    Unsorted,
}

fn read(bytes: &[u8], limits: &Limits, keyed: Keyed) -> Result<Value, DecodeError> {
    if bytes.len() > limits.bytes {
        return Err(DecodeError { offset: limits.bytes, kind: DecodeErrorKind::TooLong });
    }
    Check { bytes, position: 0, limits, open: Vec::new(), items: 0, keyed }.run()?;
    let mut reader = Reader { rest: bytes };
    // The first pass has found every other error.
    build(&mut reader, keyed).map_err(|kind| DecodeError { offset: bytes.len() - reader.rest.len(), kind })
}

/// The first pass.
struct Check<'a> {
    bytes: &'a [u8],
    position: usize,
    limits: &'a Limits,
    /// The arrays, maps and tags around the position, from the outermost to the innermost.
    open: Vec<Open<'a>>,
    /// The data items up to the position, and those that open arrays and maps promise.
    items: usize,
    keyed: Keyed,
}

/// An array, map or tag whose children are not complete.
struct Open<'a> {
    /// The number of children that are not complete, at least 1. Keys and values of a map are children.
    left: usize,
    keys: Option<Keys<'a>>,
}

/// The keys of a map.
#[derive(Clone, Copy)]
struct Keys<'a> {
    /// The start of the current key.
    start: usize,
    /// The encoding of the key before it, empty before the first one.
    previous: &'a [u8],
}

impl<'a> Check<'a> {
    fn run(mut self) -> Result<(), DecodeError> {
        self.promise(1).map_err(|kind| DecodeError { offset: 0, kind })?;
        loop {
            let start = self.position;
            let is_leaf = self.item().map_err(|kind| DecodeError { offset: start, kind })?;
            if is_leaf {
                self.complete()?;
                if self.open.is_empty() {
                    break;
                }
            }
        }
        if self.position < self.bytes.len() {
            return Err(DecodeError { offset: self.position, kind: Kind::TrailingBytes });
        }
        Ok(())
    }

    /// Reads the next head. Returns whether the data item is complete, that is, has no children.
    fn item(&mut self) -> Result<bool, Kind> {
        let mut reader = Reader { rest: self.bytes.get(self.position..).unwrap_or_default() };
        let token = reader.token()?;
        self.position = self.bytes.len() - reader.rest.len();
        let (children, keys) = match token {
            Token::Array(length) => (length, None),
            Token::Map(length) => (length * 2, Some(Keys { start: self.position, previous: &[] })),
            Token::Tag(_) => (1, None),
            Token::Integer { .. } | Token::Bytes(_) | Token::Text(_) | Token::Simple(_) => return Ok(true),
        };
        if self.open.len() >= self.limits.depth.min(MAX_DEPTH) {
            return Err(Kind::TooDeep);
        }
        self.promise(children)?;
        if children > 0 {
            self.open.push(Open { left: children, keys });
        }
        Ok(children == 0)
    }

    /// Counts data items that must follow.
    const fn promise(&mut self, items: usize) -> Result<(), Kind> {
        self.items = self.items.saturating_add(items);
        if self.items > self.limits.items { Err(Kind::TooManyItems) } else { Ok(()) }
    }

    /// A data item ends at the position, and perhaps those that contain it.
    fn complete(&mut self) -> Result<(), DecodeError> {
        while let Some(open) = self.open.last_mut() {
            if let Some(keys) = &mut open.keys {
                if open.left.is_multiple_of(2) && self.keyed == Keyed::Sorted {
                    let key = self.bytes.get(keys.start..self.position).unwrap_or_default();
                    // No encoding is empty, so the first key is always greater.
                    let kind = match key.cmp(keys.previous) {
                        std::cmp::Ordering::Less => Some(Kind::UnsortedKeys),
                        std::cmp::Ordering::Equal => Some(Kind::DuplicateKey),
                        std::cmp::Ordering::Greater => None,
                    };
                    if let Some(kind) = kind {
                        return Err(DecodeError { offset: keys.start, kind });
                    }
                    keys.previous = key;
                } else {
                    keys.start = self.position;
                }
            }
            open.left -= 1;
            if open.left > 0 {
                break;
            }
            self.open.pop();
        }
        Ok(())
    }
}

/// The second pass. Its recursion is at most [`MAX_DEPTH`] deep.
fn build(reader: &mut Reader<'_>, keyed: Keyed) -> Result<Value, Kind> {
    Ok(match reader.token()? {
        Token::Integer { is_negative: false, argument } => Value::Unsigned(argument),
        Token::Integer { is_negative: true, argument } => Value::Negative(argument),
        Token::Bytes(bytes) => Value::Bytes(bytes.to_vec()),
        Token::Text(text) => Value::Text(text.to_owned()),
        Token::Array(length) => {
            let mut elements = Vec::with_capacity(length);
            for _ in 0..length {
                elements.push(build(reader, keyed)?);
            }
            Value::Array(elements)
        }
        Token::Map(length) => {
            let mut entries = Vec::with_capacity(length);
            for _ in 0..length {
                entries.push((build(reader, keyed)?, build(reader, keyed)?));
            }
            Value::Map(map(entries, keyed)?)
        }
        Token::Tag(tag) => Value::Tag(tag, Box::new(build(reader, keyed)?)),
        Token::Simple(value) => value,
    })
}

fn map(entries: Vec<(Value, Value)>, keyed: Keyed) -> Result<Map, Kind> {
    if keyed == Keyed::Sorted {
        return Ok(Map::from_sorted(entries));
    }
    let length = entries.len();
    let map: Map = entries.into_iter().collect();
    if map.len() == length { Ok(map) } else { Err(Kind::DuplicateKey) }
}

impl fmt::Display for DecodeErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Truncated => "the input ends inside a data item",
            Self::LengthBeyondInput => "the length exceeds the rest of the input",
            Self::TrailingBytes => "bytes follow the data item",
            Self::LongInteger => "a shorter encoding of this integer, length or tag exists",
            Self::LongFloat => "a shorter encoding of this floating-point number exists",
            Self::OtherNan => "the only encoding of NaN is f97e00",
            Self::IndefiniteLength => "indefinite lengths are not deterministic",
            Self::ReservedInformation => "the additional information of this head is reserved",
            Self::InvalidSimple => "simple values below 32 have one byte",
            Self::InvalidUtf8 => "the text is not UTF-8",
            Self::UnsortedKeys => "the keys of the map are not sorted by the bytes of their encodings",
            Self::DuplicateKey => "the map contains a key twice",
            Self::TooDeep => "arrays, maps and tags are nested too deep",
            Self::TooManyItems => "there are too many data items",
            Self::TooLong => "the input is too long",
        })
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.offset, self.kind)
    }
}

impl std::error::Error for DecodeError {}
