//! Clients that find their peers in a registry.

use std::fmt;

use capgen_call::{CallError, CallOptions, Client};
use capgen_payload::Capability;

use super::SharedRegistry;
use crate::announce::id_of;
use crate::{Access, InvalidRequirement, Requirement, Unresolved};

/// Finds the provider of a capability in a registry, for one caller.
///
/// The client must still know how to reach the agents, from its table of peers.
#[derive(Clone, Debug)]
pub struct Directory {
    registry: SharedRegistry,
    access: Access,
}

/// Why a call through a directory failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum DirectoryError {
    /// The version of the capability is missing, or cannot be a requirement.
    Requirement(InvalidRequirement),
    /// The capability of this name has no id, and is not bound to an agent.
    NoId(&'static str),
    /// The registry has no target.
    Unresolved(Unresolved),
    /// The call failed.
    Call(Box<CallError>),
}

impl Directory {
    /// A directory for a caller with these roles and scopes.
    #[must_use]
    pub fn new(registry: SharedRegistry, access: Access) -> Self {
        Self { registry, access }
    }

    /// The options of a call of a capability: the agent is the target that the registry resolves for the capability's
    /// id, and for the version of the contract that the program was built with, as the least acceptable version.
    ///
    /// # Errors
    ///
    /// The contract has no version, or the registry has no target.
    pub fn options<C: Capability>(&self) -> Result<CallOptions, DirectoryError> {
        let descriptor = C::descriptor();
        let version = descriptor.version.unwrap_or_default();
        let requirement: Requirement = version.parse().map_err(DirectoryError::Requirement)?;
        let id = match (descriptor.id, descriptor.agent) {
            (None, None) => return Err(DirectoryError::NoId(descriptor.name)),
            (id, agent) => id_of(id, agent.unwrap_or_default(), descriptor.name),
        };
        self.options_for(&id, &requirement)
    }

    /// The options of a call of a capability with an id and a requirement.
    ///
    /// # Errors
    ///
    /// The registry has no target.
    pub fn options_for(&self, capability: &str, requirement: &Requirement) -> Result<CallOptions, DirectoryError> {
        let registry = self.registry.read();
        let resolution = registry.view().resolve(capability, requirement, &self.access);
        let resolution = resolution.map_err(DirectoryError::Unresolved)?;
        Ok(CallOptions::new().peer(resolution.agent()))
    }

    /// Calls a capability on the agent that the registry resolves.
    ///
    /// # Errors
    ///
    /// There is no target, or the call failed.
    pub async fn call<C: Capability>(
        &self,
        client: &Client,
        request: &C::Request,
    ) -> Result<C::Response, DirectoryError> {
        let options = self.options::<C>()?;
        client.call_with::<C>(request, &options).await.map_err(|error| DirectoryError::Call(Box::new(error)))
    }
}

impl fmt::Display for DirectoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Requirement(error) => write!(f, "the capability needs a version: {error}"),
            Self::NoId(name) => write!(f, "the capability `{name}` has no `id`, and is not bound to an agent"),
            Self::Unresolved(reason) => write!(f, "the registry has no target: {reason}"),
            Self::Call(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for DirectoryError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Requirement(error) => Some(error),
            Self::NoId(_) | Self::Unresolved(_) => None,
            Self::Call(error) => Some(error),
        }
    }
}
