//! Building servers.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use capgen_descriptor::Skew;
use capgen_evolve::Assume;
use capgen_manifest::{AgentId, Capability};
use capgen_time::{Clock, SystemClock};
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, watch};

use super::authority::{Authority, check_tokens};
use super::cancels::Cancels;
use super::control_rate::ControlRates;
use super::due::Clocks;
use super::gate::Gate;
use super::handlers::Handlers;
use super::idempotency::KeyedResponses;
use super::running::Server;
use super::seen::Seen;
use super::shared::{Counters, Phase, Shared};
use super::skew::Comparisons;
use super::subscriptions::{Subscriber, Subscriptions};
use super::verdict::Rules;
use crate::audit::{Audit, AuditWriter};
use crate::build_error::{BuildError, check_key};
use crate::envelope::Keys;
use crate::id::Id;
use crate::idempotency_store::IdempotencyStore;
use crate::journal::Journal;
use crate::outcome::in_ms;
use crate::peers::{AcceptedFindings, FleetSettings, PeerTable};
use crate::settings::Settings;
use crate::transport::{Delivery, IntoTransport, Transport};

/// Builds a [`Server`]. Created by [`Server::builder`].
#[must_use]
pub struct ServerBuilder {
    handlers: Handlers,
    channels: Vec<(Arc<dyn Transport>, String)>,
    group: Option<String>,
    delivery: Delivery,
    audit: Option<Arc<dyn Audit>>,
    records_calls: bool,
    pub(super) keys: Option<Keys>,
    pub(super) authority: Authority,
    tenants: BTreeSet<String>,
    policy: Option<Skew>,
    assume: Option<Assume>,
    accepted: Option<AcceptedFindings>,
    settings: Settings,
    fleet: FleetSettings,
    known: Vec<Capability>,
    max_concurrent: usize,
    max_waiting: usize,
    max_message: usize,
    window: Duration,
    store: Option<Arc<dyn IdempotencyStore>>,
    difference: Duration,
    tolerance: Duration,
    clock: Arc<dyn Clock>,
}

/// The number of requests with idempotency keys of one caller that are remembered, and the sum of the sizes of their
/// responses, in bytes. Responses of about 670 bytes on average use up both. Beyond them, requests with keys are
/// refused until older ones are forgotten, so that their memory stays bounded and no request runs twice.
const ONCE: (u64, u64) = (100_000, 64 * 1024 * 1024);

/// The most handlers that run, and the most requests that wait. No machine runs more, and the sum is within the limits
/// of a semaphore on every platform.
const MAX_REQUESTS: usize = 1 << 20;

/// The most by which clocks may differ. A clock that is further off shows another date, which is worth an error; and
/// ids are remembered for as long.
const MAX_CLOCKS: Duration = Duration::from_secs(24 * 3600);

impl Server {
    /// Builds a server from the handlers of an agent.
    ///
    /// ```
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use capgen_call::{Handlers, MemoryBroker, Server};
    /// use std::time::Duration;
    ///
    /// let handlers = Handlers::new("echo").with_loose("say", async |_, payload| Ok(payload));
    /// let broker = MemoryBroker::new();
    /// let server = Server::builder(handlers).listen(broker.connect(), "agents.echo.requests").start().await?;
    /// server.shutdown(Duration::from_secs(5)).await;
    /// # Ok(())
    /// # }
    /// ```
    pub fn builder(handlers: Handlers) -> ServerBuilder {
        ServerBuilder::new(handlers)
    }
}

impl ServerBuilder {
    fn new(handlers: Handlers) -> Self {
        Self {
            handlers,
            channels: Vec::new(),
            group: None,
            delivery: Delivery::AtMostOnce,
            audit: None,
            records_calls: false,
            keys: None,
            authority: Authority::default(),
            tenants: BTreeSet::new(),
            policy: None,
            assume: None,
            accepted: None,
            settings: Settings::default(),
            fleet: FleetSettings::default(),
            known: Vec::new(),
            // Handlers mostly wait for something else, so there may be more of them than processors. Requests that wait
            // for longer than their callers do would be useless work.
            max_concurrent: 256,
            max_waiting: 1024,
            // The default of NATS servers, so that programs behave alike with every transport.
            max_message: 1024 * 1024,
            // A caller that repeats a request after a failure does it within minutes.
            window: Duration::from_secs(300),
            store: None,
            // Clocks that nothing synchronises are off by minutes; so much later, a replay is refused by its deadline.
            difference: Duration::from_secs(300),
            tolerance: Duration::ZERO,
            clock: Arc::new(SystemClock),
        }
    }

    /// Receives requests at an address of a transport. Can be called several times.
    ///
    /// A transport that the program uses elsewhere too is given as a clone or in an [`Arc`].
    pub fn listen(mut self, transport: impl IntoTransport, address: impl Into<String>) -> Self {
        self.channels.push((transport.into_transport(), address.into()));
        self
    }

