//! Assertions of a schema that the Rust type does not express: lengths, patterns, bounds.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::OnceLock;

use capgen_schema::{ExactPayload, Format, Number, Pattern, Validator};

use super::stack::{with_room, with_room_to_validate};
use super::value::are_unique;
use super::writer::has_all_digits;
use super::{Codec, PayloadSchema, Reader, Writer};

/// Assertions on values of a type, checked while a value is read or written.
pub trait Constraint<T> {
    /// Reads a value; `None` if it does not have the type, or breaks the constraint.
    fn read(&self, reader: &mut Reader<'_>) -> Option<T>;

    /// Writes a value; `None` if it breaks the constraint.
    fn write(&self, writer: &mut Writer, value: &T) -> Option<()>;
}

/// No assertions beyond the type.
#[derive(Clone, Copy, Debug)]
pub struct Any;

impl<T: Codec> Constraint<T> for Any {
    #[inline]
    fn read(&self, reader: &mut Reader<'_>) -> Option<T> {
        reader.read()
    }

    #[inline]
    fn write(&self, writer: &mut Writer, value: &T) -> Option<()> {
        writer.write(value)
    }
}

/// `minLength` and `maxLength`, in code points.
#[derive(Clone, Copy, Debug)]
pub struct Length {
    min: u64,
    max: u64,
}

impl Length {
    /// From `min` to `max` code points.
    #[must_use]
    pub const fn new(min: u64, max: u64) -> Self {
        Self { min, max }
    }

    /// Whether the length is within the limits. A code point has one to four bytes, so the length in bytes usually
    /// decides without counting.
    #[inline]
    pub(super) fn accepts(&self, text: &str) -> bool {
        let bytes = text.len() as u64;
        if bytes <= self.max && bytes.div_ceil(4) >= self.min {
            return true;
        }
        if bytes < self.min || bytes.div_ceil(4) > self.max {
            return false;
        }
        let length = text.chars().count() as u64;
        self.min <= length && length <= self.max
    }
}

impl Constraint<String> for Length {
    fn read(&self, reader: &mut Reader<'_>) -> Option<String> {
        let text = reader.string()?;
        if reader.rejects(|| self.accepts(&text)) { None } else { Some(text.into_owned()) }
    }

    fn write(&self, writer: &mut Writer, value: &String) -> Option<()> {
        if writer.rejects(|| self.accepts(value)) { None } else { writer.string(value) }
    }
}

/// `pattern` or `format`, with `minLength` and `maxLength`. A pattern is compiled on first use.
#[derive(Debug)]
pub struct Text {
    length: Length,
    pattern: Option<&'static str>,
    format: Option<Format>,
    compiled: OnceLock<Option<Pattern>>,
}

impl Text {
    /// All assertions on strings. `pattern` is an ECMA-262 regular expression with the flag `u`.
    #[must_use]
    pub const fn new(length: Length, pattern: Option<&'static str>, format: Option<Format>) -> Self {
        Self { length, pattern, format, compiled: OnceLock::new() }
    }

    /// `pattern` without other assertions.
    #[must_use]
    pub const fn pattern(pattern: &'static str) -> Self {
        Self::new(Length::new(0, u64::MAX), Some(pattern), None)
    }

    /// `format` without other assertions.
    #[must_use]
    pub const fn format(format: Format) -> Self {
        Self::new(Length::new(0, u64::MAX), None, Some(format))
    }

    #[inline]
    pub(super) fn accepts(&self, text: &str) -> bool {
        self.length.accepts(text)
            && self.pattern.is_none_or(|source| self.matches(source, text))
            && self.format.is_none_or(|format| format.accepts(text))
    }

    #[inline]
    fn matches(&self, source: &str, text: &str) -> bool {
        let pattern = self.compiled.get_or_init(|| Pattern::new(source).ok());
        pattern.as_ref().is_some_and(|pattern| pattern.is_match(text) == Ok(true))
    }
}

impl Constraint<String> for Text {
    fn read(&self, reader: &mut Reader<'_>) -> Option<String> {
        let text = reader.string()?;
        if reader.rejects(|| self.accepts(&text)) { None } else { Some(text.into_owned()) }
    }

