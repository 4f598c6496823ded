//! The keywords of each draft of JSON Schema.
//!
//! A draft ignores the keywords of others. A schema without `$schema` may use those of all drafts; with it, only those
//! of its draft are translated, because any other validator ignores the rest.

use crate::{Json, Object};

/// A draft of JSON Schema, in the order of their publication.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Version {
    Draft04,
    Draft06,
    Draft07,
    Draft2019,
    Draft2020,
}

use Version::{Draft04, Draft06, Draft07, Draft2019, Draft2020};

/// Keywords that not all drafts have, with the first and the last one that has them: assertions, and the URI of a
/// schema.
const KEYWORDS: [(&str, Version, Version); 17] = [
    ("$id", Draft06, Draft2020),
    ("additionalItems", Draft04, Draft2019),
    ("const", Draft06, Draft2020),
    ("contains", Draft06, Draft2020),
    ("dependencies", Draft04, Draft07),
    ("dependentRequired", Draft2019, Draft2020),
    ("dependentSchemas", Draft2019, Draft2020),
    ("else", Draft07, Draft2020),
    ("id", Draft04, Draft04),
    ("if", Draft07, Draft2020),
    ("maxContains", Draft2019, Draft2020),
    ("minContains", Draft2019, Draft2020),
    ("prefixItems", Draft2020, Draft2020),
    ("propertyNames", Draft06, Draft2020),
    ("then", Draft07, Draft2020),
    ("unevaluatedItems", Draft2019, Draft2020),
    ("unevaluatedProperties", Draft2019, Draft2020),
];

impl Version {
    /// The draft that the `$schema` of a document declares. Dialects of OpenAPI have keywords of several drafts, so
    /// they are not one.
    pub(super) fn of(root: &Json) -> Option<Self> {
        Self::named(root.get("$schema")?.as_str()?)
    }

    /// The draft of a meta-schema.
    pub(super) fn named(uri: &str) -> Option<Self> {
        let path = uri.strip_prefix("http://").or_else(|| uri.strip_prefix("https://"))?;
        let path = path.strip_suffix('#').unwrap_or(path).strip_prefix("json-schema.org/")?;
        [Draft04, Draft06, Draft07, Draft2019, Draft2020].into_iter().find(|version| version.path() == path)
    }

    /// The keyword for the URI of a document.
    pub(super) fn id(version: Option<Self>) -> &'static str {
        if version == Some(Draft04) { "id" } else { "$id" }
    }

    /// The keywords for the URI of a subschema; without a draft, it may be either.
    pub(super) fn ids(version: Option<Self>) -> &'static [&'static str] {
        match version {
            Some(Draft04) => &["id"],
            Some(_) => &["$id"],
            None => &["$id", "id"],
        }
    }

    fn path(self) -> &'static str {
        match self {
            Draft04 => "draft-04/schema",
            Draft06 => "draft-06/schema",
            Draft07 => "draft-07/schema",
            Draft2019 => "draft/2019-09/schema",
            Draft2020 => "draft/2020-12/schema",
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Draft04 => "draft-04",
            Draft06 => "draft-06",
            Draft07 => "draft-07",
            Draft2019 => "draft 2019-09",
            Draft2020 => "draft 2020-12",
        }
    }

    /// Whether the draft ignores a keyword that others have.
    pub(super) fn ignores(self, keyword: &str) -> bool {
        KEYWORDS.iter().any(|(name, first, last)| *name == keyword && !(*first..=*last).contains(&self))
    }

    /// Why the draft ignores a keyword.
    pub(super) fn reason(self, keyword: &str) -> String {
        let found = KEYWORDS.iter().find(|(name, ..)| *name == keyword);
        let (first, last) = found.map_or((self, self), |(_, first, last)| (*first, *last));
        let (nearest, range) = if self < first { (first, "later") } else { (last, "earlier") };
        let range = if first == last { String::new() } else { format!(" and {range}") };
        format!("`{keyword}` is a keyword of {}{range}; `$schema` is {}, which ignores it", nearest.name(), self.name())
    }

    /// Whether a draft has a keyword of this name, apart from those that all drafts have.
    pub(super) fn has_keyword(keyword: &str) -> bool {
        KEYWORDS.iter().any(|(name, ..)| *name == keyword)
    }
}

/// Whether the draft ignores a keyword of an object. A list in `items` is the form of earlier drafts, so
/// `additionalItems` next to it has its meaning in them.
pub(super) fn ignores(version: Option<Version>, object: &Object, keyword: &str) -> bool {
    let is_of_a_tuple = || keyword == "additionalItems" && matches!(object.get("items"), Some(Json::Array(_)));
    version.is_some_and(|version| version.ignores(keyword)) && !is_of_a_tuple()
}

/// The value of a keyword, unless the draft ignores it.
pub(super) fn get<'a>(object: &'a Object, keyword: &str, version: Option<Version>) -> Option<&'a Json> {
    object.get(keyword).filter(|_| !ignores(version, object, keyword))
}
