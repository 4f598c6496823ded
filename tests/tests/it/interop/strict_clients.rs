//! Tools for strict clients: their schemas keep the rules, accept every payload of the contract, and are imported as
//! the contract.

use capgen_interop::import::{self, Document, ImportSettings};
use capgen_interop::{Export, MCP_META_KEY, McpOptions, OpenAiOptions, ToolSide, mcp, openai, tool_side};
use capgen_manifest::{Capability, Manifest, Side};
use capgen_schema::{ExampleSettings, Json, Object, Schema, Steps, Validator, examples};
use capgen_tests::random::Random;

use crate::interop::contracts::{self, agent, capability};
use crate::interop::lists;

fn strict(manifest: &Manifest) -> Export {
    mcp(manifest, McpOptions { strict_clients: true, ..McpOptions::default() })
}

fn tools(export: &Export) -> &[Json] {
    export.document.get("tools").and_then(Json::as_array).unwrap()
}

/// The rules of `contract/interop/src/export/mcp/strict/mod.rs` that a schema breaks.
fn broken(schema: &Json, is_root: bool, rules: &mut Vec<String>) {
    let Json::Object(members) = schema else {
        return rules.push(format!("a schema is {}", schema.canonical()));
    };
    let has = |key: &str| members.get(key).is_some();
    let ty = members.get("type").and_then(Json::as_str);
    let mut rule = |is_kept: bool, text: &str| {
        if !is_kept {
            rules.push(format!("{text}: {}", schema.canonical()));
        }
    };
    rule(!["oneOf", "allOf", "not", "const", "$schema", "$id", "definitions"].iter().any(|key| has(key)), "keyword");
    rule(!has("type") || ty.is_some(), "type is one name");
    rule(!has("anyOf") || members.len() == 1, "anyOf is alone");
    rule(ty != Some("array") || has("items"), "items");
    let values = members.get("enum").and_then(Json::as_array).unwrap_or_default();
    rule(values.iter().all(|value| value.as_str().is_some()), "strings in enum");
    rule(!has("enum") || (ty == Some("string") && !values.is_empty()), "an enum has a type");
    if is_root {
        rule(ty == Some("object") && has("properties") && !has("anyOf") && !has("enum"), "root");
    }
    for branch in members.get("anyOf").and_then(Json::as_array).unwrap_or_default() {
        rule(branch.get("type").is_some() || branch.get("$ref").is_some(), "a branch has a type");
    }
    for (key, value) in members {
        match (key.as_str(), value) {
            ("additionalProperties", Json::Bool(false)) => {}
            ("additionalProperties" | "items", schema) => broken(schema, false, rules),
            ("anyOf", Json::Array(branches)) => branches.iter().for_each(|branch| broken(branch, false, rules)),
            ("properties" | "$defs", Json::Object(map)) => {
                map.iter().for_each(|(_, schema)| broken(schema, false, rules))
            }
            _ => {}
        }
    }
}

/// The schema that clients see, as one of the subset; `None` for a loose response.
fn visible(tool: &Json, side: Side) -> Option<Schema> {
    let mut tool = tool.clone();
    if let Some(Json::Object(meta)) = tool.pointer_mut("/_meta").and_then(|meta| match meta {
        Json::Object(meta) => meta.get_mut(MCP_META_KEY),
        _ => None,
    }) {
        meta.set("schemas", None);
    }
    match tool_side(&tool, side) {
        ToolSide::Loose => None,
        ToolSide::Plain(schema) | ToolSide::Wrapped(schema) => {
            let text = schema.canonical();
            Some(Schema::parse(&schema).unwrap_or_else(|error| panic!("{error:?}: {text}")))
        }
    }
}

