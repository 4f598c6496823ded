//! The heads of data items, with the content of strings.

use super::decode::DecodeErrorKind as Kind;
use super::{Float, Value, half};

/// A data item without its children.
pub(super) enum Token<'a> {
    Integer {
        is_negative: bool,
        argument: u64,
    },
    Bytes(&'a [u8]),
    Text(&'a str),
    /// The number of elements, which is at most the number of the bytes that follow.
    Array(usize),
    /// The number of entries, which is at most half the number of the bytes that follow.
    Map(usize),
    Tag(u64),
    /// `false`, `true`, `null`, `undefined`, a simple value or a floating-point number: a value that owns no memory.
    Simple(Value),
}

/// The part of the input that has not been read.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Reads one token. It allocates nothing.
    pub(super) fn token(&mut self) -> Result<Token<'a>, Kind> {
        let [initial] = self.array()?;
        let (major, information) = (initial >> 5, initial & 31);
        if major == 7 {
            return self.simple(information).map(Token::Simple);
        }
        let argument = self.argument(information)?;
        Ok(match major {
            0 | 1 => Token::Integer { is_negative: major == 1, argument },
            2 => Token::Bytes(self.take(argument)?),
            3 => Token::Text(std::str::from_utf8(self.take(argument)?).map_err(|_| Kind::InvalidUtf8)?),
            4 => Token::Array(self.count(argument, 1)?),
            5 => Token::Map(self.count(argument, 2)?),
            _ => Token::Tag(argument),
        })
    }

    /// The argument of a head, which must have the shortest form.
    fn argument(&mut self, information: u8) -> Result<u64, Kind> {
        let (argument, least) = match information {
            0..24 => (u64::from(information), 0),
            24 => (u64::from(u8::from_be_bytes(self.array()?)), 24),
            25 => (u64::from(u16::from_be_bytes(self.array()?)), 1 << 8),
            26 => (u64::from(u32::from_be_bytes(self.array()?)), 1 << 16),
            27 => (u64::from_be_bytes(self.array()?), 1 << 32),
            28..31 => return Err(Kind::ReservedInformation),
            _ => return Err(Kind::IndefiniteLength),
        };
        if argument < least { Err(Kind::LongInteger) } else { Ok(argument) }
    }

    fn simple(&mut self, information: u8) -> Result<Value, Kind> {
        Ok(match information {
            0..20 => Value::Simple(information),
            20 => Value::Bool(false),
            21 => Value::Bool(true),
            22 => Value::Null,
            23 => Value::Undefined,
            24 => match u8::from_be_bytes(self.array()?) {
                0..32 => return Err(Kind::InvalidSimple),
                number => Value::Simple(number),
            },
            25 => match u16::from_be_bytes(self.array()?) {
                bits if half::to_f64(bits).is_nan() && bits != 0x7e00 => return Err(Kind::OtherNan),
                bits => Value::Float(Float::from(half::to_f64(bits))),
            },
            26 => long_float(f64::from(f32::from_be_bytes(self.array()?)), |number| half::from_f64(number).is_some())?,
            27 => long_float(f64::from_be_bytes(self.array()?), is_single)?,
            28..31 => return Err(Kind::ReservedInformation),
            _ => return Err(Kind::IndefiniteLength),
        })
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Kind> {
        let (found, rest) = self.rest.split_first_chunk().ok_or(Kind::Truncated)?;
        self.rest = rest;
        Ok(*found)
    }

    fn take(&mut self, length: u64) -> Result<&'a [u8], Kind> {
        let length = usize::try_from(length).map_err(|_| Kind::LengthBeyondInput)?;
        let (found, rest) = self.rest.split_at_checked(length).ok_or(Kind::LengthBeyondInput)?;
        self.rest = rest;
        Ok(found)
    }

    /// A number of children that have at least `size` bytes each.
    const fn count(&self, claimed: u64, size: usize) -> Result<usize, Kind> {
        let most = self.rest.len() / size;
        #[expect(clippy::cast_possible_truncation, reason = "the number is at most a `usize`")]
        if claimed > most as u64 { Err(Kind::LengthBeyondInput) } else { Ok(claimed as usize) }
    }
}

/// A number of a longer format than binary16, which no shorter format may have.
fn long_float(number: f64, is_shorter: impl Fn(f64) -> bool) -> Result<Value, Kind> {
    if number.is_nan() {
        Err(Kind::OtherNan)
    } else if is_shorter(number) {
        Err(Kind::LongFloat)
    } else {
        Ok(Value::Float(Float::from(number)))
    }
}

/// Whether binary32 has the number. It has every number of binary16.
pub(super) fn is_single(number: f64) -> bool {
    #[expect(clippy::cast_possible_truncation, reason = "the result is compared with the number")]
    let single = number as f32;
    f64::from(single).to_bits() == number.to_bits()
}
