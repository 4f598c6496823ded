//! `capgen amp inspect`.

use capgen_amp::cbor::{Limits, Map, Value, decode, encode};
use capgen_amp::message::{Message, MessageType, Recipients};
use serde_json::{Value as Json, json};

use crate::amp::Folder;
use crate::amp::messages::{ALICE, ALICE_DID_KEY, BOB, NOON, alice, alice_key, answer, error, map, message, query};

/// Inspects bytes with `--json`, and checks the exit status against the document.
#[track_caller]
fn inspect(bytes: &[u8], options: &[&str]) -> Json {
    let folder = Folder::new();
    folder.write("message.cbor", bytes);
    let run = folder.run(["inspect", "--json", "message.cbor"].iter().chain(options));
    let document = run.json();
    assert_eq!(run.status, i32::from(document["ok"] != json!(true)), "{run:?}");
    let mut keys: Vec<_> = document.as_object().unwrap().keys().collect();
    keys.sort();
    assert_eq!(keys, ["error", "message", "ok", "signature", "type"], "{run:?}");
    assert_eq!(document["ok"] == json!(true), document["error"].is_null(), "{run:?}");
    assert_eq!(run.stderr, "");
    document
}

#[track_caller]
fn check(bytes: &[u8], options: &[&str], code: u64) {
    assert_eq!(inspect(bytes, options)["error"]["code"], json!(code), "{options:?}");
}

/// Changes the fields of a signed message.
fn edited(message: &Message, edit: impl FnOnce(&mut Map)) -> Vec<u8> {
    let Value::Map(mut fields) = decode(&message.sign(&alice()), &Limits::default()).unwrap() else { panic!() };
    edit(&mut fields);
    encode(&fields.into())
}

#[test]
fn the_known_answer_vector_is_valid_bit_for_bit() {
    let signature = "ddfe6db4951b1244be2953963b3323d1957bf95f04e123b0e4283fec5267961c6af0752a2e6ccbbfe313d08107c3ccc45a79add798bc4afd1d78f89ae38fdb02";
    let bytes = message(MessageType::Message, Value::Null).sign(&alice());
    let document = inspect(&bytes, &["--key", &alice_key(), "--now", "1707055200000"]);
    let expected = json!({
        "ok": true, "error": null, "type": "MESSAGE", "signature": "valid",
        "message": {
            "v": 1, "id": {"$hex": "0000018d746b37000000000000000001"}, "typ": 0x10, "ts": NOON, "ttl": 86_400_000,
            "from": ALICE, "to": BOB, "body": null, "sig": {"$hex": signature},
        },
    });
    assert_eq!(document, expected);
    // Every single bit that is changed makes it invalid.
    let folder = Folder::new();
    let changed = (0..bytes.len() * 8).map(|bit| {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        hex::encode(changed) + "\n"
    });
    folder.write("lines", changed.collect::<String>());
    let run = folder.run(["inspect", "--lines", "--key", &alice_key(), "--now", "1707055200000", "lines"]).ended(1);
    assert_eq!(run.stdout.lines().count(), bytes.len() * 8);
    for (bit, line) in run.stdout.lines().enumerate() {
        assert!(line.starts_with("{\"ok\":false,"), "bit {bit}: {line}");
    }
}

#[test]
fn each_check_has_its_code() {
    let key = alice_key();
    let bytes = |edit: &dyn Fn(&mut Map)| edited(&query(), |fields| edit(fields));
    let cases: [(Vec<u8>, u64); 16] = [
        (Vec::new(), 1001),
        (vec![0xff], 1001),
        (encode(&Value::Null), 1001),
        ([query().sign(&alice()), vec![0]].concat(), 1001),
        (bytes(&|fields| drop(fields.remove("v"))), 1001),
        (bytes(&|fields| drop(fields.insert("v", 2))), 1004),
        (bytes(&|fields| drop(fields.remove("body"))), 1001),
        (bytes(&|fields| drop(fields.insert("enc", vec![0_u8]))), 1001),
        (bytes(&|fields| drop(fields.insert("from", "web:example.com"))), 1001),
        (bytes(&|fields| drop(fields.insert("to", Vec::<Value>::new()))), 1001),
        (bytes(&|fields| drop(fields.insert(Value::from(1), 1))), 1001),
        (bytes(&|fields| drop(fields.insert("typ", 0x0c))), 1005),
        (bytes(&|fields| drop(fields.insert("ts", NOON + 1001))), 1003),
        (bytes(&|fields| drop(fields.insert("ttl", 1))), 1002),
        (bytes(&|fields| drop(fields.insert("body", 1))), 1002),
        (bytes(&|fields| drop(fields.insert("ext", Map::new()))), 0),
    ];
    for (index, (bytes, code)) in cases.iter().enumerate() {
        let document = inspect(bytes, &["--key", &key]);
        assert_eq!(document["error"]["code"].as_u64().unwrap_or(0), *code, "{index}: {document}");
    }
}

