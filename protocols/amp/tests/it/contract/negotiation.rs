use std::cmp::Ordering;

use capgen_amp::body::Hints;
use capgen_amp::negotiate::{Mode, Offer, Request, Rule, negotiate};
use capgen_amp::{CapabilityId, Range};
use proptest::option::of;
use proptest::prelude::*;
use semver::Version;

use super::naive;

fn version(text: &str) -> Version {
    text.parse().unwrap()
}

fn hints(preferred: Option<&str>, acceptable: &[&str], range: Option<&str>) -> Wanted {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    Wanted::Hints(preferred.map(str::to_owned), owned(acceptable), range.map(str::to_owned))
}

/// A published version and its supported ranges.
type Published = (String, Vec<String>);

fn published(versions: &[&str]) -> Vec<Published> {
    versions.iter().map(|version| ((*version).to_owned(), Vec::new())).collect()
}

#[derive(Clone, Debug)]
enum Wanted {
    Exact(String),
    Id(String),
    Hints(Option<String>, Vec<String>, Option<String>),
}

/// The selected version and the rule, or the reasons.
fn selected(
    mode: Mode,
    wanted: &Wanted,
    published: &[Published],
    adapters: &[(String, String)],
) -> Result<(String, Rule), Vec<String>> {
    let parsed: Vec<(Version, Vec<Range>)> = published
        .iter()
        .map(|(text, ranges)| (version(text), ranges.iter().map(|range| range.parse().unwrap()).collect()))
        .collect();
    let offers: Vec<_> = parsed.iter().map(|(version, supported)| Offer { version, supported }).collect();
    let has_adapter = |from: &Version, to: &Version| adapters.contains(&(from.to_string(), to.to_string()));
    let result = match wanted {
        Wanted::Exact(text) => negotiate(mode, Request::Exact(&version(text)), &offers, &has_adapter),
        Wanted::Id(text) => {
            let id = CapabilityId { name: "a.b.c".parse().unwrap(), version: version(text) };
            negotiate(mode, Request::Id(&id), &offers, &has_adapter)
        }
        Wanted::Hints(preferred, acceptable, range) => {
            let hints = Hints {
                preferred: preferred.as_deref().map(version),
                acceptable: acceptable.iter().map(|text| version(text)).collect(),
                range: range.as_ref().map(|range| range.parse().unwrap()),
            };
            negotiate(mode, Request::Hints(&hints), &offers, &has_adapter)
        }
    };
    match result {
        Ok(selected) => Ok((published[selected.index].0.clone(), selected.rule)),
        Err(mismatch) => Err(mismatch.reasons),
    }
}

fn select(mode: Mode, wanted: &Wanted, published: &[Published]) -> Result<(String, Rule), Vec<String>> {
    selected(mode, wanted, published, &[])
}

fn ok(version: &str, rule: Rule) -> Result<(String, Rule), Vec<String>> {
    Ok((version.to_owned(), rule))
}

/// A.2.
#[test]
fn the_preferred_version_is_selected() {
    let result = select(Mode::Range, &hints(Some("2.1.0"), &[], None), &published(&["2.0.0", "2.1.0"]));
    assert_eq!(result, ok("2.1.0", Rule::Preferred));
}

/// A.3.
#[test]
fn the_first_acceptable_version_that_is_offered_is_selected() {
    let offers = published(&["2.0.0", "2.1.0"]);
    let result = select(Mode::Range, &hints(Some("2.2.0"), &["2.1.0", "2.0.0"], None), &offers);
    assert_eq!(result, ok("2.1.0", Rule::Acceptable(0)));
    let result = select(Mode::Range, &hints(Some("2.2.0"), &["2.3.0", "2.0.0", "2.1.0"], Some(">=1.0.0")), &offers);
    assert_eq!(result, ok("2.0.0", Rule::Acceptable(1)), "the requester's order, and before the range");
}

/// A.4.
#[test]
fn a_range_without_an_offered_version_is_a_mismatch() {
    let result = select(Mode::Range, &hints(None, &[], Some(">=3.0.0 <4.0.0")), &published(&["2.0.0", "2.1.0"]));
    assert_eq!(result, Err(vec!["no offered version is in the range `>=3.0.0 <4.0.0`".to_owned()]));
}

