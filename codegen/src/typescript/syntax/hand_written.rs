//! Declarations whose text is written by hand, in TypeScript.

use std::borrow::Cow;

/// The lines of a function or constant. Their types are between `«` and `»`.
pub(in crate::typescript) struct HandWritten(pub(in crate::typescript) Vec<Cow<'static, str>>);

impl HandWritten {
    /// The types of a text, which empty lines separate. Their names start with `prefix` instead of `placeholder`.
    pub(in crate::typescript) fn types(text: &str, placeholder: &str, prefix: &str) -> impl Iterator<Item = Self> {
        let rename = move |line: &str| line.replace(placeholder, prefix).into();
        text.trim_end().split("\n\n").map(move |block| Self(block.lines().map(rename).collect()))
    }
}
