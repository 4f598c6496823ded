//! Every violation of the CDDL: for each key of each body, its absence and every wrong type.

use capgen_amp::Aliases;
use capgen_amp::body::{Body, BodyError};
use capgen_amp::cbor::{Float, Map, Value};
use capgen_amp::message::MessageType;
use serde_json::json;

use super::{REVIEW, cbor, descriptor, lines, paths, with};

#[derive(Clone, Copy, PartialEq)]
enum Type {
    Text,
    Bytes,
    Unsigned,
    Bool,
    Array,
    Map,
    Any,
}

/// A key of a body: its path, whether it is required, and its type.
type Key = (&'static str, bool, Type);

fn read(kind: MessageType, body: &Value) -> Result<Body, Vec<BodyError>> {
    Body::read(kind, body, &Aliases::default())
}

/// Values of every type of CBOR, each with the types of the CDDL that it has.
fn values() -> Vec<(Value, Option<Type>)> {
    vec![
        (Value::Unsigned(7), Some(Type::Unsigned)),
        (Value::Negative(0), None),
        (Value::Bytes(vec![1]), Some(Type::Bytes)),
        (Value::from("x"), Some(Type::Text)),
        (Value::Array(Vec::new()), Some(Type::Array)),
        (Map::new().into(), Some(Type::Map)),
        (Value::Tag(0, Box::new(Value::from("2026-02-07"))), None),
        (Value::Bool(false), Some(Type::Bool)),
        (Value::Null, None),
        (Value::Undefined, None),
        (Value::Simple(99), None),
        (Value::Float(Float::from(7.0)), None),
    ]
}

fn pointer(path: &str) -> String {
    format!("/{path}")
}

/// Checks every key of a valid body.
fn check(kind: MessageType, body: &Value, keys: &[Key]) {
    assert!(read(kind, body).is_ok(), "{kind}: {:?}", read(kind, body));
    for (path, is_required, expected) in keys {
        let absent = read(kind, &with(body, path, None));
        if *is_required {
            assert_eq!(lines(&absent.unwrap_err()), [format!("/{path}: missing")], "{kind}");
        } else {
            assert!(absent.is_ok(), "{kind}: {path} is optional: {absent:?}");
        }
        for (value, has) in values() {
            let result = read(kind, &with(body, path, Some(value.clone())));
            if *expected == Type::Any {
                assert!(result.is_ok(), "{kind}: {path} = {value:?}");
            } else if has != Some(*expected) {
                assert_eq!(paths(&result.unwrap_err()), [pointer(path)], "{kind}: {path} = {value:?}");
            }
        }
    }
    for (value, has) in values() {
        if has != Some(Type::Map) {
            assert_eq!(lines(&read(kind, &value).unwrap_err()), ["expected a map"], "{kind}");
        }
    }
}

#[test]
fn queries() {
    let body = cbor(&json!({
        "filter": {"capability": REVIEW, "type": "code-review", "version": ">=1.0.0 <2.0.0"},
        "limit": 2,
        "cursor": "opaque",
        "order": "oldest-first",
    }));
    check(
        MessageType::CapQuery,
        &body,
        &[
            ("filter", true, Type::Map),
            ("filter/capability", false, Type::Text),
            ("filter/type", false, Type::Any),
            ("filter/version", false, Type::Text),
            ("limit", false, Type::Unsigned),
            ("cursor", false, Type::Text),
            ("order", false, Type::Text),
        ],
    );
    let broken = |path: &str, value: serde_json::Value| {
        lines(&read(MessageType::CapQuery, &with(&body, path, Some(cbor(&value)))).unwrap_err()).join("\n")
    };
    assert_eq!(broken("filter", json!({"version": "1.0.0"})), "/filter: expected `capability` or `type`");
    assert!(broken("filter/capability", json!("review")).starts_with("/filter/capability: a name has at least three"));
    assert!(broken("filter/version", json!("1.x")).starts_with("/filter/version: a range is"));
    assert_eq!(broken("limit", json!(0)), "/limit: expected at least 1");
    assert_eq!(broken("order", json!("newest")), "/order: expected `newest-first` or `oldest-first`");
}

const DESCRIPTOR: &[Key] = &[
    ("id", true, Type::Text),
    ("name", true, Type::Text),
    ("version", true, Type::Text),
    ("input_schema", true, Type::Map),
    ("input_schema/uri", false, Type::Text),
    ("input_schema/bundle_id", true, Type::Text),
    ("input_schema/artifact_key", true, Type::Text),
    ("input_schema/hash_alg", true, Type::Text),
    ("input_schema/hash", true, Type::Bytes),
    ("input_schema/media_type", false, Type::Text),
    ("input_schema/updated_at", false, Type::Text),
    ("output_schema", true, Type::Map),
    ("output_schema/bundle_id", true, Type::Text),
    ("output_schema/artifact_key", true, Type::Text),
    ("output_schema/hash_alg", true, Type::Text),
    ("output_schema/hash", true, Type::Bytes),
    ("supported_ranges", false, Type::Array),
    ("supported_ranges/0", false, Type::Text),
    ("deprecated_ranges", false, Type::Array),
    ("deprecated_ranges/0", false, Type::Text),
    ("notes", false, Type::Text),
];

#[test]
fn declarations() {
    let body = with(&cbor(&json!({"cursor": "opaque"})), "capabilities", Some(vec![descriptor(); 2].into()));
    let kind = MessageType::CapDeclare;
    check(kind, &body, &[("capabilities", true, Type::Array), ("cursor", false, Type::Text)]);
    let keys: Vec<_> =
        DESCRIPTOR.iter().map(|(path, is, expected)| (format!("capabilities/1/{path}"), *is, *expected)).collect();
    let keys: Vec<Key> = keys.into_iter().map(|(path, is, expected)| (&*path.leak(), is, expected)).collect();
    check(kind, &body, &keys);
    let empty = with(&body, "capabilities", Some(Value::Array(Vec::new())));
    assert_eq!(lines(&read(kind, &empty).unwrap_err()), ["/capabilities: expected at least one element"]);
    for value in values() {
        let result = read(kind, &with(&body, "capabilities/0", Some(value.0)));
        assert!(result.unwrap_err().iter().all(|error| error.path.starts_with("/capabilities/0")));
    }
}

#[test]
fn invocations_by_id() {
    let body = cbor(&json!({
        "id": "org.agentries.code-review:2.1.0",
        "capability": REVIEW,
        "type": "code-review",
        "version": "2.1.0",
        "params": {},
        "timeout_ms": 1,
    }));
    check(
        MessageType::CapInvoke,
        &body,
        &[
            ("id", false, Type::Text),
            ("capability", false, Type::Text),
            ("type", false, Type::Any),
            ("version", false, Type::Text),
            ("params", true, Type::Any),
            ("timeout_ms", false, Type::Unsigned),
        ],
    );
    let zero = with(&body, "timeout_ms", Some(Value::from(0)));
    assert_eq!(lines(&read(MessageType::CapInvoke, &zero).unwrap_err()), ["/timeout_ms: expected at least 1"]);
}

#[test]
fn invocations_by_name() {
    let kind = MessageType::CapInvoke;
    let body = cbor(&json!({"capability": REVIEW, "type": "review", "version": "2.1.0", "params": null}));
    check(kind, &body, &[("capability", false, Type::Text), ("type", false, Type::Any)]);
    let hints = json!({"preferred": "2.1.0", "acceptable": ["2.0.0", "1.9.0"], "range": ">=1.0.0"});
    let body = with(&with(&body, "version", None), "negotiate", Some(cbor(&hints)));
    check(
        kind,
        &body,
        &[
            ("negotiate/preferred", false, Type::Text),
            ("negotiate/acceptable", false, Type::Array),
            ("negotiate/acceptable/1", false, Type::Text),
            ("negotiate/range", false, Type::Text),
        ],
    );
    let broken = |body: serde_json::Value| lines(&read(kind, &cbor(&body)).unwrap_err()).join("\n");
    assert_eq!(broken(json!({"params": 1})), "expected `id`, `capability` or `type`");
    assert_eq!(broken(json!({"type": "review", "params": 1})), "expected `version` or `negotiate`");
    assert_eq!(broken(json!({"type": "review", "version": null, "params": 1})), "/version: expected a text string");
    assert_eq!(broken(json!({"type": "review", "negotiate": [], "params": 1})), "/negotiate: expected a map");
    assert!(
        broken(json!({"type": "review", "version": "2.1", "params": 1})).starts_with("/version: a version is a full")
    );
}

#[test]
fn results() {
    let kind = MessageType::CapResult;
    check(
        kind,
        &cbor(&json!({"status": "success", "result": 1})),
        &[("status", true, Type::Text), ("result", true, Type::Any)],
    );
    let error = json!({"code": 5001, "name": "INTERNAL_ERROR", "message": "failed", "details": [1]});
    check(
        kind,
        &cbor(&json!({"status": "error", "error": error})),
        &[
            ("status", true, Type::Text),
            ("error", true, Type::Map),
            ("error/code", true, Type::Unsigned),
            ("error/name", false, Type::Text),
            ("error/message", false, Type::Text),
            ("error/details", false, Type::Any),
        ],
    );
    let broken = |body: serde_json::Value| lines(&read(kind, &cbor(&body)).unwrap_err()).join("\n");
    assert_eq!(broken(json!({"status": "ok", "result": 1})), "/status: expected `success` or `error`");
    assert_eq!(
        broken(json!({"status": "error", "result": 1})),
        "/result: not allowed with this `status`\n/error: missing"
    );
}

#[test]
fn errors() {
    let body = json!({"code": 4003, "category": "client", "message": "no", "details": {"a": 1}, "retry": false});
    check(
        MessageType::Error,
        &cbor(&body),
        &[
            ("code", true, Type::Unsigned),
            ("category", true, Type::Text),
            ("message", true, Type::Text),
            ("details", false, Type::Any),
            ("retry", false, Type::Bool),
        ],
    );
}

#[test]
fn bodies_of_other_types_are_not_constrained() {
    for kind in MessageType::ALL {
        let is_read = ["CAP_QUERY", "CAP_DECLARE", "CAP_INVOKE", "CAP_RESULT", "ERROR"].contains(&kind.name());
        for (value, _) in values() {
            let result = read(*kind, &value);
            assert!(if is_read { result.is_err() } else { result == Ok(Body::Other(value)) }, "{kind}");
        }
    }
}
