//! The schemas that `schemars` derives for Rust types, and their normalised form.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![expect(dead_code, reason = "the types are here for their schemas")]

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr};
use std::num::{NonZeroI8, NonZeroU16};

use capgen_schema::{Json, Problem, Schema, normalise};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

/// The normalised schema of a type, without `$schema` and the root's title.
#[track_caller]
fn of<T: JsonSchema>(settings: SchemaSettings) -> Result<Value, Vec<Problem>> {
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let output = normalise(&Json::try_from(schema.as_value()).unwrap())?;
    let parsed = Schema::parse(&output).unwrap_or_else(|problems| panic!("{problems:?}"));
    assert!(parsed.warnings().is_empty(), "{:?}\n{}", parsed.warnings(), output.canonical());
    assert_eq!(normalise(&output).unwrap().canonical(), output.canonical(), "a second time");
    let mut value = output.to_value();
    let root = value.as_object_mut().unwrap();
    assert_eq!(root.remove("$schema"), Some(json!("http://json-schema.org/draft-07/schema#")));
    root.remove("title");
    Ok(value)
}

#[track_caller]
fn check<T: JsonSchema>(expected: Value) {
    for settings in [SchemaSettings::draft07().for_deserialize(), SchemaSettings::draft07().for_serialize()] {
        let found = of::<T>(settings).unwrap_or_else(|problems| panic!("{problems:?}"));
        assert_eq!(found, expected, "{found:#}");
    }
    // The schema in other dialects is equivalent, apart from the place of its definitions.
    let modern = of::<T>(SchemaSettings::draft2020_12()).unwrap_or_else(|problems| panic!("{problems:?}"));
    assert_eq!(modern, expected, "draft 2020-12\n{modern:#}");
}

#[track_caller]
fn check_rejected<T: JsonSchema>(expected: &[(&str, &str)]) {
    let problems = of::<T>(SchemaSettings::draft07()).unwrap_err();
    let found: Vec<(&str, &str)> = problems.iter().map(|p| (p.pointer.as_str(), p.message.as_str())).collect();
    assert_eq!(found, expected);
}

#[derive(JsonSchema)]
struct Numbers {
    a: i8,
    b: u16,
    c: i32,
    d: u32,
    e: i64,
    f: u64,
    g: u128,
    h: usize,
    i: f32,
    j: f64,
    k: NonZeroI8,
    l: NonZeroU16,
    m: Option<u8>,
    n: Vec<Option<i16>>,
    o: Option<NonZeroI8>,
    p: char,
}

#[test]
fn integers_have_the_bounds_of_their_rust_types() {
    let integer = |low: Value, high: Value| json!({"type": "integer", "minimum": low, "maximum": high});
    let u128_max: Value = serde_json::from_str("340282366920938463463374607431768211455").unwrap();
    let schema = SchemaSettings::draft07().into_generator().into_root_schema_for::<Numbers>();
    let output = normalise(&Json::try_from(schema.as_value()).unwrap()).unwrap();
    let property = |name: &str| output.pointer(&format!("/properties/{name}")).unwrap().to_value();
    assert_eq!(property("a"), integer(json!(i8::MIN), json!(i8::MAX)));
    assert_eq!(property("b"), integer(json!(0), json!(u16::MAX)));
    assert_eq!(property("c"), integer(json!(i32::MIN), json!(i32::MAX)));
    assert_eq!(property("d"), integer(json!(0), json!(u32::MAX)));
    assert_eq!(property("e"), integer(json!(i64::MIN), json!(i64::MAX)));
    assert_eq!(property("f"), integer(json!(0), json!(u64::MAX)));
    assert_eq!(property("g"), integer(json!(0), u128_max));
    assert_eq!(property("h"), integer(json!(0), json!(u64::MAX)));
    assert_eq!(property("i"), json!({"type": "number"}));
    assert_eq!(property("j"), json!({"type": "number"}));
    assert_eq!(property("k"), json!({"type": "integer", "minimum": -128, "maximum": 127, "not": {"const": 0}}));
    assert_eq!(property("l"), integer(json!(1), json!(u16::MAX)));
    assert_eq!(property("m"), json!({"type": ["integer", "null"], "minimum": 0, "maximum": 255}));
    assert_eq!(
        property("n"),
        json!({"type": "array", "items": {"type": ["integer", "null"], "minimum": -32768, "maximum": 32767}})
    );
    assert_eq!(
        property("o"),
        json!({"type": ["integer", "null"], "minimum": -128, "maximum": 127, "not": {"const": 0}})
    );
    assert_eq!(property("p"), json!({"type": "string", "minLength": 1, "maxLength": 1}));
}

