//! `multipleOf`, checked on decimal digits.

use std::sync::OnceLock;

use capgen_schema::{Divisor, Number};

use super::number::exact;
use super::writer::has_all_digits;
use super::{Codec, Constraint, Reader, Writer};

/// `multipleOf`, in addition to another constraint on the number. The divisor is parsed on first use.
///
/// ```
/// # use capgen::wire::{Any, MultipleOf, Within};
/// static PRICE: MultipleOf<Within<f64>> = MultipleOf::new("0.01", Within::new(0.0, 100.0));
/// static EVEN: MultipleOf<Any> = MultipleOf::new("2", Any);
/// ```
#[derive(Debug)]
pub struct MultipleOf<C> {
    divisor: &'static str,
    other: C,
    parsed: OnceLock<Option<Divisor>>,
}

impl<C> MultipleOf<C> {
    /// The multiples of a positive number, given in JSON's grammar. Any other text has no multiples.
    #[must_use]
    pub const fn new(divisor: &'static str, other: C) -> Self {
        Self { divisor, other, parsed: OnceLock::new() }
    }

    #[inline]
    fn divisor(&self) -> Option<&Divisor> {
        self.parsed.get_or_init(|| self.divisor.parse().ok().map(Divisor::new)).as_ref()
    }
}

/// A number that can be a multiple of another.
pub trait Divisible: Codec {
    /// Whether the number, as it is written, is a multiple, and also the number of the `text` from which it was read,
    /// if any.
    fn is_multiple(&self, text: Option<&str>, divisor: &Divisor) -> bool;
}

impl Divisible for i64 {
    #[inline]
    fn is_multiple(&self, _: Option<&str>, divisor: &Divisor) -> bool {
        divisor.divides_integer((*self).into())
    }
}

impl Divisible for u64 {
    #[inline]
    fn is_multiple(&self, _: Option<&str>, divisor: &Divisor) -> bool {
        divisor.divides_integer((*self).into())
    }
}

impl Divisible for f64 {
    #[inline]
    fn is_multiple(&self, text: Option<&str>, divisor: &Divisor) -> bool {
        let divides = |number: Option<Number>| number.is_some_and(|number| divisor.divides(&number));
        // A short decimal is the shortest one of its binary64, except in the subnormal range.
        let may_differ = |text: &&str| text.len() > f64::DIGITS as usize || self.is_subnormal();
        let is_read = text.filter(may_differ).is_none_or(|text| divides(exact(text, *self)));
        // A value that can be read can be written again, so the number that is written has to be a multiple, too.
        is_read && if has_all_digits(*self) { divides(Number::exact(*self)) } else { divisor.divides_float(*self) }
    }
}

impl<T: Divisible, C: Constraint<T>> Constraint<T> for MultipleOf<C> {
    fn read(&self, reader: &mut Reader<'_>) -> Option<T> {
        reader.peek()?;
        let start = reader.at();
        let value = self.other.read(reader)?;
        let accepts = || {
            let text = reader.since(start);
            self.divisor().is_some_and(|divisor| value.is_multiple(Some(text), divisor))
        };
        if reader.rejects(accepts) { None } else { Some(value) }
    }

    fn write(&self, writer: &mut Writer, value: &T) -> Option<()> {
        let accepts = || self.divisor().is_some_and(|divisor| value.is_multiple(None, divisor));
        if writer.rejects(accepts) { None } else { self.other.write(writer, value) }
    }
}
