//! Values and texts in messages about payloads: of validation, of conversions, and of generated code, which has the
//! same messages.

use crate::Json;

/// A message shows at most this many members of an `enum`. The first ones show which kind of value is expected.
pub const MAX_LISTED: usize = 16;

/// A message shows this many code points of a value or text. Longer ones are prose, and their start identifies them.
pub const MAX_QUOTED: usize = 64;

/// A text as JSON, of which `limit` code points are shown.
///
/// ```
/// use capgen_schema::message_text::quote;
/// assert_eq!(quote("a \"b\"", 64), r#""a \"b\"""#);
/// assert_eq!(quote("abc", 2), r#""ab"..."#);
/// ```
#[must_use]
pub fn quote(text: &str, limit: usize) -> String {
    let mut chars = text.chars();
    let shown = Json::String(chars.by_ref().take(limit).collect()).canonical();
    if chars.next().is_none() { shown } else { shown + "..." }
}

/// The first `limit` code points of a text, such as that of a number.
#[must_use]
pub fn cut(text: String, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// A value of a schema as JSON, of which `limit` code points are shown; of a string, without its quotation marks.
#[must_use]
pub fn literal(value: &Json, limit: usize) -> String {
    value.as_str().map_or_else(|| cut(value.canonical(), limit), |text| quote(text, limit))
}

/// A list of texts of values, of which the first [`MAX_LISTED`] are shown. Further ones are not made.
///
/// ```
/// use capgen_schema::message_text::list;
/// assert_eq!(list(["1", "2"].map(str::to_owned)), "[1,2]");
/// assert!(list((0..).map(|number| number.to_string())).ends_with(",15,...]"));
/// ```
#[must_use]
pub fn list(texts: impl IntoIterator<Item = String>) -> String {
    let mut texts = texts.into_iter();
    let shown: Vec<String> = texts.by_ref().take(MAX_LISTED).collect();
    let more = if texts.next().is_some() { ",..." } else { "" };
    format!("[{}{more}]", shown.join(","))
}
