//! Declarations whose text is written by hand, in TypeScript.

use std::borrow::Cow;

/// The lines of a function or constant. Their types are between `«` and `»`.
pub(in crate::typescript) struct HandWritten(pub(in crate::typescript) Vec<Cow<'static, str>>);

impl HandWritten {
    /// The types of a text, which empty lines separate. Each name after the word `mark` becomes that of `rename`.
    pub(in crate::typescript) fn types(
        text: &str,
        mark: &'static str,
        rename: impl Fn(&str) -> String,
    ) -> impl Iterator<Item = Self> {
        let renamed = move |line: &str| -> Cow<'static, str> {
            let part = |(index, part): (usize, &str)| {
                let end = part.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(part.len());
                let (name, rest) = part.split_at(if index > 0 { end } else { 0 });
                [if index > 0 { rename(name) } else { String::new() }, rest.to_owned()]
            };
            line.split(mark).enumerate().flat_map(part).collect::<String>().into()
        };
        text.trim_end().split("\n\n").map(move |block| Self(block.lines().map(&renamed).collect()))
    }
}
