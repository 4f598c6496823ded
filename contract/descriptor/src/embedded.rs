//! The peers that a program contains, as `include_fleet!` writes them and `capgen-call` reads them. Tuples need no
//! derive of serde, and no other program reads the text.

use crate::OwnedDescriptor;

/// The agents of a fleet, the ways to reach agents that replace theirs, the settings of calls, the public keys of
/// agents, and their roles and scopes.
pub type EmbeddedPeers =
    (Vec<EmbeddedAgent>, Vec<(String, Vec<EmbeddedRoute>)>, EmbeddedCalls, Vec<EmbeddedKey>, Vec<EmbeddedGrant>);

/// The id of an agent, the ways to reach it, and its capabilities.
pub type EmbeddedAgent = (String, Vec<EmbeddedRoute>, Vec<OwnedDescriptor>);

/// The kind of a transport, and the address of requests. Other settings may contain credentials.
pub type EmbeddedRoute = (String, String);

/// The names of the policy and of the assumed senders, if the fleet has them, and its accepted findings.
pub type EmbeddedCalls = (Option<String>, Option<String>, Option<Vec<EmbeddedAcceptance>>);

/// An agent, the id of its public key, the key in base64url, and the last Unix time in ms at which signatures are
/// accepted.
pub type EmbeddedKey = (String, String, String, Option<u64>);

/// An agent, its roles and its scopes.
pub type EmbeddedGrant = (String, Vec<String>, Vec<String>);

/// The fingerprint of an accepted finding, the last day on which it is accepted, and its code and its agent, if the
/// entry names them. The reason is for the readers of the file.
pub type EmbeddedAcceptance = (String, String, Option<String>, Option<String>);
