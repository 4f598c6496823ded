//! Random schemas of every draft with broken parts at every place.

use capgen_testkit::Random;
use serde_json::{Map, Value, json};

use crate::applicators::{LISTS, MAPS, ONE};

const DIALECTS: [&str; 7] = [
    "",
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
    "https://spec.openapis.org/oas/3.0/schema/2021-09-28",
];

const NAMES: [&str; 8] = ["a", "^a", "^(x)\\1", "^[[:alpha:]]+$", "(", ".*", "^a{,3}$", "\\-"];
const REFERENCES: [&str; 9] = [
    "",
    "#",
    "#/$defs/a",
    "#/definitions/a",
    "#/definitions/(",
    "#/properties/a",
    "#/patternProperties/(",
    "#gone",
    "other.json",
];
const OTHERS: [&str; 37] = [
    "$anchor",
    "$comment",
    "$id",
    "$recursiveRef",
    "$ref",
    "$schema",
    "const",
    "default",
    "dependentRequired",
    "deprecated",
    "description",
    "discriminator",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "id",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLenght",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "nullable",
    "pattern",
    "readOnly",
    "required",
    "title",
    "type",
    "uniqueItems",
];

pub(crate) fn schema(seed: u64) -> Value {
    let random = &mut Random::new(seed);
    let mut root = object(random, 3);
    let dialect = random.pick(&DIALECTS);
    if !dialect.is_empty() {
        root.insert("$schema".to_owned(), json!(dialect));
    }
    Value::Object(root)
}

fn object(random: &mut Random, depth: usize) -> Map<String, Value> {
    (0..=random.below(4)).map(|_| keyword(random, depth)).collect()
}

fn subschema(random: &mut Random, depth: usize) -> Value {
    match random.below(12) {
        0 => value(random),
        1 => json!({"$ref": random.pick(&REFERENCES)}),
        2 | 3 => json!({"type": random.pick(&["string", "object", "array", "null"])}),
        4 => json!({"pattern": random.pick(&NAMES)}),
        _ if depth == 0 => json!(true),
        _ => Value::Object(object(random, depth - 1)),
    }
}

fn keyword(random: &mut Random, depth: usize) -> (String, Value) {
    let (name, value) = match random.below(8) {
        0 | 1 => (random.pick(&ONE), subschema(random, depth)),
        2 => (random.pick(&LISTS), (0..random.below(3)).map(|_| subschema(random, depth)).collect()),
        3 | 4 => {
            let member = |random: &mut Random| (random.pick(&NAMES).to_owned(), subschema(random, depth));
            let members: Map<String, Value> = (0..random.below(3)).map(|_| member(random)).collect();
            (random.pick(&MAPS), Value::Object(members))
        }
        5 => ("$ref", json!(random.pick(&REFERENCES))),
        _ => (random.pick(&OTHERS), value(random)),
    };
    (name.to_owned(), value)
}

/// A value that most keywords do not allow.
fn value(random: &mut Random) -> Value {
    match random.below(13) {
        0 => json!(null),
        1 => json!(true),
        2 => json!(false),
        3 => json!(1),
        4 => json!(-0.5),
        5 => json!("a"),
        6 => json!("^(x)\\1"),
        7 => json!([]),
        8 => json!(["a", 1]),
        9 => json!(["string", "null"]),
        10 => json!({}),
        11 => json!({"a": ["b"], "propertyName": "a"}),
        _ => json!({"a": 7}),
    }
}
