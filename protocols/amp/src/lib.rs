//! AMP RFC 004, capabilities: signed messages in deterministic CBOR, negotiation of versions, and the offline registry.
//!
//! The core has no async runtime, clock, randomness or network code; state machines are values. Carriers are behind features.
#![forbid(unsafe_code)]

mod alias;
mod author;
pub mod body;
pub mod bundle;
#[cfg(feature = "carrier")]
pub mod carrier;
pub mod catalogue;
pub mod cbor;
mod code;
pub mod descriptor;
pub mod draft;
mod mac;
pub mod message;
mod name;
pub mod negotiate;
pub mod policy;
pub mod provider;
mod reader;
pub mod requester;
#[cfg(feature = "sqlite")]
pub mod store;
mod version;

pub use alias::Aliases;
pub use code::{Category, Code};
pub use name::{CapabilityName, InvalidName};
pub use version::{CapabilityId, InvalidId, InvalidRange, InvalidVersion, Range, parse_version};
