use capgen_amp::body::{
    Body, BodyError, CapDeclare, CapInvoke, CapQuery, CapResult, ErrorBody, Hints, NameOrType, Order, Target,
};
use capgen_amp::cbor::{Value, encode};
use capgen_amp::message::MessageType;
use capgen_amp::{Aliases, Code};
use serde_json::json;

use super::{REVIEW, cbor, descriptor, lines, with};

const ID: &str = "org.agentries.code-review:2.1.0";

fn aliases() -> Aliases {
    [("review".to_owned(), REVIEW.parse().unwrap())].into_iter().collect()
}

fn invoke(body: &serde_json::Value) -> Result<CapInvoke, Vec<BodyError>> {
    CapInvoke::read(&cbor(body), &aliases())
}

fn invoke_errors(body: &serde_json::Value) -> String {
    lines(&invoke(body).unwrap_err()).join("\n")
}

/// Decision 3.
#[test]
fn all_errors_of_a_body_are_reported_at_once() {
    let body = cbor(&json!({
        "filter": {"capability": "review", "version": " 1.0.0"},
        "limit": 0,
        "cursor": null,
        "order": "newest",
    }));
    let errors = CapQuery::read(&body).unwrap_err();
    assert_eq!(
        lines(&errors),
        [
            "/filter/capability: a name has at least three segments, as `org.agentries.code-review` has",
            "/filter/version: a range neither begins nor ends with a space",
            "/limit: expected at least 1",
            "/cursor: expected a text string",
            "/order: expected `newest-first` or `oldest-first`",
        ]
    );
    let body = json!({
        "capability": "a.b.C",
        "negotiate": {"preferred": "1", "acceptable": ["1.0.0", 2, "3"], "range": "^1.0.0"},
        "timeout_ms": -1,
    });
    assert_eq!(
        invoke(&body).unwrap_err().iter().map(|error| error.path.as_str()).collect::<Vec<_>>(),
        [
            "/capability",
            "/negotiate/preferred",
            "/negotiate/acceptable/1",
            "/negotiate/acceptable/2",
            "/negotiate/range",
            "/params",
            "/timeout_ms"
        ]
    );
}

#[test]
fn a_body_has_100_errors_at_most() {
    for (count, expected, last) in [
        (99, 99, "/negotiate/acceptable/98: expected a text string"),
        (100, 100, "/negotiate/acceptable/99: expected a text string"),
        (101, 101, "errors that are not listed: 1"),
        (5000, 101, "errors that are not listed: 4900"),
    ] {
        let body = json!({"type": "review", "negotiate": {"acceptable": vec![0; count]}, "params": 1});
        let errors = invoke(&body).unwrap_err();
        assert_eq!((errors.len(), errors.last().unwrap().to_string().as_str()), (expected, last));
    }
}

/// Section 12: bodies may contain secrets.
#[test]
fn errors_contain_no_values() {
    let secret = "hunter2";
    let body = json!({"id": secret, "capability": secret, "type": [secret], "version": secret, "params": secret, "timeout_ms": secret});
    let errors = invoke(&body).unwrap_err();
    assert_eq!(errors.len(), 4);
    assert!(errors.iter().all(|error| !error.to_string().contains(secret)), "{errors:?}");
}

