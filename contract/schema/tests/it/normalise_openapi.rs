//! Keywords of OpenAPI: `nullable`, `discriminator`, formats that are not checked, and keywords next to `$ref`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_schema::{Json, Reading, Schema, Validator, normalise_noting};
use serde_json::{Value, json};

const OPENAPI_3_0: &str = "https://spec.openapis.org/oas/3.0/schema/2021-09-28";
const OPENAPI_3_1: &str = "https://spec.openapis.org/oas/3.1/dialect/base";

/// The output without `$schema`, and the readings with their pointers.
fn read(dialect: &str, source: &Value) -> (Value, Vec<(Reading, String)>) {
    let mut source = source.clone();
    source["$schema"] = json!(dialect);
    let (output, notes) = normalise_noting(&Json::try_from(&source).unwrap()).unwrap();
    let mut output: Value = serde_json::from_str(&output.canonical()).unwrap();
    output.as_object_mut().unwrap().remove("$schema");
    (output, notes.into_iter().map(|note| (note.reading, note.pointer)).collect())
}

#[track_caller]
fn check(dialect: &str, source: Value, expected: Value, notes: &[(Reading, &str)]) {
    let (output, found) = read(dialect, &source);
    assert_eq!(output, expected);
    let found: Vec<_> = found.iter().map(|(reading, at)| (*reading, at.as_str())).collect();
    assert_eq!(found, notes);
}

#[track_caller]
fn accepts(schema: &Value, valid: &[Value], invalid: &[Value]) {
    let validator = Validator::new(&Schema::parse(&Json::try_from(schema).unwrap()).unwrap());
    for payload in valid {
        assert!(validator.is_valid(payload), "{payload} is valid: {schema}");
    }
    for payload in invalid {
        assert!(!validator.is_valid(payload), "{payload} is invalid: {schema}");
    }
}

#[test]
fn nullable_next_to_a_type_has_a_meaning_in_openapi_3_0_alone() {
    let source = json!({"type": "string", "nullable": true});
    let expected = json!({"type": ["string", "null"]});
    check(OPENAPI_3_0, source.clone(), expected.clone(), &[]);
    for other in
        [OPENAPI_3_1, "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"]
    {
        check(other, source.clone(), expected.clone(), &[(Reading::Nullable, "/nullable")]);
    }
}

#[test]
fn nullable_alone_in_a_union_is_the_type_null() {
    for keyword in ["anyOf", "oneOf"] {
        let source = json!({keyword: [{"type": "integer"}, {"nullable": true, "description": "none"}]});
        let expected = json!({keyword: [{"type": "integer"}, {"type": "null", "description": "none"}]});
        check(OPENAPI_3_0, source, expected, &[(Reading::Nullable, &format!("/{keyword}/1/nullable"))]);
    }
    // It has no effect on a schema that accepts null anyway.
    check(OPENAPI_3_0, json!({"properties": {"a": {"nullable": true}}}), json!({"properties": {"a": {}}}), &[]);
}

#[test]
fn nullable_in_a_branch_of_all_of_has_no_effect() {
    let source = json!({"allOf": [{"type": "string"}, {"nullable": true, "description": "d"}]});
    let (output, notes) = read(OPENAPI_3_0, &source);
    accepts(&output, &[json!("a")], &[Value::Null]);
    assert_eq!(notes, [(Reading::Nullable, "/allOf/1/nullable".to_owned())]);
}

#[test]
fn nullable_next_to_keywords_that_reject_null_allows_it() {
    let schemas = json!({"schemas": {"A": {"type": "string", "minLength": 2}}});
    let reference = json!({"$ref": "#/components/schemas/A"});
    for (name, value) in [
        ("$ref", json!("#/components/schemas/A")),
        ("allOf", json!([reference])),
        ("oneOf", json!([reference])),
        ("anyOf", json!([reference])),
        ("const", json!("aa")),
        ("enum", json!(["aa", "b"])),
    ] {
        for with_type in [false, true] {
            let mut property = json!({name: value, "nullable": true, "description": "d"});
            if with_type {
                property["type"] = json!("string");
            }
            let source = json!({"properties": {"a": property}, "components": schemas});
            let (output, notes) = read(OPENAPI_3_0, &source);
            accepts(&output, &[json!({"a": "aa"}), json!({"a": null})], &[json!({"a": "c"}), json!({"a": 1})]);
            assert_eq!(output["properties"]["a"]["description"], "d", "{name}");
            assert!(notes.contains(&(Reading::Nullable, "/properties/a/nullable".to_owned())), "{name} {notes:?}");
        }
    }
    let has_null = json!({"nullable": true, "anyOf": [{"type": "string"}, {"type": "null"}]});
    check(OPENAPI_3_0, has_null, json!({"anyOf": [{"type": "string"}, {"type": "null"}]}), &[]);
}

