//! Helpers that the tests of several packages share.
//!
//! - [`random`] has numbers for random samples, the same in every run
//! - [`manifests`] has contracts
//! - `folder`, with the feature of that name, has temporary folders with files
//! - `log`, with the feature of that name, records spans and events of `tracing` as texts; [`is_run_alone`] runs the
//!   test that does so in a process of its own
//! - `node`, with the feature of that name, runs scripts with Node; `npm` installs the packages that they import
//! - `otel`, with the feature of that name, records spans and metrics of OpenTelemetry in memory
//! - `brokers`, with the feature of that name, starts `nats-server`, and a proxy that cuts connections
//!
//! Each feature but `otel` has at most one dependency, and no crate of capgen is among them: unit tests of every crate
//! may use this one.
#![forbid(unsafe_code)]

mod alone;
#[cfg(feature = "brokers")]
pub mod brokers;
#[cfg(feature = "folder")]
pub mod folder;
#[cfg(feature = "log")]
pub mod log;
pub mod manifests;
#[cfg(feature = "node")]
pub mod node;
#[cfg(feature = "node")]
pub mod npm;
#[cfg(feature = "otel")]
pub mod otel;
pub mod random;

pub use alone::is_run_alone;
pub use random::Random;
