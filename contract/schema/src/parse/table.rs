//! The table of the keywords of the subset.

use KeywordRole::{Assertion, NameAssertion, Reference, Root, Structure, Text};
use KeywordValue as V;

/// A keyword of the subset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SchemaKeyword {
    /// Its name.
    pub name: &'static str,
    /// The places where it is allowed.
    pub role: KeywordRole,
    /// Its values.
    pub value: KeywordValue,
    /// Its meaning, in one sentence.
    pub about: &'static str,
}

/// The places where a keyword is allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum KeywordRole {
    /// It limits values. Next to `$ref` it is an error, because draft-07 ignores it there.
    Assertion,
    /// An assertion that is also allowed in `propertyNames`.
    NameAssertion,
    /// It only structures a document.
    Structure,
    /// It describes, and is allowed everywhere.
    Text,
    /// It is allowed only at the root of a schema.
    Root,
    /// `$ref`.
    Reference,
}

/// The values of a keyword.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum KeywordValue {
    /// Any JSON value.
    Any,
    /// An array of any JSON values.
    Values,
    /// A string.
    Text,
    /// A string that matches a regular expression, and what to write if it does not.
    Matching(&'static str, &'static str),
    /// A regular expression.
    Pattern,
    /// The name of a [`Format`](crate::Format).
    Format,
    /// The name of a [`Type`](crate::Type), or a non-empty array of distinct ones.
    Types,
    /// A number.
    Number,
    /// A number greater than 0.
    Divisor,
    /// An integer that is not negative.
    Length,
    /// A boolean.
    Flag,
    /// An array of distinct strings.
    Names,
    /// An object whose values are arrays of distinct strings.
    NameLists,
    /// A schema.
    Schema,
    /// A schema, or a non-empty array of schemas.
    Items,
    /// A non-empty array of schemas.
    Branches,
    /// An object whose values are schemas.
    Members,
    /// An object with assertions about strings.
    NameAssertions,
}

const fn row(name: &'static str, role: KeywordRole, value: KeywordValue, about: &'static str) -> SchemaKeyword {
    SchemaKeyword { name, role, value, about }
}

