//! Formats that are annotations, as the later drafts of JSON Schema define them by default.

use super::number::{Types, integer_formats, is_ranged};
use super::places::{map_subschemas, visit_subschemas};
use crate::format::pattern::{EQUIVALENTS, equivalent};
use crate::{Format, Json, MAX_WALK_DEPTH, Object, pointer};

/// At most this many places are listed. More than a user reads.
const MAX_PLACES: usize = 1000;
/// The pointers of the places have at most this many bytes together: one can be as long as the schema.
const MAX_POINTER_BYTES: usize = 1 << 20;

/// The names of the formats that [`normalise`](super::normalise()) translates to assertions: those of the subset, those
/// of integers, and those that are patterns.
///
/// ```
/// assert!(capgen_schema::checked_formats().any(|name| name == "int32"));
/// ```
pub fn checked_formats() -> impl Iterator<Item = &'static str> {
    Format::ALL.into_iter().map(Format::name).chain(integer_formats()).chain(EQUIVALENTS)
}

/// The pointers of the first thousand formats in a schema that are assertions of its translation.
///
/// Takes time linear in the schema.
///
/// ```
/// use capgen_schema::{Json, places_of_checked_formats};
/// let schema: Json = r#"{"properties": {"a": {"format": "date"}, "b": {"format": "snowflake"}}}"#.parse()?;
/// assert_eq!(places_of_checked_formats(&schema), ["/properties/a/format"]);
/// # Ok::<(), capgen_schema::JsonTextError>(())
/// ```
#[must_use]
pub fn places_of_checked_formats(schema: &Json) -> Vec<String> {
    let mut places = Vec::new();
    let mut room = MAX_POINTER_BYTES;
    let mut found = |at: &str| {
        let left = room.checked_sub(at.len()).filter(|_| places.len() < MAX_PLACES);
        if let Some(left) = left {
            room = left;
            places.push(pointer::join(at, "format"));
        }
    };
    visit(schema, &mut String::new(), 0, &mut found);
    places
}

/// `at` is the pointer of the schema.
fn visit(schema: &Json, at: &mut String, depth: usize, found: &mut dyn FnMut(&str)) {
    let Some(object) = schema.as_object().filter(|_| depth <= MAX_WALK_DEPTH) else { return };
    if format_of(object).is_some_and(|name| is_checked(object, name)) {
        found(at);
    }
    for (name, value) in object {
        visit_subschemas(name, value, depth == 0, at, &mut |child, at| visit(child, at, depth + 1, found));
    }
}

/// The schema with `x-format` in place of each `format` that is an annotation; `None` if there is none.
///
/// Takes time linear in the schema.
///
/// ```
/// use capgen_schema::{Json, annotate_formats};
/// let schema: Json = r#"{"items": {"format": "date-time"}, "format": "uuid"}"#.parse()?;
/// let annotated = annotate_formats(&schema, &|name| name == "date-time").ok_or("no format")?;
/// assert_eq!(annotated, r#"{"items": {"x-format": "date-time"}, "format": "uuid"}"#.parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn annotate_formats(schema: &Json, is_annotation: &dyn Fn(&str) -> bool) -> Option<Json> {
    let mut is_changed = false;
    let annotated = annotated(schema, is_annotation, 0, &mut is_changed);
    is_changed.then_some(annotated)
}

fn annotated(schema: &Json, is_annotation: &dyn Fn(&str) -> bool, depth: usize, is_changed: &mut bool) -> Json {
    let Some(object) = schema.as_object().filter(|_| depth <= MAX_WALK_DEPTH) else { return schema.clone() };
    let is_annotated = format_of(object).is_some_and(is_annotation);
    *is_changed |= is_annotated;
    let member = |(name, value): &(String, Json)| match name.as_str() {
        "format" if is_annotated => Some(("x-format".to_owned(), value.clone())),
        // `format` is a keyword of the dialect, and this one is an extension.
        "x-format" if is_annotated => None,
        _ => {
            let value = map_subschemas(name, value, depth == 0, &mut |_, child| {
                annotated(child, is_annotation, depth + 1, is_changed)
            });
            Some((name.clone(), value))
        }
    };
    Json::Object(object.iter().filter_map(member).collect())
}

fn format_of(object: &Object) -> Option<&str> {
    object.get("format").and_then(Json::as_str)
}

/// Whether the format is an assertion of the translation.
fn is_checked(object: &Object, name: &str) -> bool {
    let is_text = Format::from_name(name).is_some() || equivalent(name).is_some();
    (is_text && Types::of(object).allow("string")) || is_ranged(object)
}
