//! Peers of `amp://` that are hostile, slow or of another version.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use capgen_amp::carrier::connection::{Credentials, Settings};
use capgen_amp::carrier::control::{ErrorFrame, Goaway, Handshake, Welcome, reason};
use capgen_amp::carrier::frame::{Frame, FrameType, take};
use capgen_amp::carrier::net::{Limits, Server};
use capgen_amp::carrier::tcp::{ClientOptions, ServerOptions, TcpPeer, serve};
use capgen_amp::carrier::{Authenticate, BoxFuture, Peer, PeerError};
use capgen_amp::message::{Did, MessageType};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::carriers::agents::{code, invoke, invoke_of, invoke_of_waiting, message, runner};
use crate::carriers::harness::{LONG, Proxy, listener, tcp_options};
use crate::support::{did, key};

/// A client that sends any bytes.
struct Raw {
    stream: TcpStream,
    received: BytesMut,
}

impl Raw {
    async fn connect(server: &Server) -> Self {
        Self { stream: TcpStream::connect(server.address()).await.unwrap(), received: BytesMut::new() }
    }

    /// Connects, and completes the handshake.
    async fn open(server: &Server) -> Self {
        let mut raw = Self::connect(server).await;
        raw.send(&hello(1)).await;
        assert!(Welcome::read(&raw.next().await.unwrap().payload).unwrap().accepted);
        raw
    }

    async fn send(&mut self, frame: &Frame) {
        let mut bytes = BytesMut::new();
        frame.write(&mut bytes);
        self.stream.write_all(&bytes).await.unwrap();
    }

    /// The next frame; `None` if the server has closed the connection.
    async fn next(&mut self) -> Option<Frame> {
        loop {
            if let Some(frame) = take(&mut self.received, 2 << 20).unwrap() {
                return Some(frame);
            }
            let read = timeout(LONG, self.stream.read_buf(&mut self.received)).await.unwrap();
            if !read.is_ok_and(|read| read > 0) {
                return None;
            }
        }
    }

    /// The code of the ERROR that comes next, before the end.
    async fn last_error(&mut self) -> u64 {
        let frame = self.next().await.unwrap();
        assert_eq!(frame.kind, FrameType::Error);
        assert_eq!(self.next().await, None);
        ErrorFrame::read(&frame.payload).unwrap().code
    }
}

fn hello(version: u64) -> Frame {
    Handshake { version, max_msg_size: 1 << 20, did: None, token: None, extensions: Vec::new() }.to_frame()
}

fn quick() -> Settings {
    let ServerOptions { settings, .. } = tcp_options();
    Settings { frame_ms: 100, proof_ms: 60_000, ping_ms: 60, pong_ms: 60, idle_ms: 200, ..settings }
}

async fn server(options: ServerOptions) -> Server {
    serve(listener().await, Arc::new(runner().0), options).unwrap()
}

#[tokio::test]
async fn garbage_ends_the_connection_with_an_error() {
    let server = server(tcp_options()).await;
    for garbage in [b"GET / HTTP/1.1\r\n\r\n".as_slice(), &[0; 64], &[0xff; 64], &[0, 0, 0, 2, 7, 0], &[0, 0, 0, 1, 3]]
    {
        let mut raw = Raw::connect(&server).await;
        raw.stream.write_all(garbage).await.unwrap();
        assert_eq!(raw.last_error().await, 1001, "{garbage:?}");
    }
    let mut raw = Raw::open(&server).await;
    raw.stream.write_all(&[0xff; 64]).await.unwrap();
    assert_eq!(raw.last_error().await, 1001);
    let mut raw = Raw::open(&server).await;
    raw.send(&hello(1)).await;
    assert_eq!(raw.last_error().await, 1001);
}

