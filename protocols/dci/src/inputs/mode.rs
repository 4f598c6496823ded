//! The mode of a run.

use std::str::FromStr;

/// How strictly contracts are read and candidates are filtered. The default is [`Mode::BestEffort`] (section "Mode
/// default").
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    /// Values are compared as they are written. Invalid contracts and incompatible candidates are rejected.
    Strict,
    /// Identifiers are compared in lower case. Mistakes cost a part of the score.
    #[default]
    BestEffort,
}

impl Mode {
    /// `strict` or `best-effort`.
    pub const fn name(self) -> &'static str {
        match self {
            Mode::Strict => "strict",
            Mode::BestEffort => "best-effort",
        }
    }

    /// An identifier as it is compared in this mode: in best-effort, ASCII letters become lower case (decision 7).
    pub fn normalised(self, identifier: &str) -> String {
        match self {
            Mode::Strict => identifier.to_owned(),
            Mode::BestEffort => identifier.to_ascii_lowercase(),
        }
    }
}

/// The text is neither `strict` nor `best-effort`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvalidMode;

impl FromStr for Mode {
    type Err = InvalidMode;

    fn from_str(text: &str) -> Result<Self, InvalidMode> {
        [Mode::Strict, Mode::BestEffort].into_iter().find(|mode| mode.name() == text).ok_or(InvalidMode)
    }
}
