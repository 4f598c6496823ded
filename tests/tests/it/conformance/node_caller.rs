//! A generated client in JavaScript, in a process of Node; see `tests/node/callers.mjs`. Its transport passes the
//! messages to this process by the lines of the script, or it is that of `@capgen/nats`.

use std::sync::Arc;
use std::time::Duration;

use capgen::call::Transport;

use serde_json::{Value, json};

use super::caller::{Call, Caller, CallerCase, Sent};
use super::case::manifest;
use super::wire::{ADDRESS, Wire};
use crate::node_script::{NodeScript, write_module};

/// The process. It has one client at a time.
pub(super) struct NodeCaller {
    script: NodeScript,
    /// The provider, if the client uses NATS.
    wire: Option<Wire>,
}

impl NodeCaller {
    /// Starts Node with a folder of this name; `None` if Node is not installed.
    pub(super) fn start(folder: &str) -> Option<Self> {
        Some(Self { script: NodeScript::start("callers.mjs", folder)?, wire: None })
    }

    /// Makes the client of a case.
    pub(super) fn prepare(&mut self, case: &CallerCase) {
        self.make_client(case, None);
    }

    /// Makes the client of a case over the server of NATS at an address, to which the provider has a transport.
    pub(super) async fn prepare_over_nats(&mut self, case: &CallerCase, url: &str, provider: Arc<dyn Transport>) {
        self.wire = Some(Wire::start(case, provider).await);
        self.make_client(case, Some(url));
    }

    fn make_client(&mut self, case: &CallerCase, url: Option<&str>) {
        let contract = &case.caller.contract;
        let module = write_module(&manifest(contract), &self.script.folder.join(contract));
        let mut settings =
            json!({"module": module, "retry": case.caller.retry, "hasOwnContract": case.has_own_contract});
        settings["agents"] = json!(case.caller.agents);
        if let Some(url) = url {
            settings["nats"] = json!({"url": url, "subject": ADDRESS});
        }
        self.ask(&json!({"prepare": settings}));
    }

    fn ask(&mut self, line: &Value) -> Value {
        self.script.ask(line)
    }
}

impl Caller for NodeCaller {
    async fn call(&mut self, call: Call) {
        self.ask(&json!({"call": call}));
    }

    async fn drop_call(&mut self) {
        self.ask(&json!({"drop": true}));
    }

    async fn close(&mut self) {
        self.ask(&json!({"close": true}));
    }

    async fn next(&mut self, patience: Duration) -> Option<Sent> {
        if let Some(wire) = &mut self.wire {
            return wire.next(patience).await;
        }
        let patience = u64::try_from(patience.as_millis()).unwrap();
        let answer = self.ask(&json!({"next": patience}));
        let member = |name: &str| answer["message"][name].as_str().map(str::to_owned);
        Some(Sent { at: member("at")?, text: member("text")? })
    }

    async fn answer(&mut self, message: &Value, text: String) {
        match &mut self.wire {
            Some(wire) => wire.answer(message, text).await,
            None => drop(self.ask(&json!({"answer": {"to": message["messageId"], "text": text}}))),
        }
    }

    async fn outcome(&mut self) -> Value {
        self.ask(&json!({"outcome": true}))["outcome"].take()
    }
}
