//! `capgen amp serve` after a restart: no invocation runs twice (decision 22).

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{SystemTime, UNIX_EPOCH};

use capgen_amp::Aliases;
use capgen_amp::body::{Body, CapResult, ErrorBody};
use capgen_amp::cbor::{Limits, Value};
use capgen_amp::message::{Keys, Message, MessageId, MessageType, decode_message};
use serde_json::json;

use crate::amp::answer::{REVIEW, bob};
use crate::amp::messages::{BOB, alice, message};
use crate::amp::net::Server;

/// An invocation of Alice, of now.
fn invocation(number: u8) -> Message {
    let ts = u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap();
    let body = json!({"id": format!("{REVIEW}:2.1.0"), "params": {"code": format!("number {number}")}});
    let invoke = message(MessageType::CapInvoke, Value::from_json(&body));
    Message { ts, id: MessageId::new(ts, [number; 8]), ttl: 3_600_000, ..invoke }
}

/// Sends bytes to a server, and returns the status and the body of its response.
fn post(server: &Server, bytes: &[u8]) -> (u16, Vec<u8>) {
    let address = server.urls[1].strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    let head = format!(
        "POST /amp/v1/messages HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/cbor\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        bytes.len()
    );
    stream.write_all(&[head.as_bytes(), bytes].concat()).unwrap();
    let mut response = Vec::new();
    stream.read_to_end(&mut response).unwrap();
    let end = response.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
    let status = std::str::from_utf8(&response[9..12]).unwrap().parse().unwrap();
    (status, response[end + 4..].to_vec())
}

/// The body of a signed answer.
fn body(answer: &[u8]) -> Body {
    let mut keys = Keys::new();
    keys.insert(BOB.parse().unwrap(), bob().public());
    let answer = decode_message(answer, &Limits::default()).unwrap().verify(&keys).unwrap();
    Body::read(answer.kind, &answer.body, &Aliases::default()).unwrap()
}

fn error(answer: &[u8]) -> ErrorBody {
    match body(answer) {
        Body::Error(error) => error,
        body => panic!("{body:?}"),
    }
}

/// Ends the server with SIGKILL, and starts it again.
fn restart(server: Server, options: &str) -> Server {
    Server::of(server.kill(), options)
}

#[cfg(feature = "amp-store")]
#[test]
fn decision_22_with_a_store_results_survive_kill_9() {
    let server = Server::new("--echo --store bob.db");
    let request = invocation(1).sign(&alice());
    let (status, first) = post(&server, &request);
    let Body::Result(CapResult::Success(_)) = body(&first) else { panic!("{status}") };
    let mut server = restart(server, "--echo --store bob.db");
    for _ in 0..2 {
        assert_eq!(post(&server, &request), (200, first.clone()), "the same answer, byte for byte");
        server = restart(server, "--echo --store bob.db");
    }
    let (_, other) = post(&server, &invocation(2).sign(&alice()));
    assert!(matches!(body(&other), Body::Result(CapResult::Success(_))));
}

#[cfg(feature = "amp-store")]
#[test]
fn a_store_that_cannot_be_used_is_reported() {
    let server = Server::new("--store bob.db");
    let serve = |server: &Server, store: &str| {
        let arguments = format!(
            "serve --bundle bundle --me {BOB} --secret-file bob.hex --listen amp://127.0.0.1:0 --store {store}"
        );
        server.served.0.run(arguments.split(' ')).ended(1)
    };
    let run = serve(&server, "bob.db");
    assert!(run.stderr.contains("cannot use the store `bob.db`: another process locks the file"), "{run:?}");
    server.served.0.write("text", "this is a text, and not a database");
    let run = serve(&server, "text");
    assert!(run.stderr.contains("cannot use the store `text`: ") && run.stderr.contains("help: "), "{run:?}");
}

#[test]
fn decision_22_without_a_store_an_invocation_from_before_the_start_is_refused() {
    let server = Server::new("--echo");
    let request = invocation(1).sign(&alice());
    let (_, first) = post(&server, &request);
    assert!(matches!(body(&first), Body::Result(CapResult::Success(_))));
    let server = restart(server, "--echo");
    let error = error(&post(&server, &request).1);
    assert_eq!(error.code, 1003);
    let (before, help) = error.message.split_once(" ms before the start of the provider").unwrap();
    assert!(before.strip_prefix("`ts` is ").unwrap().parse::<u64>().unwrap() > 0, "{}", error.message);
    assert!(help.contains("sign it again"), "{}", error.message);
    let (_, again) = post(&server, &invocation(2).sign(&alice()));
    assert!(matches!(body(&again), Body::Result(CapResult::Success(_))));
}

#[test]
fn decision_22_a_lifetime_beyond_25_hours_is_rejected() {
    let server = Server::new("--echo");
    let longest = Message { ttl: 90_000_000, ..invocation(1) };
    assert_eq!(post(&server, &longest.sign(&alice())).0, 200);
    let longer = Message { ttl: 90_000_001, ..invocation(2) };
    let (status, text) = post(&server, &longer.sign(&alice()));
    let expected = "1003 INVALID_TIMESTAMP: `ttl` is 90000001 ms; this provider accepts at most 90000000 ms";
    assert_eq!((status, String::from_utf8(text).unwrap().as_str()), (400, expected));
}
