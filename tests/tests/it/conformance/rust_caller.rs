//! A client in Rust, over memory.

use std::time::Duration;

use capgen::call::{
    CallMode, CallOptions, CallResult, Client, Delivery, IncomingContent, MemoryBroker, MemoryTransport, Outgoing,
    PeerTable, Retry, SubscribeOptions, Transport as _,
};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::caller::{Call, Caller, CallerCase, Policy, Sent};
use super::case::manifest;

/// The address of requests in the contracts.
const ADDRESS: &str = "echo";

pub(super) struct RustCaller {
    client: Client,
    transport: MemoryTransport,
    sent: mpsc::UnboundedReceiver<Sent>,
    call: Option<JoinHandle<CallResult>>,
}

/// The policy of a case.
fn retry(policy: &Policy) -> Retry {
    let duration = Duration::from_millis;
    let mut retry = Retry::attempts(policy.attempts);
    if let Some(first) = policy.first_pause_ms {
        retry = retry.backoff(duration(first), Duration::from_secs(2));
    }
    if let Some(timeout) = policy.attempt_timeout_ms {
        retry = retry.attempt_timeout(duration(timeout));
    }
    if let Some(after) = policy.hedge_after_ms {
        retry = retry.hedge(duration(after));
    }
    policy.heartbeat_ms.map_or(retry, |interval| retry.heartbeat(duration(interval)))
}

impl RustCaller {
    pub(super) async fn start(case: &CallerCase) -> Self {
        let (broker, contract) = (MemoryBroker::new(), manifest(&case.caller.contract));
        let (transport, (sender, sent)) = (broker.connect(), mpsc::unbounded_channel());
        let hash = contract.capabilities[0].hash().to_string();
        let own = case.has_own_contract.then(|| ("contract", format!("{ADDRESS}.contract.{}", &hash[..32])));
        let addresses = [("requests", ADDRESS.to_owned()), ("control", format!("{ADDRESS}.control"))];
        for (at, address) in addresses.into_iter().chain(own) {
            let mut subscription = transport.subscribe(&address, SubscribeOptions::default()).await.unwrap();
            let sender = sender.clone();
            tokio::spawn(async move {
                while let Some(incoming) = subscription.next().await {
                    let IncomingContent::Message(text) = incoming.content else { continue };
                    let text = String::from_utf8(text.to_vec()).unwrap();
                    let _ = sender.send(Sent { at: at.to_owned(), text });
                }
            });
        }
        let builder = Client::builder("caller").transport(broker.connect());
        let builder = builder.peers(PeerTable::new().with_manifest(&contract));
        let builder = case.caller.retry.iter().fold(builder, |builder, policy| builder.retry(retry(policy)));
        Self { client: builder.build().await.unwrap(), transport, sent, call: None }
    }
}

impl Caller for RustCaller {
    async fn call(&mut self, call: Call) {
        let client = self.client.clone();
        self.call = Some(tokio::spawn(async move {
            let options = CallOptions::new().timeout(Duration::from_millis(call.timeout_ms));
            let options = call.idempotency_key.into_iter().fold(options, CallOptions::idempotency_key);
            client.call_json_with("echo", "search", &call.payload, &options, CallMode::Sync).await
        }));
    }

    async fn drop_call(&mut self) {
        self.call.take().unwrap().abort();
    }

    async fn close(&mut self) {
        self.client.close();
    }

    async fn next(&mut self, patience: Duration) -> Option<Sent> {
        timeout(patience, self.sent.recv()).await.ok()?
    }

    async fn answer(&mut self, message: &Value, text: String) {
        let address = message["replyTo"].as_str().and_then(|address| address.split_once("://")).unwrap().1;
        let (address, payload, delivery) = (address.to_owned(), text.into(), Delivery::AtMostOnce);
        let message = Outgoing { address, reply_to: None, payload, delivery, message_id: String::new() };
        self.transport.publish(message).await.unwrap();
    }

    async fn outcome(&mut self) -> Value {
        serde_json::to_value(self.call.take().unwrap().await.unwrap()).unwrap()
    }
}
