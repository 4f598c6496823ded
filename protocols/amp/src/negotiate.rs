//! Negotiation of versions (section 6.3).

use std::fmt;

use capgen_diagnostic::quoted;
use semver::Version;

use crate::body::Hints;
use crate::version::{CapabilityId, Range};

/// The compatibility policy of a provider (section 8, decision 9).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Mode {
    /// `strict`: only exact versions. The `range` of hints is not used.
    Strict,
    /// `range`: as in section 6.3. In addition, `supported_ranges` serve requested versions that are not published.
    #[default]
    Range,
    /// `bridge`: as `range`. In addition, registered adapters serve requested versions that nothing else serves.
    Bridge,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Self; 3] = [Self::Strict, Self::Range, Self::Bridge];

    /// `strict`, `range` or `bridge`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Range => "range",
            Self::Bridge => "bridge",
        }
    }
}

/// A published version that the caller may use.
#[derive(Clone, Copy, Debug)]
pub struct Offer<'a> {
    /// The version.
    pub version: &'a Version,
    /// The `supported_ranges` of its descriptor; empty if it has none.
    pub supported: &'a [Range],
}

/// The versions that a requester wants.
#[derive(Clone, Copy, Debug)]
pub enum Request<'a> {
    /// A version, which is compared by precedence (decision 7).
    Exact(&'a Version),
    /// An id, whose version is compared by its bytes (decision 7). The offers are versions of its name.
    Id(&'a CapabilityId),
    /// Hints.
    Hints(&'a Hints),
}

/// A selected offer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selected {
    /// Its index in the offers.
    pub index: usize,
    /// The rule that selected it.
    pub rule: Rule,
}

/// The rules that select a version, in the order in which they apply. [`Display`](fmt::Display) explains the selection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rule {
    /// The requested version is offered.
    Exact,
    /// The preferred version is offered.
    Preferred,
    /// This acceptable version is the first one that is offered; the number is its index.
    Acceptable(usize),
    /// It is the highest offer in the range of the hints.
    Range,
    /// It is the highest offer of the same major version whose `supported_ranges` contain the requested version.
    SupportedRange,
    /// It is the highest offer for which there is an adapter from the requested version.
    Adapter {
        /// The requested version.
        from: Version,
    },
}

/// No offer matches: 4003. [`Display`](fmt::Display) states for each rule why it does not match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// The reasons, one for each rule that was applied, in their order.
    pub reasons: Vec<String>,
}

/// Selects a version: the algorithm of section 6.3, and the additions of decision 9.
///
/// The result depends on the set of offers and not on their order. If several have the same precedence, a version that
/// is equal in every byte comes first, then the one with the highest build metadata in the order of [`Version`], then
/// the first one.
///
/// Hints are never widened by `supported_ranges` or adapters: they are a list of versions that the requester can use,
/// and one of these that is offered serves it without a conversion. An adapter converts `params` from one known
/// version, which only a requested version states.
///
/// Takes time O((n + m) log n) for n offers and m acceptable versions, and in mode `bridge` one call of `has_adapter`
/// for each offer.
///
/// # Errors
///
/// See [`Mismatch`].
///
/// ```
/// use capgen_amp::body::Hints;
/// use capgen_amp::negotiate::{Mode, Offer, Request, Rule, negotiate};
/// let (old, new) = ("2.0.0".parse()?, "2.1.0".parse()?);
/// let offers = [&old, &new].map(|version| Offer { version, supported: &[] });
/// let hints = Hints { preferred: Some("2.2.0".parse()?), acceptable: vec![new.clone(), old.clone()], range: None };
/// let selected = negotiate(Mode::Range, Request::Hints(&hints), &offers, &|_, _| false)?;
/// assert_eq!((selected.index, selected.rule), (1, Rule::Acceptable(0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn negotiate(
    mode: Mode,
    request: Request<'_>,
    offers: &[Offer<'_>],
    has_adapter: &dyn Fn(&Version, &Version) -> bool,
) -> Result<Selected, Mismatch> {
    let offers = Offers::new(offers);
    match request {
        Request::Hints(hints) => by_hints(mode, hints, &offers),
        Request::Exact(version) => by_version(mode, version, offers.equal(version), &offers, has_adapter),
        Request::Id(CapabilityId { version, .. }) => {
            by_version(mode, version, offers.identical(version), &offers, has_adapter)
        }
    }
}

