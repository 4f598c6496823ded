//! HTTP as bytes.

use std::sync::Arc;
use std::time::Duration;

use capgen_amp::carrier::connection::Credentials;
use capgen_amp::carrier::connection::Settings;
use capgen_amp::carrier::http::{ClientOptions, HttpPeer, ServerOptions, serve};
use capgen_amp::carrier::net::{Limits, Server};
use capgen_amp::carrier::{Authenticate, BoxFuture, Peer, PeerError};
use capgen_amp::message::{Did, MessageType};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::carriers::agents::{code, invoke, invoke_of, message, runner};
use crate::carriers::harness::{LONG, MAX, http_options, listener};
use crate::support::{did, key};

async fn server(options: ServerOptions) -> Server {
    serve(listener().await, Arc::new(runner().0), options).unwrap()
}

/// Sends bytes, and returns all of the response. The server closes the connection.
async fn exchange(server: &Server, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    stream.write_all(request).await.unwrap();
    let mut response = Vec::new();
    let _ = timeout(LONG, stream.read_to_end(&mut response)).await.unwrap();
    String::from_utf8_lossy(&response).into_owned()
}

fn head(line: &str, headers: &str, length: usize) -> Vec<u8> {
    format!("{line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n").into_bytes()
}

const POST: &str = "POST /amp/v1/messages";
const CBOR: &str = "Content-Type: application/cbor\r\nX-AMP-Transport-Version: 1\r\n";

fn post(message: &[u8]) -> Vec<u8> {
    [head(POST, CBOR, message.len()), message.to_vec()].concat()
}

