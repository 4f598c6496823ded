//! Schemas that load and mean something else than their author thinks, in `capgen check` and other commands.

use crate::common::{Fleet, Run};

const EMPTY: &str = "{ allOf: [{ type: object, properties: { a: {} }, required: [a], additionalProperties: false }, \
                     { type: object, properties: { b: {} }, required: [b], additionalProperties: false }] }";

/// A fleet with one agent whose capability `ping` has this schema on a side.
fn fleet(side: &str, schema: &str) -> Fleet {
    let fleet = Fleet::new(&[]);
    let text = format!(
        "version: 1\nagent: agent://shop\ntransports: [{{ kind: memory, topics: {{ requests: shop }} }}]\n\
         capabilities:\n  - name: ping\n    {side}: {schema}\n"
    );
    fleet.write("agents/shop/capabilities.yaml", &text);
    fleet
}

/// The first lines of the findings.
fn found(run: &Run) -> Vec<&str> {
    run.stderr.lines().filter(|line| line.starts_with("error") || line.starts_with("warning")).collect()
}

#[test]
fn a_side_without_valid_values_is_an_error_where_contracts_are_made() {
    let fleet = fleet("inputSchema", EMPTY);
    for command in ["check", "gen --all", "lock"] {
        let run = fleet.run(command).ended(1);
        assert_eq!(found(&run), ["error[E0130]: no JSON value conforms to this schema"], "{command}");
        assert!(
            run.stderr.contains("capabilities.yaml:6") && run.stderr.contains("at: capability `ping`, inputSchema"),
            "{run:?}"
        );
    }
    assert!(!fleet.path("capgen.lock").exists() && !fleet.path("generated").exists(), "nothing is written");
    // A running system must not stop for it, and a comparison with the next version must work.
    fleet.run("diff --capabilities agents/shop/capabilities.yaml --against agents/shop/capabilities.yaml").ended(0);
}

#[test]
fn details_of_an_error_without_valid_values_are_an_error_too() {
    let errors = |schema: &str| fleet("errors", &format!("[{{ code: NO_SEATS, detailsSchema: {schema} }}]"));
    let fleet = errors(EMPTY);
    for command in ["check", "gen --all", "lock"] {
        let run = fleet.run(command).ended(1);
        assert_eq!(found(&run), ["error[E0130]: no JSON value conforms to this schema"], "{command}");
        assert!(run.stderr.contains("at: capability `ping`, error `NO_SEATS`, detailsSchema"), "{run:?}");
    }
    let run = errors("{ oneOf: [{ type: string }, {}] }").run("check").ended(0);
    assert_eq!(
        found(&run),
        ["warning[W0113]: this branch accepts every value, so the values of all other branches are rejected"]
    );
}

#[test]
fn a_response_that_is_false_states_that_there_is_none() {
    fleet("outputSchema", "false").run("check --strict").ended(0);
}

#[test]
fn a_request_that_is_false_leaves_nothing_to_call() {
    let fleet = fleet("inputSchema", "false");
    for command in ["check", "gen --all", "lock"] {
        let run = fleet.run(command).ended(1);
        let expected = "error[E0130]: no request conforms to the schema `false`, so the capability can never be called";
        assert_eq!(found(&run), [expected], "{command}");
    }
}

#[test]
fn parts_and_unions_are_warnings_with_their_places() {
    for (schema, finding) in [
        (
            format!("{{ type: object, properties: {{ p: {EMPTY} }} }}"),
            "warning[W0103]: no JSON value conforms to this schema, because its keywords exclude each other",
        ),
        (
            "{ anyOf: [{ type: string }, {}] }".to_owned(),
            "warning[W0113]: this branch accepts every value, so the whole `anyOf` does",
        ),
        (
            "{ oneOf: [{ type: object, properties: { a: { type: string } } }, { type: object, properties: { b: { type: string } } }] }".to_owned(),
            "warning[W0114]: usual values match several branches of `oneOf`, so they are rejected",
        ),
    ] {
        let fleet = fleet("outputSchema", &schema);
        let run = fleet.run("check").ended(0);
        assert_eq!(found(&run), [finding]);
        fleet.run("check --strict").ended(1);
        fleet.run("gen --all").ended(0);
    }
}

#[test]
fn warnings_are_shown_beside_errors_of_another_agent() {
    let fleet = fleet("outputSchema", "{ anyOf: [{ type: string }, {}] }");
    fleet.write("agents/broken/capabilities.yaml", "version: 1\n");
    let run = fleet.run("check").ended(1);
    assert!(found(&run).iter().any(|line| line.starts_with("warning[W0113]")), "{run:?}");
    assert!(found(&run).iter().any(|line| line.starts_with("error")), "{run:?}");
}

#[test]
fn an_import_of_a_tool_without_valid_arguments_is_an_error() {
    let fleet = Fleet::new(&[]);
    let tool = r#"[{"name": "a", "inputSchema": {"type": "object", "properties": {"n": {"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 1}}, "required": ["n"]}}]"#;
    fleet.write("tools.json", tool);
    let run = fleet.run("import mcp tools.json --out capabilities.yaml").ended(1);
    assert_eq!(found(&run), ["error[E0130]: no JSON value conforms to this schema"]);
    assert!(run.stderr.contains("tools.json:1:2") && run.stderr.contains("tool `a`, inputSchema"), "{run:?}");
    assert!(!fleet.path("capabilities.yaml").exists());
    let others = tool.replace("}]", r#"}, {"name": "b", "inputSchema": {"type": "object"}}]"#);
    fleet.write("tools.json", &others);
    let run = fleet.run("import mcp tools.json --skip --out capabilities.yaml").ended(0);
    assert!(run.stderr.contains("left out 1 of 2: a"), "{run:?}");
    let run = fleet.run("import mcp tools.json --lossy --out capabilities.yaml").ended(0);
    assert!(run.stderr.contains("the side accepts every value instead"), "{run:?}");
    assert!(fleet.read("capabilities.yaml").contains("name: a"));
}
