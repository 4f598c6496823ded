//! Calls that their clients cancel, by the rule of each revision and transport.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use capgen_call::{
    AuditRecord, CallOptions, Client, Context, Failure, Handlers, Manifest, MemoryAudit, PeerTable, Status,
    TransportSettings,
};
use capgen_mcp::{ClientOptions, HttpOptions, HttpServer, McpClient, McpServer, McpTransport, ToolNames};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, timeout};

use crate::mcp::client::{INITIALIZED, JSON, http, options};
use crate::mcp::fixture::{LONG, Lines, meta};

/// The time until the future of a handler is dropped: 50 ms, and the delays of a busy machine.
const SOON: Duration = Duration::from_millis(1000);

/// Long enough for a message that has no effect.
const SHORT: Duration = Duration::from_millis(100);

/// The revisions with a handshake.
const WITH_HANDSHAKE: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The start and the end of the future of a handler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Event {
    Started,
    Dropped,
}

/// Sends an event when it is dropped.
struct OnDrop(UnboundedSender<Event>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        let _ = self.0.send(Event::Dropped);
    }
}

/// A server whose tool `wait` never ends, the events of its handlers, and its audit.
fn server() -> (McpServer, UnboundedReceiver<Event>, Arc<MemoryAudit>) {
    let (events, received) = unbounded_channel();
    let handlers = Handlers::new("shop").with_loose("wait", move |_: Context, _: Value| {
        let events = events.clone();
        async move {
            let _on_drop = OnDrop(events.clone());
            events.send(Event::Started).unwrap();
            std::future::pending::<Result<Value, Failure>>().await
        }
    });
    let contract = capgen_call::CapabilityContract::new("wait");
    let transports = vec![TransportSettings::mcp("shop")];
    let manifest = Manifest::new("shop".parse().unwrap(), transports, vec![contract]);
    let audit = Arc::new(MemoryAudit::default());
    let server =
        McpServer::builder(handlers, &manifest).unwrap().audit(audit.clone()).audit_calls(true).build().unwrap();
    (server, received, audit)
}

async fn next(events: &mut UnboundedReceiver<Event>) -> Event {
    timeout(LONG, events.recv()).await.expect("an event").unwrap()
}

/// Checks that the handler ends soon, and that the audit has its call.
async fn is_cancelled(events: &mut UnboundedReceiver<Event>, audit: &MemoryAudit) {
    let start = Instant::now();
    assert_eq!(next(events).await, Event::Dropped);
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    let records = timeout(LONG, async {
        loop {
            let records = audit.records();
            if !records.is_empty() {
                return records;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    let records = records.await.expect("a record");
    let [AuditRecord::Call(record)] = records.as_slice() else { panic!("{records:?}") };
    assert_eq!((&*record.capability_name, &*record.peer_id), ("wait", "agent://mcp"));
    assert_eq!((&*record.status, record.error_code.as_deref()), ("abandoned", Some("EAGENTRPC_ABANDONED")));
}

fn cancel(id: &Value) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id, "reason": "no"}})
}

