//! Policies: thresholds, limits, and the consequence of missing capabilities.

use std::cmp::Ordering;
use std::fmt;

use serde::{Serialize, Serializer};

use super::Mode;
use crate::Score;

/// A threshold between 0 and 1, with every digit that was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Threshold {
    /// The digits after the decimal point, without zeros at the end; `None` is 1.
    decimals: Option<Vec<u8>>,
}

impl Threshold {
    /// A threshold of hundredths, at most 100.
    pub(crate) fn hundredths(n: u8) -> Self {
        let decimals = (n < 100).then(|| trimmed(vec![n / 10, n % 10]));
        Self { decimals }
    }

    /// `[0-9]+(\.[0-9]+)?` between 0 and 1 (decision 8).
    fn parse(text: &str) -> Option<Self> {
        let (integer, decimals) = text.split_once('.').map_or((text, None), |(integer, rest)| (integer, Some(rest)));
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_digits(integer) || !decimals.is_none_or(is_digits) {
            return None;
        }
        let decimals = trimmed(decimals.unwrap_or("").bytes().map(|byte| byte - b'0').collect());
        match integer.trim_start_matches('0') {
            "" => Some(Self { decimals: Some(decimals) }),
            "1" if decimals.is_empty() => Some(Self { decimals: None }),
            _ => None,
        }
    }

    /// Whether the threshold is above `numerator / denominator`, compared exactly. The denominator is positive.
    pub fn is_above(&self, numerator: u64, denominator: u64) -> bool {
        let Some(decimals) = &self.decimals else { return numerator < denominator };
        if numerator >= denominator {
            return false;
        }
        // Long division: the first digit that differs decides.
        let mut rest = u128::from(numerator);
        for &digit in decimals {
            rest *= 10;
            match (rest / u128::from(denominator)).cmp(&u128::from(digit)) {
                Ordering::Less => return true,
                Ordering::Greater => return false,
                Ordering::Equal => rest %= u128::from(denominator),
            }
        }
        false
    }

    /// Whether a score is below the threshold.
    pub fn rejects(&self, score: Score) -> bool {
        let units = u64::try_from(score.units()).unwrap_or(0);
        self.is_above(units, Score::ONE.units().unsigned_abs())
    }

    /// The nearest multiple of 10^-6, for reports.
    pub fn shown(&self) -> Score {
        let Some(decimals) = &self.decimals else { return Score::ONE };
        // Rounded half to even at the sixth decimal, like every number of a report.
        let kept = decimals.iter().chain(std::iter::repeat(&0)).take(6);
        let millionths = kept.fold(0_i64, |number, &digit| number * 10 + i64::from(digit));
        let rest = decimals.get(6..).unwrap_or_default();
        let half = rest.cmp(&[5]);
        let is_up = half == Ordering::Greater || (half == Ordering::Equal && millionths % 2 == 1);
        Score::ratio(i128::from(millionths + i64::from(is_up)), 1_000_000)
    }
}

impl Serialize for Threshold {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.shown().serialize(serializer)
    }
}

impl PartialOrd for Threshold {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Threshold {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.decimals, &other.decimals) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            (Some(digits), Some(others)) => digits.cmp(others),
        }
    }
}

fn trimmed(mut digits: Vec<u8>) -> Vec<u8> {
    while digits.last() == Some(&0) {
        digits.pop();
    }
    digits
}

/// How many providers are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SelectionMode {
    /// The best candidate.
    Single,
    /// A set of candidates that covers the required capabilities.
    Cover,
}

impl SelectionMode {
    /// `single` or `cover`.
    pub const fn name(self) -> &'static str {
        match self {
            SelectionMode::Single => "single",
            SelectionMode::Cover => "cover",
        }
    }
}

/// The consequence of missing capabilities, the least strict first (section "Provider policy hints").
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnMissingRequired {
    /// They are emulated without a question.
    AutoEmulate,
    /// The user decides.
    OfferEmulation,
    /// The run fails.
    HardFail,
}

impl OnMissingRequired {
    /// `auto-emulate`, `offer-emulation` or `hard-fail`.
    pub const fn name(self) -> &'static str {
        match self {
            OnMissingRequired::AutoEmulate => "auto-emulate",
            OnMissingRequired::OfferEmulation => "offer-emulation",
            OnMissingRequired::HardFail => "hard-fail",
        }
    }
}

/// The policy of a run (section "DependentPolicy Defaults and Overrides").
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Policy {
    /// `min-total-score`: the minimum `S_total_final`.
    pub min_total_score: Threshold,
    /// `min-contract-score`: the minimum `S_contract`.
    pub min_contract_score: Threshold,
    /// `min-required-coverage`: the minimum part of the required capabilities that is covered.
    pub min_required_coverage: Threshold,
    /// `max-candidates`: the number of ranked candidates that are kept, at least 1.
    pub max_candidates: u32,
    /// `selection-mode`.
    pub selection_mode: SelectionMode,
    /// `max-providers`: the maximum size of a selected set, at least 1. It is used only in the selection mode `cover`.
    pub max_providers: u32,
    /// `max-dependency-depth`: the bound of the traversal of dependencies.
    pub max_dependency_depth: u32,
    /// `on-missing-required`.
    pub on_missing_required: OnMissingRequired,
}