#[test]
fn problems_below_a_moved_schema_have_their_place() {
    let source = json!({"$schema": OPENAPI_3_0, "nullable": true, "oneOf": [{"type": "strin"}]});
    let problems = normalise_noting(&Json::try_from(&source).unwrap()).unwrap_err();
    assert_eq!(problems[0].pointer, "/oneOf/0/type");
}

#[test]
fn keywords_next_to_a_reference_are_ignored_in_earlier_dialects() {
    let source = json!({"$ref": "#/definitions/A", "type": "integer", "definitions": {"A": {"type": "string"}}});
    let expected = json!({"$ref": "#/definitions/A", "definitions": {"A": {"type": "string"}}});
    for dialect in [OPENAPI_3_0, "http://json-schema.org/draft-07/schema#"] {
        check(dialect, source.clone(), expected.clone(), &[(Reading::Ignored, "/type")]);
    }
}

#[test]
fn unknown_formats_are_kept_and_not_checked() {
    let source = json!({"properties": {
        "a": {"type": "string", "format": "phone"}, "b": {"type": "string", "format": "int32"},
        "c": {"type": "integer", "format": "int8"}, "d": {"type": "number", "format": "double"}}});
    let expected = json!({"properties": {
        "a": {"type": "string", "x-format": "phone"}, "b": {"type": "string", "x-format": "int32"},
        "c": {"type": "integer", "minimum": -128, "maximum": 127}, "d": {"type": "number"}}});
    let note = |at| (Reading::UncheckedFormat, at);
    check(OPENAPI_3_1, source, expected, &[note("/properties/a/format"), note("/properties/b/format")]);
}

/// A union of two components, each with a property `kind`, and a discriminator.
fn pets(mapping: Value, [cat, dog]: [Value; 2]) -> Value {
    let mut discriminator = json!({"propertyName": "kind"});
    if !mapping.is_null() {
        discriminator["mapping"] = mapping;
    }
    json!({
        "oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
        "discriminator": discriminator,
        "components": {"schemas": {"Cat": cat, "Dog": dog}},
    })
}

fn pet(kind: Value) -> Value {
    json!({"type": "object", "properties": {"kind": kind, "name": {"type": "string"}}, "required": ["name"]})
}

#[test]
fn a_discriminator_gives_each_branch_its_value() {
    let text = || pet(json!({"type": "string"}));
    let reference = |name: &str| json!(format!("#/components/schemas/{name}"));
    let mapping = json!({"c": reference("Cat"), "d": "Dog", "wolf": reference("Dog")});
    for (mapping, cat, dogs) in [(mapping, "c", ["d", "wolf"]), (Value::Null, "Cat", ["Dog", "Dog"])] {
        let (output, notes) = read(OPENAPI_3_0, &pets(mapping, [text(), text()]));
        let valid: Vec<Value> = [cat, dogs[0], dogs[1]].iter().map(|kind| json!({"kind": kind, "name": "a"})).collect();
        accepts(&output, &valid, &[json!({"name": "a"}), json!({"kind": "x", "name": "a"}), json!({"kind": cat})]);
        assert_eq!(notes, [(Reading::Discriminator, "/discriminator".to_owned())]);
        // The definitions themselves have the property, because nothing else uses them.
        assert_eq!(output["oneOf"][0], json!({"$ref": "#/definitions/Cat"}));
        assert_eq!(output["definitions"]["Cat"]["required"], json!(["name", "kind"]));
        assert_eq!(output["definitions"]["Cat"]["properties"]["kind"], json!({"const": cat}));
    }
}

