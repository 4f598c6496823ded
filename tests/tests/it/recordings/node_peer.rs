//! A generated client and server in JavaScript, in one process of Node; see `tests/node/recordings.mjs`.

use std::time::Duration;

use serde_json::{Value, json};

use super::contracts::{VERSIONS, manifest};
use super::recording::{Call, Outcome, Recording};
use super::rust_peer::Script;
use crate::node_script::{NodeScript, write_module};

/// The process. It has one client and one server at a time.
pub(crate) struct NodePeer(NodeScript);

impl NodePeer {
    /// Starts Node with the generated modules in a folder of this name; `None` without Node.
    pub(crate) fn start(name: &str) -> Option<Self> {
        let node = NodeScript::start("recordings.mjs", name)?;
        for version in VERSIONS {
            write_module(&manifest(version), &node.folder.join(version));
        }
        Some(Self(node))
    }

    /// Makes a new client and a new server.
    pub(crate) fn prepare(&mut self, recording: &Recording) {
        let module = |version: &str| self.0.folder.join(version).join("shop.mjs");
        let modules = json!([module(&recording.caller.contract), module(&recording.provider.contract)]);
        assert_eq!(self.0.ask(&json!({"prepare": recording, "modules": modules})), json!({"prepared": true}));
    }

    /// The outcome of a call whose messages a script answers.
    pub(crate) async fn call(&mut self, call: &Call, script: &mut impl Script) -> Outcome {
        self.0.write(&json!({"call": call}));
        loop {
            let mut line = self.0.read();
            if let Some(text) = line["message"].as_str() {
                let answer = script.answer(text).await;
                self.0.write(&json!({"answer": answer}));
            } else {
                return serde_json::from_value(line["outcome"].take()).unwrap();
            }
        }
    }

    /// The answer to a message, if there is one within a time.
    pub(crate) fn deliver(&mut self, text: &str, patience: Duration) -> Option<String> {
        let patience = u64::try_from(patience.as_millis()).unwrap();
        self.0.ask(&json!({"deliver": text, "patienceMs": patience}))["delivered"].as_str().map(str::to_owned)
    }

    /// The payloads that reached the handler.
    pub(crate) fn handled(&mut self) -> Vec<Value> {
        self.0.ask(&json!({"handled": true}))["handled"].as_array().unwrap().clone()
    }
}