    /// The queue group of all processes of this agent, each of which gets a part of the requests. The default is the id
    /// of the agent.
    pub fn group(self, group: impl Into<String>) -> Self {
        Self { group: Some(group.into()), ..self }
    }

    /// Also receives requests that were sent with at-least-once delivery, and acknowledges them after their response
    /// was sent.
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

    /// Adds a tenant that is served. Without any, requests of every tenant are served, and those without a tenant.
    pub fn tenant(mut self, tenant: impl Into<String>) -> Self {
        self.tenants.insert(tenant.into());
        self
    }

    /// Which callers with another contract are served. The default is [`Skew::Serve`]: a call runs if its payload is
    /// valid. A caller may ask for a stricter policy with the header `capgen-policy`.
    ///
    /// [`Skew::Refuse`] and [`Skew::Strict`] compare the contracts before the handler runs, once for each contract of a
    /// caller, and refuse with `EVERSION_SKEW`. They refuse calls whose payloads would be valid, so they are for
    /// handlers whose effects are worse than a refusal if the caller then cannot read the response.
    ///
    /// ```
    /// use capgen_call::{Handlers, Server, Skew};
    /// let server = Server::builder(Handlers::new("payments")).skew(Skew::Refuse);
    /// ```
    pub fn skew(self, policy: Skew) -> Self {
        Self { policy: Some(policy), ..self }
    }

    /// The programs that comparisons assume on both ends, as `capgen diff --assume` does. The default is
    /// [`Assume::AnyPeer`].
    pub fn assume(self, assume: Assume) -> Self {
        Self { assume: Some(assume), ..self }
    }

    /// The settings of the environment, for those that this builder does not set itself.
    ///
    /// ```no_run
    /// use capgen_call::{Handlers, Server, Settings};
    /// let server = Server::builder(Handlers::new("payments")).settings(&Settings::from_env()?);
    /// # Ok::<(), capgen_call::InvalidSettings>(())
    /// ```
    pub fn settings(self, settings: &Settings) -> Self {
        Self { settings: *settings, ..self }
    }

    /// The settings of the key `calls` of the fleets of a table of peers, for those that neither this builder nor the
    /// environment sets: the policy, the assumed programs and the accepted findings. The key `grants` is added to the
    /// grants of this builder.
    pub fn fleet(self, peers: &PeerTable) -> Self {
        Self { fleet: peers.settings().clone(), ..self }
    }

    /// The breaking changes that a reviewer has accepted: comparisons treat them as compatible until they expire.
    /// Payloads are validated nevertheless.
    pub fn accepted(self, findings: AcceptedFindings) -> Self {
        Self { accepted: Some(findings), ..self }
    }

    /// An older contract of a capability. Callers that use it are compared without having to send theirs.
    pub fn known_contract(mut self, capability: &Capability) -> Self {
        self.known.push(capability.clone());
        self
    }

    /// The number of handlers that run at the same time; at least 1. The default is 256.
    ///
    /// A server whose callers have shares runs up to a quarter more, for callers that come while others use all of
    /// these. With fewer than 4, there is no quarter: such a caller waits for a handler to end.
    pub fn max_concurrent(self, handlers: usize) -> Self {
        Self { max_concurrent: handlers.clamp(1, MAX_REQUESTS), ..self }
    }

    /// The number of requests that may wait for a handler. Further ones are answered with `EAGENTRPC_BUSY` or, with
    /// at-least-once delivery, returned to the broker. The default is 1,024.
    pub fn max_waiting(self, requests: usize) -> Self {
        Self { max_waiting: requests.min(MAX_REQUESTS), ..self }
    }

    /// The largest envelope, in bytes. The default is 1 MiB.
    pub fn max_message(self, bytes: usize) -> Self {
        Self { max_message: bytes, ..self }
    }

    /// How long the response of a request with an idempotency key is kept for its duplicates. The default is 5 minutes.
    /// At most 100,000 responses of together 64 MiB are kept; if there are more, requests with keys are answered with
    /// `EAGENTRPC_BUSY`.
    ///
    /// A key that the client makes (for retries and stored requests; it is the `correlationId`) belongs to one call:
    /// its response is kept until the deadline of the call.
    pub fn idempotency_window(self, window: Duration) -> Self {
        Self { window, ..self }
    }

    /// Makes idempotency keys the same for all instances of the agent, by a store that they share. Without one, each
    /// instance has keys of its own.
    ///
    /// A request with a key costs two writes of the store, and one more for each second that its handler runs; one that
    /// waits for another instance reads 20 times a second, and runs if that one is cancelled. If the
    /// store fails, requests with keys are answered with `EAGENTRPC_BUSY` and do not run. If an instance ends while its
    /// handler runs, another one runs the request again after 3 s, since nothing shows how far the handler came.
    pub fn idempotency_store(self, store: Arc<dyn IdempotencyStore>) -> Self {
        Self { store: Some(store), ..self }
    }