/// Decisions 5 and 18, A.8.
#[test]
fn an_id_with_other_keys_must_agree() {
    let with_id = |others: serde_json::Value| {
        let mut body = json!({"id": ID, "params": 1});
        body.as_object_mut().unwrap().extend(others.as_object().unwrap().clone());
        body
    };
    for others in [
        json!({}),
        json!({"capability": REVIEW}),
        json!({"version": "2.1.0"}),
        json!({"capability": REVIEW, "version": "2.1.0"}),
        json!({"type": REVIEW, "version": "2.1.0"}),
        json!({"type": "review", "version": "2.1.0"}),
        json!({"type": "code-review"}),
        json!({"capability": REVIEW, "type": "code-review", "version": "2.1.0"}),
        json!({"delegation": 1, "session": {"session_id": 2}}),
    ] {
        let read = invoke(&with_id(others.clone()));
        assert_eq!(read.map(|invoke| invoke.target), Ok(Target::Id(ID.parse().unwrap())), "{others}");
    }
    for (others, errors) in [
        (json!({"capability": "org.agentries.translate"}), "/capability: expected the name in `id`"),
        (json!({"version": "1.0.0"}), "/version: expected the version in `id`"),
        // By bytes, and not by precedence.
        (json!({"version": "2.1.0+build"}), "/version: expected the version in `id`"),
        (json!({"type": "translate"}), "/type: expected the name in `id`, its alias, or its last segment"),
        (json!({"type": "Code-Review"}), "/type: expected the name in `id`, its alias, or its last segment"),
        (
            json!({"capability": "org.agentries.translate", "version": "1.0.0"}),
            "/capability: expected the name in `id`\n/version: expected the version in `id`",
        ),
        (json!({"negotiate": {"preferred": "2.1.0"}}), "/negotiate: not allowed with `id`"),
        (json!({"negotiate": {}}), "/negotiate: not allowed with `id`"),
    ] {
        assert_eq!(invoke_errors(&with_id(others.clone())), errors, "{others}");
    }
}

/// Decisions 3 and 5.
#[test]
fn a_version_and_hints_exclude_each_other() {
    let body = json!({"capability": REVIEW, "version": "2.1.0", "negotiate": {"range": "2.1.0"}, "params": 1});
    assert_eq!(invoke_errors(&body), "/negotiate: not allowed with `version`");
}

#[test]
fn decision_21_a_type_beside_a_capability_is_not_examined() {
    for other in [json!("translate"), json!("org.agentries.translate"), json!(1), json!(null), json!([{}])] {
        let body = json!({"id": ID, "capability": REVIEW, "type": other, "params": 1});
        assert_eq!(invoke(&body).map(|invoke| invoke.target), Ok(Target::Id(ID.parse().unwrap())), "{other}");
        let body = json!({"capability": REVIEW, "type": other, "version": "2.1.0", "params": 1});
        assert_eq!(invoke(&body).unwrap().target.name().unwrap().as_str(), REVIEW);
        let filter = CapQuery::read(&cbor(&json!({"filter": {"capability": REVIEW, "type": other}}))).unwrap().filter;
        assert_eq!(filter.capability.unwrap().as_str(), REVIEW);
        // An invalid `capability` is present, too.
        let body = json!({"capability": "x", "type": other, "version": "2.1.0", "params": 1});
        assert!(invoke_errors(&body).starts_with("/capability: a name has"), "{}", invoke_errors(&body));
    }
}

/// Decision 5.
#[test]
fn capability_takes_precedence_over_type() {
    let body = json!({"capability": REVIEW, "type": "org.agentries.translate", "version": "2.1.0", "params": 1});
    let target = invoke(&body).unwrap().target;
    assert_eq!((target.name().unwrap().as_str(), target.type_alias()), (REVIEW, None));
    let body = cbor(&json!({"filter": {"capability": REVIEW, "type": "translate"}}));
    let filter = CapQuery::read(&body).unwrap().filter;
    assert_eq!((filter.capability.unwrap().as_str(), filter.type_alias.as_deref()), (REVIEW, Some("translate")));
}

#[test]
fn targets_have_a_name_or_a_type_and_perhaps_a_version() {
    let target = |body: serde_json::Value| invoke(&body).unwrap().target;
    let by_type = target(json!({"type": "review", "version": "1.0.0", "params": 1}));
    assert_eq!((by_type.name(), by_type.type_alias()), (None, Some("review")));
    assert_eq!(by_type.version().unwrap().to_string(), "1.0.0");
    let by_id = target(json!({"id": ID, "params": 1}));
    assert_eq!((by_id.name().unwrap().as_str(), by_id.type_alias()), (REVIEW, None));
    assert_eq!(by_id.version().unwrap().to_string(), "2.1.0");
    let hints = target(json!({"capability": REVIEW, "negotiate": {}, "params": 1}));
    assert_eq!((hints.name().unwrap().as_str(), hints.version()), (REVIEW, None));
}

