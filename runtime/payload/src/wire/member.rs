//! Enums: values from a closed set.

use capgen_schema::Json;
use capgen_schema::message_text::{MAX_LISTED, MAX_QUOTED, list, quote};

use super::Reader;

/// The error of converting a text into an enum that does not have it.
///
/// Its message lists the first 16 values, each up to 64 code points. It does not contain the text.
///
/// ```
/// let error = capgen::wire::find_name("wed", &["mon", "tue"], |day| day).unwrap_err();
/// assert_eq!(error.to_string(), r#"value not in enum ["mon","tue"]"#);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotInEnum {
    /// The first values, and one more if there are more.
    names: Vec<&'static str>,
}

impl std::fmt::Display for NotInEnum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.names.iter().map(|name| quote(name, MAX_QUOTED));
        write!(f, "value not in enum {}", list(names))
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
    let found = members.iter().copied().find(|member| name(*member) == text);
    found.ok_or_else(|| NotInEnum { names: members.iter().copied().take(MAX_LISTED + 1).map(name).collect() })
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
        let text = self.exact_value()?.0.canonical();
        let mut all = members.iter().copied();
        // Comparing texts is fast, but code that is not generated may have texts in another form.
        let has_value = |member: &T| json(*member).parse().is_ok_and(|value: Json| value.canonical() == text);
        all.clone().find(|member| json(*member) == text).or_else(|| all.find(has_value))
    }
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_short_however_many_and_long_the_values_are() {
        let names: Vec<&str> = vec!["x"; 1000];
        let message = find_name("y", &names, |name| name).unwrap_err().to_string();
        assert_eq!(message, format!("value not in enum [{}...]", "\"x\",".repeat(16)));
        let long: &str = Box::leak("\u{1}".repeat(1000).into_boxed_str());
        let message = find_name("y", &[long], |name| name).unwrap_err().to_string();
        assert_eq!(message, format!("value not in enum [\"{}\"...]", "\\u0001".repeat(64)));
    }
}
