//! The schema of a payload, in a program.

use std::sync::OnceLock;

use capgen_schema::{Json, Validator, Violation};
use serde_json::Value;

/// A schema that is compiled on first use.
#[derive(Debug)]
pub struct Schema {
    text: &'static str,
    validator: OnceLock<Option<Validator>>,
}

impl Schema {
    /// A schema of the subset, as JSON.
    ///
    /// ```
    /// static SCHEMA: capgen::wire::Schema = capgen::wire::Schema::new(r#"{"type":"string"}"#);
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

    /// The interpreter; `None` where the text is no schema of the subset, which no generated text is.
    pub fn validator(&self) -> Option<&Validator> {
        self.validator.get_or_init(|| compile(self.text)).as_ref()
    }

    /// Every violation. A schema that is none has no payload.
    pub(crate) fn violations(&self, payload: &Value) -> Vec<Violation> {
        match self.validator() {
            Some(validator) => validator.validate(payload),
            None => vec![Violation {
                path: String::new(),
                message: "the schema in this program does not load".to_owned(),
                keyword: "$schema",
            }],
        }
    }
}

fn compile(text: &str) -> Option<Validator> {
    let schema: Value = serde_json::from_str(text).ok()?;
    capgen_schema::Schema::parse(&Json::try_from(&schema).ok()?).ok().map(|schema| Validator::new(&schema))
}