#[tokio::test]
async fn garbage_in_a_message_frame_is_reported_and_the_connection_continues() {
    let server = server(tcp_options()).await;
    let mut raw = Raw::open(&server).await;
    raw.send(&Frame::new(FrameType::Message, Bytes::from_static(b"garbage"))).await;
    let error = ErrorFrame::read(&raw.next().await.unwrap().payload).unwrap();
    assert_eq!((error.code, error.msg_id), (1001, None));
    let forged = message(MessageType::CapInvoke, json!({}));
    raw.send(&Frame::new(FrameType::Message, forged.sign(&key("denied")).into())).await;
    let error = ErrorFrame::read(&raw.next().await.unwrap().payload).unwrap();
    assert_eq!((error.code, error.msg_id), (1002, Some(forged.id)));
    let request = invoke("fast");
    raw.send(&Frame::new(FrameType::Message, request.clone())).await;
    assert_eq!(code(&raw.next().await.unwrap().payload, &request), 0);
}

#[tokio::test]
async fn a_wrong_version_is_refused() {
    let server = server(tcp_options()).await;
    let mut raw = Raw::connect(&server).await;
    raw.send(&hello(2)).await;
    let welcome = Welcome::read(&raw.next().await.unwrap().payload).unwrap();
    assert!(!welcome.accepted && welcome.error.is_some());
    assert_eq!(raw.next().await, None);
}

#[tokio::test]
async fn a_peer_without_a_handshake_is_dropped() {
    let settings = Settings { handshake_ms: 100, ..quick() };
    let server = server(ServerOptions { settings, ..tcp_options() }).await;
    assert_eq!(Raw::connect(&server).await.last_error().await, 1001);
    let mut raw = Raw::connect(&server).await;
    raw.stream.write_all(&[0, 0, 0]).await.unwrap();
    assert_eq!(raw.last_error().await, 1001);
}

#[tokio::test]
async fn a_silent_peer_is_dropped_after_a_ping() {
    let server = server(ServerOptions { settings: quick(), ..tcp_options() }).await;
    let mut raw = Raw::open(&server).await;
    assert_eq!(raw.next().await.unwrap().kind, FrameType::Ping);
    assert_eq!(raw.next().await, None);
}

#[tokio::test]
async fn an_idle_peer_is_dropped_although_it_answers_pings() {
    let settings = Settings { pong_ms: 60_000, ..quick() };
    let server = server(ServerOptions { settings, ..tcp_options() }).await;
    let mut raw = Raw::open(&server).await;
    let goaway = loop {
        let frame = raw.next().await.unwrap();
        if frame.kind != FrameType::Ping {
            break frame;
        }
        raw.send(&Frame::new(FrameType::Pong, frame.payload)).await;
    };
    assert_eq!(Goaway::read(&goaway.payload).unwrap().reason, reason::IDLE);
    assert_eq!(raw.next().await, None);
}

