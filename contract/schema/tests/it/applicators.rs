//! The keywords with subschemas, in any draft, for random schemas.

/// Keywords with one schema.
pub(crate) const ONE: [&str; 11] = [
    "additionalItems",
    "additionalProperties",
    "contains",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords with a list of schemas.
pub(crate) const LISTS: [&str; 5] = ["allOf", "anyOf", "items", "oneOf", "prefixItems"];
/// Keywords with an object of schemas.
pub(crate) const MAPS: [&str; 6] =
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];
