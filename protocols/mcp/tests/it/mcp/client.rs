//! The client with servers of older revisions, and with servers that break rules.

use std::time::Duration;

use capgen_call::{CallMode, CallOptions, Client, PeerTable};
use capgen_manifest::{Source, load};
use capgen_mcp::{
    ClientOptions, HttpServer, McpClient, McpError, McpTransport, Revision, ServerCommand, ToolNames, ToolResult,
};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::mcp::fixture::LONG;

/// A server that is a script of the shell: it answers each line by the first pattern that occurs in it.
fn script(answers: &[(&str, &str)]) -> ServerCommand {
    ServerCommand::new("sh").args(["-c", &loop_of(answers)])
}

fn loop_of(answers: &[(&str, &str)]) -> String {
    let mut script = "while IFS= read -r line; do case \"$line\" in\n".to_owned();
    for (pattern, answer) in answers {
        script += &format!(
            "*'{pattern}'*) id=$(printf '%s' \"$line\" | sed 's/.*\"id\":\\([0-9]*\\).*/\\1/'); {answer} ;;\n"
        );
    }
    script + "esac; done"
}

/// The command that answers with a result.
fn result(result: &str) -> String {
    format!("printf '{{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}}\\n' \"$id\" '{result}'")
}

fn error(code: i64) -> String {
    format!("printf '{{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{{\"code\":{code},\"message\":\"no\"}}}}\\n' \"$id\"")
}

pub(crate) const INITIALIZED: &str =
    r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#;

pub(crate) fn options() -> ClientOptions {
    let mut options = ClientOptions::default();
    options.probe_timeout = Duration::from_millis(300);
    options.timeout = LONG;
    options
}

