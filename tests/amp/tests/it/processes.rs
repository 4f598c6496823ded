//! A requester and a provider in two processes, over `amp://` and over HTTP.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use capgen_amp::body::{CapInvoke, CapQuery, Filter, Hints, NameOrType, Target};
use capgen_amp::carrier::{Client, ClientError, Peer, TypedError, http, tcp};
use capgen_amp::cbor::Value;
use capgen_amp::requester::Requester;
use capgen_test_amp::{VERSIONS, did, key, keys};
use capgen_testkit::Random;
use capgen_testkit::brokers::Proxy;
use serde_json::json;

#[path = "../../../../generated/reviewer.rs"]
mod generated;

use generated::{Change, ChangeAdded, ReviewChange, ReviewChangeRequest, ReviewChangeRequestRequired};

/// The calls of each carrier with connections that are cut.
const CALLS: usize = 5_000;

/// The calls that wait at the same time.
const TASKS: usize = 32;

/// The provider as a process.
struct Process {
    child: Child,
    ports: [u16; 2],
    _folder: tempfile::TempDir,
}

impl Process {
    fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut program = Command::new(env!("CARGO_BIN_EXE_amp-provider"));
        program.arg(folder.path()).env("RUST_BACKTRACE", "0").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = program.spawn().expect("the provider starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("its addresses");
        let mut ports = line.split_whitespace().map(|port| port.parse().expect("a port"));
        let ports = [ports.next().expect("two ports"), ports.next().expect("two ports")];
        Self { child, ports, _folder: folder }
    }

