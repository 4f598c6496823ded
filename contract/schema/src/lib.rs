//! capgen's subset of JSON Schema draft-07: parse, check, canonical form, hash, validate.
//!
//! The crate is pure: it uses no IO, clock or randomness.
#![forbid(unsafe_code)]

pub mod analysis;
mod canonical;
pub mod canonical_text;
pub mod codes;
mod containment;
mod convert;
mod exact;
mod format;
mod hash;
mod instance;
mod json;
mod lexer;
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
pub use exact::ExactPayload;
pub use hash::{Hash, HashBuilder, InvalidHash};
pub use json::{Json, Object};
pub use lexer::{JsonBuilder, JsonScalar, JsonTextError, JsonTextErrorKind, read_json};
pub use model::{Annotations, Assertions, Format, Kind, Node, NodeId, Schema};
pub use multiple::Divisor;
pub use normalise::{Loss, is_known_dialect, keyword_at, normalise, normalise_lossy, normalise_noting};
pub use number::{Number, NumberError};
pub use parse::{
    KeywordRole, KeywordValue, LargePattern, Patterns, SCHEMA_KEYWORDS, SchemaKeyword, definition_name,
    definition_reference, fragment_token,
};
pub use pattern::{Pattern, PatternError, PatternErrorKind, StepLimit};
pub use payload_text::{MAX_PAYLOAD_DEPTH, PayloadError, deserialize_payload, parse_document, parse_payload};
pub use problem::{Anchor, Problem, Rename};
pub use text::SchemaTextError;
pub use types::{Type, TypeSet};
pub use validate::{Keyword, ReportBudget, UnknownKeyword, Validator, ValidatorCache, Violation, Violations};
