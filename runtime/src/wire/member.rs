//! Enums: values from a closed set.

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
        let text = self.exact_value()?.canonical();
        members.iter().copied().find(|member| json(*member) == text)
    }
}
