//! The cases of `tests/conformance/calls`, which implementations in every language run unchanged: providers in Rust
//! and generated servers, and callers in Rust and generated clients, all of them over memory and NATS.

mod caller;
mod case;
mod node_caller;
mod node_provider;
mod rust_caller;
mod rust_provider;
mod sender;
mod wire;

use std::path::PathBuf;
use std::sync::Arc;

use capgen::call::{MemoryBroker, Transport};
use capgen_nats::{NatsOptions, NatsTransport};
use capgen_testkit::brokers::NatsServer;
use capgen_tests::node;

use caller::CallerCase;
use case::Case;
use node_caller::NodeCaller;
use node_provider::NodeProvider;
use rust_caller::RustCaller;
use rust_provider::RustProvider;

/// The folder of the cases.
fn folder() -> PathBuf {
    capgen_tests::folder().join("conformance/calls")
}

/// The errors of cases, as one text.
fn assert_passed(provider: &str, failed: &[String]) {
    assert!(failed.is_empty(), "{} cases failed with {provider}:\n{}", failed.len(), failed.join("\n"));
}

#[tokio::test]
async fn providers_in_rust_pass_the_cases_over_memory() {
    let mut failed = Vec::new();
    for case in Case::all() {
        let broker = MemoryBroker::new();
        let connect = || Arc::new(broker.connect()) as Arc<dyn Transport>;
        failed.extend(in_rust(&case, connect(), connect()).await.err());
    }
    assert_passed("Rust over memory", &failed);
}

#[tokio::test]
async fn providers_in_rust_pass_the_cases_over_nats() {
    let Some(server) = NatsServer::start() else { return };
    let mut failed = Vec::new();
    for case in Case::all() {
        failed.extend(in_rust(&case, connected(&server).await, connected(&server).await).await.err());
    }
    assert_passed("Rust over NATS", &failed);
}

/// Parts of the messages of providers that do not start, and the code of two capabilities with one name and one
/// version.
const REASONS: [&str; 3] = ["two handlers for version", "does not know who has", "E0208"];

/// The error of a case whose provider does not start.
fn not_started(case: &Case, error: &str) -> Result<(), String> {
    let is_expected = !case.provider.starts && REASONS.iter().any(|reason| error.contains(reason));
    if is_expected { Ok(()) } else { Err(case.error(error)) }
}

async fn in_rust(case: &Case, provider: Arc<dyn Transport>, caller: Arc<dyn Transport>) -> Result<(), String> {
    match RustProvider::start(case, provider, caller).await {
        Ok(_) if !case.provider.starts => Err(case.error("the provider starts")),
        Ok(mut provider) => case.run(&mut provider).await,
        Err(error) => not_started(case, &error),
    }
}

async fn in_typescript(case: &Case, provider: &mut NodeProvider, prepared: Result<(), String>) -> Result<(), String> {
    match prepared {
        Ok(()) if !case.provider.starts => Err(case.error("the provider starts")),
        Ok(()) => case.run(provider).await,
        Err(error) => not_started(case, &error),
    }
}

#[tokio::test]
async fn providers_in_typescript_pass_the_cases() {
    let Some(mut provider) = NodeProvider::start("providers") else { return };
    let mut failed = Vec::new();
    for case in Case::all() {
        let prepared = provider.prepare(&case);
        failed.extend(in_typescript(&case, &mut provider, prepared).await.err());
    }
    assert_passed("TypeScript", &failed);
}

// Waiting for Node blocks a thread, and the transport needs another one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn providers_in_typescript_pass_the_cases_over_nats() {
    if node::require_or_skip().unwrap().is_none() {
        return;
    }
    let Some(mut provider) = NodeProvider::start("providers-nats") else { return };
    let Some(server) = NatsServer::start() else { return };
    let mut failed = Vec::new();
    for case in Case::all() {
        let caller = connected(&server).await;
        let prepared = provider.prepare_over_nats(&case, &server.url(), Arc::clone(&caller)).await;
        failed.extend(in_typescript(&case, &mut provider, prepared).await.err());
        caller.close().await;
    }
    assert_passed("TypeScript over NATS", &failed);
}

#[tokio::test]
async fn callers_in_rust_pass_the_cases_over_memory() {
    let mut failed = Vec::new();
    for case in CallerCase::all() {
        let broker = MemoryBroker::new();
        let [client, provider] = [(); 2].map(|()| Arc::new(broker.connect()) as Arc<dyn Transport>);
        let mut caller = RustCaller::start(&case, client, provider).await;
        failed.extend(case.run(&mut caller).await.err());
    }
    assert_passed("Rust over memory", &failed);
}

/// A new connection to a server of NATS.
async fn connected(server: &NatsServer) -> Arc<dyn Transport> {
    Arc::new(NatsTransport::connect(NatsOptions::new([server.url()])).await.unwrap())
}

#[tokio::test]
async fn callers_in_rust_pass_the_cases_over_nats() {
    let Some(server) = NatsServer::start() else { return };
    let mut failed = Vec::new();
    for case in CallerCase::all() {
        let (client, provider) = (connected(&server).await, connected(&server).await);
        let mut caller = RustCaller::start(&case, client, Arc::clone(&provider)).await;
        failed.extend(case.run(&mut caller).await.err());
        provider.close().await;
    }
    assert_passed("Rust over NATS", &failed);
}

// Waiting for Node blocks a thread, and the transport needs another one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_in_typescript_pass_the_cases_over_nats() {
    if node::require_or_skip().unwrap().is_none() {
        return;
    }
    let Some(mut caller) = NodeCaller::start("callers-nats") else { return };
    let Some(server) = NatsServer::start() else { return };
    let mut failed = Vec::new();
    for case in CallerCase::all() {
        let provider = connected(&server).await;
        caller.prepare_over_nats(&case, &server.url(), Arc::clone(&provider)).await;
        failed.extend(case.run(&mut caller).await.err());
        provider.close().await;
    }
    assert_passed("TypeScript over NATS", &failed);
}

#[tokio::test]
async fn callers_in_typescript_pass_the_cases() {
    let Some(mut caller) = NodeCaller::start("callers") else { return };
    let mut failed = Vec::new();
    for case in CallerCase::all() {
        caller.prepare(&case);
        failed.extend(case.run(&mut caller).await.err());
    }
    assert_passed("TypeScript", &failed);
}

#[test]
fn the_page_has_a_row_for_each_case() {
    let page = std::fs::read_to_string(folder().join("README.md")).unwrap();
    let providers: Vec<String> = Case::all().iter().map(Case::row).collect();
    let callers: Vec<String> = CallerCase::all().iter().map(CallerCase::row).collect();
    for table in [providers.join("\n"), callers.join("\n")] {
        assert!(page.contains(&table), "tests/conformance/calls/README.md must have these rows:\n{table}");
    }
}
