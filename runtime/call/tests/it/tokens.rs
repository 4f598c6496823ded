//! Tokens of requests: where they count, and their roles.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use capgen::call::{
    BoxFuture, BuildError, CallOptions, CapabilityContract, Context, Handlers, IdempotencyStore, InvalidToken,
    MemoryAudit, MemoryBroker, MemoryIdempotencyStore, Principal, Server, ServerBuilder, TokenVerifier,
};
use serde_json::{Value, json};

use crate::fixture::ADDRESS;
use crate::fixture::raw::{Raw, SECRET, agent_keys, code, signed, signed_by};

/// Accepts the tokens `<subject>` and `<subject>.<tenant>` of lowercase letters; `lost` is not known at the moment, and
/// `panic` panics.
#[derive(Default)]
struct Fake(AtomicUsize);

impl TokenVerifier for Fake {
    fn verify<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Principal, InvalidToken>> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move {
            let (subject, tenant) =
                token.split_once('.').map_or((token, None), |(subject, tenant)| (subject, Some(tenant)));
            match subject {
                "panic" => panic!("a mistake of the verifier"),
                "lost" => return Err(InvalidToken::Unavailable("no keys".to_owned())),
                "bad" => return Err(InvalidToken::Invalid("expired".to_owned())),
                _ => {}
            }
            let mut principal = Principal::new("https://login.example.com", subject);
            principal.tenant = tenant.map(str::to_owned);
            principal.roles.extend((subject == "ann").then(|| "booker".to_owned()));
            Ok(principal)
        })
    }
}

/// Handlers that respond with the subject.
fn handlers() -> Handlers {
    let mut contract = CapabilityContract::new("book");
    contract.required_roles = vec!["booker".to_owned()];
    let subject =
        async |context: Context, _: Value| Ok(json!(context.principal().map(|principal| principal.subject.clone())));
    Handlers::new("echo").with_json(&contract, subject).with_loose("open", subject)
}

async fn start(server: impl FnOnce(ServerBuilder) -> ServerBuilder) -> Raw {
    Raw::with_handlers(handlers(), server).await
}

/// A request with a header `authorization`.
fn request(raw: &Raw, id: &str, capability: &str, authorization: Option<&str>) -> String {
    let mut request = raw.request(id);
    request["capability"] = json!(capability);
    if let Some(value) = authorization {
        request["headers"] = json!({"authorization": value});
    }
    request.to_string()
}

/// The code, or the payload of a response.
async fn end(raw: &mut Raw, text: String) -> String {
    raw.send(text).await;
    let response = raw.response().await.unwrap();
    if code(&response) == "ok" { response["payload"].to_string() } else { code(&response) }
}

#[tokio::test]
async fn the_roles_of_a_token_in_a_signed_request_count() {
    let mut raw = start(|server| server.keys(agent_keys(&["caller"])).tokens(Arc::new(Fake::default()))).await;
    for (number, (authorization, capability, expected)) in [
        (Some("Bearer ann"), "book", "\"ann\""),
        (Some("bearer ann"), "book", "\"ann\""),
        (Some("Bearer bob"), "book", "EAGENTRPC_FORBIDDEN"),
        (None, "book", "EAGENTRPC_FORBIDDEN"),
        (None, "open", "null"),
        (Some("Bearer bob"), "open", "\"bob\""),
        (Some("Bearer bad"), "open", "EAGENTRPC_AUTH_FAILED"),
        (Some("Bearer lost"), "open", "EAGENTRPC_BUSY"),
        (Some("Bearer panic"), "open", "EAGENTRPC_BUSY"),
        (Some("Basic ann"), "open", "EAGENTRPC_AUTH_FAILED"),
        (Some("Bearer  ann"), "open", "EAGENTRPC_AUTH_FAILED"),
        (Some("ann"), "open", "EAGENTRPC_AUTH_FAILED"),
    ]
    .into_iter()
    .enumerate()
    {
        let text = request(&raw, &number.to_string(), capability, authorization);
        let text = if number % 2 == 0 { signed(&text, "k1", SECRET) } else { signed_by(&text, "caller", "a1") };
        assert_eq!(end(&mut raw, text).await, expected, "{authorization:?}");
    }
}

