//! The changes of generated types that the source of a caller may notice.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_codegen::{Language, Options, surface};
use capgen_manifest::{AgentId, Capability, Manifest, Side, TransportSettings};
use capgen_schema::Schema;

fn contract(side: Side, schema: &str) -> Manifest {
    let schema = Some(Schema::parse_text(schema).unwrap());
    let mut call = Capability::new("call");
    match side {
        Side::Request => call.input = schema,
        Side::Response => call.output = schema,
    }
    Manifest {
        agent: AgentId::new("agent").unwrap(),
        transports: vec![TransportSettings::memory("calls")],
        capabilities: vec![call],
    }
}

/// The changes as `rs: text` and `ts: text`.
fn changes(side: Side, old: &str, new: &str) -> Vec<String> {
    let changes = surface::changes(&contract(side, old), &contract(side, new), &Options::default());
    let shown = changes.iter().map(|change| {
        assert_eq!((change.capability.as_str(), change.side), ("call", side));
        format!("{}: {}", if change.language == Language::Rust { "rs" } else { "ts" }, change.text)
    });
    shown.collect()
}

fn object(properties: &str, required: &str) -> String {
    format!(r#"{{"type": "object", "properties": {{{properties}}}, "required": [{required}]}}"#)
}

#[test]
fn equal_contracts_have_no_changes_and_neither_have_new_optional_fields() {
    let old = object(r#""a": {"type": "string"}"#, r#""a""#);
    let new = object(r#""a": {"type": "string", "description": "d"}, "b": {"type": "integer"}"#, r#""a""#);
    for side in Side::ALL {
        assert_eq!(changes(side, &old, &old), Vec::<String>::new());
        assert_eq!(changes(side, &old, &new), Vec::<String>::new());
    }
}

#[test]
fn a_property_that_is_now_required_changes_the_constructor_of_requests() {
    let old = object(r#""a": {"type": "string"}, "b": {"type": "integer"}"#, r#""a""#);
    let new = object(r#""a": {"type": "string"}, "b": {"type": "integer"}"#, r#""a", "b""#);
    assert_eq!(
        changes(Side::Request, &old, &new),
        [
            "rs: field `b` of `CallRequest` changed from `Option<i64>` to `i64`",
            "rs: constructor `new` of `CallRequest` changed from `(a: String)` to `(a: String, b: i64)`",
            "ts: property `b` of `CallRequest` changed from `number | undefined` to `number`",
        ]
    );
    assert_eq!(
        changes(Side::Response, &old, &new),
        [
            "rs: field `b` of `CallResponse` changed from `Option<i64>` to `i64`",
            "ts: property `b` of `CallResponse` changed from `number | undefined` to `number`",
        ]
    );
    // A sender may still give the value, but the field of the struct is an `Option`.
    assert_eq!(
        changes(Side::Request, &new, &old),
        [
            "rs: field `b` of `CallRequest` changed from `i64` to `Option<i64>`",
            "rs: constructor `new` of `CallRequest` changed from `(a: String, b: i64)` to `(a: String)`",
        ]
    );
}

#[test]
fn a_new_variant_matters_only_in_responses() {
    let (old, new) = (r#"{"enum": ["a", "b"]}"#, r#"{"enum": ["a", "b", "c"]}"#);
    assert_eq!(changes(Side::Request, old, new), Vec::<String>::new());
    assert_eq!(
        changes(Side::Response, old, new),
        ["rs: variant `C` of `CallResponse` added", "ts: variant `\"c\"` of `CallResponse` added"]
    );
    assert_eq!(
        changes(Side::Request, new, old),
        ["rs: variant `C` of `CallRequest` removed", "ts: variant `\"c\"` of `CallRequest` removed"]
    );
    let tagged = |kinds: &[&str]| {
        let branch = |kind: &&str| {
            format!(r#"{{"type": "object", "properties": {{"kind": {{"const": "{kind}"}}}}, "required": ["kind"]}}"#)
        };
        format!(r#"{{"oneOf": [{}]}}"#, kinds.iter().map(branch).collect::<Vec<_>>().join(","))
    };
    let found = changes(Side::Response, &tagged(&["x", "y"]), &tagged(&["x", "y", "z"]));
    assert_eq!(found, ["rs: variant `Z` of `CallResponse` added", "ts: variant `Z` of `CallResponse` added"]);
}

#[test]
fn a_removed_type_is_reported_without_its_parts() {
    let inner = object(r#""x": {"type": "integer"}"#, r#""x""#);
    let found = changes(
        Side::Response,
        &object(&format!(r#""a": {inner}"#), r#""a""#),
        &object(r#""a": {"type": "string"}"#, r#""a""#),
    );
    assert_eq!(
        found,
        [
            "rs: field `a` of `CallResponse` changed from `CallResponseA` to `String`",
            "rs: type `CallResponseA` removed",
            "ts: property `a` of `CallResponse` changed from `CallResponseA` to `string`",
            "ts: type `CallResponseA` removed",
        ]
    );
}
