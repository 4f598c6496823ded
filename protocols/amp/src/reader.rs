//! Reads maps of CBOR, and reports every error at once.

use std::fmt;
use std::str::FromStr;

use capgen_diagnostic::nearest;
use capgen_schema::{ReportBudget, pointer};

use crate::cbor::{Map, Value};

/// The errors that are reported of one body. A message may have millions, and these are enough to fix the program that
/// wrote it.
pub(crate) const MAX_ERRORS: usize = 100;

/// A violation of the CDDL of a body or a descriptor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BodyError {
    /// JSON Pointer ([RFC 6901](https://www.rfc-editor.org/rfc/rfc6901)) into the body; the empty string is the body
    /// itself. A missing key is reported at the path that it would have.
    pub path: String,
    /// The expected form. It contains no values of the body, which may be secrets.
    pub message: String,
}

impl fmt::Display for BodyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() { f.write_str(&self.message) } else { write!(f, "{}: {}", self.path, self.message) }
    }
}

impl std::error::Error for BodyError {}

/// Collects the errors of one body, and knows the place that is being read.
///
/// Its functions return `None` for a value that they have reported. So a caller reads all parts before it uses any of
/// them.
#[derive(Default)]
pub(crate) struct Reader<'v> {
    place: Vec<Token<'v>>,
    errors: Vec<BodyError>,
    left_out: usize,
}

/// A step from a value to a part of it.
#[derive(Clone, Copy)]
enum Token<'v> {
    Key(&'v str),
    Index(usize),
}

