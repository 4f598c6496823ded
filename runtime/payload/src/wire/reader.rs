//! Reading and checking JSON text in one pass. `lexer.rs` of `capgen-schema` lists the readers of JSON text, and the
//! reason for each.

use std::borrow::Cow;

use capgen_schema::{JsonCursor, MAX_PAYLOAD_DEPTH};

use super::number::{self, Numeral};
use super::stack::with_room;
use super::{Codec, Constraint, Interpreted, Writer};

/// A JSON text that is being read.
///
/// A method that reads returns `None` if the text is not valid JSON, does not have the type, or breaks the schema. It
/// returns no reason: valid payloads should not pay for error messages, and the [`Validator`](crate::Validator) reports
/// the violations. After `None`, the rest of the text is not read.
#[derive(Debug)]
pub struct Reader<'a> {
    cursor: JsonCursor<'a>,
    depth: usize,
    max_depth: usize,
    /// Whether assertions are not checked, because the payload is known to be valid.
    is_unchecked: bool,
    /// Whether [`value`](Self::value) has read a number that may be written with another value.
    pub(super) has_changing_number: bool,
    /// A valid number that its Rust type cannot represent.
    unrepresentable: Option<Unrepresentable>,
}

/// A number that a schema allows and a Rust type, or JSON, cannot represent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Unrepresentable {
    /// The place in the text, in bytes.
    pub(crate) offset: usize,
    pub(crate) message: &'static str,
}

