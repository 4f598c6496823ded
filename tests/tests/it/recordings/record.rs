//! Records the files that have no messages yet.

use super::node_peer::NodePeer;
use super::recording::{Answer, Exchange, Message, Peer, Recording, all, folder};
use super::rust_peer::{RustCaller, RustProvider, SILENCE, Script};

/// The provider of a recording.
enum Recorded<'a> {
    Rust(RustProvider),
    Node(&'a mut NodePeer),
    Made(Answer),
}

/// Gives the messages of a caller to a provider, and keeps both.
struct Recorder<'a> {
    provider: Recorded<'a>,
    messages: Vec<Message>,
}

impl Script for Recorder<'_> {
    async fn answer(&mut self, text: &str) -> Answer {
        let response = |text: Option<String>| text.map_or(Answer::Nothing, Answer::Response);
        let answer = match &mut self.provider {
            Recorded::Rust(provider) => response(provider.deliver(text, SILENCE).await),
            Recorded::Node(node) => response(node.deliver(text, SILENCE)),
            Recorded::Made(Answer::Response(template)) => {
                let request: serde_json::Value = serde_json::from_str(text).unwrap();
                let id = |name: &str| request[name].as_str().unwrap().to_owned();
                let text = template.replace("$correlationId", &id("correlationId"));
                Answer::Response(text.replace("$messageId", &id("messageId")))
            }
            Recorded::Made(answer) => answer.clone(),
        };
        self.messages.push(Message { request: text.to_owned(), answer: Some(answer.clone()) });
        answer
    }
}

/// The recording with messages and outcomes.
async fn recorded(mut recording: Recording, [callers, providers]: [&mut NodePeer; 2]) -> Recording {
    callers.prepare(&recording);
    providers.prepare(&recording);
    let provider = match recording.provider.peer {
        Peer::Rust => Recorded::Rust(RustProvider::start(&recording).await),
        Peer::TypeScript => Recorded::Node(providers),
        Peer::Made => Recorded::Made(recording.provider.answer.clone().unwrap()),
    };
    let mut recorder = Recorder { provider, messages: Vec::new() };
    let mut client = RustCaller::start(&recording).await;
    for Exchange { call, messages, outcome } in &mut recording.exchanges {
        let Some(call) = call else {
            for message in messages {
                message.answer = Some(recorder.answer(&message.request).await);
            }
            continue;
        };
        *outcome = Some(match recording.caller.peer {
            Peer::Rust => client.call(call, &mut recorder).await,
            Peer::TypeScript => callers.call(call, &mut recorder).await,
            Peer::Made => panic!("no program makes a call"),
        });
        *messages = std::mem::take(&mut recorder.messages);
    }
    recording.handled = match recorder.provider {
        Recorded::Rust(provider) => provider.handled(0).await,
        Recorded::Node(node) => node.handled(),
        Recorded::Made(_) => Vec::new(),
    };
    recording
}

/// Fills the files that have only peers and calls. Files with messages are facts, and stay as they are.
#[tokio::test]
#[ignore = "writes into the repository"]
async fn record_files_without_messages() {
    let Some(mut callers) = NodePeer::start("recorded-callers") else { return };
    let mut providers = NodePeer::start("recorded-providers").unwrap();
    for (name, recording) in all() {
        if recording.is_new() {
            let recording = recorded(recording, [&mut callers, &mut providers]).await;
            let text = serde_json::to_string_pretty(&recording).unwrap();
            std::fs::write(folder().join(format!("{name}.json")), text + "\n").unwrap();
        }
    }
}
