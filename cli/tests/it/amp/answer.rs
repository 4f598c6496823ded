//! `capgen amp answer`: requests are encoded, the command answers, and answers are decoded.

use std::fs;

use capgen_amp::body::{Body, CapDeclare, CapResult, ErrorBody};
use capgen_amp::cbor::{Limits, Map, Value};
use capgen_amp::message::{Keys, Message, MessageId, MessageType, SigningKey, answers, decode_message};
use capgen_amp::{Aliases, Code};
use serde_json::json;

use crate::amp::Folder;
use crate::amp::messages::{ALICE, ALICE_DID_KEY, BOB, NOON, alice, alice_key, message, query};

pub(crate) const BOB_SEED: &str = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb";
pub(crate) const REVIEW: &str = "org.agentries.code-review";

pub(crate) fn bob() -> SigningKey {
    SigningKey::from_hex(BOB_SEED).unwrap()
}

/// The manifest of one version of `org.agentries.code-review`.
fn manifest(version: &str, required: &str) -> String {
    format!(
        "version: 1
agent: agent://reviewer
transports: [{{ kind: memory, topics: {{ requests: q }} }}]
capabilities:
  - name: code-review
    version: {version}
    inputSchema: {{ type: object, properties: {{ code: {{ type: string }}, lines: {{ type: integer }} }}, required: {required} }}
    outputSchema: {{ type: object, properties: {{ lines: {{ maximum: 9 }} }} }}
"
    )
}

/// The result of the command.
struct Answered {
    status: i32,
    bytes: Vec<u8>,
    stderr: String,
}

/// A folder with the bundle and the key of Bob.
pub(crate) struct Served(pub(crate) Folder);

impl Served {
    /// Versions 1.9.0, 2.0.0 and 2.1.0. The first one also requires `lines`.
    pub(crate) fn new() -> Self {
        let served = Self(Folder::new());
        served.0.write("1.9.0.yaml", manifest("1.9.0", "[code, lines]"));
        served.0.write("2.0.0.yaml", manifest("2.0.0", "[code]"));
        served.0.write("2.1.0.yaml", manifest("2.1.0", "[code]"));
        served.0.write_secret("bob.hex", &format!("{BOB_SEED}\n"));
        served.publish(BOB, "bob.hex");
        served
    }

    /// A folder without files.
    pub(crate) fn empty() -> Self {
        Self(Folder::new())
    }

    fn publish(&self, signer: &str, secret: &str) {
        let arguments = format!(
            "bundle create --capabilities 1.9.0.yaml 2.0.0.yaml 2.1.0.yaml --namespace org.agentries --out bundle --me {signer} \
             --secret-file {secret} --now {NOON}"
        );
        self.0.run(arguments.split(' ')).ended(0);
    }

    /// Lets Bob answer bytes.
    fn answer(&self, bytes: &[u8], options: &[&str]) -> Answered {
        self.0.write("request.cbor", bytes);
        let (now, key) = (NOON.to_string(), alice_key());
        let fixed = [
            "answer",
            "--bundle",
            "bundle",
            "--me",
            BOB,
            "--secret-file",
            "bob.hex",
            "--now",
            &now,
            "--key",
            &key,
            "request.cbor",
        ];
        let output = self.0.output(fixed.iter().chain(options));
        let stderr = String::from_utf8(output.stderr).unwrap();
        Answered { status: output.status.code().unwrap(), bytes: output.stdout, stderr }
    }

    /// Lets Bob answer a request of Alice. The answer is verified, and must belong to the request.
    #[track_caller]
    fn ask(&self, request: &Message, options: &[&str]) -> Body {
        self.ask_with_comments(request, options).0
    }

    #[track_caller]
    fn ask_with_comments(&self, request: &Message, options: &[&str]) -> (Body, String) {
        let answered = self.answer(&request.sign(&alice()), options);
        assert_eq!(answered.status, 0, "{}", answered.stderr);
        let mut keys = Keys::new();
        keys.insert(BOB.parse().unwrap(), bob().public());
        let answer = decode_message(&answered.bytes, &Limits::default()).unwrap().verify(&keys).unwrap();
        answers(&answer, request).unwrap();
        assert_eq!((answer.ts, answer.id.time()), (NOON, NOON));
        (Body::read(answer.kind, &answer.body, &Aliases::default()).unwrap(), answered.stderr)
    }