#[tokio::test]
async fn a_frame_that_never_ends_is_dropped() {
    let settings = Settings { ping_ms: 60_000, idle_ms: 60_000, ..quick() };
    let server = server(ServerOptions { settings, ..tcp_options() }).await;
    let mut raw = Raw::open(&server).await;
    raw.stream.write_all(&[0, 0, 0, 9, 1, 0, 0]).await.unwrap();
    assert_eq!(raw.last_error().await, 1001);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_peer_that_does_not_read_is_dropped_and_others_are_served() {
    let limits = Limits { write_timeout: Duration::from_millis(300), max_connections: 2, ..Limits::default() };
    let (runner, behaviour) = runner();
    let options = ServerOptions { limits, max_in_flight: 4, ..tcp_options() };
    let server = serve(listener().await, Arc::new(runner), options).unwrap();
    let mut slow = Raw::open(&server).await;
    let (mut read, mut write) = slow.stream.split();
    let flood = async {
        loop {
            let mut bytes = BytesMut::new();
            Frame::new(FrameType::Message, invoke("large 900000")).write(&mut bytes);
            if write.write_all(&bytes).await.is_err() {
                return;
            }
        }
    };
    // The server stops reading, and then ends the connection: not a write of the client, but the end is visible to it.
    timeout(LONG, flood).await.unwrap();
    let done = behaviour.total();
    assert!(done < 200, "{done} answers are in memory");
    let mut rest = Vec::new();
    let _ = read.read_to_end(&mut rest).await;

    let peer = TcpPeer::new(&format!("amp://{}", server.address()), ClientOptions::default()).unwrap();
    let request = invoke("fast");
    assert_eq!(code(&peer.call(request.clone(), LONG).await.unwrap(), &request), 0);
}

#[tokio::test]
async fn a_new_connection_takes_the_place_of_an_idle_one() {
    let limits = Limits { max_connections: 2, ..Limits::default() };
    let (runner, behaviour) = runner();
    let options = ServerOptions { limits, ..tcp_options() };
    let server = serve(listener().await, Arc::new(runner), options).unwrap();
    let mut busy = Raw::open(&server).await;
    let waiting = invoke("wait");
    busy.send(&Frame::new(FrameType::Message, waiting.clone())).await;
    while behaviour.total() == 0 {
        tokio::task::yield_now().await;
    }
    let mut idle = Raw::open(&server).await;
    let mut new = Raw::open(&server).await;
    assert_eq!(idle.next().await, None);
    let request = invoke("fast");
    new.send(&Frame::new(FrameType::Message, request.clone())).await;
    assert_eq!(code(&new.next().await.unwrap().payload, &request), 0);
    behaviour.gate.send_replace(true);
    assert_eq!(code(&busy.next().await.unwrap().payload, &waiting), 0);
}

#[tokio::test]
async fn a_connection_without_a_valid_signature_ends_in_time() {
    let settings = Settings { proof_ms: 400, ..Settings::default() };
    let server = server(ServerOptions { settings, ..tcp_options() }).await;
    let mut proved = Raw::open(&server).await;
    let request = invoke("fast");
    proved.send(&Frame::new(FrameType::Message, request.clone())).await;
    assert_eq!(code(&proved.next().await.unwrap().payload, &request), 0);
    let mut silent = Raw::open(&server).await;
    let mut forger = Raw::open(&server).await;
    let forged = message(MessageType::CapInvoke, json!({})).sign(&key("denied"));
    forger.send(&Frame::new(FrameType::Message, forged.into())).await;
    assert_eq!(ErrorFrame::read(&forger.next().await.unwrap().payload).unwrap().code, 1002);
    // A frame that grows fast enough proves nothing.
    let mut sender = Raw::open(&server).await;
    let frame = (16_u32 << 20).to_be_bytes();
    sender.stream.write_all(&frame).await.unwrap();
    sender.stream.write_all(&[1]).await.unwrap();
    sender.stream.write_all(&vec![0; 1 << 20]).await.unwrap();
    for raw in [&mut silent, &mut forger, &mut sender] {
        assert_eq!(raw.last_error().await, 1001);
    }
    let request = invoke("fast");
    proved.send(&Frame::new(FrameType::Message, request.clone())).await;
    assert_eq!(code(&proved.next().await.unwrap().payload, &request), 0, "the peer that has proved who it is stays");
}

/// Starts of messages of 1 MiB: five bytes, and so many more.
async fn starts(server: &Server, count: usize, more: usize) -> Vec<Raw> {
    let mut starts = Vec::new();
    for _ in 0..count {
        let mut raw = Raw::open(server).await;
        let mut bytes = (1_u32 << 20).to_be_bytes().to_vec();
        bytes.push(1);
        bytes.resize(5 + more, 0);
        raw.stream.write_all(&bytes).await.unwrap();
        starts.push(raw);
    }
    starts
}

#[tokio::test]
async fn lengths_of_messages_reserve_nothing() {
    let options = tcp_options();
    let limits = Limits { max_memory: 4 << 20, ..options.limits.clone() };
    let server = server(ServerOptions { limits, settings: Settings::default(), ..options }).await;
    let _attack = starts(&server, 100, 0).await;
    let large = invoke_of(900 << 10);
    let mut raw = Raw::open(&server).await;
    raw.send(&Frame::new(FrameType::Message, large.clone())).await;
    assert_eq!(code(&raw.next().await.unwrap().payload, &large), 0);
}

#[tokio::test]
async fn peers_without_a_signature_leave_room_for_those_with_one() {
    let options = tcp_options();
    let limits = Limits { max_memory: 8 << 20, ..options.limits.clone() };
    let settings = Settings { proof_ms: 2000, ..Settings::default() };
    let server = server(ServerOptions { limits, settings, ..options }).await;
    let mut proved = Raw::open(&server).await;
    let small = invoke("fast");
    proved.send(&Frame::new(FrameType::Message, small.clone())).await;
    assert_eq!(code(&proved.next().await.unwrap().payload, &small), 0);
    // More than all of the memory, as far as it is received.
    let mut attack = starts(&server, 12, 1000 << 10).await;
    let large = invoke_of(900 << 10);
    proved.send(&Frame::new(FrameType::Message, large.clone())).await;
    assert_eq!(code(&proved.next().await.unwrap().payload, &large), 0);
    // Small messages of others wait for nothing, although they have the address of the attack.
    let mut other = Raw::open(&server).await;
    let small = invoke("fast");
    other.send(&Frame::new(FrameType::Message, small.clone())).await;
    assert_eq!(code(&other.next().await.unwrap().payload, &small), 0);
    for raw in &mut attack {
        assert_eq!(raw.last_error().await, 1001);
    }
}

#[tokio::test]
async fn a_client_that_half_closes_gets_its_answers() {
    let server = server(tcp_options()).await;
    let mut raw = Raw::open(&server).await;
    let request = invoke("sleep 50");
    raw.send(&Frame::new(FrameType::Message, request.clone())).await;
    raw.stream.shutdown().await.unwrap();
    assert_eq!(code(&raw.next().await.unwrap().payload, &request), 0);
    assert_eq!(raw.next().await, None);
}

#[tokio::test]
async fn after_goaway_new_messages_are_refused_with_their_id() {
    let (runner, behaviour) = runner();
    let server = serve(listener().await, Arc::new(runner), tcp_options()).unwrap();
    let mut raw = Raw::open(&server).await;
    let request = invoke("wait");
    raw.send(&Frame::new(FrameType::Message, request.clone())).await;
    while behaviour.total() == 0 {
        tokio::task::yield_now().await;
    }
    let shutdown = tokio::spawn(server.shutdown(LONG));
    let goaway = raw.next().await.unwrap();
    assert_eq!(Goaway::read(&goaway.payload).unwrap().reason, reason::SHUTDOWN);
    let late = message(MessageType::CapInvoke, json!({}));
    raw.send(&Frame::new(FrameType::Message, late.sign(&key("alice")).into())).await;
    let error = ErrorFrame::read(&raw.next().await.unwrap().payload).unwrap();
    assert_eq!((error.code, error.msg_id), (5002, Some(late.id)));
    behaviour.gate.send_replace(true);
    assert_eq!(code(&raw.next().await.unwrap().payload, &request), 0);
    assert_eq!(raw.next().await, None);
    shutdown.await.unwrap();
}

#[tokio::test]
async fn a_client_connects_again_after_goaway() {
    let settings = Settings { idle_ms: 50, pong_ms: 60_000, ..quick() };
    let server = server(ServerOptions { settings, ..tcp_options() }).await;
    let peer = TcpPeer::new(&format!("amp://{}", server.address()), ClientOptions::default()).unwrap();
    for _ in 0..3 {
        let request = invoke("fast");
        let answer = loop {
            match peer.call(request.clone(), LONG).await {
                Ok(answer) => break answer,
                // The request and GOAWAY crossed.
                Err(PeerError::Refused { code: 5002, .. } | PeerError::Disconnected(_)) => {}
                Err(other) => panic!("{other}"),
            }
        };
        assert_eq!(code(&answer, &request), 0);
        tokio::time::sleep(Duration::from_millis(150)).await;
    }
}

#[tokio::test]
async fn a_client_reports_servers_that_are_not_amp() {
    let listener = listener().await;
    let address = listener.local_addr().unwrap();
    let peer = TcpPeer::new(&format!("amp://{address}"), ClientOptions::default()).unwrap();
    let refusal = Welcome {
        version: 1,
        accepted: false,
        max_msg_size: 1 << 20,
        error: Some("full".to_owned()),
        extensions: Vec::new(),
    };
    let mut refused = BytesMut::new();
    refusal.to_frame().write(&mut refused);
    for answer in [b"HTTP/1.1 400 Bad Request\r\n\r\n".as_slice(), &[], &refused] {
        let accept = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.write_all(answer).await.unwrap();
            stream.shutdown().await.unwrap();
            let _ = stream.read_to_end(&mut Vec::new()).await;
        };
        let (error, ()) = tokio::join!(peer.call(invoke("fast"), LONG), accept);
        assert!(matches!(error, Err(PeerError::Unreachable(_))), "{error:?}");
    }
    drop(listener);
    let error = peer.call(invoke("fast"), LONG).await.unwrap_err();
    assert!(matches!(error, PeerError::Unreachable(_)), "{error}");
}

