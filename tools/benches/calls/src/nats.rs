//! Calls over a real NATS server in another process.

use std::sync::Arc;

use async_nats::Message;
use bytes::Bytes;
use capgen::Payload as _;
use capgen::call::{AgentId, Client, PeerTable, Server, TransportSettings};
use capgen_nats::{NatsOptions, NatsTransport};
use capgen_testkit::brokers::NatsServer;
use futures_util::StreamExt as _;

use crate::memory::{calls, handlers, request, response};
use crate::pr_reviewer::{ReviewPrRequest, ReviewPrResponse};
use crate::{ROUNDS, Way, round, table};

/// The messages of a call: the request and the response.
#[derive(Clone)]
struct Messages([Bytes; 2]);

pub(crate) async fn run() {
    let Some(broker) = NatsServer::start() else { return };
    let url = broker.url();
    let connect = async || Arc::new(NatsTransport::connect(NatsOptions::new([&url])).await.expect("a connection"));
    let [typed, _] = handlers();
    let _server = Server::builder(typed).listen(connect().await, "requests").start().await.expect("a server");
    let agent = AgentId::new("pr-reviewer").expect("an id");
    let peers = PeerTable::new().with_transports(&agent, vec![TransportSettings::nats(&[&url], "requests")]);
    let client = Client::builder("bench").transport(connect().await).peers(peers).build().await.expect("a client");

    let envelopes = envelopes(&url, &client).await;
    serve(&url, "bare", None).await;
    serve(&url, "envelopes", Some(envelopes.clone())).await;
    let bare = async_nats::connect(&url).await.expect("a connection");
    for concurrency in [1, 16, 64] {
        let names = ["bare async-nats", "bare async-nats, messages as large as capgen's", "capgen"];
        let mut ways = names.map(|name| Way { name, rounds: Vec::new() });
        for _ in 0..ROUNDS {
            let [first, second, third] = &mut ways;
            let process = broker.process_id();
            first.rounds.push(round(concurrency, process, requests(&bare, "bare", None)).await);
            let same_size = requests(&bare, "envelopes", Some(envelopes.clone()));
            second.rounds.push(round(concurrency, process, same_size).await);
            third.rounds.push(round(concurrency, process, calls(&client)).await);
        }
        table(&format!("NATS, {concurrency} at a time"), &mut ways);
    }
}

/// Answers requests with bare `async-nats`: with `messages`, by the second of them instead of the payload alone.
async fn serve(url: &str, subject: &'static str, messages: Option<Messages>) {
    let provider = async_nats::connect(url).await.expect("a connection");
    let mut requests = provider.queue_subscribe(subject, subject.to_owned()).await.expect("a subscription");
    provider.flush().await.expect("a connection");
    tokio::spawn(async move {
        while let Some(message) = requests.next().await {
            let (provider, messages) = (provider.clone(), messages.clone());
            // A task for each request, as servers with concurrent handlers have it; it reads the request and writes the
            // response.
            tokio::spawn(async move {
                let reply = message.reply.clone().expect("a reply address");
                match &messages {
                    None => drop(ReviewPrRequest::from_json(&message.payload).expect("a request")),
                    Some(_) => drop(ReviewPrRequest::from_json(&request().to_json().expect("a request"))),
                }
                let text = Bytes::from(response().to_json().expect("a response"));
                let text = messages.map_or(text, |Messages([_, response])| Bytes::copy_from_slice(&response));
                provider.publish(reply, text).await.expect("a connection");
            });
        }
    });
}

/// Requests with bare `async-nats`: with `messages`, by the first of them instead of the payload alone.
fn requests(
    bare: &async_nats::Client,
    subject: &'static str,
    messages: Option<Messages>,
) -> impl Fn() -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>> + Clone + use<> {
    let bare = bare.clone();
    move || {
        let (bare, messages) = (bare.clone(), messages.clone());
        Box::pin(async move {
            let text = Bytes::from(request().to_json().expect("a request"));
            match messages {
                None => {
                    let answer = bare.request(subject, text).await.expect("an answer");
                    let _ = ReviewPrResponse::from_json(&answer.payload).expect("a response");
                }
                Some(Messages([request, _])) => {
                    let _ = bare.request(subject, Bytes::copy_from_slice(&request)).await.expect("an answer");
                    let text = response().to_json().expect("a response");
                    let _ = ReviewPrResponse::from_json(&text).expect("a response");
                }
            }
        })
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
    println!("bytes of a request and a response of capgen: {:?}", messages.each_ref().map(Bytes::len));
    Messages(messages)
}
