//! The transport NATS: request and reply over core NATS, at-least-once delivery over JetStream, and service discovery.
//!
//! ```no_run
//! use capgen_call::{SubscribeOptions, Transport as _};
//! use capgen_nats::{NatsOptions, NatsTransport};
//!
//! # async fn run() -> Result<(), capgen_call::TransportError> {
//! let transport = NatsTransport::connect(NatsOptions::new(["nats://127.0.0.1:4222"])).await?;
//! let mut requests = transport.subscribe("agents.pr-reviewer.requests", SubscribeOptions::default()).await?;
//! while let Some(incoming) = requests.next().await {
//!     println!("{:?}", incoming.content);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Reading order
//!
//! For contributors. `options.rs` and `connect.rs` open a connection, with credentials that no message shows.
//! `transport.rs` makes it a transport of `capgen-call`, `subscription.rs` turns its messages into events, and
//! `limited.rs` bounds those that wait. `jetstream/` adds at-least-once delivery: stored messages, their
//! acknowledgement, and deliveries that were seen before; `jetstream/stream.rs` has the options of streams, also for
//! the log of the registry, and `jetstream/keys.rs` stores the answers to requests with idempotency keys. `discovery/`
//! answers the requests of NATS's service discovery. The tests of every transport and of every store of keys are
//! `capgen_call::conformance`; `tests/testkit` starts the broker.
#![forbid(unsafe_code)]

mod connect;
mod discovery;
mod jetstream;
mod limited;
mod options;
mod subject;
mod subscription;
mod transport;

pub use async_nats;
pub use connect::connect;
pub use discovery::{Discovery, Endpoint, EndpointStats, ServiceInfo};
pub use jetstream::{
    IdempotencyStoreOptions, JetStreamOptions, NatsIdempotencyStore, Retention, Storage, StreamOptions,
};
pub use options::NatsOptions;
pub use subject::check as check_subject;
pub use transport::{NatsEvent, NatsTransport};
