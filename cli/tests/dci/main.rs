//! `capgen dci`.
#![cfg(feature = "dci")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

#[path = "../common/mod.rs"]
mod common;

mod cache;
mod contract;
mod graph;
#[cfg(unix)]
mod guide;
mod hostile;
mod lint;
mod record;
mod search;
mod show;
#[cfg(unix)]
#[path = "../common/guide.rs"]
mod shown;
mod skills;
mod verified;
