//! The JSON Schemas for editors agree with the readers of `capabilities.yaml` and `fleet.yaml`, in the opinion of Ajv.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};

use capgen_manifest::{
    Diagnostic, Node, Source, capabilities_schema, fleet_schema, listed_agents, load, parse_document, read_source,
};
use capgen_schema::Json;
use capgen_tests::contract::Draft;
use capgen_tests::random::Random;
use capgen_tests::{contract, folder, node};
use serde_json::{Value, json};

/// A file, and the format of which it is.
struct File {
    name: String,
    format: &'static str,
    text: String,
}

impl File {
    fn new(name: impl Into<String>, format: &'static str, text: impl Into<String>) -> Self {
        Self { name: name.into(), format, text: text.into() }
    }

    /// The errors of the reader.
    fn errors(&self) -> Vec<Diagnostic> {
        let source = Source::new(&self.name, &self.text);
        match self.format {
            "fleet" => listed_agents(&source).err(),
            _ => load(&source).err(),
        }
        .unwrap_or_default()
    }

    fn job(&self) -> Value {
        let key = if self.name.ends_with(".json") { "json" } else { "yaml" };
        json!({ "schema": self.format, key: self.text })
    }
}

/// The verdict of Ajv about each file; `None` without Node.
fn verdicts(files: &[File]) -> Option<Vec<Value>> {
    let node = node::require_or_skip().unwrap()?;
    let schema = |schema: Json| serde_json::from_str::<Value>(&schema.canonical()).unwrap();
    let schemas = json!({ "capabilities": schema(capabilities_schema()), "fleet": schema(fleet_schema()) });
    let files: Vec<Value> = files.iter().map(File::job).collect();
    Some(node.editor_schemas(&json!({ "schemas": schemas, "files": files })).unwrap())
}

/// The YAML files below a folder, except those of npm packages and of builds.
fn yaml_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && !["node_modules", "target"].contains(&name) && !name.starts_with('.') {
            yaml_files(&path, found);
        } else if name.ends_with(".yaml") {
            found.push(path);
        }
    }
}

/// Every manifest and every fleet of this repository.
fn files_here() -> Vec<File> {
    let mut paths = Vec::new();
    yaml_files(&folder().join(".."), &mut paths);
    paths.sort();
    let file = |path: &PathBuf| {
        let name = path.to_str().unwrap();
        let format = if name.ends_with("fleet.yaml") { "fleet" } else { "capabilities" };
        Some(File::new(name, format, read_source(path, name).ok()?.text()))
    };
    let is_about_fleets = |path: &&PathBuf| !path.ends_with("rpc-peers.yaml");
    let files = paths.iter().filter(is_about_fleets).filter_map(file);
    files.filter(|file| file.errors().is_empty()).collect()
}

#[test]
fn editors_accept_every_manifest_of_this_repository() {
    let files = files_here();
    let fleets = files.iter().filter(|file| file.format == "fleet").count();
    assert!(files.len() - fleets >= 40 && fleets >= 3, "{} files, {fleets} fleets", files.len());
    let Some(verdicts) = verdicts(&files) else { return };
    for (file, verdict) in files.iter().zip(verdicts) {
        assert_eq!(verdict, true, "{}", file.name);
    }
}

const GOOD: &str = r##"version: 1
agent: agent://reviewer
description: Reviews pull requests.
owner: Team Reviews
contact: reviews@example.com
documentation: https://docs.example.com/reviewer?v=1
transports:
  - kind: nats
    servers: ["nats://localhost:4222"]
    subjects: { requests: reviews }
capabilities:
  - name: review
    id: org.example.review
    version: "1.2.0"
    timeoutMs: 5000
    supportedVersions: [">=1.0.0 <2.0.0"]
    tags: [code]
    sideEffects: pure
    inputSchema:
      type: object
      properties: { pr: { $ref: "#/definitions/pr" }, n: { type: [integer, "null"], minimum: 0 } }
      propertyNames: { type: string, pattern: "^[a-z]+$" }
      required: [pr]
      definitions: { pr: { type: string, format: uri, minLength: 1 } }
    outputSchema: true
"##;

