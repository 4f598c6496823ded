//! Keys of agents: which messages they prove, and their rotation.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use capgen::call::{
    AgentKey, BuildError, CallOptions, Client, Clock, Delivery, IncomingContent, InvalidKey, Keys, MemoryBroker,
    Outgoing, PeerTable, PublicKey, Server, ServerBuilder, SubscribeOptions, Transport,
};
use serde_json::{Value, json};

use crate::fixture::raw::{Raw, SECRET, agent_key, agent_keys, code, now, seed, signed, signed_by};
use crate::fixture::{ADDRESS, Fixture, Review, handlers, manifest};

fn from(raw: &Raw, id: &str, agent: &str) -> String {
    let mut request = raw.request(id);
    request["from"] = json!(format!("agent://{agent}"));
    request.to_string()
}

#[tokio::test]
async fn the_owner_of_a_shared_key_can_be_any_agent_and_the_owner_of_a_key_of_an_agent_cannot() {
    let mut raw = Raw::start(|server| server.keys(agent_keys(&["caller", "other"]))).await;
    let as_other = from(&raw, "1", "other");
    assert_eq!(raw.code(signed(&as_other, "k1", SECRET)).await, "ok");
    let as_other = from(&raw, "2", "other");
    assert_eq!(raw.code(signed_by(&as_other, "caller", "a1")).await, "EAGENTRPC_AUTH_FAILED");
    assert_eq!(raw.code(signed_by(&as_other, "other", "a1")).await, "ok");
    let unknown = from(&raw, "3", "unknown");
    assert_eq!(raw.code(signed_by(&unknown, "unknown", "a1")).await, "EAGENTRPC_AUTH_FAILED");
    assert_eq!(raw.handled(), 2);
}

#[tokio::test]
async fn a_response_is_signed_with_the_key_of_the_provider() {
    let mut raw = Raw::start(|server| server.keys(agent_keys(&["caller"]))).await;
    raw.send(signed_by(&raw.request("1").to_string(), "caller", "a1")).await;
    let response = raw.response().await.unwrap();
    assert_eq!((code(&response).as_str(), &response["auth"]["kind"]), ("ok", &json!("ed25519")));
    assert_eq!(response["auth"]["keyId"], "a1");
    assert_eq!(response["auth"]["signature"].as_str().unwrap().len(), 86);
}

#[tokio::test]
async fn forged_signatures_are_rejected() {
    let mut raw = Raw::start(|server| server.keys(agent_keys(&["caller"]))).await;
    let text = raw.request("1").to_string();
    let valid = signed_by(&text, "caller", "a1");
    let start = valid.find("\"signature\":\"").unwrap() + 13;
    // A signature of the same key for another purpose has no prefix.
    let bare = {
        use ed25519_dalek::Signer as _;
        let signature = ed25519_dalek::SigningKey::from_bytes(&seed("caller")).sign(text.as_bytes());
        format!("{}{}\"}}}}", &valid[..start], URL_SAFE_NO_PAD.encode(signature.to_bytes()))
    };
    // The last character has four bits that encode nothing.
    let mut second_form = valid.clone().into_bytes();
    second_form[start + 85] += 1;
    for (name, text) in [
        ("without a signature", text.clone()),
        ("an unknown key", signed_by(&text, "caller", "a2")),
        ("a changed payload", valid.replace("\"text\":\"1\"", "\"text\":\"2\"")),
        ("a changed caller", valid.replace("agent://caller", "agent://admin")),
        ("an added member", valid.replacen('{', "{\"tenantId\":\"t\",", 1)),
        ("a signature for another purpose", bare),
        ("another form of the signature", String::from_utf8(second_form).unwrap()),
        ("the signature of a shared key", signed(&text, "a1", SECRET)),
    ] {
        assert_eq!(raw.code(text).await, "EAGENTRPC_AUTH_FAILED", "{name}");
    }
    // An envelope in another form than the usual one.
    let unusual = raw.request("1").to_string().replacen("\"version\":1", "\"version\": 1", 1);
    assert_eq!(raw.code(signed_by(&unusual, "caller", "a1")).await, "ok");
    assert_eq!(raw.code(valid).await, "EAGENTRPC_AUTH_FAILED", "a replay");
}

#[tokio::test]
async fn an_expired_key_proves_nothing() {
    for (not_after, expected) in [(now() - 1, "EAGENTRPC_AUTH_FAILED"), (now() + 60_000, "ok")] {
        let public = agent_key("caller").public_key().not_after(not_after);
        let keys = Keys::of_agent(agent_key("echo")).and_agent(public).unwrap();
        let mut raw = Raw::start(|server| server.keys(keys)).await;
        assert_eq!(raw.code(signed_by(&raw.request("1").to_string(), "caller", "a1")).await, expected);
    }
}

