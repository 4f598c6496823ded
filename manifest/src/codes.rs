//! The stable codes of this crate's findings. A code never changes its meaning and is never given out twice.
//!
//! What each one means, with an example and its mend, is in `codes/<CODE>.md`.

use capgen_schema::Code;

// Text: YAML and JSON before anyone asks what they say.

/// Not well-formed YAML.
pub const YAML_SYNTAX: Code = Code::new("E0001");
/// Not well-formed JSON.
pub const JSON_SYNTAX: Code = Code::new("E0002");
/// A mapping with the same key twice.
pub const DUPLICATE_KEY: Code = Code::new("E0003");
/// A merge key, `<<`.
pub const MERGE_KEY: Code = Code::new("E0004");
/// A tag outside YAML's core schema, or one that its value does not fit.
pub const TAG: Code = Code::new("E0005");
/// More than one document in one text.
pub const SEVERAL_DOCUMENTS: Code = Code::new("E0006");
/// Nested too deep.
pub const TOO_DEEP: Code = Code::new("E0007");
/// Too many bytes or values, aliases written out.
pub const TOO_LARGE: Code = Code::new("E0008");
/// An alias of an anchor that is not defined, or not finished, where the alias stands.
pub const ALIAS: Code = Code::new("E0009");
/// A key that is a mapping or a sequence, or that is left out.
pub const KEY: Code = Code::new("E0010");
/// Infinity or not-a-number.
pub const NOT_FINITE: Code = Code::new("E0011");
/// A number outside the range of binary64.
pub const NUMBER_RANGE: Code = Code::new("E0012");
/// Bytes that are not UTF-8.
pub const NOT_UTF8: Code = Code::new("E0013");
/// A control character that no text may hold as it is.
pub const CONTROL_CHARACTER: Code = Code::new("E0014");
/// A text without a value.
pub const EMPTY: Code = Code::new("E0015");
