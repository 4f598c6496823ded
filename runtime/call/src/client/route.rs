//! From the name of a peer and a capability to the transport, the address and the contract of a call.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use capgen_descriptor::{Descriptor, OwnedDescriptor, SideEffects};
use capgen_manifest::Side;
use capgen_payload::Validator;

use super::builder::{Inner, Link};
use super::refusal::with_declared_details;
use crate::outcome::{CallError, code};
use crate::peers::{Peer, PeerCapability};

/// The contract of the capability that is called.
#[derive(Clone)]
pub(super) enum CalledContract {
    /// Of generated or derived code.
    Typed(&'static Descriptor),
    /// Of the table of peers.
    Loaded(Arc<Peer>, String),
}

/// A capability of a peer, and the way to reach it.
#[derive(Clone)]
pub(super) struct Target {
    pub(super) contract: CalledContract,
    peer: Arc<Peer>,
    /// The index of the way to reach the peer.
    route: usize,
    /// The index of the link.
    link: usize,
}

impl CalledContract {
    fn loaded(&self) -> Option<&PeerCapability> {
        match self {
            Self::Typed(_) => None,
            Self::Loaded(peer, name) => peer.capabilities.as_ref()?.get(name),
        }
    }

    pub(super) fn hash(&self) -> &str {
        match self {
            Self::Typed(descriptor) => descriptor.hash,
            Self::Loaded(..) => self.loaded().map_or("", |capability| &capability.hash),
        }
    }

    pub(super) fn version(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Typed(descriptor) => descriptor.version.map(Cow::Borrowed),
            Self::Loaded(..) => self.loaded()?.source.version.as_ref().map(|version| Cow::Owned(version.to_string())),
        }
    }

    pub(super) fn timeout(&self) -> Option<Duration> {
        match self {
            Self::Typed(descriptor) => descriptor.timeout_ms.map(Duration::from_millis),
            Self::Loaded(..) => self.loaded()?.timeout,
        }
    }

    /// Whether a request that may have run can be sent again: the contract states that a repeated call has no further
    /// effect.
    pub(super) fn is_repeatable(&self) -> bool {
        let (idempotent, effects) = match self {
            Self::Typed(descriptor) => {
                (descriptor.idempotent, descriptor.side_effects.and_then(SideEffects::from_name))
            }
            Self::Loaded(..) => {
                let source = self.loaded().map(|capability| &capability.source);
                (source.and_then(|source| source.idempotent), source.and_then(|source| source.side_effects))
            }
        };
        SideEffects::allow_repetition(idempotent, effects)
    }

    /// The validator of a side; `None` if the side is loose.
    pub(super) fn validator(&self, side: Side) -> Option<&Validator> {
        let capability = self.loaded()?;
        match side {
            Side::Request => capability.request.as_ref(),
            Side::Response => capability.response.as_ref(),
        }
    }

    /// The error of a provider, with its details only if they conform to this contract. Those of a capability that is
    /// not declared are as they arrived.
    pub(super) fn declared(&self, inner: &Inner, error: CallError) -> CallError {
        match self {
            Self::Typed(descriptor) => with_declared_details(error, |code, details| {
                inner.typed_errors.of(descriptor.errors).received(code, details)
            }),
            Self::Loaded(..) => match self.loaded() {
                Some(known) => with_declared_details(error, |code, details| known.errors.received(code, details)),
                None => error,
            },
        }
    }

    /// The codes that it declares.
    #[cfg(feature = "otel")]
    pub(super) fn codes(&self) -> super::started::Codes {
        use super::started::Codes;
        match self {
            Self::Typed(descriptor) => Codes::Typed(descriptor.errors),
            Self::Loaded(..) => self.loaded().map_or(Codes::None, |known| Codes::Loaded(Arc::clone(&known.errors))),
        }
    }

