//! Building servers.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use capgen_manifest::{AgentId, Capability};
use capgen_time::{Clock, SystemClock};
use tokio::sync::{Semaphore, watch};

use super::handlers::Handlers;
use super::once::Once;
use super::seen::Seen;
use super::serve::Shared;
use super::skew::Skew;
use super::{Counters, Phase, Server};
use crate::audit::Audit;
use crate::client::BuildError;
use crate::envelope::Keys;
use crate::journal::Journal;
use crate::transport::{Delivery, SubscribeOptions, Transport};

/// Builds a [`Server`]. Created by [`Server::builder`].
#[must_use]
pub struct ServerBuilder {
    handlers: Handlers,
    channels: Vec<(Arc<dyn Transport>, String)>,
    group: Option<String>,
    delivery: Delivery,
    audit: Option<Arc<dyn Audit>>,
    records_calls: bool,
    keys: Option<Keys>,
    tenants: BTreeSet<String>,
    compares: bool,
    known: Vec<Capability>,
    max_concurrent: usize,
    max_waiting: usize,
    max_message: usize,
    window: Duration,
    tolerance: Duration,
    clock: Arc<dyn Clock>,
}

/// The number of requests with idempotency keys that are remembered, and the sum of the sizes of their responses, in
/// bytes. Responses of about 670 bytes on average use up both. Beyond them, requests with keys are refused until older
/// ones are forgotten, so that their memory stays bounded and no request runs twice.
const ONCE: (usize, usize) = (100_000, 64 * 1024 * 1024);

/// How much later than the deadline in a request its caller may end the call, in ms. A deadline is in whole milliseconds; the caller
/// rounds down its clock for it, and the remaining time too. Without this tolerance, a provider would end some calls before their timeout.
const ROUNDING: u64 = 2;

impl ServerBuilder {
    pub(super) fn new(handlers: Handlers) -> Self {
        Self {
            handlers,
            channels: Vec::new(),
            group: None,
            delivery: Delivery::AtMostOnce,
            audit: None,
            records_calls: false,
            keys: None,
            tenants: BTreeSet::new(),
            compares: false,
            known: Vec::new(),
            max_concurrent: 256,
            max_waiting: 1024,
            max_message: 1024 * 1024,
            window: Duration::from_secs(300),
            tolerance: Duration::ZERO,
            clock: Arc::new(SystemClock),
        }
    }

    /// Receives requests at an address of a transport. Can be called several times.
    pub fn listen(mut self, transport: Arc<dyn Transport>, address: impl Into<String>) -> Self {
        self.channels.push((transport, address.into()));
        self
    }

    /// The queue group of all processes of this agent, each of which gets a part of the requests. The default is the id of the agent.
    pub fn group(self, group: impl Into<String>) -> Self {
        Self { group: Some(group.into()), ..self }
    }

    /// Also receives requests that were sent with at-least-once delivery, and acknowledges them after their response was sent.
    pub fn at_least_once(self) -> Self {
        Self { delivery: Delivery::AtLeastOnce, ..self }
    }

    /// The store of violations. Without one, they are only reported to the caller.
    pub fn audit(self, audit: Arc<dyn Audit>) -> Self {
        Self { audit: Some(audit), ..self }
    }

    /// Records every call in the audit, and not only violations.
    pub fn audit_calls(self, records_calls: bool) -> Self {
        Self { records_calls, ..self }
    }

    /// Accepts only signed requests, rejects replays, and signs responses.
    pub fn keys(self, keys: Keys) -> Self {
        Self { keys: Some(keys), ..self }
    }

    /// Adds a tenant that is served. Without any, requests of every tenant are served, and those without a tenant.
    pub fn tenant(mut self, tenant: impl Into<String>) -> Self {
        self.tenants.insert(tenant.into());
        self
    }