#[derive(JsonSchema)]
struct Tree {
    value: String,
    children: Vec<Tree>,
}

#[test]
fn a_recursive_root_becomes_a_definition() {
    let properties = json!({
        "value": {"type": "string"},
        "children": {"type": "array", "items": {"$ref": "#/definitions/Tree"}}
    });
    check::<Tree>(json!({
        "$ref": "#/definitions/Tree",
        "definitions": {
            "Tree": {"title": "Tree", "type": "object", "properties": properties, "required": ["value", "children"]}
        }
    }));
}

#[derive(JsonSchema)]
struct Inner {
    x: bool,
}

#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
struct Outer {
    /// One.
    one: Inner,
    /// Maybe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    maybe: Option<Inner>,
    severity: Severity,
    mixed: Mixed,
}

#[derive(JsonSchema)]
enum Severity {
    /// Can wait.
    Low,
    /// Cannot.
    High,
}

#[derive(JsonSchema)]
enum Mixed {
    A,
    B,
    /// With words.
    C,
}

#[test]
fn descriptions_are_kept_next_to_references_and_variants() {
    let of_inner = json!({"type": "object", "properties": {"x": {"type": "boolean"}}, "required": ["x"]});
    check::<Outer>(json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "one": {"description": "One.", "$ref": "#/definitions/Inner"},
            "maybe": {"description": "Maybe.", "anyOf": [{"$ref": "#/definitions/Inner"}, {"type": "null"}]},
            "severity": {"$ref": "#/definitions/Severity"},
            "mixed": {"$ref": "#/definitions/Mixed"}
        },
        "required": ["one", "severity", "mixed"],
        "definitions": {
            "Inner": of_inner,
            "Severity": {"oneOf": [
                {"description": "Can wait.", "type": "string", "const": "Low"},
                {"description": "Cannot.", "type": "string", "const": "High"}
            ]},
            "Mixed": {"oneOf": [
                {"type": "string", "enum": ["A", "B"]},
                {"description": "With words.", "type": "string", "const": "C"}
            ]}
        }
    }));
}

#[derive(JsonSchema)]
#[serde(tag = "kind")]
enum Internal {
    Plain,
    /// Of another type.
    New(Inner),
    Own {
        y: u8,
    },
}

#[derive(JsonSchema)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Unit,
    New(Inner),
    Many(Vec<u8>),
}

#[derive(JsonSchema)]
enum External {
    Unit,
    New(Inner),
    Own { y: bool },
}

#[derive(JsonSchema)]
#[serde(untagged)]
enum Untagged {
    Text(String),
    Number(f64),
    Object(Inner),
    Nothing,
}

#[test]
fn enums_keep_their_tags() {
    let definitions = json!({"Inner": {"type": "object", "properties": {"x": {"type": "boolean"}}, "required": ["x"]}});
    let constant = |value: &str| json!({"type": "string", "const": value});
    let byte = json!({"type": "integer", "minimum": 0, "maximum": 255});
    check::<Internal>(json!({
        "oneOf": [
            {"type": "object", "properties": {"kind": constant("Plain")}, "required": ["kind"]},
            {
                "description": "Of another type.",
                "type": "object",
                "properties": {"kind": constant("New")},
                "required": ["kind"],
                "allOf": [{"$ref": "#/definitions/Inner"}]
            },
            {"type": "object", "properties": {"kind": constant("Own"), "y": byte}, "required": ["kind", "y"]}
        ],
        "definitions": definitions
    }));
    let content = |tag: &str, schema: Value| json!({"type": "object", "properties": {"t": constant(tag), "c": schema}, "required": ["t", "c"]});
    check::<Adjacent>(json!({
        "oneOf": [
            {"type": "object", "properties": {"t": constant("Unit")}, "required": ["t"]},
            content("New", json!({"$ref": "#/definitions/Inner"})),
            content("Many", json!({"type": "array", "items": byte}))
        ],
        "definitions": definitions
    }));
    let variant = |name: &str, schema: Value| json!({"type": "object", "properties": {name: schema}, "required": [name], "additionalProperties": false});
    let own = json!({"type": "object", "properties": {"y": {"type": "boolean"}}, "required": ["y"]});
    check::<External>(json!({
        "oneOf": [
            {"type": "string", "enum": ["Unit"]},
            variant("New", json!({"$ref": "#/definitions/Inner"})),
            variant("Own", own)
        ],
        "definitions": definitions
    }));
    check::<Untagged>(json!({
        "anyOf": [{"type": "string"}, {"type": "number"}, {"$ref": "#/definitions/Inner"}, {"type": "null"}],
        "definitions": definitions
    }));
}