#[test]
fn constants_of_the_branches_decide_before_the_mapping() {
    // As pydantic writes it: a default instead of `required`.
    let tag = |value: &str| pet(json!({"const": value, "default": value, "title": "Kind"}));
    let mapping = json!({"x": "#/components/schemas/Cat"});
    let (output, notes) = read(OPENAPI_3_1, &pets(mapping, [tag("cat"), tag("dog")]));
    accepts(
        &output,
        &[json!({"kind": "cat", "name": "a"})],
        &[json!({"kind": "x", "name": "a"}), json!({"name": "a"})],
    );
    assert_eq!(notes.len(), 1);
    let properties = &output["definitions"]["Cat"]["properties"];
    assert_eq!(properties["kind"], json!({"const": "cat", "default": "cat", "title": "Kind"}));
}

#[test]
fn complete_branches_stay_as_they_are() {
    let tag = |value: &str| json!({"type": "object", "properties": {"kind": {"enum": [value]}}, "required": ["kind"]});
    let source = pets(Value::Null, [tag("cat"), tag("dog")]);
    let (output, notes) = read(OPENAPI_3_1, &source);
    assert_eq!(notes, []);
    assert_eq!(output["definitions"], source["components"]["schemas"]);
}

#[test]
fn inherited_properties_are_those_of_the_branch() {
    let kind = json!({"type": "string", "enum": ["Dog", "Cat"]});
    let base =
        json!({"type": "object", "required": ["kind"], "properties": {"kind": {"$ref": "#/components/schemas/Kind"}}});
    let animal = |own: &str| json!({"allOf": [{"$ref": "#/components/schemas/Base"}, {"required": [own]}]});
    let mut source = pets(Value::Null, [animal("lives"), animal("bark")]);
    source["components"]["schemas"]["Base"] = base;
    source["components"]["schemas"]["Kind"] = kind;
    let (output, _) = read(OPENAPI_3_0, &source);
    accepts(
        &output,
        &[json!({"kind": "Dog", "bark": 1, "lives": 9})],
        &[json!({"kind": "Dog", "lives": 9}), json!({"kind": "x", "bark": 1}), json!({"bark": 1})],
    );
}

#[test]
fn a_definition_with_other_uses_stays_and_the_branch_has_the_property() {
    let text = || pet(json!({"type": "string"}));
    let mut source = pets(Value::Null, [text(), text()]);
    source["properties"] = json!({"friend": {"$ref": "#/components/schemas/Cat"}});
    let (output, _) = read(OPENAPI_3_0, &source);
    assert_eq!(output["definitions"]["Cat"], text());
    accepts(
        &output,
        &[json!({"kind": "Cat", "name": "a", "friend": {"name": "b"}})],
        &[json!({"kind": "x", "name": "a"}), json!({"kind": "Cat", "name": "a", "friend": {}})],
    );
}

#[test]
fn a_null_branch_has_no_value() {
    let mut source = pets(Value::Null, [pet(json!({"const": "cat"})), pet(json!({"const": "dog"}))]);
    source["oneOf"].as_array_mut().unwrap().push(json!({"type": "null"}));
    let (output, notes) = read(OPENAPI_3_1, &source);
    accepts(&output, &[Value::Null, json!({"kind": "dog", "name": "a"})], &[json!({"name": "a"})]);
    assert_eq!(notes.len(), 1);
}

#[test]
fn branches_that_overlap_are_named() {
    let closed = || json!({"type": "object", "additionalProperties": false, "properties": {"name": {}}});
    let either = || pet(json!({"enum": ["a", "b"]}));
    let number = || pet(json!({"type": "integer"}));
    for (branches, expected) in [
        ([either(), either()], "the discriminator `kind`: the branches `Cat` and `Dog` allow the same value"),
        ([closed(), closed()], "the discriminator `kind`: the branch `Cat` does not allow its value"),
        ([number(), number()], "the discriminator `kind`: the branch `Cat` does not allow its value"),
    ] {
        let mut source = pets(Value::Null, branches.clone());
        source["$schema"] = json!(OPENAPI_3_1);
        let (output, notes) = normalise_noting(&Json::try_from(&source).unwrap()).unwrap();
        let found: Vec<_> = notes.iter().map(|note| (note.reading, note.reason.as_str())).collect();
        assert_eq!(found, [(Reading::Overlap, expected)]);
        let cat = output.pointer("/definitions/Cat").unwrap();
        assert_eq!(*cat, Json::try_from(&branches[0]).unwrap(), "nothing changes");
    }
}