#[tokio::test]
async fn the_endpoint_is_that_of_the_specification() {
    let server = server(http_options()).await;
    let response = exchange(&server, &post(&invoke("fast"))).await;
    let lower = response.to_lowercase();
    assert!(response.starts_with("HTTP/1.1 200 OK\r\n"), "{response}");
    assert!(lower.contains("content-type: application/cbor\r\n"), "{response}");
    assert!(lower.contains("x-amp-transport-version: 1\r\n"), "{response}");

    let silent = message(MessageType::Message, json!(null)).sign(&key("alice"));
    let response = exchange(&server, &post(&silent)).await;
    assert!(response.starts_with("HTTP/1.1 202 Accepted\r\n") && response.ends_with("\r\n\r\n"), "{response}");

    let forged = message(MessageType::CapInvoke, json!({})).sign(&key("denied"));
    let response = exchange(&server, &post(&forged)).await;
    assert!(response.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{response}");
    assert!(response.contains("\r\n\r\n1002 INVALID_SIGNATURE: "), "{response}");
    let response = exchange(&server, &post(b"garbage")).await;
    assert!(response.starts_with("HTTP/1.1 400 ") && response.contains("\r\n\r\n1001 INVALID_MESSAGE: "), "{response}");
}

#[tokio::test]
async fn other_requests_have_their_status() {
    let server = server(http_options()).await;
    for (line, headers, status) in [
        ("POST /", CBOR, 404),
        ("POST /amp/v1/messages/", CBOR, 404),
        ("GET /amp/v1/messages", CBOR, 405),
        ("PUT /amp/v1/messages", CBOR, 405),
        (POST, "", 415),
        (POST, "Content-Type: application/json\r\n", 415),
        (POST, "Content-Type: application/cbor\r\nX-AMP-Transport-Version: 2\r\n", 415),
        (POST, "Content-Type: Application/CBOR; a=b\r\n", 400),
    ] {
        let response = exchange(&server, &head(line, headers, 0)).await;
        assert!(response.starts_with(&format!("HTTP/1.1 {status} ")), "{line} {headers}: {response}");
        assert_eq!(response.contains("allow: POST"), status == 405, "{response}");
    }
}

#[tokio::test]
async fn bodies_are_limited_before_they_are_read() {
    let server = server(http_options()).await;
    // The length alone, without the body.
    let response = exchange(&server, &head(POST, CBOR, MAX + 1)).await;
    assert!(response.starts_with("HTTP/1.1 413 ") && response.contains("1001 INVALID_MESSAGE"), "{response}");
    // Without a length.
    let mut chunked = format!("{POST} HTTP/1.1\r\nHost: a\r\n{CBOR}Transfer-Encoding: chunked\r\n\r\n").into_bytes();
    for _ in 0..17 {
        chunked.extend_from_slice(b"10000\r\n");
        chunked.extend_from_slice(&[0; 0x10000]);
        chunked.extend_from_slice(b"\r\n");
    }
    let response = exchange(&server, &chunked).await;
    assert!(response.starts_with("HTTP/1.1 413 "), "{response}");
}

#[tokio::test]
async fn slow_heads_and_bodies_are_dropped() {
    let quick = Duration::from_millis(100);
    let impatient = server(ServerOptions { head_timeout: quick, ..http_options() }).await;
    for start in [b"".as_slice(), b"POST /amp/v1/mess", b"POST /amp/v1/messages HTTP/1.1\r\nHost: a\r\n"] {
        let response = exchange(&impatient, start).await;
        assert!(!response.contains(" 200 "), "{response}");
    }
    let server =
        server(ServerOptions { settings: Settings { frame_ms: 100, ..http_options().settings }, ..http_options() })
            .await;
    let response = exchange(&server, &[head(POST, CBOR, 10), b"12".to_vec()].concat()).await;
    assert!(response.starts_with("HTTP/1.1 408 "), "{response}");
}

#[tokio::test]
async fn heads_are_limited() {
    let server = server(http_options()).await;
    for headers in [format!("A: {}\r\n", "x".repeat(20_000)), "A: b\r\n".repeat(70)] {
        let response = exchange(&server, &head(POST, &headers, 0)).await;
        assert!(response.starts_with("HTTP/1.1 431 "), "{response}");
    }
    for garbage in [b"\x00\x01\x02\x03\r\n\r\n".as_slice(), b"\x16\x03\x01\x02\x00"] {
        let response = exchange(&server, garbage).await;
        assert!(response.is_empty() || response.starts_with("HTTP/1.1 400 "), "{response}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_does_not_read_is_dropped_and_others_are_served() {
    let limits = Limits { write_timeout: Duration::from_millis(300), max_connections: 2, ..Limits::default() };
    let (runner, behaviour) = runner();
    let server = serve(listener().await, Arc::new(runner), ServerOptions { limits, ..http_options() }).unwrap();
    let mut slow = TcpStream::connect(server.address()).await.unwrap();
    let flood = async {
        loop {
            let request = invoke("large 900000");
            let head = format!("{POST} HTTP/1.1\r\nHost: a\r\n{CBOR}Content-Length: {}\r\n\r\n", request.len());
            let request = [head.as_bytes(), &request].concat();
            if slow.write_all(&request).await.is_err() {
                return;
            }
        }
    };
    timeout(LONG, flood).await.unwrap();
    let done = behaviour.total();
    assert!(done < 200, "{done} answers are in memory");
    let peer = HttpPeer::new(&format!("http://{}", server.address()), ClientOptions::default()).unwrap();
    let request = invoke("fast");
    assert_eq!(code(&peer.call(request.clone(), LONG).await.unwrap(), &request), 0);
}

#[tokio::test]
async fn lengths_of_bodies_reserve_nothing_and_a_first_message_without_a_signature_ends_in_time() {
    let options = http_options();
    let limits = Limits { max_memory: 4 << 20, ..options.limits.clone() };
    let settings = Settings { proof_ms: 2500, ..options.settings };
    let server = server(ServerOptions { limits, settings, ..options }).await;
    let mut attack = Vec::new();
    for _ in 0..50 {
        let mut stream = TcpStream::connect(server.address()).await.unwrap();
        stream.write_all(&[head(POST, CBOR, MAX), b"12345".to_vec()].concat()).await.unwrap();
        attack.push(stream);
    }
    let large = invoke_of(900 << 10);
    let response = exchange(&server, &post(&large)).await;
    assert!(response.starts_with("HTTP/1.1 200 OK\r\n"), "{response}");
    for stream in &mut attack {
        let mut response = String::new();
        let _ = timeout(LONG, stream.read_to_string(&mut response)).await.unwrap();
        assert!(response.starts_with("HTTP/1.1 408 ") && response.contains("in 2.5 s"), "{response}");
    }
    // A connection that only waits ends, too, and one with a signature does not.
    let idle = exchange(&server, b"").await;
    assert_eq!(idle, "");
    let peer = HttpPeer::new(&format!("http://{}", server.address()), ClientOptions::default()).unwrap();
    for _ in 0..2 {
        let request = invoke("sleep 2000");
        assert_eq!(code(&peer.call(request.clone(), LONG).await.unwrap(), &request), 0);
    }
}

/// The token is the name of the agent.
struct Tokens;

impl Authenticate for Tokens {
    fn authenticate(&self, credentials: Credentials) -> BoxFuture<'_, Result<Option<Did>, String>> {
        Box::pin(async move {
            match credentials.token.as_deref() {
                Some(b"alice") => Ok(Some(did("alice"))),
                Some(b"denied") => Ok(Some(did("denied"))),
                _ => Err("the token is unknown".to_owned()),
            }
        })
    }
}

#[tokio::test]
async fn the_principal_of_a_request_must_be_the_sender() {
    let server = server(ServerOptions { authenticate: Some(Arc::new(Tokens)), ..http_options() }).await;
    let url = format!("http://{}", server.address());
    for (token, expected) in
        [(Some("alice"), Ok(0)), (Some("denied"), Ok(3001)), (Some("wrong"), Err(401)), (None, Err(401))]
    {
        let options = ClientOptions { token: token.map(str::to_owned), ..ClientOptions::default() };
        let request = invoke("fast");
        let called = match HttpPeer::new(&url, options).unwrap().call(request.clone(), LONG).await {
            Ok(answer) => Ok(code(&answer, &request)),
            Err(PeerError::Refused { code: 0, message }) if message.starts_with("401 ") => Err(401),
            Err(PeerError::Refused { code, .. }) => Ok(code),
            Err(other) => panic!("{other}"),
        };
        assert_eq!(called, expected, "{token:?}");
    }
    assert!(
        HttpPeer::new(&url, ClientOptions { token: Some("a\r\nb".to_owned()), ..ClientOptions::default() }).is_err()
    );
}

#[tokio::test]
async fn a_client_survives_servers_that_are_not_amp() {
    let listener = listener().await;
    let options = ClientOptions { max_msg_size: 100, ..ClientOptions::default() };
    let peer = HttpPeer::new(&format!("http://{}", listener.local_addr().unwrap()), options).unwrap();
    let huge = "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nx";
    let refused = "HTTP/1.1 302 Found\r\nLocation: http://a/\r\nContent-Length: 0\r\n\r\n";
    for answer in ["", "garbage\r\n\r\n", huge, "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort", refused] {
        let accept = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut received = vec![0; 65536];
            let _ = stream.read(&mut received).await;
            stream.write_all(answer.as_bytes()).await.unwrap();
        };
        let (called, ()) = tokio::join!(peer.call(invoke("fast"), LONG), accept);
        let expected = matches!(called, Err(PeerError::Disconnected(_) | PeerError::Refused { code: 0, .. }));
        assert!(expected, "{answer}: {called:?}");
    }
}

#[tokio::test]
async fn small_bodies_without_a_length_do_not_wait_for_memory() {
    let options = http_options();
    let limits = Limits { max_memory: 1 << 20, ..options.limits.clone() };
    let server = server(ServerOptions { limits, ..options }).await;
    let chunked =
        format!("{POST} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{CBOR}Transfer-Encoding: chunked\r\n\r\n");
    let mut slow = Vec::new();
    for _ in 0..17 {
        let mut stream = TcpStream::connect(server.address()).await.unwrap();
        stream.write_all(format!("{chunked}1\r\nx\r\n").as_bytes()).await.unwrap();
        slow.push(stream);
    }
    let message = invoke("fast");
    let chunk = [format!("{chunked}{:x}\r\n", message.len()).as_bytes(), &message, b"\r\n0\r\n\r\n"].concat();
    let response = timeout(Duration::from_secs(15), exchange(&server, &chunk)).await.unwrap();
    assert!(response.starts_with("HTTP/1.1 200 OK\r\n"), "{response}");
}
