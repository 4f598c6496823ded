//! Who may call the tools of a server, and who sees them.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use capgen_call::{
    AuditRecord, Authorization, Authorize, BoxFuture, Client, Context, Decision, Grants, Handlers, InvalidToken,
    Manifest, MemoryAudit, PeerTable, Principal, TokenVerifier,
};
use capgen_descriptor::OwnedDescriptor;
use capgen_manifest::{Source, load};
use capgen_mcp::{
    HttpOptions, HttpServer, InvalidAgent, McpClient, McpServer, McpServerBuilder, McpTransport, ServerLimits,
    ToolNames,
};
use capgen_testkit::is_run_alone;
use capgen_testkit::log::Log;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::mcp::client::options;
use crate::mcp::fixture::{LONG, Lines, meta};

const MANIFEST: &str = "
version: 1
agent: agent://trips
transports: [{ kind: mcp, topics: { requests: trips } }]
capabilities:
  - { name: book, requiredRoles: [booker], requiredScopes: ['trips:write'] }
  - { name: count, requiredRoles: [booker], inputSchema: { type: string } }
  - { name: open }
";

const BOOKER: (&[&str], &[&str]) = (&["booker"], &["trips:write"]);

fn manifest() -> Manifest {
    load(&Source::new("capabilities.yaml", MANIFEST)).unwrap().manifest
}

/// Handlers that respond with the subject of the principal.
fn handlers() -> Handlers {
    manifest().capabilities.iter().fold(Handlers::new("trips"), |handlers, capability| {
        handlers.with_json(capability, async |context: Context, _: Value| {
            Ok(json!({"for": context.principal().map(|principal| principal.subject.clone())}))
        })
    })
}

fn builder() -> McpServerBuilder {
    McpServer::builder(handlers(), &manifest()).unwrap()
}

fn principal(subject: &str) -> Principal {
    Principal::new("https://login.example.com", subject)
}

fn booker() -> Principal {
    let mut principal = principal("alice");
    principal.roles.insert("booker".to_owned());
    principal.scopes.insert("trips:write".to_owned());
    principal
}

/// Knows the tokens `alice`, which may book, and `bob`.
struct Verifier;

impl TokenVerifier for Verifier {
    fn verify<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Principal, InvalidToken>> {
        Box::pin(async move {
            match token {
                "alice" => Ok(booker()),
                "bob" => Ok(principal("bob")),
                "later" => Err(InvalidToken::Unavailable("no keys".to_owned())),
                _ => Err(InvalidToken::Invalid("an unknown key".to_owned())),
            }
        })
    }
}

fn call(tool: &str, arguments: &Value) -> Value {
    json!({"name": tool, "arguments": arguments})
}

