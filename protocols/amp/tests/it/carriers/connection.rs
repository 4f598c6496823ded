use bytes::{Bytes, BytesMut};
use capgen_amp::carrier::connection::{CloseReason, Connection, ConnectionEvent, Credentials, SendError, Settings};
use capgen_amp::carrier::control::{ErrorFrame, Goaway, Handshake, Welcome, reason};
use capgen_amp::carrier::frame::{Frame, FrameError, FrameType};
use proptest::prelude::*;

const MIB: u64 = 1 << 20;

fn settings() -> Settings {
    let settings = Settings { max_msg_size: 2 << 20, handshake_ms: 10, frame_ms: 20, ..Settings::default() };
    Settings { proof_ms: 5000, ping_ms: 100, pong_ms: 50, idle_ms: 1000, ..settings }
}

fn hello(version: u64, max_msg_size: u64) -> Frame {
    Handshake { version, max_msg_size, did: None, token: None, extensions: Vec::new() }.to_frame()
}

fn bytes(frame: &Frame) -> BytesMut {
    let mut bytes = BytesMut::new();
    frame.write(&mut bytes);
    bytes
}

fn message(text: &'static str) -> Frame {
    Frame::new(FrameType::Message, Bytes::from_static(text.as_bytes()))
}

/// An open connection of a server.
fn server() -> Connection {
    let mut server = Connection::server(settings(), 0);
    assert!(matches!(server.receive(&mut bytes(&hello(1, MIB)), 1), Some(ConnectionEvent::Authenticate(_))));
    server.accept(1).unwrap();
    server
}

/// An open connection of a client.
fn client() -> Connection {
    let (mut client, _) = Connection::client(settings(), Credentials::default(), 0);
    let welcome = Welcome { version: 1, accepted: true, max_msg_size: MIB, error: None, extensions: Vec::new() };
    assert_eq!(client.receive(&mut bytes(&welcome.to_frame()), 1), Some(ConnectionEvent::Open));
    client
}

fn closed(event: Option<ConnectionEvent>) -> (Option<Frame>, CloseReason) {
    match event {
        Some(ConnectionEvent::Close { last, reason }) => (last, reason),
        other => panic!("{other:?}"),
    }
}

fn code(frame: Option<Frame>) -> u64 {
    let frame = frame.unwrap();
    assert_eq!(frame.kind, FrameType::Error);
    ErrorFrame::read(&frame.payload).unwrap().code
}

#[test]
fn the_handshakes_agree_on_the_smaller_maximum() {
    let credentials = Credentials { did: Some("did:key:z6Mk".parse().unwrap()), token: Some(vec![1, 2]) };
    let big = Settings { max_msg_size: 8 << 20, ..settings() };
    let (mut client, hello) = Connection::client(big, credentials.clone(), 0);
    let mut server = Connection::server(settings(), 0);
    assert_eq!(server.receive(&mut bytes(&hello), 0), Some(ConnectionEvent::Authenticate(credentials)));
    let welcome = server.accept(0).unwrap();
    assert_eq!(client.send(Bytes::new(), 0), Err(SendError::NotOpen));
    assert_eq!(client.receive(&mut bytes(&welcome), 0), Some(ConnectionEvent::Open));
    assert_eq!((client.max_msg_size(), server.max_msg_size()), (2 << 20, 2 << 20));
    let at_most = Bytes::from(vec![0; 2 << 20]);
    assert_eq!(client.send(at_most.clone(), 0), Ok(Frame::new(FrameType::Message, at_most)));
    let too_large = Bytes::from(vec![0; (2 << 20) + 1]);
    assert_eq!(client.send(too_large, 0), Err(SendError::TooLarge { size: (2 << 20) + 1, max: 2 << 20 }));
}

#[test]
fn a_peer_must_accept_one_mebibyte() {
    for (size, is_accepted) in [(0, false), (MIB - 1, false), (MIB, true), (u64::MAX, true)] {
        let mut server = Connection::server(Settings { max_msg_size: 0, ..settings() }, 0);
        let event = server.receive(&mut bytes(&hello(1, size)), 0);
        if is_accepted {
            assert!(matches!(event, Some(ConnectionEvent::Authenticate(_))));
            assert_eq!(u64::from(server.max_msg_size()), MIB);
        } else {
            let welcome = Welcome::read(&closed(event).0.unwrap().payload).unwrap();
            assert!(!welcome.accepted && welcome.error.unwrap().contains("max_msg_size"));
        }
    }
}

