//! The programs in `examples/console` compile and run.

use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use capgen::call::{Client, Context, Failure, Handlers, PeerTable, Retry, Server, Status};
use capgen::{Capability, Descriptor, OwnedDescriptor};
use capgen_manifest::{AgentId, TransportSettings};
use capgen_nats::{NatsOptions, NatsTransport};
use capgen_testkit::brokers::NatsServer;
use capgen_testkit::npm;
use capgen_tests::{Failure as TestFailure, folder, node};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};

#[allow(dead_code, reason = "the tests use only a part")]
#[path = "../../../generated/calls/pr-reviewer.rs"]
mod pr_reviewer;
#[allow(dead_code, reason = "the tests use only a part")]
#[path = "../../../generated/calls/reviewer.rs"]
mod reviewer;

use pr_reviewer::{
    PrReviewerClient, ReviewPrRequest, ReviewPrRequestRequired, ReviewPrRequestSeverity, ReviewPrResponseVerdict,
};

fn run(script: &Path, arguments: &[&Path]) -> Result<Output, TestFailure> {
    Ok(capgen_testkit::node::command().arg(script).args(arguments).output()?)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace("\r\n", "\n")
}

/// Compiles the programs; the result is the path of one of them.
fn compiled(out: &Path, name: &str) -> Result<PathBuf, TestFailure> {
    let project = folder().join("../examples/console");
    npm::install(&project)?;
    let compiler = folder().join("node/node_modules/typescript/bin/tsc");
    let compiled = run(&compiler, &["-p".as_ref(), &project, "--outDir".as_ref(), out])?;
    assert!(compiled.status.success(), "{}", text(&compiled.stdout));
    std::fs::copy(project.join("package.json"), out.join("package.json"))?;
    let modules = project.canonicalize()?.join("node_modules");
    #[cfg(unix)]
    std::os::unix::fs::symlink(modules, out.join("node_modules"))?;
    #[cfg(windows)]
    std::os::windows::fs::symlink_dir(modules, out.join("node_modules"))?;
    Ok(out.join("examples/console/src").join(name))
}

#[test]
fn the_node_program_type_checks_and_runs_on_generated_types() -> Result<(), TestFailure> {
    let Some(_) = node::require_or_skip()? else { return Ok(()) };
    let out = tempfile::tempdir()?;
    let ran = run(&compiled(out.path(), "main.js")?, &[])?;
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    let printed = text(&ran.stdout);
    for line in [
        r#"where (price < 20 and not stock.warehouse in ["closed",null])"#,
        "=> p-17 (products), without a picture",
        "=> 1 of 1 are blue",
        "=> ada@example.com: queued",
        "=> +4915112345678: queued",
        "=> approve, 0 findings",
        r#"rejected: /findings: missing required property "findings""#,
    ] {
        assert!(printed.lines().any(|printed| printed == line), "no line `{line}` in\n{printed}");
    }
    Ok(())
}

/// The agent that the Node program calls.
struct Reviewer;

impl reviewer::Reviewer for Reviewer {
    async fn review_change(
        &self,
        context: Context,
        request: reviewer::ReviewChangeRequest,
    ) -> Result<reviewer::ReviewChangeResponse, Failure> {
        assert_eq!((context.caller(), request.files.len()), ("console", 1));
        let required =
            reviewer::ReviewChangeResponseRequired { verdict: reviewer::Verdict::Approve, findings: Vec::new() };
        Ok(reviewer::ReviewChangeResponse::new(required))
    }

    async fn list_rules(
        &self,
        _: Context,
        _: reviewer::ListRulesRequest,
    ) -> Result<reviewer::ListRulesResponse, Failure> {
        Err(Failure::new("NO_RULES", "this reviewer has no rules"))
    }
}

/// A later version of `review-change`, which accepts more requests.
struct Lenient;

impl Capability for Lenient {
    type Request = Value;
    type Response = Value;
    const NAME: &'static str = "review-change";

