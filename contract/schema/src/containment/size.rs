//! The size of a witness: a smaller one is easier to read.

use crate::Json;

/// Sizes compare by the number of values first, then by the characters of their strings and names, then by the digits
/// of numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(super) struct Size {
    /// The number of values: the whole one, and every property and item in it.
    pub(super) values: u64,
    /// The code points of strings and of the names of properties.
    pub(super) characters: u64,
    /// The characters of numbers, without the sign. Zero has none.
    pub(super) digits: u64,
}

impl Size {
    /// The size of a value. The recursion is as deep as the value.
    pub(super) fn of(value: &Json) -> Self {
        let length = |text: &str| text.chars().count() as u64;
        let one = Size { values: 1, ..Self::default() };
        match value {
            Json::Null | Json::Bool(_) => one,
            Json::Number(number) if *number == crate::Number::ZERO => one,
            Json::Number(number) => Size { digits: number.to_string().trim_start_matches('-').len() as u64, ..one },
            Json::String(text) => Size { characters: length(text), ..one },
            Json::Array(items) => items.iter().fold(one, |size, item| size.plus(Size::of(item))),
            Json::Object(members) => members.iter().fold(one, |size, (name, member)| {
                size.plus(Size { characters: length(name), ..Self::default() }).plus(Size::of(member))
            }),
        }
    }

    /// The steps of the search that a copy takes: none for a small value, and for others about the time of a step for
    /// four values or 256 characters.
    pub(super) fn steps_of_copy(self) -> u64 {
        self.values / 4 + self.characters / 256
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            values: self.values.saturating_add(other.values),
            characters: self.characters.saturating_add(other.characters),
            digits: self.digits.saturating_add(other.digits),
        }
    }
}