/// Decision 8: also a pre-release.
#[test]
fn the_highest_version_in_the_range_is_selected() {
    let offers = published(&["1.2.0", "2.0.0-rc.1", "1.10.0", "2.0.0", "1.9.0"]);
    assert_eq!(select(Mode::Range, &hints(None, &[], Some(">=1.0.0 <1.11.0")), &offers), ok("1.10.0", Rule::Range));
    assert_eq!(select(Mode::Range, &hints(None, &[], Some(">=1.0.0 <2.0.0")), &offers), ok("2.0.0-rc.1", Rule::Range));
}

/// Decision 9.
#[test]
fn hints_without_a_field_and_providers_without_offers_are_mismatches() {
    let nothing = hints(None, &[], None);
    let expected = Err(vec!["the hints contain no version and no range".to_owned()]);
    assert_eq!(select(Mode::Bridge, &nothing, &published(&["1.0.0"])), expected);
    for wanted in [nothing, hints(Some("1.0.0"), &["1.0.0"], Some("1.0.0")), Wanted::Exact("1.0.0".to_owned())] {
        for mode in Mode::ALL {
            assert!(select(mode, &wanted, &[]).is_err());
        }
    }
}

/// Decision 9.
#[test]
fn strict_providers_do_not_use_ranges() {
    let offers = vec![("1.2.0".to_owned(), vec![">=1.0.0".to_owned()])];
    assert_eq!(
        select(Mode::Strict, &hints(Some("1.1.0"), &["1.0.0"], Some(">=1.0.0")), &offers),
        Err(vec![
            "the preferred version `1.1.0` is not offered".to_owned(),
            "the acceptable version is not offered".to_owned(),
            "the provider accepts only exact versions, so the range is not used".to_owned(),
        ])
    );
    let exact = ["version `1.1.0` is not offered".to_owned(), "the provider accepts only exact versions".to_owned()];
    assert_eq!(select(Mode::Strict, &Wanted::Exact("1.1.0".to_owned()), &offers), Err(exact.to_vec()));
    assert_eq!(select(Mode::Strict, &Wanted::Exact("1.2.0".to_owned()), &offers), ok("1.2.0", Rule::Exact));
    assert_eq!(
        select(Mode::Strict, &hints(None, &["1.0.0", "1.2.0"], None), &offers),
        ok("1.2.0", Rule::Acceptable(1))
    );
}

/// Decision 9.
#[test]
fn a_version_that_is_not_published_is_served_within_its_major_version() {
    let offers: Vec<Published> =
        [("1.3.0", &[">=1.0.0 <2.0.0"][..]), ("1.4.0", &["1.0.0", ">=1.1.0"]), ("1.5.0", &[]), ("2.0.0", &[">=1.0.0"])]
            .map(|(version, ranges)| (version.to_owned(), ranges.iter().map(|range| (*range).to_owned()).collect()))
            .to_vec();
    for (wanted, served) in [("1.2.0", "1.4.0"), ("1.0.0", "1.4.0"), ("1.0.1", "1.3.0"), ("2.7.0", "2.0.0")] {
        let result = select(Mode::Range, &Wanted::Exact(wanted.to_owned()), &offers);
        assert_eq!(result, ok(served, Rule::SupportedRange), "{wanted}");
    }
    assert_eq!(select(Mode::Range, &Wanted::Exact("1.5.0".to_owned()), &offers), ok("1.5.0", Rule::Exact));
    assert_eq!(
        select(Mode::Range, &Wanted::Id("0.9.0".to_owned()), &offers),
        Err(vec![
            "version `0.9.0` is not offered".to_owned(),
            "no offered version of the same major version supports it".to_owned()
        ])
    );
    let result = select(Mode::Bridge, &hints(Some("1.2.0"), &["1.0.0"], Some("1.0.1")), &offers);
    assert!(result.is_err(), "hints are never widened: {result:?}");
}

/// Decision 7.
#[test]
fn an_id_is_compared_by_bytes_and_a_version_by_precedence() {
    let offers = published(&["1.0.0+a"]);
    assert_eq!(select(Mode::Range, &Wanted::Exact("1.0.0+b".to_owned()), &offers), ok("1.0.0+a", Rule::Exact));
    assert_eq!(select(Mode::Range, &hints(Some("1.0.0"), &[], None), &offers), ok("1.0.0+a", Rule::Preferred));
    assert_eq!(select(Mode::Range, &Wanted::Id("1.0.0+a".to_owned()), &offers), ok("1.0.0+a", Rule::Exact));
    assert!(select(Mode::Range, &Wanted::Id("1.0.0+b".to_owned()), &offers).is_err());
    assert!(select(Mode::Range, &Wanted::Id("1.0.0".to_owned()), &offers).is_err());
}

