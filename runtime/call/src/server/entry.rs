//! A capability that is served: its contract and its handler.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use capgen_descriptor::{OwnedDescriptor, SideEffects, Skew};
use capgen_manifest::Capability;
use capgen_payload::{InvalidPayload, Violations};
use semver::Version;

use super::outgoing::InvalidDetails;
use super::version::Served;
use crate::context::Context;
use crate::declared_errors::DeclaredErrors;
use crate::failure::Failure;
use crate::transport::BoxFuture;
use crate::violation::list;

/// A version of a capability that is served.
pub(super) struct Entry {
    /// The contract; `None` if the capability is loose on both sides and has no declaration.
    pub(super) contract: Option<Arc<OwnedDescriptor>>,
    /// The contract, or one with the name of a capability that has none.
    pub(super) described: Arc<OwnedDescriptor>,
    /// The version of the contract, if it has a valid one.
    pub(super) version: Option<Version>,
    /// The versions of callers that are served; `None` for all.
    pub(super) served: Option<Served>,
    /// The policy of the contract for callers with another one.
    pub(super) policy: Skew,
    /// The contract with the order and the descriptions of its properties, if the program has it.
    pub(super) source: Source,
    run: Box<Run>,
}

/// Where a contract is written with the order and the descriptions of its properties.
pub(super) enum Source {
    /// Nowhere.
    None,
    /// In a manifest.
    Manifest(Box<Capability>),
    /// In the types of the program.
    #[cfg(feature = "derive")]
    Types(fn() -> Option<Capability>),
}

/// Reads a request, and returns the future that runs its handler.
pub(super) type Run = dyn Fn(Context, Bytes) -> Result<BoxFuture<'static, Handled>, InvalidSide> + Send + Sync;

/// The result of a handler: the text of the response.
pub(super) type Handled = Result<Bytes, Unhandled>;

/// Why there is no response.
pub(super) enum Unhandled {
    /// The handler failed.
    Failure(Failure),
    /// The response violates its schema.
    Invalid(InvalidSide),
    /// The handler failed, and the details of its failure violate their schema.
    InvalidDetails(InvalidDetails),
}

/// The violations of a payload, without its values.
pub(super) struct InvalidSide(pub(super) Violations);

impl Entry {
    pub(super) fn new(name: &str, contract: Option<OwnedDescriptor>, source: Source, run: Box<Run>) -> Self {
        let version = contract.as_ref().and_then(|contract| contract.version.as_deref()?.parse().ok());
        let served = contract.as_ref().and_then(Served::of);
        let policy = contract.as_ref().and_then(|contract| Skew::from_name(contract.skew.as_deref()?));
        let contract = contract.map(Arc::new);
        let described = contract.clone().unwrap_or_else(|| Arc::new(OwnedDescriptor::new(name)));
        Self { contract, described, version, served, policy: policy.unwrap_or_default(), source, run }
    }

    /// Reads a request. The handler starts when the future is polled.
    pub(super) fn start(&self, context: Context, payload: Bytes) -> Result<BoxFuture<'static, Handled>, InvalidSide> {
        (self.run)(context, payload)
    }

    /// Whether a call can be repeated without another effect.
    pub(super) fn is_repeatable(&self) -> bool {
        self.contract.as_ref().is_some_and(|contract| {
            let effects = contract.side_effects.as_deref().and_then(SideEffects::from_name);
            SideEffects::allow_repetition(contract.idempotent, effects)
        })
    }

    /// The hash of the contract; empty if there is none.
    pub(super) fn hash(&self) -> &str {
        self.contract.as_ref().map_or("", |contract| &contract.hash)
    }
}

impl Unhandled {
    /// A failure of a capability; `None` if it has no contract. The cause goes to the log here: no answer has it.
    pub(super) fn failure(failure: Failure, errors: Option<&DeclaredErrors>) -> Self {
        failure.log();
        let failure = failure.of_handler();
        let Some(errors) = errors else { return Self::Failure(failure) };
        errors.outgoing(failure).map_or_else(Self::InvalidDetails, Self::Failure)
    }
}

impl InvalidSide {
    pub(super) fn new(error: InvalidPayload) -> Self {
        Self(list(error))
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("hash", &self.hash()).finish_non_exhaustive()
    }
}
