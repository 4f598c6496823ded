//! Servers on the loopback interface, whose addresses in 127.0.0.0/8 are those of distinct hosts.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod admission;
mod bodies;