/// A clock that is wrong by years.
struct Past;

impl Clock for Past {
    fn now_ms(&self) -> u64 {
        1_000_000_000_000
    }
}

#[tokio::test]
async fn a_key_expires_by_the_clock_of_the_client_and_of_the_server() {
    let end = Past.now_ms() + 1;
    let expiring = |keys: Keys| {
        let public = |agent: &str| agent_key(agent).public_key().not_after(end);
        keys.and_agent(public("concierge")).unwrap().and_agent(public("reviewer")).unwrap()
    };
    let keys = ["concierge", "reviewer"].map(|agent| expiring(Keys::of_agent(agent_key(agent))));
    let [of_client, of_server] = keys;
    let fixture = Fixture::start_with(
        handlers(),
        |client| client.keys(of_client).clock(Arc::new(Past)),
        |server| server.keys(of_server).clock(Arc::new(Past)),
    )
    .await;
    fixture.client.call_with::<Review>(&Review { url: "u".into(), depth: 1 }, &fixture.options()).await.unwrap();
}

#[tokio::test]
async fn a_request_without_room_is_answered_by_the_clock_of_the_server() {
    let keys = || Keys::of_agent(agent_key("echo"));
    let public = agent_key("caller").public_key().not_after(Past.now_ms() + 1);
    let keys = keys().and_agent(public).unwrap();
    let server = |server: ServerBuilder| server.keys(keys).clock(Arc::new(Past)).max_concurrent(1).max_waiting(0);
    let mut raw = Raw::start(server).await;
    for id in ["1", "2", "3", "4"] {
        let mut request = raw.request(id);
        (request["deadline"], request["payload"]) = (json!(Past.now_ms() + 60_000), json!({"pause": 200}));
        raw.send(signed_by(&request.to_string(), "caller", "a1")).await;
    }
    let response = raw.response().await.unwrap();
    // The request is proved, so that the answer is signed.
    assert_eq!((code(&response).as_str(), response.get("auth").is_some()), ("EAGENTRPC_BUSY", true));
}

/// A provider that signs its responses as another agent.
async fn provider(broker: &MemoryBroker, signer: &'static str, sender: &'static str) {
    let transport = broker.connect();
    let mut requests = transport.subscribe(ADDRESS, SubscribeOptions::default()).await.unwrap();
    tokio::spawn(async move {
        while let Some(incoming) = requests.next().await {
            let IncomingContent::Message(text) = incoming.content else { continue };
            let request: Value = serde_json::from_slice(&text).unwrap();
            let response = json!({
                "version": 1, "kind": "response", "messageId": "r", "correlationId": request["correlationId"],
                "causedBy": request["messageId"], "from": format!("agent://{sender}"), "to": request["from"],
                "capability": "review", "payload": {"approved": true, "comment": "forged"},
            });
            let message = Outgoing {
                address: request["replyTo"].as_str().unwrap().strip_prefix("memory://").unwrap().to_owned(),
                reply_to: None,
                payload: signed_by(&response.to_string(), signer, "a1").into(),
                delivery: Delivery::AtMostOnce,
                message_id: String::new(),
            };
            transport.publish(message).await.unwrap();
        }
    });
}

#[tokio::test]
async fn a_response_with_the_key_of_another_agent_is_not_accepted() {
    for (signer, sender, is_ok) in
        [("reviewer", "reviewer", true), ("mallory", "reviewer", false), ("mallory", "mallory", false)]
    {
        let broker = MemoryBroker::new();
        provider(&broker, signer, sender).await;
        let keys = Keys::of_agent(agent_key("concierge"));
        let keys = ["reviewer", "mallory"].map(agent_key).iter().fold(keys, |keys, key| {
            // Both are known to the caller.
            keys.and_agent(key.public_key()).unwrap()
        });
        let peers = PeerTable::new().with_manifest(&manifest());
        let client = Client::builder("concierge").transport(broker.connect()).peers(peers).keys(keys);
        let client = client.build().await.unwrap();
        let options = CallOptions::new().peer("reviewer").timeout(Duration::from_millis(200));
        let result = client.call_with::<Review>(&Review { url: "u".into(), depth: 1 }, &options).await;
        assert_eq!(result.is_ok(), is_ok, "{signer} {sender}: {result:?}");
    }
}

