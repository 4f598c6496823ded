//! Which connections have a place.

use std::net::SocketAddr;
use std::time::Duration;

use capgen_net::{Admission, Server, listen};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::timeout;

/// Longer than any test takes, unless it hangs.
const LONG: Duration = Duration::from_secs(30);

/// Long enough for an answer that is not expected.
const SHORT: Duration = Duration::from_millis(200);

/// A server that answers each byte with the same byte. `w` is work that does not end, `r` the start of a message that
/// does not end, and `p` proves the peer.
async fn server(admission: Admission) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let serve = |mut stream: TcpStream, seat: capgen_net::Seat, _| async move {
        let mut work = Vec::new();
        while let Ok(byte) = stream.read_u8().await {
            match byte {
                b'w' => work.push(seat.work()),
                b'e' => work.clear(),
                b'r' => seat.set_receiving(true),
                b'p' => seat.prove("a peer"),
                _ => {}
            }
            if stream.write_u8(byte).await.is_err() {
                return;
            }
        }
    };
    listen(listener, admission, serve).unwrap()
}

async fn connect_from(host: &str, server: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::new(host.parse().unwrap(), 0)).unwrap();
    socket.connect(server).await.unwrap()
}

/// Connects, and sends a byte, which is answered.
async fn open(host: &str, server: &Server, byte: u8) -> TcpStream {
    let mut stream = connect_from(host, server.address()).await;
    assert!(echoes(&mut stream, byte).await, "{host} has no place");
    stream
}

/// Whether the connection has a place.
async fn echoes(stream: &mut TcpStream, byte: u8) -> bool {
    if stream.write_u8(byte).await.is_err() {
        return false;
    }
    timeout(LONG, stream.read_u8()).await.unwrap().is_ok_and(|answer| answer == byte)
}

#[tokio::test]
async fn idle_connections_of_one_host_do_not_lock_out_anyone() {
    let server = server(Admission::new(20)).await;
    let mut other = open("127.0.0.3", &server, b'a').await;
    let mut attack = Vec::new();
    for _ in 0..100 {
        attack.push(open("127.0.0.2", &server, b'a').await);
    }
    assert!(echoes(&mut other, b'a').await, "the idle connection of another host keeps its place");
    let mut same = open("127.0.0.2", &server, b'a').await;
    assert!(echoes(&mut same, b'a').await, "a new connection of the same host has the place of an older one");
    let mut left = 0;
    for stream in &mut attack {
        left += usize::from(echoes(stream, b'a').await);
    }
    assert_eq!(left, 18, "the connections that have been idle for the longest time have ended");
    assert!(!echoes(attack.first_mut().unwrap(), b'a').await && echoes(attack.last_mut().unwrap(), b'a').await);
}

#[tokio::test]
async fn idle_connections_of_many_hosts_do_not_lock_out_anyone() {
    let server = server(Admission::new(20)).await;
    let mut attack = Vec::new();
    for host in 2..62 {
        attack.push(open(&format!("127.0.1.{host}"), &server, b'a').await);
    }
    open("127.0.0.3", &server, b'a').await;
}

#[tokio::test]
async fn a_connection_with_work_keeps_its_place_and_a_new_one_waits_for_the_end_of_work() {
    let server = server(Admission::new(2)).await;
    let mut first = open("127.0.0.2", &server, b'w').await;
    let mut second = open("127.0.0.2", &server, b'w').await;
    let mut third = connect_from("127.0.0.3", server.address()).await;
    third.write_u8(b'a').await.unwrap();
    assert!(timeout(SHORT, third.read_u8()).await.is_err());
    assert!(echoes(&mut second, b'e').await, "its work has ended");
    assert_eq!(timeout(LONG, third.read_u8()).await.unwrap().unwrap(), b'a');
    assert!(echoes(&mut first, b'a').await && !echoes(&mut second, b'a').await);
}

#[tokio::test]
async fn a_peer_that_sends_a_message_without_a_proof_gives_its_place_after_idle_ones() {
    let server = server(Admission::new(3)).await;
    let mut proved = open("127.0.0.2", &server, b'p').await;
    assert!(echoes(&mut proved, b'r').await);
    let mut receiving = open("127.0.0.2", &server, b'r').await;
    let mut idle = open("127.0.0.2", &server, b'a').await;
    let mut first = open("127.0.0.3", &server, b'w').await;
    assert!(!echoes(&mut idle, b'a').await && echoes(&mut receiving, b'a').await);
    let mut second = open("127.0.0.3", &server, b'w').await;
    assert!(!echoes(&mut receiving, b'a').await);
    for stream in [&mut proved, &mut first, &mut second] {
        assert!(echoes(stream, b'a').await);
    }
}

#[tokio::test]
async fn a_share_for_each_host_is_an_option_that_spares_proxies() {
    let proxies = vec!["127.0.0.9".parse().unwrap()];
    let server = server(Admission { max_per_host: Some(2), proxies, ..Admission::new(100) }).await;
    let mut first = open("127.0.0.2", &server, b'a').await;
    let _second = open("127.0.0.2", &server, b'a').await;
    let mut refused = connect_from("127.0.0.2", server.address()).await;
    assert!(!echoes(&mut refused, b'a').await);
    assert!(echoes(&mut first, b'a').await);
    for _ in 0..10 {
        let _ = open("127.0.0.9", &server, b'a').await;
    }
    open("127.0.0.3", &server, b'a').await;
}
