//! Servers on the loopback interface, whose addresses in 127.0.0.0/8 are those of distinct hosts.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking, and prints why it was skipped"
)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod admission;
mod bodies;
