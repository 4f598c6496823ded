//! The types of content of a body.

use capgen_schema::{Json, Object};

/// A kind of content, in the order of preference.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Media(u8);

/// The types of content of the kind that serves best.
pub(super) struct Chosen<'d> {
    pub(super) kind: Media,
    pub(super) types: Vec<(&'d str, &'d Json)>,
}

impl Media {
    /// `application/json`, a type with the suffix `+json`, or any type.
    pub(super) const JSON: Self = Self(0);
    /// The fields of a form.
    pub(super) const FORM: Self = Self(2);
    /// A range of types that includes JSON, which counts if there is no type of JSON itself.
    const ANY: Self = Self(1);
    const OTHER: Self = Self(3);

    fn of(name: &str) -> Self {
        let essence = name.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match essence.as_str() {
            "application/json" => Self::JSON,
            name if name.ends_with("+json") => Self::JSON,
            "*/*" | "application/*" => Self::ANY,
            "application/x-www-form-urlencoded" | "multipart/form-data" => Self::FORM,
            _ => Self::OTHER,
        }
    }

    /// Whether values of a type are neither JSON nor a form.
    pub(crate) fn is_other(name: &str) -> bool {
        Self::of(name) == Self::OTHER
    }

    /// Whether values of a type are text, whatever their schema is.
    pub(crate) fn is_text(name: &str) -> bool {
        name.trim().to_ascii_lowercase().starts_with("text/")
    }

    /// Whether a schema is that of a string.
    pub(crate) fn is_string(schema: &Json) -> bool {
        let is_name = |ty: &Json| ty.as_str() == Some("string");
        let is_listed = |types: &Json| types.as_array().is_some_and(|types| types.iter().any(is_name));
        schema.get("type").is_some_and(|types| is_name(types) || is_listed(types))
    }

    /// The types of the best kind. A caller chooses the type, so the others need not be described.
    pub(super) fn most_useful(content: &Object) -> Chosen<'_> {
        let kind = content.iter().map(|(name, _)| Self::of(name)).min().unwrap_or(Self::OTHER);
        let types = content.iter().filter(|(name, _)| Self::of(name) == kind);
        let types = types.map(|(name, media_type)| (name.as_str(), media_type)).collect();
        Chosen { kind: if kind == Self::ANY { Self::JSON } else { kind }, types }
    }
}
