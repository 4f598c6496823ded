//! What a schema says of a place beyond the type that stands there.

use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::OnceLock;

use capgen_schema::{Format, Pattern, Validator};
use serde_json::Value;

use super::value::are_unique;
use super::{Codec, PayloadSchema, Reader, Writer};

/// Reads and writes values of a type, and checks them.
pub trait Constraint<T> {
    /// Reads a value; `None` where it is none of the type, or breaks the rule.
    fn read(&self, reader: &mut Reader<'_>) -> Option<T>;

    /// Writes a value; `None` where it breaks the rule.
    fn write(&self, writer: &mut Writer, value: &T) -> Option<()>;
}

/// No more than the type says.
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

    /// A code point has one to four bytes, so most often they need not be counted.
    #[inline]
    fn holds(&self, text: &str) -> bool {
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
        if reader.rejects(|| self.holds(&text)) { None } else { Some(text.into_owned()) }
    }

    fn write(&self, writer: &mut Writer, value: &String) -> Option<()> {
        if writer.rejects(|| self.holds(value)) { None } else { writer.scalar(value.as_str()) }
    }
}

/// `pattern` or `format` beside lengths. A pattern is compiled on first use.
#[derive(Debug)]
pub struct Text {
    length: Length,
    pattern: Option<&'static str>,
    format: Option<Format>,
    compiled: OnceLock<Option<Pattern>>,
}

impl Text {
    /// `pattern` is ECMA-262 with `u`.
    #[must_use]
    pub const fn new(length: Length, pattern: Option<&'static str>, format: Option<Format>) -> Self {
        Self { length, pattern, format, compiled: OnceLock::new() }
    }

    /// A pattern alone.
    #[must_use]
    pub const fn pattern(pattern: &'static str) -> Self {
        Self::new(Length::new(0, u64::MAX), Some(pattern), None)
    }

    /// A format alone.
    #[must_use]
    pub const fn format(format: Format) -> Self {
        Self::new(Length::new(0, u64::MAX), None, Some(format))
    }

    #[inline]
    fn holds(&self, text: &str) -> bool {
        self.length.holds(text)
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
        if reader.rejects(|| self.holds(&text)) { None } else { Some(text.into_owned()) }
    }

    fn write(&self, writer: &mut Writer, value: &String) -> Option<()> {
        if writer.rejects(|| self.holds(value)) { None } else { writer.scalar(value.as_str()) }
    }
}

/// Bounds of an integer or a number, both inclusive.
#[derive(Clone, Copy, Debug)]
pub struct Within<T>(T, T);

impl<T> Within<T> {
    /// From `min` to `max`.
    pub const fn new(min: T, max: T) -> Self {
        Self(min, max)
    }
}

impl<T: Codec + PartialOrd> Constraint<T> for Within<T> {
    fn read(&self, reader: &mut Reader<'_>) -> Option<T> {
        let value = reader.read()?;
        if reader.rejects(|| self.0 <= value && value <= self.1) { None } else { Some(value) }
    }

    fn write(&self, writer: &mut Writer, value: &T) -> Option<()> {
        if writer.rejects(|| self.0 <= *value && *value <= self.1) { None } else { writer.write(value) }
    }
}

/// `minItems`, `maxItems`, and a rule for each item.
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
    fn holds(&self, length: usize) -> bool {
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
        if reader.rejects(|| self.holds(items.len())) { None } else { Some(items) }
    }

    fn write(&self, writer: &mut Writer, value: &Vec<T>) -> Option<()> {
        if writer.rejects(|| self.holds(value.len())) {
            return None;
        }
        writer.items(value, |writer, item| self.item.write(writer, item))
    }
}

/// `uniqueItems`, beside what another rule says of the array.
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

/// A rule for each value of a map.
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

/// A rule for what is not `null`.
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

/// What only the interpreter checks: the subschemas at JSON Pointers of a payload's schema.
#[derive(Debug)]
pub struct Interpreted {
    schema: fn() -> &'static PayloadSchema,
    pointers: &'static [&'static str],
    validators: OnceLock<Option<Vec<Validator>>>,
}

impl Interpreted {
    /// A value has to fit the subschemas at all of the pointers.
    #[must_use]
    pub const fn new(schema: fn() -> &'static PayloadSchema, pointers: &'static [&'static str]) -> Self {
        Self { schema, pointers, validators: OnceLock::new() }
    }

    pub(super) fn accepts(&self, value: &Value) -> bool {
        let validators = self.validators.get_or_init(|| {
            let validator = (self.schema)().validator()?;
            self.pointers.iter().map(|pointer| validator.at(pointer)).collect()
        });
        validators.as_ref().is_some_and(|validators| validators.iter().all(|validator| validator.is_valid(value)))
    }
}

impl<T: Codec> Constraint<T> for Interpreted {
    fn read(&self, reader: &mut Reader<'_>) -> Option<T> {
        reader.checked(self, Reader::read)
    }

    fn write(&self, writer: &mut Writer, value: &T) -> Option<()> {
        writer.checked(self, |writer| writer.write(value))
    }
}