impl Policy {
    /// The defaults of a mode (section "DependentPolicy Defaults and Overrides").
    pub fn defaults(mode: Mode) -> Self {
        let (coverage, on_missing_required) = match mode {
            Mode::Strict => (100, OnMissingRequired::HardFail),
            Mode::BestEffort => (60, OnMissingRequired::OfferEmulation),
        };
        Self {
            min_total_score: Threshold::hundredths(45),
            min_contract_score: Threshold::hundredths(30),
            min_required_coverage: Threshold::hundredths(coverage),
            max_candidates: 5,
            selection_mode: SelectionMode::Single,
            max_providers: 3,
            max_dependency_depth: 2,
            on_missing_required,
        }
    }

    /// This policy with the values that are overridden.
    pub fn with(&self, overrides: &Overrides) -> Self {
        Self {
            min_total_score: overrides.min_total_score.as_ref().unwrap_or(&self.min_total_score).clone(),
            min_contract_score: overrides.min_contract_score.as_ref().unwrap_or(&self.min_contract_score).clone(),
            min_required_coverage: overrides
                .min_required_coverage
                .as_ref()
                .unwrap_or(&self.min_required_coverage)
                .clone(),
            max_candidates: overrides.max_candidates.unwrap_or(self.max_candidates),
            selection_mode: overrides.selection_mode.unwrap_or(self.selection_mode),
            max_providers: overrides.max_providers.unwrap_or(self.max_providers),
            max_dependency_depth: overrides.max_dependency_depth.unwrap_or(self.max_dependency_depth),
            on_missing_required: overrides.on_missing_required.unwrap_or(self.on_missing_required),
        }
    }
}

/// A key or value of `Pol(...)` or of the caller that is not valid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum InvalidSetting {
    /// The key is not one of the allowed keys.
    UnknownKey,
    /// The value is not one of the key's values; the text states which values the key has.
    InvalidValue(&'static str),
}

impl fmt::Display for InvalidSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownKey => write!(f, "unknown key; the keys are {}", Overrides::KEYS.join(", ")),
            Self::InvalidValue(expected) => write!(f, "the value is not {expected}"),
        }
    }
}

impl std::error::Error for InvalidSetting {}

/// The values that a caller, or a contract with `Pol(...)`, sets.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Overrides {
    /// `min-total-score`.
    pub min_total_score: Option<Threshold>,
    /// `min-contract-score`.
    pub min_contract_score: Option<Threshold>,
    /// `min-required-coverage`.
    pub min_required_coverage: Option<Threshold>,
    /// `max-candidates`.
    pub max_candidates: Option<u32>,
    /// `selection-mode`.
    pub selection_mode: Option<SelectionMode>,
    /// `max-providers`.
    pub max_providers: Option<u32>,
    /// `max-dependency-depth`.
    pub max_dependency_depth: Option<u32>,
    /// `on-missing-required`.
    pub on_missing_required: Option<OnMissingRequired>,
}

impl Overrides {
    /// The keys, in the order of the specification.
    pub const KEYS: [&str; 8] = [
        "min-total-score",
        "min-contract-score",
        "min-required-coverage",
        "max-candidates",
        "selection-mode",
        "max-providers",
        "max-dependency-depth",
        "on-missing-required",
    ];

    /// These values, and those of another list for the other keys.
    pub(crate) fn or(&self, other: &Self) -> Self {
        Self {
            min_total_score: self.min_total_score.clone().or_else(|| other.min_total_score.clone()),
            min_contract_score: self.min_contract_score.clone().or_else(|| other.min_contract_score.clone()),
            min_required_coverage: self.min_required_coverage.clone().or_else(|| other.min_required_coverage.clone()),
            max_candidates: self.max_candidates.or(other.max_candidates),
            selection_mode: self.selection_mode.or(other.selection_mode),
            max_providers: self.max_providers.or(other.max_providers),
            max_dependency_depth: self.max_dependency_depth.or(other.max_dependency_depth),
            on_missing_required: self.on_missing_required.or(other.on_missing_required),
        }
    }