/// A part of `GOOD`, and a mistake in its place.
const MISTAKES: &[(&str, &str)] = &[
    // An unknown key.
    ("name: review", "name: review\n    descripton: a"),
    ("agent: agent", "team: me\nagent: agent"),
    ("kind: nats", "kind: nats\n    url: nats://localhost"),
    ("requests: reviews", "requests: reviews, replies: a"),
    ("type: object", "type: object\n      nullable: true"),
    ("minimum: 0", "min: 0"),
    ("pattern: \"^[a-z]+$\"", "enum: [a]"),
    // A wrong type.
    ("Reviews pull requests.", "[a]"),
    ("timeoutMs: 5000", "timeoutMs: 5s"),
    ("version: \"1.2.0\"", "version: 1.2"),
    ("tags: [code]", "tags: code"),
    ("[\"nats://localhost:4222\"]", "nats://localhost:4222"),
    ("outputSchema: true", "outputSchema:"),
    ("outputSchema: true", "outputSchema: string"),
    ("required: [pr]", "required: true"),
    ("minLength: 1", "minLength: \"1\""),
    // A wrong value.
    ("version: 1\n", "version: 2\n"),
    ("agent://reviewer", "reviewer"),
    ("agent://reviewer", "agent://re viewer"),
    ("Team Reviews", "\"\""),
    ("reviews@example.com", "Ann"),
    ("https://docs", "http://docs"),
    ("https://docs", "https://ann:secret@docs"),
    ("kind: nats", "kind: nts"),
    ("kind: nats", "kind: kafka"),
    ("name: review", "name: review pr"),
    ("org.example.review", "review"),
    ("\"1.2.0\"", "\"1.2\""),
    (">=1.0.0 <2.0.0", "^1.0.0"),
    ("timeoutMs: 5000", "timeoutMs: 0"),
    ("sideEffects: pure", "sideEffects: none"),
    ("type: object", "type: objct"),
    ("format: uri", "format: url"),
    ("minLength: 1", "minLength: -1"),
    ("#/definitions/pr", "pr.json"),
    ("[integer, \"null\"]", "[]"),
    ("[integer, \"null\"]", "[integer, integer]"),
    ("type: string, pattern", "type: integer, pattern"),
    ("$ref: \"#/definitions/pr\"", "$ref: \"#/definitions/pr\", type: string"),
    ("required: [pr]", "required: [pr, pr]"),
    ("outputSchema: true", "outputSchema: { oneOf: [] }"),
    ("outputSchema: true", "outputSchema: { $schema: \"https://json-schema.org/draft/2020-12/schema\" }"),
    ("outputSchema: true", "outputSchema: { not: { $id: \"a\" } }"),
    ("outputSchema: true", "outputSchema: { items: [1] }"),
    ("outputSchema: true", "outputSchema: { multipleOf: 0 }"),
    ("[\"nats://localhost:4222\"]", "[]"),
    ("requests: reviews", "requests: \"\""),
    // A missing key.
    ("version: 1\n", ""),
    ("agent: agent://reviewer\n", ""),
    ("kind: nats\n    servers", "servers"),
    ("    servers: [\"nats://localhost:4222\"]\n", ""),
    ("requests: reviews", ""),
    ("name: review\n    id", "id"),
];

const FLEET: &str = "version: 1\nname: shop\nagents:\n  - { id: a, path: agents/a, env: {} }\n\
                     generate: { calls: true }\ncalls: { skew: serve, accepted: accepted.yaml }\n";

const FLEET_MISTAKES: &[(&str, &str)] = &[
    ("version: 1", "version: \"1\""),
    ("name: shop", "nmae: shop"),
    ("agents:", "agent:"),
    ("id: a,", ""),
    ("id: a,", "id: agent://a,"),
    (", path: agents/a", ""),
    ("agents/a", "/agents/a"),
    ("agents/a", "\"C:/a\""),
    ("agents/a", "\"\\\\\\\\host\""),
    ("env: {}", "evn: {}"),
    ("calls: true", "calls: yes"),
    ("calls: true", "clals: true"),
    ("calls: true", "singleFile: 1"),
    ("calls: true", "importExtension: mts"),
    ("calls: true", "runtimePath: capgen"),
    ("calls: true", "runtimePath: \"::a;\""),
    ("calls: true", "runtimePath: true"),
    ("skew: serve", "skew: always"),
    ("skew: serve", "skw: serve"),
    ("skew: serve", "assume: capgen"),
    ("accepted.yaml", "/accepted.yaml"),
    ("accepted.yaml", "1"),
];

#[test]
fn editors_reject_common_mistakes() {
    let mut files = vec![File::new("good.yaml", "capabilities", GOOD), File::new("fleet.yaml", "fleet", FLEET)];
    for (format, good, mistakes) in [("capabilities", GOOD, MISTAKES), ("fleet", FLEET, FLEET_MISTAKES)] {
        for (old, new) in mistakes {
            assert!(good.contains(old), "{old}");
            files.push(File::new(format!("{new}.yaml"), format, good.replacen(old, new, 1)));
        }
    }
    for (index, file) in files.iter().enumerate() {
        assert_eq!(file.errors().is_empty(), index < 2, "{}: {:?}", file.text, file.errors());
    }
    let Some(verdicts) = verdicts(&files) else { return };
    for (index, (file, verdict)) in files.iter().zip(verdicts).enumerate() {
        assert_eq!(verdict == true, index < 2, "{}: {verdict}", file.text);
    }
}

