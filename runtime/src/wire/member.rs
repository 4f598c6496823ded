//! Enums: values from a closed set.

use capgen_schema::Json;
use serde_json::Value;

use super::Reader;

/// The error of parsing an enum from a text that is not one of its values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotInEnum;

impl std::fmt::Display for NotInEnum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("value not in enum")
    }
}

impl std::error::Error for NotInEnum {}

/// The member with this name.
///
/// # Errors
///
/// If no member has this name.
///
/// ```
/// let days = ["mon", "tue"];
/// assert_eq!(capgen::wire::find_name("tue", &days, |day| day), Ok("tue"));
/// assert!(capgen::wire::find_name("Tue", &days, |day| day).is_err());
/// ```
pub fn find_name<T: Copy>(text: &str, members: &[T], name: fn(T) -> &'static str) -> Result<T, NotInEnum> {
    members.iter().copied().find(|member| name(*member) == text).ok_or(NotInEnum)
}

impl Reader<'_> {
    /// Reads a string; `None` if it is not the name of a member.
    #[inline]
    pub fn member<T: Copy>(&mut self, members: &[T], name: fn(T) -> &'static str) -> Option<T> {
        let text = self.string()?;
        members.iter().copied().find(|member| name(*member) == text)
    }

    /// Reads a value; `None` if it equals no member. `json` returns the canonical text of a member.
    pub fn json_member<T: Copy>(&mut self, members: &[T], json: fn(T) -> &'static str) -> Option<T> {
        let value = self.value()?;
        let text = canonical(&value)?;
        let mut all = members.iter().copied();
        // Comparing texts is fast, but a binary64 number beyond 2^53 has more than one text.
        all.clone().find(|member| json(*member) == text).or_else(|| all.find(|member| equals(json(*member), &value)))
    }
}

fn equals(json: &str, value: &Value) -> bool {
    let json = serde_json::from_str::<Value>(json).ok().and_then(|json| Json::try_from(&json).ok());
    json.is_some_and(|json| json.equals(value))
}

/// The canonical text of a value. Equal values have equal texts, except for numbers beyond 2^53.
pub(super) fn canonical(value: &Value) -> Option<String> {
    Json::try_from(value).ok().map(|json| json.canonical())
}
