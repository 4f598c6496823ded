//! Values of one of several types, kept as they are.

use serde_json::Value;

use super::{Codec, Reader, Writer};

/// The value as one of the types that it may have, where it can be read as that. Copies it.
///
/// ```
/// assert_eq!(capgen::wire::branch::<bool>(&serde_json::json!(1)), None);
/// assert_eq!(capgen::wire::branch(&serde_json::json!([true])), Some(vec![true]));
/// ```
#[must_use]
pub fn branch<T: Codec>(value: &Value) -> Option<T> {
    Reader::new(&value.to_string()).whole()
}

/// The JSON of a value; a number that is not finite is `null`, and so is what is nested deeper than 128 levels.
///
/// ```
/// assert_eq!(capgen::wire::to_value(&vec![1_i64, 2]), serde_json::json!([1, 2]));
/// ```
#[must_use]
pub fn to_value<T: Codec>(value: &T) -> Value {
    let mut writer = Writer::unchecked();
    let written = value.write(&mut writer);
    let text = String::from_utf8(writer.into_text()).unwrap_or_default();
    written.and_then(|()| Reader::unchecked(&text).value()).unwrap_or_default()
}
