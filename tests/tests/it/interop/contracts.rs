//! The contracts that are exported.

use std::path::PathBuf;

use capgen_manifest::{
    AgentId, Capability, ContractPart, Manifest, Side, TransportSettings, load, plain_capabilities, read_source,
};
use capgen_schema::Schema;
use capgen_tests::folder;
use capgen_tests::random::Random;

/// The contracts of the cases and of the example fleet.
pub(crate) fn checked_in() -> Vec<Manifest> {
    let folders = [folder().join("cases"), folder().join("../examples/fleet/agents")];
    let agents = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut paths: Vec<PathBuf> = agents.map(|agent| agent.unwrap().path().join("capabilities.yaml")).collect();
    paths.sort();
    paths.iter().map(|path| load(&read_source(path, "contract").unwrap()).unwrap().manifest).collect()
}

/// All contracts, with one version of each capability: the formats of other protocols have one.
pub(crate) fn with_one_version() -> Vec<Manifest> {
    let plain = |manifest: Manifest| {
        let capabilities = plain_capabilities(&manifest.capabilities).cloned().collect();
        Manifest { capabilities, ..manifest }
    };
    all().into_iter().map(plain).collect()
}

/// An agent with these capabilities.
pub(crate) fn agent(capabilities: Vec<Capability>) -> Manifest {
    let agent = AgentId::new("shop").unwrap();
    let capabilities = capabilities.into_iter().map(usable).collect();
    Manifest::new(agent, vec![TransportSettings::memory("agents.shop.requests")], capabilities)
}

/// The capability without the schema of a side that accepts nothing, which imports reject.
fn usable(capability: Capability) -> Capability {
    let of = |side: &Option<Schema>, part| {
        side.clone().filter(|schema| capgen_manifest::accepts_no_value(schema, part).is_none())
    };
    let input = of(&capability.input, ContractPart::Request);
    let output = of(&capability.output, ContractPart::Response);
    Capability { input, output, ..capability }
}

/// A capability whose request and response have the same schema.
pub(crate) fn capability(name: &str, schema: &str) -> Capability {
    let schema = Some(Schema::parse_text(schema).unwrap_or_else(|error| panic!("{schema}: {error}")));
    Capability { input: schema.clone(), output: schema, ..Capability::new(name) }
}

/// Schemas that other formats write differently.
pub(crate) fn odd() -> Manifest {
    let schemas = [
        "true",
        "false",
        "{}",
        r#"{"type": "object", "definitions": {}}"#,
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://example.com/a", "type": "object"}"#,
        r#"{"type": "object", "properties": {"a": {"$schema": "http://json-schema.org/draft-07/schema#"}}}"#,
        r#"{"type": "object", "properties": {"$schema": {"type": "string"}, "$ref": {"const": 1}, "$defs": true, "definitions": false}}"#,
        r#"{"type": "object", "properties": {"a": true, "b": false, "c": {}, "d": {"not": {}}}, "required": ["a"]}"#,
        r#"{"type": ["object"]}"#,
        r#"{"type": ["object", "null"], "enum": [{"a": 1}]}"#,
        r#"{"oneOf": [{"type": "object", "required": ["a"]}, {"type": "object", "required": ["b"]}]}"#,
        r#"{"type": "array", "items": {"type": "object", "properties": {"a": true}}}"#,
        r##"{"$ref": "#/definitions/N", "definitions": {"N": {"type": "object", "properties": {"next": {"$ref": "#/definitions/N"}}}}}"##,
        r##"{"$ref": "#/definitions/N", "title": "A list", "definitions": {"N": {"type": ["array", "null"], "items": {"$ref": "#/definitions/N"}}}}"##,
        r##"{"$ref": "#/definitions/a%20b", "definitions": {"a b": {"type": "object"}, "unused": {"type": "null"}}}"##,
        r##"{"$ref": "#/%64efinitions/%61", "definitions": {"a": {"type": "string"}}}"##,
        r##"{"type": "object", "properties": {"a": {"$ref": "#/definitions/a b"}, "c": {"$ref": "#/definitions/x~1y~0z%25"}}, "definitions": {"a b": true, "x/y~z%": {"$ref": "#/definitions/a%20b"}}}"##,
        r##"{"type": "object", "properties": {"a": {"definitions": {"inner": {"$ref": "#/definitions/N"}}}}, "definitions": {"N": {"$ref": "#/definitions/M"}, "M": {"enum": [{"$ref": "#/definitions/N", "$schema": 1}]}}}"##,
        r#"{"type": "object", "properties": {"value": {"type": "string"}}, "required": ["value"], "additionalProperties": false}"#,
        r#"{"type": "object", "properties": {"result": {}}, "required": ["result"], "additionalProperties": false}"#,
        r#"{"type": "object", "properties": {"a": {"const": 123456789012345678901234567890, "maximum": 1e300}}}"#,
        r#"{"allOf": [{"type": "string"}, {"type": "object"}]}"#,
        r#"{"const": null}"#,
        r#"{"type": "object", "properties": {"path": {"type": "object"}, "body": {"type": "string"}}, "additionalProperties": false}"#,
    ];
    let numbered = schemas.iter().enumerate();
    let mut capabilities: Vec<Capability> =
        numbered.map(|(index, schema)| capability(&format!("odd-{index}"), schema)).collect();
    capabilities.push(Capability::new("loose"));
    let version = Some("1.2.0-rc.1+build".parse().unwrap());
    for (name, wire_name) in [
        ("renamed", "list_things.v2"),
        ("taken", "loose"),
        ("same", "same"),
        ("not-a-tool", "tool with spaces"),
        ("operation", "PUT /things"),
        ("again", "PUT /things"),
        ("templated", "GET /things/{id}"),
        ("twice-a", "twice"),
        ("twice-b", "twice"),
    ] {
        let schema = r#"{"type": "object", "properties": {"id": {"type": "string", "description": "An id."}}}"#;
        let wire_name = Some(wire_name.to_owned());
        capabilities.push(Capability { wire_name, version: version.clone(), ..capability(name, schema) });
    }
    agent(capabilities)
}

/// Contracts with random schemas.
pub(crate) fn random(count: usize) -> Vec<Manifest> {
    let mut random = Random::new(16);
    let mut one = || {
        let mut capabilities = Vec::new();
        for index in 0..4 {
            let mut side = || if random.one_in(5) { None } else { Schema::parse(&random.schema()).ok() };
            let (input, output) = (side(), side());
            capabilities.push(Capability { input, output, ..Capability::new(format!("c{index}")) });
        }
        agent(capabilities)
    };
    (0..count).map(|_| one()).collect()
}

/// All of them.
pub(crate) fn all() -> Vec<Manifest> {
    let mut all = checked_in();
    all.push(odd());
    all.extend(random(80));
    // The random schemas would not be a test if nearly all of them were rejected.
    let sides = all.iter().flat_map(|m| &m.capabilities).flat_map(|c| Side::ALL.map(|side| c.schema(side)));
    assert!(sides.flatten().count() > 450);
    all
}
