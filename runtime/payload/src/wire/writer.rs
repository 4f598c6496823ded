//! Checking and writing JSON text in one pass.

use std::collections::BTreeMap;

use capgen_schema::{MAX_PAYLOAD_DEPTH, Number, is_plain};
use serde::Serialize;
use serde_json::Value;

use super::reader::Unrepresentable;
use super::stack::with_room;
use super::{Codec, Constraint, Interpreted, Reader};

/// 2^64. Integers of 64 bits are below.
const MAX: f64 = 18_446_744_073_709_551_616.0;

/// A JSON text that is being written.
///
/// A method that writes returns `None` if the value breaks its schema. The text is then incomplete and must not be
/// used.
#[derive(Debug)]
pub struct Writer {
    text: Vec<u8>,
    depth: usize,
    max_depth: usize,
    /// Whether assertions are not checked. A number that is not finite is then written as `null`.
    is_unchecked: bool,
    /// Numbers that are not finite.
    unrepresentable: Vec<Unrepresentable>,
}

impl Writer {
    /// A writer that checks assertions.
    pub(crate) fn new() -> Self {
        Self {
            text: Vec::with_capacity(128),
            depth: 0,
            max_depth: MAX_PAYLOAD_DEPTH,
            is_unchecked: false,
            unrepresentable: Vec::new(),
        }
    }

    /// The writer with a limit on the levels of arrays and objects.
    pub(crate) fn max_depth(self, levels: usize) -> Self {
        Self { max_depth: levels, ..self }
    }

    /// A writer that checks no assertions.
    pub(crate) fn unchecked() -> Self {
        Self { is_unchecked: true, ..Self::new() }
    }

    pub(crate) fn into_text(self) -> Vec<u8> {
        self.text
    }

    /// The text, and the places where it has `null` for a number that is not finite.
    pub(crate) fn into_parts(self) -> (Vec<u8>, Vec<Unrepresentable>) {
        (self.text, self.unrepresentable)
    }

    /// Checks the whole schema of a value and writes it.
    #[inline]
    pub fn write<T: Codec>(&mut self, value: &T) -> Option<()> {
        match T::INTERPRETED {
            Some(whole) => self.checked(whole, |writer| value.write(writer)),
            None => value.write(self),
        }
    }

    /// Checks a constraint and writes the value.
    pub fn write_by<T, C: Constraint<T>>(&mut self, value: &T, constraint: &C) -> Option<()> {
        constraint.write(self, value)
    }

    /// Writes a value, and validates the written text by the interpreter.
    pub(super) fn checked(&mut self, whole: &Interpreted, write: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        if self.is_unchecked {
            return write(self);
        }
        let start = self.text.len();
        self.is_unchecked = true;
        let written = write(self);
        self.is_unchecked = false;
        written?;
        let text = std::str::from_utf8(self.text.get(start..)?).ok()?;
        let is_valid = self.unrepresentable.is_empty() && whole.accepts(&Reader::unchecked(text).exact_value()?.0);
        is_valid.then_some(())
    }

    #[inline]
    pub(super) fn rejects(&self, is_valid: impl FnOnce() -> bool) -> bool {
        !self.is_unchecked && !is_valid()
    }

    #[inline]
    pub(super) fn scalar<T: Serialize + ?Sized>(&mut self, value: &T) -> Option<()> {
        serde_json::to_writer(&mut self.text, value).ok()
    }

    /// Writes a string.
    pub fn string(&mut self, text: &str) -> Option<()> {
        // Most strings have no character with an escape, which is found eight bytes at a time.
        if !is_plain(text.as_bytes()) {
            return self.scalar(text);
        }
        self.text.reserve(text.len() + 2);
        self.text.push(b'"');
        self.text.extend_from_slice(text.as_bytes());
        self.text.push(b'"');
        Some(())
    }

    /// Writes a JSON text.
    pub fn json(&mut self, text: &str) -> Option<()> {
        self.text.extend_from_slice(text.as_bytes());
        Some(())
    }

    pub(super) fn float(&mut self, value: f64) -> Option<()> {
        if !value.is_finite() {
            self.unrepresentable.push(Unrepresentable {
                offset: self.text.len(),
                message: "JSON cannot represent a number that is not finite",
            });
            if !self.is_unchecked {
                return None;
            }
        }
        // Beyond 2^53, the shortest decimal that reads back as the same binary64 may be another integer.
        #[expect(clippy::cast_possible_truncation, reason = "integers below 2^64 in absolute value fit")]
        if has_all_digits(value) {
            return self.json(&(value as i128).to_string());
        }
        self.scalar(&value)
    }