    /// The code of the `ERROR` that answers a request.
    #[track_caller]
    fn refused(&self, request: &Message, options: &[&str]) -> u64 {
        match self.ask(request, options) {
            Body::Error(error) => error.code,
            body => panic!("{body:?}"),
        }
    }

    fn policy(&self, policy: &serde_json::Value) -> [&'static str; 2] {
        self.0.write("policy.json", policy.to_string());
        ["--policy", "policy.json"]
    }
}

fn invoke(body: serde_json::Value) -> Message {
    message(MessageType::CapInvoke, Value::from_json(&body))
}

fn query_of(body: serde_json::Value) -> Message {
    message(MessageType::CapQuery, Value::from_json(&body))
}

/// An invocation without errors.
fn review() -> Message {
    invoke(json!({"id": format!("{REVIEW}:2.1.0"), "params": {"code": "x"}}))
}

#[track_caller]
fn ids(body: Body) -> Vec<String> {
    match body {
        Body::Declare(CapDeclare { capabilities, .. }) => {
            capabilities.iter().map(|found| found.id.to_string()).collect()
        }
        body => panic!("{body:?}"),
    }
}

#[test]
fn a_01_cap_declare_positive() {
    let request = query_of(json!({"filter": {"capability": REVIEW, "version": ">=2.1.0"}}));
    assert_eq!(ids(Served::new().ask(&request, &[])), [format!("{REVIEW}:2.1.0")]);
}

#[test]
fn a_02_to_04_negotiation() {
    let served = Served::new();
    let ask = |hints: serde_json::Value, params: serde_json::Value| {
        served.ask(&invoke(json!({"capability": REVIEW, "negotiate": hints, "params": params})), &["--echo"])
    };
    let params = json!({"code": "x"});
    for hints in [json!({"preferred": "2.1.0"}), json!({"preferred": "2.2.0", "acceptable": ["2.1.0", "2.0.0"]})] {
        assert_eq!(ask(hints, params.clone()), Body::Result(CapResult::Success(Value::from_json(&params))));
    }
    // Only version 1.9.0 requires `lines`.
    let Body::Error(ErrorBody { code, .. }) = ask(json!({"range": "<2.0.0"}), params.clone()) else { panic!() };
    assert_eq!(code, 4004);
    for hints in [json!({"range": ">=3.0.0 <4.0.0"}), json!({})] {
        let Body::Error(ErrorBody { code, .. }) = ask(hints, params.clone()) else { panic!() };
        assert_eq!(code, 4003);
    }
}

#[test]
fn a_05_invocation_schema_positive() {
    let params = json!({"code": "fn main() {}", "lines": 1, "other": [1.5, null, true]});
    let request = invoke(json!({"id": format!("{REVIEW}:2.1.0"), "params": params}));
    let expected = Body::Result(CapResult::Success(Value::from_json(&params)));
    assert_eq!(Served::new().ask(&request, &["--echo"]), expected);
}

#[test]
fn a_06_invocation_schema_violation_negative() {
    let request = invoke(json!({"id": format!("{REVIEW}:2.1.0"), "params": {}}));
    assert_eq!(Served::new().refused(&request, &["--echo"]), 4004);
}

#[test]
fn a_07_legacy_alias_compatibility() {
    let served = Served::new();
    let policy = served.policy(&json!({"aliases": {"review": REVIEW}}));
    for alias in ["review", "code-review", REVIEW] {
        assert_eq!(ids(served.ask(&query_of(json!({"filter": {"type": alias}})), &policy)).len(), 3, "{alias}");
    }
    assert_eq!(served.refused(&query_of(json!({"filter": {"type": "review"}})), &[]), 4002);
}

#[test]
fn a_08_identity_mismatch_negative() {
    let request = invoke(json!({
        "id": format!("{REVIEW}:2.1.0"), "capability": "org.agentries.translate", "version": "1.0.0", "params": {"code": ""},
    }));
    assert_eq!(Served::new().refused(&request, &[]), 4001);
}

#[test]
fn a_09_unauthorized_capability_probe_negative() {
    let served = Served::new();
    let policy = served.policy(&json!({"default": "allow", "rules": [{"caller": ALICE, "effect": "deny"}]}));
    let targets =
        [json!(format!("{REVIEW}:2.1.0")), json!(format!("{REVIEW}:9.9.9")), json!("org.agentries.other:1.0.0")];
    let bodies = targets.map(|id| served.ask(&invoke(json!({"id": id, "params": {"code": "x"}})), &policy));
    let Body::Error(error) = &bodies[0] else { panic!("{bodies:?}") };
    assert_eq!((error.code, &error.details), (3001, &None));
    assert!(bodies.iter().all(|body| body == &bodies[0]), "{bodies:?}");
}