    fn descriptor() -> &'static Descriptor {
        static DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| {
            let schema = reviewer::ReviewChange::DESCRIPTOR.input_schema.unwrap();
            let schema: &'static str = schema.replace("\"repository\",", "").leak();
            let mut descriptor = OwnedDescriptor::from(&reviewer::ReviewChange::DESCRIPTOR);
            descriptor.input_schema = Some(schema.to_owned());
            let hash = capgen_manifest::Capability::from_descriptor(&descriptor).unwrap().hash().to_string();
            let response = reviewer::ReviewChange::DESCRIPTOR.output_schema.unwrap();
            Descriptor::new("reviewer", "review-change", hash.leak())
                .with_version(reviewer::ReviewChange::DESCRIPTOR.version.unwrap())
                .with_input_schema(schema)
                .with_output_schema(response)
        });
        &DESCRIPTOR
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn node_and_rust_call_each_other_over_nats() -> Result<(), TestFailure> {
    let Some(_) = node::require_or_skip()? else { return Ok(()) };
    let Some(broker) = NatsServer::start() else { return Ok(()) };
    let out = tempfile::tempdir()?;
    let program = compiled(out.path(), "calls.js")?;
    let node = |mode: &str| {
        let mut node = tokio::process::Command::from(capgen_testkit::node::command());
        node.arg(&program).args([mode, &broker.url()]).kill_on_drop(true).stdout(Stdio::piped()).stderr(Stdio::piped());
        node
    };

    // Rust calls Node.
    let mut serving = node("serve").spawn()?;
    let mut lines = BufReader::new(serving.stdout.take().ok_or("no output")?).lines();
    let first = tokio::time::timeout(Duration::from_secs(30), lines.next_line()).await??;
    assert_eq!(first.as_deref(), Some("serving agents.pr-reviewer.requests"));
    let transport = Arc::new(NatsTransport::connect(NatsOptions::new([broker.url()])).await?);
    let peers = PeerTable::new();
    let id = AgentId::new("pr-reviewer").ok_or("an id")?;
    let subjects = vec![TransportSettings::nats(&[&broker.url()], "agents.pr-reviewer.requests")];
    let client = Client::builder("concierge").transport(transport.clone()).peers(peers.with_transports(&id, subjects));
    let client = PrReviewerClient::new(client.build().await?);
    let severity = ReviewPrRequestSeverity::High;
    let request = |url: &str| ReviewPrRequest::new(ReviewPrRequestRequired { pr_url: url.to_owned(), severity });
    let response = client.review_pr(&request("https://github.com/example/shop/pull/7")).await?;
    assert_eq!(response.verdict, ReviewPrResponseVerdict::RequestChanges);
    assert_eq!(response.summary, "concierge asked for a review of https://github.com/example/shop/pull/7.");
    let error = client.review_pr(&request("https://example.com")).await.unwrap_err();
    assert_eq!((error.status, error.code.as_str()), (Status::Error, "NOT_ON_GITHUB"));
    serving.kill().await?;

    // Node calls Rust: first no one answers, then the agent.
    let call = || async { node("call").output().await };
    let printed = call().await?;
    assert!(text(&printed.stdout).starts_with("a valid request: error\n   EAGENTRPC_NO_PEER: "), "{printed:?}");
    let handlers = reviewer::reviewer_handlers(Reviewer);
    let server = Server::builder(handlers).listen(transport, "reviewer.requests");
    let server = server.without_authorization().start().await?;
    let printed = call().await?;
    let expected = "a valid request: ok
   {\"verdict\":\"approve\",\"findings\":[]}
an invalid request: schema-violation
   EAGENTRPC_SCHEMA_VIOLATION: the request violates its schema
   /limit: must be at least 1, got 0
   /repository: must be a valid uri, got \"shop\"
";
    assert_eq!(text(&printed.stdout), expected, "{}", text(&printed.stderr));
    assert_eq!(server.stats().received, 1, "the invalid request was not sent");
    server.shutdown(Duration::from_secs(5)).await;

    // A later version of the agent, whose contract differs and which compares contracts: it asks for the caller's, and
    // accepts it.
    let review = json!({"verdict": "approve", "findings": []});
    let handlers = Handlers::new("reviewer").with::<Lenient, _, _>(move |_, _| std::future::ready(Ok(review.clone())));
    let transport = Arc::new(NatsTransport::connect(NatsOptions::new([broker.url()])).await?);
    let server = Server::builder(handlers)
        .skew(capgen::call::Skew::Strict)
        .listen(transport, "reviewer.requests")
        .start()
        .await?;
    let printed = call().await?;
    assert_eq!(text(&printed.stdout), expected, "{}", text(&printed.stderr));
    assert_eq!((server.stats().received, server.stats().handled), (2, 1));
    Ok(())
}

/// A server in Node whose handler prints its runs, and waits: for a time, or until its call is cancelled.
const WAITING: &str = r#"
import { connect } from "@nats-io/transport-node";
import { createPrReviewerServer } from "../../../generated/calls/pr-reviewer.js";
import { serveNats } from "@capgen/nats";
const reviewPr = async ({ severity }, { signal }) => {
  console.log(`run ${severity}`);
  if (severity === "med") await new Promise((resolve) => setTimeout(resolve, 1500));
  if (severity === "low") await new Promise((resolve) => signal.addEventListener("abort", resolve));
  console.log(`end ${severity}`);
  return { verdict: "approve", summary: severity };
};
const connection = await connect({ servers: process.argv[2] });
const server = createPrReviewerServer({ reviewPr }, { receivesControl: true });
await serveNats(connection, server, { subject: "agents.pr-reviewer.requests", queue: "pr-reviewer" });
console.log("serving");
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_in_node_shows_that_it_runs_and_can_be_cancelled() -> Result<(), TestFailure> {
    let Some(_) = node::require_or_skip()? else { return Ok(()) };
    let Some(broker) = NatsServer::start() else { return Ok(()) };
    let out = tempfile::tempdir()?;
    let program = compiled(out.path(), "waiting.js")?;
    std::fs::write(&program, WAITING)?;
    let mut serving = tokio::process::Command::from(capgen_testkit::node::command());
    let mut serving = serving.arg(&program).arg(broker.url()).kill_on_drop(true).stdout(Stdio::piped()).spawn()?;
    let mut lines = BufReader::new(serving.stdout.take().ok_or("no output")?).lines();
    let mut line = async || -> Result<String, TestFailure> {
        let line = tokio::time::timeout(Duration::from_secs(30), lines.next_line()).await??;
        line.ok_or_else(|| "the program ended".into())
    };
    assert_eq!(line().await?, "serving");
    let transport = Arc::new(NatsTransport::connect(NatsOptions::new([broker.url()])).await?);
    let id = AgentId::new("pr-reviewer").ok_or("an id")?;
    let subjects = vec![TransportSettings::nats(&[&broker.url()], "agents.pr-reviewer.requests")];
    let retry = Retry::attempts(3).heartbeat(Duration::from_millis(250));
    let client = Client::builder("concierge").transport(transport).retry(retry);
    let client = client.peers(PeerTable::new().with_transports(&id, subjects)).build().await?;
    let client = PrReviewerClient::new(client);
    let request = |severity| {
        let pr_url = "https://github.com/example/shop/pull/7".to_owned();
        ReviewPrRequest::new(ReviewPrRequestRequired { pr_url, severity })
    };

    // The first answer announces heartbeats, so that silence would mean a second attempt.
    client.review_pr(&request(ReviewPrRequestSeverity::High)).await?;
    assert_eq!((line().await?, line().await?), ("run high".to_owned(), "end high".to_owned()));
    client.review_pr(&request(ReviewPrRequestSeverity::Med)).await?;
    assert_eq!((line().await?, line().await?), ("run med".to_owned(), "end med".to_owned()));

    let low = request(ReviewPrRequestSeverity::Low);
    let dropped = tokio::time::timeout(Duration::from_millis(500), client.review_pr(&low)).await;
    assert!(dropped.is_err());
    assert_eq!((line().await?, line().await?), ("run low".to_owned(), "end low".to_owned()));
    Ok(())
}