/// The errors that a JSON Schema of the file cannot express: names that are equal, targets of references, the syntax
/// and size of patterns, keywords of Rust, and limits of size and depth.
const BEYOND_SCHEMAS: &[&str] = &[
    "E0108", "E0109", "E0110", "E0112", "E0113", "E0114", "E0119", "E0120", "E0121", "E0122", "E0123", "E0124",
    "E0125", "E0208", "E0215", "E0216", "E0301", "E0302", "E0303", "E0304", "E0305", "E0306", "E0307", "E0308",
];

/// Values that are valid at some keys and not at others.
const VALUES: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "1",
    "1.0",
    "-1",
    "0.5",
    "5000",
    "1e2",
    "18446744073709551615",
    "\"\"",
    "\" \"",
    "\"a\"",
    "\"A_b-9\"",
    "\"a b\"",
    "\"a.b\"",
    "\".a\"",
    "\"a\\n\"",
    "\"agent://a\"",
    "\"agent://\"",
    "\"1.2.0\"",
    "\"1.2\"",
    "\"01.2.0\"",
    "\"1.0.0-rc.1+b\"",
    "\"1.0.0-01\"",
    "\">=1.0.0\"",
    "\" >1.0.0  <=2.0.0 \"",
    "\">= 1.0.0\"",
    "\"1.0.0 \"",
    "\"pure\"",
    "\"deterministic\"",
    "\"object\"",
    "\"uuid\"",
    "\"#/definitions/a\"",
    "\"#/%64efinitions/a\"",
    "\"#\"",
    "\"memory\"",
    "\"mcp\"",
    "\"/a\"",
    "\"C:\"",
    "\"\\u00e9\"",
    "[]",
    "[1]",
    "[\"a\"]",
    "[\"a\",\"a\"]",
    "[\"string\",\"null\"]",
    "[\"1.0.0\"]",
    "[{}]",
    "[true]",
    "{}",
    "{\"a\":true}",
    "{\"requests\":\"q\"}",
    "{\"type\":\"string\"}",
    "{\"pattern\":\"^a$\"}",
    "\"http://json-schema.org/draft-07/schema\"",
    "\"[\"",
];

/// Every name of a key in the schemas for editors.
fn key_names() -> Vec<String> {
    fn collect(json: &Json, found: &mut Vec<String>) {
        match json {
            Json::Object(members) => {
                if let Some(Json::Object(properties)) = members.get("properties") {
                    found.extend(properties.iter().map(|(name, _)| name.clone()));
                }
                members.iter().for_each(|(_, value)| collect(value, found));
            }
            Json::Array(items) => items.iter().for_each(|item| collect(item, found)),
            _ => {}
        }
    }
    let mut found = vec!["x".to_owned()];
    collect(&capabilities_schema(), &mut found);
    collect(&fleet_schema(), &mut found);
    found.sort();
    found.dedup();
    found
}

fn size(json: &Json) -> usize {
    1 + match json {
        Json::Array(items) => items.iter().map(size).sum(),
        Json::Object(members) => members.iter().map(|(_, value)| size(value)).sum(),
        _ => 0,
    }
}

/// Changes the value at an index, counted from the root.
fn change(json: &mut Json, index: &mut usize, random: &mut Random, keys: &[String]) {
    if *index == 0 {
        let value: Json = random.pick(VALUES).parse().unwrap();
        match json {
            Json::Object(members) if !random.one_in(4) => {
                let key = &keys[random.below(keys.len())];
                let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
                match (random.below(3), names.as_slice()) {
                    (0, [_, ..]) => {
                        let name = random.pick(&names).to_owned();
                        members.set(&name, None);
                    }
                    (1, _) => members.set("definitions", Some("{\"a\": true}".parse().unwrap())),
                    _ => members.set(key, Some(value)),
                }
            }
            Json::Array(items) if !random.one_in(4) => match (random.below(2), items.len()) {
                (0, 1..) => drop(items.remove(random.below(items.len()))),
                _ => items.push(value),
            },
            json => *json = value,
        }
        *index = usize::MAX;
        return;
    }
    *index -= 1;
    let mut visit = |value: &mut Json| {
        if *index != usize::MAX {
            change(value, index, random, keys);
        }
    };
    match json {
        Json::Array(items) => items.iter_mut().for_each(&mut visit),
        Json::Object(members) => {
            let names: Vec<String> = members.iter().map(|(name, _)| name.clone()).collect();
            names.iter().for_each(|name| visit(members.get_mut(name).unwrap()));
        }
        _ => {}
    }
}

