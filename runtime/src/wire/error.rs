//! Why a value is none of a type.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

/// Why a JSON value is none of a type. Says where, and never quotes the value, which may be a secret.
///
/// ```
/// use capgen::wire::Read;
/// let error = Vec::<bool>::read(serde_json::json!([true, 1])).unwrap_err();
/// assert_eq!(error.path(), "/1");
/// assert_eq!(error.to_string(), "/1: expected a boolean, found a number");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    message: Cow<'static, str>,
    /// Reference tokens of the place, the innermost first.
    tokens: Vec<String>,
}

impl Error {
    /// An error at the value itself.
    ///
    /// ```
    /// assert_eq!(capgen::wire::Error::new("too late").path(), "");
    /// ```
    pub fn new(message: impl Into<Cow<'static, str>>) -> Self {
        Self { message: message.into(), tokens: Vec::new() }
    }

    /// The value has the wrong JSON type.
    ///
    /// ```
    /// let error = capgen::wire::Error::expected("a string", &serde_json::json!(1));
    /// assert_eq!(error.message(), "expected a string, found a number");
    /// ```
    #[must_use]
    pub fn expected(what: &str, value: &Value) -> Self {
        Self::new(format!("expected {what}, found {}", describe(value)))
    }

    /// No variant of a union has such values.
    ///
    /// ```
    /// let error = capgen::wire::Error::no_variant(&serde_json::json!(null));
    /// assert_eq!(error.message(), "no variant is null");
    /// ```
    #[must_use]
    pub fn no_variant(value: &Value) -> Self {
        Self::new(format!("no variant is {}", describe(value)))
    }

    /// No variant of a union has this value at its tag, or the tag is missing.
    ///
    /// ```
    /// assert_eq!(capgen::wire::Error::no_tag("kind").path(), "/kind");
    /// ```
    #[must_use]
    pub fn no_tag(name: &str) -> Self {
        Self::new("no variant has this tag").under(name)
    }

    /// The same error, seen from the value that has this one as a property or element.
    ///
    /// ```
    /// assert_eq!(capgen::wire::Error::new("too late").under("a/b").path(), "/a~1b");
    /// ```
    #[must_use]
    pub fn under(mut self, token: &str) -> Self {
        self.tokens.push(token.to_owned());
        self
    }

    /// Where: a JSON Pointer ([RFC 6901](https://www.rfc-editor.org/rfc/rfc6901)) from the root, which is the empty text.
    /// A missing property is reported at the path it should have had.
    ///
    /// ```
    /// assert_eq!(capgen::wire::Error::new("too late").under("0").under("at").path(), "/at/0");
    /// ```
    #[must_use]
    pub fn path(&self) -> String {
        let mut path = String::new();
        for token in self.tokens.iter().rev() {
            capgen_schema::pointer::push(&mut path, token);
        }
        path
    }

    /// What is wrong, without the place.
    ///
    /// ```
    /// assert_eq!(capgen::wire::Error::new("too late").under("at").message(), "too late");
    /// ```
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.tokens.is_empty() {
            write!(f, "{}: ", self.path())?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

fn describe(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
