//! JSON text to [`Json`], with every digit of its numbers.

use std::fmt;
use std::str::FromStr;

use crate::{Json, NumberError, Object, Problem, Schema};

/// Levels of arrays and objects, more than any schema needs.
const MAX_DEPTH: usize = 512;

/// Why a text is no JSON value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JsonTextError {
    /// Where it was noticed, in bytes from the start.
    pub offset: usize,
    /// What is wrong; one sentence, without a full stop.
    pub message: &'static str,
}

/// Why a text is no schema.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SchemaTextError {
    /// It is not JSON.
    Json(JsonTextError),
    /// It is JSON, but no schema of the subset: all mistakes, as [`Schema::parse`] tells them.
    Schema(Vec<Problem>),
}

impl FromStr for Json {
    type Err = JsonTextError;

    /// Reads one JSON text ([RFC 8259](https://www.rfc-editor.org/rfc/rfc8259)). Takes time linear in its length, and n log n
    /// in the number of an object's members.
    ///
    /// # Errors
    /// Anything that is not JSON or has more behind it, duplicate property names, lone surrogates, numbers that are no
    /// [`Number`](crate::Number), and arrays and objects nested deeper than 512 levels.
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
            Some(_) => Err(reader.wrong("more behind the value")),
        }
    }
}

impl Schema {
    /// Reads and checks a schema as JSON text, such as what [`Schema::canonical`] gives. Does not look for warnings, which
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
    /// Recursion is bounded by [`MAX_DEPTH`].
    fn value(&mut self, depth: usize) -> Result<Json, JsonTextError> {
        match self.peek() {
            Some(b'{' | b'[') if depth == MAX_DEPTH => Err(self.wrong("nested deeper than 512 levels")),
            Some(b'{') => self.object(depth + 1),
            Some(b'[') => self.array(depth + 1),
            Some(b'"') => self.string().map(Json::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'n') => self.word("null", Json::Null),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            _ => Err(self.wrong("expected a value")),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, JsonTextError> {
        let mut object = Object::new();
        let mut first = true;
        while self.goes_on(b'}', &mut first)? {
            if self.peek() != Some(b'"') {
                return Err(self.wrong("expected a property name"));
            }
            let name = self.string()?;
            if self.peek() != Some(b':') {
                return Err(self.wrong("expected `:`"));
            }
            self.at += 1;
            object.push(name, self.value(depth)?);
        }
        if object.has_duplicates() { Err(self.wrong("duplicate property names")) } else { Ok(Json::Object(object)) }
    }

    fn array(&mut self, depth: usize) -> Result<Json, JsonTextError> {
        let mut items = Vec::new();
        let mut first = true;
        while self.goes_on(b']', &mut first)? {
            items.push(self.value(depth)?);
        }
        Ok(Json::Array(items))
    }

    /// Steps over the opening bracket or a comma, or over the closing bracket.
    fn goes_on(&mut self, close: u8, first: &mut bool) -> Result<bool, JsonTextError> {
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
            _ => Err(self.wrong("expected `,` or a closing bracket")),
        }
    }

    fn string(&mut self) -> Result<String, JsonTextError> {
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
                Some((_, 0..=0x1f)) => return Err(self.wrong("a control character in a string")),
                Some(_) => {}
                None => return Err(self.wrong("a string without an end")),
            }
        };
        let text = if is_plain {
            rest.get(1..end).map(str::to_owned)
        } else {
            rest.get(..=end).and_then(|token| serde_json::from_str(token).ok())
        };
        let text = text.ok_or_else(|| self.wrong("a bad escape in a string"))?;
        self.at += end + 1;
        Ok(text)
    }

    fn number(&mut self) -> Result<Json, JsonTextError> {
        let rest = self.rest();
        let is_part = |byte: u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
        let length = rest.bytes().take_while(|byte| is_part(*byte)).count();
        let number = rest.get(..length).unwrap_or_default().parse().map_err(|error| match error {
            NumberError::Syntax => self.wrong("a bad number"),
            NumberError::Range => self.wrong("a number outside the range of binary64"),
        })?;
        self.at += length;
        Ok(Json::Number(number))
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, JsonTextError> {
        if !self.rest().starts_with(word) {
            return Err(self.wrong("expected a value"));
        }
        self.at += word.len();
        Ok(value)
    }

    /// The next byte that is no white space.
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

    fn wrong(&self, message: &'static str) -> JsonTextError {
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
