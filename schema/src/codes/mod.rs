//! The codes of what can be wrong with a schema. A code keeps its meaning for ever.

use crate::Code;

macro_rules! codes {
    ($($(#[$doc:meta])+ $name:ident = $text:literal;)+) => {
        $($(#[$doc])+ pub const $name: Code = Code::new($text);)+

        /// Every code of this crate, in order.
        pub const ALL: &[Code] = &[$($name),+];
    };
}

codes! {
    /// A schema is neither an object nor a boolean.
    NOT_A_SCHEMA = "E0101";
    /// The value of a keyword has the wrong type.
    WRONG_TYPE = "E0102";
    /// A length or count is negative or has a fraction.
    BAD_LENGTH = "E0103";
    /// A name stands twice in `required` or `type`.
    DUPLICATE_NAME = "E0104";
    /// `type` names a type that does not exist.
    UNKNOWN_TYPE = "E0105";
    /// `format` names a format outside the subset.
    UNKNOWN_FORMAT = "E0106";
    /// A keyword outside the subset.
    UNKNOWN_KEYWORD = "E0107";
    /// A `$ref` is not of the form `#/definitions/<name>`.
    REF_NOT_LOCAL = "E0108";
    /// A `$ref` names a definition that does not exist.
    REF_UNRESOLVED = "E0109";
    /// A cycle of references leads back without stepping into the payload.
    REF_CYCLE = "E0110";
    /// An assertion stands beside `$ref`, where draft-07 ignores it.
    REF_SIBLING = "E0111";
    /// A `pattern` is no ECMA-262 regular expression.
    PATTERN_SYNTAX = "E0112";
    /// A `pattern` uses a back-reference.
    PATTERN_BACK_REFERENCE = "E0113";
    /// A `pattern` compiles to more than its budget.
    PATTERN_TOO_LARGE = "E0114";
    /// `$schema` names another dialect than draft-07.
    OTHER_DIALECT = "E0115";
    /// `$id` below the root, where it would move the base of references.
    NESTED_ID = "E0116";
    /// `oneOf`, `anyOf` or `allOf` is empty.
    EMPTY_UNION = "E0117";
    /// `type` is an empty array.
    EMPTY_TYPE = "E0118";
    /// Subschemas nest deeper than 64 levels.
    SCHEMA_TOO_DEEP = "E0119";
    /// A value in `enum`, `const`, `default` or `examples` nests deeper than 128 levels.
    VALUE_TOO_DEEP = "E0120";
    /// A `pattern` is ECMA-262 but uses something that cannot be run here.
    PATTERN_UNSUPPORTED = "E0121";
    /// More than 128 subschemas apply to one place of the payload, one through the other.
    CHAIN_TOO_LONG = "E0122";
    /// The schema is larger than the loader's budget.
    SCHEMA_TOO_LARGE = "E0123";

    /// An `enum` is empty or repeats a value.
    ENUM_VALUES = "W0101";
    /// A definition that is never used.
    UNUSED_DEFINITION = "W0102";
    /// A schema that accepts nothing, or no value of some type that it seems to be about.
    ACCEPTS_NOTHING = "W0103";
    /// A `default` or an example that its own schema rejects.
    BAD_EXAMPLE = "W0104";
    /// A `pattern` with look-around runs with a step limit.
    PATTERN_LOOK_AROUND = "W0105";
    /// A `pattern` that may take exponential time in a JavaScript engine.
    PATTERN_BACKTRACKS = "W0106";
    /// A keyword that never applies because of the `type` beside it.
    NEVER_APPLIES = "W0107";
}
