//! Pairs of schemas that try to make a comparison take very long.

use capgen_schema::Json;
use serde_json::{Map, Value, json};

use crate::engines::Question;

pub fn questions() -> Vec<Question> {
    let question = |(name, smaller, larger): (&str, Value, Value)| {
        let json = |value: &Value| Json::try_from(value).expect("a schema");
        Question::new(name, &json(&smaller), &json(&larger))
    };
    let pairs = [
        ("40 unions that overlap, 2^40 combinations", chain(40, "y"), chain(40, "x")),
        ("40 unions of disjoint objects", choices(40, 2, "y"), choices(40, 2, "x")),
        ("12 unions of 6 branches", choices(12, 6, "y"), choices(12, 6, "x")),
        ("oneOf of 24 open objects", one_of(24, "x"), one_of(24, "y")),
        ("product of patterns, 2^15 states", pattern("^(a|b)*b(a|b){15}$"), pattern("^(a|b)*a(a|b){14}$")),
        ("product of 8 patterns", all_patterns(8), pattern("^$")),
        ("pattern with a repetition of 1,000", pattern("^(a|b){0,1000}c$"), pattern("^(a|b|c){0,999}$")),
        ("string of 60,000 characters", json!({"type": "string", "minLength": 60_000}), pattern("^(?:[ab]*c)*$")),
        ("ring of 40 definitions with 3 references each", ring(40, "number"), ring(40, "integer")),
        ("ring of 40 definitions with unions", union_ring(40, "number"), union_ring(40, "integer")),
        ("4,000 items that are unique", unique(4_000, 4_001), json!({"type": "array", "maxItems": 3_999})),
        ("enum of 300 arrays", arrays(300), json!({"enum": all_arrays(300)})),
        ("enum of 60 objects", json!({"type": "object", "minLength": 1}), json!({"enum": objects(60)})),
        ("12 negated objects", negated(12), json!(false)),
        ("64 levels", nested(60, "number"), nested(60, "integer")),
        ("object with 2,000 properties", wide(2_000, "number"), wide(2_000, "integer")),
    ];
    pairs.into_iter().map(question).collect()
}

fn chain(n: usize, value: &str) -> Value {
    let branch = |i: usize| json!({"required": [format!("p{i}")], "properties": {format!("p{i}"): {"const": value}}});
    let unions: Vec<Value> = (0..n).map(|i| json!({"anyOf": [branch(i), branch(i + 1)]})).collect();
    json!({"type": "object", "allOf": unions})
}

fn choices(n: usize, branches: usize, value: &str) -> Value {
    let branch = |i: usize, b: usize| json!({"required": [format!("p{i}")], "properties": {format!("p{i}"): {"const": format!("{value}{b}")}}});
    let union = |i: usize| json!({"anyOf": (0..branches).map(|b| branch(i, b)).collect::<Vec<_>>()});
    json!({"type": "object", "allOf": (0..n).map(union).collect::<Vec<_>>()})
}

fn one_of(n: usize, last: &str) -> Value {
    let branch = |i: usize| {
        let name = if i + 1 == n { last.to_owned() } else { format!("p{i}") };
        json!({"type": "object", "required": [name]})
    };
    json!({"oneOf": (0..n).map(branch).collect::<Vec<_>>()})
}

fn pattern(source: &str) -> Value {
    json!({"type": "string", "pattern": source})
}

fn all_patterns(n: usize) -> Value {
    let schema = |i: usize| pattern(&format!("^(a|b)*{}(a|b){{{}}}$", if i % 2 == 0 { "a" } else { "b" }, i + 5));
    json!({"allOf": (0..n).map(schema).collect::<Vec<_>>()})
}

fn ring(n: usize, last: &str) -> Value {
    let definition = |i: usize| {
        let next = |step: usize| json!({"$ref": format!("#/definitions/d{}", (i + step) % n)});
        let own = if i + 1 == n { last } else { "string" };
        let properties = json!({"a": next(1), "b": next(2), "c": next(3), "own": {"type": own}});
        (format!("d{i}"), json!({"type": "object", "properties": properties}))
    };
    json!({"$ref": "#/definitions/d0", "definitions": (0..n).map(definition).collect::<Map<_, _>>()})
}

fn union_ring(n: usize, last: &str) -> Value {
    let definition = |i: usize| {
        let next = |step: usize| json!({"$ref": format!("#/definitions/d{}", (i + step) % n)});
        let own = if i + 1 == n { last } else { "string" };
        let branch = |name: &str, step| json!({"type": "object", "required": [name], "properties": {name: next(step)}});
        (format!("d{i}"), json!({"anyOf": [{"type": own}, branch("a", 1), branch("b", 2), branch("c", 3)]}))
    };
    json!({"$ref": "#/definitions/d0", "definitions": (0..n).map(definition).collect::<Map<_, _>>()})
}

fn unique(min: usize, max: usize) -> Value {
    json!({"type": "array", "uniqueItems": true, "minItems": min, "maxItems": max, "items": {"type": "integer"}})
}

fn all_arrays(n: usize) -> Vec<Value> {
    (0..n).map(|i| json!([i % 10, i / 10 % 10, i / 100])).collect()
}

fn arrays(n: usize) -> Value {
    let digit = json!({"type": "integer", "minimum": 0, "maximum": 9});
    json!({"type": "array", "items": digit, "minItems": 3, "maxItems": 3, "not": {"enum": all_arrays(n / 2)}})
}

fn objects(n: usize) -> Vec<Value> {
    (0..n).map(|i| json!({"a": i, "b": i % 7, "c": i % 3})).collect()
}

fn negated(n: usize) -> Value {
    let not = |i: usize| {
        let properties: Map<String, Value> =
            (0..6).map(|p| (format!("p{}", (p * i + i) % 11), json!({"type": (["string", "null"][i % 2])}))).collect();
        json!({"not": {"type": "object", "properties": properties}})
    };
    json!({"type": "object", "additionalProperties": {"type": "string"}, "allOf": (0..n).map(not).collect::<Vec<_>>()})
}

fn nested(n: usize, last: &str) -> Value {
    (0..n).fold(json!({"type": last}), |schema, _| json!({"type": "object", "properties": {"a": schema}}))
}

fn wide(n: usize, last: &str) -> Value {
    let properties: Map<String, Value> =
        (0..n).map(|i| (format!("p{i}"), json!({"type": if i + 1 == n { last } else { "string" }}))).collect();
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}