#[test]
fn a_11_offline_artifact_missing_negative() {
    let served = Served::new();
    let artifact = fs::read_dir(served.0.path("bundle/artifacts")).unwrap().next().unwrap().unwrap().path();
    fs::remove_file(artifact).unwrap();
    for request in [review(), query()] {
        let (body, comments) = served.ask_with_comments(&request, &["--echo"]);
        let Body::Error(error) = body else { panic!("{body:?}") };
        assert_eq!((error.code, error.retry), (5002, Some(true)));
        assert!(comments.starts_with("5002 UNAVAILABLE: the bundle `bundle` cannot be used: artifacts/"), "{comments}");
    }
    // The steps before the lookup of the capability have their own codes, also without a bundle.
    fs::remove_dir_all(served.0.path("bundle")).unwrap();
    let policy = served.policy(&json!({"default": "deny", "rules": []}));
    assert_eq!(served.refused(&review(), &policy), 3001);
    assert_eq!(served.refused(&invoke(json!({"params": 1})), &[]), 4001);
    assert_eq!(served.refused(&review(), &[]), 5002);
    let rejected = served.answer(&review().sign(&bob()), &[]);
    assert!(rejected.status == 1 && rejected.stderr.contains("1002 INVALID_SIGNATURE: "), "{}", rejected.stderr);
}

#[test]
fn a_14_cap_query_pagination_stability_positive() {
    let served = Served::new();
    let mut found = Vec::new();
    let mut cursor = None;
    loop {
        let mut body = json!({"filter": {"capability": REVIEW}, "limit": 2, "order": "newest-first"});
        if let Some(cursor) = cursor {
            body["cursor"] = json!(cursor);
        }
        let Body::Declare(page) = served.ask(&query_of(body), &[]) else { panic!() };
        found.extend(page.capabilities.iter().map(|descriptor| descriptor.id.version.to_string()));
        cursor = page.cursor;
        if cursor.is_none() {
            break;
        }
    }
    // Every page comes from another process.
    assert_eq!(found, ["2.1.0", "2.0.0", "1.9.0"]);
}

#[test]
fn a_15_to_17_errors_of_requests() {
    let served = Served::new();
    let requests = [
        (query_of(json!({"filter": {"capability": REVIEW}, "cursor": "00"})), 4001),
        (invoke(json!({"id": format!("{REVIEW}:2.1.0"), "negotiate": {"preferred": "2.1.0"}, "params": {}})), 4001),
        (query_of(json!({"filter": {"capability": "org.agentries.nonexistent"}})), 4002),
    ];
    for (request, code) in requests {
        assert_eq!(served.refused(&request, &[]), code, "{request:?}");
    }
}

#[test]
fn an_answer_depends_on_nothing_but_its_input() {
    let served = Served::new();
    let bytes = review().sign(&alice());
    let answers: Vec<_> = (0..2).map(|_| served.answer(&bytes, &["--echo"]).bytes).collect();
    assert_eq!(answers[0], answers[1]);
    assert!(!answers[0].is_empty());
}

#[test]
fn an_invocation_without_a_handler_ends_with_5002() {
    let Body::Result(CapResult::Error(error)) = Served::new().ask(&review(), &[]) else { panic!() };
    assert_eq!(error.code, u64::from(Code::Unavailable.number()));
}

#[test]
fn an_invalid_result_is_5001_and_its_violations_are_commentary() {
    let request = invoke(json!({"id": format!("{REVIEW}:2.1.0"), "params": {"code": "secret", "lines": 10}}));
    let (body, comments) = Served::new().ask_with_comments(&request, &["--echo"]);
    let Body::Result(CapResult::Error(error)) = body else { panic!("{body:?}") };
    assert_eq!((error.code, error.details), (5001, None));
    assert!(
        comments.contains(&format!("the result of `{REVIEW}:2.1.0` violates the output schema:\n/lines: ")),
        "{comments}"
    );
    assert!(!comments.contains("secret"), "{comments}");
}

#[test]
fn messages_other_than_requests_have_no_answer() {
    let served = Served::new();
    let hello = message(MessageType::Hello, Value::Null);
    let ack = message(MessageType::Ack, Value::Null);
    let result = message(MessageType::CapResult, Value::Null);
    for message in [hello, ack, result] {
        let answered = served.answer(&message.sign(&alice()), &[]);
        assert_eq!((answered.status, answered.bytes.len()), (0, 0), "{}", answered.stderr);
    }
}

