//! The warning about types that are less precise than their schemas.

use std::fmt::Write;

use crate::common::Fleet;

/// A contract with a schema that exceeds a limit on the side `key`, and a simple one on the other side.
fn contract(key: &str, schema: &str) -> String {
    let other = if key == "inputSchema" { "outputSchema" } else { "inputSchema" };
    format!(
        r#"{{"version": 1, "agent": "agent://a", "transports": [{{"kind": "memory", "topics": {{"requests": "r"}}}}],
"capabilities": [{{"name": "fine"}}, {{"name": "large", "{other}": {{"type": "string"}},
"{key}": {schema}}}]}}"#
    )
}

fn list(n: usize, item: impl Fn(usize) -> String) -> String {
    (0..n).map(item).collect::<Vec<_>>().join(", ")
}

/// A ring of definitions, through optional properties.
fn ring(n: usize) -> String {
    let definition = |i| {
        let to = (i + 1) % n;
        format!(r##""d{i}": {{"type": "object", "properties": {{"p{i}": {{"$ref": "#/definitions/d{to}"}}}}}}"##)
    };
    format!(r##"{{"$ref": "#/definitions/d0", "definitions": {{{}}}}}"##, list(n, definition))
}

/// A closed object with `n` properties and as many alternatives.
fn closed(n: usize) -> String {
    let properties = list(n, |i| format!(r#""property{i}": {{"type": "string"}}"#));
    let alternatives = list(n, |i| format!(r#"{{"required": ["property{i}"]}}"#));
    format!(
        r#"{{"type": "object", "properties": {{{properties}}}, "additionalProperties": false, "oneOf": [{alternatives}]}}"#
    )
}

/// Two unions with `n` branches next to one another, which have the product of their branches.
fn product(n: usize) -> String {
    let union = |i: usize| {
        let branch = |j: usize| {
            format!(r#"{{"type": "object", "properties": {{"p{i}": {{"const": "{j}"}}}}, "required": ["p{i}"]}}"#)
        };
        format!(r#"{{"oneOf": [{}]}}"#, list(n, branch))
    };
    format!(r#"{{"allOf": [{}]}}"#, list(2, union))
}

/// Definitions that are combined with one another: every subset is a different type.
fn subsets(n: usize) -> String {
    let definition = |i: usize| {
        let mut text = String::new();
        let to = |k: usize| format!(r##"{{"$ref": "#/definitions/d{}"}}"##, k % n);
        let _ = write!(text, r#""x": {{"allOf": [{}, {}]}}, "y": {}"#, to(i + 1), to(i * 7 + 3), to(i * 5 + 2));
        format!(r#""d{i}": {{"type": "object", "properties": {{{text}}}}}"#)
    };
    format!(
        r##"{{"allOf": [{{"$ref": "#/definitions/d0"}}, {{"$ref": "#/definitions/d1"}}], "definitions": {{{}}}}}"##,
        list(n, definition)
    )
}

#[test]
fn types_that_a_limit_widens_are_reported_by_check_and_gen() {
    let cases = [
        (ring(80), "nested more deeply"),
        (closed(1_500), "repeat more than"),
        (product(20), "more than 256 branches"),
        (subsets(24), "more than 100 steps"),
    ];
    for (schema, limit) in cases {
        for (key, side) in [("inputSchema", "request"), ("outputSchema", "response")] {
            let fleet = Fleet::new(&[]);
            fleet.write("a.json", &contract(key, &schema));
            let check = fleet.run("check a.json").ended(0);
            let generated = fleet.run("gen --capabilities a.json").ended(0);
            for run in [&check, &generated] {
                assert_eq!(run.stderr.matches("W0401").count(), 1, "{limit}: {run:?}");
                assert!(run.stderr.contains("the types of `large` are less precise"), "{run:?}");
                assert!(run.stderr.contains(&format!("the schema of the {side}")), "{run:?}");
                assert!(run.stderr.contains("a.json:3:1"), "{run:?}");
                assert!(run.stderr.contains(limit), "{limit}: {run:?}");
            }
            fleet.run("check --strict a.json").ended(1);
        }
    }
}

#[test]
fn schemas_within_the_limits_have_no_warning() {
    for schema in [ring(40), closed(50), product(5)] {
        let fleet = Fleet::new(&[]);
        fleet.write("a.json", &contract("inputSchema", &schema));
        fleet.run("check --strict a.json").ended(0);
    }
}
