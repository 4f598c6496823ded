//! A call that is being served.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use capgen_time::{Clock, SystemClock};
use tokio::time::Instant;

use crate::envelope::{Envelope, header};
use crate::identity::{Principal, Proof};
use crate::options::CallOptions;

tokio::task_local! {
    /// The call whose handler this task polls.
    static SERVED: Context;
}

/// The properties of a call that is being served. Clones are cheap.
#[derive(Clone)]
pub struct Context {
    envelope: Arc<Envelope>,
    /// The end of the call.
    due: Option<Instant>,
    proof: Proof,
    principal: Option<Arc<Principal>>,
}

impl Context {
    pub(crate) fn new(envelope: Arc<Envelope>, due: Option<Instant>) -> Self {
        Self { envelope, due, proof: Proof::None, principal: None }
    }

    /// The context of a request of another protocol, for [`Handlers::run`](crate::Handlers::run): the id of the caller,
    /// the name of the capability, the id of the request, and the Unix time in ms until which the caller waits.
    #[must_use]
    pub fn of_request(caller: &str, capability: &str, message_id: &str, deadline: Option<u64>) -> Self {
        let envelope = Envelope::of_request(caller, capability, message_id, deadline);
        let rest = deadline.map(|deadline| Duration::from_millis(deadline.saturating_sub(SystemClock.now_ms())));
        // The clock of the process cannot show a deadline that is centuries away.
        let due = rest.and_then(|rest| Instant::now().checked_add(rest));
        Self::new(Arc::new(envelope), due)
    }

    /// The same context with the proof of the agent, for requests of other protocols.
    #[must_use]
    pub fn with_proof(self, proof: Proof) -> Self {
        Self { proof, ..self }
    }

    /// The same context with the principal for whom the request was sent, for requests of other protocols.
    #[must_use]
    pub fn with_principal(self, principal: impl Into<Option<Arc<Principal>>>) -> Self {
        Self { principal: principal.into(), ..self }
    }

    /// Runs a handler, whose calls serve this call.
    pub(crate) async fn serve<T>(self, handler: impl Future<Output = T>) -> T {
        SERVED.scope(self, handler).await
    }

    /// The call whose handler runs, if one does.
    pub(crate) fn served() -> Option<Self> {
        SERVED.try_with(Self::clone).ok()
    }

    /// The id of the caller, without `agent://`. [`proof`](Self::proof) shows whether it is proved: without a key of
    /// the agent itself, the caller states its id, and could state any other.
    #[must_use]
    pub fn caller(&self) -> &str {
        self.envelope.from()
    }

    /// The proof of [`caller`](Self::caller).
    #[must_use]
    pub fn proof(&self) -> &Proof {
        &self.proof
    }

    /// The principal for whom the call is made, if the request has a token that the server verified.
    #[must_use]
    pub fn principal(&self) -> Option<&Principal> {
        self.principal.as_deref()
    }

    /// The name of the capability.
    #[must_use]
    pub fn capability(&self) -> &str {
        self.envelope.capability()
    }

    /// The tenant of the call.
    #[must_use]
    pub fn tenant(&self) -> Option<&str> {
        self.envelope.tenant()
    }

    /// The id that the request shares with its response.
    #[must_use]
    pub fn correlation_id(&self) -> &str {
        self.envelope.correlation_id()
    }

    /// The id of the request.
    #[must_use]
    pub fn message_id(&self) -> &str {
        self.envelope.message_id()
    }

    /// The headers of the request.
    #[must_use]
    pub fn headers(&self) -> &BTreeMap<String, String> {
        self.envelope.headers()
    }

    /// The time until the caller stops waiting; `None` if the request has no deadline. It does not depend on the clock
    /// of the caller, unless that sends a deadline alone, as older clients do.
    #[must_use]
    pub fn remaining(&self) -> Option<Duration> {
        Some(self.due?.saturating_duration_since(Instant::now()))
    }

    /// The options of calls that serve this call: they do not wait longer than its caller, belong to its tenant, its
    /// session and its trace, and name its request as their cause.
    ///
    /// Calls that the future of a handler makes have these properties anyway. The method is for calls in other tasks,
    /// such as those of `tokio::spawn`.
    #[must_use]
    pub fn child_options(&self) -> CallOptions {
        let mut options = CallOptions::new();
        options.parent_deadline = self.due;
        options.is_child = true;
        // Ids of other protocols may be longer than those of messages.
        let id = self.message_id();
        options.caused_by = Some(id).filter(|id| (1..=128).contains(&id.chars().count())).map(str::to_owned);
        options.tenant = self.tenant().map(Arc::from);
        options.session = self.envelope.header(header::SESSION).map(Arc::from);
        if let Some(parent) = self.envelope.header(header::TRACEPARENT) {
            options.headers.insert(header::TRACEPARENT.to_owned(), parent.to_owned());
        }
        options
    }
}

impl CallOptions {
    /// These options, with the properties of the call that is being served by this task, unless they have their own.
    pub(crate) fn inherited(&self) -> Cow<'_, Self> {
        if self.is_detached || self.is_child {
            return Cow::Borrowed(self);
        }
        let Some(served) = Context::served() else { return Cow::Borrowed(self) };
        let mut options = served.child_options();
        options.headers.extend(self.headers.clone());
        let (tenant, session) = (self.tenant.clone().or(options.tenant), self.session.clone().or(options.session));
        Cow::Owned(Self {
            tenant,
            session,
            headers: options.headers,
            parent_deadline: options.parent_deadline,
            caused_by: options.caused_by,
            ..self.clone()
        })
    }
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut context = f.debug_struct("Context");
        context.field("caller", &self.caller()).field("capability", &self.capability());
        context.field("correlation_id", &self.correlation_id()).finish_non_exhaustive()
    }
}
