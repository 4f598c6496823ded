//! A provider in Rust, over any transport.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use capgen::call::{AgentKey, Failure, Grants, Handlers, InvalidKey, Keys, PublicKey, Server, Transport};
use serde_json::Value;

use super::case::{Address, Case, KEY, OWN_SEED, Provider, Script, manifest};
use super::sender::{ADDRESS, Sender};

pub(super) struct RustProvider {
    _server: Server,
    sender: Sender,
    counts: Counts,
}

#[derive(Clone, Default)]
struct Counts {
    runs: Arc<AtomicU64>,
    cancelled: Arc<AtomicU64>,
}

/// Counts a handler that is dropped before its end.
struct UnlessEnded(Arc<AtomicU64>);

impl Drop for UnlessEnded {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Counts {
    async fn run(self, script: Script) -> Result<Value, Failure> {
        self.runs.fetch_add(1, Ordering::SeqCst);
        let unless_ended = UnlessEnded(self.cancelled);
        tokio::time::sleep(Duration::from_millis(script.after_ms)).await;
        std::mem::forget(unless_ended);
        let Some(error) = script.fails else { return Ok(script.responds) };
        let failure = Failure::new(error.code, error.message);
        Err(error.details.iter().fold(failure, Failure::with_details))
    }
}

impl RustProvider {
    pub(super) async fn start(
        case: &Case,
        provider: Arc<dyn Transport>,
        transport: Arc<dyn Transport>,
    ) -> Result<Self, String> {
        let counts = Counts::default();
        let mut handlers = Handlers::new("echo");
        for contract in &case.provider.serves {
            let (counts, script) = (counts.clone(), case.provider.handler.clone());
            let run = move |_, _| counts.clone().run(script.clone());
            handlers = handlers.with_json(&manifest(contract).capabilities[0], run);
        }
        let mut server = Server::builder(handlers).listen(provider, ADDRESS);
        if let Some(keys) = keys(case).map_err(|error| error.to_string())? {
            server = server.keys(keys);
        }
        let grant = |grants: Grants, (agent, roles): (&String, &Vec<String>)| {
            grants.agent(agent, &roles.iter().map(String::as_str).collect::<Vec<_>>(), &[])
        };
        let server = server.grants(case.provider.grants.iter().fold(Grants::new(), grant));
        let server = server.start().await.map_err(|error| error.to_string())?;
        Ok(Self { _server: server, sender: Sender::start(transport).await?, counts })
    }
}

/// The keys of a provider; `None` if it has none.
fn keys(case: &Case) -> Result<Option<Keys>, InvalidKey> {
    let provider = &case.provider;
    let shared = || Keys::signing_with(KEY.0, KEY.1.as_bytes());
    let keys = match (provider.key, provider.agents.is_empty()) {
        (false, true) => return Ok(None),
        (true, _) => shared()?,
        (false, false) => Keys::of_agent(AgentKey::from_seed("echo", "a1", &OWN_SEED)?),
    };
    let add =
        |keys: Keys, (agent, key): (&String, &String)| keys.and_agent(PublicKey::from_base64url(agent, "a1", key)?);
    provider.agents.iter().try_fold(keys, add).map(Some)
}

impl Provider for RustProvider {
    fn reply_to(&self) -> String {
        self.sender.reply_to()
    }

    async fn send(&mut self, to: Address, text: String) {
        self.sender.send(to, text).await;
    }

    async fn next(&mut self, patience: Duration) -> Option<Value> {
        self.sender.next(patience).await
    }

    async fn counts(&mut self) -> (u64, u64) {
        (self.counts.runs.load(Ordering::SeqCst), self.counts.cancelled.load(Ordering::SeqCst))
    }
}
