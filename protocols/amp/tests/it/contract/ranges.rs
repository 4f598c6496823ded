use capgen_amp::{InvalidRange, Range, parse_version};
use proptest::prelude::*;

use super::naive;

/// Decision 8.
#[test]
fn ranges_are_one_version_or_comparators() {
    let (longest, too_long) = (format!("1.0.0-{}", "a".repeat(249)), format!("1.0.0-{}", "a".repeat(250)));
    assert_eq!(longest.len(), 255);
    for text in [
        "1.2.0",
        "1.2.0-rc.1+build",
        "=1.2.0",
        "<2.0.0",
        "<=2.0.0",
        ">1.0.0",
        ">=1.0.0 <2.0.0",
        ">=1.0.0   <2.0.0",
        ">2.0.0 <1.0.0",
        ">=1.0.0 >=1.0.0 >=1.0.0",
        &longest,
        &format!(">={longest} <={longest}"),
    ] {
        assert_eq!(text.parse::<Range>().map(|range| range.to_string()), Ok(text.to_owned()));
    }
    for text in [
        "",
        " ",
        " 1.2.0",
        "1.2.0 ",
        ">=1.2.0 ",
        " >=1.2.0",
        "1.0.0 2.0.0",
        "1.0.0 1.0.0",
        ">=1.0.0 2.0.0",
        "1.0.0 <2.0.0",
        ">= 1.0.0",
        ">=1.0.0,<2.0.0",
        ">=1.0.0\t<2.0.0",
        ">=1.0.0\n",
        "\u{a0}>=1.0.0",
        "1.0.0 || 2.0.0",
        "1.0.0||2.0.0",
        "^1.2.0",
        "~1.2.0",
        "1.x",
        "1.2.x",
        "*",
        "x",
        "1.2",
        ">=1.2",
        ">=1",
        "==1.2.0",
        "=>1.2.0",
        "<>1.2.0",
        "!=1.2.0",
        ">",
        ">=1.2.0 >",
        "v1.2.0",
        ">=v1.2.0",
        "01.2.0",
        ">=18446744073709551616.0.0",
        &too_long,
        &format!("<{too_long}"),
        &format!(">=1.0.0 <{too_long}"),
    ] {
        assert!(text.parse::<Range>().is_err(), "{text:?}");
    }
    assert_eq!(format!("<{too_long}").parse::<Range>(), Err(InvalidRange::VersionTooLong));
    assert_eq!(">=1.0.0 ".parse::<Range>(), Err(InvalidRange::SpaceAround));
}

#[test]
fn pre_releases_are_compared_by_precedence_alone() {
    let range: Range = ">=1.0.0 <2.0.0".parse().unwrap();
    for (version, is_inside) in [
        ("1.0.0-rc.1", false),
        ("1.0.0", true),
        ("1.5.0-rc.1", true),
        ("2.0.0-rc.1", true),
        ("2.0.0-rc.1+build", true),
        ("2.0.0", false),
        ("2.0.0+build", false),
    ] {
        assert_eq!(range.matches(&parse_version(version).unwrap()), is_inside, "{version}");
    }
}

#[test]
fn a_range_with_very_many_comparators_is_read() {
    let text = vec![">=1.0.0"; 100_000].join(" ");
    let range: Range = text.parse().unwrap();
    assert!(range.matches(&parse_version("1.0.0").unwrap()) && !range.matches(&parse_version("0.9.0").unwrap()));
}

#[test]
fn errors_state_the_expected_form() {
    for (text, message) in [
        ("", "a range is a version, such as `1.2.0`, or comparators, such as `>=1.2.0 <2.0.0`: the range is empty"),
        ("1.0.0 || 2.0.0", "`||` is not supported in ranges"),
        (" 1.0.0", "a range neither begins nor ends with a space"),
        (
            "^1.0.0",
            "a range is a version, such as `1.2.0`, or comparators, such as `>=1.2.0 <2.0.0`: `^` and `~` are not supported in ranges",
        ),
    ] {
        assert_eq!(text.parse::<Range>().unwrap_err().to_string(), message);
    }
}

proptest! {
    #[test]
    fn matching_agrees_with_a_naive_evaluator(text in naive::ranges(), versions in prop::collection::vec(naive::versions(), 1..8)) {
        let range: Range = text.parse().unwrap();
        for version in versions {
            prop_assert_eq!(range.matches(&parse_version(&version).unwrap()), naive::is_in(&version, &text), "{} in {}", version, text);
        }
    }

    #[test]
    fn a_range_is_above_or_below_the_versions_on_both_sides(
        text in naive::ranges(),
        version in naive::versions(),
        others in prop::collection::vec(naive::versions(), 1..8),
    ) {
        let range: Range = text.parse().unwrap();
        let parsed = parse_version(&version).unwrap();
        for other in others.iter().filter(|other| naive::is_in(other, &text)) {
            let order = naive::precedence(other, &version);
            prop_assert!(!range.is_above(&parsed) || order.is_gt(), "{} is in {}, which is above {}", other, text, version);
            prop_assert!(!range.is_below(&parsed) || order.is_lt(), "{} is in {}, which is below {}", other, text, version);
        }
    }

    #[test]
    fn any_text_is_read_or_rejected(text in "[<>=0-9. |^~x*a-]{0,20}") {
        if let Ok(range) = text.parse::<Range>() {
            prop_assert_eq!(range.as_str(), text);
        }
    }
}
