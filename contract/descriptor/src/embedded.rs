//! The peers that a program contains, as `include_fleet!` writes them and `capgen-call` reads them. Tuples need no
//! derive of serde, and no other program reads the text.

use crate::OwnedDescriptor;

/// The agents of a fleet, and the ways to reach agents that replace theirs.
pub type EmbeddedPeers = (Vec<EmbeddedAgent>, Vec<(String, Vec<EmbeddedRoute>)>);

/// The id of an agent, the ways to reach it, and its capabilities.
pub type EmbeddedAgent = (String, Vec<EmbeddedRoute>, Vec<OwnedDescriptor>);

/// The kind of a transport, and the address of requests. Other settings may contain credentials.
pub type EmbeddedRoute = (String, String);
