//! Random schemas with keywords that the subset does not have, and random payloads. A seed always gives the same ones.

use capgen_testkit::Random;
use serde_json::{Map, Value, json};

const NAMES: [&str; 4] = ["a", "ab", "b", "c"];
const TYPES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];

fn properties<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(members.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect())
}

/// A schema of draft 2020-12 with definitions.
pub(crate) fn schema(seed: u64) -> Value {
    let random = &mut Random::new(2 * seed);
    let mut root = subschema(random, 3);
    if !root.is_object() {
        root = json!({"allOf": [root]});
    }
    let definitions: Map<String, Value> =
        ["D", "E"].into_iter().map(|name| (name.to_owned(), definition(random))).collect();
    let members = root.as_object_mut().unwrap();
    members.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    members.insert("$defs".to_owned(), Value::Object(definitions));
    root
}

/// A definition refers to others only below a property, so that no reference cycle lacks input.
fn definition(random: &mut Random) -> Value {
    let mut definition = subschema(random, 1);
    clear_references(&mut definition);
    if random.below(2) == 0 && definition.is_object() {
        definition["properties"] = json!({"a": subschema(random, 1)});
    }
    definition
}

fn clear_references(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.remove("$ref");
            members.values_mut().for_each(clear_references);
        }
        Value::Array(items) => items.iter_mut().for_each(clear_references),
        _ => {}
    }
}

fn subschema(random: &mut Random, depth: usize) -> Value {
    if depth == 0 || random.below(8) == 0 {
        return match random.below(7) {
            0 => json!(random.below(2) == 0),
            1 | 2 => json!({"$ref": random.pick(&["#/$defs/D", "#/$defs/E"])}),
            3 => json!({"pattern": "(.)\\1"}),
            4 => json!({"type": "string", "pattern": "(.)\\1"}),
            5 => json!({"$ref": "other.json"}),
            _ => json!({"type": random.pick(&TYPES)}),
        };
    }
    let mut members = Map::new();
    for _ in 0..=random.below(3) {
        keyword(random, depth - 1, &mut members);
    }
    Value::Object(members)
}

fn keyword(random: &mut Random, depth: usize, members: &mut Map<String, Value>) {
    let sub = |random: &mut Random| subschema(random, depth);
    let (name, value) = match random.below(22) {
        0 => ("type", json!(random.pick(&TYPES))),
        1 => ("enum", json!([payload(random, 1), payload(random, 1)])),
        2 => ("minimum", json!(random.below(3))),
        3 => ("maxLength", json!(random.below(3))),
        4 => ("pattern", json!("(.)\\1")),
        5 => ("allOf", json!([sub(random), sub(random)])),
        6 => ("anyOf", json!([sub(random), sub(random)])),
        7 | 8 => ("oneOf", json!([sub(random), sub(random), sub(random)])),
        9 | 10 => ("not", sub(random)),
        11 => {
            for name in ["then", "else"] {
                if random.below(3) > 0 {
                    let branch = sub(random);
                    members.insert(name.to_owned(), branch);
                }
            }
            ("if", sub(random))
        }
        12 => ("$ref", json!(random.pick(&["#/$defs/D", "#/$defs/E", "other.json"]))),
        13 => ("properties", properties([(random.pick(&NAMES), sub(random)), (random.pick(&NAMES), sub(random))])),
        14 => ("required", json!([random.pick(&NAMES)])),
        15 => ("patternProperties", json!({"^a": sub(random)})),
        16 => ("additionalProperties", sub(random)),
        17 => ("minProperties", json!(random.below(3))),
        18 => ("dependentSchemas", properties([(random.pick(&NAMES), sub(random))])),
        19 => {
            if random.below(2) == 0 {
                members.insert("maxItems".to_owned(), json!(random.below(3)));
            }
            ("prefixItems", json!([sub(random), sub(random)]))
        }
        20 => ("items", sub(random)),
        _ => {
            if random.below(2) == 0 {
                members.insert("minContains".to_owned(), json!(random.below(3)));
            }
            if random.below(2) == 0 {
                members.insert("maxContains".to_owned(), json!(random.below(3)));
            }
            ("contains", sub(random))
        }
    };
    members.insert(name.to_owned(), value);
}

/// Payloads of every type.
pub(crate) fn payloads(seed: u64) -> Vec<Value> {
    let random = &mut Random::new(2 * seed + 1);
    (0..40).map(|_| payload(random, 2)).collect()
}

fn payload(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth == 0 { 5 } else { 9 }) {
        0 => Value::Null,
        1 => json!(random.below(2) == 0),
        2 => json!(random.below(4)),
        3 => json!(random.pick(&["", "a", "ab", "abc"])),
        4 => json!(0.5),
        5 | 6 => (0..random.below(4)).map(|_| payload(random, depth - 1)).collect(),
        _ => {
            let members = (0..random.below(4)).map(|_| (random.pick(&NAMES).to_owned(), payload(random, depth - 1)));
            Value::Object(members.collect())
        }
    }
}
