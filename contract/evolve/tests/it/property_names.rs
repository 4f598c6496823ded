//! Changes of `propertyNames`: whether they break depends on the names that the new assertions reject, not on their
//! text.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_evolve::{Level, Settings, compare};
use capgen_manifest::{AgentId, Capability, Manifest, Side, TransportSettings};
use capgen_schema::Schema;

fn contract(side: Side, schema: &str) -> Manifest {
    let schema = Some(Schema::parse_text(schema).unwrap());
    let mut capability = Capability::new("count");
    match side {
        Side::Request => capability.input = schema,
        Side::Response => capability.output = schema,
    }
    let agent = AgentId::new("shop").unwrap();
    Manifest::new(agent, vec![TransportSettings::memory("calls")], vec![capability])
}

/// A map to integers with these assertions about its keys.
fn map(names: &str) -> String {
    format!(r#"{{"type": "object", "propertyNames": {names}, "additionalProperties": {{"type": "integer"}}}}"#)
}

/// The finding of a change: its code, its level and the payload that proves it.
pub(crate) fn change(side: Side, old: &str, new: &str) -> (String, Level, Option<String>) {
    let comparison = compare(&contract(side, old), &contract(side, new), Settings::default());
    assert_eq!(comparison.findings.len(), 1, "{:#?}", comparison.findings);
    let finding = comparison.findings.first().unwrap();
    let witness = finding.witness.as_ref().map(|witness| witness.payload.canonical());
    (finding.code.as_str().to_owned(), finding.level, witness)
}

#[test]
fn fewer_names_break_requests_and_more_names_break_responses() {
    let (many, few) = (map(r#"{"pattern": "^[a-z]+$"}"#), map(r#"{"pattern": "^[a-z]{1,3}$"}"#));
    let proof = Some(r#"{"aaaa":0}"#.to_owned());
    assert_eq!(change(Side::Request, &many, &few), ("E0714".to_owned(), Level::Breaking, proof.clone()));
    assert_eq!(change(Side::Request, &few, &many), ("N0702".to_owned(), Level::Safe, None));
    assert_eq!(change(Side::Response, &many, &few), ("N0703".to_owned(), Level::Safe, None));
    assert_eq!(change(Side::Response, &few, &many), ("E0715".to_owned(), Level::Breaking, proof));
}

#[test]
fn an_added_assertion_breaks_requests_with_a_name_that_it_rejects() {
    let any = r#"{"type": "object", "additionalProperties": {"type": "integer"}}"#;
    let long = map(r#"{"minLength": 2}"#);
    let (code, level, proof) = change(Side::Request, any, &long);
    assert_eq!((code.as_str(), level, proof.as_deref()), ("E0714", Level::Breaking, Some(r#"{"a":0}"#)));
    let (code, level, proof) = change(Side::Response, &long, any);
    assert_eq!((code.as_str(), level, proof.as_deref()), ("E0715", Level::Breaking, Some(r#"{"a":0}"#)));
}

#[test]
fn another_text_for_the_same_names_is_safe() {
    let (one, other) = (map(r#"{"pattern": "^[ab]{2}$"}"#), map(r#"{"pattern": "^(a|b)(a|b)$"}"#));
    for side in Side::ALL {
        let (_, level, proof) = change(side, &one, &other);
        assert_eq!((level, proof), (Level::Safe, None));
    }
}

#[test]
fn names_that_no_declared_property_has_do_not_matter_to_closed_objects() {
    let closed = |names: &str| {
        format!(
            r#"{{"type": "object", "properties": {{"ab": {{}}}}, "additionalProperties": false, "propertyNames": {names}}}"#
        )
    };
    let (_, level, proof) = change(Side::Request, &closed(r#"{"maxLength": 9}"#), &closed(r#"{"maxLength": 2}"#));
    assert_eq!((level, proof), (Level::Safe, None));
}
