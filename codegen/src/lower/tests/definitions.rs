//! The types of definitions that several schemas of a contract have.

use std::collections::BTreeSet;

use capgen_manifest::{Source, load};

use super::{lower, notation};

/// The types of capabilities with these names and request schemas.
fn types(capabilities: &[(&str, &str)]) -> String {
    let capabilities: Vec<String> =
        capabilities.iter().map(|(name, schema)| format!(r#"{{"name": "{name}", "inputSchema": {schema}}}"#)).collect();
    let text = format!(
        r#"{{"version": 1, "agent": "agent://a", "transports": [{{"kind": "memory", "topics": {{"requests": "r"}}}}],
            "capabilities": [{}]}}"#,
        capabilities.join(",")
    );
    let loaded = load(&Source::new("a.json", text)).unwrap_or_else(|e| panic!("{e:#?}"));
    notation(&lower(&loaded.manifest))
}

#[track_caller]
fn check(capabilities: &[(&str, &str)], expected: &str) {
    let actual = types(capabilities);
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(actual.lines().collect::<Vec<_>>(), expected, "\n{actual}\n");
}

/// A request with the property `p`, which refers to the definition `D`.
fn with_definitions(definitions: &str) -> String {
    format!(
        r##"{{"type": "object", "properties": {{"p": {{"$ref": "#/definitions/D"}}}}, "definitions": {{{definitions}}}}}"##
    )
}

#[test]
fn equal_definitions_are_one_type_with_the_name_of_the_definition() {
    let one = with_definitions(
        r#""D": {"type": "object", "description": "first", "required": ["kind"],
           "properties": {"kind": {"enum": ["a", "b"]}, "size": {"type": "object", "properties": {"w": {"type": "number"}}}}}"#,
    );
    let two = with_definitions(
        r#""D": {"required": ["kind"], "description": "second", "type": "object",
           "properties": {"kind": {"title": "Kind", "enum": ["a", "b"]}, "size": {"properties": {"w": {"type": "number"}}, "type": "object"}}}"#,
    );
    check(
        &[("one", &one), ("two", &two)],
        r#"OneRequest = { p?: D }
           D = { kind: DKind, size?: DSize }
           DKind = enum A="a" B="b"
           DSize = { w?: f64 }
           TwoRequest = { p?: D }"#,
    );
}

