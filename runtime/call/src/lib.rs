//! Calling capabilities and serving them: payloads are validated on both sides, over any transport.
#![forbid(unsafe_code)]

// Generated code refers to `::capgen`, which depends on this crate.
extern crate capgen_payload as capgen;

mod agent_macro;
mod audit;
mod client;
#[cfg(feature = "conformance")]
pub mod conformance;
mod context;
mod envelope;
mod failure;
mod id;
mod journal;
mod memory;
mod outcome;
mod peers;
mod server;
#[cfg(feature = "tower")]
pub mod tower;
mod trace;
mod transport;
mod violation;
mod wait;

#[doc(hidden)]
pub use capgen_payload::Capability;

pub use audit::{Audit, AuditError, AuditRecord, AuditViolation, CallRecord, MemoryAudit, ViolationRecord};
pub use capgen_manifest::{AgentId, Capability as CapabilityContract, Manifest, Side, TransportSettings};
pub use capgen_time::{Clock, SystemClock};
pub use client::{BuildError, CallMode, CallOptions, Client, ClientBuilder, Retry};
pub use context::Context;
pub use envelope::{
    Auth, ENVELOPE_CONTRACT_HASH, Envelope, EnvelopeFields, EnvelopeRequired, ErrorPayload, ErrorRequired, ErrorSide,
    ErrorViolation, ErrorViolationRequired, HmacAuth, HmacAuthRequired, InternalAuth, InvalidKey, Keys, MessageKind,
    header,
};
pub use failure::Failure;
pub use memory::{MemoryBroker, MemoryTransport};
pub use outcome::{CallError, CallResult, ResultError, Status, code};
#[cfg(feature = "files")]
pub use peers::PeerFileError;
pub use peers::PeerTable;
pub use server::{Handlers, RunError, Server, ServerBuilder, ServerMonitor, ServerStats};
pub use transport::{
    Acknowledgement, BoxFuture, Delivery, Event, Health, Incoming, Outgoing, SubscribeOptions, Subscription, Transport,
    TransportError,
};
