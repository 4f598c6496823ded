//! The side of the provider in the cases for callers: receives the messages of a caller over a transport, and answers.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use capgen::call::{Delivery, IncomingContent, Outgoing, SubscribeOptions, Transport};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::caller::{CallerCase, Sent};
use super::case::manifest;

/// The address of requests in the contracts.
pub(super) const ADDRESS: &str = "echo";

/// A provider that the case scripts.
pub(super) struct Wire {
    transport: Arc<dyn Transport>,
    sent: mpsc::UnboundedReceiver<(Sent, Option<String>)>,
    /// Where the answers to each message go, by its id.
    replies: HashMap<String, String>,
}

impl Wire {
    pub(super) async fn start(case: &CallerCase, transport: Arc<dyn Transport>) -> Self {
        let (sender, sent) = mpsc::unbounded_channel();
        let hash = manifest(&case.caller.contract).capabilities[0].hash().to_string();
        let own = case.has_own_contract.then(|| ("contract", format!("{ADDRESS}.contract.{}", &hash[..32])));
        let addresses = [("requests", ADDRESS.to_owned()), ("control", format!("{ADDRESS}.control"))];
        for (at, address) in addresses.into_iter().chain(own) {
            let mut subscription = transport.subscribe(&address, SubscribeOptions::default()).await.unwrap();
            let sender = sender.clone();
            tokio::spawn(async move {
                loop {
                    let incoming = tokio::select! {
                        incoming = subscription.next() => incoming,
                        // The case has ended.
                        () = sender.closed() => None,
                    };
                    let Some(incoming) = incoming else { return };
                    let IncomingContent::Message(text) = incoming.content else { continue };
                    let sent = Sent { at: at.to_owned(), text: String::from_utf8(text.to_vec()).unwrap() };
                    let _ = sender.send((sent, incoming.reply_to));
                }
            });
        }
        Self { transport, sent, replies: HashMap::new() }
    }

    /// The next message, if there is one within a time.
    pub(super) async fn next(&mut self, patience: Duration) -> Option<Sent> {
        let (sent, reply_to) = timeout(patience, self.sent.recv()).await.ok()??;
        let message: Value = serde_json::from_str(&sent.text).unwrap();
        if let Some(reply_to) = reply_to {
            self.replies.insert(message["messageId"].as_str().unwrap().to_owned(), reply_to);
        }
        Some(sent)
    }

    /// Sends a text to where the answers to a message go.
    pub(super) async fn answer(&mut self, message: &Value, text: String) {
        let address = self.replies[message["messageId"].as_str().unwrap()].clone();
        let (payload, delivery) = (text.into(), Delivery::AtMostOnce);
        let message = Outgoing { address, reply_to: None, payload, delivery, message_id: String::new() };
        self.transport.publish(message).await.unwrap();
    }
}