/// Steps 1 to 4 of section 6.3.
fn by_hints(mode: Mode, hints: &Hints, offers: &Offers<'_>) -> Result<Selected, Mismatch> {
    let Hints { preferred, acceptable, range } = hints;
    let mut reasons = Vec::new();
    if let Some(preferred) = preferred {
        if let Some(index) = offers.equal(preferred) {
            return Ok(Selected { index, rule: Rule::Preferred });
        }
        reasons.push(format!("the preferred version {} is not offered", shown(preferred)));
    }
    let mut matches = acceptable.iter().enumerate();
    let found = matches.find_map(|(number, version)| Some((number, offers.equal(version)?)));
    if let Some((number, index)) = found {
        return Ok(Selected { index, rule: Rule::Acceptable(number) });
    }
    match acceptable.len() {
        0 => {}
        1 => reasons.push("the acceptable version is not offered".to_owned()),
        count => reasons.push(format!("none of the {count} acceptable versions is offered")),
    }
    match range {
        Some(_) if mode == Mode::Strict => {
            reasons.push("the provider accepts only exact versions, so the range is not used".to_owned());
        }
        Some(range) => {
            if let Some(index) = offers.highest(|offer| range.matches(offer.version)) {
                return Ok(Selected { index, rule: Rule::Range });
            }
            reasons.push(format!("no offered version is in the range {}", quoted(range.as_str())));
        }
        None => {}
    }
    if reasons.is_empty() {
        reasons.push("the hints contain no version and no range".to_owned());
    }
    Err(Mismatch { reasons })
}

/// A requested version, with the index of the offer that it identifies.
fn by_version(
    mode: Mode,
    version: &Version,
    exact: Option<usize>,
    offers: &Offers<'_>,
    has_adapter: &dyn Fn(&Version, &Version) -> bool,
) -> Result<Selected, Mismatch> {
    if let Some(index) = exact {
        return Ok(Selected { index, rule: Rule::Exact });
    }
    let mut reasons = vec![format!("version {} is not offered", shown(version))];
    if mode == Mode::Strict {
        reasons.push("the provider accepts only exact versions".to_owned());
        return Err(Mismatch { reasons });
    }
    let supports = |offer: &Offer<'_>| {
        offer.version.major == version.major && offer.supported.iter().any(|range| range.matches(version))
    };
    if let Some(index) = offers.highest(supports) {
        return Ok(Selected { index, rule: Rule::SupportedRange });
    }
    reasons.push("no offered version of the same major version supports it".to_owned());
    if mode == Mode::Bridge {
        if let Some(index) = offers.highest(|offer| has_adapter(version, offer.version)) {
            return Ok(Selected { index, rule: Rule::Adapter { from: version.clone() } });
        }
        reasons.push("there is no adapter from it to an offered version".to_owned());
    }
    Err(Mismatch { reasons })
}

/// Offers, sorted so that a requested version is found quickly: hints may contain a million versions.
struct Offers<'a> {
    offers: &'a [Offer<'a>],
    /// The indexes of the offers in ascending order: by precedence, then by build metadata, then the first one last.
    ascending: Vec<usize>,
}

impl<'a> Offers<'a> {
    fn new(offers: &'a [Offer<'a>]) -> Self {
        let mut ascending: Vec<usize> = (0..offers.len()).rev().collect();
        // The sort is stable. The order of `Version` is precedence, then build metadata.
        ascending.sort_by_key(|index| offers.get(*index).map(|offer| offer.version));
        Self { offers, ascending }
    }

    fn ascending(&self) -> impl DoubleEndedIterator<Item = (usize, &'a Offer<'a>)> {
        self.ascending.iter().filter_map(|index| Some((*index, self.offers.get(*index)?)))
    }

    /// The offer with the precedence of a version.
    fn equal(&self, version: &Version) -> Option<usize> {
        self.identical(version).or_else(|| {
            let compare = |index: &usize| self.offers.get(*index).map(|offer| offer.version.cmp_precedence(version));
            let end = self.ascending.partition_point(|index| compare(index).is_some_and(|order| order.is_le()));
            let last = self.ascending.get(end.checked_sub(1)?)?;
            compare(last).is_some_and(|order| order.is_eq()).then_some(*last)
        })
    }

    /// The offer with the bytes of a version.
    fn identical(&self, version: &Version) -> Option<usize> {
        let is_up_to = |index: &usize| self.offers.get(*index).is_some_and(|offer| offer.version <= version);
        let last = self.ascending.get(self.ascending.partition_point(is_up_to).checked_sub(1)?)?;
        (self.offers.get(*last)?.version == version).then_some(*last)
    }

    /// The highest of the offers that meet a condition.
    fn highest(&self, condition: impl Fn(&Offer<'_>) -> bool) -> Option<usize> {
        self.ascending().rev().find(|(_, offer)| condition(offer)).map(|(index, _)| index)
    }
}

/// A version in a message, which is shortened if it is long.
fn shown(version: &Version) -> String {
    quoted(&version.to_string())
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => f.write_str("the requested version is offered"),
            Self::Preferred => f.write_str("the preferred version is offered"),
            Self::Acceptable(index) => {
                write!(f, "the acceptable version at index {index} is the first one that is offered")
            }
            Self::Range => f.write_str("it is the highest offered version in the range"),
            Self::SupportedRange => f.write_str(
                "it is the highest offered version of the same major version whose `supported_ranges` contain the requested version",
            ),
            Self::Adapter { from } => {
                write!(f, "it is the highest offered version with an adapter from the requested version {}", shown(from))
            }
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reasons.join("; "))
    }
}

impl std::error::Error for Mismatch {}