#[test]
fn a_message_whose_sender_is_not_proved_is_rejected_without_an_answer() {
    let served = Served::new();
    let mut future = review();
    future.ts = NOON + 30_001;
    future.id = capgen_amp::message::MessageId::new(future.ts, [0; 8]);
    let stranger = Message { from: "did:web:example.com:agent:carol".parse().unwrap(), ..review() };
    let cases = [
        (b"not a message".to_vec(), "1001 INVALID_MESSAGE: "),
        (Vec::new(), "1001 INVALID_MESSAGE: "),
        (vec![0; 17 << 20], "1001 INVALID_MESSAGE: "),
        (review().sign(&bob()), "1002 INVALID_SIGNATURE: "),
        (stranger.sign(&alice()), "1002 INVALID_SIGNATURE: "),
        (future.sign(&alice()), "1003 INVALID_TIMESTAMP: "),
        (Message { ttl: 0, ts: NOON - 1, ..review() }.sign(&alice()), "1003 INVALID_TIMESTAMP: "),
    ];
    for (bytes, expected) in cases {
        let answered = served.answer(&bytes, &[]);
        assert_eq!((answered.status, answered.bytes.len()), (1, 0), "{expected}");
        assert!(answered.stderr.starts_with(expected), "{expected}: {}", answered.stderr);
    }
}

#[test]
fn a_message_for_others_is_refused() {
    let others = Message {
        to: "did:web:example.com:agent:carol".parse::<capgen_amp::message::Did>().unwrap().into(),
        ..review()
    };
    let answered = Served::new().answer(&others.sign(&alice()), &[]);
    let answer = decode_message(&answered.bytes, &Limits::default()).unwrap().into_unchecked();
    assert_eq!(ErrorBody::read(&answer.body).unwrap().code, 3001);
}

#[test]
fn a_did_key_needs_no_key() {
    let served = Served::new();
    let request = Message { from: ALICE_DID_KEY.parse().unwrap(), ..query() };
    assert_eq!(ids(served.ask(&request, &[])).len(), 3);
    let rejected = served.answer(&request.sign(&bob()), &[]);
    assert!(rejected.status == 1 && rejected.stderr.contains("1002 INVALID_SIGNATURE: "), "{}", rejected.stderr);
}

#[test]
fn signers_of_bundles_and_senders_are_separate() {
    let served = Served::new();
    let carol = "did:web:example.com:agent:carol";
    served.0.write_secret("carol.hex", &"07".repeat(32));
    let carol_key = format!("{carol}={}", SigningKey::from_seed(&[7; 32]).public());
    served.publish(carol, "carol.hex");
    // Neither the provider itself nor a sender signed this bundle.
    assert_eq!(served.refused(&query(), &[]), 5002);
    assert_eq!(served.refused(&query(), &["--key", &carol_key]), 5002);
    assert_eq!(ids(served.ask(&query(), &["--trust", &carol_key])).len(), 3);
    // A signer is not a sender.
    let request = Message { from: carol.parse().unwrap(), ..query() };
    let rejected = served.answer(&request.sign(&SigningKey::from_seed(&[7; 32])), &["--trust", &carol_key]);
    assert!(rejected.status == 1 && rejected.stderr.contains("1002 INVALID_SIGNATURE: "), "{}", rejected.stderr);
}

#[test]
fn decision_21_a_provider_uses_a_bundle_that_it_signed_itself() {
    let served = Served::new();
    let carol = format!("did:web:example.com:agent:carol={}", SigningKey::from_seed(&[7; 32]).public());
    let former = format!("{BOB}={}", SigningKey::from_seed(&[8; 32]).public());
    for trust in [&[][..], &["--trust", &carol], &["--trust", &former], &["--trust", &carol, "--trust", &former]] {
        assert_eq!(ids(served.ask(&query(), trust)).len(), 3, "{trust:?}");
    }
    // With its former key, only if that is trusted.
    served.0.write_secret("former.hex", &"08".repeat(32));
    served.publish(BOB, "former.hex");
    assert_eq!(served.refused(&query(), &[]), 5002);
    assert_eq!(served.refused(&query(), &["--trust", &carol]), 5002);
    assert_eq!(ids(served.ask(&query(), &["--trust", &former])).len(), 3);
}