#[test]
fn the_first_check_that_fails_decides() {
    let key = alice_key();
    // Each message also has every later error. The body is wrong, and there is no request that it answers.
    let wrong = message(MessageType::CapQuery, Value::Null);
    let options = ["--key", &key, "--now", "0", "--request", "request.cbor"];
    let all = |edit: &dyn Fn(&mut Map)| {
        edited(&wrong, |fields| {
            fields.insert("sig", vec![0_u8; 64]);
            edit(fields);
        })
    };
    let cases: [(Vec<u8>, u64); 5] = [
        (
            all(&|fields| {
                fields.insert("v", 2);
                fields.insert("typ", 0x0c);
                fields.remove("to");
            }),
            1004,
        ),
        (
            all(&|fields| {
                fields.insert("typ", 0x0c);
                fields.remove("to");
            }),
            1001,
        ),
        (
            all(&|fields| {
                fields.insert("typ", 0x0c);
                fields.insert("ts", 0);
            }),
            1005,
        ),
        (all(&|_| {}), 1003),
        (all(&|fields| drop(fields.insert("ttl", u64::MAX))), 1003),
    ];
    let folder = Folder::new();
    folder.write("request.cbor", query().sign(&alice()));
    for (bytes, code) in &cases {
        folder.write("message.cbor", bytes);
        let run = folder.run(["inspect", "--json", "message.cbor"].iter().chain(&options)).ended(1);
        assert_eq!(run.json()["error"]["code"], json!(code), "{run:?}");
    }
    let noon = NOON.to_string();
    let options = ["--key", &key, "--now", &noon];
    check(&all(&|_| {}), &options, 1002);
    let bytes = wrong.sign(&alice());
    check(&bytes, &options, 4001);
    assert_eq!(inspect(&bytes, &options)["signature"], json!("valid"));
}

#[test]
fn times_are_checked_only_with_a_time() {
    let bytes = query().sign(&alice());
    assert_eq!(inspect(&bytes, &[])["ok"], json!(true));
    for (now, ok) in
        [(NOON - 30_000, true), (NOON - 30_001, false), (NOON + 86_400_000, true), (NOON + 86_400_001, false)]
    {
        let document = inspect(&bytes, &["--now", &now.to_string()]);
        assert_eq!(document["ok"], json!(ok), "{now}");
    }
    // The end of the lifetime is beyond every time.
    let forever = Message { ttl: u64::MAX, ..query() };
    assert_eq!(inspect(&forever.sign(&alice()), &["--now", "18446744073709551615"])["ok"], json!(true));
}

#[test]
fn a_sender_without_a_key_is_an_error_only_if_there_are_keys() {
    let bytes = query().sign(&alice());
    assert_eq!(inspect(&bytes, &[])["signature"], json!("unchecked"));
    let other = format!("{BOB}={}", alice().public());
    check(&bytes, &["--key", &other], 1002);
    assert_eq!(inspect(&bytes, &["--key", &other])["signature"], json!("unchecked"));
    assert_eq!(inspect(&bytes, &["--key", &other, "--key", &alice_key()])["signature"], json!("valid"));
    // The key of the agent is also that of its DIDs with fragments.
    let fragment = Message { from: format!("{ALICE}#key-1").parse().unwrap(), ..query() };
    assert_eq!(inspect(&fragment.sign(&alice()), &["--key", &alice_key()])["signature"], json!("valid"));
}