/// Every keyword of the subset, in the order in which an editor lists them.
///
/// ```
/// let keyword = capgen_schema::SCHEMA_KEYWORDS.iter().find(|keyword| keyword.name == "minLength");
/// assert_eq!(keyword.map(|keyword| keyword.value), Some(capgen_schema::KeywordValue::Length));
/// ```
pub const SCHEMA_KEYWORDS: &[SchemaKeyword] = &[
    row(
        "$schema",
        Structure,
        V::Matching(
            DIALECT,
            "write `http://json-schema.org/draft-07/schema#`, or remove it: other drafts are not supported",
        ),
        "The dialect of the schema: draft-07.",
    ),
    row("$id", Root, V::Text, "A URI that identifies the schema. Nothing is fetched from it."),
    row("$comment", Text, V::Text, "A note for readers of the schema, which has no effect."),
    row("title", Text, V::Text, "A short name of the values."),
    row("description", Text, V::Text, "An explanation of the values; it becomes documentation in generated code."),
    row("type", NameAssertion, V::Types, "The type of the values, or a list of types."),
    row("enum", Assertion, V::Values, "The allowed values."),
    row("const", Assertion, V::Any, "The only allowed value."),
    row("properties", Assertion, V::Members, "The schemas of the properties of an object, by their names."),
    row("required", Assertion, V::Names, "The names of the properties that an object must have."),
    row(
        "additionalProperties",
        Assertion,
        V::Schema,
        "The schema of the properties that `properties` does not list; `false` forbids them.",
    ),
    row(
        "patternProperties",
        Assertion,
        V::Members,
        "The schemas of the properties whose names match regular expressions. `additionalProperties` does not apply to them.",
    ),
    row("propertyNames", Assertion, V::NameAssertions, "Assertions about the name of every property."),
    row("minProperties", Assertion, V::Length, "The minimum number of properties of an object."),
    row("maxProperties", Assertion, V::Length, "The maximum number of properties of an object."),
    row(
        "dependentRequired",
        Assertion,
        V::NameLists,
        "For the names of some properties: the names of the properties that an object with them must also have.",
    ),
    row("dependencies", Assertion, V::NameLists, "The spelling of `dependentRequired` in draft-07."),
    row(
        "items",
        Assertion,
        V::Items,
        "The schema of every item of an array, or a list of schemas: of its first items.",
    ),
    row("additionalItems", Assertion, V::Schema, "The schema of the items that follow those of the list in `items`."),
    row("contains", Assertion, V::Schema, "At least one item of an array must conform to this schema."),
    row("minItems", Assertion, V::Length, "The minimum number of items of an array."),
    row("maxItems", Assertion, V::Length, "The maximum number of items of an array."),
    row("uniqueItems", Assertion, V::Flag, "Whether the items of an array must differ from each other."),
    row("minLength", NameAssertion, V::Length, "The minimum length of a string, in code points."),
    row("maxLength", NameAssertion, V::Length, "The maximum length of a string, in code points."),
    row(
        "pattern",
        NameAssertion,
        V::Pattern,
        "An ECMA-262 regular expression (with the `u` flag) for strings. It is not anchored: write `^` and `$` to match the whole string.",
    ),
    row("format", NameAssertion, V::Format, "A format of strings, which is checked."),
    row(
        "x-format",
        Text,
        V::Text,
        "The name of a format that is not checked, instead of `format`. Exports write it as `format`.",
    ),
    row("minimum", Assertion, V::Number, "The smallest allowed number."),
    row("maximum", Assertion, V::Number, "The largest allowed number."),
    row("exclusiveMinimum", Assertion, V::Number, "A bound: numbers must be greater."),
    row("exclusiveMaximum", Assertion, V::Number, "A bound: numbers must be less."),
    row("multipleOf", Assertion, V::Divisor, "Numbers must be multiples of this one."),
    row("oneOf", Assertion, V::Branches, "Values must conform to exactly one of these schemas."),
    row("anyOf", Assertion, V::Branches, "Values must conform to at least one of these schemas."),
    row("allOf", Assertion, V::Branches, "Values must conform to all of these schemas."),
    row("not", Assertion, V::Schema, "Values must not conform to this schema."),
    row(
        "if",
        Assertion,
        V::Schema,
        "A condition: it decides whether `then` or `else` applies, and asserts nothing itself.",
    ),
    row("then", Assertion, V::Schema, "Values that conform to the schema of `if` must also conform to this one."),
    row("else", Assertion, V::Schema, "Values that do not conform to the schema of `if` must conform to this one."),
    row(
        "$ref",
        Reference,
        V::Matching(REFERENCE, "write `#/definitions/<name>`: a contract is complete in its file"),
        "A reference to a definition: `#/definitions/<name>`. Other assertions beside it are errors.",
    ),
    row(
        "definitions",
        Structure,
        V::Members,
        "Schemas for `$ref`. References reach only those at the root of the schema.",
    ),
    row("deprecated", Structure, V::Flag, "Whether the values should no longer be used. It is not checked."),
    row("readOnly", Structure, V::Flag, "Whether only the agent determines the values. It is not checked."),
    row("writeOnly", Structure, V::Flag, "Whether the agent never sends the values. It is not checked."),
    row("default", Structure, V::Any, "An example of a default value, for documentation. It is never applied."),
    row("examples", Structure, V::Values, "Examples of values."),
];

/// The values of `$schema`.
const DIALECT: &str = "^(https?://)?json-schema\\.org/draft-07/schema#?$";

/// References to definitions. Escapes can be anywhere after `#`, also in `definitions`; which of these references are
/// valid is not decided here.
const REFERENCE: &str = "^#(/definitions/[^/]*$|[^%]*%)";

fn find(name: &str) -> Option<&'static SchemaKeyword> {
    SCHEMA_KEYWORDS.iter().find(|keyword| keyword.name == name)
}

/// Whether `name` is an assertion of the subset. Draft-07 ignores it next to `$ref`.
pub(crate) fn is_assertion(name: &str) -> bool {
    find(name).is_some_and(|keyword| matches!(keyword.role, Assertion | NameAssertion))
}

/// Whether `name` is a keyword of the subset other than an assertion or `$ref`.
pub(crate) fn is_annotation(name: &str) -> bool {
    find(name).is_some_and(|keyword| matches!(keyword.role, Structure | Text | Root))
}

/// Whether `name` is allowed in `propertyNames`.
pub(super) fn is_about_names(name: &str) -> bool {
    find(name).is_some_and(|keyword| matches!(keyword.role, NameAssertion | Text))
}

/// All keywords of the subset.
pub(crate) fn keywords() -> impl Iterator<Item = &'static str> {
    SCHEMA_KEYWORDS.iter().map(|keyword| keyword.name)
}
