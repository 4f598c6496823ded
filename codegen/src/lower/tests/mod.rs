//! Schemas and the types that they become in the model for Rust, in a short notation.

mod bounds;
mod definitions;
mod reach;
mod tuples;

use std::fmt::Write as _;

use capgen_manifest::{Manifest, Source, load};

use crate::model::{Model, Rest, Shape, Tuple, Type};
use crate::rust::Rust;
use crate::target::Target as _;

/// The model for Rust.
fn lower(manifest: &Manifest) -> Model<'_> {
    let mut model = super::lower(manifest);
    Rust.settle(&mut model);
    model
}

fn notation(model: &Model<'_>) -> String {
    let mut out = String::new();
    for def in &model.types {
        let shape = match &def.shape {
            Shape::Record(record) => {
                let mut parts: Vec<String> = record
                    .fields
                    .iter()
                    .map(|f| format!("{}{}: {}", f.ident, if f.required { "" } else { "?" }, ty(model, &f.ty)))
                    .collect();
                match &record.rest {
                    Rest::Closed => parts.push("closed".to_owned()),
                    Rest::Ignored => {}
                    Rest::Kept(rest) => parts.push(format!("..{}", ty(model, rest))),
                }
                format!("{{ {} }}", parts.join(", "))
            }
            Shape::Enum(members) => {
                let members: Vec<String> =
                    members.iter().map(|m| format!("{}={}", m.ident, m.value.canonical())).collect();
                format!("enum {}", members.join(" "))
            }
            Shape::Union(union) => {
                let variants: Vec<String> =
                    union.variants.iter().map(|v| format!("{}({})", v.ident, ty(model, &v.ty))).collect();
                let kind = match (&union.tag, union.disjoint) {
                    (_, false) => "overlapping".to_owned(),
                    (Some(tag), true) => format!("tag {tag}"),
                    (None, true) if union.variants.iter().any(|v| v.key.is_some()) => "by key".to_owned(),
                    (None, true) => "by type".to_owned(),
                };
                format!("{kind}: {}", variants.join(" | "))
            }
            Shape::Alias { target, distinct, .. } => {
                format!("{}{}", if *distinct { "new " } else { "" }, ty(model, target))
            }
        };
        writeln!(out, "{} = {shape}", def.name).unwrap();
    }
    out
}

fn ty(model: &Model<'_>, t: &Type) -> String {
    match t {
        Type::Unknown => "unknown".to_owned(),
        Type::Never => "never".to_owned(),
        Type::Null => "null".to_owned(),
        Type::Boolean => "bool".to_owned(),
        Type::Integer { unsigned: true } => "u64".to_owned(),
        Type::Integer { unsigned: false } => "i64".to_owned(),
        Type::Number => "f64".to_owned(),
        Type::String => "string".to_owned(),
        Type::Array { item, min: 0, max: None } => format!("[{}]", ty(model, item)),
        Type::Array { item, min, max } => {
            format!("[{}; {min}..{}]", ty(model, item), max.map_or(String::new(), |m| m.to_string()))
        }
        Type::Tuple(tuple) => {
            let Tuple { items, rest, min, max } = tuple.as_ref();
            let mut parts: Vec<String> = items.iter().map(|item| ty(model, item)).collect();
            parts.extend(rest.as_ref().map(|rest| format!("..{}", ty(model, rest))));
            let bounds = match t.fixed() {
                Some(_) => String::new(),
                None => format!("; {min}..{}", max.map_or(String::new(), |m| m.to_string())),
            };
            format!("({}{bounds})", parts.join(", "))
        }
        Type::Map(value) => format!("map<{}>", ty(model, value)),
        Type::Nullable(inner) => format!("{}?", ty(model, inner)),
        Type::Named { id, boxed } => format!("{}{}", if *boxed { "box " } else { "" }, model[*id].name),
    }
}