#[test]
fn a_wrong_version_is_refused_by_both_sides() {
    for version in [0, 2, u64::MAX] {
        let mut server = Connection::server(settings(), 0);
        let (last, reason) = closed(server.receive(&mut bytes(&hello(version, MIB)), 0));
        let welcome = Welcome::read(&last.unwrap().payload).unwrap();
        assert!(!welcome.accepted && welcome.version == 1 && welcome.error.unwrap().contains("version"));
        assert!(matches!(reason, CloseReason::Refused(_)));
        assert_eq!(server.receive(&mut bytes(&hello(1, MIB)), 0), None);

        let (mut client, _) = Connection::client(settings(), Credentials::default(), 0);
        let welcome = Welcome { version, accepted: true, max_msg_size: MIB, error: None, extensions: Vec::new() };
        assert_eq!(code(closed(client.receive(&mut bytes(&welcome.to_frame()), 0)).0), 1001);
    }
}

#[test]
fn a_refused_client_learns_the_reason() {
    let mut server = Connection::server(settings(), 0);
    server.receive(&mut bytes(&hello(1, MIB)), 0);
    let (last, _) = closed(Some(server.refuse("the token is invalid")));
    let (mut client, _) = Connection::client(settings(), Credentials::default(), 0);
    let (_, reason) = closed(client.receive(&mut bytes(&last.unwrap()), 0));
    assert_eq!(reason, CloseReason::Refused("the token is invalid".to_owned()));
}

#[test]
fn the_handshake_comes_first_and_once() {
    for frame in [
        message("early"),
        Frame::new(FrameType::Ping, Bytes::new()),
        Goaway { reason: 0, message: None, last_id: None }.to_frame(),
    ] {
        let (last, reason) = closed(Connection::server(settings(), 0).receive(&mut bytes(&frame), 0));
        assert_eq!((code(last), reason), (1001, CloseReason::Unexpected(frame.kind)));
    }
    let (last, reason) = closed(server().receive(&mut bytes(&hello(1, MIB)), 1));
    assert_eq!((code(last), reason), (1001, CloseReason::Unexpected(FrameType::Handshake)));
}

#[test]
fn an_invalid_handshake_is_refused_with_every_error() {
    let frame = Frame::new(FrameType::Handshake, Bytes::from_static(&[0xa0]));
    let (last, _) = closed(Connection::server(settings(), 0).receive(&mut bytes(&frame), 0));
    let error = Welcome::read(&last.unwrap().payload).unwrap().error.unwrap();
    assert!(error.contains("/version") && error.contains("/max_msg_size"), "{error}");
}

#[test]
fn a_handshake_has_a_limit_of_its_own() {
    let mut start = BytesMut::from(&[0, 1, 0, 2, 2][..]);
    let (_, reason) = closed(Connection::server(settings(), 0).receive(&mut start, 0));
    assert_eq!(reason, CloseReason::Frame(FrameError::TooLarge { size: 65537, max: 65536 }));
}

#[test]
fn a_message_above_the_agreed_maximum_is_1001() {
    let mut server = server();
    let (last, reason) = closed(server.receive(&mut BytesMut::from(&[0, 0x10, 0, 2, 1][..]), 1));
    assert_eq!(
        (code(last), reason),
        (1001, CloseReason::Frame(FrameError::TooLarge { size: 1_048_577, max: 1_048_576 }))
    );
}

#[test]
fn nothing_is_read_while_a_client_is_authenticated() {
    let mut server = Connection::server(settings(), 0);
    let mut received = bytes(&hello(1, MIB));
    message("one").write(&mut received);
    server.receive(&mut received, 0);
    assert_eq!(server.receive(&mut received, 0), None);
    assert!(server.accept(0).is_some() && server.accept(0).is_none());
    assert_eq!(server.receive(&mut received, 0), Some(ConnectionEvent::Message(Bytes::from_static(b"one"))));
}

