//! Queries and their pages (sections 6.1 and 6.5, decision 11).
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]

use std::sync::Arc;

use crate::support;
use crate::support::{Fixture, NOW, body, catalogue, code, declared, one_answer};
use capgen_amp::body::Body;
use capgen_amp::catalogue::Catalogue;
use capgen_amp::message::{Message, MessageType};
use capgen_amp::provider::{Input, Settings};
use proptest::prelude::*;
use serde_json::{Value, json};

const NAME: &str = "org.agentries.code-review";

fn ids(versions: &[&str]) -> Vec<String> {
    versions.iter().map(|version| format!("{NAME}:{version}")).collect()
}

fn fixture(versions: &[&str], policy: &str) -> Fixture {
    let ids = ids(versions);
    let mut ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    ids.push("org.agentries.translate:1.0.0");
    ids.push("com.example.code-review:1.0.0");
    Fixture::new(catalogue(&ids), policy)
}

fn cursor(message: &Message) -> Option<String> {
    match body(message) {
        Body::Declare(declare) => declare.cursor,
        body => panic!("expected CAP_DECLARE: {body:?}"),
    }
}

/// All pages of a query.
fn pages(fixture: &mut Fixture, query: &Value) -> Vec<Vec<String>> {
    let (mut query, mut pages) = (query.clone(), Vec::new());
    loop {
        let answer = fixture.ask("alice", MessageType::CapQuery, query.clone());
        pages.push(declared(&answer));
        match cursor(&answer) {
            Some(cursor) => query["cursor"] = cursor.into(),
            None => return pages,
        }
    }
}

#[test]
fn versions_are_sorted_by_precedence() {
    let mut fixture = fixture(&["1.0.0", "2.0.0-rc.1", "1.10.0", "2.0.0", "1.9.0"], "{}");
    let mut query = json!({"filter": {"capability": NAME}});
    let newest = ids(&["2.0.0", "2.0.0-rc.1", "1.10.0", "1.9.0", "1.0.0"]);
    assert_eq!(pages(&mut fixture, &query), std::slice::from_ref(&newest));
    query["order"] = "newest-first".into();
    query["limit"] = 2.into();
    assert_eq!(pages(&mut fixture, &query), [&newest[..2], &newest[2..4], &newest[4..]]);
    query["order"] = "oldest-first".into();
    let oldest: Vec<_> = newest.iter().rev().cloned().collect();
    assert_eq!(pages(&mut fixture, &query), [&oldest[..2], &oldest[2..4], &oldest[4..]]);
}

#[test]
fn a_range_selects_versions_and_no_match_is_a_mismatch() {
    let mut fixture = fixture(&["1.0.0", "1.1.0", "2.0.0-rc.1", "2.0.0"], "{}");
    for (range, expected) in [
        (">=1.1.0 <2.0.0", &["2.0.0-rc.1", "1.1.0"][..]),
        ("1.1.0", &["1.1.0"]),
        ("<=1.0.0", &["1.0.0"]),
        (">=0.0.0-0", &["2.0.0", "2.0.0-rc.1", "1.1.0", "1.0.0"]),
    ] {
        let query = json!({"filter": {"capability": NAME, "version": range}, "limit": 1});
        let found: Vec<_> = pages(&mut fixture, &query).into_iter().flatten().collect();
        assert_eq!(found, ids(expected), "{range}");
    }
    for range in [">=3.0.0 <4.0.0", ">2.0.0", ">2.0.0 <1.0.0", "1.0.1"] {
        let query = json!({"filter": {"capability": NAME, "version": range}});
        assert_eq!(code(&fixture.ask("alice", MessageType::CapQuery, query)), 4003, "{range}");
    }
}

#[test]
fn a_type_is_an_alias_a_name_or_the_last_segment_of_one_visible_name() {
    let policy = r#"{"aliases": {"review": "org.agentries.code-review"}, "default": "allow", "rules": [
        {"caller": "did:web:example.com:limited", "capability": "com.example.code-review", "effect": "deny"}]}"#;
    let mut fixture = fixture(&["1.0.0"], policy);
    for (caller, text, expected) in [
        ("alice", "review", 0),
        ("alice", NAME, 0),
        ("alice", "translate", 0),
        // Two names end with it.
        ("alice", "code-review", 4002),
        // One of them is invisible.
        ("limited", "code-review", 0),
        ("alice", "nothing", 4002),
    ] {
        let query = json!({"filter": {"type": text}});
        assert_eq!(code(&fixture.ask(caller, MessageType::CapQuery, query)), expected, "{caller}: {text}");
    }
    let both = json!({"filter": {"type": "nothing", "capability": NAME}});
    assert_eq!(code(&fixture.ask("alice", MessageType::CapQuery, both)), 0, "`capability` takes precedence");
}

