//! A violation and the keyword that it names.

use std::fmt;
use std::str::FromStr;

use serde::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeStruct, Serializer};

use super::budget::{ReportBudget, cut_message};
use crate::pointer::{self, tokens};

/// One way in which a payload violates its schema.
///
/// Serialized as an object with the keys `path`, `message` and `keyword`.
///
/// ```
/// use capgen_schema::{Schema, Validator, Violation};
/// use serde_json::json;
/// let validator = Validator::new(&Schema::parse_text(r#"{"minLength": 2}"#)?);
/// let violation = validator.validate(&json!("a"))[0].clone();
/// let value = serde_json::to_value(&violation)?;
/// let message = r#"must have at least 2 characters, got "a""#;
/// assert_eq!(value, json!({"path": "", "message": message, "keyword": "minLength"}));
/// assert_eq!(serde_json::from_value::<Violation>(value)?, violation);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Violation {
    /// JSON Pointer into the payload; the empty string is the root. A missing property is reported at the path that it
    /// should have had.
    pub path: String,
    /// Human-readable, on one line.
    pub message: String,
    /// The keyword that the payload violates.
    pub keyword: Keyword,
}

impl Violation {
    /// The violation with the names of its path, and its message, cut as reports have them.
    pub(super) fn cut(self, budget: ReportBudget) -> Self {
        // An escaped name has at least as many code points as the name.
        let is_long = self.path.split('/').any(|token| token.chars().nth(budget.name).is_some());
        let path = if is_long { cut_names(&self.path, budget) } else { self.path };
        Self { path, message: cut_message(self.message), ..self }
    }
}

fn cut_names(path: &str, budget: ReportBudget) -> String {
    let mut cut = String::new();
    tokens(path).for_each(|token| pointer::push(&mut cut, &budget.cut_name(&token)));
    cut
}

/// The keyword of a [`Violation`]. The order of the variants is the order in which the violations of one place are
/// reported.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "most variants are the keyword of the same name")]
#[non_exhaustive]
pub enum Keyword {
    /// At the path of the property with the name, whatever its value.
    PropertyNames,
    Type,
    /// `false`: the schema `false`, which rejects every value.
    False,
    Enum,
    Const,
    Minimum,
    Maximum,
    ExclusiveMinimum,
    ExclusiveMaximum,
    MultipleOf,
    MinLength,
    MaxLength,
    Pattern,
    Format,
    MinItems,
    MaxItems,
    UniqueItems,
    Contains,
    MinProperties,
    MaxProperties,
    Required,
    /// At the path that the missing property should have had; also for `dependencies`.
    DependentRequired,
    AdditionalProperties,
    AnyOf,
    OneOf,
    Not,
    /// `depth`: the payload has more levels of arrays and objects than a validator allows.
    Depth,
    /// `$schema`: the schema itself does not load, so no payload can be validated.
    Schema,
}

/// A text that is not the name of a [`Keyword`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownKeyword(String);

impl Keyword {
    /// Every keyword, in order.
    pub const ALL: [Keyword; 28] = [
        Keyword::PropertyNames,
        Keyword::Type,
        Keyword::False,
        Keyword::Enum,
        Keyword::Const,
        Keyword::Minimum,
        Keyword::Maximum,
        Keyword::ExclusiveMinimum,
        Keyword::ExclusiveMaximum,
        Keyword::MultipleOf,
        Keyword::MinLength,
        Keyword::MaxLength,
        Keyword::Pattern,
        Keyword::Format,
        Keyword::MinItems,
        Keyword::MaxItems,
        Keyword::UniqueItems,
        Keyword::Contains,
        Keyword::MinProperties,
        Keyword::MaxProperties,
        Keyword::Required,
        Keyword::DependentRequired,
        Keyword::AdditionalProperties,
        Keyword::AnyOf,
        Keyword::OneOf,
        Keyword::Not,
        Keyword::Depth,
        Keyword::Schema,
    ];

    /// The name as it is written in a schema; also `false`, `depth` and `$schema`. [`FromStr`] is the inverse.
    ///
    /// ```
    /// use capgen_schema::Keyword;
    /// assert_eq!(Keyword::MinLength.as_str(), "minLength");
    /// assert_eq!("minLength".parse(), Ok(Keyword::MinLength));
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Keyword::PropertyNames => "propertyNames",
            Keyword::Type => "type",
            Keyword::False => "false",
            Keyword::Enum => "enum",
            Keyword::Const => "const",
            Keyword::Minimum => "minimum",
            Keyword::Maximum => "maximum",
            Keyword::ExclusiveMinimum => "exclusiveMinimum",
            Keyword::ExclusiveMaximum => "exclusiveMaximum",
            Keyword::MultipleOf => "multipleOf",
            Keyword::MinLength => "minLength",
            Keyword::MaxLength => "maxLength",
            Keyword::Pattern => "pattern",
            Keyword::Format => "format",
            Keyword::MinItems => "minItems",
            Keyword::MaxItems => "maxItems",
            Keyword::UniqueItems => "uniqueItems",
            Keyword::Contains => "contains",
            Keyword::MinProperties => "minProperties",
            Keyword::MaxProperties => "maxProperties",
            Keyword::Required => "required",
            Keyword::DependentRequired => "dependentRequired",
            Keyword::AdditionalProperties => "additionalProperties",
            Keyword::AnyOf => "anyOf",
            Keyword::OneOf => "oneOf",
            Keyword::Not => "not",
            Keyword::Depth => "depth",
            Keyword::Schema => "$schema",
        }
    }
}