#[test]
fn a_ping_is_echoed_and_a_pong_ignored() {
    let mut server = server();
    let mut received = bytes(&Frame::new(FrameType::Pong, Bytes::from_static(b"x")));
    Frame::new(FrameType::Ping, Bytes::from_static(b"abc")).write(&mut received);
    let pong = Frame::new(FrameType::Pong, Bytes::from_static(b"abc"));
    assert_eq!(server.receive(&mut received, 2), Some(ConnectionEvent::Write(pong)));
}

#[test]
fn many_pongs_do_not_use_the_stack() {
    let mut received = BytesMut::new();
    for _ in 0..500_000 {
        Frame::new(FrameType::Pong, Bytes::new()).write(&mut received);
    }
    assert_eq!(server().receive(&mut received, 2), None);
}

#[test]
fn a_silent_peer_gets_a_ping_and_is_dropped() {
    for mut side in [server(), client()] {
        assert_eq!(side.deadline(), Some(101));
        assert_eq!(side.tick(100), None);
        assert_eq!(side.tick(101), Some(ConnectionEvent::Write(Frame::new(FrameType::Ping, Bytes::new()))));
        assert_eq!((side.tick(101), side.deadline()), (None, Some(151)));
        let mut dropped = side.clone();
        assert_eq!(closed(dropped.tick(151)), (None, CloseReason::NoPong));
        assert_eq!((dropped.deadline(), dropped.tick(9999)), (None, None));
        // Any frame shows that the peer lives.
        assert_eq!(side.receive(&mut bytes(&Frame::new(FrameType::Pong, Bytes::new())), 150), None);
        assert_eq!(side.deadline(), Some(250));
    }
}

#[test]
fn a_peer_that_answers_pings_alone_is_idle() {
    let mut server = server();
    let (now, (last, reason)) = loop {
        let now = server.deadline().unwrap();
        match server.tick(now) {
            Some(ConnectionEvent::Write(_)) => {
                server.receive(&mut bytes(&Frame::new(FrameType::Pong, Bytes::new())), now);
            }
            other => break (now, closed(other)),
        }
    };
    assert_eq!((now, reason), (1001, CloseReason::Idle));
    assert_eq!(Goaway::read(&last.unwrap().payload).unwrap().reason, reason::IDLE);
}

#[test]
fn a_connection_with_work_is_not_idle() {
    let mut server = server();
    server.receive(&mut bytes(&message("work")), 5);
    server.set_busy(true, 5);
    server.set_paused(true, 5);
    assert_eq!((server.deadline(), server.tick(1_000_000)), (None, None));
    server.set_paused(false, 2000);
    assert_eq!(server.deadline(), Some(2100));
    server.set_busy(false, 2000);
    server.set_paused(true, 2000);
    assert_eq!(server.deadline(), Some(3000));
}

#[test]
fn a_late_handshake_ends_the_connection() {
    let mut server = Connection::server(settings(), 0);
    let mut received = bytes(&hello(1, MIB)).split_to(7);
    assert_eq!(server.receive(&mut received, 9), None);
    assert_eq!(server.deadline(), Some(10));
    let (last, reason) = closed(server.tick(10));
    assert_eq!((code(last), reason), (1001, CloseReason::HandshakeTimeout));
    let (mut client, _) = Connection::client(settings(), Credentials::default(), 0);
    assert_eq!(closed(client.tick(10)), (None, CloseReason::HandshakeTimeout));
}

