//! A generated server in JavaScript, in a process of Node; see `tests/node/conformance.mjs`.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use capgen::call::Transport;
use serde_json::{Value, json};

use super::case::{Address, Case, KEY, OWN_SEED, Provider, manifest_of};
use super::sender::{ADDRESS, Sender};
use crate::node_script::{NodeScript, write_module};

/// The process. It has one server at a time, whose messages are lines of the script or go over NATS.
pub(super) struct NodeProvider {
    script: NodeScript,
    /// The caller, if the server uses NATS.
    sender: Option<Sender>,
}

impl NodeProvider {
    /// Starts Node with a folder of this name; `None` if Node is not installed.
    pub(super) fn start(folder: &str) -> Option<Self> {
        Some(Self { script: NodeScript::start("conformance.mjs", folder)?, sender: None })
    }

    /// Makes the server of a case, or states why it does not start.
    pub(super) fn prepare(&mut self, case: &Case) -> Result<(), String> {
        self.make_server(case, None)
    }

    /// Makes the server of a case over the server of NATS at an address, to which the caller has a transport.
    pub(super) async fn prepare_over_nats(
        &mut self,
        case: &Case,
        url: &str,
        caller: Arc<dyn Transport>,
    ) -> Result<(), String> {
        self.sender = Some(Sender::start(caller).await?);
        self.make_server(case, Some(url))
    }

    fn make_server(&mut self, case: &Case, url: Option<&str>) -> Result<(), String> {
        let provider = &case.provider;
        let contracts = &provider.serves;
        let module = write_module(&manifest_of(contracts)?, &self.script.folder.join(contracts.join("-")));
        let key = provider.key.then(|| json!({"id": KEY.0, "secret": KEY.1}));
        let (agents, grants, seed) = (&provider.agents, &provider.grants, URL_SAFE_NO_PAD.encode(OWN_SEED));
        let nats = url.map(|url| json!({"url": url, "subject": ADDRESS}));
        let answer = self.script.ask(&json!({"prepare": {
            "module": module, "handler": provider.handler, "key": key, "agents": agents, "seed": seed,
            "grants": grants, "nats": nats,
        }}));
        answer["error"].as_str().map_or(Ok(()), |error| Err(error.to_owned()))
    }
}

impl Provider for NodeProvider {
    fn reply_to(&self) -> String {
        self.sender.as_ref().map_or_else(|| "memory://inbox.1".to_owned(), Sender::reply_to)
    }

    async fn send(&mut self, to: Address, text: String) {
        match &self.sender {
            Some(sender) => sender.send(to, text).await,
            None => drop(self.script.ask(&json!({"send": {"to": to, "text": text}}))),
        }
    }

    async fn next(&mut self, patience: Duration) -> Option<Value> {
        if let Some(sender) = &mut self.sender {
            return sender.next(patience).await;
        }
        let patience = u64::try_from(patience.as_millis()).unwrap();
        let answer = self.script.ask(&json!({"next": patience}));
        answer["message"].as_str().map(|text| serde_json::from_str(text).unwrap())
    }

    async fn counts(&mut self) -> (u64, u64) {
        let counts = self.script.ask(&json!({"counts": true}));
        (counts["runs"].as_u64().unwrap(), counts["cancelled"].as_u64().unwrap())
    }
}