    /// Writes any value.
    pub(crate) fn value(&mut self, value: &Value) -> Option<()> {
        match value {
            Value::Array(items) => self.items(items, Self::value),
            Value::Object(members) => {
                self.begin()?;
                for (name, member) in members {
                    self.name(name)?;
                    self.value(member)?;
                }
                self.end()
            }
            Value::String(text) => self.string(text),
            scalar => self.scalar(scalar),
        }
    }

    fn open(&mut self, bracket: u8) -> Option<()> {
        self.depth += 1;
        self.text.push(bracket);
        (self.depth <= self.max_depth).then_some(())
    }

    /// Starts an array.
    pub(super) fn begin_array(&mut self) -> Option<()> {
        self.open(b'[')
    }

    /// Ends the array.
    pub(super) fn end_array(&mut self) -> Option<()> {
        self.depth -= 1;
        self.text.push(b']');
        Some(())
    }

    /// Writes an item of an array.
    pub(super) fn position<T, C: Constraint<T>>(&mut self, value: &T, constraint: &C, is_first: bool) -> Option<()> {
        if !is_first {
            self.text.push(b',');
        }
        constraint.write(self, value)
    }

    pub(super) fn items<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T) -> Option<()>) -> Option<()> {
        self.begin_array()?;
        with_room(|| {
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    self.text.push(b',');
                }
                write(self, item)?;
            }
            Some(())
        })?;
        self.end_array()
    }

    /// Starts an object.
    pub fn begin(&mut self) -> Option<()> {
        self.open(b'{')
    }

    /// Ends the object.
    pub fn end(&mut self) -> Option<()> {
        self.depth -= 1;
        self.text.push(b'}');
        Some(())
    }

    fn name(&mut self, name: &str) -> Option<()> {
        if self.text.last() != Some(&b'{') {
            self.text.push(b',');
        }
        self.string(name)?;
        self.text.push(b':');
        Some(())
    }

    /// Writes a property.
    pub fn required<T: Codec>(&mut self, name: &str, value: &T) -> Option<()> {
        self.name(name)?;
        self.write(value)
    }

    /// Writes a property if it is present.
    pub fn optional<T: Codec>(&mut self, name: &str, value: &Option<T>) -> Option<()> {
        value.as_ref().map_or(Some(()), |value| self.required(name, value))
    }

    /// Writes a property with a constraint.
    pub fn required_by<T, C: Constraint<T>>(&mut self, name: &str, value: &T, constraint: &C) -> Option<()> {
        self.name(name)?;
        constraint.write(self, value)
    }

    /// Writes a property with a constraint if it is present.
    pub fn optional_by<T, C: Constraint<T>>(&mut self, name: &str, value: &Option<T>, constraint: &C) -> Option<()> {
        value.as_ref().map_or(Some(()), |value| self.required_by(name, value, constraint))
    }

    /// Writes a nullable property with a constraint if it is not `None`: that is an absent property.
    pub fn merged_by<T, C: Constraint<Option<T>>>(
        &mut self,
        name: &str,
        value: &Option<T>,
        constraint: &C,
    ) -> Option<()> {
        value.as_ref().map_or(Some(()), |_| self.required_by(name, value, constraint))
    }

    /// Writes the undeclared properties. One with a declared name is left out: the field has the value of that
    /// property.
    pub fn rest<T, C: Constraint<T>>(
        &mut self,
        rest: &BTreeMap<String, T>,
        declared: &[&str],
        constraint: &C,
    ) -> Option<()> {
        let mut undeclared = rest.iter().filter(|(name, _)| !declared.contains(&name.as_str()));
        undeclared.try_for_each(|(name, value)| self.required_by(name, value, constraint))
    }
}

/// Whether the binary64 is written with all its digits, as a 64-bit integer is, and not as the shortest decimal.
pub(super) fn has_all_digits(value: f64) -> bool {
    (Number::MAX_EXACT_INTEGER..MAX).contains(&value.abs())
}

pub(super) fn write_map<T, C: Constraint<T>>(
    writer: &mut Writer,
    map: &BTreeMap<String, T>,
    constraint: &C,
) -> Option<()> {
    writer.begin()?;
    with_room(|| writer.rest(map, &[], constraint))?;
    writer.end()
}