/// The types of a capability `c` whose request has that schema, with `CRequest` abbreviated to `R`.
fn types(schema: &str) -> String {
    let text = format!(
        r#"{{"version": 1, "agent": "agent://a", "transports": [{{"kind": "memory", "topics": {{"requests": "r"}}}}],
            "capabilities": [{{"name": "c", "inputSchema": {schema}}}]}}"#
    );
    let loaded = load(&Source::new("a.json", text)).unwrap_or_else(|e| panic!("{e:#?}"));
    notation(&lower(&loaded.manifest)).replace("CRequest", "R")
}

#[track_caller]
fn check(schema: &str, expected: &str) {
    let actual = types(schema);
    let actual: Vec<&str> = actual.lines().collect();
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(actual, expected, "\n{}\n", actual.join("\n"));
}

#[test]
fn optional_and_nullable_stay_distinct() {
    check(
        r#"{"type": "object", "properties": {"a": {"type": ["string", "null"]}, "b": {"type": "integer"}}, "required": ["a"]}"#,
        "R = { a: string?, b?: i64 }",
    );
}

#[test]
fn bounds_choose_the_integer_type() {
    check(
        r#"{"type": "object", "additionalProperties": false, "properties": {
            "a": {"type": "integer", "minimum": 0}, "b": {"type": "integer", "exclusiveMinimum": -1},
            "c": {"type": "integer", "minimum": -0.5}, "d": {"type": "integer", "minimum": -1},
            "e": {"allOf": [{"type": "integer"}, {"minimum": 3}]}}}"#,
        "R = { a?: u64, b?: u64, c?: u64, d?: i64, e?: u64, closed }",
    );
}

#[test]
fn undeclared_properties_are_rejected_ignored_or_kept() {
    check(r#"{"type": "object", "additionalProperties": false}"#, "R = { closed }");
    check(r#"{"type": "object"}"#, "R = new map<unknown>");
    check(r#"{"type": "object", "additionalProperties": {"type": "number"}}"#, "R = new map<f64>");
    check(
        r#"{"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": true}"#,
        "R = { a?: string, ..unknown }",
    );
    check(r#"{"type": "object", "required": ["ghost"]}"#, "R = { ghost: unknown }");
}

#[test]
fn all_of_merges_properties_of_every_branch() {
    check(
        r##"{"definitions": {"Base": {"type": "object", "properties": {"id": {"type": "string"}, "tag": {"type": ["string", "null"]}}, "required": ["id"]}},
            "type": "object", "required": ["tag"], "properties": {"extra": {"type": "boolean"}},
            "allOf": [{"$ref": "#/definitions/Base"}, {"properties": {"tag": {"type": "string"}}}]}"##,
        "R = { extra?: bool, tag: string, id: string }",
    );
}

#[test]
fn a_closed_schema_forbids_properties_that_its_siblings_declare() {
    check(
        r#"{"allOf": [{"type": "object", "properties": {"a": {}}, "additionalProperties": false}, {"properties": {"b": {"type": "string"}}}]}"#,
        "R = { a?: unknown, b?: never, closed }",
    );
}

#[test]
fn a_reference_with_annotations_stays_a_reference() {
    check(
        r##"{"definitions": {"D": {"type": "object", "properties": {"x": {}}, "additionalProperties": false}},
            "type": "object", "properties": {
              "a": {"$ref": "#/definitions/D", "description": "d"},
              "b": {"allOf": [{"$ref": "#/definitions/D"}], "description": "e"},
              "c": {"type": "object", "allOf": [{"$ref": "#/definitions/D"}]},
              "d": {"anyOf": [{"$ref": "#/definitions/D"}, {"type": "null"}]}}}"##,
        "R = { a?: D, b?: D, c?: D, d?: D? }
         D = { x?: unknown, closed }",
    );
}

#[test]
fn a_tag_is_found_through_references_and_next_to_common_properties() {
    check(
        r##"{"definitions": {
              "Cat": {"type": "object", "properties": {"pet": {"const": "cat"}}, "required": ["pet"]},
              "Dog": {"type": "object", "properties": {"pet": {"enum": ["dog", "puppy"]}}, "required": ["pet"]}},
            "type": "object", "properties": {"owner": {"type": "string"}, "pet": {"type": "string"}}, "required": ["owner"],
            "oneOf": [{"$ref": "#/definitions/Cat"}, {"$ref": "#/definitions/Dog"}]}"##,
        r#"R = tag pet: Cat(RCat) | Dog(RDog)
           RCat = { owner: string, pet: RCatPet }
           RCatPet = enum Cat="cat"
           RDog = { owner: string, pet: RDogPet }
           RDogPet = enum Dog="dog" Puppy="puppy""#,
    );
}

