//! Calls over a real NATS server in another process.

use std::sync::Arc;

use bytes::Bytes;
use capgen::Payload as _;
use capgen::call::{AgentId, Client, PeerTable, Server, TransportSettings};
use capgen_nats::{NatsOptions, NatsTransport};
use capgen_test_brokers::NatsServer;
use futures_util::StreamExt as _;

use crate::memory::{calls, handlers, request, response};
use crate::{ROUNDS, Way, round, table};

pub(crate) async fn run() {
    let Some(broker) = NatsServer::start() else { return };
    let url = broker.url();
    let connect = async || Arc::new(NatsTransport::connect(NatsOptions::new([&url])).await.expect("a connection"));
    let [typed, _] = handlers();
    let _server = Server::builder(typed).listen(connect().await, "requests").start().await.expect("a server");
    let agent = AgentId::new("pr-reviewer").expect("an id");
    let peers = PeerTable::new().with_transports(&agent, vec![TransportSettings::nats(&[&url], "requests")]);
    let client = Client::builder("bench").transport(connect().await).peers(peers).build().await.expect("a client");

    let provider = async_nats::connect(&url).await.expect("a connection");
    let mut requests = provider.queue_subscribe("bare", "bare".to_owned()).await.expect("a subscription");
    tokio::spawn(async move {
        while let Some(message) = requests.next().await {
            let provider = provider.clone();
            // A task for each request, as servers with concurrent handlers have it; it reads the request and writes the response.
            tokio::spawn(async move {
                let _ = crate::pr_reviewer::ReviewPrRequest::from_json(&message.payload).expect("a request");
                let text = Bytes::from(response().to_json().expect("a response"));
                provider.publish(message.reply.expect("a reply address"), text).await.expect("a connection");
            });
        }
    });
    let bare = async_nats::connect(&url).await.expect("a connection");
    for concurrency in [1, 16, 64] {
        let mut ways = ["bare async-nats", "capgen"].map(|name| Way { name, rounds: Vec::new() });
        for _ in 0..ROUNDS {
            let [first, second] = &mut ways;
            let bare = bare.clone();
            first.rounds.push(
                round(concurrency, move || {
                    let bare = bare.clone();
                    async move {
                        let text = Bytes::from(request().to_json().expect("a request"));
                        let answer = bare.request("bare", text).await.expect("an answer");
                        let _ = crate::pr_reviewer::ReviewPrResponse::from_json(&answer.payload).expect("a response");
                    }
                })
                .await,
            );
            second.rounds.push(round(concurrency, calls(&client)).await);
        }
        table(&format!("NATS, {concurrency} at a time"), &mut ways);
    }
}
