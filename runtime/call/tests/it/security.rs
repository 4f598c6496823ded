//! Envelopes that must not reach a handler, with the code of each rejection.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::string_slice, reason = "a test fails by panicking")]

use std::time::Duration;

use crate::fixture;
use crate::fixture::raw::{Raw, SECRET, code, now, signed};
use capgen::call::{Keys, ServerBuilder};
use serde_json::{Value, json};

fn keys() -> Keys {
    Keys::signing_with("k1", SECRET).unwrap().and("k0", b"the secret of last month").unwrap()
}

async fn with_keys() -> Raw {
    Raw::start(|server| server.keys(keys())).await
}

fn plain(server: ServerBuilder) -> ServerBuilder {
    server
}

fn with(mut request: Value, key: &str, value: Value) -> String {
    request[key] = value;
    request.to_string()
}

#[tokio::test]
async fn a_signed_request_is_answered_with_a_signed_response() {
    let mut raw = with_keys().await;
    let text = raw.request("1").to_string();
    raw.send(signed(&text, "k1", SECRET)).await;
    let response = raw.response().await.unwrap();
    assert_eq!(code(&response), "ok");
    assert_eq!((&response["payload"], &response["correlationId"]), (&json!({"text": "1"}), &json!("c-1")));
    // The signature covers the text without `auth`, as it was sent: a tree would have another order of keys.
    assert_eq!(response["auth"]["keyId"], "k1");
    // A key that is being replaced is accepted.
    let text = raw.request("2").to_string();
    assert_eq!(raw.code(signed(&text, "k0", b"the secret of last month")).await, "ok");
    assert_eq!(raw.handled(), 2);
}

#[tokio::test]
async fn the_signature_covers_the_bytes_as_received() {
    let mut raw = with_keys().await;
    // Spaces, another order of keys, `auth` as the first member, and escapes.
    let text = raw.request("1").to_string().replace("\"say\"", "\"s\\u0061y\"").replace(':', " : ");
    let text = text.replace("agent : //", "agent://").replace("memory : //", "memory://");
    let auth = json!({"kind": "hmac", "keyId": "k1", "signature": fixture::raw::hmac(SECRET, text.as_bytes())});
    let first = format!("{{\"auth\":{auth},{}", text.strip_prefix('{').unwrap());
    assert_eq!(raw.code(first).await, "ok");
}

#[tokio::test]
async fn forged_and_stripped_signatures_are_rejected() {
    let mut raw = with_keys().await;
    let text = raw.request("1").to_string();
    let valid = signed(&text, "k1", SECRET);
    let mut rejected = vec![
        ("without a signature", text.clone()),
        ("internal", format!("{},\"auth\":{{\"kind\":\"internal\"}}}}", text.strip_suffix('}').unwrap())),
        ("another secret", signed(&text, "k1", b"another secret of 16 bytes")),
        ("an unknown key", signed(&text, "k9", SECRET)),
        ("the signature of another key", signed(&text, "k0", SECRET)),
        ("a changed payload", valid.replace("\"text\":\"1\"", "\"text\":\"2\"")),
        ("a changed caller", valid.replace("agent://caller", "agent://admin")),
        ("an added space", valid.replacen(':', ": ", 1)),
        ("an added member", valid.replacen('{', "{\"tenantId\":\"t\",", 1)),
    ];
    let flipped = valid.rfind("\"}}").unwrap();
    let mut wrong = valid.clone();
    let last = if valid.as_bytes()[flipped - 1] == b'0' { "1" } else { "0" };
    wrong.replace_range(flipped - 1..flipped, last);
    rejected.push(("a wrong last digit", wrong));
    for (name, text) in rejected {
        assert_eq!(raw.code(text).await, "EAGENTRPC_AUTH_FAILED", "{name}");
    }
    assert_eq!(raw.handled(), 0);
    assert_eq!(raw.code(valid).await, "ok");
}

#[tokio::test]
async fn a_replay_is_rejected() {
    let mut raw = with_keys().await;
    let text = raw.request("1").to_string();
    let valid = signed(&text, "k1", SECRET);
    assert_eq!(raw.code(valid.clone()).await, "ok");
    assert_eq!(raw.code(valid.clone()).await, "EAGENTRPC_AUTH_FAILED");
    // Also with the key that is being replaced: the id is the same.
    assert_eq!(raw.code(signed(&text, "k0", b"the secret of last month")).await, "EAGENTRPC_AUTH_FAILED");
    // A request without a deadline can be replayed for longer, so it is remembered for longer.
    let mut request = raw.request("2");
    request.as_object_mut().unwrap().remove("deadline");
    let valid = signed(&request.to_string(), "k1", SECRET);
    assert_eq!(raw.code(valid.clone()).await, "ok");
    assert_eq!(raw.code(valid).await, "EAGENTRPC_AUTH_FAILED");
    assert_eq!(raw.handled(), 2);
}