#[derive(JsonSchema)]
struct Collections {
    pair: (u8, u8),
    array: [bool; 3],
    set: BTreeSet<u8>,
    map: BTreeMap<String, bool>,
    by_severity: BTreeMap<Plain, bool>,
    anything: Value,
}

#[derive(JsonSchema, PartialEq, Eq, PartialOrd, Ord)]
enum Plain {
    Low,
    High,
}

#[test]
fn arrays_sets_and_maps_are_supported() {
    let byte = json!({"type": "integer", "minimum": 0, "maximum": 255});
    let boolean = json!({"type": "boolean"});
    check::<Collections>(json!({
        "type": "object",
        "properties": {
            "pair": {"type": "array", "items": byte, "minItems": 2, "maxItems": 2},
            "array": {"type": "array", "items": boolean, "minItems": 3, "maxItems": 3},
            "set": {"type": "array", "items": byte, "uniqueItems": true},
            "map": {"type": "object", "additionalProperties": boolean},
            "by_severity": {
                "type": "object", "properties": {"Low": boolean, "High": boolean}, "additionalProperties": false
            },
            "anything": true
        },
        "required": ["pair", "array", "set", "map", "by_severity", "anything"]
    }));
}

#[derive(JsonSchema)]
struct Flat {
    name: String,
    #[serde(flatten)]
    kind: Internal,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[derive(JsonSchema)]
struct Gen<T> {
    value: T,
}

#[derive(JsonSchema)]
struct Gens {
    a: Gen<u8>,
    b: Gen<String>,
}

#[test]
fn generic_types_have_distinct_names() {
    let of = |value: Value| json!({"type": "object", "properties": {"value": value}, "required": ["value"]});
    check::<Gens>(json!({
        "type": "object",
        "properties": {"a": {"$ref": "#/definitions/Gen"}, "b": {"$ref": "#/definitions/Gen2"}},
        "required": ["a", "b"],
        "definitions": {
            "Gen": of(json!({"type": "integer", "minimum": 0, "maximum": 255})),
            "Gen2": of(json!({"type": "string"}))
        }
    }));
}

#[test]
fn a_flattened_enum_loads() {
    let output = of::<Flat>(SchemaSettings::draft07()).unwrap();
    assert_eq!(output["oneOf"].as_array().unwrap().len(), 3);
    assert_eq!(output["additionalProperties"], true);
}

#[derive(JsonSchema)]
struct Unsupported {
    #[schemars(extend("$dynamicRef" = "#extra"))]
    extra: String,
    nested: Vec<Deep>,
}

#[derive(JsonSchema)]
struct Deep {
    #[schemars(extend("$dynamicRef" = "#point"))]
    point: u8,
}

#[derive(JsonSchema)]
struct Tuples {
    pair: (String, u8),
    point: Option<Point>,
    by_number: BTreeMap<u8, bool>,
}

#[derive(JsonSchema)]
struct Point(f64, String);

#[test]
fn tuples_keep_their_positions() {
    for settings in [SchemaSettings::draft07(), SchemaSettings::draft2020_12()] {
        let output = of::<Tuples>(settings).unwrap();
        let byte = json!({"type": "integer", "minimum": 0, "maximum": 255});
        let pair = json!({"type": "array", "items": [{"type": "string"}, byte], "minItems": 2, "maxItems": 2});
        assert_eq!(output["properties"]["pair"], pair);
        assert_eq!(output["definitions"]["Point"]["items"], json!([{"type": "number"}, {"type": "string"}]));
    }
}

#[test]
fn unsupported_types_are_all_reported_at_once() {
    check_rejected::<Unsupported>(&[
        ("/definitions/Deep/properties/point/$dynamicRef", "`$dynamicRef` is not part of the schema subset"),
        ("/properties/extra/$dynamicRef", "`$dynamicRef` is not part of the schema subset"),
    ]);
}

#[test]
fn ip_addresses_have_a_format_or_a_pattern() {
    let output = of::<Vec<Option<Ipv4Addr>>>(SchemaSettings::draft07()).unwrap();
    assert_eq!(output["items"]["type"], json!(["string", "null"]));
    assert_eq!(output["items"]["format"], json!("ipv4"));
    assert!(of::<IpAddr>(SchemaSettings::draft07()).unwrap()["pattern"].is_string());
}
