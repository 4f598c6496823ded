//! Small schemas whose types could take much memory, time or stack.

use super::{check, types};

/// An object with 25 properties that lead to a recursive definition, in which `value` is the schema of the property
/// `value`.
fn recursive(value: &str) -> String {
    let properties: Vec<String> = (0..25)
        .map(|i| {
            format!(r##""p{i}": {{"type": "object", "properties": {{"node": {{"$ref": "#/definitions/node"}}}}}}"##)
        })
        .collect();
    format!(
        r##"{{"type": "object", "properties": {{{}}},
             "definitions": {{"node": {{"type": "object", "properties": {{"value": {value}}}}}}}}}"##,
        properties.join(",")
    )
}

#[test]
fn a_recursive_union_with_siblings_uses_its_own_type_again() {
    let node = r##""anyOf": [{"$ref": "#/definitions/node"}]"##;
    let or_null = r##""anyOf": [{"$ref": "#/definitions/node"}, {"type": "null"}]"##;
    let cases = [
        (
            format!(r#"{{{node}, "not": {{"type": "boolean"}}}}"#),
            "Node = { value?: NodeValue }
             NodeValue = { value?: box NodeValue }",
        ),
        (
            format!(r#"{{{node}, "required": ["a"]}}"#),
            "Node = { value?: NodeValue }
             NodeValue = { a: unknown, value?: box NodeValue }",
        ),
        (
            format!(r#"{{{node}, "properties": {{"a": {{"type": "string"}}}}}}"#),
            "Node = { value?: NodeValue }
             NodeValue = { a?: string, value?: box NodeValue }",
        ),
        (
            format!(r#"{{{or_null}, "required": ["a"]}}"#),
            "Node = { value?: NodeValue }
             NodeValue = NodeValueValue?
             NodeValueValue = { a: unknown, value?: box NodeValue }",
        ),
        (
            format!(r#"{{{node}, "oneOf": [{{"required": ["a"]}}, {{"required": ["b"]}}]}}"#),
            "Node = { value?: NodeValue }
             NodeValue = by key: A(NodeValueA) | B(NodeValueB)
             NodeValueA = { a: unknown, value?: box NodeValue, b?: never }
             NodeValueB = { b: unknown, value?: box NodeValue, a?: never }",
        ),
        (
            format!(r#"{{"type": "array", "items": {{{node}, "not": {{"type": "boolean"}}}}}}"#),
            "Node = { value?: [NodeValueItem] }
             NodeValueItem = { value?: [NodeValueItem] }",
        ),
        (
            format!(r#"{{"additionalProperties": {{{node}, "not": {{"type": "boolean"}}}}, "type": "object"}}"#),
            "Node = { value?: map<NodeValueValue> }
             NodeValueValue = { value?: map<NodeValueValue> }",
        ),
    ];
    for (value, expected) in cases {
        let text = types(&recursive(&value));
        let actual: Vec<&str> = text.lines().filter(|line| line.starts_with("Node")).collect();
        let expected: Vec<&str> = expected.lines().map(str::trim).collect();
        assert_eq!(actual, expected, "{value}\n{}\n", actual.join("\n"));
    }
}

/// Rings of lengths without a common divisor: their conjunction repeats only after 30,030 steps.
#[test]
fn long_cycles_of_combined_references_are_lowered_without_recursion() {
    let mut definitions = Vec::new();
    for ring in [2, 3, 5, 7, 11, 13] {
        for i in 0..ring {
            definitions.push(format!(
                r##""r{ring}x{i}": {{"type": "object", "properties": {{"n": {{"anyOf": [{{"$ref": "#/definitions/r{ring}x{}"}}],
                    "not": {{"type": "boolean"}}}}}}}}"##,
                (i + 1) % ring
            ));
        }
    }
    let all: Vec<String> = [2, 3, 5, 7, 11, 13].map(|r| format!(r##"{{"$ref": "#/definitions/r{r}x0"}}"##)).into();
    let schema = format!(r#"{{"definitions": {{{}}}, "allOf": [{}]}}"#, definitions.join(","), all.join(","));
    assert!((1..=20_000).contains(&types(&schema).lines().count()));
}

/// A chain of merged references as long as a file allows overflows no stack and takes little time.
#[test]
fn long_chains_of_merged_references_are_lowered_without_recursion() {
    let mut definitions = String::new();
    for i in 0..2_000 {
        let next = format!(r##""allOf": [{{"$ref": "#/definitions/d{0}"}}, {{"$ref": "#/definitions/e{0}"}}]"##, i + 1);
        for letter in ["d", "e"] {
            definitions.push_str(&format!(r#""{letter}{i}": {{"type": "array", "items": {{{next}}}}},"#));
        }
    }
    let schema = format!(
        r##"{{"definitions": {{{definitions} "d2000": {{"type": "string"}}, "e2000": {{"minLength": 1}}}},
             "allOf": [{{"$ref": "#/definitions/d0"}}, {{"$ref": "#/definitions/e0"}}]}}"##
    );
    assert!((1..=2_000).contains(&types(&schema).lines().count()));
}

#[test]
fn types_nested_deeper_than_compilers_follow_are_unknown() {
    let nested = |depth| {
        let schema = (0..depth)
            .fold(r#"{"type": "string"}"#.to_owned(), |inner, _| format!(r#"{{"type": "array", "items": {inner}}}"#));
        types(&schema)
    };
    assert!(nested(19).contains("[[string]]"), "{}", nested(19));
    assert!(nested(50).contains("[[unknown]]"), "{}", nested(50));
}

/// Every subset of `n` definitions is a different conjunction. The output is still bounded by a multiple of the input.
#[test]
fn exponentially_many_conjunctions_are_cut_off() {
    let mut definitions = Vec::new();
    for i in 0..24 {
        let others = format!(
            r##""x": {{"allOf": [{{"$ref": "#/definitions/d{}"}}, {{"$ref": "#/definitions/d{}"}}]}}, "y": {{"$ref": "#/definitions/d{}"}}"##,
            (i + 1) % 24,
            (i * 7 + 3) % 24,
            (i * 5 + 2) % 24,
        );
        definitions.push(format!(r#""d{i}": {{"type": "object", "properties": {{{others}}}}}"#));
    }
    let schema = format!(
        r##"{{"definitions": {{{}}}, "allOf": [{{"$ref": "#/definitions/d0"}}, {{"$ref": "#/definitions/d1"}}]}}"##,
        definitions.join(",")
    );
    assert!(types(&schema).lines().count() < 20_000);
}

#[test]
fn equivalent_branches_count_once() {
    let mut definitions = String::from(r#""d0": {"properties": {"x": {"type": "string"}}, "required": ["x"]}"#);
    for i in 1..40 {
        definitions.push_str(&format!(
            r##", "d{i}": {{"anyOf": [{{"$ref": "#/definitions/d{0}"}}, {{"$ref": "#/definitions/d{0}"}}]}}"##,
            i - 1
        ));
    }
    check(
        &format!(
            r##"{{"definitions": {{{definitions}}}, "type": "object", "allOf": [{{"$ref": "#/definitions/d39"}}]}}"##
        ),
        "R = { x: string }",
    );
}

/// The names of the properties whose types are unknown.
fn unknown(text: &str) -> Vec<&str> {
    let fields = text.split(['{', ',', '}', '\n']).filter_map(|field| field.trim().strip_suffix(": unknown"));
    fields.map(|field| field.trim_end_matches('?')).collect()
}

#[test]
fn only_references_that_lead_deeper_than_compilers_follow_are_unknown() {
    let graph = |n: usize, links: &dyn Fn(usize) -> Vec<usize>| {
        let definition = |i: usize| {
            let property = |to: usize| format!(r##""f{i}t{to}": {{"$ref": "#/definitions/d{to}"}}"##);
            let links: std::collections::BTreeSet<usize> = links(i).into_iter().collect();
            let properties: Vec<String> = links.into_iter().map(property).collect();
            format!(r#""d{i}": {{"type": "object", "properties": {{{}}}}}"#, properties.join(","))
        };
        let definitions: Vec<String> = (0..n).map(definition).collect();
        types(&format!(r##"{{"definitions": {{{}}}, "$ref": "#/definitions/d0"}}"##, definitions.join(",")))
    };
    // Every optional reference takes two steps.
    assert_eq!(unknown(&graph(40, &|i| if i < 39 { vec![i + 1] } else { vec![] })), [""; 0]);
    assert_eq!(unknown(&graph(95, &|i| if i < 94 { vec![i + 1] } else { vec![] })), ["f43t44"]);
    assert_eq!(unknown(&graph(40, &|i| vec![(i + 1) % 40])), [""; 0]);
    assert_eq!(unknown(&graph(95, &|i| vec![(i + 1) % 95])), ["f49t50"]);
    // A syntax tree: many definitions that all contain one another, at a small distance.
    assert_eq!(unknown(&graph(30, &|i| vec![0, i, (i + 1) % 30])), [""; 0]);
}

#[test]
fn parts_of_a_schema_are_repeated_a_limited_number_of_times() {
    let list = |n: usize, item: &dyn Fn(usize) -> String| (0..n).map(item).collect::<Vec<_>>().join(",");
    let n = 1_500;
    let properties = list(n, &|i| format!(r#""property{i}": {{"type": "string"}}"#));
    let required = |i: usize| format!(r#"{{"required": ["property{i}"]}}"#);
    let tag = |i: usize| format!(r#"{{"properties": {{"kind": {{"const": "k{i}"}}}}, "required": ["kind"]}}"#);
    let wide = format!(r#""type": "object", "properties": {{{properties}}}"#);
    let merged = |i: usize| format!(r##""a{i}": {{"allOf": [{{"$ref": "#/definitions/wide"}}, {}]}}"##, required(i));
    let listed = |i: usize| {
        format!(r##""a{i}": {{"allOf": [{{"$ref": "#/definitions/values"}}], "not": {{"const": "v{i}"}}}}"##)
    };
    let values = list(n, &|i| format!(r#""v{i}""#));
    let long = "d".repeat(10 * n);
    for schema in [
        format!(r#"{{{wide}, "additionalProperties": false, "oneOf": [{}]}}"#, list(n, &required)),
        format!(r#"{{{wide}, "oneOf": [{}]}}"#, list(n, &tag)),
        format!(r#"{{"properties": {{{}}}, "definitions": {{"wide": {{{wide}}}}}}}"#, list(n, &merged)),
        format!(r#"{{"properties": {{{}}}, "definitions": {{"values": {{"enum": [{values}]}}}}}}"#, list(n, &listed)),
        format!(r#"{{"type": "object", "properties": {{"{long}": {{}}}}, "oneOf": [{}]}}"#, list(n, &tag)),
    ] {
        let size = types(&schema).len();
        assert!(size < 4 * schema.len() + 500_000, "{} bytes give {size}: {schema:.80}", schema.len());
    }
}
