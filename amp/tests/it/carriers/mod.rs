//! Carriers: frames, connections, and the tests that every carrier passes.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod agents;
mod attacks;
mod connection;
mod control;
mod frame;
mod handlers;
mod harness;
mod http;
mod suite;
mod tcp;
