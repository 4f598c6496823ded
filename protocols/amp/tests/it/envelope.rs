//! The envelope: the order of its checks, and each of them (decisions 1 and 2).
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_amp::Code;
use capgen_amp::cbor::{Limits, Map, Value, decode, encode};
use capgen_amp::message::{
    Did, Keys, Message, MessageId, MessageType, Recipients, Rejection, SigningKey, decode_message,
};

const NOW: u64 = 1_800_000_000_000;

fn did(text: &str) -> Did {
    text.parse().unwrap()
}

fn key() -> SigningKey {
    SigningKey::from_seed(&[1; 32])
}

fn keys() -> Keys {
    let mut keys = Keys::new();
    keys.insert(did("did:web:alice"), key().public());
    keys
}

fn message() -> Message {
    Message {
        id: MessageId::new(NOW, [1; 8]),
        kind: MessageType::CapQuery,
        ts: NOW,
        ttl: 60_000,
        from: did("did:web:alice"),
        to: did("did:web:bob").into(),
        reply_to: None,
        thread_id: None,
        body: Value::Null,
        ext: None,
    }
}

/// All checks in their order.
fn check(bytes: &[u8]) -> Result<Message, Rejection> {
    let unverified = decode_message(bytes, &Limits::default())?;
    unverified.check_time(NOW)?;
    unverified.verify(&keys())
}

fn fields(message: &Message) -> Map {
    decode(&message.sign(&key()), &Limits::default()).unwrap().as_map().unwrap().clone()
}

/// The rejection of a signed message with one field replaced, or removed.
fn rejection(name: &str, value: impl Into<Option<Value>>) -> Rejection {
    let mut fields = fields(&message());
    match value.into() {
        Some(value) => drop(fields.insert(name, value)),
        None => drop(fields.remove(name)),
    }
    check(&encode(&fields.into())).unwrap_err()
}

/// One failure of each step, in the order of the steps. A failure of the bytes applies after the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Decoding,
    Version,
    Shape,
    Type,
    Id,
    Time,
    Signature,
}

const STEPS: [(Step, Code); 7] = [
    (Step::Decoding, Code::InvalidMessage),
    (Step::Version, Code::UnsupportedVersion),
    (Step::Shape, Code::InvalidMessage),
    (Step::Type, Code::UnknownType),
    (Step::Id, Code::InvalidTimestamp),
    (Step::Time, Code::InvalidTimestamp),
    (Step::Signature, Code::InvalidSignature),
];

fn failing(steps: &[Step]) -> Vec<u8> {
    let has = |step| steps.contains(&step);
    let mut message = message();
    if has(Step::Time) {
        message.ts = 1000;
        message.id = MessageId::new(1000, [1; 8]);
    }
    if has(Step::Id) {
        message.id = MessageId::new(message.ts + 1001, [1; 8]);
    }
    let mut fields = fields(&message);
    if has(Step::Signature) {
        fields.insert("sig", vec![0; 64]);
    }
    if has(Step::Type) {
        fields.insert("typ", 0xff);
    }
    if has(Step::Shape) {
        fields.remove("body");
    }
    if has(Step::Version) {
        fields.insert("v", 2);
    }
    let mut bytes = encode(&fields.into());
    if has(Step::Decoding) {
        bytes.push(0);
    }
    bytes
}

#[test]
fn of_two_failing_checks_the_earlier_one_is_reported() {
    assert_eq!(check(&failing(&[])), Ok(message()));
    for (index, (earlier, code)) in STEPS.into_iter().enumerate() {
        let alone = check(&failing(&[earlier])).unwrap_err();
        assert_eq!(alone.code, code, "{earlier:?}");
        for (later, _) in &STEPS[index + 1..] {
            assert_ne!(check(&failing(&[*later])).unwrap_err(), alone, "{earlier:?} and {later:?} look alike");
            // The position of trailing bytes depends on the length of the message.
            let both = check(&failing(&[earlier, *later])).unwrap_err();
            assert_eq!(both.code, code, "{earlier:?}, {later:?}");
            if earlier == Step::Decoding {
                assert!(both.message.ends_with("bytes follow the data item"), "{both}");
            } else {
                assert_eq!(both, alone, "{earlier:?}, {later:?}");
            }
        }
    }
}

