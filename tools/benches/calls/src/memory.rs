//! Calls within the process.

use std::sync::Arc;

use capgen::Payload as _;
use capgen::call::{AgentId, Client, Handlers, MemoryBroker, PeerTable, Retry, Server, TransportSettings};
use tokio::sync::{mpsc, oneshot};

use crate::pr_reviewer::{
    ReviewPr, ReviewPrRequest, ReviewPrRequestRequired, ReviewPrRequestSeverity, ReviewPrResponse,
    ReviewPrResponseRequired, ReviewPrResponseVerdict,
};
use crate::{ROUNDS, Way, round, table};

pub(crate) fn request() -> ReviewPrRequest {
    ReviewPrRequest::new(ReviewPrRequestRequired {
        pr_url: "https://github.com/example/shop/pull/7".to_owned(),
        severity: ReviewPrRequestSeverity::High,
    })
}

pub(crate) fn response() -> ReviewPrResponse {
    ReviewPrResponse::new(ReviewPrResponseRequired {
        verdict: ReviewPrResponseVerdict::Approve,
        summary: "The change is fine, and it has tests.".to_owned(),
    })
}

/// The agent with schemas, and the same capability without.
pub(crate) fn handlers() -> [Handlers; 2] {
    let typed = Handlers::new("pr-reviewer").with::<ReviewPr, _, _>(async |_, _| Ok(response()));
    let answer = serde_json::to_value(response()).expect("a response");
    let loose = Handlers::new("pr-reviewer").with_loose("review-pr", move |_, _| {
        let answer = answer.clone();
        async move { Ok(answer) }
    });
    [typed, loose]
}

pub(crate) async fn run() {
    let (typed, loose) = (MemoryBroker::new(), MemoryBroker::new());
    let mut servers = Vec::new();
    for (broker, handlers) in [&typed, &loose].into_iter().zip(handlers()) {
        let server = Server::builder(handlers).listen(Arc::new(broker.connect()), "requests");
        servers.push(server.start().await.expect("a server"));
    }
    let repeated = client(&typed, true, Some(Retry::attempts(3))).await;
    let (typed, loose) = (client(&typed, true, None).await, client(&loose, false, None).await);
    for concurrency in [1, 64] {
        let names = ["bare tokio channel", "loose", "with schemas", "with schemas, retries and heartbeats"];
        let mut ways = names.map(|name| Way { name, rounds: Vec::new() });
        for _ in 0..ROUNDS {
            let [bare, without, with, again] = &mut ways;
            bare.rounds.push(channel(concurrency).await);
            let client = loose.clone();
            let payload = serde_json::to_value(request()).expect("a request");
            without.rounds.push(
                round(concurrency, None, move || {
                    let (client, payload) = (client.clone(), payload.clone());
                    async move {
                        let result = client.call_json("pr-reviewer", "review-pr", &payload).await;
                        assert!(result.error.is_none(), "{result:?}");
                    }
                })
                .await,
            );
            with.rounds.push(round(concurrency, None, calls(&typed)).await);
            again.rounds.push(round(concurrency, None, calls(&repeated)).await);
        }
        table(&format!("memory, {concurrency} at a time"), &mut ways);
    }
}

/// Typed calls.
pub(crate) fn calls(
    client: &Client,
) -> impl Fn() -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>> + Clone + use<> {
    let client = client.clone();
    move || {
        let client = client.clone();
        Box::pin(async move {
            client.call::<ReviewPr>(&request()).await.expect("a response");
        })
    }
}

/// A request and a response as text through a channel, as programs without capgen do it: nothing is validated.
async fn channel(concurrency: usize) -> crate::Round {
    let (sender, mut receiver) = mpsc::channel::<(Vec<u8>, oneshot::Sender<Vec<u8>>)>(1024);
    tokio::spawn(async move {
        while let Some((_, reply)) = receiver.recv().await {
            let _ = reply.send(response().to_json().expect("a response"));
        }
    });
    round(concurrency, None, move || {
        let sender = sender.clone();
        async move {
            let (reply, answer) = oneshot::channel();
            sender.send((request().to_json().expect("a request"), reply)).await.expect("a receiver");
            answer.await.expect("an answer");
        }
    })
    .await
}

async fn client(broker: &MemoryBroker, has_contract: bool, retry: Option<Retry>) -> Client {
    let agent = AgentId::new("pr-reviewer").expect("an id");
    let transports = vec![TransportSettings::memory("requests")];
    let peers = PeerTable::new();
    let peers = if has_contract { peers } else { peers.with_manifest(&loose_manifest()) };
    let peers = peers.with_transports(&agent, transports);
    let client = Client::builder("bench").transport(Arc::new(broker.connect())).peers(peers);
    let client = if let Some(retry) = retry { client.retry(retry) } else { client };
    client.build().await.expect("a client")
}

/// The contract of the agent without schemas.
fn loose_manifest() -> capgen::call::Manifest {
    let agent = AgentId::new("pr-reviewer").expect("an id");
    let capability = capgen::call::CapabilityContract::new("review-pr");
    capgen::call::Manifest::new(agent, vec![TransportSettings::memory("requests")], vec![capability])
}
