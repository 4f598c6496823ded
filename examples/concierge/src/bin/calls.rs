//! Calls the agent `reviewer`: a call that succeeds, one with an invalid request, one whose response is invalid, and one that is not
//! answered in time.
//!
//! `calls --audit FILE` runs the agent in the same process, over the transport `memory`. `calls --nats URL --audit FILE` calls the
//! agent in another process, and the agent `pr-reviewer`, which is a Node program, if `--node` follows.

#[path = "../../../../generated/pr-reviewer.rs"]
mod pr_reviewer;
#[path = "../../../../generated/reviewer.rs"]
mod reviewer_contract;

use std::error::Error;
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use capgen::call::{
    Audit as _, CallError, CallOptions, Client, EmbeddedFleet, Handlers, MemoryBroker, PeerTable, Server,
    SubscribeOptions, Transport as _, TransportSettings,
};
use capgen_audit::SqliteAudit;
use capgen_nats::{NatsOptions, NatsTransport};
use pr_reviewer::{ReviewPr, ReviewPrRequest, ReviewPrRequestRequired, ReviewPrRequestSeverity};
use reviewer::serve;
use reviewer_contract::{Change, ChangeEdited, ReviewChange, ReviewChangeRequest, ReviewChangeRequestRequired};
use serde_json::json;

/// The program contains its peers, and runs without their files.
const FLEET: EmbeddedFleet = capgen::include_fleet!("../fleet", "../fleet/rpc-peers.yaml");

const USAGE: &str = "usage: calls [--nats <URL>] --audit <FILE> [--node]";

#[tokio::main]
#[expect(clippy::print_stderr, reason = "a program reports its errors")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments.as_slice() {
        ["--audit", file] => in_one_process(file).await,
        ["--nats", url, "--audit", file] => over_nats(url, file, false).await,
        ["--nats", url, "--audit", file, "--node"] => over_nats(url, file, true).await,
        ["--help" | "-h"] => {
            print(USAGE);
            return ExitCode::SUCCESS;
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Four calls over the transport `memory`.
async fn in_one_process(file: &str) -> Result<(), Box<dyn Error>> {
    let audit = Arc::new(SqliteAudit::open(file)?);
    let broker = MemoryBroker::new();
    let agent = Server::builder(serve::handlers()).listen(broker.connect(), serve::REQUESTS);
    let agent = agent.without_authorization().start().await?;
    let concierge = client(&broker, serve::REQUESTS, &audit).await?;

    report("a valid request", &concierge.call::<ReviewChange>(&change()).await);
    print(&format!("   messages that the agent received: {}\n", agent.stats().received));

    report("an invalid request", &concierge.call::<ReviewChange>(&too_many_findings()).await);
    print(&format!("   messages that the agent received: {}\n", agent.stats().received));

    // An older version of the agent, from before it had schemas: nothing validates its response but the caller.
    let old = Handlers::new("reviewer").with_loose("review-change", async |_, _| Ok(json!({"verdict": "fine"})));
    let _old = Server::builder(old).listen(broker.connect(), "reviewer-0.requests").start().await?;
    let concierge = client(&broker, "reviewer-0.requests", &audit).await?;
    report("an invalid response", &concierge.call::<ReviewChange>(&change()).await);
    print("");

    // Something that receives requests, and never answers.
    let stuck = broker.connect();
    let _requests = stuck.subscribe("stuck.requests", SubscribeOptions::default()).await?;
    let concierge = client(&broker, "stuck.requests", &audit).await?;
    let options = CallOptions::new().timeout(Duration::from_millis(100));
    report("a request without an answer", &concierge.call_with::<ReviewChange>(&change(), &options).await);

    audit.flush().await?;
    agent.shutdown(Duration::from_secs(5)).await;
    Ok(())
}

/// The same valid and invalid request over NATS; with `--node`, also one to the Node program.
async fn over_nats(url: &str, file: &str, calls_node: bool) -> Result<(), Box<dyn Error>> {
    let audit = Arc::new(SqliteAudit::open(file)?);
    let transport = NatsTransport::connect(NatsOptions::new([url])).await?;
    let peers = PeerTable::new().with_embedded(&FLEET)?;
    let concierge = Client::builder("concierge").transport(transport).peers(peers).audit(audit.clone()).build().await?;
    report("a valid request", &concierge.call::<ReviewChange>(&change()).await);
    report("an invalid request", &concierge.call::<ReviewChange>(&too_many_findings()).await);
    if calls_node {
        let request = ReviewPrRequest::new(ReviewPrRequestRequired {
            pr_url: "https://github.com/example/shop/pull/7".to_owned(),
            severity: ReviewPrRequestSeverity::High,
        });
        report("a request to a Node program", &concierge.call::<ReviewPr>(&request).await);
    }
    audit.flush().await?;
    Ok(())
}

/// The client of this program, which reaches the reviewer at an address.
async fn client(broker: &MemoryBroker, address: &str, audit: &Arc<SqliteAudit>) -> Result<Client, Box<dyn Error>> {
    let transports = vec![TransportSettings::memory(address)];
    let peers = PeerTable::new().with_embedded(&FLEET)?.with_transports(&"reviewer".parse()?, transports);
    let client = Client::builder("concierge").transport(broker.connect()).peers(peers).audit(audit.clone());
    Ok(client.build().await?)
}

fn change() -> ReviewChangeRequest {
    let edited = ChangeEdited::new("-total()?\n+total().unwrap()");
    let files = [("src/total.rs".to_owned(), Change::Edited(edited))];
    ReviewChangeRequest::new(ReviewChangeRequestRequired {
        repository: "https://github.com/example/shop".to_owned(),
        files: files.into(),
    })
}

/// `limit` is at least 1.
fn too_many_findings() -> ReviewChangeRequest {
    let mut change = change();
    change.limit = Some(Some(0));
    change
}

fn report<T: std::fmt::Debug>(name: &str, result: &Result<T, CallError>) {
    match result {
        Ok(response) => print(&format!("{name}: ok\n   {response:?}")),
        Err(error) => {
            print(&format!("{name}: {}", error.status.as_str()));
            for line in error.to_string().lines() {
                print(&format!("   {line}"));
            }
            if let Some(response) = error.response() {
                print(&format!("   the response as it arrived: {}", String::from_utf8_lossy(response)));
            }
        }
    }
}

/// Prints a line. The reader of the output may have gone, such as `head`.
fn print(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
