//! Sections 6 and 10: queries, resolution and versions.

use capgen_registry::{Access, Event, EventType, Query, Range, Requirement};
use serde_json::{Value, json};

use crate::rfc_0005::COUNT;
use crate::support::{
    Followed, access, deprecated, field, found, health, registered, registry, requested, requirement, target, updated,
};

#[test]
fn section_6_1_find_by_id_and_range() {
    let mut registry = registry(&[
        registered("b", 1, COUNT, "1.0.0", json!({})),
        registered("a", 2, COUNT, "1.10.0", json!({})),
        registered("a", 3, COUNT, "1.2.0", json!({})),
        registered("b", 4, COUNT, "1.2.0", json!({})),
        registered("a", 5, COUNT, "2.0.0-rc.1", json!({})),
        registered("a", 6, "core.text.sort", "1.0.0", json!({})),
        deprecated("a", 7, COUNT, Some("1.2.0")),
        health("b", 8, EventType::Unavailable),
    ]);
    let all = ["a 2.0.0-rc.1", "a 1.10.0", "a 1.2.0", "b 1.2.0", "b 1.0.0"];
    let with_id =
        |rows: &[&str]| rows.iter().map(|row| row.replacen(' ', &format!(" {COUNT} "), 1)).collect::<Vec<_>>();
    assert_eq!(found(&mut registry, &Query::Id { id: COUNT, range: None }), with_id(&all));
    for (range, expected) in
        [(">=1.2.0 <2.0.0", &all[..4]), ("=1.2.0", &all[2..4]), ("<1.2.0", &all[4..]), (">=3.0.0", &[])]
    {
        let range: Range = range.parse().unwrap();
        let query = Query::Id { id: COUNT, range: Some(&range) };
        assert_eq!(found(&mut registry, &query), with_id(expected), "{range:?}");
    }
    // Deprecated versions and unhealthy agents are marked.
    let rows = registry.view().find(&Query::Id { id: COUNT, range: None });
    let marks: Vec<_> = rows.iter().map(|row| (row.deprecated.is_some(), row.healthy)).collect();
    assert_eq!(marks, [(false, true), (false, true), (true, true), (false, false), (false, false)]);
}

#[test]
fn section_6_1_find_by_tag_and_by_determinism_class() {
    let mut registry = registry(&[
        registered("b", 1, COUNT, "1.0.0", json!({"tags": ["text", "fast"], "determinism_class": "deterministic"})),
        registered(
            "a",
            2,
            "core.text.sort",
            "1.0.0",
            json!({"tags": ["text"], "determinism_class": "nondeterministic"}),
        ),
        registered("a", 3, COUNT, "1.0.0", json!({"tags": ["old"], "determinism_class": "deterministic"})),
        updated("a", 4, COUNT, "1.0.0", json!({"tags": ["text"]})),
        registered("c", 5, COUNT, "1.0.0", json!({})),
    ]);
    let (a, b, sort) = ("a core.text.count 1.0.0", "b core.text.count 1.0.0", "a core.text.sort 1.0.0");
    assert_eq!(found(&mut registry, &Query::Tag("text")), [a, b, sort]);
    assert_eq!(found(&mut registry, &Query::Tag("fast")), [b]);
    assert_eq!(found(&mut registry, &Query::Tag("old")), [""; 0]);
    assert_eq!(found(&mut registry, &Query::Determinism("deterministic")), [a, b]);
    assert_eq!(found(&mut registry, &Query::Determinism("nondeterministic")), [sort]);
}

/// The explanation of a question as a document.
fn explained(events: &[Event], requirement: &str, access: &Access) -> Value {
    let mut registry = registry(events);
    let requirement = self::requirement(requirement);
    let (target, explanation) = registry.view().explain(COUNT, &requirement, access, Some("me"));
    json!({"target": target.map(|row| format!("{} {}", row.agent, row.version)), "explanation": explanation})
}