    /// How much the clocks of callers may be behind or ahead, for signed requests and for requests that a broker
    /// stored. The default is 5 minutes; the largest value is a day. Other requests state the time that remains, which
    /// does not depend on clocks.
    ///
    /// With keys, the ids of requests are remembered until their deadline and this time have passed, so that no request
    /// is accepted twice.
    pub fn clock_difference(self, difference: Duration) -> Self {
        Self { difference: difference.min(MAX_CLOCKS), ..self }
    }

    /// How much the clocks of callers may be behind or ahead that send a deadline without the remaining time, as older
    /// clients do. The default is 0; the largest value is a day. In addition, a deadline always has a tolerance of 2
    /// ms, because it is rounded.
    pub fn clock_tolerance(self, tolerance: Duration) -> Self {
        Self { tolerance: tolerance.min(MAX_CLOCKS), ..self }
    }

    /// The clock for deadlines, for the ends of keys and for records.
    pub fn clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { clock, ..self }
    }

    /// Starts to receive requests. Must be called within a tokio runtime.
    ///
    /// # Errors
    ///
    /// The id of the agent is invalid, two handlers have the same name and version, the key that signs belongs to
    /// another agent, nothing decides who has the required roles and scopes, tokens are not protected, there is no
    /// transport, or one fails.
    pub async fn start(self) -> Result<Server, BuildError> {
        let agent = self.handlers.agent.clone();
        let Some(id) = AgentId::new(&agent) else { return Err(BuildError::InvalidAgent(agent)) };
        self.handlers.check()?;
        check_key(self.keys.as_ref(), &agent)?;
        if self.channels.is_empty() {
            return Err(BuildError::NoTransport);
        }
        let requests = self.max_concurrent + self.max_waiting;
        // With shares, one caller gets as many as without; then others find room.
        let tokens = self.authority.tokens.clone();
        let authorization = self.authority.of(&self.handlers, &self.fleet.grants)?;
        check_tokens(tokens.as_ref(), self.keys.as_ref(), &self.channels)?;
        let has_shares = tokens.is_some() || self.keys.as_ref().is_some_and(Keys::prove_agents);
        let total = if has_shares { more(requests) } else { requests };
        let group = self.group.unwrap_or_else(|| agent.clone());
        let (delivery, capacity, instance) = (self.delivery, total.max(1024), Id::random());
        let subscriber = Subscriber { handlers: &self.handlers, group, delivery, capacity, instance };
        let mut subscriptions = Subscriptions::default();
        for (transport, address) in self.channels {
            subscriber.subscribe(transport, &address, &mut subscriptions).await?;
        }
        let (capacity, max_bytes) = ONCE;
        let rules = Rules {
            agent: id,
            assume: self.assume.or(self.settings.assume).or(self.fleet.assume).unwrap_or_default(),
            accepted: self.accepted.or(self.fleet.accepted).unwrap_or_default(),
            clock: Arc::clone(&self.clock),
        };
        let known = self.known.iter().map(|known| known.to_descriptor(None));
        let shared = Shared {
            agent,
            most_versions: self.handlers.most_versions(),
            entries: self.handlers.entries.into_iter().collect(),
            #[cfg(feature = "tower")]
            layers: self.handlers.layers,
            journal: Journal::new(AuditWriter::Provider)
                .with_audit(self.audit)
                .with_calls(self.records_calls)
                .with_clock(self.clock),
            keys: self.keys,
            tokens,
            authorization,
            tenants: self.tenants,
            policy: self.policy.or(self.settings.skew).or(self.fleet.skew).unwrap_or_default(),
            comparisons: Arc::new(Comparisons::new(known, rules)),
            once: Arc::new(KeyedResponses::new(in_ms(self.window), capacity, max_bytes)),
            store: self.store,
            seen: Seen::default(),
            cancels: Cancels::new(has_shares),
            control_rates: ControlRates::default(),
            running: Gate::new(self.max_concurrent),
            places: has_shares.then(|| Gate::new(requests)),
            admitted: Arc::new(Semaphore::new(total)),
            total,
            max_message: self.max_message,
            clocks: Clocks { difference: in_ms(self.difference), tolerance: in_ms(self.tolerance) },
            counters: Counters::default(),
            #[cfg(feature = "otel")]
            instruments: crate::otel::Instruments::of_server(),
            phase: watch::Sender::new(Phase::Serving),
            runtime: Handle::current(),
        };
        Ok(Server::new(Arc::new(shared), subscriptions.requests, subscriptions.control))
    }
}

/// A number of requests and a quarter more.
fn more(requests: usize) -> usize {
    let total = capgen_shares::total_of(u64::try_from(requests).unwrap_or(u64::MAX));
    usize::try_from(total).unwrap_or(usize::MAX)
}
