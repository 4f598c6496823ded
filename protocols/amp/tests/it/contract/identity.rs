use capgen_amp::{Aliases, CapabilityId, CapabilityName, InvalidId, InvalidName, InvalidVersion, parse_version};
use proptest::prelude::*;

use super::{REVIEW, naive};

fn name(text: &str) -> CapabilityName {
    text.parse().unwrap()
}

/// Decision 5.
#[test]
fn names_have_three_segments_of_words_and_255_bytes() {
    let (longest, too_long) = (format!("a.b.{}", "c".repeat(251)), format!("a.b.{}", "c".repeat(252)));
    for text in [REVIEW, "a.b.c", "com.acme.risk-evaluator", "0.1.2", "a.b.c.d.e", "a-1.b-2-c.d", &longest] {
        assert_eq!(text.parse::<CapabilityName>().map(|name| name.to_string()), Ok(text.to_owned()));
    }
    for (text, reason) in [
        ("", InvalidName::Segment),
        ("a", InvalidName::TooFewSegments),
        ("a.b", InvalidName::TooFewSegments),
        ("a.b.", InvalidName::Segment),
        (".a.b.c", InvalidName::Segment),
        ("a..b.c", InvalidName::Segment),
        ("a.b.C", InvalidName::Segment),
        ("a.b.c_d", InvalidName::Segment),
        ("a.b.-c", InvalidName::Segment),
        ("a.b.c-", InvalidName::Segment),
        ("a.b.c--d", InvalidName::Segment),
        ("a.b.c d", InvalidName::Segment),
        ("a.b.c:1.0.0", InvalidName::Segment),
        ("a.b.ü", InvalidName::Segment),
        ("a.b.c\n", InvalidName::Segment),
        (&too_long, InvalidName::TooLong),
    ] {
        assert_eq!(text.parse::<CapabilityName>(), Err(reason), "{text:?}");
    }
}

/// Decisions 7 and 18.
#[test]
fn versions_are_full_semver_of_255_bytes() {
    let (longest, too_long) = (format!("1.0.0-{}", "9".repeat(249)), format!("1.0.0-{}", "9".repeat(250)));
    for text in [
        "0.0.0",
        "1.2.3-rc.1+build.01",
        "18446744073709551615.18446744073709551615.18446744073709551615",
        "1.0.0-99999999999999999999999999999999999999",
        &longest,
    ] {
        assert_eq!(parse_version(text).map(|version| version.to_string()), Ok(text.to_owned()));
    }
    for text in [
        "",
        "1",
        "1.2",
        "1.2.3.4",
        "v1.2.3",
        " 1.2.3",
        "1.2.3 ",
        "1.2.3\n",
        "01.2.3",
        "1.2.3-",
        "1.2.3-01",
        "1.2.3-a..b",
        "1.2.3+",
        "-1.2.3",
        "1.2.x",
        "١.٠.٠",
    ] {
        assert_eq!(parse_version(text), Err(InvalidVersion::Syntax), "{text:?}");
    }
    assert_eq!(parse_version(&too_long), Err(InvalidVersion::TooLong));
    for text in
        ["18446744073709551616.0.0", "1.0.99999999999999999999-rc.1+b", "18446744073709551616.18446744073709551616.0"]
    {
        assert_eq!(parse_version(text), Err(InvalidVersion::NumberTooLarge), "{text:?}");
    }
    assert_eq!(parse_version("018446744073709551616.0.0"), Err(InvalidVersion::Syntax));
}

#[test]
fn ids_are_a_name_a_colon_and_a_version() {
    let id: CapabilityId = "org.agentries.code-review:2.1.0-rc.1+b".parse().unwrap();
    assert_eq!((id.name.as_str(), id.version.to_string().as_str()), (REVIEW, "2.1.0-rc.1+b"));
    for (text, reason) in [
        ("", InvalidId::NoColon),
        (REVIEW, InvalidId::NoColon),
        ("org.agentries.code-review:", InvalidId::Version(InvalidVersion::Syntax)),
        ("org.agentries.code-review:2.1", InvalidId::Version(InvalidVersion::Syntax)),
        ("org.agentries.code-review:2.1.0:2.1.0", InvalidId::Version(InvalidVersion::Syntax)),
        ("org.agentries.code-review: 2.1.0", InvalidId::Version(InvalidVersion::Syntax)),
        ("review:2.1.0", InvalidId::Name(InvalidName::TooFewSegments)),
        (":2.1.0", InvalidId::Name(InvalidName::Segment)),
    ] {
        assert_eq!(text.parse::<CapabilityId>(), Err(reason), "{text:?}");
    }
}

/// Decision 7: by bytes, and not by precedence.
#[test]
fn ids_are_equal_if_their_bytes_are() {
    let [one, other] = ["a.b.c:1.0.0+x", "a.b.c:1.0.0+y"].map(|text| text.parse::<CapabilityId>().unwrap());
    assert!(one != other && one.version.cmp_precedence(&other.version).is_eq());
}

/// Decisions 5 and 6.
#[test]
fn types_refer_to_names() {
    let aliases: Aliases =
        [("review".to_owned(), name(REVIEW)), ("org.legacy.translate".to_owned(), name("org.agentries.translate"))]
            .into_iter()
            .collect();
    assert_eq!(aliases.resolve("review"), Some(name(REVIEW)));
    assert_eq!(aliases.resolve(REVIEW), Some(name(REVIEW)));
    assert_eq!(aliases.resolve("org.legacy.translate"), Some(name("org.agentries.translate")), "an alias comes first");
    assert_eq!(aliases.resolve("code-review"), None, "only the catalogue knows");
    for (text, agrees) in [(REVIEW, true), ("review", true), ("code-review", true), ("reviewer", false), ("", false)] {
        assert_eq!(aliases.agrees(text, &name(REVIEW)), agrees, "{text}");
    }
    assert!(!Aliases::default().agrees("review", &name(REVIEW)));
    assert!(!aliases.agrees("review", &name("org.other.code-review")));
}

proptest! {
    #[test]
    fn versions_keep_their_bytes_and_have_the_order_of_semver(one in naive::versions(), other in naive::versions()) {
        let (parsed, parsed_other) = (parse_version(&one).unwrap(), parse_version(&other).unwrap());
        prop_assert_eq!(parsed.to_string(), one.clone());
        prop_assert_eq!(parsed.cmp_precedence(&parsed_other), naive::precedence(&one, &other));
    }

    #[test]
    fn any_text_is_an_id_or_rejected(text in "[a-c.:0-2-]{0,16}|\\PC{0,8}") {
        if let Ok(id) = text.parse::<CapabilityId>() {
            prop_assert_eq!(id.to_string(), text);
        }
    }
}
