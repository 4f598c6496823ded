//! Carriers: frames, connections, and the tests that every carrier passes.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod connection;
mod control;
mod frame;