#[test]
fn section_6_2_filters_apply_in_their_order() {
    // Each agent fails at one filter and would fail at all later ones.
    let denied = json!({"required_roles": ["admin"]});
    let events = [
        registered("other", 1, "core.text.sort", "1.0.0", json!({})),
        registered("old", 2, COUNT, "1.0.0", denied.clone()),
        registered("ill", 3, COUNT, "2.0.0", denied.clone()),
        registered("denied", 4, COUNT, "2.1.0", denied),
        registered("deprecated", 5, COUNT, "2.2.0", json!({})),
        registered("good", 6, COUNT, "2.0.0", json!({"priority": -5})),
        health("old", 7, EventType::Unavailable),
        health("ill", 8, EventType::Unavailable),
        deprecated("old", 9, COUNT, None),
        deprecated("ill", 10, COUNT, None),
        deprecated("denied", 11, COUNT, None),
        deprecated("deprecated", 12, COUNT, None),
    ];
    let answer = explained(&events, "2.0.0", &access(&[], &[]));
    assert_eq!(answer["target"], "good 2.0.0");
    let steps = answer["explanation"]["filters"].as_array().unwrap();
    let steps: Vec<(&str, u64, Vec<&str>)> = steps
        .iter()
        .map(|step| {
            let removed = step["removed"].as_array().unwrap().iter().map(|row| row["agent"].as_str().unwrap());
            (step["filter"].as_str().unwrap(), step["left"].as_u64().unwrap(), removed.collect())
        })
        .collect();
    let expected = [
        ("id", 5, vec![]),
        ("version", 4, vec!["old"]),
        ("health", 3, vec!["ill"]),
        ("access", 2, vec!["denied"]),
        ("deprecation", 1, vec!["deprecated"]),
    ];
    assert_eq!(steps, expected);
    assert_eq!(answer["explanation"]["decided_by"], "deprecation");
}

#[test]
fn section_6_2_the_reason_is_the_first_filter_that_leaves_nothing() {
    let denied = json!({"required_scopes": ["write"]});
    let events = [
        registered("a", 1, COUNT, "1.0.0", denied.clone()),
        registered("b", 2, COUNT, "2.0.0", denied.clone()),
        registered("b", 3, COUNT, "1.1.0", denied),
        health("b", 4, EventType::Unavailable),
    ];
    let mut registry = registry(&events);
    let none = Access::default();
    assert_eq!(target(&mut registry, "core.text.sort", "1.0.0", &none), "not-found");
    assert_eq!(target(&mut registry, COUNT, "3.0.0", &none), "no-compatible-version");
    assert_eq!(target(&mut registry, COUNT, "2.0.0", &none), "unhealthy");
    assert_eq!(target(&mut registry, COUNT, "1.0.0", &none), "access-denied");
    assert_eq!(target(&mut registry, COUNT, "1.0.0", &access(&[], &["write"])), "a 1.0.0");
}

#[test]
fn section_6_2_the_rank_has_its_steps_in_order() {
    // Each row is better than the next one in one step, and worse in all later steps. The time is that of the
    // registration.
    let rows = [
        ("f", 9, "1.0.0", 2, -1.0, "priority"),
        ("e", 8, "1.0.0", 1, 2.0, "weight"),
        ("d", 7, "1.1.0", 1, 1.5, "version"),
        ("c", 1, "1.0.5", 1, 1.5, "registration-order"),
        ("b", 2, "1.0.5", 1, 1.5, "agent"),
    ];
    let event = |(agent, time, version, priority, weight, _): (&str, u64, &str, i64, f64, &str)| {
        registered(agent, time, COUNT, version, json!({"priority": priority, "weight": weight}))
    };
    for (at, row) in rows.iter().enumerate().take(rows.len() - 1) {
        let events: Vec<Event> = rows[at..].iter().rev().copied().map(event).collect();
        let answer = explained(&events, "1.0.0", &Access::default());
        assert_eq!(answer["target"], format!("{} {}", row.0, row.2));
        assert_eq!(answer["explanation"]["decided_by"], row.5);
        let ranked = answer["explanation"]["ranking"].as_array().unwrap();
        let agents: Vec<&str> = ranked.iter().map(|row| row["agent"].as_str().unwrap()).collect();
        assert_eq!(agents, rows[at..].iter().map(|row| row.0).collect::<Vec<_>>());
    }
    // Registrations with one id: the agent decides.
    let events = [registered("b", 1, COUNT, "1.0.0", json!({})), registered("a", 1, COUNT, "1.0.0", json!({}))];
    let answer = explained(&events, "1.0.0", &Access::default());
    assert_eq!((&answer["target"], &answer["explanation"]["decided_by"]), (&json!("a 1.0.0"), &json!("agent")));
}

