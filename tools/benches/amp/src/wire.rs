//! Bodies and messages.

use std::hint::black_box;

use capgen_amp::body::{Body, CapInvoke, Target};
use capgen_amp::cbor::{Limits, Value, decode, encode};
use capgen_amp::message::{Did, Keys, Message, MessageId, MessageType, Recipients, SigningKey, decode_message};
use ed25519_dalek::Signer as _;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::Way;

/// The time of all messages, in Unix ms.
pub const NOW: u64 = 1_770_000_000_000;

/// The body of an invocation for serde.
#[derive(Serialize, Deserialize)]
struct Invoke {
    id: String,
    params: Params,
    timeout_ms: u64,
}

#[derive(Serialize, Deserialize)]
struct Params {
    language: String,
    files: Vec<File>,
    strict: bool,
}

#[derive(Serialize, Deserialize)]
struct File {
    path: String,
    lines: u64,
    coverage: f64,
    tags: Vec<String>,
}

/// `params` of an invocation: 8 files, 1 kB.
pub fn params() -> serde_json::Value {
    let files: Vec<_> = (0..8)
        .map(|number| {
            let coverage = f64::from(number) * 0.125 + 0.0625;
            json!({"path": format!("src/module_{number}/handler.rs"), "lines": 100 + number * 37, "coverage": coverage,
                "tags": ["backend", "reviewed"]})
        })
        .collect();
    json!({"language": "rust", "files": files, "strict": true})
}

pub fn body() -> Value {
    let target = Target::Id("org.agentries.code-review:2.1.0".parse().expect("an id"));
    CapInvoke { target, params: Value::from_json(&params()), timeout_ms: Some(30_000) }.to_value()
}

pub fn did(agent: &str) -> Did {
    format!("did:web:example.com:agent:{agent}").parse().expect("a DID")
}

pub fn key(agent: &str) -> SigningKey {
    SigningKey::from_seed(&[agent.len() as u8; 32])
}

pub fn message(body: Value) -> Message {
    Message {
        id: MessageId::new(NOW, [1; 8]),
        kind: MessageType::CapInvoke,
        ts: NOW,
        ttl: 60_000,
        from: did("alice"),
        to: Recipients::One(did("provider")),
        reply_to: None,
        thread_id: None,
        body,
        ext: None,
    }
}

pub fn keys() -> Keys {
    let mut keys = Keys::default();
    for agent in ["alice", "provider"] {
        keys.insert(did(agent), key(agent).public());
    }
    keys
}

pub fn ways() -> Vec<Way> {
    let body = body();
    let bytes = encode(&body);
    let typed: Invoke = ciborium::from_reader(bytes.as_slice()).expect("the same body");
    let tree: ciborium::Value = ciborium::from_reader(bytes.as_slice()).expect("the same body");
    eprintln!("the body has {} bytes", bytes.len());
    let encoded = bytes.clone();
    let mut ways = vec![
        way("encode: ciborium and serde", None, move || {
            let mut out = Vec::new();
            ciborium::into_writer(black_box(&typed), &mut out).expect("written");
            black_box(out);
        }),
        way("encode: ciborium, tree", None, move || {
            let mut out = Vec::new();
            ciborium::into_writer(black_box(&tree), &mut out).expect("written");
            black_box(out);
        }),
        way("encode: capgen, tree", Some("encode: ciborium, tree"), move || {
            black_box(encode(black_box(&body)));
        }),
    ];
    ways.extend(decoding(&encoded));
    ways.extend(messages());
    ways
}

fn decoding(bytes: &[u8]) -> Vec<Way> {
    let [one, two, three, four] = [(); 4].map(|()| bytes.to_vec());
    vec![
        way("decode: ciborium and serde", None, move || {
            black_box(ciborium::from_reader::<Invoke, _>(black_box(one.as_slice())).expect("a body"));
        }),
        way("decode: ciborium, tree", None, move || {
            black_box(ciborium::from_reader::<ciborium::Value, _>(black_box(two.as_slice())).expect("a body"));
        }),
        way("decode: capgen, tree, strict", Some("decode: ciborium, tree"), move || {
            black_box(decode(black_box(&three), &Limits::default()).expect("a body"));
        }),
        way("decode: capgen, body, strict", Some("decode: ciborium and serde"), move || {
            let value = decode(black_box(&four), &Limits::default()).expect("a body");
            black_box(Body::read(MessageType::CapInvoke, &value, &capgen_amp::Aliases::default()).expect("a body"));
        }),
    ]
}

fn messages() -> Vec<Way> {
    let unsigned = message(body());
    let bytes = unsigned.sign(&key("alice"));
    let signed = unsigned.signed_bytes();
    let bare = ed25519_dalek::SigningKey::from_bytes(&[5; 32]);
    let signature = bare.sign(&signed);
    let public = bare.verifying_key();
    let (to_sign, private, known, alice) = (signed.clone(), bare, keys(), key("alice"));
    vec![
        way("sign: bare Ed25519", None, move || {
            black_box(private.sign(black_box(&to_sign)));
        }),
        way("sign: capgen, whole message", Some("sign: bare Ed25519"), move || {
            black_box(black_box(&unsigned).sign(&alice));
        }),
        way("verify: bare Ed25519", None, move || {
            public.verify_strict(black_box(&signed), &signature).expect("a valid signature");
        }),
        way("verify: capgen, decode and check a whole message", Some("verify: bare Ed25519"), move || {
            let message = decode_message(black_box(&bytes), &Limits::default()).expect("a message");
            message.check_time(NOW).expect("a valid time");
            black_box(message.verify(&known).expect("a valid signature"));
        }),
    ]
}

pub fn way(name: &'static str, compared_with: Option<&'static str>, work: impl FnMut() + 'static) -> Way {
    Way { name, compared_with, work: Box::new(work) }
}
