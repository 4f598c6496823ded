//! The agent as a server.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use capgen::Checked;
use capgen::call::{Handlers, Server, Settings, termination};
use capgen_audit::SqliteAudit;
use capgen_nats::{Discovery, NatsOptions, NatsTransport, ServiceInfo};

use crate::{Focus, ListRules, ReviewChange, Rule, review};

/// The address of requests, on every transport.
pub const REQUESTS: &str = "reviewer.requests";

/// The handlers of the agent. The server has validated a request before its handler gets it, and validates the response before it is
/// sent.
pub fn handlers() -> Handlers {
    Handlers::new("reviewer")
        .with::<ReviewChange, _, _>(async |_, change| Ok(Checked(review(&change))))
        .with::<ListRules, _, _>(async |_, _| Ok(Checked(rules())))
}

/// The rules that the reviewer applies.
fn rules() -> Vec<Rule> {
    let summary = "Errors are returned, and not unwrapped.".to_owned();
    vec![Rule { id: "no-unwrap".to_owned(), summary, focus: Focus::Correctness }]
}

/// Serves requests over NATS until the process is asked to end, and records violations in the file `audit`.
///
/// # Errors
///
/// The broker or the file cannot be used.
#[tokio::main]
#[expect(clippy::print_stdout, reason = "the program that started this one waits for the line")]
pub async fn run(url: &str, audit: Option<&str>) -> Result<(), Box<dyn Error>> {
    let transport = NatsTransport::connect(NatsOptions::new([url])).await?;
    let handlers = handlers();
    let info = ServiceInfo::of(&handlers, env!("CARGO_PKG_VERSION"), REQUESTS);
    let settings = Settings::from_env()?;
    let server = Server::builder(handlers).listen(transport.clone(), REQUESTS).settings(&settings);
    // The contract requires the scope `code:read`. This example has no keys of agents, so that no caller could prove
    // it.
    let mut server = server.without_authorization();
    if let Some(file) = audit {
        server = server.audit(Arc::new(SqliteAudit::open(file)?));
    }
    let server = server.start().await?;
    let monitor = server.monitor();
    let discovery = Discovery::start(&transport, info, move |_| monitor.stats().into()).await?;
    println!("serving {REQUESTS}");
    termination().await?;
    drop(discovery);
    server.shutdown(Duration::from_secs(20)).await;
    Ok(())
}
