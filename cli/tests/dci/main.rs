//! `capgen dci`.
#![cfg(feature = "dci")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

#[path = "../common/mod.rs"]
mod common;

mod contract;
#[cfg(unix)]
mod guide;
mod lint;
#[cfg(unix)]
#[path = "../common/guide.rs"]
mod shown;