#[test]
fn denied_versions_are_invisible() {
    let policy = r#"{"default": "allow", "rules": [
        {"caller": "did:web:example.com:limited", "capability": "*", "version": ">=2.0.0", "effect": "deny"}]}"#;
    let mut fixture = fixture(&["1.0.0", "1.1.0", "2.0.0", "2.1.0"], policy);
    let query = json!({"filter": {"capability": NAME}, "limit": 2});
    let answer = fixture.ask("limited", MessageType::CapQuery, query);
    assert_eq!((declared(&answer), cursor(&answer)), (ids(&["1.1.0", "1.0.0"]), None));
    let query = json!({"filter": {"capability": NAME, "version": ">=2.0.0"}});
    assert_eq!(code(&fixture.ask("limited", MessageType::CapQuery, query)), 4003);
}

#[test]
fn limits_have_bounds() {
    let versions: Vec<String> = (0..1100).map(|minor| format!("{NAME}:1.{minor}.0")).collect();
    let versions: Vec<&str> = versions.iter().map(String::as_str).collect();
    let mut fixture = Fixture::new(catalogue(&versions), "{}");
    for (limit, expected) in [(None, 100), (Some(1), 1), (Some(1000), 1000), (Some(5000), 1000), (Some(u64::MAX), 1000)]
    {
        let mut query = json!({"filter": {"capability": NAME}});
        if let Some(limit) = limit {
            query["limit"] = limit.into();
        }
        let answer = fixture.ask("alice", MessageType::CapQuery, query);
        assert_eq!(declared(&answer).len(), expected);
        assert!(cursor(&answer).is_some());
    }
    let zero = json!({"filter": {"capability": NAME}, "limit": 0});
    assert_eq!(code(&fixture.ask("alice", MessageType::CapQuery, zero)), 4001);
}

#[test]
fn a_page_fits_into_a_message_that_every_carrier_accepts() {
    let contracts = (0..200).map(|minor| {
        let mut contract = support::contract(&format!("{NAME}:1.{minor}.0"), &[]);
        contract.descriptor.notes = Some("n".repeat(20_000));
        contract
    });
    let catalogue = Arc::new(Catalogue::new(contracts.collect()).unwrap());
    let mut fixture = Fixture::new(catalogue, "{}");
    let mut query = json!({"filter": {"capability": NAME}, "limit": 1000});
    let mut found = 0;
    loop {
        let message = fixture.message("alice", MessageType::CapQuery, query.clone());
        let outputs = fixture.send(&message, "alice", NOW);
        let [capgen_amp::provider::Output::Send { message, .. }] = outputs.as_slice() else { panic!("{outputs:?}") };
        assert!(message.len() <= 1 << 20, "{}", message.len());
        let answer = support::read(message);
        found += declared(&answer).len();
        match cursor(&answer) {
            Some(cursor) => query["cursor"] = cursor.into(),
            None => break,
        }
    }
    assert_eq!(found, 200);
}

#[test]
fn every_error_in_a_cursor_is_a_bad_request() {
    let mut fixture = fixture(&["1.0.0", "1.1.0", "1.2.0"], "{}");
    let filter = json!({"capability": NAME});
    let first = fixture.ask("alice", MessageType::CapQuery, json!({"filter": filter, "limit": 1}));
    let valid = cursor(&first).unwrap();
    let next = json!({"filter": filter, "limit": 2, "cursor": valid, "order": "newest-first"});
    assert_eq!(
        declared(&fixture.ask("alice", MessageType::CapQuery, next)),
        ids(&["1.1.0", "1.0.0"]),
        "the limit may change"
    );

    for (reason, caller, query) in [
        ("another caller", "limited", json!({"filter": filter, "cursor": valid})),
        ("another order", "alice", json!({"filter": filter, "cursor": valid, "order": "oldest-first"})),
        ("another filter", "alice", json!({"filter": {"capability": NAME, "version": ">=1.0.0"}, "cursor": valid})),
        ("another name", "alice", json!({"filter": {"capability": "org.agentries.translate"}, "cursor": valid})),
        ("an unknown name", "alice", json!({"filter": {"capability": "org.agentries.nothing"}, "cursor": "x"})),
        ("upper case", "alice", json!({"filter": filter, "cursor": valid.to_uppercase()})),
        ("a truncated cursor", "alice", json!({"filter": filter, "cursor": valid[..valid.len() - 2]})),
        ("an empty cursor", "alice", json!({"filter": filter, "cursor": ""})),
        ("other characters", "alice", json!({"filter": filter, "cursor": "ä".repeat(64)})),
    ] {
        assert_eq!(code(&fixture.ask(caller, MessageType::CapQuery, query)), 4001, "{reason}");
    }
    for index in 0..valid.len() {
        let mut changed = valid.clone().into_bytes();
        changed[index] = if changed[index] == b'0' { b'1' } else { b'0' };
        let changed = String::from_utf8(changed).unwrap();
        let query = json!({"filter": filter, "cursor": changed});
        assert_eq!(code(&fixture.ask("alice", MessageType::CapQuery, query)), 4001, "digit {index}");
    }
}

