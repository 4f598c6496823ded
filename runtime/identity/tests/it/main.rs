//! The integration tests of this package, as one program.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

mod cache;
mod fixture;
mod https;
mod served;
mod tokens;
