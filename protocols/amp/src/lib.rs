//! AMP RFC 004, capabilities: signed messages in deterministic CBOR, negotiation of versions, and the offline registry.
//!
//! The core has no async runtime, clock, randomness or network code; state machines are values. Carriers are behind
//! features. `docs/amp.md` leads from a manifest to a negotiated call.
//!
//! ```
//! use capgen_amp::CapabilityId;
//! use capgen_amp::cbor::{Map, Value};
//!
//! let id: CapabilityId = "org.agentries.code-review:2.1.0".parse()?;
//! let body: Map = [("capability", id.to_string().as_str())].into_iter().collect();
//! assert!(matches!(Value::from(body), Value::Map(_)));
//! # Ok::<(), capgen_amp::InvalidId>(())
//! ```
//!
//! # Reading order
//!
//! For contributors. From the bytes upwards: `cbor/` reads and writes deterministic CBOR, `message/` the signed
//! envelope, `body/` and `descriptor/` its content, by the one reader of `reader.rs`, which reports every error.
//! `name.rs`, `version.rs` and `negotiate.rs` are the rules for capabilities and the choice of a version.
//!
//! `provider/` and `requester.rs` are the two parties as values: a message and the time go in, messages and decisions
//! come out. `provider/payload.rs` has the one check of each payload. Whatever must outlive the process is a record,
//! which `store/` keeps in a file. `policy/` decides who may do what, and `catalogue.rs` has the published
//! capabilities.
//!
//! `carrier/` is all IO: frames over TCP, HTTP, and a carrier in memory; `carrier/net/` connects them with
//! `capgen-net`. A new carrier implements the traits in `carrier/`.
//!
//! `bundle/` is the offline registry: signed archives of descriptors, verified in a fixed order of steps.
#![cfg_attr(docsrs, feature(doc_cfg))]
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
