//! Members of closed sets of values.

use capgen_schema::Json;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::Error;

/// The member of that name.
///
/// # Errors
///
/// Where there is none.
///
/// ```
/// let days = ["mon", "tue"];
/// assert_eq!(capgen::wire::find_name("tue", &days, |day| day), Ok("tue"));
/// assert!(capgen::wire::find_name("Tue", &days, |day| day).is_err());
/// ```
pub fn find_name<T: Copy>(text: &str, members: &[T], name: fn(T) -> &'static str) -> Result<T, Error> {
    members.iter().copied().find(|member| name(*member) == text).ok_or_else(no_member)
}

/// The member whose name a string is.
///
/// # Errors
///
/// Where the value is no string, or no member has that name.
///
/// ```
/// let days = ["mon", "tue"];
/// assert_eq!(capgen::wire::read_name(serde_json::json!("tue"), &days, |day| day), Ok("tue"));
/// ```
#[expect(clippy::needless_pass_by_value, reason = "every reading function takes the value")]
pub fn read_name<T: Copy>(value: Value, members: &[T], name: fn(T) -> &'static str) -> Result<T, Error> {
    match &value {
        Value::String(text) => find_name(text, members, name),
        other => Err(Error::expected("a string", other)),
    }
}

/// The member that a value equals; `json` gives a member's canonical text.
///
/// # Errors
///
/// Where there is none.
///
/// ```
/// let levels = ["1", "2", "null"];
/// assert_eq!(capgen::wire::read_member(serde_json::json!(2.0), &levels, |level| level), Ok("2"));
/// ```
#[expect(clippy::needless_pass_by_value, reason = "every reading function takes the value")]
pub fn read_member<T: Copy>(value: Value, members: &[T], json: fn(T) -> &'static str) -> Result<T, Error> {
    let text = canonical(&value).ok_or_else(no_member)?;
    find_name(&text, members, json).or_else(|error| {
        // A binary64 beyond 2^53 has more than one text.
        members.iter().copied().find(|member| equals(json(*member), &value)).ok_or(error)
    })
}

fn equals(json: &str, value: &Value) -> bool {
    let json = serde_json::from_str::<Value>(json).ok().and_then(|json| Json::try_from(&json).ok());
    json.is_some_and(|json| json.equals(value))
}

/// Writes the value of a JSON text.
///
/// # Errors
///
/// Where the text is no JSON, or the serializer fails.
///
/// ```
/// let value = capgen::wire::write_member("[1]", serde_json::value::Serializer)?;
/// assert_eq!(value, serde_json::json!([1]));
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn write_member<S: Serializer>(json: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let value: Value = serde_json::from_str(json).map_err(serde::ser::Error::custom)?;
    value.serialize(serializer)
}

/// The canonical text of a value; equal values have equal texts.
pub(super) fn canonical(value: &Value) -> Option<String> {
    Json::try_from(value).ok().map(|json| json.canonical())
}

#[cold]
fn no_member() -> Error {
    Error::new("value not in enum")
}
