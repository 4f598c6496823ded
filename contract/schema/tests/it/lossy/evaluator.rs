//! A small evaluator of draft 2020-12 for the keywords of [`random`](crate::lossy::random), written independently of
//! the crate.

use serde_json::{Map, Value};

/// Whether a payload conforms to a schema.
pub(crate) fn accepts(root: &Value, payload: &Value) -> bool {
    at(root, root, payload, 0)
}

fn at(root: &Value, schema: &Value, value: &Value, depth: usize) -> bool {
    // A reference cycle that consumes no input has no meaning; the generator does not make one.
    assert!(depth < 200, "{root}");
    match schema {
        Value::Bool(verdict) => *verdict,
        Value::Object(keywords) => keywords.iter().all(|(name, arg)| {
            let check = |schema: &Value, value: &Value| at(root, schema, value, depth + 1);
            general(root, keywords, (name, arg), value, &check) && structural(keywords, (name, arg), value, &check)
        }),
        other => panic!("not a schema: {other}"),
    }
}

fn general(
    root: &Value,
    keywords: &Map<String, Value>,
    (name, arg): (&str, &Value),
    value: &Value,
    check: &dyn Fn(&Value, &Value) -> bool,
) -> bool {
    let branches = || arg.as_array().unwrap().iter().filter(|schema| check(schema, value)).count();
    match name {
        "type" => has_type(arg, value),
        "const" => arg == value,
        "enum" => arg.as_array().unwrap().contains(value),
        "minimum" => value.as_f64().is_none_or(|n| n >= arg.as_f64().unwrap()),
        "maxLength" => value.as_str().is_none_or(|s| s.chars().count() as u64 <= arg.as_u64().unwrap()),
        // An assertion that the subset lacks. It need not be that of the pattern.
        "pattern" => value.as_str().is_none_or(|s| s.len() != 1),
        "allOf" => branches() == arg.as_array().unwrap().len(),
        "anyOf" => branches() > 0,
        "oneOf" => branches() == 1,
        "not" => !check(arg, value),
        "if" => {
            let branch = if check(arg, value) { "then" } else { "else" };
            keywords.get(branch).is_none_or(|schema| check(schema, value))
        }
        "$ref" => match arg.as_str().unwrap().strip_prefix('#') {
            Some(pointer) => check(root.pointer(pointer).unwrap(), value),
            // Another document, which happens to accept these values.
            None => value.is_number() || value.is_object(),
        },
        _ => true,
    }
}

fn structural(
    keywords: &Map<String, Value>,
    (name, arg): (&str, &Value),
    value: &Value,
    check: &dyn Fn(&Value, &Value) -> bool,
) -> bool {
    let number = |name: &str| keywords.get(name).and_then(Value::as_u64);
    match (name, value) {
        ("properties", Value::Object(members)) => {
            members.iter().all(|(key, value)| arg.get(key).is_none_or(|schema| check(schema, value)))
        }
        ("required", Value::Object(members)) => {
            arg.as_array().unwrap().iter().all(|key| members.contains_key(key.as_str().unwrap()))
        }
        ("patternProperties", Value::Object(members)) => members.iter().all(|(key, value)| {
            let of_pattern = |(pattern, schema): (&String, &Value)| !matches(pattern, key) || check(schema, value);
            arg.as_object().unwrap().iter().all(of_pattern)
        }),
        ("additionalProperties", Value::Object(members)) => members.iter().all(|(key, value)| {
            let declared = keywords.get("properties").is_some_and(|p| p.get(key).is_some());
            let patterns = keywords.get("patternProperties").and_then(Value::as_object).into_iter().flatten();
            declared || patterns.into_iter().any(|(pattern, _)| matches(pattern, key)) || check(arg, value)
        }),
        ("minProperties", Value::Object(members)) => members.len() as u64 >= arg.as_u64().unwrap(),
        ("dependentSchemas", Value::Object(members)) => {
            arg.as_object().unwrap().iter().all(|(key, schema)| !members.contains_key(key) || check(schema, value))
        }
        ("prefixItems", Value::Array(items)) => {
            items.iter().zip(arg.as_array().unwrap()).all(|(item, schema)| check(schema, item))
        }
        ("items", Value::Array(items)) => {
            let prefix = keywords.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
            items.iter().skip(prefix).all(|item| check(arg, item))
        }
        ("maxItems", Value::Array(items)) => items.len() as u64 <= arg.as_u64().unwrap(),
        ("contains", Value::Array(items)) => {
            let count = items.iter().filter(|item| check(arg, item)).count() as u64;
            count >= number("minContains").unwrap_or(1) && number("maxContains").is_none_or(|most| count <= most)
        }
        _ => true,
    }
}

/// Whether a name matches a pattern of the generator: `^` and a prefix.
fn matches(pattern: &str, name: &str) -> bool {
    name.starts_with(pattern.strip_prefix('^').unwrap())
}

fn has_type(types: &Value, value: &Value) -> bool {
    let is = |name: &str| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.as_f64().is_some_and(|n| n.fract() == 0.0),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other}"),
    };
    match types {
        Value::String(name) => is(name),
        names => names.as_array().unwrap().iter().any(|name| is(name.as_str().unwrap())),
    }
}
