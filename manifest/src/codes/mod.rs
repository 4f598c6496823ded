//! The stable codes of this crate's findings. A code never changes its meaning and is never given out twice.
//!
//! What each one means, with an example and its mend, is in `<CODE>.md`.

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

// `capabilities.yaml` and `fleet.yaml`: what they say.

/// A key that the format does not have.
pub const UNKNOWN_KEY: Code = Code::new("E0201");
/// A key that must be there and is not.
pub const MISSING_KEY: Code = Code::new("E0202");
/// A value of the wrong type, or none at all.
pub const WRONG_TYPE: Code = Code::new("E0203");
/// A `version` of the file format that is not 1.
pub const FORMAT_VERSION: Code = Code::new("E0204");
/// An `agent` that is not `agent://<id>`.
pub const AGENT: Code = Code::new("E0205");
/// A list that needs an element and has none.
pub const EMPTY_LIST: Code = Code::new("E0206");
/// A capability name outside the pattern.
pub const CAPABILITY_NAME: Code = Code::new("E0207");
/// Two capabilities of one name.
pub const DUPLICATE_CAPABILITY: Code = Code::new("E0208");
/// A version that is not a semantic version.
pub const VERSION: Code = Code::new("E0209");
/// An entry of a version list that is neither a version nor a range.
pub const VERSION_RANGE: Code = Code::new("E0210");
/// A value outside a fixed set.
pub const UNKNOWN_VALUE: Code = Code::new("E0211");
/// A `timeoutMs` that is not a positive whole number.
pub const TIMEOUT: Code = Code::new("E0212");
/// An `id` that is not a reverse-domain name.
pub const CAPABILITY_ID: Code = Code::new("E0213");
/// An empty string where a text is needed.
pub const EMPTY_TEXT: Code = Code::new("E0214");
/// Capability names that generated code cannot tell apart without a suffix.
pub const SIMILAR_NAMES: Code = Code::new("W0201");

// Files: the fleet and its peers.

/// No fleet root above the start.
pub const NO_FLEET: Code = Code::new("E0301");
/// A peer that the fleet does not have.
pub const UNKNOWN_PEER: Code = Code::new("E0302");
/// A peer id outside the pattern.
pub const PEER_ID: Code = Code::new("E0303");
/// A file that cannot be read.
pub const UNREADABLE: Code = Code::new("E0304");
/// A file of another agent than the one it was looked up for.
pub const WRONG_AGENT: Code = Code::new("E0305");
/// An agent that `fleet.yaml` lists twice.
pub const DUPLICATE_AGENT: Code = Code::new("E0306");
/// A peer of the fleet without a manifest.
pub const NO_MANIFEST: Code = Code::new("E0307");
/// An absolute path in `fleet.yaml`.
pub const FLEET_PATH: Code = Code::new("E0308");