#[tokio::test]
async fn records_have_the_principal_that_a_token_proves_and_no_token() {
    let audit = Arc::new(MemoryAudit::default());
    let of_server = audit.clone();
    let mut raw = start(|server| {
        let server = server.keys(agent_keys(&["caller"])).tokens(Arc::new(Fake::default()));
        server.audit(of_server).audit_calls(true)
    })
    .await;
    for (number, authorization) in ["ann", "bob", "bad"].iter().enumerate() {
        let text = request(&raw, &number.to_string(), "book", Some(&format!("Bearer {authorization}.acme")));
        let text = text.replace("\"version\":1", "\"tenantId\":\"acme\",\"version\":1");
        end(&mut raw, signed(&text, "k1", SECRET)).await;
    }
    let text = request(&raw, "9", "open", None);
    end(&mut raw, signed(&text, "k1", SECRET)).await;
    let records: Vec<Value> = audit.records().iter().map(|record| serde_json::to_value(record).unwrap()).collect();
    let found: Vec<_> = records.iter().map(|it| (it["errorCode"].as_str(), it["principal"].clone())).collect();
    let principal = |subject: &str| json!({"issuer": "https://login.example.com", "subject": subject});
    let expected = [
        (None, principal("ann")),
        // Denied calls, too.
        (Some("EAGENTRPC_FORBIDDEN"), principal("bob")),
        // Its token proves nothing.
        (Some("EAGENTRPC_AUTH_FAILED"), Value::Null),
        (None, Value::Null),
    ];
    assert_eq!(found, expected);
    assert!(!format!("{records:?}").contains("Bearer"));
}

#[tokio::test]
async fn a_token_in_a_request_without_a_valid_signature_is_not_verified() {
    let verifier = Arc::new(Fake::default());
    let of_server: Arc<dyn TokenVerifier> = verifier.clone();
    let mut raw = start(|server| server.keys(agent_keys(&["caller"])).tokens(of_server)).await;
    let text = request(&raw, "1", "open", Some("Bearer ann"));
    assert_eq!(end(&mut raw, text.clone()).await, "EAGENTRPC_AUTH_FAILED");
    assert_eq!(end(&mut raw, signed(&text, "k9", SECRET)).await, "EAGENTRPC_AUTH_FAILED");
    assert_eq!(verifier.0.load(Ordering::SeqCst), 0);
    // The token is a part of the text that is signed.
    let replaced = signed(&text, "k1", SECRET).replace("Bearer ann", "Bearer bob");
    assert_eq!(end(&mut raw, replaced).await, "EAGENTRPC_AUTH_FAILED");
}

#[tokio::test]
async fn a_token_alone_authenticates_only_with_bearer_only() {
    for has_keys in [false, true] {
        let server = |server: ServerBuilder| {
            let server = if has_keys { server.keys(agent_keys(&["caller"])) } else { server };
            server.bearer_only(Arc::new(Fake::default()))
        };
        let mut raw = start(server).await;
        for (number, (authorization, expected)) in [
            (Some("Bearer ann"), "\"ann\""),
            (Some("Bearer bad"), "EAGENTRPC_AUTH_FAILED"),
            (None, "EAGENTRPC_AUTH_FAILED"),
        ]
        .into_iter()
        .enumerate()
        {
            let text = request(&raw, &number.to_string(), "open", authorization);
            assert_eq!(end(&mut raw, text).await, expected, "{authorization:?} {has_keys}");
        }
        // An invalid signature is not the same as none.
        let text = request(&raw, "9", "open", Some("Bearer ann"));
        assert_eq!(end(&mut raw, signed(&text, "k9", SECRET)).await, "EAGENTRPC_AUTH_FAILED");
    }
}

#[tokio::test]
async fn a_request_that_was_refused_for_its_token_can_be_sent_again_and_runs_once() {
    let mut raw = start(|server| server.keys(agent_keys(&["caller"])).tokens(Arc::new(Fake::default()))).await;
    for refused in ["bad", "lost"] {
        for (token, expected) in [
            (refused, if refused == "bad" { "EAGENTRPC_AUTH_FAILED" } else { "EAGENTRPC_BUSY" }),
            ("ann", "\"ann\""),
            ("ann", "EAGENTRPC_AUTH_FAILED"),
            ("bob", "EAGENTRPC_AUTH_FAILED"),
        ] {
            let text = request(&raw, refused, "open", Some(&format!("Bearer {token}")));
            assert_eq!(end(&mut raw, signed_by(&text, "caller", "a1")).await, expected, "{refused} {token}");
        }
    }
}