fn call(id: &Value, meta: Option<Value>) -> Value {
    let mut params = json!({"name": "wait", "arguments": {}});
    params["_meta"] = meta.unwrap_or_else(|| json!({}));
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

#[tokio::test]
async fn a_cancel_over_pipes_ends_the_handler_without_an_answer() {
    for revision in WITH_HANDSHAKE.into_iter().map(Some).chain([None]) {
        let (server, mut events, audit) = server();
        let mut client = Lines::of(server);
        match revision {
            Some(revision) => drop(client.initialize(revision).await),
            None => drop(client.request("server/discover", json!({"_meta": meta()})).await),
        }
        let id = json!("a");
        // A cancel before its request, and those of other requests, do nothing.
        client.send(&cancel(&id).to_string()).await;
        client.send(&call(&id, revision.is_none().then(meta)).to_string()).await;
        assert_eq!(next(&mut events).await, Event::Started);
        for other in [json!(1), json!("b"), json!(null), json!({}), json!(1.5)] {
            client.send(&cancel(&other).to_string()).await;
        }
        assert!(timeout(SHORT, events.recv()).await.is_err(), "{revision:?}");
        client.send(&cancel(&id).to_string()).await;
        is_cancelled(&mut events, &audit).await;
        // Repeated and late ones neither, and the call has no answer: the next message is that of another request.
        client.send(&cancel(&id).to_string()).await;
        let ping =
            json!({"jsonrpc": "2.0", "id": 9, "method": "x", "params": {"_meta": revision.is_none().then(meta)}});
        assert_eq!(client.ask(ping).await["id"], 9, "{revision:?}");
    }
}

/// Sends a message over a connection of its own.
async fn post(address: SocketAddr, headers: &str, message: &Value) -> TcpStream {
    let (body, mut stream) = (message.to_string(), TcpStream::connect(address).await.unwrap());
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json";
    let text = format!("{head}{headers}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    stream.write_all(text.as_bytes()).await.unwrap();
    stream
}

/// The whole response.
async fn response(mut stream: TcpStream) -> String {
    let mut text = String::new();
    timeout(LONG, stream.read_to_string(&mut text)).await.expect("a response").unwrap();
    text
}

/// Starts a session, and returns the header that states it.
async fn session(address: SocketAddr, revision: &str) -> String {
    let params = json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let initialize = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
    let text = response(post(address, "", &initialize).await).await;
    let header = text.lines().find(|line| line.starts_with("mcp-session-id: ")).expect("a session");
    format!("\r\nMCP-Protocol-Version: {revision}\r\n{header}")
}

#[tokio::test]
async fn a_cancel_over_http_ends_the_call_of_its_session() {
    for revision in WITH_HANDSHAKE {
        let (server, mut events, audit) = server();
        let service = server.listen(0, HttpOptions::default()).await.unwrap();
        let address = service.address();
        let (mine, other) = (session(address, revision).await, session(address, revision).await);
        assert_ne!(mine, other);
        let id = json!(1);
        let running = post(address, &mine, &call(&id, None)).await;
        assert_eq!(next(&mut events).await, Event::Started);
        let without = format!("\r\nMCP-Protocol-Version: {revision}");
        // Another session with the same id, a message without a session, and another id.
        for (headers, id) in [(&other, &id), (&without, &id), (&mine, &json!(2)), (&mine, &json!("1"))] {
            let text = response(post(address, headers, &cancel(id)).await).await;
            assert!(text.starts_with("HTTP/1.1 202"), "{text}");
        }
        assert!(timeout(SHORT, events.recv()).await.is_err(), "{revision}");
        for _ in 0..2 {
            let text = response(post(address, &mine, &cancel(&id)).await).await;
            assert!(text.starts_with("HTTP/1.1 202"), "{text}");
        }
        is_cancelled(&mut events, &audit).await;
        let text = response(running).await;
        assert!(text.starts_with("HTTP/1.1 202") && text.ends_with("\r\n\r\n"), "no answer: {text}");
        // Two calls with one id: nothing shows which one is meant.
        let twice = [post(address, &mine, &call(&id, None)).await, post(address, &mine, &call(&id, None)).await];
        assert_eq!([next(&mut events).await, next(&mut events).await], [Event::Started; 2]);
        response(post(address, &mine, &cancel(&id)).await).await;
        assert!(timeout(SHORT, events.recv()).await.is_err(), "{revision}");
        drop(twice);
    }
}

#[tokio::test]
async fn a_cancel_over_http_ends_calls_of_a_batch() {
    let (server, mut events, audit) = server();
    let service = server.listen(0, HttpOptions::default()).await.unwrap();
    let session = session(service.address(), "2025-03-26").await;
    let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"});
    let running = post(service.address(), &session, &json!([call(&json!(1), None), ping])).await;
    assert_eq!(next(&mut events).await, Event::Started);
    response(post(service.address(), &session, &cancel(&json!(1))).await).await;
    is_cancelled(&mut events, &audit).await;
    let text = response(running).await;
    assert!(text.contains(r#"[{"jsonrpc":"2.0","id":2,"result":{}}]"#), "{text}");
}

#[tokio::test]
async fn the_end_of_the_connection_cancels_a_call_of_the_newest_revision() {
    let (server, mut events, audit) = server();
    let service = server.listen(0, HttpOptions::default()).await.unwrap();
    let headers = |method: &str| format!("\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}");
    let named = format!("{}\r\nMcp-Name: wait\r\nMcp-Session-Id: s", headers("tools/call"));
    let running = post(service.address(), &named, &call(&json!(1), Some(meta()))).await;
    assert_eq!(next(&mut events).await, Event::Started);
    // This revision has neither sessions nor notifications of clients over HTTP.
    let headers = format!("{}\r\nMcp-Session-Id: s", headers("notifications/cancelled"));
    let text = response(post(service.address(), &headers, &cancel(&json!(1))).await).await;
    assert!(text.starts_with("HTTP/1.1 202"), "{text}");
    assert!(timeout(SHORT, events.recv()).await.is_err());
    drop(running);
    is_cancelled(&mut events, &audit).await;
}

/// A client of the call layer, for a server over HTTP.
async fn caller(address: SocketAddr) -> Client {
    let server = HttpServer::new(&format!("http://{address}/mcp")).unwrap();
    let server = McpClient::connect(server, ClientOptions::default()).await.unwrap();
    let transport = McpTransport::new().with_server("shop", server, ToolNames::default());
    let contract = capgen_call::CapabilityContract::new("wait");
    let transports = vec![TransportSettings::mcp("shop")];
    let manifest = Manifest::new("shop".parse().unwrap(), transports, vec![contract]);
    let client = Client::builder("me").transport(Arc::new(transport)).peers(PeerTable::new().with_manifest(&manifest));
    client.build().await.unwrap()
}

#[tokio::test]
async fn a_dropped_call_and_a_closed_client_cancel_their_tools() {
    for closes in [false, true] {
        let (server, mut events, audit) = server();
        let service = server.listen(0, HttpOptions::default()).await.unwrap();
        let client = caller(service.address()).await;
        let calling = client.clone();
        let task = tokio::spawn(async move { calling.call_json("shop", "wait", &json!({})).await });
        assert_eq!(next(&mut events).await, Event::Started);
        if closes {
            client.close();
            assert_eq!(task.await.unwrap().status, Status::Abandoned);
        } else {
            task.abort();
        }
        is_cancelled(&mut events, &audit).await;
    }
}

#[tokio::test]
async fn a_call_that_is_not_dropped_is_not_cancelled_with_another() {
    let (server, mut events, _audit) = server();
    let service = server.listen(0, HttpOptions::default()).await.unwrap();
    let client = caller(service.address()).await;
    let calls: Vec<_> = (0..2)
        .map(|_| {
            let client = client.clone();
            let options = CallOptions::new().timeout(LONG);
            let mode = capgen_call::CallMode::Sync;
            tokio::spawn(async move { client.call_json_with("shop", "wait", &json!({}), &options, mode).await })
        })
        .collect();
    assert_eq!([next(&mut events).await, next(&mut events).await], [Event::Started; 2]);
    calls[0].abort();
    assert_eq!(next(&mut events).await, Event::Dropped);
    assert!(timeout(SHORT, events.recv()).await.is_err());
    calls[1].abort();
    assert_eq!(next(&mut events).await, Event::Dropped);
}

/// A server of an older revision that does not answer the requests of a method, with the heads and the messages that it
/// receives.
async fn silent(method: &'static str) -> (HttpServer, UnboundedReceiver<(String, Value)>) {
    let (sender, received) = unbounded_channel();
    let server = http(move |request| {
        let id = request.message["id"].clone();
        let name = request.message["method"].as_str().unwrap_or_default().to_owned();
        sender.send((request.head, request.message)).unwrap();
        if name == method {
            // Other tasks of this thread, and its timers, go on in another one.
            tokio::task::block_in_place(|| std::thread::sleep(Duration::from_secs(2)));
        }
        let answer = |result: Value| json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
        match &*name {
            "server/discover" => ("400 Bad Request".to_owned(), String::new()),
            "initialize" => {
                (format!("{JSON}\r\nMcp-Session-Id: s1"), answer(serde_json::from_str(INITIALIZED).unwrap()))
            }
            "tools/list" => (JSON.to_owned(), answer(json!({"tools": [{"name": "wait"}]}))),
            _ => ("202 Accepted".to_owned(), String::new()),
        }
    });
    (server.await, received)
}

/// Whether a notification that a request is cancelled arrives soon, with its head.
async fn notification(received: &mut UnboundedReceiver<(String, Value)>) -> Option<(String, Value)> {
    let all = async {
        loop {
            let (head, message) = received.recv().await?;
            if message["method"] == "notifications/cancelled" {
                return Some((head, message));
            }
        }
    };
    timeout(Duration::from_secs(1), all).await.ok()?
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_dropped_call_of_an_older_revision_sends_the_notification_in_its_session() {
    let (server, mut received) = silent("tools/call").await;
    let client = McpClient::connect(server, options()).await.unwrap();
    let called = client.call_tool("wait", "{}".parse().unwrap(), None);
    assert!(timeout(Duration::from_millis(300), called).await.is_err(), "the future is dropped");
    let (head, message) = notification(&mut received).await.expect("a notification");
    assert!(head.contains("mcp-session-id: s1\n"), "{head}");
    assert_eq!(message["params"]["requestId"], 4);
    assert_eq!(notification(&mut received).await, None, "one notification");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_handshake_is_not_cancelled() {
    let (server, mut received) = silent("initialize").await;
    let connected = McpClient::connect(server, options());
    assert!(timeout(Duration::from_millis(300), connected).await.is_err(), "the future is dropped");
    assert_eq!(notification(&mut received).await, None);
}
