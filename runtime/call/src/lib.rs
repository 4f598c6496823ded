//! Calling capabilities and serving them: payloads are validated on both sides, over any transport.
//!
//! The crate has no IO of its own: a [`Transport`] carries messages, such as [`MemoryTransport`] inside a program, or
//! those of `capgen-nats` and `capgen-mcp`. Programs use it as `capgen::call`.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use capgen_call::{
//!     CapabilityContract, Client, Handlers, Manifest, MemoryBroker, PeerTable, Server, Status, TransportSettings,
//! };
//! use serde_json::json;
//!
//! let broker = MemoryBroker::new();
//! let handlers = Handlers::new("echo").with_loose("say", async |_, payload| Ok(payload));
//! let _server = Server::builder(handlers).listen(broker.connect(), "agents.echo").start().await?;
//!
//! let transports = vec![TransportSettings::memory("agents.echo")];
//! let contract = Manifest::new("echo".parse()?, transports, vec![CapabilityContract::new("say")]);
//! let peers = PeerTable::new().with_manifest(&contract);
//! let client = Client::builder("console").transport(broker.connect()).peers(peers).build().await?;
//! let result = client.call_json("echo", "say", &json!("hello")).await;
//! assert_eq!((result.status, result.error), (Status::Ok, None));
//! # Ok(())
//! # }
//! ```
//!
//! # Reading order
//!
//! For contributors. `transport.rs` is the trait that every transport implements, `memory.rs` the smallest
//! implementation, and `conformance/`, with the feature of that name, the tests that each one passes. `envelope/` is
//! the message; requests and responses in the usual form are read and written in one pass, and a test compares that
//! with the generated types.
//!
//! `identity.rs` has the proof of a message's sender, and the principal for whom it is sent. `declared_errors.rs`
//! checks the details of errors by contracts, and `details.rs` has the conversions of generated and derived enums of
//! errors.
//!
//! `client/` and `server/` use these, but not each other, and `server/mod.rs` has the order of its files. A call finds
//! its peer in `peers/`, is checked, published and repeated, and ends with exactly one outcome. A request is received,
//! admitted (signature, replay, version, duplicate), run by a handler and answered. `outcome.rs` has the statuses and
//! codes of both.
//!
//! `audit.rs` is the trait of stores for records of calls and violations, and `journal.rs` hands records to them.
//! `idempotency_store.rs` is that of stores for the answers to requests with idempotency keys. `settings.rs` reads the
//! environment, and `termination.rs` waits for the signal to end; nothing does either unless a program calls it.
//! `layered.rs` has services around work that borrows, `tower.rs` is the public module with the services of both sides,
//! and `otel.rs` has spans and metrics. The other files are values that both sides use: ids, trace context, options,
//! and the call that a handler serves.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod address;
mod agent_macro;
mod audit;
mod authorization;
mod build_error;
mod client;
#[cfg(feature = "conformance")]
pub mod conformance;
mod context;
mod decimal;
mod declared_errors;
#[doc(hidden)]
pub mod details;
mod envelope;
mod failure;
mod id;
mod idempotency_store;
mod identity;
pub mod journal;
#[cfg(feature = "tower")]
mod layered;
mod memory;
mod needed;
mod options;
#[cfg(feature = "otel")]
pub mod otel;
mod outcome;
mod peers;
mod server;
mod settings;
#[cfg(feature = "signal")]
mod termination;
mod token;
#[cfg(feature = "tower")]
pub mod tower;
mod trace;
mod transport;
mod violation;
mod wait;

#[doc(hidden)]
pub use capgen_payload::{Capability, Payload};

pub use audit::{
    Audit, AuditError, AuditPrincipal, AuditRecord, AuditViolation, AuditWriter, CallRecord, MemoryAudit,
    ViolationRecord,
};
pub use authorization::{Authorization, Authorize, Decision, Grants, Requirements};
pub use build_error::{BuildError, NoAuthorization};
pub use capgen_descriptor::Skew;
pub use capgen_evolve::Assume;
pub use capgen_manifest::{
    AgentId, Capability as CapabilityContract, DeclaredError, InvalidAgentId, Manifest, Side, TransportSettings,
};
pub use capgen_time::{Clock, SystemClock};
pub use client::{Client, ClientBuilder, Retry};
pub use context::Context;
#[cfg(feature = "ed25519")]
pub use envelope::{AgentKey, PublicKey};
pub use envelope::{
    Auth, Ed25519Auth, Ed25519AuthRequired, Envelope, EnvelopeFields, EnvelopeRequired, ErrorPayload, ErrorRequired,
    ErrorSide, ErrorViolation, ErrorViolationRequired, HmacAuth, HmacAuthRequired, InternalAuth, InvalidKey, Keys,
    MessageKind, SkewDetails, header,
};
pub use failure::Failure;
pub use idempotency_store::{IdempotencyStore, MemoryIdempotencyStore, StoreError, StoredRecord};
pub use identity::{Principal, Proof};
pub use memory::{MemoryBroker, MemoryTransport};
pub use options::{CallMode, CallOptions};
pub use outcome::{CallError, CallResult, ResultError, Status, code, reason};
#[cfg(feature = "files")]
pub use peers::PeerFileError;
pub use peers::{AcceptedFindings, EmbeddedFleet, InvalidFleet, PeerTable};
pub use server::{Handlers, RunError, Server, ServerBuilder, ServerMonitor, ServerStats};
pub use settings::{InvalidSetting, InvalidSettings, Settings};
#[cfg(feature = "signal")]
pub use termination::termination;
pub use token::{InvalidToken, TokenVerifier, verify_bearer};
pub use transport::{
    Acknowledgement, BoxFuture, Delivery, Health, Incoming, IncomingContent, IntoTransport, Outgoing, Receive,
    Stoppable, SubscribeOptions, Subscription, Transport, TransportError,
};
