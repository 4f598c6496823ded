//! Profiles: numbers for runs over skills as they are published (decision 41).

use std::str::FromStr;

use super::{Overrides, Threshold};

/// The numbers of a run that the caller and the consumer do not set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Profile {
    /// Those of the specification.
    #[default]
    Rfc,
    /// Lower thresholds, so that a skill without a contract can be selected, and a rule by which an honest provider
    /// that is the only one is not `contract-inflated`.
    Practical,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Profile; 2] = [Profile::Rfc, Profile::Practical];

    /// `rfc` or `practical`.
    pub const fn name(self) -> &'static str {
        match self {
            Profile::Rfc => "rfc",
            Profile::Practical => "practical",
        }
    }

    /// The values that it sets as the caller would. A value of the caller replaces them.
    pub(crate) fn overrides(self) -> Overrides {
        match self {
            Profile::Rfc => Overrides::default(),
            // A skill without a contract has the contract score 0.25 at most. With the best description, and without
            // its name, its total is 0.6 * 0.25 + 0.2 + 0.1 = 0.45; 0.40 leaves some room for descriptions that are not
            // the best.
            Profile::Practical => Overrides {
                min_contract_score: Some(Threshold::hundredths(25)),
                min_total_score: Some(Threshold::hundredths(40)),
                ..Overrides::default()
            },
        }
    }
}

/// The text is neither `rfc` nor `practical`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvalidProfile;

impl FromStr for Profile {
    type Err = InvalidProfile;

    fn from_str(text: &str) -> Result<Self, InvalidProfile> {
        Self::ALL.into_iter().find(|profile| profile.name() == text).ok_or(InvalidProfile)
    }
}