#[tokio::test]
async fn a_call_ends_in_time_although_the_server_is_silent() {
    let listener = listener().await;
    let peer = TcpPeer::new(&format!("amp://{}", listener.local_addr().unwrap()), ClientOptions::default()).unwrap();
    let error = peer.call(invoke("fast"), Duration::from_millis(50)).await.unwrap_err();
    assert_eq!(error, PeerError::Timeout);
}

/// The token is the name of the agent.
struct Tokens;

impl Authenticate for Tokens {
    fn authenticate(&self, credentials: Credentials) -> BoxFuture<'_, Result<Option<Did>, String>> {
        Box::pin(async move {
            match credentials.token.as_deref() {
                None => Ok(None),
                Some(b"alice") => Ok(Some(did("alice"))),
                Some(b"denied") => Ok(Some(did("denied"))),
                Some(_) => Err("the token is unknown".to_owned()),
            }
        })
    }
}

#[tokio::test]
async fn the_principal_of_a_connection_must_be_the_sender() {
    let server = server(ServerOptions { authenticate: Some(Arc::new(Tokens)), ..tcp_options() }).await;
    let url = format!("amp://{}", server.address());
    let peer = |token: Option<&str>| {
        let token = token.map(|token| token.as_bytes().to_vec());
        // The DID is only a claim.
        let credentials = Credentials { did: Some(did("alice")), token };
        TcpPeer::new(&url, ClientOptions { credentials, ..ClientOptions::default() }).unwrap()
    };
    for (token, expected) in
        [(None, Ok(0)), (Some("alice"), Ok(0)), (Some("denied"), Ok(3001)), (Some("wrong"), Err(()))]
    {
        let request = invoke("fast");
        let called = match peer(token).call(request.clone(), LONG).await {
            Ok(answer) => Ok(code(&answer, &request)),
            Err(PeerError::Refused { code, .. }) => Ok(code),
            Err(PeerError::Unreachable(reason)) => {
                assert!(reason.contains("unknown"), "{reason}");
                Err(())
            }
            Err(other) => panic!("{other}"),
        };
        assert_eq!(called, expected, "{token:?}");
    }
}

