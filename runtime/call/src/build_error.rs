//! The errors of building clients and servers.

use std::fmt;

use crate::envelope::Keys;
use crate::transport::TransportError;

/// Why a client or a server could not be built.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum BuildError {
    /// The id of the agent is invalid.
    InvalidAgent(String),
    /// Handlers of one capability that cannot be served side by side: for each, why.
    InvalidHandlers(Vec<String>),
    /// There are two transports of one kind.
    DuplicateTransport(&'static str),
    /// Capabilities with `requiredRoles` or `requiredScopes`, given by their names, in a server that cannot know who
    /// has them.
    NoAuthorization(Vec<String>),
    /// The private key of a client or a server belongs to another agent, given by its id.
    ForeignKey(String),
    /// A server that verifies tokens and has neither keys nor `bearer_only`.
    TokensWithoutKeys,
    /// A server with `bearer_only` and a transport of a kind that is not encrypted.
    TokensInTheClear(&'static str),
    /// A server without a transport.
    NoTransport,
    /// Parts of a [`Retry`](crate::Retry) exclude each other: which ones.
    InvalidRetry(&'static str),
    /// A transport failed.
    Transport(TransportError),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidAgent(id) => write!(f, "invalid agent {id:?}: {}", capgen_manifest::AgentId::RULE),
            Self::InvalidHandlers(conflicts) => f.write_str(&conflicts.join("; ")),
            Self::DuplicateTransport(kind) => write!(f, "two transports have the kind `{kind}`"),
            Self::ForeignKey(agent) => {
                write!(f, "the key that signs belongs to the agent `{agent}`: sign with a key of this one")
            }
            Self::NoAuthorization(names) => NoAuthorization(names.clone()).fmt(f),
            Self::TokensWithoutKeys => f.write_str(
                "a token proves nothing in a message that is not signed: give the server keys, or use `bearer_only` with \
                 encrypted transports",
            ),
            Self::TokensInTheClear(kind) => {
                write!(f, "`bearer_only` needs encrypted transports, and one of the kind `{kind}` is not encrypted")
            }
            Self::NoTransport => f.write_str("a server needs a transport: add one"),
            Self::InvalidRetry(reason) => write!(f, "the retries are invalid: {reason}"),
            Self::Transport(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BuildError {}

/// Capabilities with `requiredRoles` or `requiredScopes`, given by their names, in a server of any protocol that cannot
/// know who has them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoAuthorization(pub Vec<String>);

impl fmt::Display for NoAuthorization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.0.iter().map(|name| format!("`{name}`")).collect();
        write!(
            f,
            "{} declare `requiredRoles` or `requiredScopes`, and the server does not know who has them: decide with \
             `authorize`, give `grants`, verify tokens by a JWKS with `tokens`, or let everyone call with \
             `without_authorization()`",
            names.join(", ")
        )
    }
}

impl std::error::Error for NoAuthorization {}

impl From<NoAuthorization> for BuildError {
    fn from(NoAuthorization(names): NoAuthorization) -> Self {
        Self::NoAuthorization(names)
    }
}

/// Checks that an agent signs with a key of its own, or with a shared one: others would refuse its messages.
pub(crate) fn check_key(keys: Option<&Keys>, agent: &str) -> Result<(), BuildError> {
    match keys.and_then(Keys::signing_agent).filter(|owner| owner != agent) {
        Some(owner) => Err(BuildError::ForeignKey(owner)),
        None => Ok(()),
    }
}
