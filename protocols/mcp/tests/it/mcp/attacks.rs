//! Clients that use up the memory, the handlers or the connections of a server, while others call it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use capgen_mcp::{HttpOptions, HttpService, ServerLimits};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{Instant, timeout};

use crate::mcp::fixture::{LONG, server, server_with};

/// Long enough for an answer that is not expected.
const SHORT: Duration = Duration::from_millis(500);

async fn connect_from(host: &str, service: &HttpService) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::new(host.parse().unwrap(), 0)).unwrap();
    socket.connect(service.address()).await.unwrap()
}

/// Sends a call of a tool from a host.
async fn call(host: &str, service: &HttpService, tool: &str, arguments: &str) -> TcpStream {
    let mut stream = connect_from(host, service).await;
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
    );
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json";
    let text = format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    stream.write_all(text.as_bytes()).await.unwrap();
    stream
}

async fn answer(stream: &mut TcpStream) -> Value {
    let mut text = String::new();
    let _ = timeout(LONG, stream.read_to_string(&mut text)).await.expect("no answer");
    text.split_once("\r\n\r\n").map_or(Value::Null, |(_, body)| serde_json::from_str(body).unwrap())
}

/// Whether a tool is called from a host.
async fn is_served(host: &str, service: &HttpService) -> bool {
    answer(&mut call(host, service, "echo", "{}").await).await["result"]["content"].is_array()
}

/// Arguments of small numbers: so many bytes of text.
fn numbers(size: usize) -> String {
    format!(r#"{{"a":[{}1]}}"#, "1,".repeat(size / 2))
}

/// A server with room for one message of 64 kB of small numbers.
async fn small_server() -> HttpService {
    let mut options = HttpOptions::default();
    options.max_memory = 4 << 20;
    server().listen(0, options).await.unwrap()
}

#[tokio::test]
async fn memory_counts_values_and_not_texts() {
    let service = small_server().await;
    let first = call("127.0.0.2", &service, "wait", &numbers(70_000)).await;
    tokio::time::sleep(SHORT).await;
    // The address has no room for the values of a second one, although both texts are a thirtieth of the memory.
    let mut second = call("127.0.0.2", &service, "echo", &numbers(70_000)).await;
    assert!(timeout(SHORT, second.read_u8()).await.is_err());
    for host in ["127.0.0.2", "127.0.0.3"] {
        assert!(is_served(host, &service).await, "small messages wait for nothing");
    }
    let mut text = call("127.0.0.3", &service, "echo", &format!(r#"{{"a":"{}"}}"#, "1,".repeat(100_000))).await;
    assert!(answer(&mut text).await["result"].is_object(), "a text has one value");
    drop(first);
    assert!(answer(&mut second).await["result"].is_object(), "the first one has ended");
}

#[tokio::test]
async fn slow_calls_of_one_address_do_not_stop_those_of_others() {
    let mut limits = ServerLimits::default();
    limits.max_concurrent = 4;
    let service = server_with(limits).listen(0, HttpOptions::default()).await.unwrap();
    let mut attack = Vec::new();
    for _ in 0..40 {
        attack.push(call("127.0.0.2", &service, "wait", "{}").await);
    }
    tokio::time::sleep(SHORT).await;
    assert!(is_served("127.0.0.3", &service).await);
    drop(attack);
    assert!(is_served("127.0.0.2", &service).await);
}

#[tokio::test]
async fn idle_connections_do_not_lock_out_anyone() {
    let mut options = HttpOptions::default();
    options.max_connections = 50;
    let service = server().listen(0, options).await.unwrap();
    let mut attack = Vec::new();
    for _ in 0..100 {
        attack.push(connect_from("127.0.0.2", &service).await);
    }
    for host in ["127.0.0.2", "127.0.0.3"] {
        assert!(is_served(host, &service).await);
    }
}

#[tokio::test]
async fn an_address_has_a_share_of_connections_if_the_server_sets_one() {
    let mut options = HttpOptions::default();
    options.max_per_address = Some(2);
    options.proxies = vec!["127.0.0.9".parse().unwrap()];
    let service = server().listen(0, options).await.unwrap();
    let mut held = Vec::new();
    for host in ["127.0.0.2", "127.0.0.9"] {
        held.push(call(host, &service, "wait", "{}").await);
        held.push(call(host, &service, "wait", "{}").await);
    }
    tokio::time::sleep(SHORT).await;
    let mut refused = connect_from("127.0.0.2", &service).await;
    assert!(timeout(LONG, refused.read_u8()).await.unwrap().is_err());
    assert!(is_served("127.0.0.9", &service).await && is_served("127.0.0.3", &service).await);
}

/// The memory of this process in MiB, on Linux.
fn memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<usize>().ok()).unwrap_or(0) / 1024
}

/// Prints rows for a table: the bytes that an attack sends, the memory, and the time of a call of another host.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement, which takes a minute; run it with --ignored --nocapture, one test at a time"]
async fn table_of_attacks() {
    let service = Arc::new(server().listen(0, HttpOptions::default()).await.unwrap());
    let numbers: Arc<str> = numbers((4 << 20) - 200).into();
    let before = memory();
    let mut attack = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let (service, numbers) = (Arc::clone(&service), Arc::clone(&numbers));
        attack.spawn(async move {
            let _stream = call("127.0.0.2", &service, "wait", &numbers).await;
            std::future::pending::<()>().await;
        });
    }
    tokio::time::sleep(Duration::from_secs(30)).await;
    let held = memory() - before;
    let begin = Instant::now();
    assert!(is_served("127.0.0.3", &service).await);
    println!("| small numbers to a slow tool | {} MiB | {held} MiB | {:?} | 0 |", 16 * 4, begin.elapsed());
    drop(attack);

    let mut idle = Vec::new();
    for _ in 0..256 {
        idle.push(connect_from("127.0.0.2", &service).await);
    }
    let begin = Instant::now();
    assert!(is_served("127.0.0.3", &service).await);
    println!("| 256 idle connections | 0 | {} MiB | {:?} | 0 |", memory().saturating_sub(before), begin.elapsed());
    println!("{}", json!({"memory before": before}));
}
