//! A client and a server of `examples/fleet` over `memory`, in one thread: the size of this program and the
//! instructions of its calls show the cost of a feature. The argument is the number of calls (1,000).

use std::sync::Arc;

use capgen::call::{AgentId, Client, Handlers, MemoryBroker, PeerTable, Server, TransportSettings};

#[path = "../../../../generated/pr-reviewer.rs"]
mod pr_reviewer;

use pr_reviewer::{
    ReviewPr, ReviewPrRequest, ReviewPrRequestRequired, ReviewPrRequestSeverity, ReviewPrResponse,
    ReviewPrResponseRequired, ReviewPrResponseVerdict,
};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let calls = std::env::args().nth(1).map_or(1_000, |calls| calls.parse().expect("a number of calls"));
    let broker = MemoryBroker::new();
    let handlers = Handlers::new("pr-reviewer").with::<ReviewPr, _, _>(async |_, _| {
        let summary = "The change is fine, and it has tests.".to_owned();
        let verdict = ReviewPrResponseVerdict::Approve;
        Ok(ReviewPrResponse::new(ReviewPrResponseRequired { verdict, summary }))
    });
    let server = Server::builder(handlers).listen(Arc::new(broker.connect()), "requests");
    let _server = server.start().await.expect("a server");
    let agent = AgentId::new("pr-reviewer").expect("an id");
    let peers = PeerTable::new().with_transports(&agent, vec![TransportSettings::memory("requests")]);
    let client = Client::builder("bench").transport(Arc::new(broker.connect())).peers(peers);
    let client = client.build().await.expect("a client");
    let request = ReviewPrRequest::new(ReviewPrRequestRequired {
        pr_url: "https://github.com/example/shop/pull/7".to_owned(),
        severity: ReviewPrRequestSeverity::High,
    });
    for _ in 0..calls {
        client.call::<ReviewPr>(&request).await.expect("a response");
    }
}
