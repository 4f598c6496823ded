//! The changes of generated types that the source of a caller or a provider may notice.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_codegen::{Options, public_items};
use capgen_manifest::{AgentId, Capability, Manifest, Side, TransportSettings};
use capgen_schema::Schema;

fn contract(side: Side, schema: &str) -> Manifest {
    let schema = Some(Schema::parse_text(schema).unwrap());
    let mut call = Capability::new("call");
    match side {
        Side::Request => call.input = schema,
        Side::Response => call.output = schema,
    }
    Manifest::new(AgentId::new("agent").unwrap(), vec![TransportSettings::memory("calls")], vec![call])
}

/// The changes as `rs: text` and `ts: text`.
fn changes(side: Side, old: &str, new: &str) -> Vec<String> {
    let changes = public_items::changes(&contract(side, old), &contract(side, new), &Options::default());
    let shown = changes.iter().map(|change| {
        assert_eq!((change.capability.as_str(), change.side), ("call", Some(side)));
        format!("{}: {}", if change.language == "Rust" { "rs" } else { "ts" }, change.text)
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
fn a_property_that_is_now_required_changes_the_code_of_senders() {
    let old = object(r#""a": {"type": "string"}, "b": {"type": "integer"}"#, r#""a""#);
    let new = object(r#""a": {"type": "string"}, "b": {"type": "integer"}"#, r#""a", "b""#);
    for (side, ty, sender, receiver) in [
        (Side::Request, "CallRequest", "callers", "providers"),
        (Side::Response, "CallResponse", "providers", "callers"),
    ] {
        assert_eq!(
            changes(side, &old, &new),
            [
                format!("rs: field `b` of `{ty}` changed from `Option<i64>` to `i64`"),
                format!(
                    "rs: constructor `new` of `{ty}` changed from `(a: String)` to `({ty}Required {{ a: String, b: i64 }})` (affects {sender})"
                ),
                format!("ts: property `b` of `{ty}` changed from `number | undefined` to `number` (affects {sender})"),
            ]
        );
        // A sender may still give the value, but the field of the struct is an `Option`.
        assert_eq!(
            changes(side, &new, &old),
            [
                format!("rs: field `b` of `{ty}` changed from `i64` to `Option<i64>`"),
                format!(
                    "rs: constructor `new` of `{ty}` changed from `({ty}Required {{ a: String, b: i64 }})` to `(a: String)` (affects {sender})"
                ),
                format!(
                    "ts: property `b` of `{ty}` changed from `number` to `number | undefined` (affects {receiver})"
                ),
            ]
        );
        let without = object(r#""a": {"type": "string"}"#, r#""a""#);
        assert_eq!(
            changes(side, &without, &new),
            [
                format!(
                    "rs: constructor `new` of `{ty}` changed from `(a: String)` to `({ty}Required {{ a: String, b: i64 }})` (affects {sender})"
                ),
                format!("ts: required property `b` of `{ty}` added (affects {sender})"),
            ]
        );
    }
}

#[test]
fn a_new_variant_changes_the_code_of_receivers() {
    let (old, new) = (r#"{"enum": ["a", "b"]}"#, r#"{"enum": ["a", "b", "c"]}"#);
    assert_eq!(
        changes(Side::Request, old, new),
        [
            "rs: variant `C` of `CallRequest` added (affects providers)",
            "ts: variant `\"c\"` of `CallRequest` added (affects providers)"
        ]
    );
    assert_eq!(
        changes(Side::Response, old, new),
        [
            "rs: variant `C` of `CallResponse` added (affects callers)",
            "ts: variant `\"c\"` of `CallResponse` added (affects callers)"
        ]
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
    assert_eq!(
        found,
        [
            "rs: variant `Z` of `CallResponse` added (affects callers)",
            "ts: variant `Z` of `CallResponse` added (affects callers)"
        ]
    );
    let found = changes(Side::Request, &tagged(&["x", "y"]), &tagged(&["z", "y", "x"]));
    assert_eq!(
        found,
        [
            "rs: variant `Z` of `CallRequest` added (affects providers)",
            "ts: variant `Z` of `CallRequest` added (affects providers)"
        ]
    );
}

#[test]
fn the_order_of_keys_changes_nothing() {
    let inner = r#""inner": {"type": "array", "items": {"anyOf": [{"type": "object", "properties": {"x": {}, "y": {"enum": ["a", "b"]}}}, {"type": "null"}]}}"#;
    let old =
        object(&format!(r#""from": {{"type": "string"}}, "to": {{"type": "string"}}, {inner}"#), r#""from", "to""#);
    let sorted = inner.replace(r#""x": {}, "y": {"enum": ["a", "b"]}"#, r#""y": {"enum": ["a", "b"]}, "x": {}"#);
    let new =
        object(&format!(r#"{sorted}, "to": {{"type": "string"}}, "from": {{"type": "string"}}"#), r#""to", "from""#);
    for side in Side::ALL {
        assert_eq!(changes(side, &old, &new), Vec::<String>::new());
    }
}

#[test]
fn the_order_of_the_values_of_an_enum_is_reported_once() {
    let (old, new) = (r#"{"enum": ["low", "medium", "high"]}"#, r#"{"enum": ["high", "low", "new", "medium"]}"#);
    assert_eq!(
        changes(Side::Response, old, new),
        [
            "rs: value `\"high\"` of type `CallResponse` now comes before `\"low\"`",
            "rs: variant `New` of `CallResponse` added (affects callers)",
            "ts: value `\"high\"` of type `CallResponse` now comes before `\"low\"`",
            "ts: variant `\"new\"` of `CallResponse` added (affects callers)",
        ]
    );
    // New and removed values alone leave the order of the others.
    let moved = |changes: Vec<String>| changes.into_iter().filter(|text| text.contains("now comes")).count();
    assert_eq!(moved(changes(Side::Response, r#"{"enum": ["a", "b", "c"]}"#, r#"{"enum": ["x", "a", "c", "y"]}"#)), 0);
    // A type that is written in place has no order in TypeScript.
    let inside = |values: &str| object(&format!(r#""list": {{"type": "array", "items": {{"enum": [{values}]}}}}"#), "");
    let found = changes(Side::Request, &inside(r#""a", "b""#), &inside(r#""b", "a""#));
    assert!(found.iter().any(|text| text.starts_with("rs: value `\"b\"`")), "{found:?}");
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
            "rs: constructor `new` of `CallResponse` changed from `(a: CallResponseA)` to `(a: String)` (affects providers)",
            "rs: type `CallResponseA` removed",
            "ts: property `a` of `CallResponse` changed from `CallResponseA` to `string`",
            "ts: type `CallResponseA` removed",
        ]
    );
}

#[test]
fn a_side_that_gets_or_loses_its_schema_has_another_type() {
    let typed = object(r#""a": {"type": "string"}"#, r#""a""#);
    for side in Side::ALL {
        let mut loose = contract(side, "true");
        let typed = contract(side, &typed);
        let everything = loose.clone();
        (loose.capabilities[0].input, loose.capabilities[0].output) = (None, None);
        let texts = |old, new| -> Vec<String> {
            public_items::changes(old, new, &Options::default()).into_iter().map(|change| change.text).collect()
        };
        let ty = if side == Side::Request { "CallRequest" } else { "CallResponse" };
        assert_eq!(
            texts(&loose, &typed),
            [
                format!("type `{ty}` changed from `Value` to `struct`"),
                format!("type `{ty}` changed from `unknown` to `interface`")
            ]
        );
        assert_eq!(
            texts(&typed, &loose),
            [
                format!("type `{ty}` changed from `struct` to `Value`"),
                format!("type `{ty}` changed from `interface` to `unknown`")
            ]
        );
        // In TypeScript, a schema that accepts everything has the type of a side without one.
        assert_eq!(texts(&loose, &everything), [format!("type `{ty}` changed from `Value` to `struct of Value`")]);
    }
}

#[test]
fn a_definition_matters_to_the_programs_that_use_it() {
    let of = |values: &str| {
        format!(
            r##"{{"type": "object", "properties": {{"kind": {{"$ref": "#/definitions/kind"}}}}, "definitions": {{"kind": {{"enum": [{values}]}}}}}}"##
        )
    };
    let (old, new) = (of(r#""a", "b""#), of(r#""a", "b", "c""#));
    assert_eq!(changes(Side::Request, &old, &new)[0], "rs: variant `C` of `Kind` added (affects providers)");
    assert_eq!(changes(Side::Response, &old, &new)[0], "rs: variant `C` of `Kind` added (affects callers)");
    let both = |schema: &str| {
        let mut contract = contract(Side::Request, schema);
        contract.capabilities[0].output = contract.capabilities[0].input.clone();
        contract
    };
    let found = public_items::changes(&both(&old), &both(&new), &Options::default());
    assert_eq!(found[0].text, "variant `C` of `Kind` added");
}

#[test]
fn alternatives_inside_a_type_are_not_alternatives_of_it() {
    // In TypeScript, the type of the property is written in place.
    let of = |inner: &str, outer: &str| {
        object(&format!(r#""list": {{"type": {outer}, "items": {{"type": {inner}}}}}"#), r#""list""#)
    };
    let array = of(r#""string""#, r#""array""#);
    let ts = |old: &str, new: &str| {
        changes(Side::Request, old, new).into_iter().filter(|text| text.starts_with("ts")).collect::<Vec<_>>()
    };
    assert_eq!(
        ts(&array, &of(r#""string""#, r#"["array", "null"]"#)),
        [
            "ts: property `list` of `CallRequest` changed from `Array<string>` to `Array<string> | null` (affects providers)"
        ]
    );
    assert_eq!(
        ts(&array, &of(r#"["string", "null"]"#, r#""array""#)),
        ["ts: property `list` of `CallRequest` changed from `Array<string>` to `Array<string | null>`"]
    );
}