    /// Compares the contract of a caller that has another one with the provider's before a request runs, once for each contract, and
    /// refuses all calls of a caller whose requests the provider might reject, or who might reject its responses, with `EVERSION_SKEW`.
    ///
    /// By default, contracts are not compared: a call runs if its payload is valid. A comparison refuses valid payloads, so it is only for
    /// handlers whose effects are worse than a refusal if the caller then cannot read the response. `minSchemaVersion` and
    /// `supportedVersions` of the provider's contract refuse callers in any case.
    pub fn compare_contracts(self) -> Self {
        Self { compares: true, ..self }
    }

    /// An older contract of a capability. With [`compare_contracts`](Self::compare_contracts), callers that use it are compared without
    /// having to send theirs; otherwise it has no effect.
    pub fn known_contract(mut self, capability: &Capability) -> Self {
        self.known.push(capability.clone());
        self
    }

    /// The number of handlers that run at the same time; at least 1. The default is 256.
    pub fn max_concurrent(self, handlers: usize) -> Self {
        Self { max_concurrent: handlers.clamp(1, 1 << 20), ..self }
    }

    /// The number of requests that may wait for a handler. Further ones are answered with `EAGENTRPC_BUSY` or, with at-least-once
    /// delivery, returned to the broker. The default is 1,024.
    pub fn max_waiting(self, requests: usize) -> Self {
        Self { max_waiting: requests.min(1 << 20), ..self }
    }

    /// The largest envelope, in bytes. The default is 1 MiB.
    pub fn max_message(self, bytes: usize) -> Self {
        Self { max_message: bytes, ..self }
    }

    /// How long the response of a request with an idempotency key is kept for its duplicates. The default is 5 minutes. At most 100,000
    /// responses of together 64 MiB are kept; if there are more, requests with keys are answered with `EAGENTRPC_BUSY`.
    ///
    /// A key that the client makes (for retries and stored requests; it is the `correlationId`) belongs to one call: its response is kept
    /// until the deadline of the call.
    pub fn idempotency_window(self, window: Duration) -> Self {
        Self { window, ..self }
    }

    /// How much the clocks of callers may be behind or ahead. The default is 0. In addition, a deadline always has a tolerance of 2 ms,
    /// because it is rounded.
    pub fn clock_tolerance(self, tolerance: Duration) -> Self {
        Self { tolerance, ..self }
    }

    /// The clock for deadlines and records.
    pub fn clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { clock, ..self }
    }

    /// Starts to receive requests. Must be called within a tokio runtime.
    ///
    /// # Errors
    ///
    /// The id of the agent is invalid, there is no transport, or one fails.
    pub async fn start(self) -> Result<Server, BuildError> {
        let agent = self.handlers.agent.clone();
        if AgentId::new(&agent).is_none() {
            return Err(BuildError::InvalidAgent(agent));
        }
        if self.channels.is_empty() {
            return Err(BuildError::NoTransport);
        }
        let total = self.max_concurrent + self.max_waiting;
        let mut subscriptions = Vec::new();
        for (transport, address) in self.channels {
            let group = self.group.clone().unwrap_or_else(|| agent.clone());
            // Requests wait here only until a task takes them.
            let options = SubscribeOptions { group: Some(group), delivery: self.delivery, capacity: total.max(1024) };
            let subscription = transport.subscribe(&address, options).await.map_err(BuildError::Transport)?;
            subscriptions.push((transport, subscription));
        }
        let (capacity, max_bytes) = ONCE;
        let shared = Shared {
            agent,
            entries: self.handlers.entries,
            journal: Journal::new(self.audit, self.records_calls, self.clock),
            keys: self.keys,
            tenants: self.tenants,
            skew: self.compares.then(|| Skew::new(self.known.iter().map(|known| known.to_descriptor(None)))),
            once: Arc::new(Once::new(crate::outcome::in_ms(self.window), capacity, max_bytes)),
            seen: Seen::default(),
            running: Semaphore::new(self.max_concurrent),
            admitted: Arc::new(Semaphore::new(total)),
            total,
            max_message: self.max_message,
            tolerance: crate::outcome::in_ms(self.tolerance).saturating_add(ROUNDING),
            counters: Counters::default(),
            phase: watch::Sender::new(Phase::Serving),
        };
        Ok(Server::new(Arc::new(shared), subscriptions))
    }
}
