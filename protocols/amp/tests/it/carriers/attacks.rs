//! Peers that use up the memory or the connections of a server, while others call it: rows for a table of attacks.

use std::sync::Arc;
use std::time::Duration;

use capgen_amp::carrier::{Peer, http, tcp};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};

use crate::carriers::agents::{code, invoke, invoke_of, runner};
use crate::carriers::harness::{Kind, LONG, listener, peer};

/// The memory of this process in MiB, on Linux.
fn memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<usize>().ok()).unwrap_or(0) / 1024
}

/// The time until another peer has its answer.
async fn wait(peer: &Arc<dyn Peer>, request: bytes::Bytes) -> Duration {
    let begin = Instant::now();
    let answer = peer.call(request.clone(), Duration::from_secs(400)).await.unwrap();
    assert_eq!(code(&answer, &request), 0);
    begin.elapsed()
}

/// The bytes of an attack on one connection: a handshake or a head, and the start of a message of 16 MiB.
fn start(kind: Kind, body: usize) -> Vec<u8> {
    let mut bytes = if kind == Kind::Tcp {
        let hello = capgen_amp::carrier::control::Handshake {
            version: 1,
            max_msg_size: 16 << 20,
            did: None,
            token: None,
            extensions: Vec::new(),
        };
        let mut bytes = bytes::BytesMut::new();
        hello.to_frame().write(&mut bytes);
        bytes.extend_from_slice(&(16_u32 << 20).to_be_bytes());
        bytes.extend_from_slice(&[1]);
        bytes.to_vec()
    } else {
        b"POST /amp/v1/messages HTTP/1.1\r\nHost: a\r\nContent-Type: application/cbor\r\nContent-Length: 16777215\r\n\r\n"
            .to_vec()
    };
    bytes.resize(bytes.len() + body, 0);
    bytes
}

/// A row: the attack, the bytes that it sends, the memory, the times of a small and a large message of others, and the
/// answers lost.
async fn row(kind: Kind, name: &str, connections: usize, bytes: &[u8]) -> String {
    let (runner, _) = runner();
    let service = Arc::new(runner);
    let server = match kind {
        Kind::Tcp => tcp::serve(listener().await, service, tcp::ServerOptions::default()).unwrap(),
        _ => http::serve(listener().await, service, http::ServerOptions::default()).unwrap(),
    };
    let before = memory();
    let mut attack = Vec::new();
    for _ in 0..connections {
        let mut stream = TcpStream::connect(server.address()).await.unwrap();
        let bytes = bytes.to_vec();
        attack.push(tokio::spawn(async move {
            // The server may close it first.
            let _ = stream.write_all(&bytes).await;
            sleep(LONG).await;
        }));
    }
    sleep(Duration::from_secs(2)).await;
    let held = memory().saturating_sub(before);
    let other = peer(kind, server.address().port());
    let (small, large) = (wait(&other, invoke("fast")).await, wait(&other, invoke_of(900 << 10)).await);
    for stream in attack {
        stream.abort();
    }
    format!("| {name}, {kind:?} | {} | {held} MiB | {small:?}, {large:?} | 0 |", connections * bytes.len())
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement, which takes a minute; run it with --ignored --nocapture, one test at a time"]
async fn table_of_attacks() {
    for kind in [Kind::Tcp, Kind::Http] {
        let (lengths, ends) = (start(kind, 5), start(kind, (16 << 20) - 1000));
        println!("{}", row(kind, "16 lengths of 16 MiB", 16, &lengths).await);
        println!("{}", row(kind, "16 messages of 16 MiB without their ends", 16, &ends).await);
        println!("{}", row(kind, "1024 idle connections", 1024, b"").await);
    }
}
