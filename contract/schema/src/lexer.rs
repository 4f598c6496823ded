//! The one reader of JSON text ([RFC 8259](https://www.rfc-editor.org/rfc/rfc8259)).
//!
//! It reports spans and passes each value to a [`JsonBuilder`]: here one that builds a [`Json`](crate::Json), in
//! `capgen-manifest` one that builds a tree with spans. Payloads are not read with it. They go through serde_json, which is
//! faster but reports neither spans nor every digit.

use std::fmt;
use std::ops::Range;

/// A text that is not valid JSON.
#[derive(Clone, PartialEq, Eq, Debug)]
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

    /// Called before each value, which starts at `at` and is inside `depth` arrays and objects. An implementation must limit
    /// the depth, because the reader recurses.
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

    /// Builds an object. Also called for an object with a syntax error, with the members before the error, so that duplicate
    /// names among them can be reported too; the reader drops that value.
    ///
    /// # Errors
    /// The members are rejected.
    fn object(&mut self, members: Self::Members, span: Range<usize>) -> Result<Self::Value, Self::Error>;

    /// Converts an error of the text.
    fn fail(&mut self, error: JsonTextError) -> Self::Error;
}

/// Reads the JSON text that starts at byte `start` of `text` and ends with it. Takes time linear in the text, apart from the
/// builder.
///
/// # Errors
/// The first syntax error, or an error of the builder.
pub fn read_json<B: JsonBuilder>(text: &str, start: usize, builder: &mut B) -> Result<B::Value, B::Error> {
    let mut lexer = Lexer { text, at: start, builder };
    lexer.skip_space();
    if lexer.peek().is_none() {
        return lexer.error(JsonTextErrorKind::Empty, "the text has no value", lexer.at..lexer.at);
    }
    let root = lexer.value(0)?;
    lexer.skip_space();
    if lexer.peek().is_some() { lexer.unexpected("the end of the text") } else { Ok(root) }
}

struct Lexer<'t, 'b, B> {
    text: &'t str,
    /// Always at a character boundary.
    at: usize,
    builder: &'b mut B,
}

