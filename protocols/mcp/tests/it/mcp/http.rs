//! The HTTP endpoint, and the client with it.

use std::net::SocketAddr;
use std::time::Duration;

use capgen_mcp::{
    ClientOptions, HttpOptions, HttpServer, HttpService, McpClient, McpError, Revision, ServerLimits, ToolResult,
};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::mcp::fixture::{LONG, meta, server, server_with};

async fn service() -> HttpService {
    server().listen(0, HttpOptions::default()).await.unwrap()
}

/// Sends a request with `Connection: close`, and returns the status and the JSON of the body.
async fn raw(address: SocketAddr, head: &str, body: &str) -> (u16, Value) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let length = body.len();
    let text = format!("{head}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // The server may close before it has read everything.
    let _ = timeout(LONG, stream.read_to_end(&mut answer)).await.expect("no answer");
    let answer = String::from_utf8(answer).unwrap();
    let status = answer.split(' ').nth(1).expect(&answer).parse().unwrap();
    let body = answer.split_once("\r\n\r\n").unwrap().1;
    (status, serde_json::from_str(body).unwrap_or(Value::Null))
}

const POST: &str = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json";

async fn post(address: SocketAddr, headers: &str, message: &Value) -> (u16, Value) {
    raw(address, &format!("{POST}{headers}"), &message.to_string()).await
}

fn request(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

#[tokio::test]
async fn requests_from_web_pages_and_for_other_hosts_are_forbidden() {
    let service = service().await;
    let ping = request("ping", json!({})).to_string();
    for (head, status) in [
        ("POST /mcp HTTP/1.1\r\nHost: localhost:3000\r\nContent-Type: application/json", 200),
        (
            "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json; charset=utf-8\r\nAccept: text/html, */*",
            200,
        ),
        ("POST /mcp HTTP/1.1\r\nHost: [::1]:80\r\nContent-Type: Application/JSON", 200),
        ("POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Type: application/json", 403),
        ("POST /mcp HTTP/1.1\r\nHost: localhost.evil.example\r\nContent-Type: application/json", 403),
        ("POST /mcp HTTP/1.1\r\nHost: localhost\r\nHost: a\r\nContent-Type: application/json", 400),
        ("POST /mcp HTTP/1.1\r\nContent-Type: application/json", 403),
        ("POST /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\nContent-Type: application/json", 403),
        ("POST /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: null\r\nContent-Type: application/json", 403),
        ("POST /other HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json", 404),
        ("GET /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json", 405),
        ("DELETE /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json", 405),
        ("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain", 415),
        ("POST /mcp HTTP/1.1\r\nHost: localhost", 415),
        ("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: text/event-stream", 406),
        ("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 1.0", 400),
    ] {
        let (found, answer) = raw(service.address(), head, &ping).await;
        assert_eq!(found, status, "{head}: {answer}");
    }
    let mut options = HttpOptions::default();
    options.allowed_origins = vec!["https://app.example.com".to_owned()];
    options.allowed_hosts = vec!["api.example.com".to_owned()];
    let service = server().listen(0, options).await.unwrap();
    let head = "POST /mcp HTTP/1.1\r\nHost: api.example.com\r\nContent-Type: application/json\r\nOrigin: https://app.example.com";
    assert_eq!(raw(service.address(), head, &ping).await.0, 200);
    assert_eq!(raw(service.address(), POST, &ping).await.0, 403);
}

#[tokio::test]
async fn headers_and_bodies_of_the_newest_revision_must_agree() {
    let service = service().await;
    let call = request("tools/call", json!({"name": "echo", "arguments": {}, "_meta": meta()}));
    let all = "\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: echo";
    assert_eq!(post(service.address(), all, &call).await.0, 200);
    let encoded = "\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: =?base64?ZWNobw==?=";
    assert_eq!(post(service.address(), encoded, &call).await.0, 200);
    for (headers, code) in [
        ("", -32020),
        ("\r\nMCP-Protocol-Version: 2025-11-25\r\nMcp-Method: tools/call\r\nMcp-Name: echo", -32020),
        ("\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Name: echo", -32020),
        ("\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\nMcp-Name: echo", -32020),
        ("\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call", -32020),
        ("\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: order", -32020),
        ("\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: =?base64?*?=", -32020),
        ("\r\nMCP-Protocol-Version: 2027-01-01\r\nMcp-Method: tools/call\r\nMcp-Name: echo", -32022),
    ] {
        let (status, answer) = post(service.address(), headers, &call).await;
        assert_eq!((status, &answer["error"]["code"]), (400, &json!(code)), "{headers}: {answer}");
    }
    let newest = "\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list";
    let (status, answer) = post(service.address(), newest, &request("tools/list", json!({}))).await;
    assert_eq!((status, &answer["error"]["code"]), (400, &json!(-32602)));
    let without = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}});
    let (status, answer) = post(service.address(), newest, &request("tools/list", without)).await;
    assert_eq!((status, &answer["error"]["code"]), (400, &json!(-32602)));
    let other = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "2025-11-25"}});
    let headers = "\r\nMCP-Protocol-Version: 2025-11-25\r\nMcp-Method: tools/list";
    let (status, answer) = post(service.address(), headers, &request("tools/list", other)).await;
    assert_eq!((status, &answer["error"]["code"]), (400, &json!(-32022)));
    let headers = "\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: ping";
    let (status, answer) = post(service.address(), headers, &request("ping", json!({"_meta": meta()}))).await;
    assert_eq!((status, &answer["error"]["code"]), (404, &json!(-32601)));
}