#[test]
fn decision_22_one_message_is_answered_whatever_its_lifetime() {
    let served = Served::new();
    let old = Message { ttl: u64::MAX, ts: 1_000_000, id: MessageId::new(1_000_000, [1; 8]), ..review() };
    let Body::Result(CapResult::Success(_)) = served.ask(&old, &["--echo"]) else { panic!("no result") };
}

#[test]
fn decision_24_a_provider_does_not_use_a_bundle_from_the_future() {
    let served = Served::new();
    served.0.write_secret("bob.hex", BOB_SEED);
    let create = |created: u64| {
        let arguments = format!(
            "bundle create --capabilities 2.1.0.yaml --namespace org.agentries --out bundle --me {BOB} --secret-file bob.hex --now {created}"
        );
        served.0.run(arguments.split(' ')).ended(0);
    };
    create(NOON + 86_400_000);
    assert_eq!(ids(served.ask(&query(), &[])).len(), 1);
    create(NOON + 86_400_001);
    let (body, comments) = served.ask_with_comments(&query(), &[]);
    let Body::Error(error) = body else { panic!("{body:?}") };
    assert!(error.code == 5002 && comments.contains("more than a day after 1707055200000"), "{comments}");
}

#[test]
fn the_provider_may_have_a_fragment() {
    let served = Served::new();
    let me = format!("{BOB}#key-1");
    served.0.write("request.cbor", query().sign(&alice()));
    let key = alice_key();
    let now = NOON.to_string();
    let output = served.0.output([
        "answer",
        "--bundle",
        "bundle",
        "--me",
        &me,
        "--secret-file",
        "bob.hex",
        "--now",
        &now,
        "--key",
        &key,
        "request.cbor",
    ]);
    let answer = decode_message(&output.stdout, &Limits::default()).unwrap().into_unchecked();
    assert_eq!((answer.kind, answer.from.as_str()), (MessageType::CapDeclare, me.as_str()));
}

#[test]
fn adapters_are_used_in_mode_bridge_and_must_be_proved() {
    let served = Served::new();
    let adapter = |from: &str, to: &str| json!({"capability": REVIEW, "from": from, "to": to});
    let bridge = |adapters: serde_json::Value| json!({"mode": "bridge", "adapters": adapters});
    // Every request of 1.9.0 is one of 2.1.0, but not the reverse.
    let policy = served.policy(&bridge(json!([adapter("1.9.0", "2.1.0")])));
    assert_eq!(
        served.refused(&invoke(json!({"id": format!("{REVIEW}:1.0.0"), "params": {"code": "x"}})), &policy),
        4003
    );
    let policy = served.policy(&bridge(json!([
        adapter("2.1.0", "1.9.0"),
        adapter("1.0.0", "2.1.0"),
        adapter("1.9.0", "2.0.0")
    ])));
    let failed = served.answer(&review().sign(&alice()), &policy);
    assert_eq!((failed.status, failed.bytes.len()), (1, 0));
    assert!(failed.stderr.contains("error[E0680]") && failed.stderr.contains("/adapters/0: "), "{}", failed.stderr);
    assert!(failed.stderr.contains("/adapters/1: ") && !failed.stderr.contains("/adapters/2: "), "{}", failed.stderr);
    let mut unchecked = adapter("1.0.0", "2.1.0");
    unchecked["unchecked"] = json!(true);
    let policy = served.policy(&bridge(json!([unchecked])));
    let request = invoke(json!({"id": format!("{REVIEW}:1.0.0"), "params": {"code": "x"}}));
    assert!(matches!(served.ask(&request, &[&policy[..], &["--echo"]].concat()), Body::Result(CapResult::Success(_))));
    let policy = served.policy(&bridge(json!([unchecked, unchecked])));
    assert!(served.answer(&review().sign(&alice()), &policy).stderr.contains("/adapters/1: "));
}

#[test]
fn every_error_of_a_policy_is_reported() {
    let served = Served::new();
    let policy =
        json!({"default": "maybe", "rules": [{"caller": "alice", "version": "^1", "effect": "deny"}], "rule": []});
    let policy = served.policy(&policy);
    let failed = served.answer(&review().sign(&alice()), &policy);
    assert_eq!((failed.status, failed.bytes.len()), (1, 0));
    for place in ["/default: ", "/rules/0/caller: ", "/rules/0/version: ", "/rule: "] {
        assert!(failed.stderr.contains(place), "{place}: {}", failed.stderr);
    }
    for text in ["", "{", "\u{feff}{}", "[]", "{\"default\": \"deny\", \"default\": \"allow\"}"] {
        served.0.write("policy.json", text);
        let failed = served.answer(&review().sign(&alice()), &["--policy", "policy.json"]);
        assert!(failed.status == 1 && failed.stderr.contains("error[E0680]"), "{text}: {}", failed.stderr);
    }
    served.0.write("policy.json", [0xff]);
    assert!(served.answer(&review().sign(&alice()), &["--policy", "policy.json"]).stderr.contains("error[E0680]"));
}

