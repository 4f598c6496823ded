//! Calls over a real NATS server in another process, beside bare `async-nats`, gRPC and Connect.

use std::sync::Arc;

use async_nats::Message;
use capgen::call::{AgentId, Client, PeerTable, Retry, Server, TransportSettings};
use capgen_nats::{NatsOptions, NatsTransport};
use capgen_testkit::brokers::NatsServer;
use futures_util::StreamExt as _;

use crate::bare::{Messages, requests, serve};
use crate::memory::{calls, handlers};
use crate::{ROUNDS, Way, remote, round, table};

pub(crate) async fn run() {
    let Some(broker) = NatsServer::start() else { return };
    let url = broker.url();
    let connect = async || Arc::new(NatsTransport::connect(NatsOptions::new([&url])).await.expect("a connection"));
    let [typed, _] = handlers();
    let _server = Server::builder(typed).listen(connect().await, "requests").start().await.expect("a server");
    let agent = AgentId::new("pr-reviewer").expect("an id");
    let peers = PeerTable::new().with_transports(&agent, vec![TransportSettings::nats(&[&url], "requests")]);
    let client = async |retry: Option<Retry>| {
        let client = Client::builder("bench").transport(connect().await).peers(peers.clone());
        let client = if let Some(retry) = retry { client.retry(retry) } else { client };
        client.build().await.expect("a client")
    };
    let (once, repeated) = (client(None).await, client(Some(Retry::attempts(3))).await);

    let envelopes = envelopes(&url, &once).await;
    serve(&url, "bare", None).await;
    serve(&url, "envelopes", Some(envelopes.clone())).await;
    let bare = async_nats::connect(&url).await.expect("a connection");
    let (grpc, connect) = (remote::grpc().await, remote::connect().await);
    for concurrency in [1, 16, 64] {
        let names = [
            "bare async-nats, serde_json",
            "bare async-nats, messages as large as capgen's",
            "capgen",
            "capgen, with retries and heartbeats",
            "gRPC (tonic)",
            "Connect (connectrpc)",
        ];
        let mut ways = names.map(|name| Way { name, rounds: Vec::new() });
        for _ in 0..ROUNDS {
            let [first, second, third, fourth, fifth, sixth] = &mut ways;
            let process = broker.process_id();
            first.rounds.push(round(concurrency, process, requests(&bare, "bare", None)).await);
            let same_size = requests(&bare, "envelopes", Some(envelopes.clone()));
            second.rounds.push(round(concurrency, process, same_size).await);
            third.rounds.push(round(concurrency, process, calls(&once)).await);
            fourth.rounds.push(round(concurrency, process, calls(&repeated)).await);
            fifth.rounds.push(round(concurrency, process, grpc.clone()).await);
            sixth.rounds.push(round(concurrency, process, connect.clone()).await);
        }
        table(&format!("NATS, {concurrency} at a time"), &mut ways);
    }
}

/// The messages of one call of capgen.
async fn envelopes(url: &str, client: &Client) -> Messages {
    let observer = async_nats::connect(url).await.expect("a connection");
    let mut requests = observer.subscribe("requests").await.expect("a subscription");
    let mut responses = observer.subscribe("_INBOX.>").await.expect("a subscription");
    observer.flush().await.expect("a connection");
    calls(client)().await;
    let payload = |message: Option<Message>| message.expect("a message").payload;
    let messages = [payload(requests.next().await), payload(responses.next().await)];
    println!("bytes of a request and a response of capgen: {:?}", messages.each_ref().map(|message| message.len()));
    Messages(messages)
}