#[test]
fn a_frame_must_grow_or_be_complete_in_each_window() {
    let mut server = server();
    let mut received = BytesMut::from(&640_001_u32.to_be_bytes()[..]);
    assert_eq!(server.receive(&mut received, 5), None);
    assert_eq!((server.deadline(), server.is_receiving()), (Some(25), true));
    // A byte now and then does not extend the time, and 20 bytes in 20 ms do.
    received.extend_from_slice(&[1, 0]);
    assert_eq!(server.receive(&mut received, 15), None);
    assert_eq!(server.deadline(), Some(25));
    received.extend_from_slice(&[0; 20]);
    assert_eq!(server.receive(&mut received, 20), None);
    assert_eq!(server.deadline(), Some(40));
    // A large part at once does not make up for nothing afterwards.
    received.extend_from_slice(&[0; 600_000]);
    assert_eq!(server.receive(&mut received, 21), None);
    server.set_busy(true, 21);
    // The time in which this side does not read does not count.
    server.set_paused(true, 22);
    server.set_paused(false, 1000);
    assert_eq!(server.deadline(), Some(1020));
    let (last, reason) = closed(server.tick(1020));
    assert_eq!((code(last), reason), (1001, CloseReason::SlowFrame));
}

#[test]
fn a_client_without_a_valid_signature_has_a_time_for_it() {
    let pong = || Some(ConnectionEvent::Write(Frame::new(FrameType::Ping, Bytes::new())));
    let mut server = Connection::server(Settings { proof_ms: 90, ..settings() }, 0);
    server.receive(&mut bytes(&hello(1, MIB)), 1);
    server.accept(1).unwrap();
    let mut proved = server.clone();
    proved.set_proved();
    assert_eq!((proved.deadline(), proved.tick(101)), (Some(101), pong()));
    // The message that is being handled may be the proof.
    server.receive(&mut bytes(&message("garbage")), 80);
    server.set_busy(true, 80);
    assert_eq!(server.tick(100), None);
    server.set_busy(false, 100);
    assert_eq!(server.deadline(), Some(90));
    let (last, reason) = closed(server.tick(100));
    assert_eq!((code(last), reason), (1001, CloseReason::Unproved));
}

#[test]
fn after_goaway_a_server_refuses_work_and_a_client_reads_answers() {
    let goaway = Goaway { reason: 3, message: None, last_id: None };
    let mut server = server();
    assert!(server.is_usable() && server.goaway(reason::SHUTDOWN, "bye").is_some() && !server.is_usable());
    assert_eq!(server.goaway(reason::SHUTDOWN, "bye"), None);
    assert_eq!(
        server.receive(&mut bytes(&message("late")), 2),
        Some(ConnectionEvent::Refuse(Bytes::from_static(b"late")))
    );
    assert!(server.send(Bytes::from_static(b"answer"), 2).is_ok());

    let mut client = client();
    assert_eq!(client.receive(&mut bytes(&goaway.to_frame()), 2), Some(ConnectionEvent::Goaway(goaway)));
    assert!(!client.is_usable() && client.is_open());
    assert_eq!(
        client.receive(&mut bytes(&message("answer")), 2),
        Some(ConnectionEvent::Message(Bytes::from_static(b"answer")))
    );
}

#[test]
fn an_invalid_error_is_not_answered_with_an_error() {
    let frame = Frame::new(FrameType::Error, Bytes::from_static(&[0xff]));
    assert_eq!(closed(server().receive(&mut bytes(&frame), 2)).0, None);
}

proptest! {
    #[test]
    fn any_bytes_at_any_time_end_in_order(
        start in any::<bool>(),
        steps in prop::collection::vec((prop::collection::vec(any::<u8>(), 0..64), any::<bool>(), 0_u64..200), 0..40),
    ) {
        let mut side = if start { server() } else { Connection::server(settings(), 0) };
        let (mut received, mut now, mut is_closed) = (BytesMut::new(), 1, false);
        for (random, is_frame, pause) in steps {
            now += pause;
            if is_frame {
                let kind = FrameType::from_number(random.first().map_or(1, |byte| byte % 6 + 1)).unwrap();
                Frame::new(kind, random.into()).write(&mut received);
            } else {
                received.extend_from_slice(&random);
            }
            while let Some(event) = side.receive(&mut received, now).or_else(|| side.tick(now)) {
                prop_assert!(!is_closed, "{event:?} after the end");
                is_closed = matches!(event, ConnectionEvent::Close { .. });
            }
            prop_assert!(side.deadline().is_none_or(|deadline| deadline > now));
            prop_assert_eq!(side.deadline().is_none(), is_closed);
        }
    }
}
