//! Requests that one instance of a peer cannot serve, sent to other instances.
//!
//! During a deployment, instances with several contracts answer in turns. A request that one of them cannot read is
//! sent first to an instance that serves the caller's contract, which subscribes to an address of its own, and then
//! again to any instance. This does not depend on [`Retry`](super::Retry): no handler has started.

use std::sync::Arc;
use std::time::Duration;

use capgen_descriptor::Skew;
use tokio::time::Instant;

use super::Client;
use super::attempt::{Reply, Request};
use super::known::{AskedContract, Begin, Known, TooLarge};
use super::preferred::First;
use super::repeat::IsValid;
use super::started::Started;
use crate::address;
use crate::envelope::{MAX_DESCRIBED, MAX_DESCRIPTOR};
use crate::outcome::{CallError, code};

/// The attempts to find an instance by chance. With one new instance of two, each attempt finds it in half of the
/// cases: one call in thirty-two fails.
const BY_CHANCE: u32 = 4;

/// A request of a call, and the facts that its attempts depend on.
pub(super) struct Exchange<'a> {
    pub(super) client: &'a Client,
    pub(super) started: &'a Started,
    pub(super) request: Request<'a>,
    pub(super) known: &'a Arc<Known>,
    pub(super) is_valid: IsValid<'a>,
}

impl Client {
    /// The response to a request, through the layers of the client if it has any.
    pub(super) async fn exchange(
        &self,
        started: &Started,
        request: &Request<'_>,
        is_valid: IsValid<'_>,
    ) -> Result<Reply, CallError> {
        #[cfg(feature = "tower")]
        if let Some(layers) = &self.inner.layers {
            // In a box, because calls without layers should not have its size.
            return Box::pin(self.exchange_through(layers, started, request, is_valid)).await;
        }
        self.exchange_with_instances(started, request, is_valid).await
    }

    /// The response to a request, by an instance of the peer that can serve it. If the peer asked for the caller's
    /// contract, the request has it.
    pub(super) async fn exchange_with_instances(
        &self,
        started: &Started,
        request: &Request<'_>,
        is_valid: IsValid<'_>,
    ) -> Result<Reply, CallError> {
        // The budget for further attempts depends on the number of calls.
        let known = self.inner.known(&started.peer);
        let Begin { is_contract_wanted, first } = known.begin(request.target.contract.hash(), started.start);
        // The instances that have the caller's contract need it from no request.
        let is_wanted = is_contract_wanted && first != Some(First::Own);
        let contract = if is_wanted { self.contract_asked_for(request, &known) } else { None };
        let request = Request { contract: contract.as_ref(), ..*request };
        let exchange = Exchange { client: self, started, request, known: &known, is_valid };
        let reply = exchange.with_others(first).await?;
        exchange.note(&reply);
        Ok(reply)
    }

    /// The text of the caller's contract, if the peer asked for it, and this request has room for it.
    fn contract_asked_for(&self, request: &Request<'_>, known: &Arc<Known>) -> Option<AskedContract> {
        let contract = &request.target.contract;
        known.take_contract(contract.hash(), || {
            let described = serde_json::to_string(&contract.described()).unwrap_or_default();
            if described.len() > MAX_DESCRIPTOR {
                return Err(TooLarge);
            }
            let limit = self.link(request.target).map_or(0, |link| link.transport.max_message()).min(MAX_DESCRIBED);
            let size = described.len().saturating_mul(2).saturating_add(request.payload.len());
            Ok((size.saturating_add(MAX_REST) <= limit).then_some(described))
        })
    }
}