#[test]
fn definitions_of_one_name_that_differ_have_the_names_of_their_sides() {
    let one =
        with_definitions(r##""D": {"type": "array", "items": {"$ref": "#/definitions/E"}}, "E": {"enum": ["a"]}"##);
    let two =
        with_definitions(r##""D": {"type": "array", "items": {"$ref": "#/definitions/E"}}, "E": {"enum": ["b"]}"##);
    check(
        &[("one", &one), ("two", &two)],
        r#"OneRequest = { p?: OneRequestD }
           OneRequestD = [OneRequestE]
           OneRequestE = enum A="a"
           TwoRequest = { p?: TwoRequestD }
           TwoRequestD = [TwoRequestE]
           TwoRequestE = enum B="b""#,
    );
}

#[test]
fn a_definition_that_no_reference_reaches_does_not_count() {
    let one = with_definitions(r#""D": {"enum": ["a"]}, "E": {"enum": ["a"]}"#);
    let two = r##"{"$ref": "#/definitions/E", "definitions": {"E": {"type": "object", "properties": {"p": {}}}}}"##;
    check(
        &[("one", &one), ("two", two)],
        r#"OneRequest = { p?: D }
           D = enum A="a"
           TwoRequest = E
           E = { p?: unknown }"#,
    );
}

#[test]
fn recursive_definitions_are_compared_as_a_whole() {
    let ring = |leaf: &str| {
        with_definitions(&format!(
            r##""D": {{"type": "object", "properties": {{"e": {{"$ref": "#/definitions/E"}}}}}},
                "E": {{"type": "object", "properties": {{"f": {{"$ref": "#/definitions/F"}}}}}},
                "F": {{"type": "object", "properties": {{"d": {{"$ref": "#/definitions/D"}}, "leaf": {leaf}}}}}"##
        ))
    };
    let (text, number) = (ring(r#"{"type": "string"}"#), ring(r#"{"type": "number"}"#));
    check(
        &[("one", &text), ("two", &text)],
        "OneRequest = { p?: D }
         D = { e?: E }
         E = { f?: F }
         F = { d?: box D, leaf?: string }
         TwoRequest = { p?: D }",
    );
    let names: Vec<String> = types(&[("one", &text), ("two", &number)]).lines().map(str::to_owned).collect();
    assert!(names.iter().all(|line| line.starts_with("OneRequest") || line.starts_with("TwoRequest")), "{names:#?}");
}

#[test]
fn a_definition_next_to_assertions_has_the_type_of_its_place() {
    let schema = r##"{"type": "object", "definitions": {"D": {"type": "object", "properties": {"x": {}}}}, "properties": {
        "a": {"$ref": "#/definitions/D"}, "b": {"allOf": [{"$ref": "#/definitions/D"}], "required": ["x"]}}}"##;
    check(
        &[("one", schema), ("two", schema)],
        "OneRequest = { a?: D, b?: OneRequestB }
         D = { x?: unknown }
         OneRequestB = { x: unknown }
         TwoRequest = { a?: D, b?: TwoRequestB }
         TwoRequestB = { x: unknown }",
    );
}

/// `D` is the same in two capabilities, but refers to an `E` that differs in the third one.
#[test]
fn names_do_not_depend_on_the_order_of_the_capabilities() {
    let definitions = r##""E": {"type": "object", "properties": {"x": {"enum": ["a"]}}},
        "M": {"type": "object", "properties": {"m": {"type": "object", "properties": {"n": {"enum": ["n"]}}}}},
        "D": {"type": "object", "properties": {
          "e": {"$ref": "#/definitions/E"}, "n": {"allOf": [{"$ref": "#/definitions/E"}, {"$ref": "#/definitions/M"}]}}}"##;
    let one = with_definitions(definitions);
    let other = format!(
        r##"{{"type": "object", "definitions": {{{definitions}}}, "allOf": [{{"$ref": "#/definitions/D"}}, {{"$ref": "#/definitions/M"}}]}}"##
    );
    let third = with_definitions(r##""D": {"type": "null"}, "E": {"type": "string"}"##).replace("/D", "/E");
    let all = [("b", one.as_str()), ("a", &other), ("c", &third), ("f", &one), ("e-request", &third)];
    let names = |order: [usize; 5]| -> BTreeSet<String> {
        let types = types(&order.map(|i| all[i]));
        types.lines().map(str::to_owned).collect()
    };
    let expected = names([0, 1, 2, 3, 4]);
    assert!(expected.iter().any(|line| line.starts_with("D = { e?: ARequestE,")), "{expected:#?}");
    for order in [[4, 3, 2, 1, 0], [1, 0, 2, 3, 4], [3, 2, 1, 0, 4], [2, 4, 0, 3, 1]] {
        assert_eq!(names(order), expected);
    }
}

#[test]
fn capabilities_and_sides_have_priority_over_definitions_of_the_same_name() {
    let schema = r##"{"type": "object", "properties": {"a": {"$ref": "#/definitions/OneRequest"},
        "b": {"$ref": "#/definitions/Option"}, "c": {"$ref": "#/definitions/one"}, "d": {"$ref": "#/definitions/two_response"}},
        "definitions": {"OneRequest": {"enum": ["a"]}, "Option": {"enum": ["b"]}, "one": {"enum": ["c"]},
        "two_response": {"enum": ["d"]}}}"##;
    let types = types(&[("one", schema), ("two", r#"{"type": "object", "properties": {"x": {}}}"#)]);
    let names: Vec<&str> = types.lines().filter_map(|line| Some(line.split_once(" = ")?.0)).collect();
    let bases: Vec<&str> = names.iter().map(|name| name.split_once('X').map_or(*name, |(base, _)| base)).collect();
    assert_eq!(bases, ["OneRequest", "OneRequest", "Option_", "One", "TwoResponse", "TwoRequest"], "{types}");
    assert_eq!(names.iter().filter(|name| name.contains('X')).count(), 3, "{types}");
}
