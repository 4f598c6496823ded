//! A generated server in JavaScript, in a process of Node; see `tests/node/conformance.mjs`.

use std::time::Duration;

use serde_json::{Value, json};

use super::case::{Address, Case, KEY, Provider, manifest_of};
use crate::node_script::{NodeScript, write_module};

/// The process. It has one server at a time.
pub(super) struct NodeProvider(NodeScript);

impl NodeProvider {
    /// Starts Node; `None` if it is not installed.
    pub(super) fn start() -> Option<Self> {
        NodeScript::start("conformance.mjs", "conformance").map(Self)
    }

    /// Makes the server of a case, whose contract may be invalid.
    pub(super) fn prepare(&mut self, case: &Case) -> Result<(), String> {
        let contracts = &case.provider.serves;
        let module = write_module(&manifest_of(contracts)?, &self.0.folder.join(contracts.join("-")));
        let key = case.provider.key.then(|| json!({"id": KEY.0, "secret": KEY.1}));
        let line = json!({"prepare": {"module": module, "handler": case.provider.handler, "key": key}});
        assert_eq!(self.0.ask(&line), json!({"prepared": true}));
        Ok(())
    }
}

impl Provider for NodeProvider {
    fn reply_to(&self) -> String {
        "memory://inbox.1".to_owned()
    }

    async fn send(&mut self, to: Address, text: String) {
        self.0.ask(&json!({"send": {"to": to, "text": text}}));
    }

    async fn next(&mut self, patience: Duration) -> Option<Value> {
        let patience = u64::try_from(patience.as_millis()).unwrap();
        let answer = self.0.ask(&json!({"next": patience}));
        answer["message"].as_str().map(|text| serde_json::from_str(text).unwrap())
    }

    async fn counts(&mut self) -> (u64, u64) {
        let counts = self.0.ask(&json!({"counts": true}));
        (counts["runs"].as_u64().unwrap(), counts["cancelled"].as_u64().unwrap())
    }
}
