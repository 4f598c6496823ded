//! Annotations: kept, renamed, or dropped.

use capgen_diagnostic::quoted;

use super::Dialect;
use super::lossy::Reading;
use super::walk::{Draft, Walk};
use crate::parse::advice::{self, cut};
use crate::{Json, Object};

/// The `$schema` of the output.
const DRAFT_07: &str = "http://json-schema.org/draft-07/schema#";

/// Annotations that are not part of the subset.
const DROPPED: [&str; 9] = [
    "$anchor",
    "$dynamicAnchor",
    "$vocabulary",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "discriminator",
    "externalDocs",
    "xml",
];

/// Whether a keyword is an annotation that neither validation nor generated code can use.
pub(super) fn is_dropped(name: &str) -> bool {
    DROPPED.contains(&name) || name.starts_with("x-")
}

impl<'a> Walk<'a> {
    /// A keyword that is not an assertion, or is unknown.
    pub(super) fn annotation(&mut self, draft: &mut Draft<'a>, name: &str, value: &'a Json) {
        match (name, value) {
            ("$schema", Json::String(uri)) => self.dialect(draft, uri),
            ("$id" | "id", Json::String(id)) if id.starts_with('#') && draft.depth > 0 => {}
            // Drafts 4 to 7 ignore it there, so it changes no base URI.
            ("$id", Json::String(_)) if draft.depth > 0 && self.ignores_siblings(draft) => {
                let reason = "`$id` next to `$ref` is ignored, as drafts 4 to 7 say".to_owned();
                self.note(Reading::Ignored, draft.at(name), reason, name);
            }
            ("id", Json::String(_)) if draft.depth == 0 && is_draft_04(draft.object) => self.copy(draft, "$id", value),
            // Tools that ignore them accept any value.
            ("readOnly" | "writeOnly", value) if !matches!(value, Json::Bool(_)) => {}
            ("deprecated", value) if !matches!(value, Json::Bool(_)) => self.reject(draft, name),
            ("example", _) => {
                if draft.get("examples").is_none() && crate::parse::depth_is_within_limit(value) {
                    draft.push_json("examples", Json::Array(vec![value.clone()]));
                }
            }
            // An extension of another tool may have this name, too.
            ("x-format", value) if value.as_str().is_none() || draft.object.get("format").is_some() => {}
            _ if crate::parse::is_annotation(name) => self.copy(draft, name, value),
            _ if is_dropped(name) => {}
            _ if advice::is_probable_mistake(name) => self.reject(draft, name),
            _ => {
                let reason = format!("{} is not a keyword of JSON Schema, so it asserts nothing", quoted(&cut(name)));
                self.note(Reading::UnknownKeyword, draft.at(name), reason, name);
            }
        }
    }

    fn dialect(&mut self, draft: &mut Draft<'a>, uri: &str) {
        let is_draft_07 = uri.contains("/draft-07/");
        let uri = match Dialect::named(uri) {
            // Translated, so the output is draft-07. A subschema in a different dialect than the root is not supported;
            // it keeps its `$schema`, which the loader rejects.
            Some(dialect) if dialect == self.dialect && !is_draft_07 => DRAFT_07,
            _ => uri,
        };
        draft.push_json("$schema", Json::String(uri.to_owned()));
    }
}

fn is_draft_04(object: &Object) -> bool {
    object.get("$schema").and_then(Json::as_str).is_some_and(|uri| uri.contains("/draft-04/"))
}