#[test]
fn the_first_of_identical_offers_is_selected() {
    let [low, high] = ["1.0.0", "2.0.0"].map(version);
    let offers = [&low, &high, &high, &low].map(|version| Offer { version, supported: &[] });
    for (text, index) in [("1.0.0", 0), ("2.0.0", 1)] {
        let selected = negotiate(Mode::Range, Request::Exact(&version(text)), &offers, &|_, _| false).unwrap();
        assert_eq!(selected.index, index);
    }
    let hints = Hints { range: Some(">=1.0.0".parse().unwrap()), ..Hints::default() };
    let selected = negotiate(Mode::Range, Request::Hints(&hints), &offers, &|_, _| false).unwrap();
    assert_eq!((selected.index, selected.rule), (1, Rule::Range));
}

/// Decision 9.
#[test]
fn adapters_serve_requested_versions_that_nothing_else_serves() {
    let adapters =
        [("1.0.0", "2.0.0"), ("1.0.0", "3.0.0"), ("1.0.0", "4.0.0")].map(|(from, to)| (from.to_owned(), to.to_owned()));
    let offers = published(&["2.0.0", "3.0.0", "3.1.0"]);
    let run = |mode, wanted: &Wanted, offers: &[Published]| selected(mode, wanted, offers, &adapters);
    let exact = Wanted::Exact("1.0.0".to_owned());
    let adapter = Rule::Adapter { from: version("1.0.0") };
    assert_eq!(run(Mode::Bridge, &exact, &offers), ok("3.0.0", adapter.clone()));
    assert_eq!(run(Mode::Bridge, &Wanted::Id("1.0.0".to_owned()), &offers), ok("3.0.0", adapter));
    for mode in [Mode::Strict, Mode::Range] {
        assert!(run(mode, &exact, &offers).is_err());
    }
    let result = run(Mode::Bridge, &Wanted::Exact("1.1.0".to_owned()), &offers);
    assert_eq!(result.unwrap_err().last().unwrap(), "there is no adapter from it to an offered version");
    let supported = vec![("2.0.0".to_owned(), vec![]), ("1.1.0".to_owned(), vec!["1.0.0".to_owned()])];
    assert_eq!(
        run(Mode::Bridge, &exact, &supported),
        ok("1.1.0", Rule::SupportedRange),
        "a supported range comes first"
    );
    assert!(run(Mode::Bridge, &hints(Some("1.0.0"), &["1.0.0"], Some("1.0.0")), &offers).is_err());
}

#[test]
fn rules_are_explained() {
    for (rule, text) in [
        (Rule::Exact, "the requested version is offered"),
        (Rule::Preferred, "the preferred version is offered"),
        (Rule::Acceptable(2), "the acceptable version at index 2 is the first one that is offered"),
        (Rule::Range, "it is the highest offered version in the range"),
        (
            Rule::SupportedRange,
            "it is the highest offered version of the same major version whose `supported_ranges` contain the requested version",
        ),
        (
            Rule::Adapter { from: version("1.0.0") },
            "it is the highest offered version with an adapter from the requested version `1.0.0`",
        ),
    ] {
        assert_eq!(rule.to_string(), text);
    }
}

#[test]
fn very_many_hints_have_one_reason_each() {
    let acceptable = vec!["1.0.0"; 100_000];
    let wanted =
        hints(Some(&format!("1.0.0-{}", "a".repeat(200))), &acceptable, Some(&vec!["=1.0.0"; 10_000].join(" ")));
    let reasons = select(Mode::Range, &wanted, &published(&["2.0.0"])).unwrap_err();
    assert_eq!(reasons[1], "none of the 100000 acceptable versions is offered");
    assert!(reasons.len() == 3 && reasons.iter().all(|reason| reason.len() < 200), "{reasons:?}");
}

/// The higher of two offers: by precedence, then by build metadata.
fn higher(one: &str, other: &str) -> Ordering {
    naive::precedence(one, other).then_with(|| version(one).build.cmp(&version(other).build))
}

