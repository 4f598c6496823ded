//! Unions whose value is kept as JSON, because more than one branch may match.

use serde_json::Value;

use super::{Codec, Reader, Writer};

/// The value as the type of a branch; `None` if it does not match that type. Copies the value.
///
/// ```
/// assert_eq!(capgen::wire::branch::<bool>(&serde_json::json!(1)), None);
/// assert_eq!(capgen::wire::branch(&serde_json::json!([true])), Some(vec![true]));
/// ```
#[must_use]
pub fn branch<T: Codec>(value: &Value) -> Option<T> {
    Reader::new(&value.to_string()).whole()
}

/// The JSON of a value. A number that is not finite becomes `null`; a value nested deeper than 128 levels becomes
/// `null` as a whole.
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