#[tokio::test]
async fn older_servers_are_found_whatever_they_answer() {
    let (initialize, tools) = (result(INITIALIZED), result(r#"{"tools":[{"name":"a"}]}"#));
    for probe in [
        r#"printf '{"jsonrpc":"2.0","id":%s,"error":"no"}\n' "$id""#.to_owned(),
        error(-32601),
        error(-32602),
        error(-1),
        "true".to_owned(),
        "exit 3".to_owned(),
        "echo Hello; echo {".to_owned(),
    ] {
        let server = script(&[("server/discover", &probe), ("\"initialize\"", &initialize), ("tools/list", &tools)]);
        let client = McpClient::spawn(server, options()).await.unwrap();
        assert_eq!(client.server().revision, Revision::V2025_06_18, "{probe}");
        assert_eq!(client.list_tools().await.unwrap().tools()[0].name(), "a");
        client.close().await;
        assert!(matches!(client.list_tools().await, Err(McpError::Closed(_))));
    }
}

#[tokio::test]
async fn servers_without_a_common_revision_are_rejected() {
    let other = result(r#"{"protocolVersion":"2031-01-01","capabilities":{}}"#);
    let server = script(&[("server/discover", &error(-32601)), ("\"initialize\"", &other)]);
    let failed = McpClient::spawn(server, options()).await.unwrap_err();
    assert_eq!(failed, McpError::NoCommonRevision(vec!["2031-01-01".to_owned()]));
    let server = script(&[("server/discover", &result(r#"{"supportedVersions":["2031-01-01"]}"#))]);
    assert_eq!(McpClient::spawn(server, options()).await.unwrap_err(), failed);
}

#[tokio::test]
async fn servers_that_do_not_work_are_reported() {
    let missing = McpClient::spawn(ServerCommand::new("/does/not/exist"), options()).await.unwrap_err();
    assert!(matches!(missing, McpError::Connect(_)), "{missing}");
    let ends = McpClient::spawn(ServerCommand::new("sh").args(["-c", "exit 7"]), options()).await.unwrap_err();
    assert!(ends.to_string().contains("exit status: 7"), "{ends}");
    let large = ServerCommand::new("sh").args(["-c", "yes | tr -d '\\n'"]);
    let mut options = options();
    options.max_message = 10_000;
    let large = McpClient::spawn(large, options.clone()).await.unwrap_err();
    assert!(matches!(large, McpError::Limit(_)), "{large}");
    let noise = McpClient::spawn(ServerCommand::new("yes"), options).await.unwrap_err();
    assert!(matches!(noise, McpError::Protocol(_)), "{noise}");
}

#[tokio::test]
async fn calls_have_their_trace_where_the_revision_has_a_place_for_it() {
    const MANIFEST: &str = "
version: 1
agent: agent://traced
transports: [{ kind: mcp, topics: { requests: traced } }]
capabilities: [{ name: a }]
";
    let manifest = load(&Source::new("capabilities.yaml", MANIFEST)).unwrap().manifest;
    for (revision, expected) in [("2025-03-26", false), ("2025-06-18", true), ("2025-11-25", true)] {
        let (none, initialized) = (error(-32601), result(&INITIALIZED.replace("2025-06-18", revision)));
        let call =
            |has_trace: bool| result(&format!(r#"{{"content":[],"structuredContent":{{"traced":{has_trace}}}}}"#));
        let (traced, untraced) = (call(true), call(false));
        let server = script(&[
            ("server/discover", &none),
            ("\"initialize\"", &initialized),
            ("tools/list", &result(r#"{"tools":[{"name":"a","outputSchema":{"type":"object"}}]}"#)),
            (r#""_meta":{"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-"#, &traced),
            ("tools/call", &untraced),
        ]);
        let server = McpClient::spawn(server, options()).await.unwrap();
        let transport = McpTransport::new().with_server("traced", server, ToolNames::default());
        let peers = PeerTable::new().with_manifest(&manifest);
        let client = Client::builder("me").transport(transport).peers(peers).build().await.unwrap();
        let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let options = CallOptions::new().header("traceparent", parent).detached();
        let called = client.call_json_with("traced", "a", &json!({}), &options, CallMode::Sync).await;
        // Without structured results, a revision has only their text.
        let is_traced = called.response.is_some_and(|response| response["traced"] == json!(true));
        assert_eq!(is_traced, expected, "{revision}");
    }
}

/// A server of the revision 2025-06-18 with a tool `a`, whose result is the output of a command.
fn tool(call: &str) -> ServerCommand {
    script(&[
        ("server/discover", &error(-32601)),
        ("\"initialize\"", &result(INITIALIZED)),
        ("tools/list", &result(r#"{"tools":[{"name":"a"}]}"#)),
        ("tools/call", call),
    ])
}

#[tokio::test]
async fn answers_that_cannot_be_read_end_their_call() {
    for (answer, reason) in [
        (
            r#"{"jsonrpc":"2.0","id":4,"result":{"structuredContent":{"a":"\ud83d"}}}"#,
            "its answer is not valid JSON: lone surrogate at byte 60",
        ),
        (r#"{"jsonrpc":"2.0","id":4,"result":{"a":1,"a":2}}"#, "its answer is not valid JSON: "),
        (r#"{"jsonrpc":"2.0","result":{"a":1e400},"id":4}"#, "its answer is not valid JSON: "),
        ("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{}}", "its answer is not valid JSON: "),
        (
            r#"{"jsonrpc":"1.0","id":4,"result":{}}"#,
            "its answer is not a message of the protocol: `jsonrpc` is not \"2.0\"",
        ),
        (r#"{"jsonrpc":"2.0","id":4,"error":"no"}"#, "its answer is not a message of the protocol: "),
        (r#"{"jsonrpc":"2.0","id":"4","result":{}}"#, "the id of its answer is the string \"4\""),
    ] {
        let client = McpClient::spawn(tool(&format!("printf '%s\\n' '{answer}'")), options()).await.unwrap();
        let failed = client.call_tool("a", "{}".parse().unwrap(), None).await.unwrap_err().to_string();
        assert!(failed.starts_with(&format!("the MCP server violates the protocol: {reason}")), "{failed}");
    }
}

#[tokio::test]
async fn a_cut_character_in_a_text_does_not_end_a_call() {
    let answer = r#"{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"\ud83d"}],"structuredContent":{"a":1}}}"#;
    let client = McpClient::spawn(tool(&format!("printf '%s\\n' '{answer}'")), options()).await.unwrap();
    let called = client.call_tool("a", "{}".parse().unwrap(), None).await;
    assert_eq!(called, Ok(ToolResult::Response(r#"{"a":1}"#.parse().unwrap())));
}

#[tokio::test]
async fn timeouts_mention_lines_that_are_no_answers() {
    let short = Some(Duration::from_millis(50));
    for (answer, expected) in [
        (
            r#"{"jsonrpc":"2.0","id":77,"result":{}}"#,
            "a line of its output is not an answer: it is an answer to the id 77, which no request has",
        ),
        (
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}"#,
            "a line of its output is not an answer: it is an answer without an id",
        ),
        ("Hello", "a line of its output is not an answer: it is not valid JSON: "),
    ] {
        // The second call is after the line.
        let call = format!("[ -z \"$one\" ] && printf '%s\\n' '{answer}'; one=1");
        let client =
            McpClient::spawn(tool(&format!("{call}; [ \"$id\" = 5 ] && {}", result("{}"))), options()).await.unwrap();
        let _ = client.call_tool("a", "{}".parse().unwrap(), short).await;
        client.call_tool("a", "{}".parse().unwrap(), None).await.unwrap();
        let failed = client.call_tool("a", "{}".parse().unwrap(), short).await.unwrap_err();
        let Some(text) = failed.to_string().strip_prefix("the MCP server did not answer in time; ").map(str::to_owned)
        else {
            panic!("{failed}")
        };
        assert!(text.starts_with(expected), "{text}");
    }
}

#[tokio::test]
async fn requests_of_servers_are_answered_and_their_notifications_ignored() {
    // The server asks before it answers, and needs the answers.
    let ask = "printf '{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}\\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\\n\
        {\"jsonrpc\":\"2.0\",\"id\":\"r\",\"method\":\"roots/list\"}\\n'; read -r one; read -r two; \
        printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[],\"structuredContent\":[%s,%s]}}\\n' \"$id\" \"$one\" \"$two\"";
    let server = script(&[
        ("server/discover", &error(-32601)),
        ("\"initialize\"", &result(INITIALIZED)),
        ("tools/list", &result(r#"{"tools":[{"name":"a"}]}"#)),
        ("tools/call", ask),
    ]);
    let client = McpClient::spawn(server, options()).await.unwrap();
    let ToolResult::Response(answers) = client.call_tool("a", "{}".parse().unwrap(), None).await.unwrap() else {
        panic!("not a response")
    };
    assert_eq!(answers.pointer("/0/id").and_then(|id| id.as_str()), Some("p"));
    assert_eq!(answers.pointer("/0/result"), Some(&"{}".parse().unwrap()));
    assert_eq!(answers.pointer("/1/error/code"), Some(&"-32601".parse().unwrap()));
}

#[tokio::test]
async fn the_first_request_has_no_more_time_than_others() {
    let late = format!("sleep 1; {}", result(r#"{"supportedVersions":["2026-07-28"]}"#));
    let mut options = ClientOptions::default();
    options.timeout = Duration::from_millis(100);
    let failed = McpClient::spawn(script(&[("server/discover", &late)]), options).await;
    assert_eq!(failed.unwrap_err(), McpError::Timeout(None));
}

/// Starts a server that has started another process. The second result is sent when that has ended.
#[cfg(unix)]
async fn with_child(name: &str) -> (McpClient, tokio::sync::oneshot::Receiver<()>) {
    use std::io::Read as _;
    let pipe = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let server = format!(
        "(echo; exec sleep 1000) > '{}' & {}",
        pipe.display(),
        loop_of(&[("server/discover", &result(r#"{"supportedVersions":["2026-07-28"]}"#)),])
    );
    let client = McpClient::spawn(ServerCommand::new("sh").args(["-c", &server]), options()).await.unwrap();
    let ((start, started), (end, ended)) = (tokio::sync::oneshot::channel(), tokio::sync::oneshot::channel());
    std::thread::spawn(move || {
        let mut file = std::fs::File::open(&pipe).unwrap();
        file.read_exact(&mut [0]).unwrap();
        std::fs::remove_file(&pipe).unwrap();
        start.send(()).unwrap();
        file.read_to_end(&mut Vec::new()).unwrap();
        end.send(()).unwrap();
    });
    started.await.unwrap();
    (client, ended)
}

#[cfg(unix)]
#[tokio::test]
async fn the_processes_that_a_server_has_started_end_with_it() {
    let (client, ended) = with_child("dropped").await;
    drop(client);
    tokio::time::timeout(LONG, ended).await.unwrap().unwrap();
    let (client, ended) = with_child("closed").await;
    client.close().await;
    tokio::time::timeout(LONG, ended).await.unwrap().unwrap();
}

#[tokio::test]
async fn calls_that_end_early_are_cancelled() {
    // The server answers the second call with the notification that it has received.
    let server = script(&[
        ("server/discover", &error(-32601)),
        ("\"initialize\"", &result(INITIALIZED)),
        ("tools/list", &result(r#"{"tools":[{"name":"a"},{"name":"b"}]}"#)),
        ("notifications/cancelled", "cancelled=$line"),
        (
            "\"name\":\"b\"",
            "printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"structuredContent\":%s}}\\n' \"$id\" \"$cancelled\"",
        ),
    ]);
    let client = McpClient::spawn(server, options()).await.unwrap();
    let short = Some(Duration::from_millis(50));
    assert_eq!(client.call_tool("a", "{}".parse().unwrap(), short).await, Err(McpError::Timeout(None)));
    let ToolResult::Response(cancelled) = client.call_tool("b", "{}".parse().unwrap(), None).await.unwrap() else {
        panic!("not a response")
    };
    assert_eq!(cancelled.pointer("/params/requestId"), Some(&"4".parse().unwrap()));
}

#[tokio::test]
async fn standard_error_is_passed_on_line_by_line() {
    let (sender, mut lines) = tokio::sync::mpsc::unbounded_channel();
    let script = "echo 'a line' >&2; printf '%s' \"$TOKEN\" >&2";
    let server = ServerCommand::new("/bin/sh").args(["-c", script]).only_own_env().env("TOKEN", "t-1");
    assert!(!format!("{server:?}").contains("t-1"));
    let server = server.on_stderr(move |line| sender.send(line.to_owned()).unwrap());
    McpClient::spawn(server, options()).await.unwrap_err();
    assert_eq!((lines.recv().await.unwrap(), lines.recv().await.unwrap()), ("a line".to_owned(), "t-1".to_owned()));
}

/// A request that an HTTP server of a test has received: its head in lowercase, and its message.
pub(crate) struct Received {
    pub(crate) head: String,
    pub(crate) message: Value,
}

async fn receive(stream: &mut BufReader<TcpStream>) -> Option<Received> {
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.unwrap() == 0 {
            return None;
        }
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length: ") {
            length = value.parse().unwrap();
        }
        head += &format!("{line}\n");
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.unwrap();
    Some(Received { head, message: serde_json::from_slice(&body).unwrap_or(Value::Null) })
}

/// Serves a function from requests to responses without `Content-Length`.
pub(crate) async fn http(answer: impl Fn(Received) -> (String, String) + Send + Sync + 'static) -> HttpServer {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let answer = std::sync::Arc::new(answer);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let answer = std::sync::Arc::clone(&answer);
            tokio::spawn(async move {
                let mut stream = BufReader::new(stream);
                while let Some(request) = receive(&mut stream).await {
                    let (head, body) = answer(request);
                    let text = format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
                    if stream.get_mut().write_all(text.as_bytes()).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    HttpServer::new(&url).unwrap()
}

pub(crate) const JSON: &str = "200 OK\r\nContent-Type: application/json";

#[tokio::test]
async fn sessions_of_older_servers_are_kept_and_renewed() {
    // The number of sessions so far.
    let sessions = std::sync::Mutex::new(0_u32);
    let server = http(move |request| {
        let mut state = sessions.lock().unwrap();
        let id = request.message["id"].clone();
        let answer = |result: Value| json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
        match request.message["method"].as_str() {
            Some("server/discover") => ("400 Bad Request\r\nContent-Type: text/plain".to_owned(), "no session".to_owned()),
            Some("initialize") => {
                *state += 1;
                let result = serde_json::from_str(INITIALIZED).unwrap();
                (format!("{JSON}\r\nMcp-Session-Id: s{state}"), answer(result))
            }
            Some("notifications/initialized") => ("202 Accepted".to_owned(), String::new()),
            method => {
                assert!(request.head.contains("mcp-protocol-version: 2025-06-18\n"), "{}", request.head);
                // The first session ends with the first call.
                if method == Some("tools/call") && !request.head.contains("mcp-session-id: s2\n") {
                    return ("404 Not Found".to_owned(), String::new());
                }
                let call = json!({"structuredContent": {"sessions": *state}});
                let result = if method == Some("tools/list") { json!({"tools": [{"name": "a"}]}) } else { call };
                let event = format!(": hello\r\n\r\nevent: message\r\ndata: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}}\r\n\r\ndata: {}\r\n\r\n", answer(result));
                ("200 OK\r\nContent-Type: text/event-stream".to_owned(), event)
            }
        }
    })
    .await;
    let client = McpClient::connect(server, options()).await.unwrap();
    let result = client.call_tool("a", "{}".parse().unwrap(), None).await.unwrap();
    assert_eq!(result, ToolResult::Response(r#"{"sessions":2}"#.parse().unwrap()));
}

#[tokio::test]
async fn the_newest_revision_has_its_headers_and_mirrored_parameters() {
    let server = http(|request| {
        let method = request.message["method"].as_str().unwrap().to_owned();
        let wanted = [format!("mcp-method: {method}\n"), "mcp-protocol-version: 2026-07-28\n".to_owned()];
        assert!(wanted.iter().all(|header| request.head.contains(header)), "{}", request.head);
        assert!(request.head.contains("x-key: k\n") && request.head.contains("accept: application/json, text/event-stream\n"));
        let meta = &request.message["params"]["_meta"];
        assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
        let result = match method.as_str() {
            "server/discover" => json!({"supportedVersions": ["2026-07-28"], "capabilities": {}}),
            "tools/list" => json!({"tools": [
                {"name": "grüße", "inputSchema": {"type": "object", "properties": {"r": {"type": "string", "x-mcp-header": "Region"}}}},
                {"name": "bad", "inputSchema": {"type": "object", "properties": {"r": {"type": "number", "x-mcp-header": "R"}}}},
            ]}),
            _ => json!({"content": [], "structuredContent": {
                "name": request.head.contains("mcp-name: =?base64?"),
                "region": request.head.contains("mcp-param-region: us-west1\n"),
            }}),
        };
        (JSON.to_owned(), json!({"jsonrpc": "2.0", "id": request.message["id"], "result": result}).to_string())
    })
    .await
    .header("X-Key", "k")
    .unwrap();
    let client = McpClient::connect(server, options()).await.unwrap();
    let tools = client.list_tools().await.unwrap();
    assert_eq!(tools.tools().len(), 1, "a tool with an invalid annotation is not offered");
    let result = client.call_tool("grüße", r#"{"r":"us-west1"}"#.parse().unwrap(), None).await.unwrap();
    assert_eq!(result, ToolResult::Response(r#"{"name":true,"region":true}"#.parse().unwrap()));
}

#[tokio::test]
async fn http_servers_that_do_not_work_are_reported() {
    for (head, body, expected) in [
        ("401 Unauthorized", "", McpError::Http(401)),
        ("500 Internal Server Error", "x", McpError::Http(500)),
        (
            "307 Temporary Redirect\r\nLocation: http://evil.example/",
            "",
            McpError::Redirect(307, "http://evil.example/".to_owned()),
        ),
        ("302 Found", "", McpError::Http(302)),
        ("400 Bad Request", "", McpError::Http(400)),
    ] {
        let server = http(move |_| (head.to_owned(), body.to_owned())).await;
        assert_eq!(McpClient::connect(server, options()).await.unwrap_err(), expected);
    }
    let server = http(|_| (JSON.to_owned(), "[".repeat(20_000))).await;
    let mut options = options();
    options.max_message = 10_000;
    assert!(matches!(McpClient::connect(server, options.clone()).await, Err(McpError::Limit(_))));
    let server = http(|_| ("200 OK\r\nContent-Type: text/event-stream".to_owned(), "data: x\n".repeat(10_000))).await;
    assert!(matches!(McpClient::connect(server, options.clone()).await, Err(McpError::Limit(_))));
    let server = http(|_| ("200 OK\r\nContent-Type: text/html".to_owned(), "<html>".to_owned())).await;
    assert!(matches!(McpClient::connect(server, options.clone()).await, Err(McpError::Protocol(_))));
    let server = HttpServer::new("https://localhost:1/").unwrap();
    assert!(matches!(McpClient::connect(server, options).await, Err(McpError::Connect(_))));
}
