//! The parties of a call: the proof of the agent that sent it, and the principal for whom it was sent.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

/// The proof of the agent that sent a message. Anyone can state any id in a message; only a key of its own proves an
/// agent.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub enum Proof {
    /// Nothing is proved. The id of the sender is a claim.
    #[default]
    None,
    /// The sender has the shared key with this id. All its owners can state each other's ids, so it proves no agent.
    SharedKey {
        /// The id of the key.
        key_id: Arc<str>,
    },
    /// The message is signed with a key that only this agent has.
    AgentKey {
        /// The id of the key.
        key_id: Arc<str>,
    },
    /// The certificate of the connection is that of the agent.
    Tls {
        /// The name in the certificate.
        name: Arc<str>,
    },
}

impl Proof {
    /// Whether the id of the sender is proved.
    #[must_use]
    pub fn proves_agent(&self) -> bool {
        matches!(self, Self::AgentKey { .. } | Self::Tls { .. })
    }
}

/// The person or the program for whom a call is made, as the issuer of a token states.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Principal {
    /// The issuer of the token (`iss`).
    pub issuer: String,
    /// The principal (`sub`), unique for its issuer.
    pub subject: String,
    /// The program that the token was issued to (`client_id`).
    pub client_id: Option<String>,
    /// The tenant of the principal, if the verifier knows it. Requests must be of the same tenant.
    pub tenant: Option<String>,
    /// The rights that the principal gives to that program.
    pub scopes: BTreeSet<String>,
    /// The roles of the principal.
    pub roles: BTreeSet<String>,
    /// All claims of the token.
    pub claims: Map<String, Value>,
}

impl Principal {
    /// A principal without scopes, roles and claims.
    #[must_use]
    pub fn new(issuer: impl Into<String>, subject: impl Into<String>) -> Self {
        Self {
            issuer: issuer.into(),
            subject: subject.into(),
            client_id: None,
            tenant: None,
            scopes: BTreeSet::new(),
            roles: BTreeSet::new(),
            claims: Map::new(),
        }
    }
}

impl fmt::Debug for Principal {
    /// Leaves out the values of claims, which may be personal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Principal")
            .field("issuer", &self.issuer)
            .field("subject", &self.subject)
            .field("client_id", &self.client_id)
            .field("tenant", &self.tenant)
            .field("scopes", &self.scopes)
            .field("roles", &self.roles)
            .field("claims", &self.claims.keys().collect::<Vec<_>>())
            .finish()
    }
}
