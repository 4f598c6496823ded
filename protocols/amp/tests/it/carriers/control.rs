use capgen_amp::carrier::control::{ControlError, ErrorFrame, Goaway, Handshake, Welcome};
use capgen_amp::carrier::frame::FrameType;
use capgen_amp::cbor::{Map, Value, encode};
use capgen_amp::message::MessageId;

fn map(entries: &[(&str, Value)]) -> Vec<u8> {
    encode(&Value::Map(entries.iter().cloned().collect::<Map>()))
}

fn errors<T: std::fmt::Debug>(result: Result<T, ControlError>) -> Vec<String> {
    match result.unwrap_err() {
        ControlError::Form(errors) => errors.iter().map(ToString::to_string).collect(),
        ControlError::Decode(error) => panic!("{error}"),
    }
}

#[test]
fn payloads_survive_a_round_trip() {
    let id = MessageId::new(1_707_055_200_000, [1; 8]);
    let hello = Handshake {
        version: 1,
        max_msg_size: 16 << 20,
        did: Some("did:web:example.com:agent:alice".parse().unwrap()),
        token: Some(b"secret".to_vec()),
        extensions: vec!["x-one".to_owned()],
    };
    assert_eq!(Handshake::read(&hello.to_frame().payload), Ok(hello.clone()));
    assert!(!format!("{hello:?}").contains("secret") && !format!("{hello:?}").contains("115"));
    for (accepted, error) in [(true, None), (false, Some("no".to_owned()))] {
        let welcome = Welcome { version: 1, accepted, max_msg_size: 1 << 20, error, extensions: Vec::new() };
        assert_eq!(welcome.to_frame().kind, FrameType::Handshake);
        assert_eq!(Welcome::read(&welcome.to_frame().payload), Ok(welcome));
    }
    let goaway = Goaway { reason: 0, message: Some("bye".to_owned()), last_id: Some(id) };
    assert_eq!(Goaway::read(&goaway.to_frame().payload), Ok(goaway));
    let error = ErrorFrame { code: 1001, message: "bad".to_owned(), msg_id: Some(id) };
    assert_eq!(ErrorFrame::read(&error.to_frame().payload), Ok(error));
}

#[test]
fn every_error_of_a_payload_is_reported() {
    let payload = map(&[
        ("did", Value::from("web:alice")),
        ("token", Value::from("text")),
        ("extensions", Value::from(vec![Value::from(1), Value::Null])),
    ]);
    let found = errors(Handshake::read(&payload));
    let paths: Vec<_> = found.iter().map(|error| error.split(':').next().unwrap()).collect();
    assert_eq!(paths, ["/version", "/max_msg_size", "/did", "/token", "/extensions/0", "/extensions/1"], "{found:?}");

    let found = errors(Welcome::read(&map(&[("accepted", Value::from(1))])));
    assert_eq!(found.len(), 3, "{found:?}");
    let found = errors(Goaway::read(&map(&[("last_id", Value::from(vec![0_u8; 15]))])));
    assert_eq!(found, ["/reason: missing", "/last_id: expected 16 bytes"]);
    let found = errors(ErrorFrame::read(&map(&[("code", Value::Negative(0)), ("message", Value::Null)])));
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(errors(ErrorFrame::read(&encode(&Value::Null))).len(), 1);
}

#[test]
fn unknown_keys_are_ignored() {
    let payload = map(&[("reason", Value::from(7)), ("later", Value::from(true))]);
    assert_eq!(Goaway::read(&payload), Ok(Goaway { reason: 7, message: None, last_id: None }));
}

#[test]
fn payloads_are_deterministic_and_bounded() {
    // `{"reason": 0}` with the 0 in two bytes, and with a trailing byte.
    for payload in [b"\xa1\x66reason\x18\x00".as_slice(), b"\xa1\x66reason\x00\x00", b"", &[0xff; 10]] {
        assert!(matches!(Goaway::read(payload), Err(ControlError::Decode(_))), "{payload:?}");
    }
    let payload = map(&[("reason", Value::from(0)), ("message", Value::from("x".repeat(70_000)))]);
    assert!(matches!(Goaway::read(&payload), Err(ControlError::Decode(_))));
    let long = ErrorFrame { code: 1001, message: "ü".repeat(100_000), msg_id: None };
    assert_eq!(ErrorFrame::read(&long.to_frame().payload).unwrap().message.chars().count(), 1024);
}

#[test]
fn the_keys_of_payloads_may_have_any_order_and_are_unique() {
    // {"version": 1, "max_msg_size": 1048576, "did": "did:x:y"}, in the order of the specification.
    let version = b"\x67version\x01".as_slice();
    let size = b"\x6cmax_msg_size\x1a\x00\x10\x00\x00".as_slice();
    let did = b"\x63did\x67did:x:y".as_slice();
    let hello = Handshake::read(&[b"\xa3", version, size, did].concat()).unwrap();
    assert_eq!((hello.version, hello.max_msg_size), (1, 1 << 20));
    assert_eq!(hello.did.unwrap().as_str(), "did:x:y");
    let duplicate = Handshake::read(&[b"\xa3", version, size, version].concat());
    assert!(matches!(duplicate, Err(ControlError::Decode(_))), "{duplicate:?}");
}