#[test]
fn files_that_cannot_be_read_are_reported() {
    let served = Served::new();
    let options = [&["--policy", "missing.json"][..], &["--policy", "bundle"]];
    for options in options {
        let failed = served.answer(&review().sign(&alice()), options);
        assert!(
            failed.status == 1 && failed.bytes.is_empty() && failed.stderr.contains("cannot read"),
            "{}",
            failed.stderr
        );
    }
    let fixed = ["answer", "--bundle", "bundle", "--me", BOB, "--secret-file"];
    for (secret, file) in [("missing.hex", "request.cbor"), ("bundle", "request.cbor"), ("bob.hex", "missing.cbor")] {
        let run = served.0.run(fixed.iter().chain(&[secret, file])).ended(1);
        assert!(run.stdout.is_empty() && run.stderr.contains("error[E067"), "{run:?}");
    }
}

#[test]
fn the_secret_is_never_printed() {
    let served = Served::new();
    for text in [
        BOB_SEED.replace('4', "g"),
        BOB_SEED.get(1..).unwrap().to_owned(),
        format!("{BOB_SEED}00"),
        format!("{BOB_SEED} {BOB_SEED}"),
    ] {
        served.0.write_secret("bob.hex", &text);
        let failed = served.answer(&review().sign(&alice()), &[]);
        assert!(failed.status == 1 && failed.bytes.is_empty(), "{}", failed.stderr);
        assert!(!failed.stderr.contains(text.get(..16).unwrap()), "{}", failed.stderr);
    }
    served.0.write_secret("bob.hex", BOB_SEED);
    let answered = served.answer(&review().sign(&alice()), &[]);
    assert_eq!((answered.status, answered.stderr.as_str()), (0, ""));
    let seed = hex::decode(BOB_SEED).unwrap();
    assert!(!answered.bytes.windows(32).any(|window| window == seed));
}

#[test]
fn incorrect_usage_exits_with_2() {
    let served = Served::new();
    let fixed = ["answer", "--bundle", "bundle", "--secret-file", "bob.hex"];
    let cases: [&[&str]; 6] = [
        &["request.cbor"],
        &["--me", BOB],
        &["--me", "bob", "request.cbor"],
        &["--me", BOB, "--key", "x", "request.cbor"],
        &["--me", BOB, "--trust", &format!("{BOB}=00"), "request.cbor"],
        &["--me", BOB, "--now", "-1", "request.cbor"],
    ];
    for options in cases {
        let run = served.0.run(fixed.iter().chain(options)).ended(2);
        assert!(run.stdout.is_empty() && !run.stderr.is_empty(), "{run:?}");
    }
}

#[test]
fn a_message_may_come_from_standard_input_and_the_time_from_the_clock() {
    let served = Served::new();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    let ts = u64::try_from(now).unwrap();
    let request = Message { ts, id: capgen_amp::message::MessageId::new(ts, [1; 8]), ext: Some(Map::new()), ..query() };
    let arguments = format!("amp answer --bundle bundle --me {BOB} --secret-file bob.hex --key {} -", alice_key());
    let mut child = served.0.0.command(&arguments).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), &request.sign(&alice())).unwrap();
    let output = child.wait_with_output().unwrap();
    let answer = decode_message(&output.stdout, &Limits::default()).unwrap().into_unchecked();
    assert_eq!(answers(&answer, &request), Ok(()));
    assert!(answer.ts >= ts);
}

#[test]
fn the_public_key_of_a_secret_is_printed() {
    let folder = Folder::new();
    folder.write_secret("bob.hex", BOB_SEED);
    let run = folder.run(["key", "--secret-file", "bob.hex"]).ended(0);
    // The second test vector of RFC 8032, section 7.1.
    let expected = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c\n";
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), (expected, ""));
    folder.write_secret("bob.hex", "secret");
    let run = folder.run(["key", "--secret-file", "bob.hex"]).ended(1);
    assert!(run.stdout.is_empty() && run.stderr.contains("error[E0678]"), "{run:?}");
    folder.run(["key"]).ended(2);
}
