//! The stable codes of findings in schemas. A code never changes its meaning.

capgen_diagnostic::codes! {
    /// The page of every code, in order.
    #[cfg(feature = "explain")]
    pub EXPLANATIONS;

    /// A schema is neither an object nor a boolean.
    pub NOT_A_SCHEMA = "E0101";
    /// The value of a keyword has the wrong type.
    pub WRONG_TYPE = "E0102";
    /// A length or count is negative or has a fraction.
    pub BAD_LENGTH = "E0103";
    /// `required` or `type` contains the same name twice.
    pub DUPLICATE_NAME = "E0104";
    /// `type` names an unknown type.
    pub UNKNOWN_TYPE = "E0105";
    /// `format` names a format that is not in the subset.
    pub UNKNOWN_FORMAT = "E0106";
    /// A keyword that is not in the subset.
    pub UNKNOWN_KEYWORD = "E0107";
    /// A `$ref` is not of the form `#/definitions/<name>`.
    pub REF_NOT_LOCAL = "E0108";
    /// A `$ref` names a definition that does not exist.
    pub REF_UNRESOLVED = "E0109";
    /// References form a cycle that does not go into a property or an item.
    pub REF_CYCLE = "E0110";
    /// An assertion next to `$ref`, which draft-07 ignores.
    pub REF_SIBLING = "E0111";
    /// A `pattern` is not a valid ECMA-262 regular expression.
    pub PATTERN_SYNTAX = "E0112";
    /// A `pattern` uses a back-reference.
    pub PATTERN_BACK_REFERENCE = "E0113";
    /// The compiled `pattern` exceeds its memory limit.
    pub PATTERN_TOO_LARGE = "E0114";
    /// `$schema` names a dialect other than draft-07.
    pub OTHER_DIALECT = "E0115";
    /// `$id` below the root, where it would change the base URI of references.
    pub NESTED_ID = "E0116";
    /// `oneOf`, `anyOf` or `allOf` is empty.
    pub EMPTY_UNION = "E0117";
    /// `type` is an empty array.
    pub EMPTY_TYPE = "E0118";
    /// Subschemas are nested more than 64 levels deep.
    pub SCHEMA_TOO_DEEP = "E0119";
    /// A value in `enum`, `const`, `default` or `examples` is nested more than 128 levels deep.
    pub VALUE_TOO_DEEP = "E0120";
    /// A `pattern` is valid ECMA-262 but uses an unsupported Unicode property.
    pub PATTERN_UNSUPPORTED = "E0121";
    /// More than 128 subschemas apply to one location in the payload, each through another.
    pub CHAIN_TOO_LONG = "E0122";
    /// The schema exceeds the loader's memory limit.
    pub SCHEMA_TOO_LARGE = "E0123";
    /// The compiled patterns of a contract together exceed their memory limit.
    pub PATTERNS_TOO_LARGE = "E0124";
    /// A `multipleOf` is not greater than zero, or has more than 1000 digits.
    pub BAD_DIVISOR = "E0125";
    /// The value of `propertyNames` is not an object with assertions about strings only.
    pub PROPERTY_NAMES = "E0126";
    /// `x-format` next to `format`.
    pub TWO_FORMATS = "E0127";
    /// A schema that accepts no value at all, found by a search.
    pub ACCEPTS_NO_VALUE = "E0130";

    /// An `enum` is empty or contains a value twice.
    pub ENUM_VALUES = "W0101";
    /// A definition that is never used.
    pub UNUSED_DEFINITION = "W0102";
    /// A schema that accepts no value, or no value of one of its types.
    pub ACCEPTS_NOTHING = "W0103";
    /// A `default` or example that its own schema rejects.
    pub BAD_EXAMPLE = "W0104";
    /// A `pattern` with look-around, which runs with a step limit.
    pub PATTERN_LOOK_AROUND = "W0105";
    /// A `pattern` that may take exponential time in a JavaScript engine.
    pub PATTERN_BACKTRACKS = "W0106";
    /// A keyword that never applies because `type` rules out its values.
    pub NEVER_APPLIES = "W0107";
    /// A number in `enum` or `const` that no binary64 equals.
    pub ROUNDED_LITERAL = "W0108";
    /// A required property that `properties` does not declare.
    pub UNDECLARED_REQUIRED = "W0109";
    /// A `pattern` between slashes, as in JavaScript.
    pub PATTERN_SLASHES = "W0110";
    /// A union with a branch that accepts every value.
    pub UNION_OF_EVERYTHING = "W0113";
    /// A `oneOf` of which every usual value matches several branches.
    pub NO_USUAL_BRANCH = "W0114";
}
