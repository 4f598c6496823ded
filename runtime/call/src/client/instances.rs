//! Requests that one instance of a peer cannot serve, sent to other instances.
//!
//! During a deployment, instances with several contracts answer in turns. A request that one of them cannot read is
//! sent first to an instance that serves the caller's contract, which subscribes to an address of its own, and then
//! again to any instance. This does not depend on [`Retry`](super::Retry): no handler has started.

use std::sync::Arc;
use std::time::Duration;

use capgen_descriptor::Skew;
use tokio::time::sleep;

use super::Client;
use super::attempt::{Reply, Request};
use super::known::Known;
use super::repeat::IsValid;
use super::started::Started;
use crate::address;
use crate::outcome::{CallError, code};

/// The attempts to find an instance by chance. With one new instance of two, each attempt finds it in half of the
/// cases: one call in thirty-two fails.
const BY_CHANCE: u32 = 4;

impl Client {
    /// The response to a request, by an instance of the peer that can serve it. If the peer asked for the caller's
    /// contract, the request has it.
    pub(super) async fn exchange(
        &self,
        started: &Started,
        request: Request<'_>,
        is_valid: IsValid<'_>,
    ) -> Result<Reply, CallError> {
        // The budget for further attempts depends on the number of calls.
        let known = self.inner.known(&started.peer);
        known.called();
        let contract = self.contract_asked_for(request, &known);
        let request = Request { contract: contract.as_deref(), ..request };
        let reply = self.exchange_with_others(started, request, &known, is_valid).await?;
        note(&known, started, request, &reply);
        Ok(reply)
    }

    /// The text of the caller's contract, if the peer asked for it, and this request has room for it.
    fn contract_asked_for(&self, request: Request<'_>, known: &Known) -> Option<String> {
        let contract = &request.target.contract;
        let mut text = None;
        let is_taken = known.takes_contract(contract.hash(), || {
            let described = serde_json::to_string(&contract.described()).unwrap_or_default();
            if described.len() > MAX_CONTRACT {
                // It fits into no request.
                return true;
            }
            let limit = self.link(request.target).map_or(0, |link| link.transport.max_message()).min(MAX_DESCRIBED);
            let size = described.len().saturating_mul(2).saturating_add(request.payload.len());
            let fits = size.saturating_add(MAX_REST) <= limit;
            text = Some(described);
            fits
        });
        text.filter(|_| is_taken)
    }

    async fn exchange_with_others(
        &self,
        started: &Started,
        request: Request<'_>,
        known: &Arc<Known>,
        is_valid: IsValid<'_>,
    ) -> Result<Reply, CallError> {
        let result = self.exchange_with_any(started, request, known, is_valid).await;
        if !self.inner.tries_other_instances {
            return result;
        }
        match result {
            // In boxes, because few calls go on here.
            Err(error) if is_refused(&error) => Box::pin(self.other_instance(started, request, known, error)).await,
            Ok(reply) if reply.skew.is_some() && !is_valid(&reply.payload) => {
                Ok(Box::pin(self.readable(started, request, known, reply)).await)
            }
            result => result,
        }
    }

    /// The response of another instance to a request that one cannot serve.
    async fn other_instance(
        &self,
        started: &Started,
        request: Request<'_>,
        known: &Known,
        refused: CallError,
    ) -> Result<Reply, CallError> {
        let mut last = refused;
        let is_repeated = request.target.contract.is_repeatable();
        let own = self.own_address(request);
        let Ok(_permit) = self.permit() else { return Err(last) };
        let mut number = request.attempt;
        let own = own.as_deref().map(|own| (Some(own), 0));
        for (address, by_chance) in own.into_iter().chain((1..=BY_CHANCE).map(|number| (None, number))) {
            if address.is_none() {
                let pause = last.retry_after().unwrap_or_else(|| self.inner.retry.pause(by_chance));
                sleep(pause.min(started.remaining() / 2)).await;
            }
            if started.remaining() < MIN_REST || !known.take_attempt() {
                return Err(last);
            }
            number += 1;
            match self.attempt(started, Request { attempt: number, address, is_repeated, ..request }).await {
                Err(error) if address.is_some() && error.code == code::NO_PEER => {
                    known.return_attempt();
                    number -= 1;
                }
                Err(error) if is_refused(&error) => last = error,
                Err(error) if error.retryable && (is_repeated || error.has_no_effect()) => last = error,
                result => return result,
            }
        }
        Err(last)
    }

    /// A response that the caller can read, instead of one of another contract that it cannot. Only for capabilities
    /// whose calls can be repeated.
    async fn readable(&self, started: &Started, request: Request<'_>, known: &Known, unreadable: Reply) -> Reply {
        let (Some(own), true) = (self.own_address(request), request.target.contract.is_repeatable()) else {
            return unreadable;
        };
        let Ok(_permit) = self.permit() else { return unreadable };
        if started.remaining() < MIN_REST || !known.take_attempt() {
            return unreadable;
        }
        let request = Request { attempt: request.attempt + 1, address: Some(&own), is_repeated: true, ..request };
        self.attempt(started, request).await.unwrap_or(unreadable)
    }

    /// The address of the instances that serve the caller's contract.
    fn own_address(&self, request: Request<'_>) -> Option<String> {
        let hash = request.target.contract.hash();
        let kind = self.link(request.target).ok()?.transport.kind();
        (!hash.is_empty()).then(|| address::of_contract(kind, request.target.address(), hash))
    }
}

/// The time that another attempt needs at least: less is over before its answer.
const MIN_REST: Duration = Duration::from_millis(1);

/// The largest contract that a provider reads, in bytes.
const MAX_CONTRACT: usize = 256 * 1024;

/// The largest request with a contract that only a later call needs, in bytes: providers that ask for contracts read
/// requests of this size. The quotes in a contract are escaped, so that it may take twice its size.
const MAX_DESCRIBED: usize = 512 * 1024;

/// Room for the headers and the other members of such a request.
const MAX_REST: usize = 32 * 1024;

/// Remembers the statements of a response about the contracts.
fn note(known: &Known, started: &Started, request: Request<'_>, reply: &Reply) {
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

/// Whether an instance refused a request because of the contracts, and started no handler.
fn is_refused(error: &CallError) -> bool {
    error.code == code::VERSION_SKEW && error.has_no_effect()
}

impl Request<'_> {
    /// The policy of the call for contracts that differ, if it is stricter than the default.
    pub(super) fn policy(self, client: Skew) -> Option<&'static str> {
        let policy = self.options.skew.unwrap_or(client);
        (policy != Skew::Serve).then(|| policy.name())
    }
}