#[test]
fn branches_of_distinct_json_types_are_a_disjoint_union() {
    check(
        r##"{"definitions": {"J": {"oneOf": [{"type": "null"}, {"type": "boolean"}, {"type": "number"}, {"type": "string"},
              {"type": "array", "items": {"$ref": "#/definitions/J"}},
              {"type": "object", "additionalProperties": {"$ref": "#/definitions/J"}}]}}, "$ref": "#/definitions/J"}"##,
        "R = new J
         J = JValue?
         JValue = by type: Boolean(bool) | Number(f64) | String(string) | Array([J]) | Object(map<J>)",
    );
}

#[test]
fn overlapping_branches_stay_overlapping() {
    check(
        r#"{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}"#,
        "R = overlapping: Variant1(RVariant1) | Variant2(RVariant2)
         RVariant1 = { a: string, b?: string }
         RVariant2 = { a?: string, b: string }",
    );
}

#[test]
fn one_of_required_forbids_the_properties_of_its_siblings() {
    check(
        r#"{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}"#,
        "R = by key: A(RA) | B(RB)
         RA = { a: string, b?: never }
         RB = { a?: never, b: string }",
    );
}

#[test]
fn a_property_that_only_one_branch_allows_and_requires_is_its_key() {
    check(
        r##"{"definitions": {"Circle": {"type": "object", "properties": {"r": {"type": "number"}}}}, "oneOf": [
            {"enum": ["Nothing", "All"]},
            {"type": "object", "properties": {"Text": {"type": "string"}}, "required": ["Text"], "additionalProperties": false},
            {"type": "object", "properties": {"Circle": {"$ref": "#/definitions/Circle"}}, "required": ["Circle"], "additionalProperties": false}]}"##,
        r#"R = by key: String(RString) | Text(RText) | Circle(RCircle)
           RString = enum Nothing="Nothing" All="All"
           RText = { text: string, closed }
           RCircle = { circle: Circle, closed }
           Circle = { r?: f64 }"#,
    );
    check(
        r##"{"definitions": {
              "Person": {"type": "object", "properties": {"name": {}, "born": {}}, "required": ["name", "born"], "additionalProperties": false},
              "Firm": {"type": "object", "properties": {"name": {}, "vat": {}}, "required": ["vat"], "additionalProperties": false}},
            "anyOf": [{"$ref": "#/definitions/Person"}, {"$ref": "#/definitions/Firm"}]}"##,
        "R = by key: Person(Person) | Firm(Firm)
         Person = { name: unknown, born: unknown, closed }
         Firm = { name?: unknown, vat: unknown, closed }",
    );
}

#[test]
fn the_only_branch_for_objects_has_the_name_of_its_only_property() {
    check(
        r#"{"oneOf": [{"enum": ["Nothing"]},
            {"type": "object", "properties": {"Text": {"type": "string"}}, "required": ["Text"], "additionalProperties": false}]}"#,
        r#"R = by type: String(RString) | Text(RText)
           RString = enum Nothing="Nothing"
           RText = { text: string, closed }"#,
    );
    check(
        r#"{"oneOf": [{"type": "string"},
            {"type": "object", "properties": {"Text": {"type": "string"}}, "additionalProperties": false}]}"#,
        r#"R = by type: String(string) | Object(RObject)
           RObject = { text?: string, closed }"#,
    );
}