fn request(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

async fn names(client: &mut Lines) -> Vec<String> {
    let answer = client.request("tools/list", json!({})).await;
    let tools = answer["result"]["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

/// A client of a server over pipes, after the handshake.
async fn client(server: McpServerBuilder) -> Lines {
    let mut client = Lines::of(server.build().unwrap());
    client.initialize("2025-11-25").await;
    client
}

#[test]
fn a_server_with_requirements_and_without_a_decision_is_not_built() {
    let error = McpServer::new(handlers()).err().unwrap();
    assert_eq!(error, InvalidAgent::NoAuthorization(vec!["book".to_owned(), "count".to_owned()]));
    for part in ["`book`", "`authorize`", "`grants`", "`tokens`", "`without_authorization()`"] {
        assert!(error.to_string().contains(part), "{error}");
    }
    assert_eq!(builder().build().err(), Some(error));
    for server in [
        builder().without_authorization(),
        builder().grants(Grants::new().principal("a", "b", BOOKER.0, BOOKER.1)),
        builder().authorize(|_, _| Decision::Allow),
        builder().authorization(Authorization::none()),
        builder().tokens(Arc::new(Verifier)),
        builder().principal(booker()),
    ] {
        assert!(server.build().is_ok());
    }
}

/// The hash of a contract does not depend on its requirements.
#[test]
fn the_requirements_of_the_handler_count_if_the_manifest_has_none() {
    let mut without = manifest();
    for capability in &mut without.capabilities {
        capability.required_roles.clear();
        capability.required_scopes.clear();
    }
    let built = |handlers, manifest: &Manifest| McpServer::builder(handlers, manifest).unwrap().build();
    assert!(built(handlers(), &without).is_err());
    let loose = Handlers::new("trips");
    let loose = ["book", "count", "open"].into_iter().fold(loose, |it, name| it.with_loose(name, async |_, it| Ok(it)));
    assert!(built(loose.clone(), &manifest()).is_err());
    assert!(built(loose, &without).is_ok());
}

#[tokio::test]
async fn a_denial_has_the_same_bytes_whether_or_not_the_tool_exists() {
    let expected = json!({
        "content": [{"type": "text", "text": "EAGENTRPC_FORBIDDEN: the caller may not call this capability"}],
        "isError": true,
        "_meta": {"io.github.capgen/error": {
            "code": "EAGENTRPC_FORBIDDEN", "message": "the caller may not call this capability", "retryable": false,
        }},
    });
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] {
        let mut client = Lines::of(builder().principal(principal("bob")).build().unwrap());
        if revision != "2026-07-28" {
            client.initialize(revision).await;
        }
        let mut answers = Vec::new();
        for tool in ["book", "count", "unknown"] {
            for arguments in [json!(null), json!({}), json!([]), json!({"value": 1}), json!({"other": "x"})] {
                let mut params = call(tool, &arguments);
                if revision == "2026-07-28" {
                    params["_meta"] = meta();
                }
                client.send(&request("tools/call", &params).to_string()).await;
                answers.push(client.line().await.unwrap());
            }
        }
        answers.dedup();
        assert_eq!(answers.len(), 1, "{revision}: {answers:?}");
        let answer: Value = serde_json::from_str(&answers[0]).unwrap();
        let result = &answer["result"];
        assert_eq!((&result["content"], &result["isError"]), (&expected["content"], &expected["isError"]));
        assert_eq!(result["_meta"]["io.github.capgen/error"], expected["_meta"]["io.github.capgen/error"]);
    }
}

#[tokio::test]
async fn denials_are_equal_in_batches_too() {
    let mut client = Lines::of(builder().principal(principal("bob")).build().unwrap());
    client.initialize("2025-03-26").await;
    let batch: Vec<Value> =
        ["book", "unknown"].iter().map(|tool| request("tools/call", &call(tool, &json!({})))).collect();
    // One at a time, because two requests with one id cannot run together.
    let mut answers = Vec::new();
    for message in batch {
        client.send(&json!([message]).to_string()).await;
        answers.push(client.line().await.unwrap());
    }
    assert_eq!(answers[0], answers[1]);
    assert!(answers[0].contains("EAGENTRPC_FORBIDDEN"), "{answers:?}");
}

#[tokio::test]
async fn the_principal_of_the_process_calls_over_pipes() {
    let mut client = client(builder().principal(booker())).await;
    assert_eq!(names(&mut client).await, ["book", "count", "open"]);
    let answer = client.request("tools/call", call("book", &json!({"a": 1}))).await;
    assert_eq!(answer["result"]["structuredContent"], json!({"for": "alice"}));
    // The request is a member of the arguments.
    let answer = client.request("tools/call", call("count", &json!({"value": "x"}))).await;
    assert_eq!(answer["result"]["structuredContent"], json!({"for": "alice"}));
    let answer = client.request("tools/call", call("count", &json!({"other": "x"}))).await;
    assert!(answer.to_string().contains("unknown property"), "{answer}");
    // A client that may call everything learns which tools exist.
    for (params, message) in [
        (call("unknown", &json!({})), "Unknown tool: unknown"),
        (call("unknown", &json!([])), "Unknown tool: unknown"),
        (call("book", &json!([])), "`arguments` is not an object"),
    ] {
        let answer = client.request("tools/call", params).await;
        assert_eq!((&answer["error"]["code"], &answer["error"]["message"]), (&json!(-32602), &json!(message)));
    }
}

#[tokio::test]
async fn tools_that_a_client_may_not_call_are_not_in_its_list() {
    for server in
        [builder().principal(principal("bob")), builder().grants(Grants::new().agent("mcp", &["booker"], &[]))]
    {
        let mut client = client(server).await;
        assert_eq!(names(&mut client).await, ["open"]);
        let answer = client.request("tools/call", call("open", &json!({}))).await;
        assert!(answer["result"]["isError"].is_null(), "{answer}");
    }
    let grants = Grants::new().principal("https://login.example.com", "bob", &["booker"], &[]);
    let mut client = client(builder().principal(principal("bob")).grants(grants)).await;
    assert_eq!(names(&mut client).await, ["count", "open"]);
}

#[tokio::test]
async fn a_rule_decides_by_the_name_of_the_capability_and_its_contract() {
    let rule = |context: &Context, contract: Option<&OwnedDescriptor>| match (context.capability(), contract) {
        ("book", Some(contract)) if contract.required_roles == ["booker"] => Decision::Allow,
        ("unknown", None) => Decision::Allow,
        _ => Decision::deny("no"),
    };
    let mut client = client(builder().authorize(rule)).await;
    assert_eq!(names(&mut client).await, ["book"]);
    let answer = client.request("tools/call", call("book", &json!({}))).await;
    assert_eq!(answer["result"]["structuredContent"], json!({"for": null}));
    let answer = client.request("tools/call", call("unknown", &json!({}))).await;
    assert_eq!(answer["error"]["message"], "Unknown tool: unknown");
    let answer = client.request("tools/call", call("open", &json!({}))).await;
    assert!(answer.to_string().contains("EAGENTRPC_FORBIDDEN"), "{answer}");
}

/// A rule that never decides.
struct Endless;

impl Authorize for Endless {
    fn authorize<'a>(&'a self, _: &'a Context, _: Option<&'a OwnedDescriptor>) -> BoxFuture<'a, Decision> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn a_rule_that_does_not_decide_in_time_denies() {
    let mut limits = ServerLimits::default();
    limits.timeout = Duration::from_millis(50);
    let mut client = client(builder().authorization(Authorization::by(Arc::new(Endless))).limits(limits)).await;
    assert_eq!(names(&mut client).await, [""; 0]);
    let answer = client.request("tools/call", call("book", &json!({}))).await;
    assert!(answer.to_string().contains("EAGENTRPC_FORBIDDEN"), "{answer}");
}

#[tokio::test]
async fn the_reason_goes_to_the_audit_and_not_to_the_client() {
    let audit = Arc::new(MemoryAudit::default());
    let long = "x".repeat(100_000);
    let mut client = client(builder().principal(principal("bob")).audit(audit.clone())).await;
    for tool in ["open", "book", &long] {
        let answer = client.request("tools/call", call(tool, &json!({}))).await;
        assert!(!answer.to_string().contains("booker"), "{answer}");
    }
    let records = audit.records();
    let [AuditRecord::Call(known), AuditRecord::Call(unknown)] = records.as_slice() else { panic!("{records:?}") };
    assert_eq!((&*known.capability_name, &*known.peer_id, &*known.correlation_id), ("book", "agent://mcp", "1"));
    assert!(unknown.capability_name.len() < 300, "{unknown:?}");
    for record in [known, unknown] {
        assert_eq!((&*record.status, record.error_code.as_deref()), ("error", Some("EAGENTRPC_FORBIDDEN")));
        let principal = record.principal.as_ref().unwrap();
        assert_eq!((&*principal.issuer, &*principal.subject), ("https://login.example.com", "bob"));
        let reason = record.denied.as_deref();
        assert_eq!(reason, Some("the principal `bob` of `https://login.example.com` does not have the role `booker`"));
    }
}

/// Sends the head of a request and a part of the body, and returns the answer.
async fn post(address: SocketAddr, headers: &str, length: usize, body: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let text = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n\
         Content-Length: {length}{headers}\r\n\r\n{body}"
    );
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let _ = timeout(LONG, stream.read_to_end(&mut answer)).await.expect("no answer");
    String::from_utf8(answer).unwrap()
}