/// The offer that wins among those that meet a condition.
fn best(published: &[Published], condition: impl Fn(&str, &[String]) -> bool) -> Option<&str> {
    let candidates = published.iter().filter(|(version, ranges)| condition(version, ranges));
    candidates.map(|(version, _)| version.as_str()).max_by(|one, other| higher(one, other))
}

/// Decision 9 as a list of attempts, each over all offers.
fn model(
    mode: Mode,
    wanted: &Wanted,
    published: &[Published],
    adapters: &[(String, String)],
) -> Option<(String, Rule)> {
    let identical = |wanted: &str| best(published, |version, _| version == wanted);
    let equal = |wanted: &str| {
        identical(wanted).or_else(|| best(published, |version, _| naive::precedence(version, wanted).is_eq()))
    };
    let mut attempts: Vec<(Option<&str>, Rule)> = Vec::new();
    match wanted {
        Wanted::Exact(text) | Wanted::Id(text) => {
            attempts.push((if matches!(wanted, Wanted::Id(_)) { identical(text) } else { equal(text) }, Rule::Exact));
            let major = |version: &str| version.split('.').next().unwrap().to_owned();
            if mode != Mode::Strict {
                let supports = |version: &str, ranges: &[String]| {
                    major(version) == major(text) && ranges.iter().any(|range| naive::is_in(text, range))
                };
                attempts.push((best(published, supports), Rule::SupportedRange));
            }
            if mode == Mode::Bridge {
                let adapts = |version: &str, _: &[String]| adapters.contains(&(text.clone(), version.to_owned()));
                attempts.push((best(published, adapts), Rule::Adapter { from: version(text) }));
            }
        }
        Wanted::Hints(preferred, acceptable, range) => {
            attempts.push((preferred.as_deref().and_then(equal), Rule::Preferred));
            attempts.extend(acceptable.iter().enumerate().map(|(index, text)| (equal(text), Rule::Acceptable(index))));
            if let Some(range) = range.as_ref().filter(|_| mode != Mode::Strict) {
                attempts.push((best(published, |version, _| naive::is_in(version, range)), Rule::Range));
            }
        }
    }
    attempts.into_iter().find_map(|(version, rule)| Some((version?.to_owned(), rule)))
}

prop_compose! {
    fn cases()(
        published in prop::collection::vec((naive::versions(), prop::collection::vec(naive::ranges(), 0..3)), 0..7),
        mode in prop::sample::select(&Mode::ALL[..]),
        others in prop::collection::vec(naive::versions(), 4),
        acceptable in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        preferred in of(any::<prop::sample::Index>()),
        range in of(naive::ranges()),
        form in 0..3,
        pairs in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..4),
    ) -> (Mode, Wanted, Vec<Published>, Vec<(String, String)>) {
        // Half of the wanted versions are published.
        let mut pool: Vec<String> = published.iter().map(|(version, _)| version.clone()).collect();
        pool.extend(others);
        let pick = |index: &prop::sample::Index| index.get(&pool).clone();
        let first = pool.last().unwrap().clone();
        let wanted = match form {
            0 => Wanted::Exact(preferred.as_ref().map_or(first, pick)),
            1 => Wanted::Id(preferred.as_ref().map_or(first, pick)),
            _ => Wanted::Hints(preferred.as_ref().map(pick), acceptable.iter().map(pick).collect(), range),
        };
        let adapters = pairs.iter().map(|(from, to)| (pick(from), pick(to))).collect();
        (mode, wanted, published, adapters)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn negotiation_agrees_with_a_naive_model((mode, wanted, published, adapters) in cases()) {
        let expected = model(mode, &wanted, &published, &adapters);
        let result = selected(mode, &wanted, &published, &adapters);
        prop_assert!(result.as_ref().err().is_none_or(|reasons| !reasons.is_empty()));
        prop_assert_eq!(result.ok(), expected);
    }

    #[test]
    fn the_order_of_offers_does_not_matter(
        (mode, wanted, published, adapters) in cases(),
        by in 0_usize..7,
    ) {
        let mut others: Vec<Published> = published.iter().rev().cloned().collect();
        if !others.is_empty() {
            let by = by % others.len();
            others.rotate_left(by);
        }
        prop_assert_eq!(selected(mode, &wanted, &others, &adapters), selected(mode, &wanted, &published, &adapters));
    }
}