#[test]
fn section_6_2_the_rank_ignores_clocks_and_the_order_of_arrival() {
    let early = registered("b", 1, COUNT, "1.0.0", json!({}));
    let mut late = registered("a", 2, COUNT, "1.0.0", json!({})).value().clone();
    late["timestamp"] = "1999-01-01T00:00:00.000Z".into();
    let late = Event::new(late);
    for events in [[early.clone(), late.clone()], [late, early]] {
        assert_eq!(target(&mut registry(&events), COUNT, "1.0.0", &Access::default()), "b 1.0.0");
    }
}

#[test]
fn section_6_2_deprecated_versions_are_the_last_resort() {
    let events = [
        registered("a", 1, COUNT, "1.1.0", json!({"priority": 9})),
        registered("b", 2, COUNT, "1.0.0", json!({"required_roles": ["admin"]})),
        deprecated("a", 3, COUNT, Some("1.1.0")),
    ];
    assert_eq!(explained(&events, "1.0.0", &access(&["admin"], &[]))["target"], "b 1.0.0");
    // A version that the caller may not call does not replace it.
    let answer = explained(&events, "1.0.0", &Access::default());
    assert_eq!((&answer["target"], &answer["explanation"]["deprecated"]), (&json!("a 1.1.0"), &json!(true)));
}

/// Whether a version satisfies a requirement.
fn matches(requirement: &str, version: &str) -> bool {
    self::requirement(requirement).matches(&version.parse().unwrap())
}

#[test]
fn section_10_semver_rules_apply() {
    // Major mismatch: incompatible. Minor upgrade: compatible. Patch upgrade: safe.
    for (version, expected) in [
        ("1.2.3", true),
        ("1.2.4", true),
        ("1.3.0", true),
        ("1.10.0", true),
        ("1.2.2", false),
        ("1.1.9", false),
        ("2.0.0", false),
        ("0.9.0", false),
        ("1.3.0-rc.1", false),
        ("1.2.3-rc.1", false),
    ] {
        assert_eq!(matches("1.2.3", version), expected, "{version}");
    }
    // The text makes no exception for major 0.
    assert!(matches("0.1.0", "0.2.0") && !matches("0.1.0", "1.0.0"));
    // A pre-release needs a bound of the same x.y.z that names one.
    assert!(matches("1.2.0-rc.1", "1.2.0-rc.2") && matches("1.2.0-rc.1", "1.2.0") && matches("1.2.0-rc.1", "1.9.0"));
    assert!(!matches("1.2.0-rc.1", "1.2.0-beta") && !matches("1.2.0-rc.1", "1.3.0-rc.2"));
    assert!(matches(">=1.0.0 <2.0.0-z", "2.0.0-rc.1") && !matches(">=1.0.0 <2.0.0", "2.0.0-rc.1"));
    assert!(matches("=1.2.0", "1.2.0") && !matches("=1.2.0", "1.2.1"));
    for text in ["", "1.0", "^1.0.0", "~1.0.0", "1.x", "1.0.0 2.0.0", " 1.0.0", "1.0.0 ", ">=1.0.0 || <2.0.0", "latest"]
    {
        assert!(text.parse::<Requirement>().is_err(), "{text}");
    }
}

#[test]
fn section_10_without_a_compatible_version_the_kernel_emits_capability_unresolved() {
    let mut followed = Followed::new(&json!({}));
    followed.append(&registered("a", 1, COUNT, "1.2.0", json!({})));
    for (time, requirement, expected) in [
        (2, "1.0.0", "capability.invoked"),
        (3, "1.3.0", "no-compatible-version"),
        (4, "2.0.0", "no-compatible-version"),
    ] {
        let answer = followed.answer(&requested("b", time, COUNT, requirement, Value::Null));
        if answer.event_type() == Some(EventType::Invoked) {
            assert_eq!((expected, field(&answer, "version")), ("capability.invoked", "1.2.0"));
        } else {
            assert_eq!(answer.event_type(), Some(EventType::Unresolved));
            assert_eq!((field(&answer, "reason"), field(&answer, "requirement")), (expected, requirement));
        }
    }
}