#[tokio::test]
async fn older_revisions_need_no_session() {
    let service = service().await;
    let params =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let (status, answer) = post(service.address(), "", &request("initialize", params)).await;
    assert_eq!((status, &answer["result"]["protocolVersion"]), (200, &json!("2025-06-18")));
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(post(service.address(), "", &initialized).await.0, 202);
    // Without the header, the revision is 2025-03-26.
    let call = request("tools/call", json!({"name": "echo", "arguments": {"a": 1}}));
    let (_, answer) = post(service.address(), "", &call).await;
    assert_eq!(answer["result"].get("structuredContent"), None);
    let (_, answer) = post(service.address(), "\r\nMCP-Protocol-Version: 2025-06-18", &call).await;
    assert_eq!(answer["result"]["structuredContent"], json!({"a": 1}));
    let (status, answer) =
        post(service.address(), "\r\nMCP-Protocol-Version: 2025-06-18", &request("x", json!({}))).await;
    assert_eq!((status, &answer["error"]["code"]), (200, &json!(-32601)));
    let batch = json!([request("ping", json!({})), initialized]);
    let (status, answer) = post(service.address(), "", &batch).await;
    assert_eq!((status, answer.as_array().unwrap().len()), (200, 1));
    assert_eq!(post(service.address(), "\r\nMCP-Protocol-Version: 2025-06-18", &batch).await.0, 400);
    assert_eq!(raw(service.address(), POST, "{").await.0, 400);
}

#[tokio::test]
async fn large_and_slow_bodies_are_rejected() {
    let mut limits = ServerLimits::default();
    limits.max_message = 1000;
    let mut options = HttpOptions::default();
    options.body_timeout = Duration::from_millis(100);
    options.head_timeout = Duration::from_millis(100);
    let service = server_with(limits).listen(0, options).await.unwrap();
    assert_eq!(raw(service.address(), POST, &"x".repeat(2000)).await.0, 413);
    let mut stream = TcpStream::connect(service.address()).await.unwrap();
    stream.write_all(format!("{POST}\r\nContent-Length: 10\r\n\r\n{{").as_bytes()).await.unwrap();
    let mut answer = String::new();
    timeout(LONG, stream.read_to_string(&mut answer)).await.unwrap().unwrap();
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    let mut stream = TcpStream::connect(service.address()).await.unwrap();
    stream.write_all(b"POST /mcp HTTP/1.1\r\n").await.unwrap();
    let mut answer = Vec::new();
    timeout(LONG, stream.read_to_end(&mut answer))
        .await
        .expect("a head that does not end ends the connection")
        .unwrap();
}

async fn client(service: &HttpService) -> McpClient {
    let server = HttpServer::new(&format!("http://{}/mcp", service.address())).unwrap();
    McpClient::connect(server, ClientOptions::default()).await.unwrap()
}

#[tokio::test]
async fn the_client_calls_the_server() {
    let service = service().await;
    let client = client(&service).await;
    assert_eq!(client.server().revision, Revision::V2026_07_28);
    assert_eq!(client.server().instructions.as_deref(), Some("Order bread."));
    let tools = client.list_tools().await.unwrap();
    let names: Vec<&str> = tools.tools().iter().map(|tool| tool.name()).collect();
    assert_eq!(names, ["order", "count.v2", "echo", "wait"]);
    let result = client.call_tool("count.v2", "äöü".into(), None).await.unwrap();
    assert_eq!(result, ToolResult::Response("3".parse().unwrap()));
    let result = client.call_tool("order", r#"{"item":"bread","pieces":0}"#.parse().unwrap(), None).await.unwrap();
    assert!(matches!(&result, ToolResult::Failed(text) if text.contains("/pieces")), "{result:?}");
    let error = client.call_tool("nö", "{}".parse().unwrap(), None).await.unwrap_err();
    assert!(matches!(&error, McpError::Server(error) if error.code == -32602), "{error:?}");
}

#[tokio::test]
async fn a_client_that_ends_ends_its_call() {
    let mut limits = ServerLimits::default();
    limits.max_concurrent = 1;
    let service = server_with(limits).listen(0, HttpOptions::default()).await.unwrap();
    let client = client(&service).await;
    let wait = client.call_tool("wait", "{}".parse().unwrap(), Some(Duration::from_millis(100))).await;
    assert_eq!(wait, Err(McpError::Timeout(None)));
    // There is room for one call, which the end of the connection has freed.
    let echo = client.call_tool("echo", "{}".parse().unwrap(), Some(LONG)).await.unwrap();
    assert_eq!(echo, ToolResult::Response("{}".parse().unwrap()));
}

#[tokio::test]
async fn shutting_down_answers_running_requests() {
    let service = service().await;
    let client = client(&service).await;
    client.call_tool("echo", "{}".parse().unwrap(), None).await.unwrap();
    timeout(LONG, service.shutdown(Duration::from_secs(10))).await.unwrap();
    assert!(matches!(
        client.call_tool("echo", "{}".parse().unwrap(), None).await,
        Err(McpError::Connect(_) | McpError::Closed(_))
    ));
}
