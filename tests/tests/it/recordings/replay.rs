//! The peers of today against the recorded ones.

use serde_json::{Value, json};

use super::compare::{Compared, called, provided, request};
use super::differences::{Role, results};
use super::node_peer::NodePeer;
use super::recording::{Answer, Exchange, Message, Outcome, Peer, Recording, all};
use super::rust_peer::{PATIENCE, RustCaller, RustProvider, Script};
use super::{signature, wire};

/// How long a provider is waited for that did not answer when it was recorded.
const SILENCE: std::time::Duration = std::time::Duration::from_millis(100);

/// A recorded provider, which answers a caller of today.
struct RecordedProvider<'a> {
    recording: &'a Recording,
    messages: &'a [Message],
    /// The mistakes in messages of the caller.
    wrong: Vec<String>,
}

impl Script for RecordedProvider<'_> {
    async fn answer(&mut self, text: &str) -> Answer {
        // A caller may send a request more often than its predecessor did.
        let has_contract = |text: &str| text.contains(r#""capgen-descriptor":"#);
        let same = self.messages.iter().find(|message| has_contract(&message.request) == has_contract(text));
        let Some(message) = same else {
            self.wrong.push(format!("no such message was recorded: {text}"));
            return Answer::Nothing;
        };
        let key = self.recording.caller.key.as_ref();
        let compared = wire::read(text, key)
            .and_then(|now| request(&wire::read(&message.request, key).unwrap(), &now))
            .map_err(|error| format!("{error} in {text}"));
        self.wrong.extend(compared.err());
        match message.response() {
            Some(answer) => Answer::Response(self.addressed(answer, &message.request, text)),
            None => message.answer.clone().unwrap(),
        }
    }
}

impl RecordedProvider<'_> {
    /// The recorded response with the ids of another request. A signature that was valid is so again.
    fn addressed(&self, response: &str, recorded: &str, now: &str) -> String {
        let [recorded, now] = [recorded, now].map(|text| serde_json::from_str::<Value>(text).unwrap());
        let mut text = response.to_owned();
        for id in ["correlationId", "messageId"] {
            text = text.replace(recorded[id].as_str().unwrap(), now[id].as_str().unwrap());
        }
        let key = self.recording.caller.key.as_ref();
        match key.filter(|key| signature::is_signed(response, key)) {
            Some(key) => signature::sign(&text, key),
            None => text,
        }
    }
}

/// Compares the result of a peer of today with the recorded one.
fn check(role: Role, name: &str, recording: &Recording, recorded: &Value, now: &Value) -> Result<(), String> {
    let compare = if role == Role::Caller { called } else { provided };
    let compared: Vec<Compared> =
        results(role, name, recording, recorded).iter().map(|recorded| compare(recorded, now)).collect();
    if compared.iter().any(Result::is_ok) {
        return Ok(());
    }
    let errors: Vec<String> = compared.into_iter().filter_map(Result::err).collect();
    Err(format!("{name}: {}", errors.join("\n  or ")))
}

/// Lets callers of today call the recorded providers.
async fn replay_providers(peer: Peer, mut node: Option<&mut NodePeer>) {
    let mut wrong = Vec::new();
    for (name, recording) in all().iter().filter(|(_, recording)| recording.caller.peer == peer) {
        let mut rust = RustCaller::start(recording).await;
        node.iter_mut().for_each(|node| node.prepare(recording));
        let mut outcomes: Vec<Outcome> = Vec::new();
        for Exchange { call, messages, .. } in &recording.exchanges {
            let mut provider = RecordedProvider { recording, messages, wrong: Vec::new() };
            let call = call.as_ref().unwrap();
            outcomes.push(match &mut node {
                Some(node) => node.call(call, &mut provider).await,
                None => rust.call(call, &mut provider).await,
            });
            wrong.extend(provider.wrong.iter().map(|error| format!("{name}: {error}")));
        }
        let recorded: Vec<_> = recording.exchanges.iter().map(|exchange| exchange.outcome.clone()).collect();
        let (recorded, now) = (json!({"outcomes": recorded}), json!({"outcomes": outcomes}));
        wrong.extend(check(Role::Caller, name, recording, &recorded, &now).err());
    }
    assert!(wrong.is_empty(), "{} recordings differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Gives the messages of the recorded callers to providers of today.
async fn replay_callers(peer: Peer, mut node: Option<&mut NodePeer>) {
    let mut wrong = Vec::new();
    for (name, recording) in all().iter().filter(|(_, recording)| recording.provider.peer == peer) {
        let mut rust = RustProvider::start(recording).await;
        node.iter_mut().for_each(|node| node.prepare(recording));
        let key = recording.provider.key.as_ref();
        let (mut recorded, mut now) = (Vec::new(), Vec::new());
        for message in recording.exchanges.iter().flat_map(|exchange| &exchange.messages) {
            let (request, recorded_text) = (&message.request, message.response());
            let patience = if recorded_text.is_some() { PATIENCE } else { SILENCE };
            let text = match &mut node {
                Some(node) => node.deliver(request, patience),
                None => rust.deliver(request, patience).await,
            };
            recorded.push(recorded_text.map(|text| wire::read(text, key).unwrap()));
            match text.map(|text| wire::read(&text, key)).transpose() {
                Ok(message) => now.push(message),
                Err(error) => wrong.push(format!("{name}: old callers reject the answer: {error}")),
            }
        }
        let handled = match &mut node {
            Some(node) => node.handled(),
            None => rust.handled(recording.handled.len()).await,
        };
        let recorded = json!({"answers": recorded, "handled": recording.handled});
        let now = json!({"answers": now, "handled": handled});
        wrong.extend(check(Role::Provider, name, recording, &recorded, &now).err());
    }
    assert!(wrong.is_empty(), "{} recordings differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[tokio::test]
async fn clients_in_rust_read_recorded_servers() {
    replay_providers(Peer::Rust, None).await;
}

#[tokio::test]
async fn servers_in_rust_serve_recorded_clients() {
    replay_callers(Peer::Rust, None).await;
}

#[tokio::test]
async fn generated_clients_read_recorded_servers() {
    let Some(mut node) = NodePeer::start("replayed-callers") else { return };
    replay_providers(Peer::TypeScript, Some(&mut node)).await;
}

#[tokio::test]
async fn generated_servers_serve_recorded_clients() {
    let Some(mut node) = NodePeer::start("replayed-providers") else { return };
    replay_callers(Peer::TypeScript, Some(&mut node)).await;
}
