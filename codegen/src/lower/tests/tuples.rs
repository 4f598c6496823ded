//! Arrays whose items have types by their position.

use super::check;
use crate::model::{Coverage, Guard, Shape, Tuple, Type};

/// Whether the type of a request is exact without the interpreter.
fn is_exact(schema: &str) -> bool {
    let text = format!(
        r#"{{"version": 1, "agent": "agent://a", "transports": [{{"kind": "memory", "topics": {{"requests": "r"}}}}],
            "capabilities": [{{"name": "c", "inputSchema": {schema}}}]}}"#
    );
    let loaded = capgen_manifest::load(&capgen_manifest::Source::new("a.json", text)).unwrap();
    let model = super::lower(&loaded.manifest);
    model.types.iter().all(|def| {
        let Coverage { is_exact, .. } = def.coverage;
        is_exact && !matches!(&def.shape, Shape::Alias { guard: Guard::Interpreted(_), .. })
    })
}

#[test]
fn an_array_of_one_length_is_a_tuple() {
    check(
        r#"{"type": "array", "items": [{"type": "string"}, {"type": "integer"}], "minItems": 2, "additionalItems": false}"#,
        "R = new (string, i64)",
    );
    check(r#"{"type": "array", "items": [{"type": "null"}], "minItems": 1, "maxItems": 1}"#, "R = new (null)");
    check(
        r#"{"type": "array", "items": [{"type": "string"}, {}, {}], "minItems": 2, "maxItems": 2}"#,
        "R = new (string, unknown)",
    );
}

#[test]
fn a_position_is_named_after_its_number() {
    check(
        r#"{"type": "array", "minItems": 2, "maxItems": 2, "items": [{"enum": ["a", "b"]}, {"type": "object", "properties": {"x": {"enum": ["c", "d"]}}}]}"#,
        r#"R = new (RItem1, RItem2)
           RItem1 = enum A="a" B="b"
           RItem2 = { x?: RItem2X }
           RItem2X = enum C="c" D="d""#,
    );
}

#[test]
fn tuples_of_several_lengths_are_any_values_in_rust() {
    check(
        r#"{"type": "array", "items": [{"enum": ["a", "b"]}, {"type": "integer"}], "additionalItems": false}"#,
        "R = new [unknown; 0..2]",
    );
    check(
        r#"{"type": "object", "properties": {"a": {"type": "array", "items": [{"type": "string"}], "minItems": 1}}}"#,
        "R = { a?: [unknown; 1..] }",
    );
}

#[test]
fn positions_that_accept_nothing_end_the_array() {
    check(r#"{"type": "array", "items": [{"type": "string"}, false], "minItems": 1}"#, "R = new (string)");
    check(r#"{"type": "array", "items": [false], "minItems": 1}"#, "R = new never");
    check(r#"{"type": "array", "items": [false]}"#, "R = new [never; 0..0]");
    check(r#"{"type": "array", "items": [{"type": "string"}], "maxItems": 0}"#, "R = new [never; 0..0]");
    check(
        r#"{"type": "array", "items": [{"type": "string"}], "additionalItems": false, "minItems": 2}"#,
        "R = new never",
    );
}

#[test]
fn positions_of_several_schemas_are_combined() {
    check(
        r#"{"allOf": [{"type": "array", "items": [{"minimum": 0}], "additionalItems": {"type": "string"}},
            {"items": {"type": ["integer", "string"]}, "minItems": 2}, {"items": [{"type": "integer"}, {}], "maxItems": 2}]}"#,
        "R = new (u64, string)",
    );
}

#[test]
fn tuples_check_themselves_if_all_positions_do() {
    let pair = |first: &str, more: &str| {
        format!(r#"{{"type": "array", "items": [{first}, {{"type": "string"}}], "minItems": 2, "maxItems": 2{more}}}"#)
    };
    assert!(is_exact(&pair(r#"{"type": "integer"}"#, "")));
    assert!(is_exact(&pair(r#"{"type": "string", "minLength": 2}"#, "")));
    assert!(!is_exact(&pair(r#"{"type": "string"}"#, r#", "uniqueItems": true"#)));
    assert!(!is_exact(&pair(r#"{"type": "string"}"#, r#", "not": {"const": ["a", "b"]}"#)));
}

#[test]
fn recursive_tuples_are_new_types() {
    check(
        r##"{"$ref": "#/definitions/Tree", "definitions": {"Tree": {"type": "array", "minItems": 2, "maxItems": 2,
            "items": [{"type": "string"}, {"anyOf": [{"$ref": "#/definitions/Tree"}, {"type": "null"}]}]}}}"##,
        "R = Tree
         Tree = new (string, box Tree?)",
    );
}

#[test]
fn aliases_of_tuples_do_not_multiply() {
    let definition = |i: usize| {
        let next = if i == 0 {
            r#"{"type": "string"}"#.to_owned()
        } else {
            format!(r##"{{"$ref": "#/definitions/D{}"}}"##, i - 1)
        };
        format!(r#""D{i}": {{"type": "array", "items": [{next}, {next}], "minItems": 2, "maxItems": 2}}"#)
    };
    let definitions: Vec<String> = (0..9).map(definition).collect();
    let schema = format!(r##"{{"$ref": "#/definitions/D8", "definitions": {{{}}}}}"##, definitions.join(", "));
    let text = super::types(&schema);
    assert!(text.contains("D6 = new (D5, D5)") && text.contains("D5 = (D4, D4)"), "{text}");
    assert!(text.contains("D7 = (D6, D6)") && text.contains("D8 = (D7, D7)"), "{text}");
}

#[test]
fn long_lists_of_positions_are_any_values() {
    let positions = vec![r#"{"type": "string"}"#; 65].join(", ");
    check(
        &format!(r#"{{"type": "array", "items": [{positions}], "minItems": 65, "maxItems": 65}}"#),
        "R = new [unknown; 65..65]",
    );
    let is_fixed = |count: usize| {
        let items = vec![Type::String; count];
        Type::Tuple(Box::new(Tuple { items, rest: None, min: count as u64, max: Some(count as u64) })).fixed().is_some()
    };
    assert!(is_fixed(12) && !is_fixed(13));
}
