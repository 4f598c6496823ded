//! Random schemas: the generated TypeScript compiles, and payloads that the schema accepts have its type.

use capgen_codegen::Language;
use capgen_manifest::Side;
use capgen_schema::{Json, Validator};
use capgen_testkit::Random;
use capgen_tests::contract::{Draft, contract, generated};
use capgen_tests::literal;
use capgen_tests::node::{self, Program, TscError};
use serde_json::{Map, Value, json};

/// A property that every object has and every object schema declares. TypeScript rejects a value without any declared
/// property, although the schema accepts it.
const COMMON: &str = "t";
const NAMES: [&str; 4] = ["a", "b", "kind", "toString"];
const VALUES: [&str; 12] =
    ["null", "true", "false", "0", "1", "-1.5", "\"\"", "\"x\"", "\"y\"", "[]", "{\"t\":0}", "{\"t\":0,\"a\":[1]}"];

/// Some of the names, possibly no one.
fn some(random: &mut Random) -> Vec<&'static str> {
    NAMES.into_iter().filter(|_| random.one_in(3)).collect()
}

fn value(random: &mut Random) -> Value {
    serde_json::from_str(random.pick(&VALUES)).unwrap()
}

fn schema(random: &mut Random, depth: usize) -> Value {
    let mut object = Map::new();
    let choices = if depth == 0 { 5 } else { 15 };
    for _ in 0..=random.below(2) {
        let below = depth.saturating_sub(1);
        match random.below(choices) {
            0 => drop(
                object.insert("type".into(), json!(random.pick(&["string", "integer", "number", "boolean", "null"]))),
            ),
            1 => drop(object.insert(
                "type".into(),
                json!(random.pick(&[
                    ["string", "null"],
                    ["object", "array"],
                    ["object", "null"],
                    ["array", "boolean"]
                ])),
            )),
            2 => drop(object.insert("enum".into(), json!([value(random), value(random)]))),
            3 => drop(object.insert("const".into(), value(random))),
            4 => return json!({"$ref": random.pick(&["#/definitions/a", "#/definitions/b", "#/definitions/c"])}),
            5..=7 => {
                object.insert("type".into(), json!("object"));
                let names = some(random);
                let mut properties: Map<String, Value> =
                    names.iter().map(|n| ((*n).to_owned(), schema(random, below))).collect();
                properties.insert(COMMON.into(), json!(true));
                object.insert("properties".into(), properties.into());
                object.insert("required".into(), json!(some(random)));
            }
            8 => drop(object.insert(
                "additionalProperties".into(),
                match random.below(3) {
                    0 => json!(false),
                    1 => json!(true),
                    _ => schema(random, below),
                },
            )),
            9 => {
                object.insert("type".into(), json!("array"));
                object.insert("items".into(), schema(random, below));
                if random.below(2) == 0 {
                    object.insert("minItems".into(), json!(random.below(3)));
                }
                if random.below(3) == 0 {
                    object.insert("maxItems".into(), json!(random.below(4)));
                }
            }
            10 => drop(object.insert("oneOf".into(), branches(random, below))),
            11 => drop(object.insert("anyOf".into(), branches(random, below))),
            12 => drop(object.insert("allOf".into(), branches(random, below))),
            13 => drop(object.insert("not".into(), schema(random, below))),
            _ => drop(object.insert("not".into(), required(random))),
        }
    }
    Value::Object(object)
}

fn branches(random: &mut Random, depth: usize) -> Value {
    let branch = |random: &mut Random| if random.below(4) == 0 { required(random) } else { schema(random, depth) };
    (0..=random.below(3)).map(|_| branch(random)).collect()
}

/// A schema that only requires a property, which other schemas may not declare.
fn required(random: &mut Random) -> Value {
    json!({"required": [random.pick(&["a", "b", "kind", "z"])]})
}

fn payload(random: &mut Random, depth: usize) -> Value {
    match if depth == 0 { 0 } else { random.below(4) } {
        0 | 1 => value(random),
        2 => (0..random.below(4)).map(|_| payload(random, depth - 1)).collect(),
        _ => {
            let names = some(random).into_iter();
            let mut object: Map<String, Value> =
                names.map(|name| (name.to_owned(), payload(random, depth - 1))).collect();
            object.insert(COMMON.into(), json!(0));
            object.into()
        }
    }
}

fn root(random: &mut Random) -> Value {
    let mut root = schema(random, 3);
    let definitions: Map<String, Value> =
        ["a", "b", "c"].iter().map(|name| ((*name).to_owned(), schema(random, 2))).collect();
    root["definitions"] = definitions.into();
    root
}

#[test]
fn payloads_that_a_random_schema_accepts_have_its_type() {
    let Some(node) = node::require_or_skip().unwrap() else { return };
    let count: u64 = std::env::var("CAPGEN_SCHEMAS").ok().and_then(|n| n.parse().ok()).unwrap_or(200);
    let mut random = Random::new(std::env::var("CAPGEN_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1));
    let mut files = Vec::new();
    let mut about: Vec<(Value, Vec<String>)> = Vec::new();
    while (about.len() as u64) < count {
        let schema = root(&mut random);
        let Ok(contract) = contract("test", &[Draft::request("root", &schema.to_string())]) else { continue };
        let validator = Validator::new(contract.capabilities[0].schema(Side::Request).unwrap());
        let payloads: Vec<Value> =
            (0..60).map(|_| payload(&mut random, 3)).filter(|payload| validator.is_valid(payload)).take(12).collect();
        let index = about.len();
        let mut uses =
            format!("import type * as types from \"./types-{index}.ts\"; export type Root = types.RootRequest;\n");
        let mut lines = Vec::new();
        for (i, payload) in payloads.iter().enumerate() {
            let payload = Json::try_from(payload).unwrap();
            let (ty, value) = (literal::type_of(&payload), literal::expression(&payload));
            uses.push_str(&format!("const v{i}: {ty} = {value}; export const x{i}: Root = v{i};\n"));
            lines.push(value);
        }
        files.push((format!("types-{index}.ts"), generated(&contract, Language::TypeScript)));
        files.push((format!("{index}.ts"), uses));
        about.push((schema, lines));
    }
    let texts: std::collections::BTreeMap<String, String> = files.iter().cloned().collect();
    let errors = node.tsc_check_all(&[Program { files, options: node::strictest() }]).unwrap();
    let explain = |error: &TscError| {
        let index: usize = error.file.trim_start_matches("types-").trim_end_matches(".ts").parse().unwrap();
        let (schema, lines) = &about[index];
        let line = lines.get((error.line as usize).wrapping_sub(2)).cloned().unwrap_or_default();
        format!("{schema}\n{}\n{error:?}\n{line}\n", texts[&format!("types-{index}.ts")])
    };
    let findings: Vec<String> = errors.iter().flatten().map(explain).collect();
    let payloads: usize = about.iter().map(|(_, lines)| lines.len()).sum();
    println!("{payloads} payloads, {} errors", findings.len());
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}
