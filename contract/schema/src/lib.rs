//! capgen's subset of JSON Schema draft-07: parse, check, canonical form, hash, validate, compare.
//!
//! Everything else in capgen builds on this crate: a contract is a list of names with two schemas each, and code
//! generators, comparisons and exports ask this crate about the schemas. The crate is pure: it uses no IO, clock or
//! randomness. Schemas and payloads may come from anyone, so depth, memory and time are limited.
//!
//! ```
//! use capgen_schema::{Containment, Json, Schema, Steps, Validator, contains};
//!
//! let old = Schema::parse_text(r#"{"type": "integer", "minimum": 0}"#)?;
//! let new = Schema::parse_text(r#"{"type": "integer", "minimum": 1}"#)?;
//! assert!(Validator::new(&old).is_valid(&0.into()));
//!
//! // Does the new schema accept every payload that the old one accepts? No, and the smallest one that it rejects is 0.
//! assert_eq!(contains(&new, &old, Steps::default()), Containment::No(Json::Number(0_i64.into())));
//! # Ok::<(), capgen_schema::SchemaTextError>(())
//! ```
//!
//! # Reading order
//!
//! For contributors. Values first: `json.rs` and `number.rs` keep the order and every digit. `cursor.rs` has the tokens
//! of JSON text, and `lexer.rs` reads a text with the places of its values. `multiple.rs` divides exactly.
//!
//! `parse/` turns a value into a checked schema and reports every mistake at once; its table of keywords is the list of
//! the subset. The result, in `model.rs`, is an arena of nodes in which a `$ref` is an edge, so a schema may be a graph
//! with cycles. `pattern/` and `format/` give strings their meaning; `canonical.rs` and `hash.rs` the identity of a
//! schema.
//!
//! `analysis/` computes once the facts that the interpreter and the code generators both need: where a schema is
//! recursive, which assertions apply to one place together, which branch of a union can match.
//!
//! `validate/` is the interpreter. A schema is compiled; a first pass only decides, and bounds the cost; if the payload
//! is invalid, a second pass collects the violations in their order. Reports have budgets.
//!
//! `containment/` decides whether one schema accepts everything that another accepts. It turns both into terms,
//! searches for a value that conforms to the first and not to the second, and returns the smallest. The same search
//! finds example payloads. `subschemas.rs` has the places of subschemas in all dialects, and `normalise/` converts
//! foreign schemas into the subset, or widens those that it cannot express.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

pub mod analysis;
mod canonical;
pub mod canonical_text;
pub mod codes;
mod containment;
mod convert;
mod cursor;
mod exact;
mod format;
mod hash;
mod instance;
mod json;
mod lexer;
pub mod message_text;
mod model;
mod multiple;
mod natural;
mod normalise;
mod number;
mod parse;
mod pattern;
mod payload_text;
pub mod pointer;
mod problem;
mod subschemas;
mod text;
mod types;
mod validate;
mod write;

pub use canonical::ANNOTATIONS;
pub use capgen_diagnostic::{Code, Severity};
pub use containment::{
    Containment, Counterexample, Counterexamples, ExampleSettings, Steps, Undecided, contains, contains_within,
    counterexamples, examples, smallest_value, smallest_value_within,
};
pub use cursor::{InvalidString, JsonCursor, is_plain, plain_end};
pub use exact::ExactPayload;
pub use format::is_standard_format;
pub use hash::{Hash, HashBuilder, InvalidHash};
pub use json::{Json, Object};
pub use lexer::{JsonBuilder, JsonScalar, JsonTextError, JsonTextErrorKind, read_json};
pub use model::{Annotations, Assertions, Format, Kind, Node, NodeId, Schema};
pub use multiple::Divisor;
pub use normalise::{
    LINKED_FILES, Loss, Reading, annotate_formats, checked_formats, has_keywords_of_other_drafts,
    has_patterns_of_lines, is_known_dialect, is_same_dialect, keyword_at, normalise, normalise_lossy, normalise_noting,
    places_of_checked_formats, resolved_reference,
};
pub use number::{Number, NumberError};
pub use parse::{
    KeywordRole, KeywordValue, LargePattern, Patterns, SCHEMA_KEYWORDS, SchemaKeyword, definition_name,
    definition_reference, fragment_token,
};
pub use pattern::{Pattern, PatternError, PatternErrorKind, StepLimit};
pub use payload_text::{MAX_PAYLOAD_DEPTH, PayloadError, deserialize_payload, parse_document, parse_payload};
pub use problem::{Anchor, Edit, Fix, Problem};
pub use subschemas::{MAX_WALK_DEPTH, Subschemas, is_definitions};
pub use text::SchemaTextError;
pub use types::{Type, TypeSet};
pub use validate::{Keyword, ReportBudget, UnknownKeyword, Validator, ValidatorCache, Violation, Violations};
