//! Values of one of several types.

use serde::Serialize;
use serde_json::Value;

use super::{Read, member};

/// The string at an object's property, where there is one.
///
/// ```
/// let value = serde_json::json!({"kind": "circle"});
/// assert_eq!(capgen::wire::tag(&value, "kind"), Some("circle"));
/// ```
#[must_use]
pub fn tag<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str()
}

/// The canonical text of the value at an object's property; empty where it has none.
///
/// ```
/// let value = serde_json::json!({"version": 2.0});
/// assert_eq!(capgen::wire::tag_json(&value, "version"), "2");
/// ```
#[must_use]
pub fn tag_json(value: &Value, name: &str) -> String {
    value.get(name).and_then(member::canonical).unwrap_or_default()
}

/// The value as one of the types it may have.
///
/// ```
/// assert_eq!(capgen::wire::branch::<bool>(&serde_json::json!(1)), None);
/// ```
#[must_use]
pub fn branch<T: Read>(value: &Value) -> Option<T> {
    T::read(value.clone()).ok()
}

/// The JSON of a value that cannot fail to be written.
///
/// ```
/// assert_eq!(capgen::wire::to_value(&[1, 2]), serde_json::json!([1, 2]));
/// ```
#[must_use]
pub fn to_value<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}