#[tokio::test]
async fn truncated_requests_are_rejected() {
    let mut raw = with_keys().await;
    let text = raw.request("1").to_string();
    let valid = signed(&text, "k1", SECRET);
    for end in (0..valid.len()).step_by(7) {
        raw.send(valid[..end].to_owned()).await;
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(raw.handled(), 0);
    assert_eq!(raw.code(valid).await, "ok");
}

#[tokio::test]
async fn requests_have_a_limited_number_of_headers() {
    let mut raw = Raw::start(|server| server).await;
    let many = |count: usize| (0..count).map(|number| (format!("h{number:02}"), json!(""))).collect::<Value>();
    // 16 KiB with the name.
    let large = |more: usize| json!({"h": "x".repeat(16 * 1024 - 1 + more)});
    let mut with_descriptor = large(0);
    with_descriptor["capgen-descriptor"] = json!("x".repeat(20_000));
    let cases =
        [(many(64), "ok"), (many(65), "invalid"), (large(0), "ok"), (large(1), "invalid"), (with_descriptor, "ok")];
    for (number, (headers, expected)) in cases.into_iter().enumerate() {
        let request = with(raw.request(&number.to_string()), "headers", headers);
        let expected = if expected == "ok" { "ok" } else { "EAGENTRPC_INVALID_ENVELOPE" };
        assert_eq!(raw.code(request).await, expected, "{number}");
    }
}

#[tokio::test]
async fn oversized_requests_are_rejected() {
    let mut raw = Raw::start(|server| server.max_message(2000)).await;
    let mut request = raw.request("1");
    assert_eq!(raw.code(with(request.clone(), "payload", json!("x".repeat(1000)))).await, "ok");
    request["messageId"] = json!("2");
    let long = with(request, "payload", json!("x".repeat(3000)));
    assert_eq!(raw.code(long).await, "EAGENTRPC_INVALID_ENVELOPE");
    assert_eq!(raw.handled(), 1);
}

#[tokio::test]
async fn requests_of_other_tenants_are_rejected() {
    let mut raw = Raw::start(|server| server.tenant("acme").tenant("zeta")).await;
    for (tenant, expected) in
        [(json!("acme"), "ok"), (json!("zeta"), "ok"), (json!("evil"), "EAGENTRPC_TENANT_MISMATCH")]
    {
        assert_eq!(raw.code(with(raw.request("1"), "tenantId", tenant)).await, expected);
    }
    assert_eq!(raw.code(raw.request("2").to_string()).await, "EAGENTRPC_TENANT_MISMATCH");
    assert_eq!(raw.handled(), 2);
}

#[tokio::test]
async fn expired_and_future_requests_are_rejected() {
    let mut raw = Raw::start(plain).await;
    for (deadline, expected) in [
        (now() - 10, "EAGENTRPC_DEADLINE_EXCEEDED"),
        (0, "EAGENTRPC_DEADLINE_EXCEEDED"),
        (now() + 3_600_000, "EAGENTRPC_INVALID_ENVELOPE"),
        (9_007_199_254_740_991, "EAGENTRPC_INVALID_ENVELOPE"),
        (now() + 600_000, "ok"),
    ] {
        assert_eq!(raw.code(with(raw.request("1"), "deadline", json!(deadline))).await, expected, "{deadline}");
    }
    assert_eq!(raw.handled(), 1);
}

#[tokio::test]
async fn a_tolerance_accepts_clocks_that_differ() {
    let mut raw = Raw::start(|server| server.clock_tolerance(Duration::from_secs(10))).await;
    assert_eq!(raw.code(with(raw.request("1"), "deadline", json!(now() - 5000))).await, "ok");
    assert_eq!(raw.code(with(raw.request("1"), "deadline", json!(now() - 15000))).await, "EAGENTRPC_DEADLINE_EXCEEDED");
}

#[tokio::test]
async fn envelopes_that_violate_their_contract_are_rejected() {
    let mut raw = Raw::start(plain).await;
    let valid = raw.request("1");
    let text = valid.to_string();
    let mut invalid = vec![
        ("a duplicate key", text.replacen('{', "{\"capability\":\"say\",", 1)),
        ("a duplicate key with an escape", text.replacen('{', "{\"c\\u0061pability\":\"say\",", 1)),
        ("a duplicate payload", text.replacen('{', "{\"payload\":1,", 1)),
        ("an unknown key", text.replacen('{', "{\"extra\":1,", 1)),
        ("a duplicate header", text.replacen('{', r#"{"headers":{"a":"1","a":"2"},"#, 1)),
        ("another agent", text.replace("agent://echo", "agent://other")),
        ("a version", text.replace("\"version\":1", "\"version\":2")),
    ];
    for (key, value) in [
        ("from", json!("caller")),
        ("from", json!("agent://../x")),
        ("capability", json!("a b")),
        ("messageId", json!("")),
        ("messageId", json!("x".repeat(129))),
        ("deadline", json!("soon")),
        ("deadline", json!(-1)),
        ("headers", json!({"a": 1})),
        ("auth", json!({"kind": "none"})),
        ("auth", json!({"kind": "hmac", "keyId": "k1"})),
    ] {
        invalid.push((key, with(valid.clone(), key, value)));
    }
    for key in ["version", "kind", "messageId", "correlationId", "from", "to", "capability", "payload"] {
        let mut request = valid.clone();
        request.as_object_mut().unwrap().remove(key);
        invalid.push((key, request.to_string()));
    }
    for (name, text) in invalid {
        let code = raw.code(text).await;
        // A message without a sender or ids cannot be answered.
        assert!(code == "EAGENTRPC_INVALID_ENVELOPE" || code == "nothing", "{name}: {code}");
    }
    for text in
        ["", "null", "[]", "{}", "\"", "{\"payload\":1}", "\u{0}", &"[".repeat(200_000), &"{\"a\":".repeat(100_000)]
    {
        raw.send(text.to_owned()).await;
    }
    raw.send(vec![0xFF, 0xFE]).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(raw.handled(), 0);
    assert_eq!(raw.code(text).await, "ok");
}

#[tokio::test]
async fn payloads_are_read_strictly_without_a_schema_too() {
    let mut raw = Raw::start(plain).await;
    let text = raw.request("1").to_string();
    for payload in [r#"{"a":1,"a":2}"#, "[1,]", "{]", "1e999", "\"\\ud800\"", &"[".repeat(129)] {
        let text = text.replace(r#"{"text":"1"}"#, payload);
        let code = raw.code(text).await;
        assert!(
            code == "EAGENTRPC_SCHEMA_VIOLATION" || code == "EAGENTRPC_INVALID_ENVELOPE" || code == "nothing",
            "{payload}: {code}"
        );
    }
    assert_eq!(raw.handled(), 0);
}

#[tokio::test]
async fn responses_and_messages_to_others_are_not_handled() {
    let mut raw = Raw::start(plain).await;
    let response = with(raw.request("1"), "kind", json!("response"));
    assert_eq!(raw.code(response).await, "nothing");
    let event = with(raw.request("2"), "kind", json!("event"));
    assert_eq!(raw.code(event).await, "nothing");
    assert_eq!(raw.handled(), 1);
}

#[tokio::test]
async fn an_unknown_capability_is_rejected_after_the_signature() {
    let mut raw = with_keys().await;
    let unknown = with(raw.request("1"), "capability", json!("shout"));
    assert_eq!(raw.code(unknown.clone()).await, "EAGENTRPC_AUTH_FAILED");
    assert_eq!(raw.code(signed(&unknown, "k1", SECRET)).await, "EAGENTRPC_NO_CAPABILITY");
    assert_eq!(raw.handled(), 0);
}

#[tokio::test]
async fn answers_to_requests_that_prove_nothing_are_not_signed() {
    let mut raw = with_keys().await;
    let text = raw.request("1").to_string();
    let expired = with(raw.request("2"), "deadline", json!(1));
    for text in [&text, &expired] {
        raw.send(text.clone()).await;
        let response = raw.response().await.unwrap();
        assert_ne!(code(&response), "ok");
        assert_eq!(response.get("auth"), None, "{response}");
    }
    // The caller that does have a key learns the reason.
    raw.send(signed(&expired, "k1", SECRET)).await;
    let response = raw.response().await.unwrap();
    assert_eq!((code(&response).as_str(), &response["auth"]["keyId"]), ("EAGENTRPC_DEADLINE_EXCEEDED", &json!("k1")));
}
