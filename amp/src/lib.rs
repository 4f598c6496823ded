//! AMP RFC 004, capabilities: signed messages in deterministic CBOR, negotiation of versions, and the offline registry.
//!
//! The core has no async runtime, clock, randomness or network code; state machines are values. Carriers are behind features.
#![forbid(unsafe_code)]

pub mod cbor;
mod code;
pub mod message;

pub use code::{Category, Code};