/// Keys that verify the first keys of two agents.
fn verifying(keys: Keys) -> Keys {
    ["concierge", "reviewer"].iter().fold(keys, |keys, agent| keys.and_agent(agent_key(agent).public_key()).unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_are_replaced_under_load_without_a_failed_call() {
    let shared = || Keys::signing_with("k1", SECRET).unwrap();
    let (of_client, of_server) = (shared(), shared());
    let (client, server) = (of_client.clone(), of_server.clone());
    let fixture = Fixture::start_with(handlers(), |built| built.keys(client), |built| built.keys(server)).await;
    let (calls, is_over) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let load: Vec<_> = (0..4)
        .map(|_| {
            let (client, options) = (fixture.client.clone(), fixture.options());
            let (calls, is_over) = (Arc::clone(&calls), Arc::clone(&is_over));
            tokio::spawn(async move {
                while !is_over.load(Ordering::SeqCst) {
                    client.call_with::<Review>(&Review { url: "u".into(), depth: 1 }, &options).await.unwrap();
                    calls.fetch_add(1, Ordering::SeqCst);
                }
            })
        })
        .collect();
    let second = |agent: &str| AgentKey::from_seed(agent, "a2", &seed(&format!("{agent}-2"))).unwrap();
    let both = |keys: Keys| {
        let keys = verifying(keys);
        ["concierge", "reviewer"].iter().fold(keys, |keys, agent| keys.and_agent(second(agent).public_key()).unwrap())
    };
    // Receivers first, then the senders, then the removal of the old key: from the shared key to the first keys of the
    // agents, and from these to the second ones.
    let steps: [(&Keys, Keys); 8] = [
        (&of_server, verifying(shared())),
        (&of_client, verifying(shared())),
        (&of_client, verifying(shared()).signing_as(agent_key("concierge"))),
        (&of_server, verifying(shared()).signing_as(agent_key("reviewer"))),
        (&of_server, both(Keys::of_agent(agent_key("reviewer")))),
        (&of_client, both(Keys::of_agent(agent_key("concierge")))),
        (&of_client, both(Keys::of_agent(second("concierge")))),
        (&of_server, both(Keys::of_agent(second("reviewer")))),
    ];
    for (running, keys) in steps {
        let before = calls.load(Ordering::SeqCst);
        while calls.load(Ordering::SeqCst) < before + 40 {
            tokio::time::sleep(Duration::from_millis(1)).await;
            assert!(load.iter().all(|task| !task.is_finished()), "a call failed");
        }
        running.replace(&keys);
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
    is_over.store(true, Ordering::SeqCst);
    for task in load {
        task.await.unwrap();
    }
}

#[tokio::test]
async fn an_agent_signs_with_its_own_key() {
    let broker = MemoryBroker::new();
    let foreign = || Keys::of_agent(agent_key("other"));
    let client = Client::builder("concierge").transport(broker.connect()).keys(foreign()).build().await;
    let server = Server::builder(handlers()).listen(broker.connect(), ADDRESS).keys(foreign()).start().await;
    let expected = BuildError::ForeignKey("other".to_owned());
    assert_eq!((client.err(), server.err()), (Some(expected.clone()), Some(expected)));
}

#[test]
fn keys_are_read_from_texts_and_files_and_are_not_shown() {
    let text = URL_SAFE_NO_PAD.encode(seed("trips"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    std::fs::write(&path, format!("{text}\n")).unwrap();
    let key = AgentKey::from_file("trips", "a1", &path).unwrap();
    assert_eq!(key.public_key(), agent_key("trips").public_key());
    assert_eq!(AgentKey::from_base64url("trips", "a1", &text).unwrap().public_key(), key.public_key());
    let public = key.public_key().to_base64url();
    assert_eq!(PublicKey::from_base64url("trips", "a1", &public).unwrap(), key.public_key());
    let keys = Keys::of_agent(key.clone()).and_agent(key.public_key()).unwrap();
    assert_eq!(format!("{keys:?}"), r#"Keys { ids: [], agents: {"trips": ["a1"]} }"#);
    assert!(!format!("{key:?}").contains(&text));
    let error = |result: Result<AgentKey, InvalidKey>| result.err().unwrap();
    assert_eq!(error(AgentKey::from_base64url("trips", "a1", &text[1..])), InvalidKey::NotAKey);
    assert_eq!(error(AgentKey::from_base64url("trips", "", &text)), InvalidKey::InvalidId);
    assert_eq!(error(AgentKey::from_base64url("../trips", "a1", &text)), InvalidKey::InvalidAgent);
    assert!(matches!(error(AgentKey::from_file("trips", "a1", folder.path())), InvalidKey::Unreadable(_)));
    // The identity of the curve, with which every text has a signature.
    let weak = URL_SAFE_NO_PAD.encode([&[1_u8][..], &[0; 31]].concat());
    assert_eq!(PublicKey::from_base64url("trips", "a1", &weak), Err(InvalidKey::NotAKey));
    assert_eq!(keys.and_agent(key.public_key()).err(), Some(InvalidKey::InvalidId));
}