    /// A client for each carrier.
    fn clients(&self) -> [(&'static str, Client); 2] {
        [("amp", client(tcp_peer(self.ports[0]))), ("http", client(http_peer(self.ports[1])))]
    }

    /// Shuts the provider down; running invocations have some time.
    fn shut_down(&mut self, ms: u64) {
        writeln!(self.child.stdin.take().expect("its input"), "{ms}").expect("the provider reads");
    }

    fn wait(&mut self) {
        assert!(self.child.wait().expect("the provider ends").success());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn tcp_peer(port: u16) -> Arc<dyn Peer> {
    Arc::new(tcp::TcpPeer::new(&format!("amp://127.0.0.1:{port}"), tcp::ClientOptions::default()).expect("a URL"))
}

fn http_peer(port: u16) -> Arc<dyn Peer> {
    Arc::new(http::HttpPeer::new(&format!("http://127.0.0.1:{port}"), http::ClientOptions::default()).expect("a URL"))
}

fn client(peer: Arc<dyn Peer>) -> Client {
    let requester = Requester::new(did("caller"), key("caller"), Arc::new(keys()));
    Client::new(requester, did("provider"), peer)
}

fn target(name: &str) -> Target {
    Target::Id(format!("org.example.{name}:1.0.0").parse().expect("an id"))
}

fn invoke(name: &str, params: serde_json::Value) -> CapInvoke {
    CapInvoke { target: target(name), params: Value::from_json(&params), timeout_ms: None }
}

/// The code of the failure of an invocation.
async fn failure(client: &Client, invoke: &CapInvoke) -> (bool, u64) {
    match client.invoke(invoke, None).await.expect_err("a failure") {
        ClientError::Refused(error) => (false, error.code),
        ClientError::Failed(error) => {
            let text = format!("{error:?}");
            assert!(!text.contains("secret") && !text.contains("s3cr3t"), "{text}");
            (true, error.code)
        }
        error => panic!("{error:?}"),
    }
}

#[tokio::test]
async fn capabilities_are_found_negotiated_and_invoked() {
    let process = Process::start();
    for (carrier, client) in process.clients() {
        let filter = Filter { type_alias: Some("many".to_owned()), capability: None, version: None };
        let query = CapQuery { limit: Some(2), ..CapQuery::new(filter) };
        let page = client.query(&query).await.expect("a page");
        assert_eq!((page.capabilities.len(), page.cursor.is_some()), (2, true), "{carrier}");
        let found = client.query_all(query, 100).await.expect("all pages");
        let versions: Vec<_> = found.iter().map(|descriptor| descriptor.id.version.minor).collect();
        assert_eq!(versions, (0..u64::from(VERSIONS)).rev().collect::<Vec<_>>(), "{carrier}");

        let hints = Hints { range: Some("<1.3.0".parse().expect("a range")), ..Hints::default() };
        let capability = NameOrType::Type("many".to_owned());
        let params = Value::from_json(&json!({"key": 7}));
        let negotiated = CapInvoke { target: Target::Negotiate { capability, hints }, params, timeout_ms: None };
        assert_eq!(client.invoke(&negotiated, None).await.expect("a result").to_json(), Ok(json!({"key": 7})));
    }
}

#[tokio::test]
async fn the_example_is_invoked_through_its_generated_types() {
    let process = Process::start();
    for (carrier, client) in process.clients() {
        let target = || Target::Id("com.example.reviewer.review-change:1.2.0".parse().expect("an id"));
        let change = Change::Added(ChangeAdded::new("fn main() {\n    run().unwrap();\n}"));
        let files = [("src/main.rs".to_owned(), change)];
        let request = ReviewChangeRequest::new(ReviewChangeRequestRequired {
            repository: "https://example.com/shop".to_owned(),
            files: files.into(),
        });
        let review = client.call::<ReviewChange>(target(), &request).await.expect("a review");
        assert_eq!((review.findings.len(), review.findings[0].line), (1, Some(2)), "{carrier}");

        let mut invalid = request.clone();
        invalid.repository = "not a URL".to_owned();
        let error = client.call::<ReviewChange>(target(), &invalid).await.expect_err("an invalid request");
        assert!(matches!(error, TypedError::Request(_)), "{carrier}: {error:?}");
        // A program without validation sends it, and the provider refuses it.
        let params = Value::from_json(&json!({"repository": "not a URL", "files": {}}));
        let invoke = CapInvoke { target: target(), params, timeout_ms: None };
        assert_eq!(failure(&client, &invoke).await, (false, 4004), "{carrier}");
    }
}

#[tokio::test]
async fn every_failure_has_its_code() {
    let process = Process::start();
    for (carrier, client) in process.clients() {
        for (name, is_accepted, code) in [
            ("invalid-result", true, 5001),
            ("fail", true, 5001),
            ("panic", true, 5001),
            ("slow", true, 5003),
            ("count", false, 4004),
            ("nothing", false, 4002),
        ] {
            assert_eq!(failure(&client, &invoke(name, json!({}))).await, (is_accepted, code), "{carrier}: {name}");
        }
        let mut other = invoke("count", json!({"key": 1}));
        other.target = Target::Id("org.example.count:9.0.0".parse().expect("an id"));
        assert_eq!(failure(&client, &other).await, (false, 4003), "{carrier}");
    }
}

#[tokio::test]
async fn a_shutdown_lets_invocations_end_and_then_ends_them() {
    for carrier in 0..2 {
        let mut process = Process::start();
        let [amp, http] = process.clients();
        let client = Arc::new(if carrier == 0 { amp.1 } else { http.1 });
        let pause = |ms: u64| {
            let client = Arc::clone(&client);
            tokio::spawn(async move { client.invoke(&invoke("pause", json!({"ms": ms})), None).await })
        };
        let (short, long) = (pause(600), pause(60_000));
        tokio::time::sleep(Duration::from_millis(300)).await;
        process.shut_down(1500);
        let short = short.await.expect("a task").expect("a result");
        assert_eq!(short.to_json(), Ok(json!("done")), "{carrier}");
        match long.await.expect("a task") {
            Err(ClientError::Failed(error)) => assert_eq!(error.code, 5002, "{carrier}"),
            other => panic!("{carrier}: {other:?}"),
        }
        process.wait();
    }
}

/// Whether the connections are cut after the end of a call, and how long after it.
fn cut_after(number: usize) -> Option<Duration> {
    let mut random = Random::new(number as u64);
    random.one_in(30).then(|| Duration::from_millis(random.below(8) as u64))
}

/// Calls while a proxy cuts all connections, many times. Each cut follows the end of a call, not a time: so calls end
/// between the cuts, however slow the machine is.
async fn calls_with_cuts(process: &Process, carrier: usize) {
    let proxy = Arc::new(Proxy::start(process.ports[carrier]));
    let peer = if carrier == 0 { tcp_peer(proxy.port()) } else { http_peer(proxy.port()) };
    let client = Arc::new(client(peer).with_timeout(Duration::from_secs(60)));
    let next = Arc::new(AtomicUsize::new(0));
    let tasks: Vec<_> = (0..TASKS)
        .map(|_| {
            let (client, next, proxy) = (Arc::clone(&client), Arc::clone(&next), Arc::clone(&proxy));
            tokio::spawn(async move {
                loop {
                    let number = next.fetch_add(1, Ordering::AcqRel);
                    if number >= CALLS {
                        return;
                    }
                    let key = carrier * CALLS + number;
                    let result = client.invoke(&invoke("count", json!({"key": key})), None).await;
                    let result = result.unwrap_or_else(|error| panic!("call {key}: {error:?}"));
                    assert_eq!(result.to_json(), Ok(json!({"runs": 1})), "call {key} ran more than once");
                    if let Some(pause) = cut_after(number) {
                        tokio::time::sleep(pause).await;
                        proxy.cut();
                    }
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("every call has its result");
    }
    println!("carrier {carrier}: {CALLS} calls, each ran once and has one result; {} cuts", proxy.cuts());
    assert!(proxy.cuts() > 100, "only {} cuts", proxy.cuts());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_of_many_calls_has_one_result_although_connections_are_cut() {
    let process = Process::start();
    calls_with_cuts(&process, 0).await;
    calls_with_cuts(&process, 1).await;
}