/// Files to change: those of this repository and random contracts.
fn originals(random: &mut Random) -> Vec<File> {
    let mut files = files_here();
    files.push(File::new("good.yaml", "capabilities", GOOD));
    for index in 0..200 {
        let draft =
            Draft { output: Some(random.schema().canonical()), ..Draft::request("a", &random.schema().canonical()) };
        files.push(File::new(format!("random {index}.json"), "capabilities", contract::text("a", &[draft])));
    }
    files
}

#[test]
fn editors_accept_random_files_that_the_readers_accept() {
    let (mut random, keys) = (Random::new(16), key_names());
    let mut files = Vec::new();
    for original in originals(&mut random) {
        let tree =
            parse_document(&Source::new(&original.name, &original.text)).map(|root: Node| root.to_json()).unwrap();
        for _ in 0..10 {
            let mut json = tree.clone();
            for _ in 0..random.below(3) {
                let mut index = random.below(size(&json));
                change(&mut json, &mut index, &mut random, &keys);
            }
            files.push(File::new("changed.json", original.format, json.canonical()));
        }
    }
    let Some(verdicts) = verdicts(&files) else { return };
    let (mut valid, mut invalid) = (0, 0);
    for (file, verdict) in files.iter().zip(verdicts) {
        let errors = file.errors();
        if errors.is_empty() {
            valid += 1;
            assert_eq!(verdict, true, "{}", file.text);
        } else if verdict != true {
            invalid += 1;
        } else {
            let is_beyond = |error: &Diagnostic| BEYOND_SCHEMAS.contains(&error.code.as_str());
            assert!(errors.iter().any(is_beyond), "accepted: {}\n{errors:?}", file.text);
        }
    }
    println!("{valid} valid files, {invalid} invalid ones");
    assert!(valid > 1000 && invalid > 1000, "{valid} valid files, {invalid} invalid ones");
}

#[test]
fn the_checked_in_schemas_are_current() {
    for (name, schema) in [("capabilities", capabilities_schema()), ("fleet", fleet_schema())] {
        let path = folder().join(format!("../generated/editor/{name}.schema.json"));
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.parse::<Json>().unwrap(), schema, "run `cargo run -p xtask -- regen`");
    }
}

#[test]
fn every_pattern_has_a_message() {
    /// The patterns outside of `not`, whose failures editors do not report.
    fn check(json: &Json, place: &str, count: &mut usize) {
        if let Some(pattern) = json.get("pattern").and_then(Json::as_str) {
            let rule = json.get("patternErrorMessage").and_then(Json::as_str);
            assert!(rule.is_some_and(|rule| !rule.contains(pattern)), "{place}: {pattern}");
            *count += 1;
        }
        match json {
            Json::Object(members) => {
                let others = members.iter().filter(|(name, _)| name != "not");
                others.for_each(|(name, value)| check(value, &format!("{place}/{name}"), count));
            }
            Json::Array(items) => items.iter().for_each(|item| check(item, place, count)),
            _ => {}
        }
    }
    let mut count = 0;
    check(&capabilities_schema(), "capabilities", &mut count);
    check(&fleet_schema(), "fleet", &mut count);
    assert!(count > 30, "{count} patterns");
}

#[test]
fn every_key_has_a_description() {
    fn check(json: &Json, place: &str) {
        let Json::Object(members) = json else { return };
        if let Some(Json::Object(properties)) = members.get("properties") {
            for (name, schema) in properties {
                let about = schema.get("description").or_else(|| schema.get("$ref")).and_then(Json::as_str);
                let is_condition = schema.get("const").is_some() || *schema == Json::Bool(true);
                assert!(is_condition || about.is_some_and(|text| !text.contains("](")), "{place}/{name}");
                check(schema, &format!("{place}/{name}"));
            }
        }
        if let Some(Json::Object(definitions)) = members.get("definitions") {
            definitions.iter().for_each(|(name, schema)| check(schema, &format!("{place}/{name}")));
        }
        for branch in members.get("allOf").and_then(Json::as_array).unwrap_or_default() {
            check(branch.get("then").unwrap(), place);
        }
    }
    check(&capabilities_schema(), "capabilities");
    check(&fleet_schema(), "fleet");
}
