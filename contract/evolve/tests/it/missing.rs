//! The parts of the requester's contract that the provider does not know, in the cells of a matrix.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_evolve::{CallSettings, Compatibility, MatrixVersion, matrix};
use capgen_manifest::{Capability, Side};
use capgen_schema::Schema;
use serde_json::{Value, json};

fn capability(side: Side, schema: &Value) -> Capability {
    let schema = Some(Schema::parse_text(&schema.to_string()).unwrap());
    let mut capability = Capability::new("notify");
    match side {
        Side::Request => capability.input = schema,
        Side::Response => capability.output = schema,
    }
    capability
}

/// The status of a requester and a provider, and the parts that the provider does not know.
fn cell(side: Side, requester: &Value, provider: &Value) -> (String, Vec<String>) {
    let versions = [requester, provider].map(|schema| capability(side, schema));
    let versions =
        versions.each_ref().map(|capability| MatrixVersion { capability, contract: std::slice::from_ref(capability) });
    let cells = matrix(&versions, &CallSettings::default());
    let cell = cells.first().and_then(|row| row.get(1)).unwrap();
    let missing = match cell {
        Compatibility::Full => Vec::new(),
        Compatibility::Partial(restrictions) => restrictions.clone(),
        Compatibility::Incompatible { missing, .. } => missing.clone(),
    };
    let prefix = "the provider does not know ";
    let suffix = format!(" of the {}", side.name());
    let shown = missing.iter().map(|text| {
        text.replace(prefix, "").replace(&suffix, "").replace("the request", "").replace("the response", "")
    });
    (cell.name().to_owned(), shown.collect())
}

fn object(properties: Value) -> Value {
    json!({"type": "object", "properties": properties})
}

fn found(status: &str, missing: &[&str]) -> (String, Vec<String>) {
    (status.to_owned(), missing.iter().map(|&text| text.to_owned()).collect())
}

#[test]
fn values_are_missing_in_both_directions() {
    let of = |values: Value| object(json!({"level": {"enum": values}}));
    let (few, many) = (of(json!(["low"])), of(json!(["low", "high", null, 7])));
    let expected = ["the values \"high\", 7 of `/level`"];
    assert_eq!(cell(Side::Request, &many, &few), found("incompatible", &expected));
    assert_eq!(cell(Side::Response, &many, &few), found("partial", &expected));
    assert_eq!(cell(Side::Request, &few, &many), found("full", &[]));
    assert_eq!(cell(Side::Response, &few, &many), found("incompatible", &[]));
    // A provider that lists no values may know all.
    let any = object(json!({"level": {"type": ["string", "integer", "null"]}}));
    assert_eq!(cell(Side::Request, &many, &any), found("full", &[]));
    let texts = object(json!({"level": {"type": ["string", "null"]}}));
    assert_eq!(cell(Side::Request, &many, &texts), found("incompatible", &["the value 7 of `/level`"]));
    let constant = object(json!({"level": {"const": "low"}}));
    assert_eq!(cell(Side::Response, &constant, &few), found("full", &[]));
    assert_eq!(cell(Side::Response, &many, &constant), found("partial", &expected));
}

#[test]
fn long_lists_of_values_are_shortened() {
    let of = |count: u32| json!({"enum": (0..count).collect::<Vec<_>>()});
    let (status, missing) = cell(Side::Response, &of(9), &of(1));
    assert_eq!((status.as_str(), missing.len()), ("partial", 1));
    assert!(missing.iter().all(|text| text.starts_with("the values 1, 2, 3, 4, 5 and 3 more")), "{missing:?}");
}

fn tagged(kind: &str, property: &str) -> Value {
    json!({"type": "object", "required": ["kind"], "additionalProperties": false,
        "properties": {"kind": {"const": kind}, property: {"enum": [kind]}}})
}

#[test]
fn a_missing_branch_is_listed_without_its_parts() {
    let branch = r#"the branch with "kind":"sms" of `/channel`"#;
    for keyword in ["oneOf", "anyOf"] {
        let of = |branches: Value| object(json!({"channel": {keyword: branches}}));
        let two = of(json!([tagged("email", "to"), tagged("sms", "phone")]));
        for one in [of(json!([tagged("email", "to")])), object(json!({"channel": tagged("email", "to")}))] {
            assert_eq!(cell(Side::Request, &two, &one), found("incompatible", &[branch]));
            assert_eq!(cell(Side::Response, &two, &one), found("partial", &[branch]));
            assert_eq!(cell(Side::Request, &one, &two), found("full", &[]));
        }
        let reversed = of(json!([tagged("sms", "phone"), tagged("email", "to")]));
        assert_eq!(cell(Side::Response, &two, &reversed), found("full", &[]));
    }
}