    fn write(&self, writer: &mut Writer, value: &String) -> Option<()> {
        if writer.rejects(|| self.accepts(value)) { None } else { writer.string(value) }
    }
}

/// Bounds of an integer or a number, inclusive unless stated otherwise.
#[derive(Clone, Copy, Debug)]
pub struct Within<T> {
    min: T,
    max: T,
    /// Whether the schema excludes the number next to `min`, beyond it. Then every number that is rounded to `min` is
    /// within the bound.
    is_min_next: bool,
    is_max_next: bool,
}

impl<T> Within<T> {
    /// From `min` to `max`.
    pub const fn new(min: T, max: T) -> Self {
        Self { min, max, is_min_next: false, is_max_next: false }
    }
}

impl Within<f64> {
    /// Excludes the lower bound itself: `exclusiveMinimum`.
    ///
    /// ```
    /// # use capgen::wire::Within;
    /// static POSITIVE: Within<f64> = Within::new(0.0, f64::INFINITY).exclusive_minimum();
    /// ```
    #[must_use]
    pub const fn exclusive_minimum(self) -> Self {
        // The next number is the inclusive bound, so that a check remains two comparisons.
        Self { min: self.min.next_up(), is_min_next: true, ..self }
    }

    /// Excludes the upper bound itself: `exclusiveMaximum`.
    ///
    /// ```
    /// # use capgen::wire::Within;
    /// static FRACTION: Within<f64> = Within::new(0.0, 1.0).exclusive_maximum();
    /// ```
    #[must_use]
    pub const fn exclusive_maximum(self) -> Self {
        Self { max: self.max.next_down(), is_max_next: true, ..self }
    }
}

/// A number that can have bounds.
pub trait Bounded: Codec + PartialOrd {
    /// How the text of a number compares with a limit that the number equals after it has been read; `None` if the
    /// digits of the limit decide, which only the schema has.
    fn compare_text(text: &str, limit: &Self) -> Option<Ordering>;
}

impl Bounded for i64 {
    fn compare_text(_: &str, _: &Self) -> Option<Ordering> {
        Some(Ordering::Equal)
    }
}

impl Bounded for u64 {
    fn compare_text(_: &str, _: &Self) -> Option<Ordering> {
        Some(Ordering::Equal)
    }
}

impl Bounded for f64 {
    #[cold]
    fn compare_text(text: &str, limit: &Self) -> Option<Ordering> {
        if has_all_digits(*limit) {
            // From 2^53 on, the limit is the exact value of its binary64.
            return Some(text.parse::<Number>().ok()?.cmp(&Number::exact(*limit)?));
        }
        (!Number::is_rounded_text(text)).then_some(Ordering::Equal)
    }
}

impl<T: Bounded> Within<T> {
    /// Whether the text of a value between the limits is between them too. It may have been rounded to a limit from
    /// beyond.
    fn accepts_text(&self, value: &T, text: &str) -> bool {
        let is_above =
            *value != self.min || self.is_min_next || T::compare_text(text, &self.min).is_some_and(Ordering::is_ge);
        let is_below =
            *value != self.max || self.is_max_next || T::compare_text(text, &self.max).is_some_and(Ordering::is_le);
        is_above && is_below
    }
}

impl<T: Bounded> Constraint<T> for Within<T> {
    fn read(&self, reader: &mut Reader<'_>) -> Option<T> {
        reader.peek()?;
        let start = reader.at();
        let value = reader.read()?;
        let accepts =
            |value: &T| self.min <= *value && *value <= self.max && self.accepts_text(value, reader.since(start));
        if reader.rejects(|| accepts(&value)) { None } else { Some(value) }
    }

    fn write(&self, writer: &mut Writer, value: &T) -> Option<()> {
        if writer.rejects(|| self.min <= *value && *value <= self.max) { None } else { writer.write(value) }
    }
}

/// `minItems`, `maxItems`, and a constraint on each item.
#[derive(Clone, Copy, Debug)]
pub struct Items<C> {
    min: u64,
    max: u64,
    item: C,
}

impl<C> Items<C> {
    /// From `min` to `max` items.
    pub const fn new(min: u64, max: u64, item: C) -> Self {
        Self { min, max, item }
    }

