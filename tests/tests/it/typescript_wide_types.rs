//! Validators of schemas with many parts of one kind compile, and have the verdicts of the interpreter: several
//! functions check the parts, because the compiler overflows its stack in one function with all of them.

use std::fmt::Write as _;

use capgen_schema::Validator;
use capgen_tests::agreement::{Pair, parse, typescript};
use capgen_tests::node;
use serde_json::{Value, json};

const WIDTH: usize = 1_100;

fn list(item: impl Fn(usize) -> Value) -> Value {
    (0..WIDTH).map(item).collect()
}

/// A schema, and payloads for its first, a middle and its last part, and for none.
fn pair(label: &str, schema: &Value, payload: impl Fn(usize) -> Value) -> Pair {
    let payloads = [0, WIDTH / 2, WIDTH - 1, WIDTH].map(payload);
    let payloads = payloads.iter().chain([&json!(null), &json!({}), &json!([])]).map(Value::to_string).collect();
    Pair { label: label.to_owned(), schema: schema.to_string(), payloads }
}

fn members(name: impl Fn(usize) -> String) -> Value {
    (0..WIDTH).map(|i| (name(i), json!("x"))).collect::<serde_json::Map<_, _>>().into()
}

fn pairs() -> Vec<Pair> {
    let a = |i: usize| format!("a{i}");
    let closed = |i| {
        let properties = json!({a(i): {"type": "string"}, "b": {"type": "integer"}});
        json!({"type": "object", "properties": properties, "required": [a(i)], "additionalProperties": false})
    };
    let tagged = |i| {
        let properties = json!({"kind": {"const": a(i)}, a(i): {"enum": ["x", "y"]}});
        json!({"type": "object", "properties": properties, "required": ["kind"]})
    };
    let range = |i: usize| json!({"minimum": 3 * i, "maximum": 3 * i + 1});
    let with = |name: String, i: usize| json!({name: "x", "b": i});
    let all = members(a);
    let one_of_all = |i: usize| json!({"kind": a(i), a(i): "x"});
    vec![
        pair("closed records", &json!({"anyOf": list(closed)}), |i| with(a(i), i)),
        pair("tagged records", &json!({"oneOf": list(tagged)}), one_of_all),
        pair("ranges", &json!({"type": "integer", "anyOf": list(range)}), |i| json!(3 * i)),
        pair(
            "exactly one of many properties",
            &json!({"type": "object", "properties": all.as_object().unwrap().keys().map(|name| (name.clone(), json!({}))).collect::<serde_json::Map<_, _>>(),
                    "additionalProperties": false, "oneOf": list(|i| json!({"required": [a(i)]}))}),
            |i| json!({a(i): 1}),
        ),
        pair(
            "exactly one of many pairs",
            &json!({"type": "object", "oneOf": list(|i| json!({"required": [a(i), a(i + 1)]}))}),
            |i| json!({a(i): 1, a(i + 1): 1}),
        ),
        pair("required", &json!({"type": "object", "required": list(|i| json!(a(i)))}), |i| {
            let mut members = all.clone();
            members.as_object_mut().unwrap().remove(&a(i));
            members
        }),
        pair("all of many", &json!({"allOf": list(|i| json!({"not": {"const": i}}))}), |i| json!(i)),
        pair("listed records", &json!({"enum": list(|i| json!({a(i): i}))}), |i| json!({a(i): i})),
        pair("listed arrays", &json!({"const": list(|i| json!({a(i): i}))}), |i| json!([i])),
    ]
}

#[test]
fn validators_of_wide_schemas_compile_and_have_the_verdicts_of_the_interpreter() {
    let Some(node) = node::require_or_skip().unwrap() else { return };
    let pairs = pairs();
    let mut failed = String::new();
    for (pair, error) in pairs.iter().zip(typescript::compile_errors(&node, &pairs).unwrap()) {
        if let Some(error) = error {
            writeln!(failed, "{}: {error}", pair.label).unwrap();
        }
    }
    let verdicts = node.validate(&typescript::files(&pairs, |_| true).unwrap()).unwrap();
    for (pair, verdicts) in pairs.iter().zip(verdicts.iter().flatten()) {
        let schema = parse(&pair.schema).unwrap();
        let validator = Validator::new(&schema);
        for (payload, verdict) in pair.payloads.iter().zip(verdicts) {
            let expected = validator.validate(&serde_json::from_str(payload).unwrap());
            let expected: Vec<_> = expected.into_iter().map(|v| (v.path, v.keyword.to_string(), v.message)).collect();
            if verdict.is_valid != expected.is_empty() || verdict.violations != expected {
                let payload: String = payload.chars().take(80).collect();
                writeln!(failed, "{}: {payload}: {}", pair.label, verdict.is_valid).unwrap();
            }
        }
    }
    assert!(failed.is_empty(), "{failed}");
}