#[test]
fn a_cursor_is_checked_before_the_registry_is_used() {
    let query = json!({"filter": {"capability": NAME}, "cursor": "x"});
    assert_eq!(code(&Fixture::unavailable("{}").ask("alice", MessageType::CapQuery, query)), 4001);
}

#[test]
fn a_cursor_is_valid_for_15_minutes() {
    const LIFETIME: u64 = 15 * 60 * 1000;
    let mut fixture = fixture(&["1.0.0", "1.1.0"], "{}");
    let first = fixture.ask("alice", MessageType::CapQuery, json!({"filter": {"capability": NAME}, "limit": 1}));
    let query = json!({"filter": {"capability": NAME}, "limit": 1, "cursor": cursor(&first).unwrap()});
    for (passed, expected) in [(LIFETIME, 0), (LIFETIME + 1, 4001)] {
        let mut message = fixture.message("alice", MessageType::CapQuery, query.clone());
        message.ttl = LIFETIME * 2;
        assert_eq!(code(&one_answer(&fixture.send(&message, "alice", NOW + passed))), expected);
    }
}

#[test]
fn all_pages_are_read_from_one_snapshot() {
    let mut fixture = fixture(&["1.0.0", "1.1.0", "1.2.0"], "{}");
    let mut query = json!({"filter": {"capability": NAME}, "limit": 1});
    let first = fixture.ask("alice", MessageType::CapQuery, query.clone());
    let fresh = query.clone();
    query["cursor"] = cursor(&first).unwrap().into();
    let others = catalogue(&["org.agentries.code-review:3.0.0", "org.agentries.code-review:1.1.0"]);
    fixture.provider.step(&mut fixture.state, Input::Publish(others), NOW).unwrap();
    assert_eq!(pages(&mut fixture, &query).concat(), ids(&["1.1.0", "1.0.0"]));
    assert_eq!(pages(&mut fixture, &fresh).concat(), ids(&["3.0.0", "1.1.0"]));
    // A dropped snapshot ends its cursors.
    for patch in 0..9 {
        let other = catalogue(&[&format!("{NAME}:4.0.{patch}")]);
        fixture.provider.step(&mut fixture.state, Input::Publish(other), NOW).unwrap();
    }
    assert_eq!(code(&fixture.ask("alice", MessageType::CapQuery, query)), 4001);
}

#[test]
fn a_cursor_survives_a_restart_of_the_provider() {
    let mut before = fixture(&["1.0.0", "1.1.0"], "{}");
    let first = before.ask("alice", MessageType::CapQuery, json!({"filter": {"capability": NAME}, "limit": 1}));
    let mut after = fixture(&["1.1.0", "1.0.0"], "{}");
    let query = json!({"filter": {"capability": NAME}, "cursor": cursor(&first).unwrap()});
    assert_eq!(declared(&after.ask("alice", MessageType::CapQuery, query)), ids(&["1.0.0"]));
}

#[test]
fn versions_of_equal_precedence_cannot_be_published_together() {
    let contracts = ["1.0.0+a", "1.0.0+b", "1.1.0"].map(|version| support::contract(&format!("{NAME}:{version}"), &[]));
    let errors = Catalogue::new(contracts.into()).unwrap_err();
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].ids, [format!("{NAME}:1.0.0+a"), format!("{NAME}:1.0.0+b")]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    /// The pages of a query together are the answer to a naive one: nothing is missing, nothing is there twice.
    #[test]
    fn pages_together_are_the_whole_answer(
        versions in proptest::collection::btree_set((0_u64..4, 0_u64..4, 0_u64..3), 1..20),
        limit in 1_u64..6,
        (major, minor) in (0_u64..4, 0_u64..4),
        newest in any::<bool>(),
    ) {
        let versions: Vec<semver::Version> =
            versions.into_iter().map(|(major, minor, patch)| semver::Version::new(major, minor, patch)).collect();
        let texts: Vec<String> = versions.iter().map(ToString::to_string).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut fixture = Fixture::with_settings(
            catalogue(&ids(&texts).iter().map(String::as_str).collect::<Vec<_>>()), "{}", Settings::default());
        let bound = semver::Version::new(major, minor, 0);
        let mut expected: Vec<_> = versions.iter().filter(|version| **version >= bound).map(ToString::to_string).collect();
        if newest {
            expected.reverse();
        }
        let order = if newest { "newest-first" } else { "oldest-first" };
        let query = json!({"filter": {"capability": NAME, "version": format!(">={bound}")}, "limit": limit, "order": order});
        if expected.is_empty() {
            prop_assert_eq!(code(&fixture.ask("alice", MessageType::CapQuery, query)), 4003);
        } else {
            let pages = pages(&mut fixture, &query);
            prop_assert!(pages.iter().rev().skip(1).all(|page| page.len() as u64 == limit));
            let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
            prop_assert_eq!(pages.concat(), ids(&expected));
        }
    }
}
