//! Parses JSON text to [`Json`], keeping every digit of its numbers.
//!
//! serde_json cannot be used here: without its feature `arbitrary_precision` it rounds numbers to binary64, and its
//! `Value` keeps neither the order of members (without `preserve_order`) nor duplicate names.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use crate::lexer::{JsonBuilder, JsonScalar, JsonTextError, JsonTextErrorKind, read_json};
use crate::{Json, Number, Object, Problem, Schema};

/// Maximum nesting of arrays and objects, more than any schema needs: the deepest has 64 levels of subschemas around a
/// value of 128 levels.
const MAX_DEPTH: usize = 512;

/// A text that is not a valid schema.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SchemaTextError {
    /// The text is not JSON.
    Json(JsonTextError),
    /// The text is JSON, but not a schema of the subset. Contains all errors, as [`Schema::parse`] reports them.
    Schema(Vec<Problem>),
}

impl FromStr for Json {
    type Err = JsonTextError;

    /// Parses one JSON text ([RFC 8259](https://www.rfc-editor.org/rfc/rfc8259)). Takes time linear in its length, plus
    /// O(n log n) for an object of n members.
    ///
    /// # Errors
    /// Rejects text that is not JSON, trailing characters, duplicate property names, lone surrogates, numbers outside
    /// of the range of [`Number`](crate::Number), and arrays and objects nested more than 512 levels deep.
    ///
    /// ```
    /// use capgen_schema::Json;
    /// let json: Json = r#"{"maximum": 18446744073709551617}"#.parse()?;
    /// assert_eq!(json.canonical(), r#"{"maximum":18446744073709551617}"#);
    /// # Ok::<(), capgen_schema::JsonTextError>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, JsonTextError> {
        read_json(text, 0, &mut Builder { is_payload: false })
    }
}

impl Schema {
    /// Parses and checks a schema from JSON text, such as the result of [`Schema::canonical`]. Does not look for
    /// warnings, which would take most of the time.
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

/// Parses a text that the strict parser of payloads has accepted. A number that underflows binary64 is zero, as in its
/// tree.
pub(crate) fn parse_payload_text(text: &str) -> Result<Json, JsonTextError> {
    read_json(text, 0, &mut Builder { is_payload: true })
}

struct Builder {
    is_payload: bool,
}

impl JsonBuilder for Builder {
    type Value = Json;
    type Members = Object;
    type Error = JsonTextError;

    fn start(&mut self, at: usize, depth: usize, is_container: bool) -> Result<(), JsonTextError> {
        if !is_container || depth < MAX_DEPTH {
            return Ok(());
        }
        let message = format!("nested more than {MAX_DEPTH} levels deep");
        Err(JsonTextError { span: at..at + 1, kind: JsonTextErrorKind::TooDeep, message, help: None })
    }

    fn scalar(&mut self, scalar: JsonScalar<'_>, span: Range<usize>) -> Result<Json, JsonTextError> {
        Ok(match scalar {
            JsonScalar::Null => Json::Null,
            JsonScalar::Bool(value) => Json::Bool(value),
            JsonScalar::String(text) => Json::String(text),
            // The lexer has checked the grammar.
            JsonScalar::Number(text) => Json::Number(match text.parse() {
                Ok(number) => number,
                Err(_) if self.is_payload => Number::ZERO,
                Err(_) => {
                    let message = "number outside the range of binary64".to_owned();
                    return Err(JsonTextError { span, kind: JsonTextErrorKind::NumberRange, message, help: None });
                }
            }),
        })
    }

    fn array(&mut self, items: Vec<Json>, _: Range<usize>) -> Json {
        Json::Array(items)
    }

    fn member(&mut self, members: &mut Object, name: String, _: Range<usize>, value: Json) {
        members.push(name, value);
    }

    fn object(&mut self, members: Object, span: Range<usize>) -> Result<Json, JsonTextError> {
        // Checked once at the end: looking for each name as it comes would take quadratic time.
        if members.has_duplicates() {
            let message = "duplicate property names".to_owned();
            return Err(JsonTextError { span, kind: JsonTextErrorKind::DuplicateName, message, help: None });
        }
        Ok(Json::Object(members))
    }

    fn fail(&mut self, error: JsonTextError) -> JsonTextError {
        error
    }
}

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
