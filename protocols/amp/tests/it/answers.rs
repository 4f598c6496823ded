//! Which messages answer a request: A.12 and A.13 at the level of envelopes.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_amp::Code;
use capgen_amp::cbor::Value;
use capgen_amp::message::{Did, Message, MessageId, MessageType, Recipients, answers};

fn did(text: &str) -> Did {
    text.parse().unwrap()
}

fn request(kind: MessageType) -> Message {
    Message {
        id: MessageId::new(1000, [1; 8]),
        kind,
        ts: 1000,
        ttl: 1000,
        from: did("did:web:alice"),
        to: Recipients::Many(vec![did("did:web:bob"), did("did:web:carol")]),
        reply_to: None,
        thread_id: Some(vec![1]),
        body: Value::Null,
        ext: None,
    }
}

fn answer(kind: MessageType, request: &Message) -> Message {
    Message {
        id: MessageId::new(1500, [2; 8]),
        kind,
        from: did("did:web:bob#key-1"),
        to: did("did:web:alice#key-2").into(),
        reply_to: Some(request.id),
        ..request.clone()
    }
}

#[test]
fn an_answer_matches_its_request() {
    let request = request(MessageType::CapInvoke);
    let answer = answer(MessageType::CapResult, &request);
    assert_eq!(answers(&answer, &request), Ok(()));
    let cases = [
        (Message { reply_to: None, ..answer.clone() }, "`reply_to` is not the id of the request"),
        (Message { reply_to: Some(answer.id), ..answer.clone() }, "`reply_to` is not the id of the request"),
        (Message { from: did("did:web:eve"), ..answer.clone() }, "`from` is not a recipient of the request"),
        (Message { from: did("did:web:alice"), ..answer.clone() }, "`from` is not a recipient of the request"),
        (
            Message { to: did("did:web:eve").into(), ..answer.clone() },
            "`to` does not contain the sender of the request",
        ),
        (Message { thread_id: None, ..answer.clone() }, "`thread_id` is not that of the request"),
        (
            Message { kind: MessageType::CapDeclare, ..answer.clone() },
            "a message of this type does not answer the request",
        ),
    ];
    for (answer, expected) in cases {
        let rejection = answers(&answer, &request).unwrap_err();
        assert_eq!((rejection.code, rejection.message.as_str()), (Code::BadRequest, expected));
    }
}

#[test]
fn types_that_answer_depend_on_the_request() {
    use MessageType as T;
    let reports = [T::Ack, T::ProcOk, T::ProcFail, T::Processing, T::Progress, T::InputRequired, T::Error];
    let of = |request: MessageType| -> Vec<MessageType> {
        let request = self::request(request);
        let all = MessageType::ALL.iter().copied();
        all.filter(|kind| answers(&answer(*kind, &request), &request).is_ok()).collect()
    };
    let with = |kind: MessageType| {
        let mut kinds = [&reports[..], &[kind]].concat();
        kinds.sort();
        kinds
    };
    assert_eq!(of(T::CapQuery), with(T::CapDeclare));
    assert_eq!(of(T::CapInvoke), with(T::CapResult));
    assert!(of(T::Ping).contains(&T::Pong) && of(T::Hello).contains(&T::HelloAck));
    assert!(!of(T::Ping).contains(&T::CapResult) && !of(T::Message).contains(&T::CapDeclare));
}