#[test]
fn a_did_key_contains_its_key() {
    let bytes = Message { from: ALICE_DID_KEY.parse().unwrap(), ..query() }.sign(&alice());
    let other = format!("{BOB}={}", alice().public());
    assert_eq!(inspect(&bytes, &["--key", &other])["signature"], json!("valid"));
    // The example of the did:key specification is another key.
    let from = "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK";
    let bytes = Message { from: from.parse().unwrap(), ..query() }.sign(&alice());
    let document = inspect(&bytes, &["--key", &other]);
    assert_eq!(document["error"], json!({"code": 1002, "message": "the signature is invalid"}));
    assert_eq!(inspect(&bytes, &[])["ok"], json!(true));
}

#[test]
fn bodies_of_capability_messages_and_errors_are_checked() {
    let wrong = [
        message(MessageType::CapQuery, map([("filter", map::<Value, 0>([]))])),
        message(MessageType::CapQuery, map([("filter", map([("capability", "code-review")]))])),
        message(MessageType::CapDeclare, map([("capabilities", Vec::<Value>::new())])),
        message(MessageType::CapInvoke, map([("params", 1)])),
        message(
            MessageType::CapInvoke,
            map([("id", Value::from("a.b.c:1.0.0")), ("params", Value::Null), ("timeout_ms", 0.into())]),
        ),
        answer(&query(), MessageType::CapResult, map([("status", "success")])),
        message(MessageType::CapResult, map([("status", Value::from("success")), ("result", Value::Null)])),
        message(MessageType::Error, map([("code", 4002)])),
    ];
    for message in wrong {
        check(&message.sign(&alice()), &[], 4001);
    }
    let right = [
        query(),
        message(MessageType::CapInvoke, map([("id", "a.b.c:1.0.0"), ("params", "any"), ("unknown", "key")])),
        answer(&query(), MessageType::CapResult, map([("status", Value::from("success")), ("result", Value::Null)])),
        message(MessageType::Error, error()),
        message(MessageType::Hello, Value::Unsigned(1)),
    ];
    for message in right {
        assert_eq!(inspect(&message.sign(&alice()), &[])["ok"], json!(true), "{message:?}");
    }
}

