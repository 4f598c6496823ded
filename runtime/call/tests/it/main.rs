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

mod accepted;
mod agent;
mod agent_keys;
mod attempts;
mod authorization;
mod bearer;
mod budget;
mod calls;
mod cancel;
mod declared_errors;
mod denials;
mod embedded;
mod envelope;
mod failures;
mod fixture;
mod heartbeats;
mod instances;
mod layers;
mod memory;
mod nested;
mod notices;
mod peers;
mod retries;
mod security;
mod serving;
mod settings;
mod shares;
mod shutdown;
mod skew;
mod slow_tokens;
mod spans;
mod stored;
mod stores;
mod times;
mod tokens;
mod tower;
mod versions;