#[test]
fn a_branch_with_two_keys_is_named_after_neither() {
    check(
        r#"{"oneOf": [
            {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["b", "a"], "additionalProperties": false},
            {"type": "object", "properties": {"c": {}}, "required": ["c"], "additionalProperties": false}]}"#,
        "R = by key: Variant1(RVariant1) | C(RC)
         RVariant1 = { a: unknown, b: unknown, closed }
         RC = { c: unknown, closed }",
    );
}

#[test]
fn a_property_that_another_branch_allows_is_not_a_key() {
    let closed =
        r#"{"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a"], "additionalProperties": false}"#;
    for other in [
        r#"{"type": "object", "properties": {"b": {}}, "required": ["b"], "additionalProperties": false}"#,
        r#"{"type": "object", "properties": {"c": {}}, "required": ["c"]}"#,
        r#"{"type": "object", "properties": {"c": {}}, "additionalProperties": false}"#,
    ] {
        let types = types(&format!(r#"{{"anyOf": [{closed}, {other}]}}"#));
        assert!(types.starts_with("R = overlapping: Variant1(RVariant1) | Variant2(RVariant2)"), "{types}");
    }
}

#[test]
fn branches_that_list_strings_are_one_variant_next_to_others() {
    check(
        r#"{"oneOf": [{"type": "string", "const": "a", "description": "first"}, {"type": "integer"}, {"enum": ["b", "c"]}, {"type": "null"}]}"#,
        r#"R = new RValue?
           RValue = by type: String(RString) | Integer(i64)
           RString = enum A="a" B="b" C="c""#,
    );
}

#[test]
fn a_wider_branch_absorbs_a_narrower_one() {
    check(r#"{"anyOf": [{"enum": ["a", "b"]}, {"type": "string"}, {"type": "null"}]}"#, "R = new string?");
    check(r#"{"anyOf": [{"type": "integer"}, {"type": "number"}]}"#, "R = new f64");
    check(r#"{"anyOf": [{"type": "string"}, {}]}"#, "R = new unknown");
}

#[test]
fn branches_of_constants_make_one_enum() {
    check(
        r#"{"oneOf": [{"const": "a", "description": "first"}, {"enum": ["b", 1]}, {"type": "null"}]}"#,
        r#"R = new RValue?
           RValue = enum A="a" B="b" N1=1"#,
    );
}

#[test]
fn impossible_places_are_never() {
    check(
        r#"{"type": "object", "additionalProperties": false, "properties": {
            "a": false, "b": {"allOf": [{"type": "string"}, {"type": "integer"}]}, "c": {"enum": []}, "d": {"not": {}},
            "e": {"type": "string", "not": {"type": "string"}}}}"#,
        "R = { a?: never, b?: never, c?: never, d?: never, e?: never, closed }",
    );
    check(r#"{"type": "object", "properties": {"a": false}, "required": ["a"]}"#, "R = new never");
}

#[test]
fn recursion_is_boxed_only_if_a_value_would_contain_itself() {
    check(
        r##"{"definitions": {"N": {"type": "object", "properties": {
              "children": {"type": "array", "items": {"$ref": "#/definitions/N"}},
              "next": {"oneOf": [{"$ref": "#/definitions/N"}, {"type": "null"}]}}, "required": ["children"], "additionalProperties": false},
              "T": {"type": "array", "items": {"$ref": "#/definitions/T"}}},
            "type": "object", "properties": {"n": {"$ref": "#/definitions/N"}, "t": {"$ref": "#/definitions/T"}}}"##,
        "R = { n?: N, t?: T }
         N = { children: [N], next?: box N?, closed }
         T = new [T]",
    );
}

