//! The schema of a payload, in a program.

use std::sync::OnceLock;

use capgen_schema::{Keyword, Validator, Violation};
use serde_json::Value;

use crate::Options;

/// A schema that is compiled on first use.
#[derive(Debug)]
pub struct PayloadSchema {
    text: &'static str,
    validator: OnceLock<Result<Validator, String>>,
}

impl PayloadSchema {
    /// A schema of the subset, as JSON.
    ///
    /// ```
    /// static SCHEMA: capgen::wire::PayloadSchema = capgen::wire::PayloadSchema::new(r#"{"type":"string"}"#);
    /// assert!(SCHEMA.validator().is_some());
    /// ```
    #[must_use]
    pub const fn new(text: &'static str) -> Self {
        Self { text, validator: OnceLock::new() }
    }

    /// That of a side of a capability; `None` is any JSON value.
    #[must_use]
    pub const fn of(text: Option<&'static str>) -> Self {
        match text {
            Some(text) => Self::new(text),
            None => Self::new("true"),
        }
    }

    /// One that is compiled already.
    #[cfg(feature = "derive")]
    pub(crate) fn compiled(validator: Validator) -> Self {
        Self { text: "", validator: OnceLock::from(Ok(validator)) }
    }

    /// One that does not load, and why.
    #[cfg(feature = "derive")]
    pub(crate) fn unusable(why: String) -> Self {
        Self { text: "", validator: OnceLock::from(Err(why)) }
    }

    /// The interpreter; `None` where the text is no schema of the subset, which no generated text is.
    pub fn validator(&self) -> Option<&Validator> {
        self.compiled_or_why().as_ref().ok()
    }

    fn compiled_or_why(&self) -> &Result<Validator, String> {
        self.validator.get_or_init(|| compile(self.text))
    }

    /// Every violation. A schema that is none has no payload.
    pub(crate) fn violations(&self, payload: &Value, options: Options) -> Vec<Violation> {
        match self.compiled_or_why() {
            Ok(validator) => options.apply(validator.clone()).validate(payload),
            Err(why) => {
                let message = format!("the schema in this program does not load: {why}");
                vec![Violation { path: String::new(), message, keyword: Keyword::Schema }]
            }
        }
    }
}

/// The text is not read as a `Value`, which would round its numbers.
fn compile(text: &str) -> Result<Validator, String> {
    let schema = capgen_schema::Schema::parse_text(text).map_err(|error| error.to_string())?;
    Ok(Validator::new(&schema))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_numbers_of_a_schema_keep_their_digits() {
        let above = PayloadSchema::new(r#"{"exclusiveMinimum":0.10000000000000000555}"#);
        assert!(above.violations(&json!(0.1), Options::new()).is_empty());
        let least = PayloadSchema::new(r#"{"minimum":123456789012345678901234567890}"#);
        assert_eq!(least.violations(&json!(1.234_567_890_123_456_8e29), Options::new()).len(), 1);
    }
}
