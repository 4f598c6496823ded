//! A call that is being served.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::client::CallOptions;
use crate::envelope::{Envelope, header};
use capgen_time::{Clock, SystemClock};

/// The properties of a call that is being served. Clones are cheap.
#[derive(Clone)]
pub struct Context {
    envelope: Arc<Envelope>,
    clock: Arc<dyn Clock>,
}

impl Context {
    pub(crate) fn new(envelope: Arc<Envelope>, clock: Arc<dyn Clock>) -> Self {
        Self { envelope, clock }
    }

    /// The context of a request of another protocol, for [`Handlers::run`](crate::Handlers::run): the id of the caller, the name of the
    /// capability, the id of the request, and the Unix time in ms until which the caller waits.
    #[must_use]
    pub fn of_request(caller: &str, capability: &str, message_id: &str, deadline: Option<u64>) -> Self {
        let envelope = Envelope::of_request(caller, capability, message_id, deadline);
        Self::new(Arc::new(envelope), Arc::new(SystemClock))
    }

    /// The id of the caller, without `agent://`. If the server has keys, the
    /// caller has one of them, but states its id itself.
    #[must_use]
    pub fn caller(&self) -> &str {
        self.envelope.from()
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

    /// The time until the caller stops waiting; `None` if the request has no deadline.
    #[must_use]
    pub fn remaining(&self) -> Option<Duration> {
        let deadline = self.envelope.deadline()?;
        Some(Duration::from_millis(deadline.saturating_sub(self.clock.now_ms())))
    }

    /// The options of calls that serve this call: they do not wait longer than its caller, belong to its tenant, its session and its
    /// trace, and name its request as their cause.
    #[must_use]
    pub fn child_options(&self) -> CallOptions {
        let mut options = CallOptions::new();
        options.parent_deadline = self.envelope.deadline();
        options.caused_by = Some(self.message_id().to_owned());
        options.tenant = self.tenant().map(Arc::from);
        options.session = self.envelope.header(header::SESSION).map(Arc::from);
        if let Some(parent) = self.envelope.header(header::TRACEPARENT) {
            options.headers.insert(header::TRACEPARENT.to_owned(), parent.to_owned());
        }
        options
    }
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut context = f.debug_struct("Context");
        context.field("caller", &self.caller()).field("capability", &self.capability());
        context.field("correlation_id", &self.correlation_id()).finish_non_exhaustive()
    }
}