impl<'v> Reader<'v> {
    /// Reads a whole value.
    ///
    /// # Errors
    ///
    /// Every error, at most [`MAX_ERRORS`]; one more then states how many are left out.
    pub(crate) fn read<T>(
        value: &'v Value,
        read: impl FnOnce(&mut Self, &'v Value) -> Option<T>,
    ) -> Result<T, Vec<BodyError>> {
        Self::collect(|reader| read(reader, value))
    }

    /// Collects the errors of a function.
    ///
    /// # Errors
    ///
    /// As for [`read`](Self::read).
    pub(crate) fn collect<T>(read: impl FnOnce(&mut Self) -> Option<T>) -> Result<T, Vec<BodyError>> {
        let mut reader = Self::default();
        let result = read(&mut reader);
        let Self { mut errors, left_out, .. } = reader;
        if left_out > 0 {
            errors.push(BodyError { path: String::new(), message: format!("errors that are not listed: {left_out}") });
        }
        match result {
            Some(result) if errors.is_empty() => Ok(result),
            _ => Err(errors),
        }
    }

    /// Reports an error at the current place.
    pub(crate) fn report(&mut self, message: impl fmt::Display) {
        if self.errors.len() >= MAX_ERRORS {
            self.left_out += 1;
            return;
        }
        let mut path = String::new();
        for token in &self.place {
            match token {
                Token::Key(key) => pointer::push(&mut path, &ReportBudget::DEFAULT.cut_name(key)),
                Token::Index(index) => pointer::push(&mut path, &index.to_string()),
            }
        }
        self.errors.push(BodyError { path, message: message.to_string() });
    }

    /// Reports an error at a key of the map at the current place.
    pub(crate) fn report_at(&mut self, key: &'v str, message: impl fmt::Display) {
        self.at_key(key, |reader| reader.report(message));
    }

    fn inside<T>(&mut self, token: Token<'v>, read: impl FnOnce(&mut Self) -> T) -> T {
        self.place.push(token);
        let result = read(self);
        self.place.pop();
        result
    }

    /// Reads at a key of the map at the current place.
    pub(crate) fn at_key<T>(&mut self, key: &'v str, read: impl FnOnce(&mut Self) -> T) -> T {
        self.inside(Token::Key(key), read)
    }

    /// Reads at an element of the array at the current place.
    pub(crate) fn at_index<T>(&mut self, index: usize, read: impl FnOnce(&mut Self) -> T) -> T {
        self.inside(Token::Index(index), read)
    }

    /// The value of a key that must be present.
    pub(crate) fn required<T>(
        &mut self,
        map: &'v Map,
        key: &'v str,
        read: impl FnOnce(&mut Self, &'v Value) -> Option<T>,
    ) -> Option<T> {
        match map.get(key) {
            Some(value) => self.at_key(key, |reader| read(reader, value)),
            None => {
                self.report_at(key, "missing");
                None
            }
        }
    }

    /// The value of a key that may be absent. An invalid value is reported, and `None` like an absent one.
    pub(crate) fn optional<T>(
        &mut self,
        map: &'v Map,
        key: &'v str,
        read: impl FnOnce(&mut Self, &'v Value) -> Option<T>,
    ) -> Option<T> {
        let value = map.get(key)?;
        self.at_key(key, |reader| read(reader, value))
    }

    /// The elements of an array. `None` if one of them is invalid; all are read.
    pub(crate) fn elements<T>(
        &mut self,
        value: &'v Value,
        mut read: impl FnMut(&mut Self, &'v Value) -> Option<T>,
    ) -> Option<Vec<T>> {
        let Some(elements) = value.as_array() else { return self.expected("an array") };
        let mut all = Some(Vec::new());
        for (index, value) in elements.iter().enumerate() {
            let element = self.at_index(index, |reader| read(reader, value));
            match (&mut all, element) {
                (Some(all), Some(element)) => all.push(element),
                _ => all = None,
            }
        }
        all
    }

    /// The elements of an array that has at least one.
    pub(crate) fn non_empty<T>(
        &mut self,
        value: &'v Value,
        read: impl FnMut(&mut Self, &'v Value) -> Option<T>,
    ) -> Option<Vec<T>> {
        if value.as_array().is_some_and(<[Value]>::is_empty) {
            return self.expected("at least one element");
        }
        self.elements(value, read)
    }

    /// A map.
    pub(crate) fn map(&mut self, value: &'v Value) -> Option<&'v Map> {
        value.as_map().or_else(|| self.expected("a map"))
    }

    /// A text string.
    pub(crate) fn text(&mut self, value: &'v Value) -> Option<&'v str> {
        value.as_text().or_else(|| self.expected("a text string"))
    }

    /// A text string, owned.
    pub(crate) fn string(&mut self, value: &'v Value) -> Option<String> {
        self.text(value).map(str::to_owned)
    }

    /// A byte string.
    pub(crate) fn bytes(&mut self, value: &'v Value) -> Option<&'v [u8]> {
        value.as_bytes().or_else(|| self.expected("a byte string"))
    }

    /// An integer that is not negative (`uint`).
    pub(crate) fn unsigned(&mut self, value: &'v Value) -> Option<u64> {
        value.as_unsigned().or_else(|| self.expected("an unsigned integer"))
    }

    /// An integer that is at least 1.
    pub(crate) fn positive(&mut self, value: &'v Value) -> Option<u64> {
        match self.unsigned(value)? {
            0 => self.expected("at least 1"),
            number => Some(number),
        }
    }

    /// `true` or `false`.
    pub(crate) fn bool(&mut self, value: &'v Value) -> Option<bool> {
        value.as_bool().or_else(|| self.expected("`true` or `false`"))
    }

    /// A text string that is parsed: a name, a version, a range, an id, a DID.
    pub(crate) fn parsed<T: FromStr<Err: fmt::Display>>(&mut self, value: &'v Value) -> Option<T> {
        self.parsed_by(value, str::parse)
    }

    /// A text string that a function parses.
    pub(crate) fn parsed_by<T, E: fmt::Display>(
        &mut self,
        value: &'v Value,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        let text = self.text(value)?;
        self.parse(text, parse)
    }

    /// Parses a text at the current place.
    pub(crate) fn parse<T, E: fmt::Display>(
        &mut self,
        text: &str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        match parse(text) {
            Ok(parsed) => Some(parsed),
            Err(reason) => {
                self.report(reason);
                None
            }
        }
    }

    /// One of several texts.
    pub(crate) fn one_of<T: Copy>(&mut self, value: &'v Value, choices: &[(&str, T)]) -> Option<T> {
        let text = self.text(value)?;
        let choice = choices.iter().find(|(name, _)| *name == text).map(|(_, choice)| *choice);
        choice.or_else(|| {
            let names: Vec<_> = choices.iter().map(|(name, _)| format!("`{name}`")).collect();
            self.expected(&names.join(" or "))
        })
    }

    /// Reports the keys of a map that are unknown, for configurations: bodies may contain more keys.
    pub(crate) fn only(&mut self, map: &'v Map, keys: &[&str]) {
        for key in map.iter().filter_map(|(key, _)| key.as_text()).filter(|key| !keys.contains(key)) {
            match nearest(key, keys.iter().copied()) {
                Some(meant) => self.report_at(key, format_args!("unknown key; did you mean `{meant}`?")),
                None => self.report_at(key, format_args!("unknown key; the keys here are `{}`", keys.join("`, `"))),
            }
        }
    }

    /// Reports that the value has another form. Always `None`.
    pub(crate) fn expected<T>(&mut self, form: &str) -> Option<T> {
        self.report(format_args!("expected {form}"));
        None
    }
}
