//! The client and the server with each other, and with peers that break rules.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod attacks;
mod authorization;
mod budget;
mod cancels;
mod client;
mod fixture;
mod http;
mod otel;
mod stdio;
mod transport;
mod versions;