#[test]
fn every_error_of_a_body_is_in_the_message() {
    let body = map([("filter", map([("version", "^1")])), ("limit", 0.into()), ("order", "random".into())]);
    let text = inspect(&message(MessageType::CapQuery, body).sign(&alice()), &[])["error"]["message"].to_string();
    for part in ["/filter: ", "/filter/version: ", "/limit: ", "/order: "] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn an_answer_must_belong_to_its_request() {
    let (request, key) = (query(), alice_key());
    let good = answer(&request, MessageType::Error, error());
    let others = [
        Message { reply_to: None, ..good.clone() },
        Message { reply_to: Some([7; 16].into()), ..good.clone() },
        Message { from: "did:web:example.com:agent:carol".parse().unwrap(), ..good.clone() },
        Message { to: Recipients::One(BOB.parse().unwrap()), ..good.clone() },
        Message { thread_id: Some(vec![1]), ..good.clone() },
        answer(&request, MessageType::CapResult, map([("status", Value::from("success")), ("result", Value::Null)])),
    ];
    let folder = Folder::new();
    folder.write("request.cbor", request.sign(&alice()));
    folder.write("answer.cbor", good.sign(&alice()));
    let run = folder.run(["inspect", "--json", "--request", "request.cbor", "answer.cbor"]).ended(0);
    assert_eq!(run.json()["type"], json!("ERROR"));
    for other in others {
        folder.write("answer.cbor", other.sign(&alice()));
        let run = folder.run(["inspect", "--json", "--request", "request.cbor", "answer.cbor"]).ended(1);
        assert_eq!(run.json()["error"]["code"], json!(4001), "{other:?}");
    }
    folder.write("request.cbor", "not a message");
    let run = folder.run(["inspect", "--json", "--key", &key, "--request", "request.cbor", "answer.cbor"]).ended(1);
    assert!(
        run.stdout.is_empty() && run.stderr.contains("error[E0677]: `request.cbor` is not a request: 1001"),
        "{run:?}"
    );
}

#[test]
fn the_type_is_null_if_it_cannot_be_read() {
    let cases = [
        (edited(&query(), |_| {}), json!("CAP_QUERY")),
        (edited(&query(), |fields| drop(fields.remove("to"))), json!("CAP_QUERY")),
        (edited(&query(), |fields| drop(fields.insert("typ", 0x0c))), Json::Null),
        (edited(&query(), |fields| drop(fields.insert("typ", "CAP_QUERY"))), Json::Null),
        (edited(&query(), |fields| drop(fields.insert("v", 2))), Json::Null),
    ];
    for (bytes, expected) in cases {
        let document = inspect(&bytes, &[]);
        assert_eq!(document["type"], expected, "{document}");
        assert!(document["message"].is_object(), "{document}");
    }
    assert_eq!(inspect(&[0xa1], &[])["message"], Json::Null);
}

#[test]
fn values_that_json_lacks_have_a_view() {
    let bytes = Value::Bytes(vec![0, 255]);
    let pairs = [(Value::from(1), Value::from("one"))].into_iter().collect::<Map>();
    let body = Value::Array(vec![
        bytes,
        Value::Negative(u64::MAX),
        Value::Unsigned(u64::MAX),
        Value::Float(f64::NAN.into()),
        Value::Float(f64::NEG_INFINITY.into()),
        Value::Undefined,
        Value::Simple(32),
        Value::Tag(1, Box::new(Value::Bytes(vec![1]))),
        pairs.into(),
        // Decision 21: this map is not the view of bytes.
        map([("$hex", "00ff")]),
        Value::Float(2.0.into()),
    ]);
    let document = inspect(&message(MessageType::Message, body).sign(&alice()), &[]);
    let expected = json!([
        {"$hex": "00ff"}, {"$int": "-18446744073709551616"}, u64::MAX, {"$float": "NaN"}, {"$float": "-Infinity"},
        {"$undefined": true}, {"$simple": 32}, {"$tag": [1, {"$hex": "01"}]}, {"$map": [[1, "one"]]}, {"$map": [["$hex", "00ff"]]}, 2.0,
    ]);
    assert_eq!(document["message"]["body"], expected);
}

#[test]
fn lines_are_hex_and_each_has_its_result() {
    let folder = Folder::new();
    let good = hex::encode(query().sign(&alice()));
    folder.write("lines", format!("{good}\nxyz\n\n{}\r\n {} \nabc\n", good.to_uppercase(), good.get(2..).unwrap()));
    let run = folder.run(["inspect", "--lines", "--json", "lines"]).ended(1);
    let codes: Vec<Json> =
        run.stdout.lines().map(|line| serde_json::from_str::<Json>(line).unwrap()["error"]["code"].clone()).collect();
    assert_eq!(codes, [Json::Null, json!(1001), json!(1001), Json::Null, json!(1001), json!(1001)]);
    assert_eq!(run.stderr, "");
    folder.write("lines", format!("{good}\n{good}"));
    assert_eq!(folder.run(["inspect", "--lines", "lines"]).ended(0).stdout.lines().count(), 2);
    folder.write("lines", "");
    assert_eq!(folder.run(["inspect", "--lines", "lines"]).ended(0).stdout, "");
}

#[test]
fn standard_input_is_read_too() {
    let folder = Folder::new();
    let run = folder.0.run_with("amp inspect --json -", query().sign(&alice())).ended(0);
    assert_eq!(run.json()["type"], json!("CAP_QUERY"));
    let run = folder.0.run_with("amp inspect --lines -", hex::encode(query().sign(&alice()))).ended(0);
    assert_eq!(run.json()["type"], json!("CAP_QUERY"));
}

#[test]
fn hostile_bytes_are_1001_at_once() {
    let deep = |levels: usize| [vec![0x81; levels], vec![0]].concat();
    let cases = [
        deep(129),
        deep(1 << 20),
        vec![0x9f; 1 << 20],
        vec![0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
        vec![0xbb, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
        vec![0x5b, 0, 0, 0, 1, 0, 0, 0, 0],
        vec![0x7b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
        // More values than a message may have.
        [vec![0x9a, 0, 0x20, 0, 0], vec![0; 2 << 20]].concat(),
        vec![0; 17 << 20],
    ];
    for bytes in cases {
        check(&bytes, &[], 1001);
    }
}

#[test]
fn a_message_of_the_maximum_size_is_read_and_a_larger_one_is_not() {
    let folder = Folder::new();
    let of_size = |size: usize| {
        let small = message(MessageType::Message, Value::Null);
        let with = |length: usize| edited(&small, |fields| drop(fields.insert("body", vec![0_u8; length])));
        let bytes = with(size - (with(1 << 20).len() - (1 << 20)));
        assert_eq!(bytes.len(), size);
        bytes
    };
    folder.write("message.cbor", of_size(16 << 20));
    folder.run(["inspect", "--json", "message.cbor"]).ended(0);
    let over = of_size((16 << 20) + 1);
    check(&over, &[], 1001);
    folder.write("lines", hex::encode(over) + "\n");
    assert_eq!(folder.run(["inspect", "--lines", "lines"]).ended(1).json()["error"]["code"], json!(1001));
}

#[test]
fn a_file_that_cannot_be_read_is_reported() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("folder")).unwrap();
    for file in ["missing.cbor", "folder"] {
        for options in [&["--json"][..], &["--lines"], &[]] {
            let run = folder.run([&["inspect", file], options].concat()).ended(1);
            assert!(run.stdout.is_empty() && run.stderr.contains(&format!("cannot read `{file}`: ")), "{run:?}");
        }
    }
}

#[test]
fn incorrect_usage_exits_with_2() {
    let key = alice_key();
    let cases: [&[&str]; 8] = [
        &["inspect"],
        &["inspect", "--key", "x", "m"],
        &["inspect", "--key", ALICE, "m"],
        &["inspect", "--key", &format!("{ALICE}=00"), "m"],
        &["inspect", "--key", &format!("alice={}", key.rsplit('=').next().unwrap()), "m"],
        &["inspect", "--key", &key, "--key", &key, "m"],
        &["inspect", "--now", "yesterday", "m"],
        &["inspect", "--now", "-1", "m"],
    ];
    for arguments in cases {
        let run = Folder::new().run(arguments).ended(2);
        assert!(run.stdout.is_empty() && !run.stderr.is_empty(), "{run:?}");
    }
}

#[test]
fn without_json_the_fields_and_every_check_are_shown() {
    let folder = Folder::new();
    folder.write("message.cbor", query().sign(&alice()));
    let run = folder.run(["inspect", "--now", "1707055200000", "message.cbor"]).ended(0);
    let expected = "\
type       CAP_QUERY (0x20)
id         0000018d746b37000000000000000001 (2024-02-04T14:00:00.000Z)
ts         1707055200000 (2024-02-04T14:00:00.000Z)
ttl        86400000 ms (until 2024-02-05T14:00:00.000Z)
from       did:web:example.com:agent:alice
to         did:web:example.com:agent:bob
body
{
  \"filter\": {
    \"capability\": \"org.agentries.code-review\"
  }
}
✓ encoding
✓ version
✓ fields
✓ type
✓ id
✓ times
- signature  not checked without --key
✓ body
- request    not checked without --request
";
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), (expected, ""));
    folder.write("message.cbor", edited(&query(), |fields| drop(fields.insert("typ", 0x0c))));
    let run = folder.run(["inspect", "message.cbor"]).ended(1);
    assert!(run.stdout.contains("\n✗ type       1005 UNKNOWN_TYPE: "), "{run:?}");
    assert!(run.stdout.ends_with("\n- request    not checked, because of the error\n"), "{run:?}");
}

#[test]
fn text_in_a_message_cannot_control_the_terminal() {
    let hostile = "did:a\u{1b}[2J\u{202e}\n";
    let body = map([(hostile, hostile)]);
    let hostile = Message { from: hostile.parse().unwrap(), ..message(MessageType::Message, body) };
    let folder = Folder::new();
    folder.write("message.cbor", hostile.sign(&alice()));
    for options in [&["--json"][..], &[]] {
        let run = folder.run([&["inspect", "message.cbor"], options].concat()).ended(0);
        assert!(!run.stdout.contains(['\u{1b}', '\u{202e}']), "{run:?}");
    }
}