#[tokio::test]
async fn a_slow_network_splits_frames_anywhere() {
    let server = server(tcp_options()).await;
    let mut raw = Raw::connect(&server).await;
    let mut bytes = BytesMut::new();
    hello(1).write(&mut bytes);
    let request = invoke("fast");
    Frame::new(FrameType::Ping, Bytes::from_static(b"p")).write(&mut bytes);
    Frame::new(FrameType::Message, request.clone()).write(&mut bytes);
    raw.stream.set_nodelay(true).unwrap();
    for byte in &bytes {
        raw.stream.write_all(std::slice::from_ref(byte)).await.unwrap();
        tokio::task::yield_now().await;
    }
    let kinds = [raw.next().await.unwrap().kind, raw.next().await.unwrap().kind];
    assert_eq!(kinds, [FrameType::Handshake, FrameType::Pong]);
    assert_eq!(code(&raw.next().await.unwrap().payload, &request), 0);
}

#[tokio::test]
async fn many_requests_of_one_client_are_limited() {
    let (runner, behaviour) = runner();
    let server = serve(listener().await, Arc::new(runner), tcp_options()).unwrap();
    let proxy = Proxy::start(&server).await;
    let options = ClientOptions { max_in_flight: 2, ..ClientOptions::default() };
    let peer = TcpPeer::new(&format!("amp://127.0.0.1:{}", proxy.port), options).unwrap();
    let (one, two) =
        (peer.request(invoke("wait"), LONG).await.unwrap(), peer.request(invoke("wait"), LONG).await.unwrap());
    assert_eq!(peer.call(invoke("fast"), LONG).await, Err(PeerError::Overloaded));
    drop((one, two));
    behaviour.gate.send_replace(true);
    let request = invoke("fast");
    assert_eq!(code(&peer.call(request.clone(), LONG).await.unwrap(), &request), 0);
}

