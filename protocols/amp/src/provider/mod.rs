//! The provider of capabilities: which answer each message gets (sections 6 and 7).
//!
//! A [`Provider`] is the configuration, a [`State`] its memory. [`Provider::step`] takes an input and the time, and
//! returns outputs; it has no IO, clock or randomness. A program receives messages, runs handlers and sends answers as
//! the outputs say.

mod access;
mod adapter;
mod answer;
mod answered;
mod cursor;
mod ids;
mod input;
mod invoke;
mod memory;
mod outcome;
mod payload;
mod query;
mod receive;
mod record;
mod refusal;
mod request;
mod snapshots;
mod state;

use std::sync::Arc;

pub use access::{NoPermissions, Permissions};
pub use adapter::{Adapter, AdapterError};
pub use answered::CacheLimits;
pub use input::{
    HandlerOutcome, Impossible, Input, InvocationEnd, InvocationId, Output, RefusedInvocation, Start, Ticket,
};
pub use receive::Received;
pub use record::{Record, RequestId, Store};
pub use state::State;

use crate::author::Author;
use crate::catalogue::Catalogue;
use crate::cbor::Limits;
use crate::message::{Did, ResolveKey, SigningKey};
use crate::name::CapabilityName;
use crate::policy::Policy;
use adapter::Adapters;
use cursor::CursorKey;

/// The configuration of a provider. Its [`State`] is separate.
pub struct Provider {
    author: Author,
    keys: Arc<dyn ResolveKey + Send + Sync>,
    policy: Policy,
    settings: Settings,
    adapters: Adapters,
    cursors: CursorKey,
}

/// The limits of a provider.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// The `ttl` of answers, in ms.
    pub ttl_ms: u64,
    /// The longest time that an invocation may take, in ms.
    pub max_timeout_ms: u64,
    /// The longest `ttl` of received messages, in ms. Ids are remembered as long, so that no invocation runs twice.
    pub max_ttl_ms: u64,
    /// The number of invocations of a sender that run at the same time if it is alone. Senders that are not alone have
    /// shares: at most four times the number that is still free. Others are refused with 5004.
    pub max_running: usize,
    /// The number of duplicates that wait for one running invocation. Others are refused with 5004.
    pub max_waiting: usize,
    /// The limits of received messages.
    pub message: Limits,
    /// The limits of the memory for answers.
    pub cache: CacheLimits,
}

/// The longest `ttl` of messages, in ms (decision 22): a message for a day, and an hour for clocks that differ.
const MAX_TTL_MS: u64 = 25 * 60 * 60 * 1000;

impl Default for Settings {
    /// Answers live for a minute, messages for 25 hours at most; an invocation takes five minutes at most; 1024 run at
    /// the same time, each with 8 duplicates.
    fn default() -> Self {
        Self {
            // Twice as long as requesters wait by default, so that an answer does not expire on its way.
            ttl_ms: 60_000,
            // Handlers may call models, which need minutes.
            max_timeout_ms: 300_000,
            max_ttl_ms: MAX_TTL_MS,
            // As many as a server has connections by default, so that one sender may use each for a call.
            max_running: 1024,
            // A requester sends again after a connection has ended. Each duplicate keeps a connection.
            max_waiting: 8,
            message: Limits::default(),
            cache: CacheLimits::default(),
        }
    }
}

impl Provider {
    /// A provider with an identity, its key, the keys of senders, and a policy.
    #[must_use]
    pub fn new(did: Did, key: SigningKey, keys: Arc<dyn ResolveKey + Send + Sync>, policy: Policy) -> Self {
        let cursors = CursorKey::new(key.derive(b"capgen-amp cursor"));
        let author = Author::new(did, key);
        Self { author, keys, policy, settings: Settings::default(), adapters: Adapters::default(), cursors }
    }

    /// Replaces the limits.
    #[must_use]
    pub fn with_settings(self, settings: Settings) -> Self {
        Self { settings, ..self }
    }

    /// The DID of the provider.
    #[must_use]
    pub const fn did(&self) -> &Did {
        &self.author.did
    }

    /// The limits.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The policy.
    #[must_use]
    pub const fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Registers an adapter to a published version, if every request of the old version is a request of the published
    /// one (decision 9). The old version is known only if the catalogue has it, too, perhaps for other callers.
    ///
    /// # Errors
    ///
    /// The reason why that is not proved, or a duplicate.
    pub fn add_adapter(
        &mut self,
        name: &CapabilityName,
        from: &semver::Version,
        to: &semver::Version,
        adapter: Adapter,
        catalogue: &Catalogue,
    ) -> Result<(), AdapterError> {
        let contract = |version| catalogue.find(name, version).map(crate::catalogue::Published::contract);
        let new = contract(to).ok_or(AdapterError::NotComparable)?;
        adapter.prove(contract(from).map(|old| &old.input), &new.input)?;
        self.adapters.insert(name.clone(), from, to, adapter)
    }

    /// Registers an adapter without a proof. An old request that it does not convert to a valid new one is refused with
    /// 4004.
    ///
    /// # Errors
    ///
    /// There already is an adapter between these versions.
    pub fn add_unchecked_adapter(
        &mut self,
        name: &CapabilityName,
        from: &semver::Version,
        to: &semver::Version,
        adapter: Adapter,
    ) -> Result<(), AdapterError> {
        self.adapters.insert(name.clone(), from, to, adapter)
    }
}

impl std::fmt::Debug for Provider {
    /// Leaves out the key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Provider")
            .field("did", &self.author.did)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
