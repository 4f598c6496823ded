//! The error of reading and writing payloads.

use std::fmt;

use capgen_schema::{PayloadError, Violation, Violations};

/// Why a payload was rejected.
///
/// [`Display`](fmt::Display) writes one line for each violation: its path, a colon and its message. If there are more,
/// the last line is `and more`.
///
/// ```
/// use capgen::{InvalidPayload, Payload};
/// let error = serde_json::Value::from_json(br#"{"a": 1, "a": 2}"#).unwrap_err();
/// assert!(matches!(error, InvalidPayload::Syntax(_)));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum InvalidPayload {
    /// The text is not valid JSON, or is one that parsers read differently.
    Syntax(PayloadError),
    /// The payload breaks its schema: the violations, as [`Validator::validate`](crate::Validator::validate) reports
    /// them.
    Violations(Violations),
}

impl InvalidPayload {
    /// The violations; empty for a syntax error.
    ///
    /// ```
    /// use capgen::Payload;
    /// let error = serde_json::Value::from_json(b"[").unwrap_err();
    /// assert!(error.violations().is_empty());
    /// ```
    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        match self {
            Self::Syntax(_) => &[],
            Self::Violations(violations) => violations,
        }
    }

    /// Whether the payload has more violations than [`violations`](Self::violations) returns.
    ///
    /// ```
    /// use capgen::{Options, Payload};
    /// # static PAIR: capgen::wire::PayloadSchema = capgen::wire::PayloadSchema::new(r#"{"minLength": 3, "pattern": "b"}"#);
    /// # #[derive(Debug)]
    /// # struct Word(String);
    /// # impl capgen::wire::Codec for Word {
    /// #     fn read(reader: &mut capgen::wire::Reader<'_>) -> Option<Self> { None }
    /// #     fn write(&self, writer: &mut capgen::wire::Writer) -> Option<()> { None }
    /// # }
    /// # capgen::payload!(Word, PAIR);
    /// let error = Word::from_json_with(br#""a""#, Options::new().max_violations(1)).unwrap_err();
    /// assert!(error.is_truncated());
    /// assert_eq!(error.to_string(), "must have at least 3 characters, got \"a\"\nand more");
    /// ```
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        match self {
            Self::Syntax(_) => false,
            Self::Violations(violations) => violations.is_truncated(),
        }
    }
}

/// One violation, and no others.
impl From<Violation> for InvalidPayload {
    fn from(violation: Violation) -> Self {
        Self::Violations(violation.into())
    }
}

impl fmt::Display for InvalidPayload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => error.fmt(f),
            Self::Violations(violations) => {
                for (index, Violation { path, message, .. }) in violations.iter().enumerate() {
                    let (end, colon) = (if index > 0 { "\n" } else { "" }, if path.is_empty() { "" } else { ": " });
                    write!(f, "{end}{path}{colon}{message}")?;
                }
                if violations.is_truncated() { f.write_str("\nand more") } else { Ok(()) }
            }
        }
    }
}

impl std::error::Error for InvalidPayload {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Syntax(error) => Some(error),
            Self::Violations(_) => None,
        }
    }
}
