//! Parses JSON text to [`Json`], keeping every digit of its numbers.
//!
//! serde_json cannot be used here: without its feature `arbitrary_precision` it rounds numbers to binary64, and its `Value` keeps
//! neither the order of members (without `preserve_order`) nor duplicate names.

use std::fmt;
use std::str::FromStr;

use crate::{Json, NumberError, Object, Problem, Schema};

/// Maximum nesting of arrays and objects, more than any schema needs: the deepest has 64 levels of subschemas around a value of
/// 128 levels.
const MAX_DEPTH: usize = 512;

/// A text that is not valid JSON.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JsonTextError {
    /// The position of the error, in bytes from the start.
    pub offset: usize,
    /// The error message; one phrase, without a full stop.
    pub message: &'static str,
}

/// A text that is not a valid schema.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SchemaTextError {
    /// The text is not JSON.
    Json(JsonTextError),
    /// The text is JSON, but not a schema of the subset. Contains all errors, as [`Schema::parse`] reports them.
    Schema(Vec<Problem>),
}

impl FromStr for Json {
    type Err = JsonTextError;

    /// Parses one JSON text ([RFC 8259](https://www.rfc-editor.org/rfc/rfc8259)). Takes time linear in its length, plus O(n log n)
    /// for an object of n members.
    ///
    /// # Errors
    /// Rejects text that is not JSON, trailing characters, duplicate property names, lone surrogates, numbers outside of the range
    /// of [`Number`](crate::Number), and arrays and objects nested more than 512 levels deep.
    ///
    /// ```
    /// use capgen_schema::Json;
    /// let json: Json = r#"{"maximum": 18446744073709551617}"#.parse()?;
    /// assert_eq!(json.canonical(), r#"{"maximum":18446744073709551617}"#);
    /// # Ok::<(), capgen_schema::JsonTextError>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, JsonTextError> {
        let mut reader = Reader { text, at: 0 };
        let value = reader.value(0)?;
        match reader.peek() {
            None => Ok(value),
            Some(_) => Err(reader.error("trailing characters")),
        }
    }
}

impl Schema {
    /// Parses and checks a schema from JSON text, such as the result of [`Schema::canonical`]. Does not look for warnings, which
    /// would take most of the time.
    ///
    /// # Errors
    /// See [`SchemaTextError`].
    ///
    /// ```
    /// use capgen_schema::{Json, Schema};
    /// let schema = Schema::parse_text(r#"{"minimum":0,"type":"integer"}"#)?;
    /// assert_eq!(Schema::parse_text(&schema.canonical())?.hash(), schema.hash());
    /// # Ok::<(), capgen_schema::SchemaTextError>(())
    /// ```
    pub fn parse_text(text: &str) -> Result<Schema, SchemaTextError> {
        let source = text.parse().map_err(SchemaTextError::Json)?;
        Schema::parse_silently(source).map_err(SchemaTextError::Schema)
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    /// Reads one value inside of `depth` arrays and objects. [`MAX_DEPTH`] bounds the recursion.
    fn value(&mut self, depth: usize) -> Result<Json, JsonTextError> {
        match self.peek() {
            Some(b'{' | b'[') if depth == MAX_DEPTH => Err(self.error("nested deeper than 512 levels")),
            Some(b'{') => self.object(depth + 1),
            Some(b'[') => self.array(depth + 1),
            Some(b'"') => self.string().map(Json::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'n') => self.word("null", Json::Null),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            _ => Err(self.error("expected a value")),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, JsonTextError> {
        let mut object = Object::new();
        let mut first = true;
        while self.has_next(b'}', &mut first)? {
            if self.peek() != Some(b'"') {
                return Err(self.error("expected a property name"));
            }
            let name = self.string()?;
            if self.peek() != Some(b':') {
                return Err(self.error("expected `:`"));
            }
            self.at += 1;
            object.push(name, self.value(depth)?);
        }
        // Checked once at the end: looking for each name as it comes would take quadratic time.
        if object.has_duplicates() { Err(self.error("duplicate property names")) } else { Ok(Json::Object(object)) }
    }

    fn array(&mut self, depth: usize) -> Result<Json, JsonTextError> {
        let mut items = Vec::new();
        let mut first = true;
        while self.has_next(b']', &mut first)? {
            items.push(self.value(depth)?);
        }
        Ok(Json::Array(items))
    }

    /// Consumes the opening bracket or a comma, or the closing bracket; returns whether an element follows.
    fn has_next(&mut self, close: u8, first: &mut bool) -> Result<bool, JsonTextError> {
        let is_first = std::mem::take(first);
        self.at += usize::from(is_first);
        match self.peek() {
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(false)
            }
            Some(b',') if !is_first => {
                self.at += 1;
                Ok(true)
            }
            Some(_) if is_first => Ok(true),
            _ => Err(self.error("expected `,` or a closing bracket")),
        }
    }

    fn string(&mut self) -> Result<String, JsonTextError> {
        // A string without escapes is its own value. Only a string with escapes goes through serde_json, which also rejects lone
        // surrogates.
        let rest = self.rest();
        let mut bytes = rest.bytes().enumerate().skip(1);
        let mut is_plain = true;
        let end = loop {
            match bytes.next() {
                Some((index, b'"')) => break index,
                Some((_, b'\\')) => {
                    is_plain = false;
                    bytes.next();
                }
                Some((_, 0..=0x1f)) => return Err(self.error("unescaped control character in a string")),
                Some(_) => {}
                None => return Err(self.error("unterminated string")),
            }
        };
        let text = if is_plain {
            rest.get(1..end).map(str::to_owned)
        } else {
            rest.get(..=end).and_then(|token| serde_json::from_str(token).ok())
        };
        let text = text.ok_or_else(|| self.error("invalid escape in a string"))?;
        self.at += end + 1;
        Ok(text)
    }

    fn number(&mut self) -> Result<Json, JsonTextError> {
        let rest = self.rest();
        let is_part = |byte: u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
        let length = rest.bytes().take_while(|byte| is_part(*byte)).count();
        let number = rest.get(..length).unwrap_or_default().parse().map_err(|error| match error {
            NumberError::Syntax => self.error("invalid number"),
            NumberError::Range => self.error("number outside the range of binary64"),
        })?;
        self.at += length;
        Ok(Json::Number(number))
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, JsonTextError> {
        if !self.rest().starts_with(word) {
            return Err(self.error("expected a value"));
        }
        self.at += word.len();
        Ok(value)
    }

    /// Skips white space and returns the next byte, without consuming it.
    fn peek(&mut self) -> Option<u8> {
        loop {
            let next = self.text.as_bytes().get(self.at).copied();
            if !matches!(next, Some(b' ' | b'\t' | b'\n' | b'\r')) {
                return next;
            }
            self.at += 1;
        }
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn error(&self, message: &'static str) -> JsonTextError {
        JsonTextError { offset: self.at, message }
    }
}

impl fmt::Display for JsonTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.message, self.offset)
    }
}

impl std::error::Error for JsonTextError {}

impl fmt::Display for SchemaTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SchemaTextError::Json(error) => error.fmt(f),
            SchemaTextError::Schema(problems) => {
                let texts: Vec<String> = problems.iter().map(|p| format!("{}: {}", p.pointer, p.message)).collect();
                f.write_str(&texts.join("; "))
            }
        }
    }
}

impl std::error::Error for SchemaTextError {}