#[test]
fn branches_have_the_names_of_their_definitions() {
    let definitions = json!({"Email": tagged("email", "to"), "Sms": tagged("sms", "phone")});
    let of = |names: &[&str]| {
        let branches: Vec<Value> = names.iter().map(|name| json!({"$ref": format!("#/definitions/{name}")})).collect();
        json!({"type": "object", "definitions": definitions, "properties": {"list": {"type": "array", "items": {"oneOf": branches}}}})
    };
    let expected = ["the branch `Sms` of `/list/*`"];
    assert_eq!(cell(Side::Response, &of(&["Email", "Sms"]), &of(&["Email"])), found("partial", &expected));
}

#[test]
fn branches_without_a_name_are_compared_by_their_values() {
    let of = |branches: Value| json!({"anyOf": branches});
    let two = of(json!([{"type": "string"}, {"type": "integer"}]));
    let missing = found("partial", &[r#"the branch {"type":"integer"}"#]);
    assert_eq!(cell(Side::Response, &two, &of(json!([{"type": "string", "maxLength": 5}]))), missing);
    assert_eq!(cell(Side::Response, &two, &json!({"type": "string"})), missing);
    assert_eq!(
        cell(
            Side::Response,
            &two,
            &of(json!([{"type": "number", "minimum": 0, "maximum": 1, "multipleOf": 1}, {"type": "string"}]))
        )
        .0,
        "full"
    );
    // A value that may be `null` is not a branch of its own.
    let nullable = of(json!([{"type": "string"}, {"type": "null"}]));
    assert_eq!(cell(Side::Response, &nullable, &json!({"type": "string"})), found("full", &[]));
    // The values of enumerations are listed, not their branches.
    let constants = of(json!([{"const": "a"}, {"const": "b"}]));
    assert_eq!(cell(Side::Response, &constants, &json!({"enum": ["a"]})), found("partial", &["the value \"b\""]));
}

/// The branches have no value in common, because each of them is closed and got a property that is required.
#[test]
fn a_branch_that_changed_is_not_missing() {
    let branch = |names: Value, more: Value| {
        let properties: serde_json::Map<String, Value> = names
            .as_array()
            .unwrap()
            .iter()
            .map(|name| (name.as_str().unwrap().to_owned(), json!({"type": "string"})))
            .collect();
        json!({"type": "object", "additionalProperties": false, "properties": properties, "required": more})
    };
    let old = json!({"oneOf": [branch(json!(["to"]), json!(["to"])), branch(json!(["phone"]), json!(["phone"]))]});
    let new = json!({"oneOf": [branch(json!(["to", "id"]), json!(["to", "id"])), branch(json!(["phone", "id"]), json!(["phone", "id"]))]});
    assert_eq!(cell(Side::Request, &old, &new), found("incompatible", &[]));
    assert_eq!(cell(Side::Request, &new, &old), found("incompatible", &["`/id`"]));
}

#[test]
fn versions_that_are_not_served_have_missing_parts_too() {
    let old = Capability {
        version: Some("1.0.0".parse().unwrap()),
        ..capability(Side::Response, &object(json!({"a": {}, "b": {}})))
    };
    let new = Capability {
        version: Some("2.0.0".parse().unwrap()),
        min_schema_version: Some("2.0.0".parse().unwrap()),
        ..capability(Side::Response, &object(json!({"a": {}})))
    };
    let versions =
        [&old, &new].map(|capability| MatrixVersion { capability, contract: std::slice::from_ref(capability) });
    let cells = matrix(&versions, &CallSettings::default());
    let missing = match cells.first().and_then(|row| row.get(1)) {
        Some(Compatibility::Incompatible { missing, .. }) => missing.as_slice(),
        _ => &[],
    };
    assert_eq!(missing, ["the provider does not know `/b` of the response"]);
}