#[tokio::test]
async fn an_answer_to_a_request_that_only_an_invalid_token_could_prove_is_not_signed() {
    let mut raw = start(|server| server.keys(agent_keys(&[])).bearer_only(Arc::new(Fake::default()))).await;
    for (token, is_signed) in [("ann", true), ("bad", false), ("lost", false)] {
        raw.send(request(&raw, token, "open", Some(&format!("Bearer {token}")))).await;
        assert_eq!(raw.response().await.unwrap().get("auth").is_some(), is_signed, "{token}");
    }
}

#[tokio::test]
async fn idempotency_keys_of_two_principals_of_an_agent_are_two_keys() {
    let store: Arc<dyn IdempotencyStore> = Arc::new(MemoryIdempotencyStore::default());
    for store in [None, Some(store)] {
        // Two instances, of which the second one finds the answers of the first one if they have a store.
        let mut instances = Vec::new();
        for _ in 0..2 {
            let store = store.clone();
            let server = |server: ServerBuilder| {
                let server = server.keys(agent_keys(&["caller"])).tokens(Arc::new(Fake::default()));
                store.into_iter().fold(server, |server, store| server.idempotency_store(store))
            };
            instances.push(start(server).await);
        }
        for (number, token) in ["ann", "bob", "none", "ann", "bob", "none"].into_iter().enumerate() {
            let raw = &mut instances[number / 3];
            let mut request = raw.request(&number.to_string());
            request["capability"] = json!("open");
            request["payload"] = json!(1);
            request["headers"] = json!({"idempotency-key": "key"});
            if token != "none" {
                request["headers"]["authorization"] = json!(format!("Bearer {token}"));
            }
            let text = signed_by(&request.to_string(), "caller", "a1");
            let expected = if token == "none" { "null".to_owned() } else { format!("\"{token}\"") };
            assert_eq!(end(raw, text).await, expected);
        }
    }
}

#[tokio::test]
async fn a_token_is_for_one_tenant() {
    let mut raw = start(|server| server.keys(agent_keys(&[])).tokens(Arc::new(Fake::default()))).await;
    for (number, (tenant, token, expected)) in [
        (Some("acme"), "bob.acme", "\"bob\""),
        (Some("zeta"), "bob.acme", "EAGENTRPC_TENANT_MISMATCH"),
        (None, "bob.acme", "EAGENTRPC_TENANT_MISMATCH"),
        (Some("acme"), "bob", "\"bob\""),
    ]
    .into_iter()
    .enumerate()
    {
        let mut request: Value =
            serde_json::from_str(&request(&raw, &number.to_string(), "open", Some(&format!("Bearer {token}"))))
                .unwrap();
        if let Some(tenant) = tenant {
            request["tenantId"] = json!(tenant);
        }
        assert_eq!(end(&mut raw, signed(&request.to_string(), "k1", SECRET)).await, expected, "{tenant:?} {token}");
    }
}

#[tokio::test]
async fn a_server_with_tokens_needs_keys_or_encrypted_transports() {
    let built = || Server::builder(handlers()).listen(MemoryBroker::new().connect(), ADDRESS);
    let error = built().tokens(Arc::new(Fake::default())).start().await.err();
    assert_eq!(error, Some(BuildError::TokensWithoutKeys));
    let plain = Server::builder(handlers()).listen(crate::fixture::counting(), ADDRESS);
    let error = plain.bearer_only(Arc::new(Fake::default())).start().await.err();
    assert_eq!(error, Some(BuildError::TokensInTheClear("memory")));
}

#[test]
fn tokens_are_not_shown() {
    let options = CallOptions::new().bearer("a-secret-token");
    assert!(!format!("{options:?}").contains("secret"), "{options:?}");
    let envelope = r#"{"version":1,"kind":"request","messageId":"m","correlationId":"c","from":"agent://a","to":"agent://b",
        "capability":"say","headers":{"authorization":"Bearer a-secret-token"},"payload":"a-secret"}"#;
    let envelope = capgen::call::Envelope::decode(&envelope.into()).unwrap();
    assert!(!format!("{envelope:?}").contains("secret"), "{envelope:?}");
}