impl Exchange<'_> {
    /// The response by any instance or, if the first one does not serve the request, by others. `first` is the one that
    /// the request goes to while instances differ.
    async fn with_others(&self, first: Option<First>) -> Result<Reply, CallError> {
        let tries_others = self.client.inner.tries_other_instances;
        let result = match first.filter(|_| tries_others) {
            None => self.with_any(&self.request).await,
            Some(first) => Box::pin(self.during_deployment(first)).await,
        };
        match result {
            // In boxes, because few calls go on here. With retries, this is a part of them.
            Err(error) if tries_others && is_refused(&error) && self.client.inner.retry.attempts <= 1 => {
                Box::pin(self.other_instance(error)).await
            }
            Ok(reply) if tries_others && reply.skew.is_some() && !(self.is_valid)(&reply.payload) => {
                Ok(Box::pin(self.readable(reply)).await)
            }
            result => result,
        }
    }

    /// The response while instances of the peer differ: by one with the caller's contract, if there is one.
    async fn during_deployment(&self, first: First) -> Result<Reply, CallError> {
        let own = if first == First::Own { self.own_address() } else { None };
        let at_own = Request { address: own.as_deref(), ..self.request };
        let result = self.with_any(&at_own).await;
        let hash = self.request.target.contract.hash();
        match &result {
            // The instances do not differ any more, as far as this request shows.
            Ok(_) if own.is_none() => self.known.prefers_any(hash),
            // Nothing ran, so any instance may serve the request. With retries, further attempts went to any.
            Err(error) if own.is_some() && error.has_no_effect() && self.client.inner.retry.attempts <= 1 => {
                self.known.prefers_any(hash);
                return self.with_any(&self.request).await;
            }
            _ => {}
        }
        result
    }

    /// A response that the caller can read, instead of one of another contract that it cannot. Only for capabilities
    /// whose calls can be repeated.
    async fn readable(&self, unreadable: Reply) -> Reply {
        let Self { client, started, request, known, .. } = self;
        let (Some(own), true) = (self.own_address(), request.target.contract.is_repeatable()) else {
            return unreadable;
        };
        let Ok(_permit) = client.permit(started) else { return unreadable };
        if started.remaining() < MIN_REST || !known.take_attempt() {
            return unreadable;
        }
        let request = Request { attempt: request.attempt + 1, address: Some(&own), is_repeated: true, ..*request };
        client.attempt(started, &request).await.unwrap_or(unreadable)
    }

    /// The address of the instances that serve the caller's contract.
    pub(super) fn own_address(&self) -> Option<String> {
        let target = self.request.target;
        let hash = target.contract.hash();
        let kind = self.client.link(target).ok()?.transport.kind();
        (!hash.is_empty()).then(|| address::of_contract(kind, target.address(), hash))
    }

    /// Remembers the statements of a response about the contracts.
    fn note(&self, reply: &Reply) {
        let Self { started, request, known, .. } = self;
        let provider = reply.skew.as_ref().and_then(|skew| skew.provider_contract.as_deref());
        let Some(provider) = provider else { return };
        let own = request.target.contract.hash();
        if reply.needs_descriptor {
            known.asks(own, provider);
        }
        if let Some(notice) = &reply.notice
            && known.is_new_skew(own, provider)
        {
            let version = |version: &Option<String>| version.clone().unwrap_or_default();
            tracing::warn!(
                peer = &*started.peer,
                capability = &*started.capability,
                provider_version = version(&notice.provider_version),
                caller_version = version(&notice.caller_version),
                "the provider has another contract, of which some responses may be invalid"
            );
        }
    }
}

/// The time that another attempt needs at least: less is over before its answer.
const MIN_REST: Duration = Duration::from_millis(1);

/// Room for the headers and the other members of a request with a contract, in bytes.
const MAX_REST: usize = 32 * 1024;

/// Whether an instance refused a request because of the contracts, and started no handler.
fn is_refused(error: &CallError) -> bool {
    error.code == code::VERSION_SKEW && error.has_no_effect()
}

/// The attempts to find another instance.
pub(super) struct Search<'a> {
    /// The address of the instances that serve the caller's contract, until a request was sent to it.
    own: Option<&'a str>,
    /// The number of the attempts to find an instance by chance.
    by_chance: u32,
    /// When the next attempt starts.
    pub(super) next: Option<Instant>,
}

impl<'a> Search<'a> {
    pub(super) fn new(own: Option<&'a str>) -> Self {
        Self { own, by_chance: 0, next: None }
    }

    /// Plans the next attempt, if one may follow: at once to the instances with the caller's contract, or else after
    /// the pause before an attempt by chance, given its number. `rest` is the time until the deadline.
    pub(super) fn plan(&mut self, pause: impl FnOnce(u32) -> Duration, rest: Duration) {
        if self.next.is_some() || rest < MIN_REST {
            return;
        }
        if self.own.is_some() {
            self.next = Some(Instant::now());
        } else if self.by_chance < BY_CHANCE {
            self.by_chance += 1;
            self.next = Some(Instant::now() + pause(self.by_chance).min(rest / 2));
        }
    }

    /// Starts the attempt that is planned. Returns its address, if it is not that of the peer.
    pub(super) fn start(&mut self) -> Option<&'a str> {
        self.next = None;
        self.own.take()
    }
}

impl Request<'_> {
    /// The policy of the call for contracts that differ, if it is stricter than the default.
    pub(super) fn policy(&self, client: Skew) -> Option<&'static str> {
        let policy = self.options.skew.unwrap_or(client);
        (policy != Skew::Serve).then(|| policy.name())
    }
}
