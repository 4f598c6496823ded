//! Carriers: frames, connections, and the tests that every carrier passes.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

pub(crate) mod agents;
mod attacks;
mod audit;
mod built;
mod connection;
mod control;
mod drops;
mod frame;
mod handlers;
mod harness;
mod http;
mod otel;
mod roles;
mod suite;
mod tcp;
