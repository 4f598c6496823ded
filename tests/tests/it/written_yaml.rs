//! An independent YAML reader reads the same values from a written `capabilities.yaml`.

use std::path::PathBuf;

use capgen_manifest::{AgentId, Capability, Manifest, Source, TransportSettings, load, parse_yaml, read_source};
use capgen_schema::{Json, Schema};
use capgen_tests::folder;
use capgen_tests::node;
use capgen_tests::random::Random;
use serde_json::Value;

const PIECES: [&str; 56] = [
    "a", "e", "é", "😀", ":", ": ", "-", "- ", "\n", "\n  ", "\r\n", "\r", "\t", " ", "[", "]", "{", "}", ",", "\"",
    "'", "\\", "|", ">", "#", " # ", "&a ", "*a", "!", "!!str ", "<<", "?", "? ", "%", "@", "`", "---\n", "...\n", "~",
    "null", "true", "no", "1", "7", "0x10", "1.0", "1_000", "12:30:45", "=", ".5", ".inf", "\u{feff}", "\0", "\u{85}",
    "\u{2028}", "\u{ffff}",
];

fn checked_in() -> Vec<Manifest> {
    let folders = [folder().join("cases"), folder().join("../examples/fleet/agents")];
    let agents = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut paths: Vec<PathBuf> = agents.map(|agent| agent.unwrap().path().join("capabilities.yaml")).collect();
    paths.sort();
    paths.iter().map(|path| load(&read_source(path, "contract").unwrap()).unwrap().manifest).collect()
}

fn with_schema(schema: Schema, description: String) -> Manifest {
    let settings = r#"{"topics": {"requests": "agents.a.requests"}}"#.parse().unwrap();
    Manifest::new(
        AgentId::new("a").unwrap(),
        vec![TransportSettings { kind: "memory".to_owned(), settings }],
        vec![Capability { input: Some(schema), description: Some(description), ..Capability::new("x") }],
    )
}

/// A random string of tricky pieces as a value, in lists and as a key.
fn tricky(random: &mut Random) -> Manifest {
    let text: String = (0..1 + random.below(5)).map(|_| random.pick(&PIECES)).collect();
    let string = Json::String(text.clone());
    let list = Json::Array(vec![string.clone()]);
    let long = Json::Array(vec![string.clone(), Json::Array(vec![string.clone()])]);
    let value = Json::Object(
        [(text.clone(), string), ("list".to_owned(), list), ("long".to_owned(), long)].into_iter().collect(),
    );
    let schema = Json::Object([("const".to_owned(), value)].into_iter().collect());
    with_schema(Schema::parse(&schema).unwrap(), text)
}

fn manifests() -> Vec<Manifest> {
    let mut random = Random::new(7);
    let mut all = checked_in();
    all.extend((0..2000).map(|_| tricky(&mut random)));
    // Some random schemas are outside the subset.
    let schemas = (0..300).filter_map(|_| Schema::parse(&random.schema()).ok());
    all.extend(schemas.map(|schema| with_schema(schema, "A schema by chance.".to_owned())));
    all
}

/// The same value with each number as JavaScript represents it.
fn doubles(value: &Value) -> Value {
    match value {
        Value::Number(number) => number.as_f64().into(),
        Value::Array(items) => items.iter().map(doubles).collect(),
        Value::Object(members) => members.iter().map(|(key, value)| (key.clone(), doubles(value))).collect(),
        other => other.clone(),
    }
}

#[test]
fn npms_yaml_reads_the_same_values() {
    let Some(node) = node::require_or_skip().unwrap() else { return };
    let texts: Vec<String> = manifests().iter().map(Manifest::to_yaml).collect();
    for (text, [new, old]) in texts.iter().zip(node.yaml(&texts).unwrap()) {
        let ours = parse_yaml(&Source::new("capabilities.yaml", text.clone())).unwrap().to_json().to_value();
        assert_eq!(doubles(&new), doubles(&ours), "YAML 1.2:\n{text}");
        assert_eq!(doubles(&old), doubles(&ours), "YAML 1.1:\n{text}");
    }
}