/// Checks the export of a contract, and returns the number of payloads that were compared.
fn check(manifest: &Manifest, random: &mut Random, count: usize) -> usize {
    let export = strict(manifest);
    let mut compared = 0;
    for (capability, tool) in manifest.capabilities.iter().zip(tools(&export)) {
        for side in Side::ALL {
            let mut rules = Vec::new();
            tool.get(side.schema_key()).iter().for_each(|schema| broken(schema, true, &mut rules));
            assert_eq!(rules, Vec::<String>::new(), "{}", tool.canonical());
            let (Some(schema), Some(visible)) = (capability.schema(side), visible(tool, side)) else { continue };
            let is_lossless = !export
                .losses
                .iter()
                .any(|loss| (loss.capability.as_str(), loss.side) == (&capability.name, Some(side)));
            let settings = ExampleSettings { count: Some(count), steps: Steps(5_000), ..ExampleSettings::default() };
            let mut payloads: Vec<String> =
                examples(schema, settings).unwrap_or_default().iter().map(Json::canonical).collect();
            payloads.extend(random.payloads(schema, count));
            let (contract, exported) = (Validator::new(schema), Validator::new(&visible));
            for payload in payloads {
                let Ok(value) = serde_json::from_str(&payload) else { continue };
                let (expected, verdict) = (contract.is_valid(&value), exported.is_valid(&value));
                // A schema for an object root does not restrict other values.
                let is_fine = if is_lossless { expected == verdict } else { !expected || verdict };
                assert!(
                    is_fine,
                    "{payload}: {expected}, {verdict}\n{}\n{}",
                    schema.source().canonical(),
                    tool.canonical()
                );
                compared += 1;
            }
        }
    }
    let tools = import::mcp::tools(&Document::of_value(export.document), ImportSettings::default()).imported;
    assert_eq!(tools.findings, []);
    assert_eq!(tools.into_manifest(manifest.agent.clone(), manifest.transports.clone()).hash(), manifest.hash());
    compared
}

#[test]
fn tools_for_strict_clients_accept_what_contracts_accept() {
    let mut random = Random::new(7);
    let mut contracts = contracts::with_one_version();
    let unions = (0..60).map(|index| Schema::parse(&random.nested_unions()).map(|schema| (index, schema)));
    let unions = unions.collect::<Vec<_>>().into_iter().filter_map(Result::ok);
    let unions =
        unions.map(|(index, schema)| Capability { input: Some(schema), ..Capability::new(format!("u{index}")) });
    contracts.push(agent(unions.collect()));
    let compared: usize = contracts.iter().map(|contract| check(contract, &mut random, 24)).sum();
    println!("{compared} payloads");
    assert!(compared > 10_000);
}

#[test]
fn real_tools_for_strict_clients_keep_the_rules() {
    let mut random = Random::new(8);
    let mut text = String::new();
    for (name, contract) in lists::contracts() {
        check(&contract, &mut random, 6);
        for loss in strict(&contract).losses {
            text.push_str(&format!("{name}: {loss}\n"));
        }
    }
    println!("{text}");
}

/// The visible request of a contract with this schema, and the messages of its losses.
fn request(schema: &str) -> (String, Vec<String>) {
    let manifest = agent(vec![Capability { output: None, ..capability("c", schema) }]);
    let export = strict(&manifest);
    let schema = tools(&export)[0].get("inputSchema").unwrap().canonical();
    (schema, export.losses.iter().map(|loss| format!("{}: {}", loss.pointer, loss.message)).collect())
}

