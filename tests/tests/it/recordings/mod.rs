//! Messages between clients and servers as they were before a change of the wire, and the peers of today in both roles
//! against them.

mod compare;
mod contracts;
mod differences;
mod facts;
mod node_peer;
mod record;
pub(crate) mod recording;
mod replay;
mod rust_peer;
pub(crate) mod signature;
mod wire;