impl<B: JsonBuilder> Lexer<'_, '_, B> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let eats = self.peek() == Some(byte);
        self.at += usize::from(eats);
        eats
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn skip_digits(&mut self) -> bool {
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        self.at > start
    }

    /// Reads a value inside `depth` arrays and objects. The builder bounds the recursion.
    fn value(&mut self, depth: usize) -> Result<B::Value, B::Error> {
        let start = self.at;
        let first = self.peek();
        self.builder.start(start, depth, matches!(first, Some(b'{' | b'[')))?;
        match first {
            Some(b'{') => self.object(depth + 1),
            Some(b'[') => self.array(depth + 1),
            Some(b'"') => {
                let string = self.string()?;
                self.builder.scalar(JsonScalar::String(string), start..self.at)
            }
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.word(),
        }
    }

    fn word(&mut self) -> Result<B::Value, B::Error> {
        let start = self.at;
        let rest = self.rest();
        // The whole word is looked at, so that `nullable` is not `null` with something after it.
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let scalar = match rest.get(..length) {
            Some("null") => JsonScalar::Null,
            Some("true") => JsonScalar::Bool(true),
            Some("false") => JsonScalar::Bool(false),
            _ => return self.unexpected("a value"),
        };
        self.at += length;
        self.builder.scalar(scalar, start..self.at)
    }

    fn array(&mut self, depth: usize) -> Result<B::Value, B::Error> {
        let start = self.at;
        self.at += 1;
        let mut items = Vec::new();
        self.skip_space();
        if self.eat(b']') {
            return Ok(self.builder.array(items, start..self.at));
        }
        loop {
            self.skip_space();
            items.push(self.value(depth)?);
            self.skip_space();
            if self.eat(b']') {
                return Ok(self.builder.array(items, start..self.at));
            }
            if !self.eat(b',') {
                return self.unexpected("`,` or `]`");
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<B::Value, B::Error> {
        let start = self.at;
        self.at += 1;
        let mut members = B::Members::default();
        let end = self.members(&mut members, depth);
        let object = self.builder.object(members, start..self.at);
        end.and(object)
    }

    /// Reads the members and the closing brace.
    fn members(&mut self, members: &mut B::Members, depth: usize) -> Result<(), B::Error> {
        self.skip_space();
        if self.eat(b'}') {
            return Ok(());
        }
        loop {
            self.skip_space();
            let start = self.at;
            if self.peek() != Some(b'"') {
                return self.unexpected("a key in double quotes");
            }
            let name = self.string()?;
            let span = start..self.at;
            self.skip_space();
            if !self.eat(b':') {
                return self.unexpected("`:`");
            }
            self.skip_space();
            let value = self.value(depth)?;
            self.builder.member(members, name, span, value);
            self.skip_space();
            if self.eat(b'}') {
                return Ok(());
            }
            if !self.eat(b',') {
                return self.unexpected("`,` or `}`");
            }
        }
    }

    fn number(&mut self) -> Result<B::Value, B::Error> {
        let start = self.at;
        self.eat(b'-');
        let whole = self.eat(b'0') || self.skip_digits();
        if !whole || self.peek().is_some_and(|b| b.is_ascii_digit()) || (self.eat(b'.') && !self.skip_digits()) {
            return self.invalid_number(start);
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _sign = self.eat(b'+') || self.eat(b'-');
            if !self.skip_digits() {
                return self.invalid_number(start);
            }
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        self.builder.scalar(JsonScalar::Number(text), start..self.at)
    }

    fn invalid_number(&mut self, start: usize) -> Result<B::Value, B::Error> {
        let rest = self.text.get(start..).unwrap_or_default();
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c)).unwrap_or(rest.len());
        self.error(JsonTextErrorKind::Syntax, "not a JSON number", start..start + length)
    }

    fn string(&mut self) -> Result<String, B::Error> {
        let start = self.at;
        self.at += 1;
        let mut string = String::new();
        loop {
            let from = self.at;
            while self.peek().is_some_and(|b| b >= b' ' && b != b'"' && b != b'\\') {
                self.at += 1;
            }
            string.push_str(self.text.get(from..self.at).unwrap_or_default());
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(string);
                }
                Some(b'\\') => string.push(self.escape()?),
                Some(b'\n' | b'\r') | None => return self.unterminated(start),
                Some(control) => {
                    return Err(self.builder.fail(JsonTextError {
                        span: self.at..self.at + 1,
                        kind: JsonTextErrorKind::ControlCharacter,
                        message: format!("a string contains the control character U+{control:04X}"),
                        help: Some(format!("write \\u{control:04x}")),
                    }));
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, B::Error> {
        let start = self.at;
        let escaped = self.text.get(start + 1..).and_then(|rest| rest.chars().next());
        self.at += 1 + escaped.map_or(0, char::len_utf8);
        Ok(match escaped {
            Some('"') => '"',
            Some('\\') => '\\',
            Some('/') => '/',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => return self.unicode_escape(start),
            Some(_) => return self.error(JsonTextErrorKind::Syntax, "invalid escape", start..self.at),
            None => return self.unterminated(start),
        })
    }

    fn unicode_escape(&mut self, start: usize) -> Result<char, B::Error> {
        let Some(first) = self.hex() else {
            let message = "`\\u` requires four hexadecimal digits";
            return self.error(JsonTextErrorKind::Syntax, message, start..start + 2);
        };
        let mut units = vec![first];
        if (0xd800..0xdc00).contains(&first) && self.eat(b'\\') && self.eat(b'u') {
            units.extend(self.hex());
        }
        match char::decode_utf16(units).next() {
            Some(Ok(c)) => Ok(c),
            _ => self.error(JsonTextErrorKind::Syntax, "lone surrogate", start..start + 6),
        }
    }

    fn hex(&mut self) -> Option<u16> {
        let digits = self.text.get(self.at..self.at + 4)?;
        let value = digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())??;
        self.at += 4;
        Some(value)
    }

    fn unexpected<T>(&mut self, expected: &str) -> Result<T, B::Error> {
        let rest = self.rest();
        let Some(c) = rest.chars().next() else {
            let message = format!("expected {expected}, found the end of the text");
            return self.error(JsonTextErrorKind::Syntax, message, self.at..self.at);
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
            span: self.at..self.at + word,
            kind: JsonTextErrorKind::Syntax,
            message: format!("expected {expected}, found {found}"),
            help: help.map(str::to_owned),
        }))
    }

    fn unterminated<T>(&mut self, start: usize) -> Result<T, B::Error> {
        self.error(JsonTextErrorKind::Syntax, "unterminated string", start..self.at)
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
