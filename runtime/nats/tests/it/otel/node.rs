//! A call of a client in Rust to a server in Node.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Stdio};

use capgen_call::CapabilityContract;
use capgen_testkit::brokers::NatsServer;
use capgen_testkit::{node, npm};
use opentelemetry::trace::{FutureExt as _, TraceContextExt as _};
use serde_json::json;

use super::collector::{Collector, texts};
use super::{CLIENT, INTERNAL, SERVER, SERVICE, client_of, of_kind, root};
use crate::common::connect;

/// The agent `reviewer` in Node, which sends its spans and metrics to the collector.
struct NodeServer(Child);

impl NodeServer {
    /// Starts it, and waits until it receives requests; `None` without Node or npm.
    fn start(nats: &NatsServer, address: &str, collector: &str) -> Option<Self> {
        if !npm::is_installed() {
            return None;
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        npm::install(&root.join("tests/node")).unwrap();
        let mut command = node::command();
        command.arg(root.join("tests/node/traced_server.mjs")).arg(root.join("generated/calls/reviewer.ts"));
        command.args([nats.url().as_str(), address, collector]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        Some(Self(child))
    }

    /// Stops it, after it has sent its spans and metrics.
    fn stop(mut self) {
        drop(self.0.stdin.take());
        let mut rest = String::new();
        self.0.stdout.take().unwrap().read_to_string(&mut rest).unwrap();
        assert!(self.0.wait().unwrap().success(), "{rest}");
    }
}

impl Drop for NodeServer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_in_node_is_in_the_trace_of_its_caller_in_rust() {
    let Some(nats) = NatsServer::start() else { return };
    let collector = Collector::get();
    let Some(server) = NodeServer::start(&nats, "agents.node-reviewer", &collector.address) else { return };
    let contract = CapabilityContract::new("list-rules");
    let client = client_of(connect(&nats).await, "reviewer", contract, "agents.node-reviewer").await;
    let (root, trace) = root();
    for payload in [json!(null), json!("SECRET_CODE")] {
        client.call_json("reviewer", "list-rules", &payload).with_context(root.clone()).await;
    }
    root.span().end();
    server.stop();

    let spans = collector.spans(trace);
    let [root] = of_kind(&spans, "root", INTERNAL)[..] else { panic!("{spans:#?}") };
    let name = "reviewer/list-rules";
    let (calls, requests) = (of_kind(&spans, name, CLIENT), of_kind(&spans, name, SERVER));
    assert_eq!((calls.len(), requests.len()), (2, 2), "{spans:#?}");
    for (call, request) in calls.iter().zip(&requests) {
        assert_eq!((&call.parent_span_id, &request.parent_span_id), (&root.span_id, &call.span_id));
        // Both sides have the same attributes.
        assert_eq!(texts(&call.attributes), texts(&request.attributes));
        assert_eq!(texts(&call.attributes)["rpc.method"], name);
        // The span of the request is current while the handler runs.
        assert!(of_kind(&spans, "look", INTERNAL).iter().any(|look| look.parent_span_id == request.span_id));
    }
    let errors: Vec<_> = requests.iter().map(|span| texts(&span.attributes).get("error.type").copied()).collect();
    assert_eq!(errors, [None, Some("_OTHER")]);

    let metrics = collector.metrics();
    let outcomes = [(None, 1), (Some("_OTHER".to_owned()), 1)];
    assert_eq!(metrics.values(SERVICE, "rpc.client.call.duration", Some(name)), outcomes);
    assert_eq!(metrics.values("node-reviewer", "rpc.server.call.duration", Some(name)), outcomes);
    assert_eq!(metrics.values(SERVICE, "capgen.client.active_calls", Some(name)), [(None, 0)]);
    assert_eq!(metrics.values("node-reviewer", "capgen.server.active_requests", Some(name)), [(None, 0)]);
    assert!(!metrics.to_text().contains("SECRET_CODE"), "a peer cannot create labels");
}
