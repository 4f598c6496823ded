//! Where subschemas are, in the subset and in the other dialects of JSON Schema: the one list of the keywords that
//! contain them.
//!
//! A walk takes the subschemas of a keyword from here, and decides how to use them. It visits each subschema once, so
//! it takes linear time in a schema whose size the reader of its text has limited. A walk over a schema that is not
//! checked yet recurses at most [`MAX_WALK_DEPTH`] levels.

use std::convert::Infallible;

use crate::{Json, Object};

/// The most levels of subschemas that a walk visits in a schema that is not checked yet. The loader and the normaliser
/// accept 64 levels, and a reference can lead from one place to another one a few levels higher, so this limit only
/// bounds the recursion.
pub const MAX_WALK_DEPTH: usize = 72;

/// The subschemas in the value of a keyword.
///
/// ```
/// use capgen_schema::{Json, Subschemas};
/// let schema: Json = r#"{"items": [{}, true], "not": {}, "properties": {"not": {}}, "const": {"not": {}}}"#.parse()?;
/// let count = |(name, value): &(String, Json)| Subschemas::of(name, value).iter().count();
/// let counts: Vec<usize> = schema.as_object().into_iter().flatten().map(count).collect();
/// assert_eq!(counts, [2, 1, 1, 0]);
/// # Ok::<(), capgen_schema::JsonTextError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Subschemas<'j> {
    /// There are none: the value is data, or does not have the form that the keyword requires.
    Absent,
    /// The value is a subschema.
    One(&'j Json),
    /// The value is an array of subschemas.
    List(&'j [Json]),
    /// The value is an object whose members are subschemas.
    Map(&'j Object),
}

/// The value that a keyword with subschemas requires.
enum Form {
    One,
    List,
    OneOrList,
    Map,
}

impl Form {
    fn of(keyword: &str) -> Option<Self> {
        Some(match keyword {
            "additionalItems"
            | "additionalProperties"
            | "contains"
            | "else"
            | "if"
            | "not"
            | "propertyNames"
            | "then"
            | "unevaluatedItems"
            | "unevaluatedProperties" => Self::One,
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => Self::List,
            "items" => Self::OneOrList,
            "dependencies" | "dependentSchemas" | "patternProperties" | "properties" => Self::Map,
            keyword if is_definitions(keyword) => Self::Map,
            _ => return None,
        })
    }
}

impl<'j> Subschemas<'j> {
    /// The subschemas in the value of a keyword of any draft from 04 to 2020-12.
    ///
    /// A single subschema may be any value but an array, and the others may be any value: the walk finds out whether
    /// they are schemas. With `dependencies`, they may also be lists of names.
    #[must_use]
    pub fn of(keyword: &str, value: &'j Json) -> Self {
        match (Form::of(keyword), value) {
            (Some(Form::List | Form::OneOrList), Json::Array(items)) => Self::List(items),
            (Some(Form::Map), Json::Object(members)) => Self::Map(members),
            (Some(Form::One | Form::OneOrList), schema) if schema.as_array().is_none() => Self::One(schema),
            _ => Self::Absent,
        }
    }

    /// Whether a keyword of any draft contains subschemas, if its value has the required form.
    #[must_use]
    pub fn are_in(keyword: &str) -> bool {
        Form::of(keyword).is_some()
    }

    /// The subschemas in their order.
    pub fn iter(self) -> impl Iterator<Item = &'j Json> {
        // One type for all forms, without a box per keyword.
        let (one, list, map): (Option<&Json>, &[Json], Option<&Object>) = match self {
            Self::Absent => (None, &[], None),
            Self::One(schema) => (Some(schema), &[], None),
            Self::List(items) => (None, items, None),
            Self::Map(members) => (None, &[], Some(members)),
        };
        one.into_iter().chain(list).chain(map.into_iter().flatten().map(|(_, schema)| schema))
    }

    /// The value of a keyword with another schema for each subschema. `change` gets the reference token that leads from
    /// the value to the subschema; `None` if the value is the subschema.
    ///
    /// # Errors
    /// The first error of `change`.
    pub fn try_map<E>(
        keyword: &str,
        value: &'j Json,
        mut change: impl FnMut(Option<&str>, &'j Json) -> Result<Json, E>,
    ) -> Result<Json, E> {
        Ok(match Self::of(keyword, value) {
            Self::Absent => value.clone(),
            Self::One(schema) => change(None, schema)?,
            Self::List(items) => {
                let items = items.iter().enumerate().map(|(index, schema)| change(Some(&index.to_string()), schema));
                Json::Array(items.collect::<Result<_, _>>()?)
            }
            Self::Map(members) => {
                let members = members.iter().map(|(name, schema)| Ok((name.clone(), change(Some(name), schema)?)));
                Json::Object(members.collect::<Result<_, E>>()?)
            }
        })
    }

    /// The value of a keyword with another schema for each subschema, as [`try_map`](Self::try_map), by a change that
    /// always succeeds.
    pub fn map(keyword: &str, value: &'j Json, mut change: impl FnMut(Option<&str>, &'j Json) -> Json) -> Json {
        let Ok(changed) = Self::try_map(keyword, value, |token, schema| Ok::<_, Infallible>(change(token, schema)));
        changed
    }
}

/// Whether the subschemas of a keyword are definitions, which apply only where they are referenced.
#[must_use]
pub fn is_definitions(keyword: &str) -> bool {
    matches!(keyword, "$defs" | "definitions")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{KeywordValue, SCHEMA_KEYWORDS};

    #[test]
    fn the_subset_has_the_same_places() {
        let (object, array) = (Json::Object(Object::new()), Json::Array(Vec::new()));
        // In other schemas, its values may be subschemas.
        for row in SCHEMA_KEYWORDS.iter().filter(|row| row.name != "dependencies") {
            let forms = [&object, &array].map(|value| Subschemas::of(row.name, value));
            let is_expected = match row.value {
                KeywordValue::Schema | KeywordValue::NameAssertions => matches!(forms, [Subschemas::One(_), _]),
                KeywordValue::Items => matches!(forms, [Subschemas::One(_), Subschemas::List(_)]),
                KeywordValue::Branches => matches!(forms, [Subschemas::Absent, Subschemas::List(_)]),
                KeywordValue::Members => matches!(forms, [Subschemas::Map(_), Subschemas::Absent]),
                _ => matches!(forms, [Subschemas::Absent, Subschemas::Absent]),
            };
            assert!(is_expected, "{}: {forms:?}", row.name);
        }
    }

    #[test]
    fn each_subschema_is_changed_with_its_token() {
        let value: Json = r#"{"a": 1, "b": [2]}"#.parse().unwrap();
        let mut tokens = Vec::new();
        let mut note = |token: Option<&str>, _: &Json| {
            tokens.push(token.map(str::to_owned));
            Json::Null
        };
        for (keyword, value, expected) in [
            ("properties", &value, r#"{"a":null,"b":null}"#),
            ("const", &value, r#"{"a":1,"b":[2]}"#),
            ("not", &value, "null"),
            ("oneOf", &Json::Array(vec![value.clone()]), "[null]"),
            ("not", &Json::Array(vec![value.clone()]), r#"[{"a":1,"b":[2]}]"#),
        ] {
            assert_eq!(Subschemas::map(keyword, value, &mut note).canonical(), expected, "{keyword}");
        }
        let tokens: Vec<_> = tokens.iter().map(Option::as_deref).collect();
        assert_eq!(tokens, [Some("a"), Some("b"), None, Some("0")]);
    }
}