#[test]
fn unions_are_rewritten_without_a_loss_if_possible() {
    let member = |schema: &str| {
        let (text, losses) = request(&format!(
            r##"{{"type": "object", "properties": {{"a": {schema}}}, "definitions": {{"N": {{"type": "object", "properties": {{"n": {{"$ref": "#/definitions/N"}}}}}}}}}}"##
        ));
        let visible: Json = text.parse().unwrap();
        (visible.pointer("/properties/a").unwrap().canonical(), losses)
    };
    for (schema, expected) in [
        ("true", "{}"),
        (
            r#"{"type": ["string", "null"], "minLength": 1, "description": "A"}"#,
            r#"{"anyOf":[{"description":"A","minLength":1,"type":"string"},{"type":"null"}]}"#,
        ),
        (r#"{"oneOf": [{"const": "a"}, {"const": "b"}]}"#, r#"{"enum":["a","b"],"type":"string"}"#),
        (r#"{"enum": ["a", null]}"#, r#"{"anyOf":[{"enum":["a"],"type":"string"},{"type":"null"}]}"#),
        (r#"{"const": 5}"#, r#"{"maximum":5,"minimum":5,"type":"integer"}"#),
        (r#"{"type": "array"}"#, r#"{"items":{},"type":"array"}"#),
        (r#"{"type": "array", "items": false}"#, r#"{"items":{},"maxItems":0,"type":"array"}"#),
        (
            r#"{"allOf": [{"type": "number", "minimum": 1}, {"type": "integer", "minimum": 2}]}"#,
            r#"{"minimum":2,"type":"integer"}"#,
        ),
        (r##"{"allOf": [{"$ref": "#/definitions/N"}], "description": "A"}"##, r##"{"$ref":"#/$defs/N"}"##),
        (
            r##"{"anyOf": [{"$ref": "#/definitions/N"}, {"type": "null"}]}"##,
            r##"{"anyOf":[{"$ref":"#/$defs/N"},{"type":"null"}]}"##,
        ),
        (
            r#"{"type": "object", "required": ["k"], "properties": {"k": {"type": "string"}}, "anyOf": [{"required": ["x"]}, {"properties": {"y": true}}]}"#,
            r#"{"anyOf":[{"properties":{"k":{"type":"string"}},"required":["x","k"],"type":"object"},{"properties":{"k":{"type":"string"},"y":{}},"required":["k"],"type":"object"}]}"#,
        ),
    ] {
        let (text, losses) = member(schema);
        assert_eq!(losses, Vec::<String>::new(), "{schema}");
        let sorted = |text: &str| {
            let json: Json = text.parse().unwrap();
            json.canonical()
        };
        let expected = sorted(expected);
        // The order of `required` follows that of the schemas.
        assert_eq!(text.replace(r#"["k","x"]"#, r#"["x","k"]"#), expected, "{schema}");
    }
}

#[test]
fn alternatives_of_the_root_become_one_object() {
    let (schema, losses) = request(
        r#"{"oneOf": [
            {"type": "object", "properties": {"kind": {"const": "a"}, "x": {"type": "string"}}, "required": ["kind", "x"], "additionalProperties": false},
            {"type": "object", "properties": {"kind": {"const": "b"}, "y": {"type": "integer"}}, "required": ["kind"], "additionalProperties": false}]}"#,
    );
    let expected = r#"{"additionalProperties":false,"properties":{"kind":{"enum":["a","b"],"type":"string"},"x":{"type":"string"},"y":{"type":"integer"}},"required":["kind"],"type":"object"}"#;
    assert_eq!(schema, expected);
    assert_eq!(
        losses,
        ["/oneOf: hosts reject unions here: the alternatives become one object, which allows what any of them allows"]
    );
    // An open alternative allows any value for the properties of the others.
    let (schema, _) = request(
        r#"{"type": "object", "anyOf": [{"properties": {"x": {"type": "string", "description": "X"}}, "required": ["x"]}, {"required": ["y"]}]}"#,
    );
    assert_eq!(schema, r#"{"properties":{"x":{}},"type":"object"}"#);
}

#[test]
fn what_hosts_cannot_read_is_a_loss() {
    for (schema, pointer) in [
        (r#"{"enum": [1, 2]}"#, "/properties/a/enum"),
        (r#"{"const": true}"#, "/properties/a/const"),
        (r#"{"const": {"a": 1}}"#, "/properties/a/const"),
        (r#"{"not": {"const": 1}}"#, "/properties/a/not"),
        ("false", "/properties/a"),
        (r#"{"oneOf": [{"type": "string"}, {"maxLength": 3}]}"#, "/properties/a/oneOf"),
        (r#"{"allOf": [{"type": "string", "pattern": "a"}, {"pattern": "b"}]}"#, "/properties/a/allOf/1/pattern"),
    ] {
        let (_, losses) = request(&format!(r#"{{"type": "object", "properties": {{"a": {schema}}}}}"#));
        assert_eq!(losses.len(), 1, "{schema}: {losses:?}");
        assert!(losses[0].starts_with(&format!("{pointer}: ")), "{losses:?}");
    }
}

/// A schema that contains itself next to other assertions, and unions whose combinations are far too many.
#[test]
fn combinations_are_bounded() {
    let recursive = r##"{"type": "object", "allOf": [{"$ref": "#/definitions/N"}, {"required": ["n"]}],
        "definitions": {"N": {"type": "object", "properties": {"n": {"allOf": [{"$ref": "#/definitions/N"}, {"required": ["m"]}]}}}}}"##;
    let (_, losses) = request(recursive);
    assert!(losses.iter().any(|loss| loss.contains("repeats itself")), "{losses:?}");
    let union = |index: usize| {
        format!(
            r#"{{"anyOf": [{{"required": ["a{index}"]}}, {{"required": ["b{index}"]}}, {{"required": ["c{index}"]}}]}}"#
        )
    };
    let unions: Vec<String> = (0..40).map(union).collect();
    let (schema, losses) = request(&format!(r#"{{"type": "object", "allOf": [{}]}}"#, unions.join(",")));
    assert!(schema.len() < 10_000 && !losses.is_empty(), "{}", schema.len());
    let mut random = Random::new(9);
    let contract = agent(vec![capability("recursive", recursive)]);
    check(&contract, &mut random, 30);
}

/// Long chains of definitions whose innermost schemas refer to the next one, next to another assertion.
#[test]
fn the_depth_is_bounded() {
    let mut definitions = Vec::new();
    for index in 0..60 {
        let next =
            format!(r##"{{"allOf": [{{"$ref": "#/definitions/D{}"}}, {{"required": ["a"]}}]}}"##, (index + 1) % 60);
        let inner = (0..25).fold(next, |inner, _| format!(r#"{{"type": "object", "properties": {{"a": {inner}}}}}"#));
        definitions.push(format!(r#""D{index}": {inner}"#));
    }
    let text = format!(
        r##"{{"type": "object", "properties": {{"d": {{"$ref": "#/definitions/D0"}}}}, "definitions": {{{}}}}}"##,
        definitions.join(",")
    );
    let (schema, losses) = request(&text);
    assert!(schema.len() < 1 << 20 && !losses.is_empty(), "{}", schema.len());
    let contract = agent(vec![capability("deep", &text)]);
    assert!(!openai(&contract, OpenAiOptions::default()).losses.is_empty());
}

#[test]
fn a_list_cannot_have_other_schemas_in_its_meta() {
    for schemas in [r#"{"request": {"type": "strin"}}"#, r#"{"other": {}}"#, "1"] {
        let text = format!(
            r#"{{"tools": [{{"name": "t", "inputSchema": {{"type": "object"}}, "_meta": {{"{MCP_META_KEY}": {{"schemas": {schemas}}}}}}}]}}"#
        );
        let document = Document::of_value(text.parse::<Json>().unwrap());
        let imported = import::mcp::tools(&document, ImportSettings::default()).imported;
        assert_eq!(imported.findings.len(), 1, "{schemas}");
        assert!(imported.capabilities.is_empty());
    }
}

#[test]
fn the_contract_is_only_repeated_if_it_differs() {
    let plain = agent(vec![capability("c", r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#)]);
    assert!(tools(&strict(&plain))[0].get("_meta").is_none());
    let odd = agent(vec![capability("c", r#"{"type": "object", "properties": {"a": {"type": ["string", "null"]}}}"#)]);
    let export = strict(&odd);
    let meta = tools(&export)[0].get("_meta").and_then(|meta| meta.get(MCP_META_KEY)).and_then(Json::as_object);
    let keys: Vec<&str> = meta
        .unwrap()
        .get("schemas")
        .and_then(Json::as_object)
        .into_iter()
        .flat_map(Object::iter)
        .map(|(key, _)| key.as_str())
        .collect();
    assert_eq!(keys, ["request", "response"]);
}
