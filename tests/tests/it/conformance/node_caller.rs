//! A generated client in JavaScript, in a process of Node; see `tests/node/callers.mjs`.

use std::time::Duration;

use serde_json::{Value, json};

use super::caller::{Call, Caller, CallerCase, Sent};
use super::case::manifest;
use crate::node_script::{NodeScript, write_module};

/// The process. It has one client at a time.
pub(super) struct NodeCaller(NodeScript);

impl NodeCaller {
    /// Starts Node; `None` if it is not installed.
    pub(super) fn start() -> Option<Self> {
        NodeScript::start("callers.mjs", "callers").map(Self)
    }

    /// Makes the client of a case.
    pub(super) fn prepare(&mut self, case: &CallerCase) {
        let contract = &case.caller.contract;
        let module = write_module(&manifest(contract), &self.0.folder.join(contract));
        let settings = json!({"module": module, "retry": case.caller.retry, "hasOwnContract": case.has_own_contract});
        self.ask(&json!({"prepare": settings}));
    }

    fn ask(&mut self, line: &Value) -> Value {
        self.0.ask(line)
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
        let patience = u64::try_from(patience.as_millis()).unwrap();
        let answer = self.ask(&json!({"next": patience}));
        let member = |name: &str| answer["message"][name].as_str().map(str::to_owned);
        Some(Sent { at: member("at")?, text: member("text")? })
    }

    async fn answer(&mut self, message: &Value, text: String) {
        self.ask(&json!({"answer": {"to": message["messageId"], "text": text}}));
    }

    async fn outcome(&mut self) -> Value {
        self.ask(&json!({"outcome": true}))["outcome"].take()
    }
}
