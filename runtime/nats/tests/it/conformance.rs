//! NATS as a transport.

use std::sync::Arc;

use capgen_call::{Transport, conformance};
use capgen_nats::{NatsOptions, NatsTransport};
use capgen_testkit::brokers::NatsServer;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nats_conforms_to_the_suite_of_transports() {
    let Some(server) = NatsServer::start() else { return };
    let url = server.url();
    let report = conformance::run(&|| {
        let url = url.clone();
        Box::pin(async move {
            let transport: Arc<dyn Transport> = Arc::new(NatsTransport::connect(NatsOptions::new([url])).await?);
            Ok(transport)
        })
    })
    .await;
    assert!(report.passed(), "{report}");
}

#[tokio::test]
async fn nats_conforms_on_a_single_thread() {
    let Some(server) = NatsServer::start_with("max_payload: 65536") else { return };
    let url = server.url();
    let report = conformance::run(&|| {
        let url = url.clone();
        Box::pin(async move {
            let transport: Arc<dyn Transport> = Arc::new(NatsTransport::connect(NatsOptions::new([url])).await?);
            Ok(transport)
        })
    })
    .await;
    assert!(report.passed(), "{report}");
}
