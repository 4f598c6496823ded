//! The broker inside the program as a transport.

use std::sync::Arc;

use capgen_call::{MemoryBroker, Transport, conformance};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_conforms_to_the_suite_of_transports() {
    let broker = MemoryBroker::new();
    let report = conformance::run(&|| {
        let transport: Arc<dyn Transport> = Arc::new(broker.connect());
        Box::pin(async { Ok(transport) })
    })
    .await;
    assert!(report.passed(), "{report}");
}