    /// The contract as data, for a provider that does not know it. Errors do not decide whether contracts are
    /// compatible.
    pub(super) fn described(&self) -> OwnedDescriptor {
        let mut described = self.to_descriptor();
        described.errors.clear();
        described
    }

    fn to_descriptor(&self) -> OwnedDescriptor {
        match self {
            Self::Typed(descriptor) => OwnedDescriptor::from(*descriptor),
            Self::Loaded(..) => {
                self.loaded().map(|capability| capability.source.to_descriptor(None)).unwrap_or_default()
            }
        }
    }
}

impl Target {
    pub(super) fn link<'i>(&self, inner: &'i Inner) -> Option<&'i Link> {
        inner.links.get(self.link)
    }

    /// Where requests go to.
    pub(super) fn address(&self) -> &str {
        self.peer.routes.get(self.route).map_or("", |route| &route.address)
    }
}

impl Inner {
    /// Finds a typed capability.
    pub(super) fn typed(&self, peer: &str, descriptor: &'static Descriptor) -> Result<Target, CallError> {
        if peer.is_empty() {
            let message = format!(
                "the capability `{}` is not bound to an agent: select one with `CallOptions::peer`",
                descriptor.name
            );
            return Err(CallError { retryable: false, ..CallError::new(code::NO_PEER, message) });
        }
        self.target(peer, descriptor.name, Some(descriptor))
    }

    /// Finds a capability by its name.
    pub(super) fn named(&self, peer: &str, capability: &str) -> Result<Target, CallError> {
        self.target(peer, capability, None)
    }

    fn target(&self, peer: &str, capability: &str, typed: Option<&'static Descriptor>) -> Result<Target, CallError> {
        let Some(entry) = self.peers.get(peer) else {
            let known: Vec<String> = self.peers.ids().map(|id| format!("`{id}`")).collect();
            let known =
                if known.is_empty() { "it is empty".to_owned() } else { format!("it has {}", known.join(", ")) };
            let message = format!("the table of peers has no agent `{peer}`: {known}");
            return Err(CallError { retryable: false, ..CallError::new(code::NO_PEER, message) });
        };
        let has_capability = entry.capabilities.as_ref().map(|all| all.contains_key(capability));
        if has_capability == Some(false) || (has_capability.is_none() && typed.is_none()) {
            let message = match &entry.capabilities {
                None => format!("the table of peers has no capabilities of `{peer}`: load its `capabilities.yaml`"),
                Some(all) => {
                    let names: Vec<String> = all.keys().map(|name| format!("`{name}`")).collect();
                    format!("the agent `{peer}` has no capability `{capability}`: it has {}", names.join(", "))
                }
            };
            return Err(CallError::new(code::NO_CAPABILITY, message));
        }
        let (link, route) = self.route(peer, entry)?;
        let contract = match typed {
            Some(descriptor) => CalledContract::Typed(descriptor),
            None => CalledContract::Loaded(Arc::clone(entry), capability.to_owned()),
        };
        Ok(Target { contract, peer: Arc::clone(entry), route, link })
    }

    /// The link and the index of the first way to reach a peer for which this client has a transport.
    fn route(&self, peer: &str, entry: &Peer) -> Result<(usize, usize), CallError> {
        for (index, route) in entry.routes.iter().enumerate() {
            if let Some(link) = self.links.iter().position(|link| link.transport.kind() == route.kind) {
                return Ok((link, index));
            }
        }
        let list = |kinds: Vec<&str>| kinds.into_iter().map(|kind| format!("`{kind}`")).collect::<Vec<_>>().join(", ");
        let offered = list(entry.routes.iter().map(|route| route.kind.as_str()).collect());
        let have = list(self.links.iter().map(|link| link.transport.kind()).collect());
        let have = if have.is_empty() { "none".to_owned() } else { have };
        let message = format!(
            "the agent `{peer}` is reached through {offered}, and this client has the transports {have}: add a transport of one of \
             these kinds to the client"
        );
        Err(CallError::new(code::NO_TRANSPORT, message))
    }
}