/// The type of a JSON value, known by its first character.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "each variant is the type of its name")]
pub enum ValueKind {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

impl<'a> Reader<'a> {
    /// A reader that checks assertions.
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            cursor: JsonCursor::new(text, 0),
            depth: 0,
            max_depth: MAX_PAYLOAD_DEPTH,
            is_unchecked: false,
            has_changing_number: false,
            unrepresentable: None,
        }
    }

    /// The reader with a limit on the levels of arrays and objects.
    pub(crate) fn max_depth(self, levels: usize) -> Self {
        Self { max_depth: levels, ..self }
    }

    /// A reader of a text that is known to be valid.
    pub(crate) fn unchecked(text: &'a str) -> Self {
        Self { is_unchecked: true, ..Self::new(text) }
    }

    pub(crate) fn is_unchecked(&self) -> bool {
        self.is_unchecked
    }

    /// The place and the reason of stopping. The reason is `otherwise` unless it is a number that the type cannot
    /// represent.
    pub(crate) fn stop(&self, otherwise: &'static str) -> Unrepresentable {
        self.unrepresentable.unwrap_or_else(|| Unrepresentable { offset: self.last_value(), message: otherwise })
    }

    /// A place inside the value that was read last or, if a value is next, its start.
    fn last_value(&self) -> usize {
        let text = self.cursor.text();
        let (before, after) = text.split_at_checked(self.at()).unwrap_or((text, ""));
        let before = before.trim_end();
        if before.is_empty() || before.ends_with(['[', '{', ':', ',']) {
            // A string can end in one of these characters too, but its quote follows.
            self.at() + (after.len() - after.trim_start().len())
        } else {
            // Assertions are checked after the value is read.
            before.len() - 1
        }
    }

    /// The position, in bytes.
    pub(crate) fn at(&self) -> usize {
        self.cursor.at()
    }

    /// Reads the whole text.
    pub(crate) fn whole<T: Codec>(&mut self) -> Option<T> {
        let read = self.read()?;
        self.ended().then_some(read)
    }

    /// Whether only whitespace is left.
    pub(super) fn ended(&mut self) -> bool {
        self.peek().is_none()
    }

    /// Reads a value of a type and checks its whole schema.
    #[inline]
    pub fn read<T: Codec>(&mut self) -> Option<T> {
        match T::INTERPRETED {
            Some(whole) => self.checked(whole),
            None => T::read(self),
        }
    }

    /// Reads a value of a type and checks a constraint.
    #[inline]
    pub fn read_by<T, C: Constraint<T>>(&mut self, constraint: &C) -> Option<T> {
        constraint.read(self)
    }

    /// Validates the next value by the interpreter, and then reads it.
    pub(super) fn checked<T: Codec>(&mut self, whole: &Interpreted) -> Option<T> {
        if self.is_unchecked {
            return T::read(self);
        }
        let start = self.cursor;
        let (value, may_change) = self.exact_value()?;
        if !whole.accepts(&value) {
            return None;
        }
        self.cursor = start;
        self.is_unchecked = true;
        let read = T::read(self);
        self.is_unchecked = false;
        read.filter(|read| !may_change || is_writable(read, whole))
    }

    /// Whether assertions are checked and this one fails.
    #[inline]
    pub(super) fn rejects(&self, is_valid: impl FnOnce() -> bool) -> bool {
        !self.is_unchecked && !is_valid()
    }

    /// The type of the next value.
    pub fn kind(&mut self) -> Option<ValueKind> {
        Some(match self.peek()? {
            b'{' => ValueKind::Object,
            b'[' => ValueKind::Array,
            b'"' => ValueKind::String,
            b't' | b'f' => ValueKind::Boolean,
            b'n' => ValueKind::Null,
            b'-' | b'0'..=b'9' => ValueKind::Number,
            _ => return None,
        })
    }

    /// The next byte that is not whitespace.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<u8> {
        self.cursor.token()
    }

    /// Consumes a byte; `None` if the next one that is not whitespace is another.
    #[inline]
    pub(super) fn take(&mut self, byte: u8) -> Option<()> {
        if self.peek()? == byte {
            self.cursor.advance(1);
            Some(())
        } else {
            None
        }
    }

    /// Consumes an opening bracket and enters its level.
    #[inline]
    pub(super) fn open(&mut self, bracket: u8) -> Option<()> {
        self.take(bracket)?;
        self.depth += 1;
        (self.depth <= self.max_depth).then_some(())
    }

    /// Whether an array or object has another element. Consumes the comma before it, or the closing bracket.
    #[inline]
    pub(super) fn another(&mut self, bracket: u8, is_first: bool) -> Option<bool> {
        let next = self.peek()?;
        if next == bracket {
            self.cursor.advance(1);
            self.depth -= 1;
            return Some(false);
        }
        if is_first {
            return Some(true);
        }
        if next != b',' {
            return None;
        }
        self.cursor.advance(1);
        Some(true)
    }

    fn word(&mut self, word: &str) -> Option<()> {
        self.peek()?;
        self.cursor.literal(word).then_some(())
    }

    /// Reads `null`.
    pub fn null(&mut self) -> Option<()> {
        self.word("null")
    }

    /// Reads `true` or `false`.
    pub fn boolean(&mut self) -> Option<bool> {
        match self.peek()? {
            b't' => self.word("true").map(|()| true),
            _ => self.word("false").map(|()| false),
        }
    }

    /// Reads a string.
    pub(super) fn owned(&mut self) -> Option<String> {
        self.string().map(Cow::into_owned)
    }

    /// Reads a string. It is borrowed if it has no escapes.
    pub fn string(&mut self) -> Option<Cow<'a, str>> {
        self.take(b'"')?;
        self.cursor.rest_of_string().ok()
    }

    /// The text from `start`, where a value starts, to the position.
    pub(super) fn since(&self, start: usize) -> &'a str {
        self.cursor.since(start)
    }

    pub(super) fn numeral(&mut self) -> Option<Numeral> {
        self.peek()?;
        number::scan(&mut self.cursor)
    }

    /// Reads an integer; `1.0` is one.
    pub fn integer(&mut self) -> Option<i64> {
        self.whole_number("integer outside -2^63..2^63")
    }

    /// Reads an integer that is not negative; `1.0` is one.
    pub fn unsigned(&mut self) -> Option<u64> {
        self.whole_number("integer outside 0..2^64")
    }

    #[inline]
    fn whole_number<T: TryFrom<u64> + TryFrom<i64>>(&mut self, range: &'static str) -> Option<T> {
        self.peek()?;
        let start = self.at();
        let numeral = self.numeral()?;
        if let Numeral::Float(float) = numeral {
            return self.folded(float, start, range);
        }
        let integer = numeral.to_integer();
        if integer.is_none() {
            self.unrepresentable = Some(Unrepresentable { offset: start, message: range });
        }
        integer
    }

    /// The integer that was written with a fraction or an exponent, by its digits: binary64 may have rounded it.
    fn folded<T: TryFrom<u64> + TryFrom<i64>>(&mut self, float: f64, start: usize, range: &'static str) -> Option<T> {
        // Short numbers are exact: two decimals of few digits never have the same binary64.
        if !Numeral::Float(float).may_change(self.at() - start) {
            #[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^53")]
            match T::try_from(float as i64) {
                _ if float.fract() != 0.0 => return None,
                Ok(integer) => return Some(integer),
                Err(_) => {}
            }
        }
        let exact = number::exact(self.since(start), float)?;
        if !exact.is_integer() {
            return None;
        }
        let integer = match (exact.as_i64(), exact.as_u64()) {
            (Some(integer), _) => T::try_from(integer).ok(),
            (None, Some(natural)) => T::try_from(natural).ok(),
            (None, None) => None,
        };
        if integer.is_none() {
            self.unrepresentable = Some(Unrepresentable { offset: start, message: range });
        }
        integer
    }

    /// Reads a number; `None` if binary64 cannot represent it exactly, because it would be written back as another
    /// number.
    pub fn number(&mut self) -> Option<f64> {
        self.peek()?;
        let start = self.at();
        let float = self.numeral()?.to_float();
        if float.is_none() {
            self.unrepresentable =
                Some(Unrepresentable { offset: start, message: "integer that binary64 cannot represent exactly" });
        }
        float
    }

    /// Calls `read` for each item of an array.
    #[inline]
    pub(super) fn items(&mut self, mut read: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.open(b'[')?;
        with_room(|| {
            let mut is_first = true;
            while self.another(b']', is_first)? {
                read(self)?;
                is_first = false;
            }
            Some(())
        })
    }

    /// Skips a value quickly: only brackets and strings are checked.
    pub(super) fn hop(&mut self) -> Option<()> {
        if !matches!(self.kind()?, ValueKind::Array | ValueKind::Object) {
            return self.skip();
        }
        let mut open: usize = 0;
        loop {
            match self.cursor.peek()? {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'{' | b'[' => open += 1,
                b'}' | b']' => open -= 1,
                _ => {}
            }
            self.cursor.advance(1);
            if open == 0 {
                return Some(());
            }
        }
    }

    /// Calls `look`, and returns to the position before it.
    pub(super) fn ahead<T>(&mut self, look: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let (cursor, depth) = (self.cursor, self.depth);
        let found = look(self);
        (self.cursor, self.depth) = (cursor, depth);
        found
    }
}

/// Whether a value can be written again: the numbers of its text are valid, but its type may have rounded them to
/// numbers that are not.
#[cold]
fn is_writable<T: Codec>(value: &T, whole: &Interpreted) -> bool {
    Writer::new().checked(whole, |writer| value.write(writer)).is_some()
}
