//! The sections of Noesium RFC-0005, in tests that carry their numbers. Tests of `decisions` carry the numbers of the
//! decisions and rulings that no section covers.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]

mod decisions;
mod declaration;
mod discovery;
mod distribution;
mod invocation;
mod later_rulings;
mod rulings;
mod security;

/// The capability of most tests.
const COUNT: &str = "core.text.count";
