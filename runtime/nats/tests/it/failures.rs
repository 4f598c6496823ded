//! The cause of a failure stays in the provider: a program that receives all messages of the broker does not find it.

use std::io;
use std::pin::Pin;

use async_nats::Subscriber;
use capgen_call::{
    AgentId, CallMode, CallOptions, CapabilityContract, Client, Context, Failure, Handlers, Manifest, PeerTable,
    Server, TransportSettings,
};
use capgen_testkit::brokers::NatsServer;
use futures_core::Stream;
use serde_json::{Value, json};

use crate::common::connect;

const ADDRESS: &str = "agents.store";
/// What only the log may have.
const SECRETS: [&str; 3] = ["10.0.0.7", "refused", "a wrong pointer"];

/// The messages so far, as texts with their headers.
async fn messages(client: &async_nats::Client, all: &mut Subscriber) -> Vec<String> {
    // The broker delivers this one after those that their receivers have got.
    client.publish("end", "".into()).await.unwrap();
    let mut texts = Vec::new();
    loop {
        let next = std::future::poll_fn(|task| Pin::new(&mut *all).poll_next(task)).await;
        let message = next.expect("the subscription goes on");
        if message.subject.as_str() == "end" {
            return texts;
        }
        texts.push(format!("{:?} {}", message.headers, String::from_utf8_lossy(&message.payload)));
    }
}

fn handlers() -> Handlers {
    let handlers = Handlers::new("store").with_loose("open", async |_: Context, _: Value| {
        let error = io::Error::other("refused\nby 10.0.0.7");
        Err(Failure::new("UNAVAILABLE", "try again").retryable().caused_by(error))
    });
    handlers.with_loose("panic", async |_: Context, payload: Value| {
        assert!(payload.is_null(), "a wrong pointer");
        Ok(payload)
    })
}

#[tokio::test]
async fn the_cause_of_a_failure_is_in_no_message_of_the_broker() {
    let Some(server) = NatsServer::start() else { return };
    let eavesdropper = async_nats::connect(server.url()).await.unwrap();
    let mut all = eavesdropper.subscribe(">").await.unwrap();
    eavesdropper.flush().await.unwrap();

    let _server = Server::builder(handlers()).listen(connect(&server).await, ADDRESS).start().await.unwrap();
    let manifest = Manifest::new(
        AgentId::new("store").unwrap(),
        vec![TransportSettings::nats(&[&server.url()], ADDRESS)],
        ["open", "panic"].map(CapabilityContract::new).to_vec(),
    );
    let client = Client::builder("desk").transport(connect(&server).await);
    let client = client.peers(PeerTable::new().with_manifest(&manifest)).build().await.unwrap();
    for (capability, expected) in [("open", "UNAVAILABLE"), ("panic", "EAGENTRPC_HANDLER_FAILED")] {
        let options = CallOptions::new();
        let result = client.call_json_with("store", capability, &json!("x"), &options, CallMode::Sync).await;
        let error = result.error.unwrap();
        assert_eq!(error.code, expected);
        assert!(SECRETS.iter().all(|secret| !format!("{error:?}").contains(secret)), "{error:?}");
        let messages = messages(&eavesdropper, &mut all).await;
        assert!(messages.iter().any(|message| message.contains(expected)), "{messages:?}");
        for message in &messages {
            assert!(SECRETS.iter().all(|secret| !message.contains(secret)), "{message}");
        }
    }
}
