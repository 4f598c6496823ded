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

mod allocations;
mod answers;
mod appendix_a;
mod bridges;
mod budget;
mod bundle;
mod carriers;
mod contract;
mod decode;
mod ends;
mod envelope;
mod exchanges;
mod json;
mod json_texts;
mod keys;
mod known_answer;
mod lifecycle;
mod order;
mod payloads;
mod properties;
mod queries;
mod replays;
mod shares;
mod store;
mod support;