/// Decision 9: hints without any field are 4003, so they are no error of the body.
#[test]
fn hints_may_be_empty() {
    let body = json!({"type": "review", "negotiate": {}, "params": 1});
    let capability = NameOrType::Type("review".to_owned());
    assert_eq!(invoke(&body).unwrap().target, Target::Negotiate { capability, hints: Hints::default() });
}

/// Decision 19.
#[test]
fn a_timeout_of_zero_is_an_error_of_the_body() {
    assert_eq!(invoke_errors(&json!({"id": ID, "params": 1, "timeout_ms": 0})), "/timeout_ms: expected at least 1");
    assert_eq!(invoke(&json!({"id": ID, "params": 1, "timeout_ms": 1})).unwrap().timeout_ms, Some(1));
}

/// Decision 3.
#[test]
fn a_result_and_an_error_exclude_each_other() {
    for status in ["success", "error"] {
        let body = cbor(&json!({"status": status, "result": 1, "error": {"code": 5001}}));
        let other = if status == "success" { "error" } else { "result" };
        let expected = format!("/{other}: not allowed with this `status`");
        assert_eq!(lines(&CapResult::read(&body).unwrap_err()), [expected]);
    }
}

/// Decision 3, and "Additions in later revisions" of `specs/amp-envelope.md`.
#[test]
fn unknown_keys_are_ignored() {
    let extra = [(Value::from("session"), Value::Null), (Value::from(1), Value::Null), (Value::Null, Value::from(2))];
    for (kind, body) in [
        (MessageType::CapQuery, json!({"filter": {"type": "review"}})),
        (MessageType::CapInvoke, json!({"id": ID, "params": 1})),
        (MessageType::CapResult, json!({"status": "success", "result": 1})),
        (MessageType::CapResult, json!({"status": "error", "error": {"code": 1}})),
        (MessageType::Error, json!({"code": 1, "category": "client", "message": ""})),
    ] {
        let body = cbor(&body);
        let mut more = body.as_map().unwrap().clone();
        for (key, value) in extra.clone() {
            more.insert(key, value);
        }
        let read = |body: &Value| Body::read(kind, body, &Aliases::default());
        assert_eq!(read(&more.into()), read(&body));
        assert!(read(&body).is_ok());
    }
}

/// Decision 11: cursors are bound to the filter with all of its keys.
#[test]
fn a_query_keeps_the_encoding_of_its_filter() {
    let body = cbor(&json!({"filter": {"type": "review", "later": [1]}, "order": "oldest-first"}));
    let query = CapQuery::read(&body).unwrap();
    assert_eq!(query.filter_bytes, encode(body.get("filter").unwrap()));
    assert_eq!((query.order, Order::default()), (Some(Order::OldestFirst), Order::NewestFirst));
    assert_eq!(CapQuery::new(query.filter.clone()).filter_bytes, encode(&cbor(&json!({"type": "review"}))));
}

/// Decision 18.
#[test]
fn a_declaration_may_contain_descriptors_of_equal_precedence() {
    let other = with(&descriptor(), "id", Some(Value::from("org.agentries.code-review:2.1.0+b")));
    let other = with(&other, "version", Some(Value::from("2.1.0+b")));
    let body = with(&cbor(&json!({})), "capabilities", Some(vec![descriptor(), other, descriptor()].into()));
    assert_eq!(CapDeclare::read(&body).unwrap().capabilities.len(), 3);
}

/// `specs/amp-envelope.md`, ERROR body.
#[test]
fn an_error_body_has_the_category_of_its_code() {
    for code in Code::ALL {
        let error = ErrorBody::of(code, "text", Some(Value::from(1)));
        let value = error.to_value();
        assert_eq!(value.get("code"), Some(&Value::from(u64::from(code.number()))));
        assert_eq!(value.get("category").and_then(Value::as_text), Some(code.category().name()));
        assert_eq!(value.get("retry"), Some(&Value::Bool(code.number() >= 5000)));
        assert_eq!(ErrorBody::read(&value), Ok(error));
    }
}