#[test]
fn the_version_is_checked_before_any_other_field() {
    let only = |fields: &[(Value, Value)]| {
        let map: Map = fields.iter().cloned().collect();
        decode_message(&encode(&map.into()), &Limits::default()).unwrap_err().code
    };
    let v = |version: Value| (Value::from("v"), version);
    assert_eq!(only(&[v(2.into())]), Code::UnsupportedVersion);
    assert_eq!(only(&[v(0.into())]), Code::UnsupportedVersion);
    assert_eq!(only(&[v(u64::MAX.into()), (Value::from(1), Value::Null)]), Code::UnsupportedVersion);
    assert_eq!(only(&[v(2.into()), ("enc".into(), Value::Null), ("typ".into(), "x".into())]), Code::UnsupportedVersion);
    assert_eq!(only(&[v("1".into())]), Code::InvalidMessage);
    assert_eq!(only(&[v(Value::Negative(0))]), Code::InvalidMessage);
    assert_eq!(only(&[v(Value::Float(1.0.into()))]), Code::InvalidMessage);
    assert_eq!(only(&[v(1.into())]), Code::InvalidMessage);
    assert_eq!(only(&[]), Code::InvalidMessage);
    for value in [Value::Null, Value::Array(vec![]), Value::Tag(0, Box::new(fields(&message()).into()))] {
        let rejection = decode_message(&encode(&value), &Limits::default()).unwrap_err();
        assert_eq!(rejection.to_string(), "1001 INVALID_MESSAGE: a message is a map");
    }
}

#[test]
fn missing_fields_and_wrong_types_are_1001() {
    for name in ["v", "id", "typ", "ts", "ttl", "from", "to", "sig", "body"] {
        assert_eq!(rejection(name, None).to_string(), format!("1001 INVALID_MESSAGE: `{name}` is missing"));
    }
    let text = || Value::from("did:web:x");
    let cases = [
        ("id", vec![0; 15].into(), "`id` must be a byte string of 16 bytes"),
        ("id", text(), "`id` must be a byte string of 16 bytes"),
        ("typ", text(), "`typ` must be an unsigned integer"),
        ("typ", Value::Negative(0), "`typ` must be an unsigned integer"),
        ("ts", Value::Null, "`ts` must be an unsigned integer"),
        ("ts", Value::Float(1.0.into()), "`ts` must be an unsigned integer"),
        ("ttl", Value::Negative(0), "`ttl` must be an unsigned integer"),
        ("from", "web:alice".into(), "`from` must be a DID"),
        ("from", "DID:web:alice".into(), "`from` must be a DID"),
        ("from", Value::Array(vec![text()]), "`from` must be a DID"),
        ("to", Value::Array(vec![]), "`to` must be a DID, or an array of at least one DID"),
        ("to", Value::Array(vec![text(), "x".into()]), "`to` must be a DID, or an array of at least one DID"),
        ("to", Value::Array(vec![Value::Array(vec![])]), "`to` must be a DID, or an array of at least one DID"),
        ("to", "".into(), "`to` must be a DID, or an array of at least one DID"),
        ("to", Value::Null, "`to` must be a DID, or an array of at least one DID"),
        ("reply_to", vec![0; 17].into(), "`reply_to` must be a byte string of 16 bytes"),
        ("reply_to", Value::Null, "`reply_to` must be a byte string of 16 bytes"),
        ("thread_id", text(), "`thread_id` must be a byte string"),
        ("sig", vec![0; 63].into(), "`sig` must be a byte string of 64 bytes"),
        ("ext", Value::Array(vec![]), "`ext` must be a map"),
        ("ext", Value::Null, "`ext` must be a map"),
        ("enc", Value::Null, "encrypted messages are not supported"),
    ];
    for (name, value, expected) in cases {
        assert_eq!(rejection(name, value).to_string(), format!("1001 INVALID_MESSAGE: {expected}"));
    }
}

#[test]
fn keys_that_are_not_text_are_1001_and_unknown_text_keys_are_ignored() {
    for key in [Value::Unsigned(1), Value::Bytes(b"v".to_vec()), Value::Null] {
        let mut fields = fields(&message());
        fields.insert(key, Value::Null);
        let rejection = check(&encode(&fields.into())).unwrap_err();
        assert_eq!(rejection.to_string(), "1001 INVALID_MESSAGE: a key of the message is not text");
    }
    let mut fields = fields(&message());
    fields.insert("", Value::Undefined);
    fields.insert("signature", Value::Tag(2, Box::new(Value::Null)));
    assert_eq!(check(&encode(&fields.into())), Ok(message()));
}

#[test]
fn every_type_is_known_and_no_other_code() {
    let known: Vec<u64> = (0..0x200).filter(|code| MessageType::from_code(*code).is_some()).collect();
    let expected =
        [0x01..=0x0b, 0x0f..=0x16, 0x20..=0x23, 0x30..=0x31, 0x40..=0x43, 0x50..=0x52, 0x60..=0x63, 0x70..=0x72];
    assert_eq!(known, expected.into_iter().flatten().collect::<Vec<u64>>());
    for kind in MessageType::ALL {
        assert_eq!(MessageType::from_code(u64::from(kind.code())), Some(*kind));
        let message = Message { kind: *kind, ..message() };
        assert_eq!(check(&message.sign(&key())), Ok(message));
    }
    for code in [0, 0x0c, 0x24, 0x100, 0x100 + 0x20, u64::MAX] {
        let rejection = rejection("typ", Value::from(code));
        assert_eq!(rejection.to_string(), "1005 UNKNOWN_TYPE: `typ` is not a type of AMP RFC 001");
    }
    assert_eq!(MessageType::CapInvoke.to_string(), "CAP_INVOKE");
}

