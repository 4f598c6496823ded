//! The reader of JSON text ([RFC 8259](https://www.rfc-editor.org/rfc/rfc8259)) for schemas and contracts.
//!
//! It reports spans and passes each value to a [`JsonBuilder`]: here one that builds a [`Json`](crate::Json), in
//! `capgen-manifest` one that builds a tree with spans.
//!
//! There are two more readers, for payloads:
//!
//! - `payload_text.rs` reads any payload as a `serde_json::Value`, the type that programs use. It goes through serde,
//!   so that it reads all formats of serde. It has neither spans nor every digit of numbers.
//! - `wire/reader.rs` of `capgen-payload` reads generated types directly, without a tree, and checks them in the same
//!   pass. Valid payloads are the common case, so it gives no reasons: for an invalid payload, the interpreter finds
//!   them.
//!
//! This one and the last one share the grammar of tokens, [`JsonCursor`], with the code that searches in JSON text: for
//! the parts of an envelope in `capgen-call`, and for the members of a stored event in `capgen-registry`.

use std::fmt;
use std::ops::Range;

use crate::cursor::{InvalidString, JsonCursor};

/// A text that is not valid JSON.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct JsonTextError {
    /// The place of the error, in bytes. May be empty.
    pub span: Range<usize>,
    /// The class of the error.
    pub kind: JsonTextErrorKind,
    /// One phrase, without a full stop.
    pub message: String,
    /// How to fix it, if that is known.
    pub help: Option<String>,
}

impl JsonTextError {
    /// An error without help, for builders that reject a value.
    pub const fn new(kind: JsonTextErrorKind, message: String, span: Range<usize>) -> Self {
        Self { span, kind, message, help: None }
    }
}

/// The class of a [`JsonTextError`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum JsonTextErrorKind {
    /// The text has no value.
    Empty,
    /// The text breaks the grammar of JSON.
    Syntax,
    /// An unescaped control character in a string.
    ControlCharacter,
    /// A number outside the range of binary64.
    NumberRange,
    /// An object with the same name twice.
    DuplicateName,
    /// Arrays and objects nested too deeply.
    TooDeep,
}

/// A value that contains no other values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum JsonScalar<'t> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// The text of a number, in JSON's grammar.
    Number(&'t str),
    /// A string, unescaped.
    String(String),
}

/// Builds a value from the parts of a JSON text, in source order. All spans are in bytes of the text.
///
/// Every method can stop the reader by returning an error.
pub trait JsonBuilder {
    /// The built value.
    type Value;
    /// The members of an object that is not complete yet.
    type Members: Default;
    /// The reason that the reader stopped.
    type Error;

    /// Called before each value, which starts at `at` and is inside `depth` arrays and objects. An implementation must
    /// limit the depth, because the reader recurses.
    ///
    /// # Errors
    /// The value must not be read.
    fn start(&mut self, at: usize, depth: usize, is_container: bool) -> Result<(), Self::Error>;

    /// Builds a scalar.
    ///
    /// # Errors
    /// The value is rejected.
    fn scalar(&mut self, scalar: JsonScalar<'_>, span: Range<usize>) -> Result<Self::Value, Self::Error>;

    /// Builds an array.
    fn array(&mut self, items: Vec<Self::Value>, span: Range<usize>) -> Self::Value;

    /// Adds a member. Names may be duplicates.
    fn member(&mut self, members: &mut Self::Members, name: String, name_span: Range<usize>, value: Self::Value);

    /// Builds an object. Also called for an object with a syntax error, with the members before the error, so that
    /// duplicate names among them can be reported too; the reader drops that value.
    ///
    /// # Errors
    /// The members are rejected.
    fn object(&mut self, members: Self::Members, span: Range<usize>) -> Result<Self::Value, Self::Error>;

    /// Converts an error of the text.
    fn fail(&mut self, error: JsonTextError) -> Self::Error;
}

/// Reads the JSON text that starts at byte `start` of `text` and ends with it. Takes time linear in the text, apart
/// from the builder.
///
/// # Errors
/// The first syntax error, or an error of the builder.
pub fn read_json<B: JsonBuilder>(text: &str, start: usize, builder: &mut B) -> Result<B::Value, B::Error> {
    let mut lexer = Lexer { cursor: JsonCursor::new(text, start), builder };
    if lexer.cursor.token().is_none() {
        let end = lexer.cursor.at();
        return lexer.error(JsonTextErrorKind::Empty, "the text has no value", end..end);
    }
    let root = lexer.value(0)?;
    if lexer.cursor.token().is_some() { lexer.unexpected("the end of the text") } else { Ok(root) }
}

struct Lexer<'t, 'b, B> {
    /// Always at a character boundary.
    cursor: JsonCursor<'t>,
    builder: &'b mut B,
}

impl<B: JsonBuilder> Lexer<'_, '_, B> {
    /// The span from `start` to the position.
    fn since(&self, start: usize) -> Range<usize> {
        start..self.cursor.at()
    }

    /// Reads a value inside `depth` arrays and objects. The builder bounds the recursion.
    fn value(&mut self, depth: usize) -> Result<B::Value, B::Error> {
        let start = self.cursor.at();
        let first = self.cursor.peek();
        self.builder.start(start, depth, matches!(first, Some(b'{' | b'[')))?;
        match first {
            Some(b'{') => self.object(depth + 1),
            Some(b'[') => self.array(depth + 1),
            Some(b'"') => {
                let string = self.string()?;
                self.builder.scalar(JsonScalar::String(string), self.since(start))
            }
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.word(),
        }
    }

