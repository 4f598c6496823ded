//! Keywords in the form that another draft gives them.
//!
//! Their authors plainly mean that form, so they are read so, with a warning.

use super::dialect::{Dialect, is_openapi_3_0};
use super::lossy::Reading;
use super::version::{self, Version};
use super::walk::{Draft, Walk};
use crate::{Json, MAX_WALK_DEPTH, Object, Subschemas, pointer};

/// The forms that a dialect gives to keywords which have several.
#[derive(Clone, Copy)]
pub(super) struct Forms {
    /// The draft that `$schema` declares.
    version: Option<Version>,
    /// Whether `exclusiveMinimum` and `exclusiveMaximum` are `true` or `false` instead of a number; `None` if they may
    /// be either, because no draft is declared.
    has_flags: Option<bool>,
}

impl Forms {
    /// By the value of `$schema`, and whether the root has `$defs`, which is a keyword of later drafts.
    fn named(uri: Option<&str>, has_defs: bool) -> Self {
        let version = uri.and_then(Version::named);
        let has_flags = match (version, uri) {
            (Some(version), _) => Some(version == Version::Draft04),
            (None, Some(uri)) if is_openapi_3_0(uri) => Some(true),
            (None, Some(uri)) => (Dialect::named(uri) == Some(Dialect::Modern)).then_some(false),
            (None, None) => has_defs.then_some(false),
        };
        Self { version, has_flags }
    }

    pub(super) fn of(root: &Json) -> Self {
        Self::named(root.get("$schema").and_then(Json::as_str), root.get("$defs").is_some())
    }

    /// Why a keyword has the form of another draft; `None` if it has that of the dialect.
    fn other_form(self, name: &str, value: &Json) -> Option<&'static str> {
        match (name, value) {
            ("items", Json::Array(_)) if self.version == Some(Version::Draft2020) => Some(
                "a list in `items` is the form of draft 2019-09 and earlier: it is read as `prefixItems`, and \
                 `additionalItems` as `items`",
            ),
            ("exclusiveMinimum" | "exclusiveMaximum", Json::Bool(_)) if self.has_flags == Some(false) => {
                Some("`true` and `false` are the form of draft-04 and OpenAPI 3.0, and are read so")
            }
            ("exclusiveMinimum" | "exclusiveMaximum", Json::Number(_)) if self.has_flags == Some(true) => {
                Some("a number is the form of draft-06 and later, and of OpenAPI 3.1: it is read as the bound")
            }
            _ => None,
        }
    }

    /// Whether a subschema of a keyword is `true` or `false`, although the dialect allows them only for additional
    /// values.
    fn is_boolean_of_others(self, keyword: &str, schema: &Json) -> bool {
        let is_allowed = || ["additionalItems", "additionalProperties"].contains(&keyword);
        matches!(schema, Json::Bool(_)) && self.version == Some(Version::Draft04) && !is_allowed()
    }
}

impl<'a> Walk<'a> {
    /// Notes that a keyword has the form of another draft.
    pub(super) fn note_form(&mut self, draft: &Draft<'a>, name: &str, value: &Json) {
        if let Some(reason) = self.forms.other_form(name, value) {
            self.note(Reading::OtherForm, draft.at(name), reason.to_owned(), name);
        }
    }

    /// Notes that a subschema of draft-04 is `true` or `false`, which it allows only for additional values. `token` is
    /// the rest of the place, below the keyword.
    pub(super) fn note_boolean(&mut self, draft: &Draft<'a>, keyword: &str, token: Option<&str>, schema: &Json) {
        if self.forms.is_boolean_of_others(keyword, schema) {
            let at = draft.at(keyword);
            let at = token.map_or(at.clone(), |token| pointer::join(&at, token));
            let reason = "`true` and `false` are schemas of draft-06 and later, and are read so".to_owned();
            self.note(Reading::OtherForm, at, reason, keyword);
        }
    }
}

/// Whether a schema has keywords that the draft of its `$schema` ignores, or keywords in the form of another draft, so
/// that [`normalise`](super::normalise()) does not read it by the letter. `dialect` is the `$schema` of a schema that
/// has none.
///
/// Takes time linear in the schema.
///
/// ```
/// use capgen_schema::{Json, has_keywords_of_other_drafts};
/// let schema: Json = r#"{"dependentRequired": {"a": ["b"]}}"#.parse()?;
/// assert!(has_keywords_of_other_drafts(&schema, Some("http://json-schema.org/draft-07/schema#")));
/// assert!(!has_keywords_of_other_drafts(&schema, None));
/// # Ok::<(), capgen_schema::JsonTextError>(())
/// ```
#[must_use]
pub fn has_keywords_of_other_drafts(schema: &Json, dialect: Option<&str>) -> bool {
    let declared = schema.get("$schema").and_then(Json::as_str).or(dialect);
    let forms = Forms::named(declared, schema.get("$defs").is_some());
    let is_free = forms.version.is_none() && forms.has_flags.is_none();
    !is_free && schema.as_object().is_some_and(|object| differs(object, forms, 0))
}

fn differs(object: &Object, forms: Forms, depth: usize) -> bool {
    object.iter().any(|(name, value)| {
        let below = |schema: &Json| {
            let object = schema.as_object().filter(|_| depth < MAX_WALK_DEPTH);
            forms.is_boolean_of_others(name, schema) || object.is_some_and(|object| differs(object, forms, depth + 1))
        };
        version::ignores(forms.version, object, name)
            || forms.other_form(name, value).is_some()
            || Subschemas::of(name, value).iter().any(below)
    })
}
