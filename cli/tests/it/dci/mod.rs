//! `capgen dci`.
#![cfg(feature = "dci")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod cache;
mod contract;
mod graph;
#[cfg(unix)]
mod guide;
mod hostile;
mod lint;
mod record;
mod rulings;
mod search;
mod show;
#[cfg(unix)]
use crate::common::guide as shown;
mod skills;
mod verified;