    fn word(&mut self) -> Result<B::Value, B::Error> {
        let start = self.cursor.at();
        let rest = self.cursor.rest();
        // The whole word is looked at, so that `nullable` is not `null` with something after it.
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let scalar = match rest.get(..length) {
            Some("null") => JsonScalar::Null,
            Some("true") => JsonScalar::Bool(true),
            Some("false") => JsonScalar::Bool(false),
            _ => return self.unexpected("a value"),
        };
        self.cursor.advance(length);
        self.builder.scalar(scalar, self.since(start))
    }

    fn array(&mut self, depth: usize) -> Result<B::Value, B::Error> {
        let start = self.cursor.at();
        self.cursor.advance(1);
        let mut items = Vec::new();
        self.cursor.token();
        if self.cursor.eat(b']') {
            return Ok(self.builder.array(items, self.since(start)));
        }
        loop {
            self.cursor.token();
            items.push(self.value(depth)?);
            self.cursor.token();
            if self.cursor.eat(b']') {
                return Ok(self.builder.array(items, self.since(start)));
            }
            if !self.cursor.eat(b',') {
                return self.unexpected("`,` or `]`");
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<B::Value, B::Error> {
        let start = self.cursor.at();
        self.cursor.advance(1);
        let mut members = B::Members::default();
        let end = self.members(&mut members, depth);
        let object = self.builder.object(members, self.since(start));
        end.and(object)
    }

    /// Reads the members and the closing brace.
    fn members(&mut self, members: &mut B::Members, depth: usize) -> Result<(), B::Error> {
        self.cursor.token();
        if self.cursor.eat(b'}') {
            return Ok(());
        }
        loop {
            if self.cursor.token() != Some(b'"') {
                return self.unexpected("a key in double quotes");
            }
            let start = self.cursor.at();
            let name = self.string()?;
            let span = self.since(start);
            if self.cursor.token() != Some(b':') {
                return self.unexpected("`:`");
            }
            self.cursor.advance(1);
            self.cursor.token();
            let value = self.value(depth)?;
            self.builder.member(members, name, span, value);
            self.cursor.token();
            if self.cursor.eat(b'}') {
                return Ok(());
            }
            if !self.cursor.eat(b',') {
                return self.unexpected("`,` or `}`");
            }
        }
    }

    fn number(&mut self) -> Result<B::Value, B::Error> {
        let start = self.cursor.at();
        if let Some(text) = self.cursor.number() {
            return self.builder.scalar(JsonScalar::Number(text), self.since(start));
        }
        let rest = JsonCursor::new(self.cursor.text(), start).rest();
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c)).unwrap_or(rest.len());
        self.error(JsonTextErrorKind::Syntax, "not a JSON number", start..start + length)
    }

    fn string(&mut self) -> Result<String, B::Error> {
        let start = self.cursor.at();
        match self.cursor.string() {
            Ok(string) => Ok(string.into_owned()),
            Err(reason) => self.invalid_string(start, reason),
        }
    }

    /// Reports a string that starts at `start`. The cursor is at its mistake.
    fn invalid_string<T>(&mut self, start: usize, reason: InvalidString) -> Result<T, B::Error> {
        let at = self.cursor.at();
        let escaped = self.cursor.rest().chars().nth(1);
        let (message, span) = match reason {
            InvalidString::Unterminated | InvalidString::ControlCharacter(b'\n' | b'\r') => {
                ("unterminated string", start..at)
            }
            InvalidString::ControlCharacter(control) => {
                return Err(self.builder.fail(JsonTextError {
                    span: at..at + 1,
                    kind: JsonTextErrorKind::ControlCharacter,
                    message: format!("a string contains the control character U+{control:04X}"),
                    help: Some(format!("write \\u{control:04x}")),
                }));
            }
            InvalidString::Escape => match escaped {
                Some(escaped) => ("invalid escape", at..at + 1 + escaped.len_utf8()),
                None => ("unterminated string", at..at + 1),
            },
            InvalidString::Digits => ("`\\u` requires four hexadecimal digits", at..at + 2),
            InvalidString::LoneSurrogate => ("lone surrogate", at..at + 6),
        };
        self.error(JsonTextErrorKind::Syntax, message, span)
    }

    fn unexpected<T>(&mut self, expected: &str) -> Result<T, B::Error> {
        let (at, rest) = (self.cursor.at(), self.cursor.rest());
        let Some(c) = rest.chars().next() else {
            let message = format!("expected {expected}, found the end of the text");
            return self.error(JsonTextErrorKind::Syntax, message, at..at);
        };
        let help = match c {
            '/' | '#' => Some("JSON has no comments"),
            '\'' => Some("JSON requires double quotes"),
            '}' | ']' => Some("remove the comma before it"),
            _ => None,
        };
        let word = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len()).max(c.len_utf8());
        // The text may be a part of a password, so only punctuation of JSON is quoted.
        let found = match c {
            '{' | '}' | '[' | ']' | ',' | ':' => format!("`{c}`"),
            '"' => "a string".to_owned(),
            c if c.is_ascii_digit() => "a number".to_owned(),
            c if c.is_alphabetic() => "a word".to_owned(),
            _ => "another character".to_owned(),
        };
        Err(self.builder.fail(JsonTextError {
            span: at..at + word,
            kind: JsonTextErrorKind::Syntax,
            message: format!("expected {expected}, found {found}"),
            help: help.map(str::to_owned),
        }))
    }

    fn error<T>(
        &mut self,
        kind: JsonTextErrorKind,
        message: impl Into<String>,
        span: Range<usize>,
    ) -> Result<T, B::Error> {
        Err(self.builder.fail(JsonTextError { span, kind, message: message.into(), help: None }))
    }
}

impl fmt::Display for JsonTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.message, self.span.start)
    }
}

impl std::error::Error for JsonTextError {}