    /// The values that another list does not replace by different ones (decision 41).
    pub(crate) fn without(&self, other: &Self) -> Self {
        fn kept<T: Clone + PartialEq>(own: &Option<T>, other: &Option<T>) -> Option<T> {
            own.clone().filter(|own| other.as_ref().is_none_or(|other| other == own))
        }
        Self {
            min_total_score: kept(&self.min_total_score, &other.min_total_score),
            min_contract_score: kept(&self.min_contract_score, &other.min_contract_score),
            min_required_coverage: kept(&self.min_required_coverage, &other.min_required_coverage),
            max_candidates: kept(&self.max_candidates, &other.max_candidates),
            selection_mode: kept(&self.selection_mode, &other.selection_mode),
            max_providers: kept(&self.max_providers, &other.max_providers),
            max_dependency_depth: kept(&self.max_dependency_depth, &other.max_dependency_depth),
            on_missing_required: kept(&self.on_missing_required, &other.on_missing_required),
        }
    }

    /// Sets the value of a key from its text (decision 8). A key that is already set gets the new value.
    ///
    /// # Errors
    ///
    /// The key is unknown, or the value is not one of its values. Nothing is changed then.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), InvalidSetting> {
        const THRESHOLD: &str = "a decimal number between 0 and 1";
        const COUNT: &str = "an integer between 1 and 4294967295";
        let threshold = || Threshold::parse(value).ok_or(InvalidSetting::InvalidValue(THRESHOLD));
        let count = || number(value).filter(|n| *n > 0).ok_or(InvalidSetting::InvalidValue(COUNT));
        match key {
            "min-total-score" => self.min_total_score = Some(threshold()?),
            "min-contract-score" => self.min_contract_score = Some(threshold()?),
            "min-required-coverage" => self.min_required_coverage = Some(threshold()?),
            "max-candidates" => self.max_candidates = Some(count()?),
            "max-providers" => self.max_providers = Some(count()?),
            "max-dependency-depth" => {
                let depth = number(value).ok_or(InvalidSetting::InvalidValue("an integer between 0 and 4294967295"))?;
                self.max_dependency_depth = Some(depth);
            }
            "selection-mode" => {
                let modes = [SelectionMode::Single, SelectionMode::Cover];
                let mode = modes.into_iter().find(|mode| mode.name() == value);
                self.selection_mode = Some(mode.ok_or(InvalidSetting::InvalidValue("`single` or `cover`"))?);
            }
            "on-missing-required" => {
                let values =
                    [OnMissingRequired::HardFail, OnMissingRequired::OfferEmulation, OnMissingRequired::AutoEmulate];
                let value = values.into_iter().find(|known| known.name() == value);
                let expected = "`hard-fail`, `offer-emulation` or `auto-emulate`";
                self.on_missing_required = Some(value.ok_or(InvalidSetting::InvalidValue(expected))?);
            }
            _ => return Err(InvalidSetting::UnknownKey),
        }
        Ok(())
    }
}

/// `[0-9]+` up to 4294967295.
fn number(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_compared_exactly() {
        let threshold = |text| Threshold::parse(text).unwrap();
        assert!(!threshold("0.666666666").is_above(2, 3));
        assert!(threshold("0.666666667").is_above(2, 3));
        assert!(!threshold("0.66666666666666666666666666666").is_above(2, 3));
        assert!(threshold("1.000").is_above(999_999, 1_000_000));
        assert!(!threshold("1").is_above(1, 1));
        assert!(!threshold("0").is_above(0, 1));
        assert!(threshold("0.45").rejects(Score::thousandths(449)));
        assert!(!threshold("000.450").rejects(Score::thousandths(450)));
        assert_eq!(threshold("0.450"), Threshold::hundredths(45));
        assert!(threshold("0.5") > threshold("0.45"));
    }

    #[test]
    fn values_outside_of_their_range_are_invalid() {
        for text in ["", ".5", "1.", "-0", "1.01", "2", "0,5", "1e-1", "+1", "٣"] {
            assert_eq!(Threshold::parse(text), None, "{text}");
        }
        let mut overrides = Overrides::default();
        for (key, value) in [
            ("max-candidates", "0"),
            ("max-candidates", "4294967296"),
            ("max-providers", "+1"),
            ("max-dependency-depth", ""),
            ("selection-mode", "Cover"),
            ("on-missing-required", "fail"),
        ] {
            assert!(matches!(overrides.set(key, value), Err(InvalidSetting::InvalidValue(_))), "{key}={value}");
        }
        assert_eq!(overrides.set("Max-Candidates", "1"), Err(InvalidSetting::UnknownKey));
        assert_eq!(overrides, Overrides::default());
        overrides.set("max-candidates", "007").unwrap();
        assert_eq!(overrides.max_candidates, Some(7));
    }

    #[test]
    fn reports_show_thresholds_with_six_decimals() {
        let shown = |text| serde_json::to_string(&Threshold::parse(text).unwrap()).unwrap();
        assert_eq!(shown("0.45"), "0.45");
        assert_eq!(shown("0.9999999"), "1");
        assert_eq!(shown("0.0000005"), "0");
        assert_eq!(shown("0.0000015"), "2e-6");
        assert_eq!(shown("0.00000050000000000001"), "1e-6");
        assert_eq!(shown("1.0"), "1");
    }
}