#[tokio::test]
async fn messages_that_are_handled_keep_their_memory_and_small_ones_do_not_wait_for_them() {
    let options = tcp_options();
    let limits = Limits { max_memory: 1 << 20, ..options.limits.clone() };
    let (runner, behaviour) = runner();
    let server =
        serve(listener().await, Arc::new(runner), ServerOptions { limits, settings: Settings::default(), ..options });
    let server = server.unwrap();
    // The handler of the large message waits: the message begins with a word, and its rest is ignored.
    let first = invoke_of_waiting(900 << 10);
    let mut one = Raw::open(&server).await;
    one.send(&Frame::new(FrameType::Message, first.clone())).await;
    while behaviour.total() == 0 {
        tokio::task::yield_now().await;
    }
    let second = invoke_of(900 << 10);
    let mut two = Raw::open(&server).await;
    let small = invoke("echo");
    two.send(&Frame::new(FrameType::Message, small.clone())).await;
    assert_eq!(code(&two.next().await.unwrap().payload, &small), 0, "a small message has its answer");
    two.send(&Frame::new(FrameType::Message, second.clone())).await;
    assert!(timeout(Duration::from_millis(300), two.next()).await.is_err(), "there is no room for a second one");
    behaviour.gate.send_replace(true);
    assert_eq!(code(&one.next().await.unwrap().payload, &first), 0);
    assert_eq!(code(&two.next().await.unwrap().payload, &second), 0, "the first one has ended");
}

#[tokio::test]
async fn a_result_that_the_client_does_not_accept_is_replaced_by_an_error_result() {
    let server = server(tcp_options()).await;
    let mut raw = Raw::open(&server).await;
    let large = invoke("large 1048576");
    for _ in 0..2 {
        raw.send(&Frame::new(FrameType::Message, large.clone())).await;
        let frame = raw.next().await.unwrap();
        assert_eq!(frame.kind, FrameType::Message);
        assert_eq!(code(&frame.payload, &large), 5001);
    }
}

#[tokio::test]
async fn clients_that_do_not_read_their_errors_do_not_stop_others() {
    let server = server(tcp_options()).await;
    let mut silent = Vec::new();
    for _ in 0..12 {
        let mut raw = Raw::open(&server).await;
        for _ in 0..100 {
            raw.send(&Frame::new(FrameType::Message, Bytes::from_static(&[0xff]))).await;
        }
        silent.push(raw);
    }
    let mut raw = Raw::open(&server).await;
    let message = invoke("fast");
    raw.send(&Frame::new(FrameType::Message, message.clone())).await;
    let frame = timeout(Duration::from_secs(15), raw.next()).await.unwrap().unwrap();
    assert_eq!(code(&frame.payload, &message), 0);
}
