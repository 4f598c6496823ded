//! A whole invocation: the request is signed, verified, validated; its result is validated, signed, verified,
//! validated.

use std::hint::black_box;
use std::sync::Arc;

use capgen_amp::body::{CapInvoke, Target};
use capgen_amp::catalogue::{CapabilityContract, Catalogue};
use capgen_amp::cbor::{Map, Value};
use capgen_amp::descriptor::{ArtifactRef, Descriptor, HashAlgorithm, SchemaRef};
use capgen_amp::policy::Policy;
use capgen_amp::provider::{CacheLimits, HandlerOutcome, Input, Output, Provider, State, Ticket};
use capgen_amp::requester::{Answer, ExchangeEvent, Reaction, Requester};
use capgen_schema::{Schema, Validator};
use ed25519_dalek::Signer as _;
use serde_json::json;

use crate::Way;
use crate::wire::{NOW, did, key, keys, params, way};

pub const NAME: &str = "org.agentries.code-review";

const INPUT: &str = r#"{"type": "object", "additionalProperties": false, "required": ["language", "files"], "properties": {
    "language": {"type": "string", "enum": ["rust", "typescript"]}, "strict": {"type": "boolean"},
    "files": {"type": "array", "minItems": 1, "items": {"type": "object", "required": ["path", "lines"], "properties": {
        "path": {"type": "string", "pattern": "^[a-z0-9_./-]+$"}, "lines": {"type": "integer", "minimum": 0},
        "coverage": {"type": "number", "minimum": 0, "maximum": 1}, "tags": {"type": "array", "items": {"type": "string"}}}}}}}"#;

const OUTPUT: &str = r#"{"type": "object", "required": ["issues", "score"], "properties": {
    "issues": {"type": "array", "items": {"type": "object", "required": ["path", "message"], "properties": {
        "path": {"type": "string"}, "message": {"type": "string", "maxLength": 500}}}}, "score": {"type": "number"}}}"#;

pub fn contract(version: &str) -> CapabilityContract {
    let schema = |text| Schema::parse_text(text).expect("a schema");
    let reference = |text: &str| {
        let artifact = ArtifactRef { bundle_id: "b".to_owned(), artifact_key: "s.json".to_owned() };
        SchemaRef::to_artifact(artifact, HashAlgorithm::Sha256, text.as_bytes())
    };
    let descriptor = Descriptor {
        id: format!("{NAME}:{version}").parse().expect("an id"),
        input_schema: reference(INPUT),
        output_schema: reference(OUTPUT),
        supported_ranges: None,
        deprecated_ranges: None,
        notes: None,
        other: Map::new(),
    };
    CapabilityContract { descriptor, input: schema(INPUT), output: schema(OUTPUT), timeout_ms: None }
}

pub fn provider() -> Provider {
    Provider::new(did("provider"), key("provider"), Arc::new(keys()), Policy::default())
}

pub fn ways() -> Vec<Way> {
    let private = ed25519_dalek::SigningKey::from_bytes(&[5; 32]);
    let public = private.verifying_key();
    let text = vec![7; 1200];
    let bare = move || {
        for _ in 0..2 {
            let signature = private.sign(black_box(&text));
            public.verify_strict(&text, &signature).expect("a valid signature");
        }
    };
    vec![
        way("invocation: two bare signatures and verifications", None, bare),
        way("invocation: capgen, both sides", Some("invocation: two bare signatures and verifications"), invocation()),
    ]
}

fn invocation() -> impl FnMut() {
    let catalogue = Arc::new(Catalogue::new(vec![contract("2.1.0")]).expect("a catalogue"));
    // The clock stands still, so no id is forgotten, and the share of the sender must not end. The bytes bound the
    // results.
    let cache = CacheLimits { entries: 100_000_000, bytes: 1 << 22 };
    let (provider, mut state) = (provider(), State::new(catalogue, cache));
    let requester = Requester::new(did("alice"), key("alice"), Arc::new(keys()));
    let target = Target::Id(format!("{NAME}:2.1.0").parse().expect("an id"));
    let output = Validator::new(&Schema::parse_text(OUTPUT).expect("a schema"));
    let input = Validator::new(&Schema::parse_text(INPUT).expect("a schema"));
    let params = params();
    let issue = json!({"path": "src/module_1/handler.rs", "message": "the error is ignored"});
    let result = json!({"issues": [issue, issue, issue], "score": 0.75}).to_string().into_bytes();
    let mut random = 0_u64;
    move || {
        random += 1;
        assert!(input.is_valid(&params));
        let invoke = CapInvoke { target: target.clone(), params: Value::from_json(&params), timeout_ms: Some(30_000) };
        let mut exchange =
            requester.invoke(did("provider"), &invoke, Some(output.clone()), 60_000, NOW, random.to_be_bytes());
        let bytes = exchange.bytes();
        let message = Input::Message { bytes: &bytes, ticket: Ticket(0), principal: None };
        let mut outputs = provider.step(&mut state, message, NOW).expect("possible");
        let Some(Output::Start(start)) = outputs.pop() else { panic!("{outputs:?}") };
        let outcome = HandlerOutcome::Success(result.clone());
        let finished = Input::Finished { invocation: start.invocation, outcome };
        let mut outputs = provider.step(&mut state, finished, NOW).expect("possible");
        let Some(Output::Send { message, .. }) = outputs.pop() else { panic!("{outputs:?}") };
        let reaction = requester.step(&mut exchange, ExchangeEvent::Received(&message), NOW);
        assert!(matches!(black_box(reaction), Reaction::Done(Answer::Result(_))));
    }
}