#[test]
fn merged_references_can_be_recursive() {
    check(
        r##"{"definitions": {
              "A": {"type": "object", "properties": {"next": {"$ref": "#/definitions/AB"}, "a": {"type": "string"}}},
              "B": {"type": "object", "properties": {"next": {"$ref": "#/definitions/AB"}, "b": {"type": "string"}}},
              "AB": {"allOf": [{"$ref": "#/definitions/A"}, {"$ref": "#/definitions/B"}]}},
            "$ref": "#/definitions/AB"}"##,
        "R = Ab
         Ab = { next?: box Ab, a?: string, b?: string }",
    );
}

#[test]
fn colliding_names_get_suffixes_that_do_not_depend_on_the_neighbours_order() {
    let one = types(r#"{"type": "object", "properties": {"a-b": {}, "a_b": {}, "c": {}}}"#);
    let two = types(r#"{"type": "object", "properties": {"c": {}, "a_b": {}, "a-b": {}}}"#);
    let mut one: Vec<&str> = one.trim_matches(['R', ' ', '=', '{', '}', '\n']).split(", ").collect();
    let mut two: Vec<&str> = two.trim_matches(['R', ' ', '=', '{', '}', '\n']).split(", ").collect();
    one.sort_unstable();
    two.sort_unstable();
    assert_eq!(one, two);
    assert!(one.iter().filter(|field| field.starts_with("a_b_x")).count() == 2, "{one:?}");
}

#[test]
fn a_schema_without_a_type_accepts_other_values_than_objects() {
    check(
        r#"{"properties": {"a": {"type": "integer"}}, "required": ["a"]}"#,
        "R = new RValue?
         RValue = overlapping: Boolean(bool) | Number(f64) | String(string) | Array([unknown]) | Object(RObject)
         RObject = { a: i64 }",
    );
}

#[test]
fn the_description_of_a_union_is_not_that_of_its_branches() {
    let text = r#"{"version": 1, "agent": "agent://a", "transports": [{"kind": "memory", "topics": {"requests": "r"}}],
        "capabilities": [{"name": "c", "inputSchema": {"description": "both", "oneOf": [
          {"type": "object", "description": "one", "properties": {"k": {"const": "a"}}, "required": ["k"]},
          {"type": "object", "properties": {"k": {"const": "b"}}, "required": ["k"]}]}}]}"#;
    let loaded = load(&Source::new("a.json", text)).unwrap();
    let model = lower(&loaded.manifest);
    let description = |name: &str| model.types.iter().find(|def| def.name == name).unwrap().description.as_deref();
    assert_eq!(
        [description("CRequest"), description("CRequestA"), description("CRequestB")],
        [Some("both"), Some("one"), None]
    );
}

#[test]
fn a_root_without_a_type_of_its_own_gets_one() {
    check(r#"{"type": ["array", "null"], "items": {"type": "string"}}"#, "R = new [string]?");
    check(r#"{"type": "array", "items": {"type": "integer"}}"#, "R = new [i64]");
    check(r#"{"type": "integer"}"#, "R = new i64");
    check(r##"{"definitions": {"N": {"type": "integer"}}, "$ref": "#/definitions/N"}"##, "R = new N\n N = i64");
}

#[test]
fn a_forbidden_property_is_declared_once() {
    check(
        r#"{"type": "object", "anyOf": [{"properties": {"k": {}}}], "not": {"required": ["q"]}}"#,
        "R = { k?: unknown, q?: never }",
    );
}

#[test]
fn a_long_union_keeps_its_branches() {
    let branches: Vec<String> = (0..1_000)
        .map(|i| format!(r#"{{"type": "object", "properties": {{"k": {{"const": "v{i}"}}}}, "required": ["k"]}}"#))
        .collect();
    let text = types(&format!(r#"{{"oneOf": [{}]}}"#, branches.join(",")));
    assert!(text.starts_with("R = tag k: V0(RV0) | V1(RV1) |") && text.lines().count() == 2_001);
}