impl fmt::Display for Keyword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Keyword {
    type Err = UnknownKeyword;

    fn from_str(name: &str) -> Result<Self, UnknownKeyword> {
        let found = Self::ALL.into_iter().find(|keyword| keyword.as_str() == name);
        found.ok_or_else(|| UnknownKeyword(name.to_owned()))
    }
}

impl fmt::Display for UnknownKeyword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown keyword {:?}", self.0)
    }
}

impl std::error::Error for UnknownKeyword {}

impl Serialize for Keyword {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Keyword {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;
        impl Visitor<'_> for Name {
            type Value = Keyword;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the keyword of a violation")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<Keyword, E> {
                name.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Name)
    }
}

// Written by hand, because serde's derive would add a proc macro to every program that links generated code.
const FIELDS: [&str; 3] = ["path", "message", "keyword"];

impl Serialize for Violation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let [path, message, keyword] = FIELDS;
        let mut object = serializer.serialize_struct("Violation", FIELDS.len())?;
        object.serialize_field(path, &self.path)?;
        object.serialize_field(message, &self.message)?;
        object.serialize_field(keyword, &self.keyword)?;
        object.end()
    }
}

impl<'de> Deserialize<'de> for Violation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_struct("Violation", &FIELDS, Fields)
    }
}

struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Violation;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a violation")
    }

    /// Formats that are not self-describing represent a struct as a sequence.
    fn visit_seq<A: SeqAccess<'de>>(self, mut fields: A) -> Result<Violation, A::Error> {
        let path = fields.next_element()?.ok_or_else(|| de::Error::invalid_length(0, &self))?;
        let message = fields.next_element()?.ok_or_else(|| de::Error::invalid_length(1, &self))?;
        let keyword = fields.next_element()?.ok_or_else(|| de::Error::invalid_length(2, &self))?;
        Ok(Violation { path, message, keyword })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Violation, A::Error> {
        let (mut path, mut message, mut keyword) = (None, None, None);
        while let Some(name) = fields.next_key::<String>()? {
            match name.as_str() {
                "path" => set(&mut path, "path", fields.next_value()?)?,
                "message" => set(&mut message, "message", fields.next_value()?)?,
                "keyword" => set(&mut keyword, "keyword", fields.next_value()?)?,
                // A later version may add fields.
                _ => drop(fields.next_value::<IgnoredAny>()?),
            }
        }
        Ok(Violation {
            path: path.ok_or_else(|| de::Error::missing_field("path"))?,
            message: message.ok_or_else(|| de::Error::missing_field("message"))?,
            keyword: keyword.ok_or_else(|| de::Error::missing_field("keyword"))?,
        })
    }
}

fn set<T, E: de::Error>(slot: &mut Option<T>, name: &'static str, value: T) -> Result<(), E> {
    match slot.replace(value) {
        Some(_) => Err(E::duplicate_field(name)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json, to_value};

    use super::*;

    #[test]
    fn keywords_round_trip_through_their_names() {
        for keyword in Keyword::ALL {
            assert_eq!(keyword.to_string().parse(), Ok(keyword));
            assert_eq!(from_value::<Keyword>(to_value(keyword).unwrap()).unwrap(), keyword);
        }
        assert!(Keyword::ALL.is_sorted());
        assert_eq!("minlength".parse::<Keyword>().unwrap_err().to_string(), "unknown keyword \"minlength\"");
    }

    #[test]
    fn violations_are_read_from_objects_and_sequences() {
        let expected = Violation { path: "/a".into(), message: "m".into(), keyword: Keyword::Depth };
        for value in [
            json!({"path": "/a", "message": "m", "keyword": "depth"}),
            json!({"keyword": "depth", "severity": [1], "message": "m", "path": "/a"}),
            json!(["/a", "m", "depth"]),
        ] {
            assert_eq!(from_value::<Violation>(value.clone()).unwrap(), expected, "{value}");
        }
        for (text, error) in [
            (r#"{"path": "/a", "message": "m"}"#, "missing field `keyword`"),
            (r#"{"path": "", "path": ""}"#, "duplicate field `path`"),
            (r#"{"keyword": "nullable"}"#, "unknown keyword \"nullable\""),
        ] {
            let found = serde_json::from_str::<Violation>(text).unwrap_err().to_string();
            assert!(found.starts_with(error), "{found}");
        }
    }
}