    #[inline]
    fn accepts(&self, length: usize) -> bool {
        self.min <= length as u64 && length as u64 <= self.max
    }
}

impl<T, C: Constraint<T>> Constraint<Vec<T>> for Items<C> {
    fn read(&self, reader: &mut Reader<'_>) -> Option<Vec<T>> {
        let mut items = Vec::new();
        reader.items(|reader| {
            items.push(self.item.read(reader)?);
            Some(())
        })?;
        if reader.rejects(|| self.accepts(items.len())) { None } else { Some(items) }
    }

    fn write(&self, writer: &mut Writer, value: &Vec<T>) -> Option<()> {
        if writer.rejects(|| self.accepts(value.len())) {
            return None;
        }
        writer.items(value, |writer, item| self.item.write(writer, item))
    }
}

/// `uniqueItems`, in addition to another constraint on the array.
#[derive(Clone, Copy, Debug)]
pub struct Unique<C>(pub C);

impl<T: Eq + Hash, C: Constraint<Vec<T>>> Constraint<Vec<T>> for Unique<C> {
    fn read(&self, reader: &mut Reader<'_>) -> Option<Vec<T>> {
        let items = self.0.read(reader)?;
        if reader.rejects(|| are_unique(&items)) { None } else { Some(items) }
    }

    fn write(&self, writer: &mut Writer, value: &Vec<T>) -> Option<()> {
        if writer.rejects(|| are_unique(value)) { None } else { self.0.write(writer, value) }
    }
}

/// A constraint on each value of a map.
#[derive(Clone, Copy, Debug)]
pub struct Values<C>(pub C);

impl<T, C: Constraint<T>> Constraint<BTreeMap<String, T>> for Values<C> {
    fn read(&self, reader: &mut Reader<'_>) -> Option<BTreeMap<String, T>> {
        super::object::read_map(reader, &self.0)
    }

    fn write(&self, writer: &mut Writer, value: &BTreeMap<String, T>) -> Option<()> {
        super::writer::write_map(writer, value, &self.0)
    }
}

/// A constraint on a value that may also be `null`.
#[derive(Clone, Copy, Debug)]
pub struct Nullable<C>(pub C);

impl<T, C: Constraint<T>> Constraint<Option<T>> for Nullable<C> {
    fn read(&self, reader: &mut Reader<'_>) -> Option<Option<T>> {
        if reader.peek()? == b'n' { reader.null().map(|()| None) } else { self.0.read(reader).map(Some) }
    }

    fn write(&self, writer: &mut Writer, value: &Option<T>) -> Option<()> {
        match value {
            None => writer.scalar(&()),
            Some(value) => self.0.write(writer, value),
        }
    }
}

/// A constraint on a value in a box.
#[derive(Clone, Copy, Debug)]
pub struct Boxed<C>(pub C);

impl<T, C: Constraint<T>> Constraint<Box<T>> for Boxed<C> {
    fn read(&self, reader: &mut Reader<'_>) -> Option<Box<T>> {
        with_room(|| self.0.read(reader).map(Box::new))
    }

    fn write(&self, writer: &mut Writer, value: &Box<T>) -> Option<()> {
        with_room(|| self.0.write(writer, value))
    }
}

/// Assertions that only the interpreter checks: the subschemas at some JSON Pointers of a payload's schema.
#[derive(Debug)]
pub struct Interpreted {
    schema: &'static PayloadSchema,
    pointers: &'static [&'static str],
    validators: OnceLock<Option<Vec<Validator>>>,
}

impl Interpreted {
    /// A value must match the subschemas at all of the pointers.
    #[must_use]
    pub const fn new(schema: &'static PayloadSchema, pointers: &'static [&'static str]) -> Self {
        Self { schema, pointers, validators: OnceLock::new() }
    }

    pub(super) fn accepts(&self, value: &ExactPayload) -> bool {
        let validators = self.validators.get_or_init(|| {
            let validator = self.schema.validator()?;
            self.pointers.iter().map(|pointer| validator.at(pointer)).collect()
        });
        let is_valid = |validator: &Validator| validator.is_valid_exact(value);
        validators.as_ref().is_some_and(|all| with_room_to_validate(|| all.iter().all(is_valid)))
    }
}

impl<T: Codec> Constraint<T> for Interpreted {
    fn read(&self, reader: &mut Reader<'_>) -> Option<T> {
        reader.checked(self)
    }

    fn write(&self, writer: &mut Writer, value: &T) -> Option<()> {
        writer.checked(self, |writer| writer.write(value))
    }
}
