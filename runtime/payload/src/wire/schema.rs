//! The schema of a payload.

use std::sync::OnceLock;

use capgen_schema::{ExactPayload, Json, Keyword, Schema, Validator, Violation, Violations};
use serde_json::Value;

use super::stack::with_room_to_validate;
use crate::Options;
#[cfg(feature = "derive")]
use crate::UnsupportedSchema;

/// The schema of a payload, compiled on first use.
#[derive(Debug)]
pub struct PayloadSchema {
    source: Source,
    validator: OnceLock<Result<Validator, String>>,
    /// The schema with its annotations, if a Rust type declares it.
    #[cfg(feature = "derive")]
    declared: Option<Result<Schema, Vec<UnsupportedSchema>>>,
}

/// The origin of a schema.
#[derive(Debug)]
enum Source {
    Text(&'static str),
    /// The subschemas at some JSON Pointers of another schema.
    Part {
        whole: &'static PayloadSchema,
        pointers: &'static [&'static str],
    },
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
        Self::uncompiled(Source::Text(text))
    }

    /// The subschemas of `whole` at all of the JSON Pointers.
    ///
    /// ```
    /// use capgen::wire::PayloadSchema;
    /// static WHOLE: PayloadSchema = PayloadSchema::new(r#"{"properties":{"id":{"type":"string"}}}"#);
    /// static ID: PayloadSchema = PayloadSchema::part(&WHOLE, &["/properties/id"]);
    /// assert!(ID.validator().is_some_and(|id| !id.is_valid(&serde_json::json!(1))));
    /// ```
    #[must_use]
    pub const fn part(whole: &'static Self, pointers: &'static [&'static str]) -> Self {
        Self::uncompiled(Source::Part { whole, pointers })
    }

    const fn uncompiled(source: Source) -> Self {
        Self {
            source,
            validator: OnceLock::new(),
            #[cfg(feature = "derive")]
            declared: None,
        }
    }

    /// The schema that a Rust type declares. If it is unsupported, every payload is rejected.
    #[cfg(feature = "derive")]
    pub(crate) fn from_declaration(declared: Result<Schema, Vec<UnsupportedSchema>>) -> Self {
        let validator = match &declared {
            Ok(schema) => Ok(Validator::new(schema)),
            Err(problems) => Err(problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")),
        };
        Self { source: Source::Text(""), validator: OnceLock::from(validator), declared: Some(declared) }
    }

    /// The schema, if a Rust type declares it.
    #[cfg(feature = "derive")]
    pub(crate) fn declared(&self) -> Option<&Result<Schema, Vec<UnsupportedSchema>>> {
        self.declared.as_ref()
    }

    /// The interpreter; `None` if the text is not a schema of the subset. Generated texts always are.
    pub fn validator(&self) -> Option<&Validator> {
        self.compiled_or_why().as_ref().ok()
    }

    fn compiled_or_why(&self) -> &Result<Validator, String> {
        self.validator.get_or_init(|| {
            with_room_to_validate(|| match self.source {
                Source::Text(text) => parse(text).map(|schema| Validator::new(&schema)),
                Source::Part { whole, pointers } => whole.compile_part(pointers),
            })
        })
    }

    /// The validator of subschemas. One subschema shares the compiled whole; several need a schema of their own.
    fn compile_part(&self, pointers: &[&str]) -> Result<Validator, String> {
        let missing = || format!("no subschema at {}", pointers.join(", "));
        match (pointers, &self.source) {
            ([pointer], _) => self.compiled_or_why().as_ref().map_err(String::clone)?.at(pointer).ok_or_else(missing),
            (_, Source::Text(text)) => {
                conjunction(&parse(text)?, pointers).map(|schema| Validator::new(&schema)).ok_or_else(missing)
            }
            (_, Source::Part { .. }) => Err(missing()),
        }
    }

    /// The violations. An invalid schema rejects every payload.
    pub(crate) fn violations(&self, payload: &ExactPayload, options: Options) -> Violations {
        self.violations_by(options, |validator| validator.validate_exact(payload))
    }

    /// The violations of a tree, which may be nested more deeply than a payload can be.
    pub(crate) fn violations_of_tree(&self, payload: &Value, options: Options) -> Violations {
        self.violations_by(options, |validator| validator.validate(payload))
    }

    fn violations_by(&self, options: Options, validate: impl FnOnce(&Validator) -> Violations) -> Violations {
        match self.compiled_or_why() {
            Ok(validator) => with_room_to_validate(|| validate(&options.apply(validator.clone()))),
            Err(why) => {
                let message = format!("the schema in this program does not load: {why}");
                Violation { path: String::new(), message, keyword: Keyword::Schema }.into()
            }
        }
    }
}

/// Does not parse the text as a `Value`, which would round its numbers.
fn parse(text: &str) -> Result<Schema, String> {
    Schema::parse_text(text).map_err(|error| error.to_string())
}

/// A schema of all subschemas at these pointers, with the definitions to which they refer.
fn conjunction(whole: &Schema, pointers: &[&str]) -> Option<Schema> {
    let source = whole.source();
    let parts: Option<Vec<Json>> = pointers.iter().map(|pointer| source.pointer(pointer).cloned()).collect();
    let definitions = source.pointer("/definitions").map(|definitions| ("definitions".to_owned(), definitions.clone()));
    let all_of = ("allOf".to_owned(), Json::Array(parts?));
    Schema::parse(&Json::Object(definitions.into_iter().chain([all_of]).collect())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_subschemas_keep_their_definitions() {
        static WHOLE: PayloadSchema = PayloadSchema::new(
            r##"{"definitions":{"a":{"minimum":1},"b":{"$ref":"#/definitions/c"},"c":{"maximum":3,"type":"integer"}}}"##,
        );
        let both = PayloadSchema::part(&WHOLE, &["/definitions/a", "/definitions/b"]);
        let messages = |payload: &str| {
            let violations = both.violations(&ExactPayload::parse(payload.as_bytes()).unwrap(), Options::new());
            violations.into_iter().map(|violation| violation.message).collect::<Vec<_>>()
        };
        assert!(messages("2").is_empty());
        assert_eq!(messages("0"), ["must be at least 1, got 0"]);
        assert_eq!(messages("4"), ["must be at most 3, got 4"]);
        assert!(PayloadSchema::part(&WHOLE, &["/items"]).validator().is_none());
    }

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
