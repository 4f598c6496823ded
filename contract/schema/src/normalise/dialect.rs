//! The dialect of JSON Schema that a document is written in.

use super::places::is_container;
use super::version::{self, Version};
use crate::{Json, Object, Subschemas, is_definitions};

/// The difference between dialects that matters here. All other keywords have one meaning each, whatever the draft.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Dialect {
    /// Drafts 4 to 7 and OpenAPI 3.0: keywords next to `$ref` are ignored.
    Legacy,
    /// Drafts 2019-09 and 2020-12 and OpenAPI 3.1: keywords next to `$ref` apply.
    Modern,
}

/// Whether [`normalise`](super::normalise()) reads schemas with this `$schema`: drafts 04 to 2020-12, those of OpenAPI
/// 3.0 to 3.2, and `http://json-schema.org/schema`, which names no draft and is read as draft-07.
pub fn is_known_dialect(uri: &str) -> bool {
    Dialect::named(uri).is_some()
}

/// Whether two values of `$schema` name the same dialect: `http` and `https` are one, an empty fragment is nothing, and
/// `http://json-schema.org/schema` is read as draft-07.
///
/// ```
/// use capgen_schema::is_same_dialect;
/// assert!(is_same_dialect("http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft-07/schema"));
/// assert!(!is_same_dialect("http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-04/schema#"));
/// ```
#[must_use]
pub fn is_same_dialect(one: &str, other: &str) -> bool {
    let name = |uri| {
        let path = path(uri).unwrap_or(uri);
        if path == LATEST { DRAFT_07 } else { path }
    };
    name(one) == name(other)
}

/// "The latest draft", which it was for the last time with draft-07.
const LATEST: &str = "json-schema.org/schema";

const DRAFT_07: &str = "json-schema.org/draft-07/schema";

/// The URI of a meta-schema without its scheme and without an empty fragment.
fn path(uri: &str) -> Option<&str> {
    let path = uri.strip_prefix("http://").or_else(|| uri.strip_prefix("https://"))?;
    Some(path.strip_suffix('#').unwrap_or(path))
}

impl Dialect {
    /// The dialect of a document, by `$schema`. Without it, `$defs` indicates draft 2019-09 or later, which introduced
    /// it.
    pub(super) fn of(root: &Json) -> Self {
        let Some(object) = root.as_object() else { return Dialect::Legacy };
        match object.get("$schema").and_then(Json::as_str) {
            Some(uri) => Self::named(uri).unwrap_or(Dialect::Legacy),
            None if object.get("$defs").is_some() => Dialect::Modern,
            None => Dialect::Legacy,
        }
    }

    /// The dialect of a meta-schema.
    pub(super) fn named(uri: &str) -> Option<Self> {
        match path(uri)? {
            LATEST | DRAFT_07 | "json-schema.org/draft-04/schema" | "json-schema.org/draft-06/schema" => {
                Some(Dialect::Legacy)
            }
            "json-schema.org/draft/2019-09/schema" | "json-schema.org/draft/2020-12/schema" => Some(Dialect::Modern),
            path if path.starts_with("spec.openapis.org/oas/3.0/") => Some(Dialect::Legacy),
            path if path.starts_with("spec.openapis.org/oas/3.1/") => Some(Dialect::Modern),
            path if path.starts_with("spec.openapis.org/oas/3.2/") => Some(Dialect::Modern),
            _ => None,
        }
    }
}

/// The name of the dialect that `$schema` declares, in messages.
pub(super) fn declared(root: &Json, version: Option<Version>) -> Option<&'static str> {
    version.map(Version::name).or_else(|| declares_openapi_3_0(root).then_some("OpenAPI 3.0"))
}

/// Whether `$schema` is that of OpenAPI 3.0, the dialect that defines `nullable`.
pub(super) fn declares_openapi_3_0(root: &Json) -> bool {
    root.get("$schema").and_then(Json::as_str).is_some_and(is_openapi_3_0)
}

/// Whether a meta-schema is that of OpenAPI 3.0.
pub(super) fn is_openapi_3_0(uri: &str) -> bool {
    uri.contains("://spec.openapis.org/oas/3.0/")
}

/// Whether a keyword takes subschemas that may apply to a payload.
pub(super) fn takes_subschemas(name: &str) -> bool {
    Subschemas::are_in(name) && !is_definitions(name)
}

/// Whether a keyword of a schema is ignored because it is next to a reference. Definitions apply only where they are
/// referenced.
pub(super) fn is_beside_reference(dialect: Dialect, object: &Object, name: &str) -> bool {
    let is_reference = || matches!(object.get("$ref"), Some(Json::String(_)));
    dialect == Dialect::Legacy && name != "$ref" && !is_container(name) && is_reference()
}

/// The direct subschemas that may apply to a payload, in source order. Definitions and keywords that the dialect
/// ignores are not among them.
pub(super) fn subschemas(object: &Object, dialect: Dialect, version: Option<Version>) -> impl Iterator<Item = &Json> {
    let applies = move |name: &str| {
        !is_definitions(name) && !version::ignores(version, object, name) && !is_beside_reference(dialect, object, name)
    };
    let members = object.iter().filter(move |(name, _)| applies(name));
    members.flat_map(|(name, value)| Subschemas::of(name, value).iter())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dialect_has_several_spellings() {
        let draft_07 = "http://json-schema.org/draft-07/schema#";
        for same in ["https://json-schema.org/draft-07/schema", "http://json-schema.org/schema#", draft_07] {
            assert!(is_same_dialect(draft_07, same) && is_same_dialect(same, draft_07), "{same}");
        }
        let others = ["http://json-schema.org/draft-06/schema#", "https://example.com/draft-07/schema", "", "#"];
        for other in others {
            assert!(!is_same_dialect(draft_07, other) && is_same_dialect(other, other), "{other}");
        }
    }

    #[test]
    fn a_uri_without_a_draft_is_known() {
        for (uri, expected) in [
            ("http://json-schema.org/schema#", Some(Dialect::Legacy)),
            ("https://json-schema.org/schema", Some(Dialect::Legacy)),
            ("http://json-schema.org/draft/2020-12/schema", Some(Dialect::Modern)),
            ("http://json-schema.org/hyper-schema#", None),
            ("json-schema.org/schema", None),
        ] {
            assert_eq!(Dialect::named(uri), expected, "{uri}");
        }
    }
}
