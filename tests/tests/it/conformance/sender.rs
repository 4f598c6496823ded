//! The side of the caller in the cases for providers: sends the messages of a case over a transport, and receives those
//! of the provider.

use std::sync::Arc;
use std::time::Duration;

use capgen::call::{Delivery, IncomingContent, Outgoing, SubscribeOptions, Subscription, Transport};
use serde_json::Value;

use super::case::Address;

/// The address of the requests to the provider.
pub(super) const ADDRESS: &str = "agents.echo";

pub(super) struct Sender {
    transport: Arc<dyn Transport>,
    replies: Subscription,
    inbox: String,
}

impl Sender {
    pub(super) async fn start(transport: Arc<dyn Transport>) -> Result<Self, String> {
        let inbox = transport.new_inbox();
        let replies = transport.subscribe(&format!("{inbox}.*"), SubscribeOptions::default()).await;
        let replies = replies.map_err(|error| error.to_string())?;
        Ok(Self { transport, replies, inbox })
    }

    /// The value of `replyTo` in requests.
    pub(super) fn reply_to(&self) -> String {
        format!("{}://{}", self.transport.kind(), self.reply_address())
    }

    fn reply_address(&self) -> String {
        format!("{}.1", self.inbox)
    }

    pub(super) async fn send(&self, to: Address, text: String) {
        let address = match to {
            Address::Requests => ADDRESS.to_owned(),
            Address::Control => format!("{ADDRESS}.control"),
        };
        // Some providers answer to where the broker says, and not to `replyTo`.
        let (payload, delivery, reply_to) = (text.into(), Delivery::AtMostOnce, Some(self.reply_address()));
        let message = Outgoing { address, reply_to, payload, delivery, message_id: String::new() };
        self.transport.publish(message).await.unwrap();
    }

    /// The next message of the provider, if there is one within a time.
    pub(super) async fn next(&mut self, patience: Duration) -> Option<Value> {
        let incoming = tokio::time::timeout(patience, self.replies.next()).await.ok()??;
        let IncomingContent::Message(text) = incoming.content else { panic!("no program receives the requests") };
        Some(serde_json::from_slice(&text).unwrap())
    }
}