async fn ask(address: SocketAddr, token: &str, method: &str, params: &Value) -> String {
    let body = request(method, params).to_string();
    let headers = format!("\r\nMCP-Protocol-Version: 2025-11-25\r\nAuthorization: {token}");
    let answer = post(address, &headers, body.len(), &body).await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    answer.split_once("\r\n\r\n").unwrap().1.to_owned()
}

#[tokio::test]
async fn requests_without_a_valid_token_are_refused_before_their_body() {
    let server = builder().tokens(Arc::new(Verifier)).principal(booker()).build().unwrap();
    let service = server.listen(0, HttpOptions::default()).await.unwrap();
    for (headers, status, challenge) in [
        ("", 401, Some("Bearer")),
        ("\r\nAuthorization: Basic YTpi", 401, Some("Bearer")),
        ("\r\nAuthorization: Bearer mallory", 401, Some(r#"Bearer error="invalid_token""#)),
        ("\r\nAuthorization: bearer a b", 401, Some(r#"Bearer error="invalid_token""#)),
        ("\r\nAuthorization: Bearer later", 503, None),
        ("\r\nAuthorization: Bearer alice\r\nAuthorization: Bearer alice", 400, None),
    ] {
        let answer = post(service.address(), headers, 1000, "").await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{headers}: {answer}");
        let found = answer.lines().find_map(|line| line.split_once("www-authenticate: ")).map(|(_, value)| value);
        assert_eq!(found, challenge, "{headers}: {answer}");
        assert!(!answer.contains("unknown key") && !answer.contains("mallory"), "{answer}");
    }
}

#[tokio::test]
async fn the_roles_and_scopes_of_a_token_count_over_http() {
    let server = builder().tokens(Arc::new(Verifier)).build().unwrap();
    let service = server.listen(0, HttpOptions::default()).await.unwrap();
    let address = service.address();
    let book = call("book", &json!({}));
    let answer = ask(address, "Bearer alice", "tools/call", &book).await;
    assert!(answer.contains(r#""structuredContent":{"for":"alice"}"#), "{answer}");
    let list = ask(address, "BEARER alice", "tools/list", &json!({})).await;
    assert!(list.contains(r#""name":"book""#), "{list}");
    let list = ask(address, "Bearer bob", "tools/list", &json!({})).await;
    assert!(!list.contains("book") && list.contains(r#""name":"open""#), "{list}");
    let forbidden = ask(address, "Bearer bob", "tools/call", &book).await;
    assert!(forbidden.contains("EAGENTRPC_FORBIDDEN"), "{forbidden}");
    assert_eq!(ask(address, "Bearer bob", "tools/call", &call("unknown", &json!([]))).await, forbidden);
}

/// Also the status and the headers.
#[tokio::test]
async fn denials_over_http_are_equal_in_every_revision() {
    let server = builder().tokens(Arc::new(Verifier)).build().unwrap();
    let service = server.listen(0, HttpOptions::default()).await.unwrap();
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] {
        let mut answers = Vec::new();
        for tool in ["book", "count", "unknown"] {
            for arguments in [json!({}), json!([]), json!({"value": 1})] {
                let mut params = call(tool, &arguments);
                let mut headers = format!("\r\nMCP-Protocol-Version: {revision}\r\nAuthorization: Bearer bob");
                if revision == "2026-07-28" {
                    params["_meta"] = meta();
                    headers += &format!("\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}");
                }
                let body = request("tools/call", &params).to_string();
                let answer = post(service.address(), &headers, body.len(), &body).await;
                answers.push(answer.lines().filter(|line| !line.starts_with("date: ")).collect::<Vec<_>>().join("\n"));
            }
        }
        answers.dedup();
        assert_eq!(answers.len(), 1, "{revision}: {answers:?}");
        assert!(answers[0].contains("EAGENTRPC_FORBIDDEN"), "{revision}: {answers:?}");
    }
}

/// Counts its decisions.
#[derive(Default)]
struct Counted(AtomicUsize);

impl Authorize for Counted {
    fn authorize<'a>(&'a self, _: &'a Context, _: Option<&'a OwnedDescriptor>) -> BoxFuture<'a, Decision> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Box::pin(async { Decision::deny("no") })
    }
}

#[tokio::test]
async fn a_rule_is_asked_once_whether_or_not_the_tool_exists() {
    let (rule, audit) = (Arc::new(Counted::default()), Arc::new(MemoryAudit::default()));
    let mut client = client(builder().authorization(Authorization::by(rule.clone())).audit(audit.clone())).await;
    for (number, tool) in ["book", "unknown", "open"].into_iter().enumerate() {
        let answer = client.request("tools/call", call(tool, &json!({"value": 1}))).await;
        assert!(answer.to_string().contains("EAGENTRPC_FORBIDDEN"), "{answer}");
        assert_eq!((rule.0.load(Ordering::SeqCst), audit.records().len()), (number + 1, number + 1));
    }
}

/// Both have one address, as clients behind a proxy.
#[tokio::test]
async fn the_slow_calls_of_a_principal_do_not_stop_those_of_others() {
    let handlers = Handlers::new("trips").with_loose("open", async |context: Context, _: Value| {
        if context.principal().is_some_and(|principal| principal.subject == "alice") {
            std::future::pending::<()>().await;
        }
        Ok(json!({}))
    });
    let mut manifest = manifest();
    manifest.capabilities.retain(|capability| capability.name == "open");
    let mut limits = ServerLimits::default();
    limits.max_concurrent = 4;
    let server = McpServer::builder(handlers, &manifest).unwrap().tokens(Arc::new(Verifier)).limits(limits);
    let service = server.build().unwrap().listen(0, HttpOptions::default()).await.unwrap();
    let (address, open) = (service.address(), call("open", &json!({})));
    let mut slow = tokio::task::JoinSet::new();
    for _ in 0..12 {
        let open = open.clone();
        slow.spawn(async move { ask(address, "Bearer alice", "tools/call", &open).await });
    }
    // Until they wait for places. If this is too short, the test is easier to pass.
    tokio::time::sleep(Duration::from_millis(200)).await;
    // The clients of the slow calls give up after `LONG`, so this is less.
    let answer = timeout(LONG / 4, ask(address, "Bearer bob", "tools/call", &open)).await.expect("a place");
    assert!(answer.contains("structuredContent"), "{answer}");
}

#[tokio::test]
async fn a_call_over_the_transport_ends_with_the_denial() {
    static IS_OPEN: AtomicBool = AtomicBool::new(true);
    let rule = |_: &Context, _: Option<&OwnedDescriptor>| match IS_OPEN.load(Ordering::SeqCst) {
        true => Decision::Allow,
        false => Decision::deny("closed"),
    };
    let server = builder().authorize(rule).build().unwrap();
    let service = server.listen(0, HttpOptions::default()).await.unwrap();
    let url = format!("http://{}/mcp", service.address());
    let mcp = McpClient::connect(HttpServer::new(&url).unwrap(), options()).await.unwrap();
    let transport = McpTransport::new().with_server("trips", mcp, ToolNames::from(&manifest()));
    let peers = PeerTable::new().with_manifest(&manifest());
    let client = Client::builder("caller").peers(peers).transport(transport).build().await.unwrap();
    assert_eq!(client.call_json("trips", "book", &json!({})).await.error, None);
    IS_OPEN.store(false, Ordering::SeqCst);
    let error = client.call_json("trips", "book", &json!({})).await.error.unwrap();
    assert_eq!(error.code, "EAGENTRPC_FORBIDDEN");
    assert!(error.message.contains("may not call"), "{error:?}");
}

#[tokio::test]
async fn calls_have_spans_with_the_names_and_fields_of_calls() {
    if is_run_alone("mcp::authorization::calls_have_spans_with_the_names_and_fields_of_calls") {
        return;
    }
    let log = Log::default();
    let _guard = tracing::subscriber::set_default(log.clone());
    for principal in [booker(), principal("bob")] {
        let mut client = client(builder().principal(principal)).await;
        for tool in ["book", "other"] {
            client.request("tools/call", call(tool, &json!({}))).await;
        }
    }
    let lines = log.lines();
    let spans: Vec<&String> = lines.iter().filter(|line| line.starts_with("INFO capgen.serve ")).collect();
    let hash = |name: &str| {
        let handlers = handlers();
        handlers.descriptors().find(|it| it.0 == name).and_then(|it| it.1).unwrap().hash.clone()
    };
    let span = |name: &str, id: u32, contract: &str| {
        format!(r#"INFO capgen.serve capability="{name}" peer="mcp" correlation_id="{id}" contract="{contract}""#)
    };
    assert_eq!(spans.len(), 4, "{lines:#?}");
    let id = |line: &str| line.split("correlation_id=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
    for (line, (name, contract)) in spans.iter().zip([("book", hash("book")), ("other", String::new())].iter().cycle())
    {
        assert_eq!(**line, span(name, id(line), contract));
    }
    let denied = |name: &str| {
        let parts = ["WARN event", "a call was denied", name];
        lines.iter().filter(|line| parts.iter().all(|part| line.contains(part))).count()
    };
    assert_eq!((denied(r#"capability="book""#), denied(r#"capability="other""#)), (1, 1), "{lines:#?}");
}
