//! Calling capabilities and serving them: payloads are validated on both sides, over any transport.
#![forbid(unsafe_code)]

mod audit;
#[cfg(feature = "conformance")]
pub mod conformance;
mod memory;
mod transport;

pub use audit::{Audit, AuditError, AuditRecord, AuditViolation, CallRecord, MemoryAudit, ViolationRecord};
pub use memory::{MemoryBroker, MemoryTransport};
pub use transport::{
    Acknowledgement, BoxFuture, Delivery, Event, Health, Incoming, Outgoing, SubscribeOptions, Subscription, Transport,
    TransportError,
};