#[test]
fn the_time_in_the_id_may_differ_from_ts_by_a_second() {
    for (time, is_accepted) in [
        (NOW, true),
        (NOW - 1000, true),
        (NOW + 1000, true),
        (NOW - 1001, false),
        (NOW + 1001, false),
        (0, false),
        (u64::MAX, false),
    ] {
        let message = Message { id: MessageId::new(time, [0xff; 8]), ..message() };
        let result = check(&message.sign(&key()));
        assert_eq!(
            result.map_err(|rejection| rejection.code),
            is_accepted.then_some(message).ok_or(Code::InvalidTimestamp)
        );
    }
}

#[test]
fn a_message_lives_from_30_seconds_before_ts_until_its_ttl_ends() {
    let times = |ts: u64, ttl: u64, now: u64| {
        let message = Message { id: MessageId::new(ts, [0; 8]), ts, ttl, ..message() };
        let unverified = decode_message(&message.sign(&key()), &Limits::default()).unwrap();
        unverified.check_time(now).map_err(|rejection| rejection.to_string())
    };
    let expired = || Err("1003 INVALID_TIMESTAMP: the message has expired".to_owned());
    let future = || Err("1003 INVALID_TIMESTAMP: `ts` is more than 30 seconds in the future".to_owned());
    assert_eq!(times(NOW, 60_000, NOW), Ok(()));
    assert_eq!(times(NOW, 60_000, NOW + 60_000), Ok(()));
    assert_eq!(times(NOW, 60_000, NOW + 60_001), expired());
    assert_eq!(times(NOW, 0, NOW), Ok(()));
    assert_eq!(times(NOW, 0, NOW + 1), expired());
    assert_eq!(times(NOW, 0, NOW - 30_000), Ok(()));
    assert_eq!(times(NOW, 0, NOW - 30_001), future());
    assert_eq!(times(u64::MAX, u64::MAX, u64::MAX), Ok(()));
    assert_eq!(times(u64::MAX, 0, u64::MAX - 30_000), Ok(()));
    assert_eq!(times(u64::MAX, u64::MAX, 0), future());
    assert_eq!(times(0, u64::MAX, u64::MAX), Ok(()));
}

#[test]
fn the_signature_covers_every_field_apart_from_ext_and_unknown_ones() {
    let full = Message {
        to: Recipients::Many(vec![did("did:web:bob")]),
        reply_to: Some(MessageId::new(5, [5; 8])),
        thread_id: Some(vec![1]),
        body: Value::Map([("a", Value::Null)].into_iter().collect()),
        ext: Some(Map::new()),
        ..message()
    };
    assert_eq!(check(&full.sign(&key())), Ok(full.clone()));
    let changes: [(&str, Value); 9] = [
        ("id", MessageId::new(NOW, [2; 8]).as_bytes().to_vec().into()),
        ("typ", 0x10.into()),
        ("ts", (NOW + 1).into()),
        ("ttl", 60_001.into()),
        // The same recipient in the other form.
        ("to", "did:web:bob".into()),
        ("reply_to", MessageId::new(5, [6; 8]).as_bytes().to_vec().into()),
        ("thread_id", vec![2].into()),
        ("body", Value::Map(Map::new())),
        ("sig", vec![7; 64].into()),
    ];
    for (name, value) in changes {
        let mut fields = fields(&full);
        assert!(fields.insert(name, value).is_some());
        let rejection = check(&encode(&fields.into())).unwrap_err();
        assert_eq!(rejection.to_string(), "1002 INVALID_SIGNATURE: the signature is invalid", "{name}");
    }
    for name in ["reply_to", "thread_id"] {
        let mut fields = fields(&full);
        fields.remove(name);
        assert_eq!(check(&encode(&fields.into())).unwrap_err().code, Code::InvalidSignature, "{name}");
    }
    let mut fields = fields(&full);
    fields.insert("ext", [("unsigned", true)].into_iter().collect::<Map>());
    assert_eq!(check(&encode(&fields.into())).unwrap().body, full.body);
    assert_eq!(
        rejection("from", Value::from("did:web:mallory")).to_string(),
        "1002 INVALID_SIGNATURE: the key of the sender is unknown"
    );
}

#[test]
fn a_message_may_be_nested_128_levels_deep_including_itself() {
    let nested = |levels: usize| {
        let body = (0..levels).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
        check(&Message { body, ..message() }.sign(&key()))
    };
    assert!(nested(127).is_ok());
    assert_eq!(nested(128).unwrap_err().code, Code::InvalidMessage);
}

#[test]
fn every_byte_of_a_message_matters() {
    let bytes = Message { thread_id: Some(vec![1, 2, 3]), body: "body".into(), ..message() }.sign(&key());
    for index in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[index] ^= 1 << (index % 8);
        assert!(check(&changed).is_err(), "byte {index}");
        assert_eq!(check(&bytes[..index]).unwrap_err().code, Code::InvalidMessage);
    }
}
