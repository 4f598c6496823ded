//! The options of one call.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use capgen_descriptor::Skew;
use tokio::time::Instant;

use crate::envelope::header;
use crate::outcome::CallResult;
use crate::transport::Delivery;

/// The options of a call. The default is a call that waits for its response, with the timeout of the capability. In a
/// handler, it ends with the call that the handler serves, and belongs to its tenant, session and trace: see
/// [`detached`](Self::detached).
///
/// ```
/// use std::time::Duration;
/// let options = capgen_call::CallOptions::new().timeout(Duration::from_secs(5)).tenant("acme").header("x-source", "cron");
/// ```
#[derive(Clone, Default)]
pub struct CallOptions {
    pub(crate) peer: Option<String>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) tenant: Option<Arc<str>>,
    pub(crate) session: Option<Arc<str>>,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) idempotency_key: Option<String>,
    pub(crate) delivery: Delivery,
    pub(crate) skew: Option<Skew>,
    /// The deadline of the call that is being served.
    pub(crate) parent_deadline: Option<Instant>,
    pub(crate) caused_by: Option<String>,
    /// Whether these are the options of a call that serves another one.
    pub(crate) is_child: bool,
    pub(crate) is_detached: bool,
}

/// Whether a call waits for its response.
#[derive(Clone, Default)]
pub enum CallMode {
    /// The call waits.
    #[default]
    Sync,
    /// The call ends when its request was sent. The handler gets the result later: also an invalid response, a failure
    /// or a timeout.
    Async(Arc<dyn Fn(CallResult) + Send + Sync>),
    /// The call ends when its request was sent, and the provider sends no response.
    FireAndForget,
}

impl CallOptions {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The id of the agent to call, with or without `agent://`. Generated capabilities name their agent; capabilities
    /// that are declared in Rust do not.
    #[must_use]
    pub fn peer(self, agent: impl Into<String>) -> Self {
        let agent: String = agent.into();
        let agent = agent.strip_prefix("agent://").map(str::to_owned).unwrap_or(agent);
        Self { peer: Some(agent), ..self }
    }

    /// The agent to call, unless these options have one.
    #[doc(hidden)]
    #[must_use]
    pub fn or_peer(self, agent: &str) -> Self {
        if self.peer.is_some() { self } else { self.peer(agent) }
    }

    /// How long to wait, from 1 ms to 600 s; other durations are changed to the nearest of these. The default is
    /// `timeoutMs` of the capability, or 30 s. A call that is made while a call is served never waits longer than that
    /// one.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout: Some(timeout), ..self }
    }

    /// The tenant, instead of the client's.
    #[must_use]
    pub fn tenant(self, tenant: impl Into<String>) -> Self {
        Self { tenant: Some(Arc::from(tenant.into())), ..self }
    }

    /// The session, for the records of the audit.
    #[must_use]
    pub fn session(self, session: impl Into<String>) -> Self {
        Self { session: Some(Arc::from(session.into())), ..self }
    }

    /// A header of the request. Names that start with `capgen-` are replaced by the client's values.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.insert(name.into(), value.into());
        self
    }

    /// The token of the principal for whom the call is made: the header `authorization`. Calls that a handler makes do
    /// not inherit it, because a token is for one provider.
    #[must_use]
    pub fn bearer(self, token: impl AsRef<str>) -> Self {
        self.header(header::AUTHORIZATION, format!("Bearer {}", token.as_ref()))
    }

    /// The key that makes several requests one: the provider runs the first one, and answers the others with the same
    /// response.
    #[must_use]
    pub fn idempotency_key(self, key: impl Into<String>) -> Self {
        Self { idempotency_key: Some(key.into()), ..self }
    }

    /// Makes a call of a handler independent of the call that it serves. By default, the calls that the future of a
    /// handler makes do not wait longer than the caller of the handler, and belong to its tenant, its session and its
    /// trace.
    ///
    /// A handler whose call is cancelled is dropped, and the calls that it waits for with it, also detached ones: make
    /// a call that must go on in a task of its own.
    #[must_use]
    pub fn detached(self) -> Self {
        Self { is_detached: true, ..self }
    }

    /// The policy for contracts that differ, instead of the client's. A provider applies the stricter one of this and
    /// its own.
    #[must_use]
    pub fn skew(self, policy: Skew) -> Self {
        Self { skew: Some(policy), ..self }
    }

    /// Sends the request with at-least-once delivery, if the transport supports it. The request gets an idempotency
    /// key, so that the provider runs it once.
    #[must_use]
    pub fn at_least_once(self) -> Self {
        Self { delivery: Delivery::AtLeastOnce, ..self }
    }
}

impl std::fmt::Debug for CallOptions {
    /// Leaves out the token.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = |(name, value): (&'_ String, &'_ String)| {
            let is_token = name.eq_ignore_ascii_case(header::AUTHORIZATION);
            (name.clone(), if is_token { "***".to_owned() } else { value.clone() })
        };
        let headers = self.headers.iter().map(shown);
        let mut options = f.debug_struct("CallOptions");
        options.field("peer", &self.peer).field("timeout", &self.timeout).field("tenant", &self.tenant);
        options.field("session", &self.session).field("headers", &headers.collect::<BTreeMap<_, _>>());
        options.field("idempotency_key", &self.idempotency_key).field("delivery", &self.delivery);
        options.field("skew", &self.skew).field("parent_deadline", &self.parent_deadline);
        options.field("caused_by", &self.caused_by).field("is_detached", &self.is_detached).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for CallMode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Sync => "Sync",
            Self::Async(_) => "Async",
            Self::FireAndForget => "FireAndForget",
        })
    }
}
