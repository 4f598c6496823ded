//! The schema of a payload.

use std::sync::OnceLock;

use capgen_schema::{ExactPayload, Keyword, Validator, Violation};

use crate::Options;
#[cfg(feature = "derive")]
use crate::UnsupportedSchema;

/// The schema of a payload, compiled on first use.
#[derive(Debug)]
pub struct PayloadSchema {
    text: &'static str,
    validator: OnceLock<Result<Validator, String>>,
    /// The schema with its annotations, if a Rust type declares it.
    #[cfg(feature = "derive")]
    declared: Option<Result<capgen_schema::Schema, Vec<UnsupportedSchema>>>,
}

impl PayloadSchema {
    /// A schema, given as JSON text.
    ///
    /// ```
    /// static SCHEMA: capgen::wire::PayloadSchema = capgen::wire::PayloadSchema::new(r#"{"type":"string"}"#);
    /// assert!(SCHEMA.validator().is_some());
    /// ```
    #[must_use]
    pub const fn new(text: &'static str) -> Self {
        Self {
            text,
            validator: OnceLock::new(),
            #[cfg(feature = "derive")]
            declared: None,
        }
    }

    /// The schema of a request or a response; `None` accepts any JSON value.
    #[must_use]
    pub const fn of(text: Option<&'static str>) -> Self {
        match text {
            Some(text) => Self::new(text),
            None => Self::new("true"),
        }
    }

    /// The schema that a Rust type declares. If it is unsupported, every payload is rejected.
    #[cfg(feature = "derive")]
    pub(crate) fn from_declaration(declared: Result<capgen_schema::Schema, Vec<UnsupportedSchema>>) -> Self {
        let validator = match &declared {
            Ok(schema) => Ok(Validator::new(schema)),
            Err(problems) => Err(problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")),
        };
        Self { text: "", validator: OnceLock::from(validator), declared: Some(declared) }
    }

    /// The schema, if a Rust type declares it.
    #[cfg(feature = "derive")]
    pub(crate) fn declared(&self) -> Option<&Result<capgen_schema::Schema, Vec<UnsupportedSchema>>> {
        self.declared.as_ref()
    }

    /// The interpreter; `None` if the text is not a schema of the subset. Generated texts always are.
    pub fn validator(&self) -> Option<&Validator> {
        self.compiled_or_why().as_ref().ok()
    }

    fn compiled_or_why(&self) -> &Result<Validator, String> {
        self.validator.get_or_init(|| compile(self.text))
    }

    /// Every violation. An invalid schema rejects every payload.
    pub(crate) fn violations(&self, payload: &ExactPayload, options: Options) -> Vec<Violation> {
        match self.compiled_or_why() {
            Ok(validator) => options.apply(validator.clone()).validate_exact(payload),
            Err(why) => {
                let message = format!("the schema in this program does not load: {why}");
                vec![Violation { path: String::new(), message, keyword: Keyword::Schema }]
            }
        }
    }
}

/// Does not parse the text as a `Value`, which would round its numbers.
fn compile(text: &str) -> Result<Validator, String> {
    let schema = capgen_schema::Schema::parse_text(text).map_err(|error| error.to_string())?;
    Ok(Validator::new(&schema))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_a_schema_keep_their_digits() {
        let violations = |schema: &PayloadSchema, payload: &str| {
            schema.violations(&ExactPayload::parse(payload.as_bytes()).unwrap(), Options::new()).len()
        };
        let above = PayloadSchema::new(r#"{"exclusiveMinimum":0.10000000000000000555}"#);
        assert_eq!(violations(&above, "0.10000000000000000556"), 0);
        assert_eq!(violations(&above, "0.1"), 1);
        let least = PayloadSchema::new(r#"{"minimum":123456789012345678901234567890}"#);
        assert_eq!(violations(&least, "1.2345678901234568e29"), 0);
        assert_eq!(violations(&least, "1.2345678901234567e29"), 1);
    }
}
