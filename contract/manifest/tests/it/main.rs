//! The integration tests of this package, as one program: linking a program for each file would take longer than the
//! tests.
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

mod about;
mod common;
mod declared_errors;
mod definitions;
mod fleet;
mod hash;
mod http;
mod loaded;
mod manifest;
mod peers;
mod secrets;
mod text_properties;
mod transport;
mod write;
mod yaml_torture;
