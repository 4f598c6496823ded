//! Independent validators accept the exports: those of the protocols, of OpenAPI, and Ajv.

use capgen_interop::{McpOptions, OpenAiOptions, a2a, json_schema, mcp, openai, openapi};
use capgen_manifest::Manifest;
use capgen_tests::node;
use serde_json::{Map, Value, json};

use crate::interop::{contracts, lists};

/// The end of the name of a list of which all tools are imported.
const WIDENED: &str = "-true";

/// A document that a validator must reject, and the validators that reject it.
type Broken = (&'static str, fn(&mut Value), &'static [&'static str]);

const BROKEN: &[Broken] = &[
    ("mcp", |list| list["tools"][0]["inputSchema"]["type"] = json!("array"), &["2025-06-18", "2026-07-28", "sdk"]),
    ("mcp", |list| list["tools"][0]["inputSchema"]["properties"] = json!({"a": true}), &["2025-06-18"]),
    ("mcp", |list| list["tools"][0]["annotations"] = json!({"readOnlyHint": 1}), &["2025-06-18", "2026-07-28", "sdk"]),
    ("mcp", |list| list["tools"][0]["inputSchema"]["propertis"] = json!({}), &["schemas"]),
    ("mcp", |list| list["tools"][0]["inputSchema"]["allOf"] = json!([{"$ref": "#/$defs/Nowhere"}]), &["schemas"]),
    ("openapi", |document| document["info"]["version"] = json!(1), &["openapi"]),
    ("openapi", |document| document["paths"] = json!({"a": {}}), &["openapi"]),
    (
        "openapi",
        |document| document["components"]["schemas"]["Bad"] = json!({"$ref": "#/components/schemas/Nowhere"}),
        &["schemas"],
    ),
    ("a2a", |card| card["skills"][0]["id"] = Value::Null, &["0.3", "sdk"]),
    ("openapi", |document| drop(document.as_object_mut().unwrap().remove("servers")), &["redocly"]),
    ("openapi", |document| drop(document.as_object_mut().unwrap().remove("security")), &["redocly"]),
    ("a2a", |card| card["capabilities"]["extensions"][0]["parameters"] = json!({}), &["sdk"]),
    ("a2a", |card| drop(card.as_object_mut().unwrap().remove("version")), &["0.3"]),
    ("openai", |tools| tools[0]["parameters"]["required"] = json!([]), &["rules"]),
    ("openai", |tools| tools[0]["parameters"]["minProperties"] = json!(1), &["rules"]),
    ("openai", |tools| tools[0]["parameters"]["type"] = json!("objekt"), &["rules", "schemas"]),
    ("json-schema", |schema| schema["minLength"] = json!("1"), &["schemas"]),
];

/// The exports of a contract as texts, with the names of their formats.
fn exports(manifest: &Manifest) -> Vec<(&'static str, String)> {
    let mut all = vec![
        ("mcp", mcp(manifest, McpOptions::default()).document.canonical()),
        ("mcp", mcp(manifest, McpOptions { strict_clients: true, ..McpOptions::default() }).document.canonical()),
        ("openapi", openapi(manifest).document.canonical()),
        ("a2a", a2a(manifest, "https://example.com/a2a").document.canonical()),
        ("openai", openai(manifest, OpenAiOptions::default()).document.canonical()),
    ];
    let files = json_schema(manifest).into_iter().filter(|(name, _)| name.ends_with(".schema.json"));
    all.extend(files.map(|(_, schema)| ("json-schema", schema.canonical())));
    all
}

/// The errors of each validator about each document, in order. A document has whether Ajv compiles its schemas.
fn errors(documents: &[(&str, String, bool)]) -> Option<Vec<Value>> {
    let node = node::require_or_skip().unwrap()?;
    let mut job = Map::new();
    for (format, text, compiles) in documents {
        job.entry(*format).or_insert_with(|| json!([])).as_array_mut().unwrap().push(json!([text, compiles]));
    }
    let mut answers = node.exports(&Value::Object(job)).unwrap();
    let mut next = |format: &str| answers[format].as_array_mut().unwrap().remove(0);
    Some(documents.iter().map(|(format, ..)| next(format)).collect())
}

#[test]
fn independent_validators_accept_exports() {
    // Other tests compile the schemas of lists.
    let lists = lists::contracts().into_iter().filter(|(name, _)| name.ends_with(WIDENED));
    let mut contracts: Vec<(String, Manifest)> = lists.collect();
    let mut some = contracts::checked_in();
    some.push(contracts::odd());
    some.extend(contracts::random(8));
    contracts.extend(
        contracts::with_one_version()
            .into_iter()
            .enumerate()
            .map(|(index, contract)| (format!("{} {index}", contract.agent), contract)),
    );
    let mut names = Vec::new();
    let mut documents = Vec::new();
    for (name, contract) in &contracts {
        for (format, document) in exports(contract) {
            names.push(format!("{name}, {format}"));
            // Ajv takes minutes for the combinations of some random schemas.
            let compiles = !name.ends_with(WIDENED) && document.len() < 24_000;
            documents.push((format, document, compiles));
        }
    }
    let Some(errors) = errors(&documents) else { return };
    let mut report = String::new();
    for (name, errors) in names.iter().zip(&errors) {
        for (validator, errors) in errors.as_object().unwrap() {
            // Ajv calls these functions of the values of an `enum`, even if such a value has a member with that name.
            let is_defect = |error: &&Value| {
                ["a.toString", "a.valueOf"].iter().any(|f| **error == format!("{f} is not a function"))
            };
            let errors = errors.as_array().unwrap().iter().filter(|error| !is_defect(error));
            errors.for_each(|error| report.push_str(&format!("{name}, {validator}: {error}\n")));
        }
    }
    println!("{} documents of {} contracts", documents.len(), contracts.len());
    assert!(report.is_empty(), "{report}");
}

/// A validator that accepts everything would show nothing.
#[test]
fn independent_validators_reject_broken_exports() {
    let contract =
        contracts::checked_in().into_iter().find(|contract| contract.agent.as_str() == "pr-reviewer").unwrap();
    let all = exports(&contract);
    let broken: Vec<(&str, String, bool)> = BROKEN
        .iter()
        .map(|(format, change, _)| {
            let (_, text) = all.iter().find(|(name, _)| name == format).unwrap();
            let mut document = serde_json::from_str(text).unwrap();
            change(&mut document);
            (*format, document.to_string(), true)
        })
        .collect();
    let Some(errors) = errors(&broken) else { return };
    for (index, (errors, (format, _, validators))) in errors.iter().zip(BROKEN).enumerate() {
        for validator in *validators {
            assert!(!errors[validator].as_array().unwrap().is_empty(), "{format} {index}, {validator}: {errors}");
        }
    }
}
