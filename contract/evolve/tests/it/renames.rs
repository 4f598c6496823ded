//! Properties that were probably renamed: the help of each finding about them names the other name.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_evolve::{Assume, Settings, compare};
use capgen_manifest::{AgentId, Capability, Manifest, Side, TransportSettings};
use capgen_schema::Schema;

fn contract(side: Side, schema: &str) -> Manifest {
    let schema = Some(Schema::parse_text(schema).unwrap());
    let mut capability = Capability::new("find");
    match side {
        Side::Request => capability.input = schema,
        Side::Response => capability.output = schema,
    }
    let agent = AgentId::new("shop").unwrap();
    Manifest::new(agent, vec![TransportSettings::memory("calls")], vec![capability])
}

fn object(properties: &str, rest: &str) -> String {
    format!(r#"{{"type": "object", "properties": {{{properties}}}{rest}}}"#)
}

/// The codes of the findings, each with the new name that its help mentions.
fn helps(side: Side, old: &str, new: &str) -> Vec<(String, Option<String>)> {
    let settings = Settings { assume: Assume::AnyPeer, ..Settings::default() };
    let found = compare(&contract(side, old), &contract(side, new), settings).findings;
    let name = |help: &str| Some(help.split("was renamed to `").nth(1)?.split('`').next()?.to_owned());
    found.into_iter().map(|f| (f.code.as_str().to_owned(), f.help.as_deref().and_then(name))).collect()
}

#[test]
fn every_finding_about_a_renamed_property_names_the_new_name() {
    let old = r#""query": {"type": "string", "description": "a"}"#;
    let new = r#""searchText": {"type": "string", "description": "b"}"#;
    let found = |side: Side, old_rest: &str, new_rest: &str| {
        let found = helps(side, &object(old, old_rest), &object(new, new_rest));
        found
            .into_iter()
            .map(|(code, name)| {
                assert_eq!(name.as_deref(), Some("searchText"), "{code}");
                code
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(found(Side::Request, "", ""), ["E0728", "W0701"]);
    let (one, other) = (r#", "required": ["query"]"#, r#", "required": ["searchText"]"#);
    assert_eq!(found(Side::Request, one, other), ["E0728", "E0704", "W0701", "N0702"]);
    assert_eq!(found(Side::Request, "", other), ["E0728", "E0704", "W0701"]);
    assert_eq!(found(Side::Response, "", ""), ["E0729", "N0703"]);
    assert_eq!(found(Side::Response, one, other), ["E0729", "E0705", "N0703", "N0703"]);
    let closed = r#", "additionalProperties": false"#;
    assert_eq!(found(Side::Request, closed, closed), ["E0706", "N0702"]);
    assert_eq!(found(Side::Response, closed, closed), ["E0707", "W0701"]);
}

#[test]
fn similar_names_come_before_equal_schemas() {
    let old = object(r#""userName": {"type": "string"}, "mail": {"type": "string"}"#, "");
    let new = object(r#""contact": {"type": "string"}, "user_name": {"type": "string", "minLength": 1}"#, "");
    let found = helps(Side::Request, &old, &new);
    let names: Vec<&str> =
        found.iter().filter(|(code, _)| code == "W0701").filter_map(|(_, name)| name.as_deref()).collect();
    assert_eq!(names, ["user_name", "contact"], "{found:?}");
}

#[test]
fn names_that_are_only_required_count_too() {
    let of = |name: &str| format!(r#"{{"type": "object", "required": ["{name}"]}}"#);
    let found = helps(Side::Request, &of("colour"), &of("color"));
    assert_eq!(found[0], ("E0704".to_owned(), Some("color".to_owned())));
}

#[test]
fn several_candidates_give_no_name() {
    let old = object(r#""a1": {"type": "string"}"#, "");
    let new = object(r#""first": {"type": "string"}, "second": {"type": "string"}"#, "");
    assert!(helps(Side::Request, &old, &new).iter().all(|(_, name)| name.is_none()));
    // Only one of them is required as the old one was.
    let old = object(r#""a1": {"type": "string"}"#, r#", "required": ["a1"]"#);
    let new = object(r#""first": {"type": "string"}, "second": {"type": "string"}"#, r#", "required": ["second"]"#);
    let found = helps(Side::Request, &old, &new);
    assert!(found.contains(&("E0704".to_owned(), Some("second".to_owned()))), "{found:?}");
}
